"""The HTML element names that extraction distinguishes, as numbers and as lookup tables.

A tag's name is read from the canonical source as an 8-byte code (names longer than that by their first eight
bytes, which are unique among the names here) and turned into a small id, so that "is this tag block-level?" is one
numpy lookup for all tags of a page at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Elements whose content a reader never sees as text of the page: they leave the tree before anything is measured.
# Not <noscript>: a crawl runs no scripts, so that is what a reader of these bytes sees; forums put whole threads there.
# Not <embed>, which has no content: libxml2 does not know that and would take the rest of the page for it.
INVISIBLE = (
    "script", "style", "template", "svg", "annotation", "annotation-xml", "iframe", "object", "applet",
    "canvas", "audio", "video", "datalist", "noembed",
)  # fmt: skip

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

# "Basic texts" of seeds/002: the elements that create texts.
BASIC_TEXT = ("p", *HEADINGS)

# List elements of seeds/002.
LISTS = ("ul", "ol", "dl", "li", "dt", "dd", "menu", "dir")

# Block-level elements: displayed on lines of their own (HTML's rendering section, display: block, list-item, table-*).
BLOCKS = (
    *BASIC_TEXT, *LISTS,
    "html", "body", "address", "article", "aside", "blockquote", "caption", "center", "col", "colgroup", "details",
    "dialog", "div", "fieldset", "figcaption", "figure", "footer", "form", "frame", "frameset", "header", "hgroup",
    "hr", "legend", "listing", "main", "nav", "noframes", "optgroup", "option", "plaintext", "pre", "search",
    "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "xmp",
)  # fmt: skip

# Known inline elements; unknown ones (custom elements) are inline too, as in CSS.
INLINE = (
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "button", "cite", "code", "data", "del", "dfn", "em",
    "font", "i", "img", "input", "ins", "kbd", "label", "link", "mark", "meta", "meter", "nobr", "output", "picture",
    "progress", "q", "rp", "rt", "ruby", "s", "samp", "select", "small", "source", "span", "strike", "strong", "sub",
    "sup", "textarea", "time", "tt", "u", "var", "wbr",
)  # fmt: skip

# Elements without content in HTML: an HTML5 serialiser writes no end tag for them.
VOID = frozenset((
    "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input", "keygen", "link",
    "meta", "param", "source", "track", "wbr",
))  # fmt: skip

NAMES: tuple[str, ...] = ("", *sorted({*BLOCKS, *INLINE}))  # id 0: any other name
ID: dict[str, int] = {name: number for number, name in enumerate(NAMES)}


def code(name: str) -> int:
    """The number that the first eight bytes of a name make, read little-endian."""
    return int.from_bytes(name.encode()[:8], "little")


CODES: NDArray[np.uint64] = np.array([code(name) for name in NAMES], dtype=np.uint64)
_SLOT_BITS = 16


def slot(codes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Where a name of this code stands in ID_OF_SLOT: a hash under which no two names share a slot."""
    return (codes * MULTIPLIER) >> np.uint64(64 - _SLOT_BITS)


MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio; then the next odd number that serves
while len(np.unique(slot(CODES))) < len(CODES):
    MULTIPLIER += np.uint64(2)
ID_OF_SLOT: NDArray[np.uint8] = np.zeros(1 << _SLOT_BITS, dtype=np.uint8)
ID_OF_SLOT[slot(CODES)] = np.arange(len(CODES))


def members(*names: str) -> NDArray[np.bool_]:
    """A lookup table by id: true for these names."""
    table = np.zeros(len(NAMES), dtype=bool)
    table[[ID[name] for name in names]] = True
    return table


IS_BLOCK = members(*BLOCKS)
IS_LIST = members(*LISTS)
IS_BASIC_TEXT = members(*BASIC_TEXT)
IS_HEADING = members("h1", "h2", "h3", "h4", "h5", "h6")
IS_CONTROL = members("select")
IS_BUTTON = members("button")
IS_STRUCTURAL = members(*BLOCKS, "br")  # seeds/000: tags that modify the structure of the page
IS_BREAK = members(*(set(BLOCKS) - {"td", "th"}), "br")  # rendered as the end of a line
IS_CELL = members("td", "th")  # rendered as a space
IS_PREFORMATTED = members("pre", "listing", "plaintext", "xmp", "textarea")
IS_LINK = members("a")
IS_METADATA = members("h1", "time", "meta", "link")  # elements of the body that may say something about the page
