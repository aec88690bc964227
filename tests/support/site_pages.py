"""Pages of sites, made for the tests: random ones for hypothesis, and ones that share a template."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from lxml import etree

from transforms.page import Page
from transforms.sites import Sketch, sketch
from transforms.sites.outline import Outline

# Few words, names and classes, so that many blocks are the same.
WORDS = st.sampled_from(["one", "two", "thr ee", " four ", "f&amp;ve", "s\u00efx", "\n", "", "\u00a0"])
CLASSES = st.sampled_from(["", "", ' class="a"', ' class="b a"', ' class="a b"', ' class="a1"', ' id="n7"'])
NAMES = st.sampled_from(["div", "div", "p", "ul", "li", "b", "a", "span", "h2", "section"])


def _element(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda name, classes, children: f"<{name}{classes}>{''.join(children)}</{name}>",
        NAMES,
        CLASSES,
        st.lists(inside, max_size=4),
    )


# HTML of all sorts: what it becomes is the parser's to say.
bodies: st.SearchStrategy[str] = st.lists(st.recursive(WORDS, _element, max_leaves=12), max_size=5).map("".join)


def parsed(html: str, url: str = "http://a.example/") -> Page:
    return Page.parse(html.encode(), url=url)


def sketches(pages: Sequence[str], host: str = "a.example") -> list[Sketch]:
    """Sketches of these pages, each at an address of its own."""
    return [sketch(parsed(html, f"http://{host}/{n}")) for n, html in enumerate(pages)]


SUBJECTS = ("harbour", "railway", "orchard", "theatre", "glacier", "printer", "lantern", "quarry", "viaduct", "meadow")


def prose(number: int, paragraphs: int = 3) -> str:
    """Paragraphs that no other number has."""
    subject = SUBJECTS[number % len(SUBJECTS)]
    return "".join(
        f"<p>Account {number} of the {subject}, part {part}: what was seen there on visit {number * 7 + part} has been "
        f"told by witness {number}-{part} alone, and nobody else.</p>"
        for part in range(paragraphs)
    )


MENU = "<ul class=menu><li><a href=/>home</a></li><li><a href=/n>news</a></li><li><a href=/s>sport</a></li></ul>"
IMPRINT = "<div class=imprint>All rights reserved by the Society of Friends of the Harbour, Dock Street.</div>"


def article(number: int, *, before: str = "", after: str = "", body: str | None = None) -> str:
    """A page with a menu, a headline, prose of its own and an imprint."""
    said = prose(number) if body is None else body
    return (
        f"<html><head><title>Account {number}</title></head><body>{MENU}{before}"
        f"<div class=article><h1>Headline {number} of its own</h1>{said}</div>{after}{IMPRINT}</body></html>"
    )


def squeezed(text: str) -> str:
    return "".join(text.split())


def all_text(page: Page) -> str:
    """All characters of a page that can be seen, in order."""
    return squeezed("".join(tree_of(page.source).itertext()))


def tree_of(source: bytes) -> etree._Element:
    return etree.fromstring(source, etree.XMLParser(huge_tree=True))


def block_texts(outlined: Outline) -> list[str]:
    """What each block says, without white space, by its own source."""
    pairs = zip(outlined.blocks.start.tolist(), outlined.blocks.end.tolist(), strict=True)
    return [
        squeezed("".join(tree_of(b"<row>" + outlined.page.source[start:end] + b"</row>").itertext()))
        for start, end in pairs
    ]
