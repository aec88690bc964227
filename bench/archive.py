"""WARC files made of the pages of a data set, for measuring what reads them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from pathlib import Path

from isal import isal_zlib

from bench.datasets import Sample

# Of igzip, the highest: building ten copies of a data set takes a minute where zlib takes ten.
LEVEL = 3
GZIP = 31  # window bits that mean gzip
DATE = "2026-01-01T00:00:00Z"


def write_warc(file: Path, samples: Iterable[Sample], copies: int = 1) -> int:
    """Write every page `copies` times, each time under another address; returns the number of pages.

    `.warc.gz` as Common Crawl writes it: one gzip member a record, the type of the payload identified. The data set is
    repeated as a whole, so that any stretch of the file costs about as much as any other. Holds one page in memory.
    """
    chosen = tuple(samples)
    with file.open("wb") as out:
        for copy in range(copies):
            for place, sample in enumerate(chosen):
                record = response(sample.html(), address(sample, place, copy))
                out.write(isal_zlib.compress(record, LEVEL, GZIP))
    return copies * len(chosen)


def write_parts(folder: Path, samples: Iterable[Sample], parts: int) -> int:
    """Deal the pages out to so many WARC files in a new folder; returns the number of pages."""
    folder.mkdir()
    chosen = tuple(samples)
    return sum(write_warc(folder / f"{part}.warc.gz", chosen[part::parts]) for part in range(parts))


def address(sample: Sample, place: int, copy: int) -> str:
    """The address of a copy; the first copy has the page's own, if it has one."""
    url = "".join((sample.url or f"http://{sample.site or 'pages.example'}/{place}").split())
    return f"{url}{'&' if '?' in url else '?'}copy={copy}" if copy else url


def response(html: bytes, url: str) -> bytes:
    """A WARC record of a server's answer with this page."""
    head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(html)}\r\n\r\n".encode()
    headers = (
        "WARC/1.1",
        "WARC-Type: response",
        f"WARC-Record-ID: <urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, url)}>",
        f"WARC-Date: {DATE}",
        f"WARC-Target-URI: {url}",
        "WARC-Identified-Payload-Type: text/html",
        "Content-Type: application/http; msgtype=response",
        f"Content-Length: {len(head) + len(html)}",
    )
    return "\r\n".join((*headers, "", "")).encode() + head + html + b"\r\n\r\n"
