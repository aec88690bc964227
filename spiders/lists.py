"""Lists of URLs: sitemaps, their indexes, RSS and Atom. Read as XML without entities, DTDs and network."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import datetime

from lxml import etree

from pipeline import codings
from spiders.exceptions import CrawlError
from spiders.options import when
from spiders.urls import link as resolve
from spiders.visits import LISTED, Link

# As sitemaps.org has it, for one file.
MAX_BYTES, MAX_URLS = 50 << 20, 50_000
SITEMAP_CONTEXT = "sitemap/loc"
GZIP = b"\x1f\x8b"


class Unreadable(ValueError):  # noqa: N818  reads as what it is
    """A list that is not read; the message says why."""


def sitemap(body: bytes, url: str, since: datetime | None = None) -> tuple[Link, ...]:
    """The pages of a sitemap, or the sitemaps of an index; XML, gzipped XML, or a URL a line.

    With `since`, without those that say that they were last changed before it. Raises Unreadable.
    """
    body = _unpacked(body)
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        lines = (line.strip() for line in body.decode("utf-8-sig", "replace").splitlines())
        return _links(((line, "url/loc") for line in lines if line), url)
    return _links(_entries(body, since), url)


def feed(body: bytes, url: str) -> tuple[Link, ...]:
    """The pages that a feed links to: RSS 0.9 to 2.0, and Atom. Raises Unreadable."""
    return _links(_items(_unpacked(body)), url)


def _entries(body: bytes, since: datetime | None) -> Iterator[tuple[str, str]]:
    location, changed = "", ""
    for element in _elements(body):
        name = _name(element)
        if name == "loc" and _name(element.getparent()) in ("url", "sitemap"):
            location = element.text or ""
        elif name == "lastmod":
            changed = element.text or ""
        elif name in ("url", "sitemap"):
            if location.strip() and not _before(changed, since):
                yield location, "url/loc" if name == "url" else SITEMAP_CONTEXT
            location, changed = "", ""
            element.clear()


def _before(changed: str, since: datetime | None) -> bool:
    """Whether a date lies before another; one that is missing or cannot be read does not."""
    if since is None or not changed.strip():
        return False
    try:
        return when(changed) < since
    except CrawlError:
        return False


def _items(body: bytes) -> Iterator[tuple[str, str]]:
    for element in _elements(body):
        if _name(element) == "item":
            yield from ((child.text or "", "item/link") for child in element if _name(child) == "link")
            element.clear()
        elif _name(element) == "entry":
            for child in element:
                if _name(child) == "link" and child.get("rel", "alternate") == "alternate":
                    yield child.get("href") or "", "entry/link"
            element.clear()


def _links(found: Iterator[tuple[str, str]], base: str) -> tuple[Link, ...]:
    links: dict[str, Link] = {}
    for written, context in found:
        url = resolve(written, base)
        if url is not None:
            links.setdefault(url.text, Link(url.text, LISTED, context))
        if len(links) >= MAX_URLS:
            break
    return tuple(links.values())


def _elements(body: bytes) -> Iterator[etree._Element]:
    """Every element when it ends; raises Unreadable for what is not XML, or has a document type."""
    context = etree.iterparse(
        io.BytesIO(body), events=("start", "end"), resolve_entities=False, load_dtd=False, no_network=True,
        huge_tree=False, remove_comments=True, remove_pis=True, recover=True,
    )  # fmt: skip
    looked = False
    try:
        for event, element in context:
            if not looked:
                looked = True
                if element.getroottree().docinfo.internalDTD is not None:
                    raise Unreadable("it declares a document type")
            if event == "end" and isinstance(element.tag, str):
                yield element
    except etree.XMLSyntaxError as error:
        raise Unreadable(f"not XML: {error}") from None
    if not looked:
        raise Unreadable("not XML")


def _name(element: etree._Element | None) -> str:
    return "" if element is None or not isinstance(element.tag, str) else element.tag.rpartition("}")[2].lower()


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(GZIP):
        return body
    plain, problem = codings.decode("gzip", body, MAX_BYTES)
    if problem:
        raise Unreadable(f"gzip: {problem}")
    return plain
