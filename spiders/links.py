"""Where an HTML page leads, and what it asks of crawlers."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

from lxml import etree

from spiders.directives import TOKEN, Directives, of_content
from spiders.urls import link as resolve
from spiders.visits import LINK, LISTED, Link

# More are made by programs; a page of people has a few hundred.
MAX_LINKS = 5_000
FEED_TYPES = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})
FEED_CONTEXT = "link/@rel=alternate"

_CHARSET = re.compile(r"(?i)charset\s*=\s*[\"']?([a-z0-9_.:-]{2,40})")
_REFRESH = re.compile(r"(?i)^\s*[\d.]{0,12}\s*[;,]\s*(?:url\s*=)?\s*[\"']?([^\"'\s]{1,2083})")
_HTML = re.compile(rb"(?i)<(?:!doctype\s+html|html|head|body|title|a\s|p[\s>]|div|h1|meta)")


class PageLinks(NamedTuple):
    """What a page says about where to go on."""

    links: tuple[Link, ...] = ()
    feeds: tuple[Link, ...] = ()
    directives: Directives = Directives()


def is_html(content_type: str | None, body: bytes) -> bool:
    """Whether a body is to be read as HTML: its server says so, or says nothing and it looks like it."""
    kind = (content_type or "").partition(";")[0].strip().lower()
    return kind in ("text/html", "application/xhtml+xml") or (not kind and bool(_HTML.search(body[:1024])))


def read(body: bytes, url: str, content_type: str | None) -> PageLinks:
    """Links to other URLs, each once, in their order. Never raises; what cannot be read has none."""
    root = _parsed(body, content_type)
    if root is None:
        return PageLinks()
    base, directives = url, Directives()
    found: dict[str, Link] = {}
    feeds: dict[str, Link] = {}
    for element in root.iter("base", "meta", "a", "area", "frame", "iframe", "link"):
        get = element.get
        if element.tag == "base":
            base = _base(get("href"), url) if base == url else base
        elif element.tag == "meta":
            if (get("name") or "").strip().lower() in ("robots", TOKEN):
                directives |= of_content(get("content") or "")
            elif (get("http-equiv") or "").strip().lower() == "refresh" and (
                to := _REFRESH.match(get("content") or "")
            ):
                _add(found, to[1], base, LINK, "meta/@http-equiv")
        elif element.tag == "link" and (get("type") or "").strip().lower() in FEED_TYPES:
            _add(feeds, get("href"), base, LISTED, FEED_CONTEXT)
        else:
            for written, context in _targets(element):
                _add(found, written, base, LINK, context)
        if len(found) >= MAX_LINKS:
            break
    found.pop(url, None)
    return PageLinks(tuple(found.values()), tuple(feeds.values()), directives)


def _targets(element: etree._Element) -> Iterator[tuple[str | None, str]]:
    rel = (element.get("rel") or "").lower().split()
    if element.tag in ("frame", "iframe"):
        yield element.get("src"), f"{element.tag}/@src"
    elif element.tag == "link":
        if "next" in rel or "prev" in rel:
            yield element.get("href"), "link/@href"
    elif "nofollow" not in rel:
        yield element.get("href"), f"{element.tag}/@href"


def _add(found: dict[str, Link], written: str | None, base: str, hop: str, context: str) -> None:
    if not written or written.startswith("#"):
        return
    url = resolve(written, base)
    if url is not None and url.text not in found:
        found[url.text] = Link(url.text, hop, context)


def _base(href: str | None, url: str) -> str:
    resolved = resolve(href, url) if href else None
    return resolved.text if resolved else url


def _parsed(body: bytes, content_type: str | None) -> etree._Element | None:
    parser = etree.HTMLParser(
        encoding=_charset(content_type), remove_comments=True, remove_pis=True, huge_tree=True, collect_ids=False,
        no_network=True,
    )  # fmt: skip
    try:
        return etree.fromstring(body, parser) if body.strip() else None
    except (etree.XMLSyntaxError, ValueError, LookupError):
        return None


def _charset(content_type: str | None) -> str | None:
    found = _CHARSET.search(content_type or "")
    if not found:
        return None
    try:
        return codecs.lookup(found[1]).name
    except LookupError:
        return None
