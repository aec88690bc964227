"""What a page says about itself: title, author, date, description, site, language and canonical address.

`clues` collects, on the way of every page, the few elements that can hold metadata; `read` makes sense of them later,
for those who ask. Both look at a bounded part of a page, and nothing that a page holds makes them raise.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from operator import itemgetter
from typing import Any, NamedTuple, cast

from lxml import etree

from transforms import metadata_values as values

# How many elements of each kind are kept, and how long their text may be.
LIMITS = {"html": 1, "title": 20, "meta": 400, "link": 400, "script": 50, "time": 50, "h1": 50}
MAX_TEXT = 1_000
JSON_LD = b"application/ld+json"  # long, so that looking for it is fast
MAX_TAG = 1_000  # bytes of a script's start tag
MAX_JSON = 1_000_000  # of one block, and of all blocks of a page together
MAX_TYPES = 10  # of one node of JSON-LD
MAX_NODES = 2_000  # of JSON-LD, over all blocks
MAX_CANDIDATES = 100  # for one field
PUBLICATION_MARKS = frozenset({"datepublished", "published", "entry-date", "dt-published"})
UPDATE_MARKS = ("updated", "modified")
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"

# What counts, first to last. A name is one of a <meta>'s property, name or itemprop, in lower case.
TITLE = (
    "og:title", "headline", "twitter:title", "citation_title", "parsely-title", "sailthru.title", "dc.title",
    "dcterms.title",
)  # fmt: skip
AUTHOR = (
    "author", "article:author", "citation_author", "parsely-author", "sailthru.author", "dc.creator", "dcterms.creator",
    "dc.contributor.author", "og:author", "article:author_name", "byl", "twitter:creator",
)  # fmt: skip
PUBLISHED = (
    "article:published_time", "og:article:published_time", "datepublished", "citation_publication_date",
    "citation_online_date", "citation_date", "parsely-pub-date", "sailthru.date", "dcterms.issued", "dc.date.issued",
    "dcterms.date", "dc.date", "dcterms.created", "dc.date.created", "pubdate", "publishdate", "publish-date",
    "publish_date", "published_time", "publication_date", "date", "datecreated", "og:published_time",
)  # fmt: skip
DESCRIPTION = (
    "og:description", "description", "twitter:description", "dc.description", "dcterms.description",
    "sailthru.description", "citation_abstract",
)  # fmt: skip
SITE = ("og:site_name", "citation_journal_title", "application-name", "apple-mobile-web-app-title", "dc.publisher")
LANGUAGE = ("og:locale", "content-language", "language", "dc.language", "dcterms.language", "inlanguage")

# Types of JSON-LD that describe the page, besides articles, posts and pages. Breadcrumbs, persons or images do not.
WORKS = (
    "product", "productgroup", "event", "recipe", "review", "howto", "course", "book", "movie", "question", "report",
    "jobposting", "podcastepisode", "softwareapplication", "webapplication", "mobileapplication", "dataset",
    "creativework",
)  # fmt: skip
NESTED_NODES = ("@graph", "mainEntity", "mainEntityOfPage")
_WRAPPER = re.compile(r"(?:\s|\ufeff|<!--|//|/\*|\*/|<!\[CDATA\[)*")
# A string may end with the text: a pattern that insisted on the closing quote would try again from every later quote.
_STRING_OR_COMMA = re.compile(r'("[^"\\]*(?:\\.[^"\\]*)*"?)|,(?=\s*[}\]])', re.DOTALL)


class Clue(NamedTuple):
    """One element of a page that may hold metadata, as the parser saw it before scripts were stripped."""

    tag: str
    attributes: dict[str, str]
    text: str


@dataclass(frozen=True)
class Metadata:
    """What a page says about itself; None where it says nothing that makes sense."""

    title: str | None = None
    author: str | None = None
    published: str | None = None
    description: str | None = None
    site_name: str | None = None
    language: str | None = None
    canonical: str | None = None

    def as_dict(self) -> dict[str, str | None]:
        """The fields by name, in the order above."""
        return asdict(self)


class Head(NamedTuple):
    """What is kept of a page for its metadata: unread, since most of it is never asked for."""

    attributes: tuple[tuple[str, str], ...] = ()  # of <html>
    markup: bytes = b""  # <head>, without scripts
    json_ld: tuple[str, ...] = ()


def scripts(utf8: bytes) -> tuple[str, ...]:
    """The blocks of JSON-LD of a page, found in its bytes: a walk over the tree for all scripts costs much more."""
    found: list[str] = []
    place = utf8.find(JSON_LD)
    while place >= 0 and len(found) < LIMITS["script"]:
        start = utf8.rfind(b"<", max(place - MAX_TAG, 0), place)
        text = utf8.find(b">", place, place + MAX_TAG) + 1
        end = place + 1
        if text and start >= 0 and utf8[start : start + 7].lower() == b"<script":
            end = utf8.find(b"</", text)
            while end >= 0 and utf8[end + 2 : end + 8].lower() != b"script":
                end = utf8.find(b"</", end + 2)
            if end < 0:
                break
            found.append(utf8[text:end].decode("utf-8", "replace"))
        place = utf8.find(JSON_LD, end)
    return tuple(found)


def head_of(root: etree._Element, json_ld: tuple[str, ...]) -> Head:
    """Keep the head of a tree whose scripts have been stripped."""
    head = next((child for child in root if child.tag == "head"), None)
    markup = b"" if head is None else etree.tostring(head, encoding="utf-8", with_tail=False)
    return Head(tuple(cast("list[tuple[str, str]]", root.items())), markup, json_ld)


def clues(head: Head, elements: Iterable[bytes] = ()) -> list[Clue]:
    """The elements that may hold metadata, at most LIMITS of each kind: of the head, then of these from the body."""
    document = b"<html>%b<body>%b</body></html>" % (head.markup, b"".join(elements))
    root = etree.fromstring(document, etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False))
    found = [Clue("html", dict(head.attributes), "")]
    found += [Clue("script", {}, text) for text in head.json_ld if len(text) <= MAX_JSON]  # a part would be no JSON
    left = dict(LIMITS)
    for element in root.iter("title", "meta", "link", "time", "h1"):
        tag = str(element.tag)
        # Most links are style sheets: they are passed over before anything is made of them.
        if not left[tag] or (tag == "link" and "canonical" not in (element.get("rel") or "").lower()):
            continue
        left[tag] -= 1
        text = _inner_text(element) if tag in ("title", "time", "h1") else ""
        found.append(Clue(tag, cast("dict[str, str]", dict(element.items())), text))
    return found


def _inner_text(element: etree._Element) -> str:
    parts: list[str] = []
    size = 0
    for part in element.itertext():
        parts.append(str(part))
        size += len(part)
        if size >= MAX_TEXT:
            break
    return "".join(parts)[:MAX_TEXT]


@dataclass(frozen=True)
class _Page:
    """The clues of a page, sorted for looking them up."""

    by_tag: dict[str, list[Clue]]
    metas: dict[str, list[str]]
    nodes: list[dict[str, Any]]  # of JSON-LD, those that describe the page, the surest first
    sites: list[dict[str, Any]]  # of JSON-LD, those that describe the site
    names: dict[str, Any]  # of JSON-LD, the names of all nodes by "@id"
    source: bytes
    url: str | None

    def meta(self, names: Sequence[str]) -> Iterator[str]:
        return chain.from_iterable(self.metas.get(name, ()) for name in names)

    def ld(self, *keys: str) -> Iterator[Any]:
        return (node[key] for node in self.nodes for key in keys if key in node)


def read(clues: Sequence[Clue], source: bytes, url: str | None = None) -> Metadata:
    """Make metadata of a page's clues, the canonical source of its body and the address that it came from, if known."""
    page = _sort(clues, source, url)
    sites = [site for raw in islice(_sites(page), MAX_CANDIDATES) if (site := values.text(raw))]
    return Metadata(
        title=_title(page, sites),
        author=_author(page, sites),
        published=_published(page),
        description=_first(values.text, page.ld("description"), page.meta(DESCRIPTION)),
        site_name=sites[0] if sites else None,
        language=_language(page),
        canonical=_canonical(page),
    )


