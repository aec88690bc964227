"""The archives of a crawl of the web: WARC 1.1, a file a site, a gzip member a record, the same bytes every time.

Beside the pages there is what crawlers meet: errors, redirections, images, data, pages under two addresses, and
revisits of what was there already.
"""

from __future__ import annotations

import base64
import hashlib
import struct
import uuid
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import brotli

from bench.web.pages import Page, Site, sites

BEGUN = datetime(2024, 3, 5, 4, 0)
SECONDS_A_FETCH = 7
AGENT = "winnow-demo/1.0 (+https://crawler.example/about)"
PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
CHUNK = 1777  # bytes: chunks end within words and characters, as they do on the wire
# The site whose archive refers to a page that was stored in an earlier crawl.
MISSING_ORIGINAL = "forum"
SIDE = 48  # pixels

Headers = list[tuple[str, str]]


@dataclass(frozen=True)
class _Response:
    """An answer of a server, as it goes over the wire."""

    url: str
    status: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    @property
    def head(self) -> bytes:
        """The status line and headers, with the blank line."""
        return f"HTTP/1.1 {self.status}\r\n".encode() + _lines(self.headers)


def write_warc(folder: Path) -> tuple[Path, ...]:
    """Write `NAME.warc.gz` for every site into a folder, which is made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for site, found in sites().items():
        path = folder / f"{site.name}.warc.gz"
        path.write_bytes(b"".join(_crawl(site, found, path.name)))
        written.append(path)
    return tuple(written)


def _crawl(site: Site, found: tuple[Page, ...], filename: str) -> Iterator[bytes]:
    """The members of a site's archive, in the order in which a crawler would have written them."""
    tape = _Tape(site)
    yield tape.info(filename)
    answers = [_page(page, place) for place, page in enumerate(found)]
    twin = _page(found[1], 1)
    separator = "&" if "?" in twin.url else "?"
    again = _Response(f"{twin.url}{separator}utm_source=newsletter", twin.status, twin.headers, twin.body)
    dates = {}
    for answer in (_robots(site), *answers, again, *_other(site, found)):
        dates[answer.url] = tape.date
        yield from tape.fetch(answer)
    original = answers[2]
    yield from tape.revisit(original, original.url, dates[original.url])
    if site.name == MISSING_ORIGINAL:
        gone = _plain(f"https://{site.host}/viewtopic.php?t=3981", "200 OK", "text/html; charset=utf-8", b"<p>?</p>")
        yield from tape.revisit(gone, gone.url, _date(BEGUN - timedelta(days=90)))


class _Tape:
    """Makes the records of one archive, each a few seconds later than the one before."""

    def __init__(self, site: Site) -> None:
        self._site, self._count = site, 0
        self._info = self._id()
        self._address = f"192.0.2.{10 + zlib.crc32(site.host.encode()) % 200}"

    @property
    def date(self) -> str:
        """The date of the next fetch."""
        return _date(BEGUN + timedelta(seconds=SECONDS_A_FETCH * self._count))

    def _id(self) -> str:
        self._count += 1
        return f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'https://{self._site.host}/#{self._count}')}>"

    def info(self, filename: str) -> bytes:
        """What the archive says of itself."""
        block = _lines([("software", AGENT), ("format", "WARC File Format 1.1"), ("robots", "obey")], end=b"")
        about = [("WARC-Record-ID", self._info), ("WARC-Date", self.date), ("WARC-Filename", filename)]
        return _member("warcinfo", about, "application/warc-fields", block)

    def fetch(self, answer: _Response) -> Iterator[bytes]:
        """A request and its response."""
        yield from self._exchange("response", answer, answer.body, [])

    def revisit(self, original: _Response, url: str, date: str) -> Iterator[bytes]:
        """A request whose response had the same payload as one before."""
        refers = [("WARC-Profile", PROFILE), ("WARC-Refers-To-Target-URI", url), ("WARC-Refers-To-Date", date)]
        yield from self._exchange("revisit", original, b"", refers)

    def _exchange(self, kind: str, answer: _Response, body: bytes, more: Headers) -> Iterator[bytes]:
        date, asked, answered = self.date, self._id(), self._id()
        host, _, path = answer.url.removeprefix("https://").partition("/")
        wanted = [("Host", host), ("User-Agent", AGENT), ("Accept", "text/html,*/*;q=0.5")]
        common = [
            ("WARC-Date", date), ("WARC-Target-URI", answer.url), ("WARC-IP-Address", self._address),
            ("WARC-Warcinfo-ID", self._info),
        ]  # fmt: skip
        request = f"GET /{path} HTTP/1.1\r\n".encode() + _lines(wanted)
        about = [("WARC-Record-ID", asked), *common, ("WARC-Concurrent-To", answered)]
        yield _member("request", about, "application/http; msgtype=request", request)
        # Of the body as it is stored, codings and all: so do warcio and the crawlers that build on it.
        digest = ("WARC-Payload-Digest", _digest(answer.body))
        about = [("WARC-Record-ID", answered), *common, *more, digest]
        yield _member(kind, about, "application/http; msgtype=response", answer.head + body)


