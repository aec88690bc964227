"""What an earlier crawl has: to ask only for what has changed since, and to refer to what has not."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pipeline.warc import Record, read
from spiders.exceptions import CrawlError
from spiders.history import Fetch, fetches
from spiders.records import Original
from spiders.segments import closed
from spiders.urls import key
from spiders.visits import Link, Metadata


class Known(NamedTuple):
    """A page of the earlier crawl."""

    original: Original
    entity: str | None  # digest of the body without its chunks
    etag: str | None
    modified: str | None
    metadata: tuple[str, int]  # segment and offset


class Previous:
    """The pages of an earlier crawl with status 200, by URL; about half a kilobyte each."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir() or not closed(folder):
            raise CrawlError(f"{folder} holds no earlier crawl; name the folder that was its output")
        self._known: dict[int, Known] = {}
        for fetch in fetches(folder):
            if known := _known(fetch):
                self._known[key(fetch.metadata.url)] = known

    def __len__(self) -> int:
        return len(self._known)

    def get(self, url: str) -> Known | None:
        """What is known of a URL."""
        return self._known.get(key(url))

    def links(self, known: Known) -> tuple[Link, ...]:
        """Where the page led then."""
        path, offset = known.metadata
        with Path(path).open("rb") as stream:
            size = stream.seek(0, 2)
            for record in read(stream, offset, offset + 1, size=size):
                if isinstance(record, Record):
                    return Metadata.read(known.original.url, record.block).links
        return ()


def _known(fetch: Fetch) -> Known | None:
    message = fetch.message
    if fetch.record_id is None or fetch.payload is None or fetch.metadata.outcome not in ("stored", "unchanged"):
        return None
    url = fetch.metadata.url
    # A revisit is not referred to; the record that it refers to is.
    original = fetch.refers_to or (fetch.record_id, url, fetch.date)
    headers = (next(iter(message.all(name)), None) for name in ("etag", "last-modified"))
    etag, modified = (value if value and value.isascii() and value.isprintable() else None for value in headers)
    return Known(
        Original(*original, fetch.payload), fetch.metadata.entity or fetch.payload, etag, modified, fetch.place
    )
