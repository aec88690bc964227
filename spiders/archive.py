"""From a response to its records: what it is, where it leads, and the bytes that are kept of it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import NamedTuple

from pipeline.http import HttpMessage, decode_body
from spiders import records
from spiders.directives import of_header
from spiders.exchange import Exchange
from spiders.handler import SOFTWARE
from spiders.lists import Unreadable
from spiders.outcomes import Outcome
from spiders.previous import Previous
from spiders.reading import Reading, read
from spiders.records import NOT_MODIFIED, SAME_PAYLOAD, Original
from spiders.segments import Segments
from spiders.urls import link
from spiders.visits import REDIRECT, ROBOTS, Link, Metadata, Visit

logger = logging.getLogger(__name__)


class Kept(NamedTuple):
    """What became of a response."""

    outcome: Outcome
    links: tuple[Link, ...]
    size: int  # bytes of its records


class Archive:
    """Writes responses into segments, once they are understood."""

    def __init__(
        self,
        segments: Segments,
        previous: Previous | None,
        *,
        decoded_bytes: int,
        decoded_ratio: int,
        since: datetime | None = None,
        obey: bool = True,  # meta robots and X-Robots-Tag
    ) -> None:
        self._segments, self._previous, self._since, self._obey = segments, previous, since, obey
        self._decoded_bytes, self._decoded_ratio = decoded_bytes, decoded_ratio

    def decoded(self, message: HttpMessage) -> bytes:
        """The body without its codings, as far as the limits go."""
        return decode_body(message, max_bytes=self._decoded_bytes, max_ratio=self._decoded_ratio)[0]

    def keep(self, visit: Visit, exchange: Exchange) -> Kept:
        """Write a response, together with where it leads."""
        outcome, links, revisit = self._judged(visit, exchange)
        metadata = self._metadata(visit, exchange, outcome, links)
        if outcome is Outcome.NOINDEX:
            group = partial(records.of_metadata, metadata, records.warc_date(exchange.began))
        else:
            group = partial(records.of_exchange, exchange, metadata, revisit=revisit)
        return Kept(outcome, links, self._segments.write(group))

    def keep_robots(self, exchange: Exchange, outcome: Outcome) -> int:
        """Write a robots.txt; returns the bytes of its records."""
        visit = Visit(exchange.url, "", "", ROBOTS)
        metadata = self._metadata(visit, exchange, outcome, ())
        return self._segments.write(partial(records.of_exchange, exchange, metadata))

    def _metadata(self, visit: Visit, exchange: Exchange, outcome: Outcome, links: tuple[Link, ...]) -> Metadata:
        entity = _entity(exchange) if exchange.message.all("Transfer-Encoding") else None
        return Metadata(
            visit.url, visit.kind, visit.depth, visit.hops, visit.via, visit.redirects, outcome.value,
            round(1000 * exchange.seconds), entity, links,
        )  # fmt: skip

    def _judged(
        self, visit: Visit, exchange: Exchange
    ) -> tuple[Outcome, tuple[Link, ...], tuple[str, Original] | None]:
        status = exchange.status
        known = self._previous.get(visit.url) if self._previous else None
        if status == 304 and known and self._previous:
            return Outcome.UNCHANGED, self._previous.links(known), (NOT_MODIFIED, known.original)
        if status >= 300:
            target = link(exchange.header("Location") or "", visit.url) if status < 400 else None
            links = (Link(target.text, REDIRECT, "location"),) if target else ()
            return Outcome.REDIRECTED if status < 400 else Outcome.HTTP_ERROR, links, None
        reading = self._read(visit, exchange)
        if known and known.entity == _entity(exchange) and not reading.noindex and not exchange.truncated:
            return Outcome.UNCHANGED, reading.links, (SAME_PAYLOAD, known.original)
        outcome = Outcome.TRUNCATED if exchange.truncated else Outcome.STORED
        return Outcome.NOINDEX if reading.noindex else outcome, reading.links, None

    def _read(self, visit: Visit, exchange: Exchange) -> Reading:
        directives = of_header(exchange.message.all("X-Robots-Tag"))
        body = self.decoded(exchange.message)
        try:
            return read(visit, body, exchange.header("Content-Type"), directives if self._obey else None, self._since)
        except Unreadable as error:
            logger.warning("%s is not read as a %s: %s", visit.url, visit.kind, error)
            return Reading((), self._obey and directives.noindex)


def _entity(exchange: Exchange) -> str:
    """Digest of the body without its chunks, which may fall otherwise every time."""
    message = exchange.message
    bare = tuple((name, value) for name, value in message.headers if name.lower() == "transfer-encoding")
    if not bare:
        return records.digest(message.body)
    limit = len(message.body)
    return records.digest(decode_body(message._replace(headers=bare), max_bytes=limit, max_ratio=1)[0])


def about(agent: str, contact: str | None, *, robots: bool) -> Mapping[str, str]:
    """What every segment says of itself."""
    policy = "RFC 9309, meta robots and X-Robots-Tag obeyed as " + SOFTWARE.partition("/")[0]
    return {
        "software": SOFTWARE,
        "format": "WARC File Format 1.1",
        "conformsTo": "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
        "http-header-user-agent": agent,
        **({"operator": contact} if contact else {}),
        "robots": policy if robots else "ignored",
        "decoded": "nothing: heads and bodies are stored as received, with their transfer and content codings; "
        "interim responses (1xx) are left out",
        "noindex": "responses that ask not to be indexed are not stored, only their metadata" if robots else "stored",
    }