def _member(kind: str, about: Headers, content_type: str, block: bytes) -> bytes:
    """A record, compressed by itself; zlib writes no time into the member's header."""
    fields = [("WARC-Type", kind), *about, ("WARC-Block-Digest", _digest(block))]
    fields += [("Content-Type", content_type), ("Content-Length", str(len(block)))]
    return _gzip(b"WARC/1.1\r\n" + _lines(fields) + block + b"\r\n\r\n")


def _lines(fields: Headers | tuple[tuple[str, str], ...], end: bytes = b"\r\n") -> bytes:
    return "".join(f"{name}: {value}\r\n" for name, value in fields).encode() + end


def _digest(data: bytes) -> str:
    return "sha1:" + base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()


def _date(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _gzip(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def _page(page: Page, place: int) -> _Response:
    headers, body = coded(page.html, page.content_type, place)
    return _Response(page.url, "200 OK", headers, body)


def coded(html: bytes, content_type: str, place: int, *, br: bool = True) -> tuple[tuple[tuple[str, str], ...], bytes]:
    """A page as servers send it, headers and body: as it is, compressed, in chunks, or both, by its place."""
    headers = [("Server", "nginx"), ("Content-Type", content_type)]
    body = html
    if place % 4 in (1, 3):
        headers.append(("Content-Encoding", "gzip"))
        body = _gzip(body)
    elif place % 4 == 2 and br:
        headers.append(("Content-Encoding", "br"))
        body = brotli.compress(body, quality=5)
    if place % 3 == 0:
        headers.append(("Transfer-Encoding", "chunked"))
        body = _chunked(body)
    else:
        headers.append(("Content-Length", str(len(body))))
    return tuple(headers), body


def _chunked(body: bytes) -> bytes:
    chunks = [body[start : start + CHUNK] for start in range(0, len(body), CHUNK)]
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"


def _plain(url: str, status: str, content_type: str, body: bytes, *more: tuple[str, str]) -> _Response:
    length = ("Content-Length", str(len(body)))
    return _Response(url, status, (("Server", "nginx"), ("Content-Type", content_type), length, *more), body)


def _robots(site: Site) -> _Response:
    rules = f"User-agent: *\nDisallow: /search\nSitemap: https://{site.host}/sitemap.xml\n"
    return _plain(f"https://{site.host}/robots.txt", "200 OK", "text/plain", rules.encode())


def _other(site: Site, found: tuple[Page, ...]) -> Iterator[_Response]:
    """What a crawler meets beside pages: an error, a redirection, an image, data."""
    root = f"https://{site.host}"
    missing = b"<!DOCTYPE html><html><head><title>404</title></head><body><h1>404 Not Found</h1></body></html>"
    yield _plain(f"{root}/old/index.html", "404 Not Found", "text/html", missing)
    moved = b"<html><body><h1>301 Moved Permanently</h1></body></html>"
    yield _plain(f"{root}/latest", "301 Moved Permanently", "text/html", moved, ("Location", found[0].url))
    yield _plain(f"{root}/img/logo.png", "200 OK", "image/png", png(zlib.crc32(site.host.encode())))
    data = f'{{"site": "{site.host}", "pages": {len(found)}, "items": []}}'
    yield _plain(f"{root}/api/status.json", "200 OK", "application/json", data.encode())


def png(seed: int) -> bytes:
    """A small image, of a pattern that differs from site to site."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = range(SIDE)
    pixels = b"".join(b"\0" + bytes((x * y * (1 + seed % 7) + seed) % 256 for x in row) for y in row)
    header = struct.pack(">IIBBBBB", SIDE, SIDE, 8, 0, 0, 0, 0)
    packed = zlib.compress(pixels, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")