def _sort(clues: Sequence[Clue], source: bytes, url: str | None) -> _Page:
    by_tag: dict[str, list[Clue]] = {}
    metas: dict[str, list[str]] = {}
    for clue in clues:
        known = by_tag.setdefault(clue.tag, [])
        if len(known) >= LIMITS.get(clue.tag, 0):  # not every parser's clues come from clues()
            continue
        known.append(clue)
        content = clue.attributes.get("content")
        if clue.tag == "meta" and content:
            for key in ("property", "name", "itemprop", "http-equiv"):
                if name := clue.attributes.get(key):
                    metas.setdefault(name.strip().lower(), []).append(content)
    nodes = list(_nodes(by_tag.get("script", ())))
    ranked = [(rank, node) for node in nodes if (rank := _rank(node)) is not None]
    return _Page(
        by_tag=by_tag,
        metas=metas,
        nodes=[node for _, node in sorted(ranked, key=itemgetter(0))],
        sites=[node for node in nodes if "website" in _types(node)],
        names={node["@id"]: node["name"] for node in nodes if isinstance(node.get("@id"), str) and "name" in node},
        source=source,
        url=url,
    )


def _nodes(scripts: Sequence[Clue]) -> Iterator[dict[str, Any]]:
    """The objects of JSON-LD that stand at the top of a block, in a graph, or as what a page is about."""
    left, budget = MAX_NODES, MAX_JSON
    for script in scripts:
        budget -= len(script.text)
        stack = [_parse(script.text)] if budget >= 0 else []
        while stack and left:
            item = stack.pop()
            if isinstance(item, list):
                stack.extend(reversed(item))
            elif isinstance(item, dict):
                left -= 1
                yield item
                stack.extend(item[key] for key in NESTED_NODES if key in item)


