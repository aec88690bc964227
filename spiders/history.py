"""What a folder of segments holds: the fetches of a crawl, one by one, with where each led."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from pipeline.http import HttpMessage, parse_response
from pipeline.warc import Record, read
from spiders.options import when
from spiders.outcomes import Outcome
from spiders.segments import closed
from spiders.visits import Metadata


@dataclass(frozen=True)
class Fetch:
    """A fetch that is in a segment, whole."""

    metadata: Metadata
    size: int  # bytes of its records
    record_id: str | None  # of the response or revisit; None if only the metadata was kept
    date: str
    payload: str | None  # digest
    refers_to: tuple[str, str, str] | None  # of a revisit: record id, URL and date of the original
    block: bytes
    place: tuple[str, int]  # of its metadata: segment and offset

    @property
    def age(self) -> float:
        """Seconds since it was made."""
        return (datetime.now(timezone.utc) - when(self.date)).total_seconds()

    @property
    def message(self) -> HttpMessage:
        """The response."""
        return parse_response(self.block)


def fetches(folder: Path) -> Iterator[Fetch]:
    """The fetches in the closed segments of a folder, in the order in which they were made.

    A fetch is complete with its response or revisit record; metadata without one is left out, unless it says itself
    that nothing else was to be kept. Holds one record at a time.
    """
    for path in closed(folder):
        waiting: dict[str, tuple[Metadata, int, tuple[str, int]]] = {}
        asked: dict[str, int] = {}  # bytes of requests whose response is still to come
        with path.open("rb") as stream:
            for record in read(stream, size=path.stat().st_size):
                if not isinstance(record, Record):
                    continue
                if record.type == "request":
                    asked[record.header("WARC-Concurrent-To") or ""] = record.length
                elif record.type == "metadata":
                    found, place = _metadata(record), (str(path), record.offset)
                    answered = record.header("WARC-Concurrent-To")
                    if answered:
                        waiting[answered] = (found, record.length + asked.pop(answered, 0), place)
                    elif found.outcome == Outcome.NOINDEX.value:
                        date = record.header("WARC-Date") or ""
                        yield Fetch(found, record.length, None, date, None, None, b"", place)
                elif record.type in ("response", "revisit"):
                    known = waiting.pop(record.header("WARC-Record-ID") or "", None)
                    if known:
                        yield _fetch(record, *known)


def _metadata(record: Record) -> Metadata:
    return Metadata.read(record.header("WARC-Target-URI") or "", record.block)


def _fetch(record: Record, metadata: Metadata, size: int, place: tuple[str, int]) -> Fetch:
    refers_to = None
    if record.type == "revisit":
        names = ("WARC-Refers-To", "WARC-Refers-To-Target-URI", "WARC-Refers-To-Date")
        first, url, date = (record.header(name) or "" for name in names)
        refers_to = (first, url, date)
    return Fetch(
        metadata,
        size + record.length,
        record.header("WARC-Record-ID"),
        record.header("WARC-Date") or "",
        record.header("WARC-Payload-Digest"),
        refers_to,
        record.block,
        place,
    )
