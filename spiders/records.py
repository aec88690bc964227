"""WARC 1.1 records, each a gzip member of its own."""

from __future__ import annotations

import base64
import hashlib
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from isal import isal_zlib

from spiders.exchange import Exchange
from spiders.visits import Metadata

HTTP_RESPONSE = "application/http; msgtype=response"
HTTP_REQUEST = "application/http; msgtype=request"
FIELDS = "application/warc-fields"
NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
SAME_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

# igzip: its level 1 is within a tenth of zlib's 6 in size on pages, in a fifth of the time.
LEVEL, GZIP = 1, 31

Headers = list[tuple[str, str]]


@dataclass(frozen=True)
class Original:
    """The record that holds the payload which a revisit does not repeat."""

    record_id: str
    url: str
    date: str
    payload: str  # digest


def new_id() -> str:
    """A record id."""
    return f"<urn:uuid:{uuid.uuid4()}>"


def warc_date(moment: datetime) -> str:
    """With microseconds, as WARC 1.1 allows: a fast crawl has many records a second."""
    return f"{moment:%Y-%m-%dT%H:%M:%S.%f}Z"


def digest(data: bytes) -> str:
    """SHA-1 in base 32, as every tool writes and checks it."""
    return "sha1:" + base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()


def warcinfo(record_id: str, date: str, filename: str, about: Mapping[str, str]) -> bytes:
    """What a segment says of itself."""
    block = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in about.items()).encode()
    headers = [("WARC-Record-ID", record_id), ("WARC-Date", date), ("WARC-Filename", filename)]
    return _member("warcinfo", headers, FIELDS, block)


def of_exchange(
    exchange: Exchange, metadata: Metadata, info: str, revisit: tuple[str, Original] | None = None
) -> list[bytes]:
    """Request, metadata and response of a fetch, in this order.

    The response comes last: a segment that ends before it has not fetched the page, so that the page and where it
    leads are always known together. `revisit` has the profile and the record that it refers to.
    """
    answered = new_id()
    common = [("WARC-Date", warc_date(exchange.began)), ("WARC-Target-URI", exchange.url)]
    reached = [("WARC-IP-Address", exchange.address)] if exchange.address else []
    info_id = [("WARC-Warcinfo-ID", info)]
    concurrent = [("WARC-Concurrent-To", answered)]
    asked = [("WARC-Record-ID", new_id()), *common, *reached, *info_id, *concurrent]
    about = [("WARC-Record-ID", new_id()), *common, *info_id, *concurrent]
    kind, block, more = _response(exchange, revisit)
    headers = [("WARC-Record-ID", answered), *common, *reached, *info_id, *more]
    return [
        _member("request", asked, HTTP_REQUEST, exchange.request),
        _member("metadata", about, FIELDS, metadata.block()),
        _member(kind, headers, HTTP_RESPONSE, block),
    ]


def of_metadata(metadata: Metadata, date: str, info: str) -> list[bytes]:
    """The metadata of a page of which nothing else is kept."""
    headers = [("WARC-Record-ID", new_id()), ("WARC-Date", date), ("WARC-Target-URI", metadata.url)]
    return [_member("metadata", [*headers, ("WARC-Warcinfo-ID", info)], FIELDS, metadata.block())]


def _response(exchange: Exchange, revisit: tuple[str, Original] | None) -> tuple[str, bytes, Headers]:
    if revisit is None:
        cut = [("WARC-Truncated", exchange.truncated)] if exchange.truncated else []
        return "response", exchange.block, [*cut, ("WARC-Payload-Digest", digest(exchange.message.body))]
    profile, original = revisit
    more = [
        ("WARC-Profile", profile),
        ("WARC-Refers-To", original.record_id),
        ("WARC-Refers-To-Target-URI", original.url),
        ("WARC-Refers-To-Date", original.date),
        ("WARC-Payload-Digest", original.payload),
    ]
    return "revisit", exchange.head, more


def _member(kind: str, headers: Iterable[tuple[str, str]], content_type: str, block: bytes) -> bytes:
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        *(f"{name}: {value}" for name, value in headers),
        f"WARC-Block-Digest: {digest(block)}",
        f"Content-Type: {content_type}",
        f"Content-Length: {len(block)}",
        "",
        "",
    ]
    return isal_zlib.compress("\r\n".join(lines).encode() + block + b"\r\n\r\n", LEVEL, GZIP)


def _one_line(value: str) -> str:
    return " ".join(value.split())