def _parse(block: str) -> Any:
    """The JSON of a block, as it is or mended (wrappers, trailing commas, raw line breaks); None if beyond that."""
    try:
        return json.loads(block)
    except (ValueError, RecursionError):
        pass
    mended = _STRING_OR_COMMA.sub(r"\1", block)
    start = _WRAPPER.match(mended)
    try:
        return json.JSONDecoder(strict=False).raw_decode(mended, start.end() if start else 0)[0]
    except (ValueError, RecursionError):
        return None


def _types(node: dict[str, Any]) -> list[str]:
    """The types of a node in lower case, without the address of the vocabulary."""
    types = node.get("@type")
    names = types[:MAX_TYPES] if isinstance(types, list) else [types]
    return [re.split("[/:#]", name[-100:].lower())[-1] for name in names if isinstance(name, str)]


def _rank(node: dict[str, Any]) -> int | None:
    """How surely a node describes the page, 0 for best; None if it describes something else."""
    for kind in _types(node):
        if kind.endswith(("article", "blogposting", "forumposting", "mediaposting")):
            return 0
        if kind in WORKS:
            return 1
        if kind.endswith("page"):
            return 2
    return None


def _names(value: Any, page: _Page) -> Iterator[Any]:
    """The names of one or several persons or organisations, also of those that stand elsewhere in the graph."""
    for item in value[: values.MAX_AUTHORS] if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            if "name" in item:
                yield item["name"]
            elif isinstance(reference := item.get("@id"), str):
                yield page.names.get(reference)
        else:
            yield item


def _first(convert: Callable[[Any], str | None], *sources: Iterable[Any]) -> str | None:
    """The first candidate that converts to a value."""
    return next(filter(None, map(convert, islice(chain(*sources), MAX_CANDIDATES))), None)


