"""From UTF-8 HTML to the canonical source: one function behind one seam, whichever parser reads the page.

The canonical source is the body of the page, without what a reader never sees (scripts, styles, comments, ...), written
as well-formed UTF-8 markup in which `<` and `>` occur only as the ends of tags: text and attribute values have them
escaped, and `&` begins one of a handful of entities. So numpy can read structure straight from the bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from lxml import etree

from transforms import html5
from transforms.arrays import Ints, markup
from transforms.exceptions import UnknownParser
from transforms.flatten import flatten
from transforms.metadata import Head, head_of, scripts
from transforms.tags import INVISIBLE

EMPTY = b"<body/>"
NO_HEAD = Head()

# libxml2 gives up at 2,048 nested elements. A page that it gives up on is read again with everything below this depth
# dissolved into its ancestor: deep enough for any real page, with room for the elements that the parser itself adds.
FLATTEN_TO = 1024


@dataclass(frozen=True)
class Canonical:
    """What a parser made of a page."""

    source: bytes
    markup: Ints  # the offsets of all `<` and `>` in it
    head: Head = NO_HEAD
    repaired: str | None = None  # why a second reading was needed to get the whole text
    truncated: str | None = None  # why text is missing; None for a page that was read to its end


def canonicalise(utf8: bytes, parser: str = "lxml") -> Canonical:
    """Read a page with the named parser; if it gives up inside the page, read a flattened copy."""
    try:
        read = PARSERS[parser]
    except KeyError:
        raise UnknownParser(f"unknown parser {parser!r}; there are: {', '.join(PARSERS)}") from None
    canonical = read(utf8)
    if canonical.truncated is None:
        return canonical
    again = read(flatten(utf8, FLATTEN_TO))
    return canonical if again.truncated else replace(again, repaired=canonical.truncated)


def _read(utf8: bytes) -> tuple[etree._Element | None, str | None]:
    """The tree that libxml2 makes of a page, and why it stopped inside, if it did: it raises nothing, returns less."""
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, collect_ids=False
    )
    try:
        root = etree.fromstring(utf8, parser)
    except etree.XMLSyntaxError:  # nothing but white space, comments or a doctype
        root = None
    # Every ordinary fault of a page is logged as an error or a warning; a fatal one means that the rest was not read.
    fatal = parser.error_log.filter_from_fatals()
    return root, f"{fatal[0].type_name}: {fatal[0].message}" if len(fatal) else None


def with_lxml(utf8: bytes) -> Canonical:
    """Read a page with libxml2; `truncated` says why it stopped, if it did."""
    root, truncated = _read(utf8)
    if root is None:
        return Canonical(*_only_markup(EMPTY), truncated=truncated)
    for rest in list(root.itersiblings()):  # libxml2 puts what follows </html> into elements of their own
        root.append(rest)
    etree.strip_elements(root, *INVISIBLE, with_tail=False)
    head = head_of(root, scripts(utf8))
    source, ends = _only_markup(_serialised(root))
    if _has_oddities(source, ends):
        serialised, reason = _without_oddities(root)
        truncated = truncated or reason
        source, ends = _only_markup(serialised)
    return Canonical(source, ends, head, truncated=truncated)


def _serialised(root: etree._Element) -> bytes:
    """The body as XML; or, where text stands outside the body or there is none, all but the head."""
    root.getroottree().docinfo.clear()  # under an XHTML doctype libxml2 would write XHTML: <br />, and names as ids
    children = [child for child in root if child.tag != "head"]
    if len(children) == 1 and children[0].tag == "body" and not (children[0].tail or "").strip():
        return _without_controls(etree.tostring(children[0], encoding="utf-8", with_tail=False))
    etree.strip_elements(root, "head", with_tail=False)
    return _without_controls(etree.tostring(root, encoding="utf-8", with_tail=False))


def _without_controls(source: bytes) -> bytes:
    """Put a space for a carriage return, and for what libxml2 writes in place of every other control character."""
    buffer = np.frombuffer(source, dtype=np.uint8)
    entity = np.flatnonzero(buffer == ord("&"))
    reference = entity[buffer[entity + 1] == ord("#")]
    # &#13; and &#xFFFD;, but not &#10;, which is a newline in an attribute.
    if not ((buffer[reference + 2] == ord("x")) | (buffer[reference + 3] == ord("3"))).any():
        return source
    return source.replace(b"&#13;\n", b"\n").replace(b"&#13;", b" ").replace(b"&#xFFFD;", b" ")


def _has_oddities(source: bytes, ends: Ints) -> bool:
    """Whether there is a <title> or a <noframes>: found by their first letters, since a search would take longer."""
    buffer = np.frombuffer(source, dtype=np.uint8)
    starts = ends[0::2]
    initial = buffer[starts + 1]
    starts = starts[(initial == ord("t")) | (initial == ord("n"))]
    second = buffer[starts + 2]
    starts = starts[(second == ord("i")) | (second == ord("o"))]
    return any(source.startswith((b"<title", b"<noframes"), start) for start in starts.tolist())


def _without_oddities(root: etree._Element) -> tuple[bytes, str | None]:
    """Serialise without titles in the body, and with <noframes> read as HTML: to the parser it holds one text."""
    truncated = None
    for element in list(root.iter("noframes")):
        content, reason = _read((element.text or "").encode("utf-8", "replace"))
        truncated = truncated or reason
        element.text = None
        if content is not None:
            element.append(content)
    etree.strip_elements(root, "head", "title", *INVISIBLE, with_tail=False)
    return _serialised(root), truncated


def with_lexbor(utf8: bytes) -> Canonical:
    """Read a page with lexbor, an HTML5 parser (extra `html5`)."""
    source, head = html5.read(utf8)
    return Canonical(*_only_markup(source or EMPTY), head)


def _only_markup(source: bytes) -> tuple[bytes, Ints]:
    """The source, and the offsets of all its `<` and `>`, which alternate.

    Parsers take `<div <p>` as an attribute called `<p`: each `<` that is part of a name is replaced.
    """
    buffer = np.frombuffer(source, dtype=np.uint8)
    ends = markup(buffer)
    # `>` is never part of a name: each tag has one, and as many `<` as stand in it.
    if 2 * np.count_nonzero(buffer == ord("<")) == len(ends):
        return source, ends
    stray = ends[1:][(buffer[ends[1:]] == ord("<")) & (buffer[ends[:-1]] == ord("<"))]
    buffer = buffer.copy()
    buffer[stray] = ord("_")
    return buffer.tobytes(), np.setdiff1d(ends, stray)


PARSERS: dict[str, Callable[[bytes], Canonical]] = {"lxml": with_lxml, "lexbor": with_lexbor}