def _first_but(names: set[str], convert: Callable[[Any], str | None], *sources: Iterable[Any]) -> str | None:
    """The first candidate that converts to a value other than these (folded) names, or else the first of these."""
    spare = None
    for value in filter(None, map(convert, islice(chain(*sources), MAX_CANDIDATES))):
        if values.fold(value) not in names:
            return value
        spare = spare or value
    return spare


def _sites(page: _Page) -> Iterator[Any]:
    """Candidates for the name of the site: OpenGraph, the JSON-LD of the site and of the publisher, other metas."""
    yield from page.meta(SITE[:1])
    yield from (node.get("name") for node in page.sites)
    for publisher in page.ld("publisher"):
        yield from _names(publisher, page)
    yield from page.meta(SITE[1:])


def _title(page: _Page, sites: Sequence[str]) -> str | None:
    """The headline of JSON-LD, OpenGraph and its like, the name in JSON-LD, <title>, <h1>; each without the site.

    A candidate that is the name of the site alone counts only when there is no other.
    """
    headings = [heading for clue in page.by_tag.get("h1", ()) if (heading := values.text(clue.text))]
    names = {values.fold(name) for name in (*sites, *values.host_names(page.url))} - {""}
    titles = (clue.text for clue in page.by_tag.get("title", ()))
    sources = page.ld("headline"), page.meta(TITLE), page.ld("name"), titles, headings
    return _first_but(names, lambda raw: values.without_site(raw, names, headings[0] if headings else None), *sources)


def _author(page: _Page, sites: Sequence[str]) -> str | None:
    """The author in JSON-LD, in <meta> (all of the same name), in elements marked as such, in the lines below <h1>.

    The name of the site counts only when nobody else is named.
    """
    metas = (
        map(values.surname_last, page.metas.get(name, ())) if name == "citation_author" else page.metas.get(name, ())
        for name in AUTHOR
    )
    return _first_but(
        {values.fold(site) for site in sites},
        values.authors,
        (list(_names(author, page)) for author in page.ld("author", "creator")),
        metas,
        values.authors_in_markup(page.source),
    )


def _published(page: _Page) -> str | None:
    """The date in JSON-LD, in <meta>, in elements marked as that of publication, below <h1>, in any <time>."""
    times = [clue.attributes | {"": clue.text} for clue in page.by_tag.get("time", ())]
    marked = (time for time in times if "pubdate" in time or _is_publication(time))
    return _first(
        values.date,
        page.ld("datePublished"),
        page.meta(PUBLISHED),
        (time.get("datetime") or time[""] for time in marked),
        values.dates_in_markup(page.source),
        page.ld("uploadDate", "dateCreated"),
        (time.get("datetime") or time[""] for time in times if not _is_update(time)),
    )


def _marks(attributes: dict[str, str]) -> str:
    return f"{attributes.get('itemprop', '')} {attributes.get('class', '')}".lower()


def _is_publication(attributes: dict[str, str]) -> bool:
    return not PUBLICATION_MARKS.isdisjoint(_marks(attributes).split())


def _is_update(attributes: dict[str, str]) -> bool:
    return any(mark in _marks(attributes) for mark in UPDATE_MARKS)


def _language(page: _Page) -> str | None:
    """The language of <html>, which browsers act on, then of JSON-LD, then of OpenGraph and its like."""
    html = [clue.attributes for clue in page.by_tag.get("html", ())]
    listed = (item for value in page.ld("inLanguage") for item in (value if isinstance(value, list) else [value]))
    return _first(
        values.language,
        (attributes.get(name) for name in ("lang", "xml:lang", XML_LANG) for attributes in html),
        (item.get("alternateName") if isinstance(item, dict) else item for item in listed),
        page.meta(LANGUAGE),
    )


def _canonical(page: _Page) -> str | None:
    """The address of <link rel=canonical>, which exists for that, then of OpenGraph, then of JSON-LD."""
    links = (clue.attributes for clue in page.by_tag.get("link", ()))
    return _first(
        lambda raw: values.web_address(raw, page.url),
        (link.get("href") for link in links if "canonical" in link.get("rel", "").lower().split()),
        page.meta(("og:url",)),
        page.ld("url"),
    )
