"""From spans of the canonical source to Markdown (CommonMark, with GitHub's tables)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urljoin

import numpy as np

from transforms import tags
from transforms.arrays import Arrays, Bools, Ints
from transforms.render import _NO_CONTROLS

MAX_NESTING = 20  # of lists and quotations that are written as such: each line of text repeats what it is nested in

_ATTRIBUTE = re.compile(rb'\s(href|start)="([^"]*)"')
_SPECIAL = re.compile(r"([\\`*_\[\]<>]|&(?=#?\w{1,32};))")
# What makes a line something else than text: a heading, a list item, a fence, an underline, the line below a table's head.
_LINE_START = re.compile(r"^(#{1,6}(?=\s|$)|[-+](?=\s|$)|~{3}|=+$|[|:-][-:|\s]*$)")
_NUMBER = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_MARKS = {
    "a": "a", "b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "kbd": "`", "samp": "`", "tt": "`",
}  # fmt: skip
_LINE_BREAK = "\0"  # <br>, until the paragraph is written; page text has no NUL
_WHITE = " \t\n" + _LINE_BREAK

_LISTS = ("ul", "ol", "menu", "dir", "dl")
_STRUCTURE = tags.members("table", "blockquote", *_LISTS, *tags.HEADINGS) | tags.IS_PREFORMATTED
_PARAGRAPH, _ROW, _TABLE = tags.members("p"), tags.members("tr"), tags.members("table")


def text(arrays: Arrays, start: Ints, end: Ints, url: str | None = None) -> str:
    """The text inside the spans with the page's headings, lists, links, emphasis, code, quotations and tables.

    Relative links are resolved against `url`; links that are not http(s) or mailto are written as their text alone.
    """
    writer = _Writer(url)
    source = arrays.text.translate(_NO_CONTROLS)
    bounds = np.stack((arrays.text_offset(start), arrays.text_offset(end)), axis=1).tolist()
    offsets = arrays.text_start.tolist()
    tables = _holds_data(arrays)
    span = 0
    for tag, (kind, closing, empty) in enumerate(
        zip(arrays.tag_id.tolist(), arrays.closing.tolist(), arrays.empty.tolist(), strict=True)
    ):
        name = tags.NAMES[kind]
        if closing:
            writer.close(name)
        else:
            if tables[tag]:
                writer.begin_table()
            writer.open(name, arrays.source[arrays.tag_start[tag] : arrays.tag_end[tag]])
            if empty:
                writer.close(name)
        begin, stop = offsets[tag], offsets[tag + 1]
        while span < len(bounds) and bounds[span][1] <= begin:
            span += 1
        place = span
        while place < len(bounds) and bounds[place][0] < stop:
            writer.text(source[max(begin, bounds[place][0]) : min(stop, bounds[place][1])].decode("utf-8", "replace"))
            place += 1
    writer.flush()
    return "\n\n".join(writer.blocks)


def _holds_data(arrays: Arrays) -> Bools:
    """Whether tag k begins a table with several columns, and cells of one paragraph each; others lay out the page."""

    def inside(table: Bools) -> Ints:
        return arrays.subtree((table[arrays.tag_id] & arrays.starting).astype(np.int64))

    cells = inside(tags.IS_CELL)
    wide = _ROW[arrays.tag_id] & arrays.starting & (cells > 1)
    several = arrays.subtree(wide.astype(np.int64)) > 1
    simple = (inside(_STRUCTURE) == 1) & (inside(_PARAGRAPH) <= cells)
    return _TABLE[arrays.tag_id] & arrays.starting & several & simple


@dataclass
class _Mark:
    """An open inline element, the outermost of its kind."""

    kind: str  # the mark, or "a"
    target: str
    began: int  # the first of the inline pieces that are in it


@dataclass
class _Container:
    """An open list item or quotation: what the first and the other lines in it begin with."""

    first: str
    rest: str


@dataclass
class _Writer:
    """Collects inline pieces until a block ends, then writes the block with what encloses it.

    Elements are closed in the order in which they were opened, since the source is well-formed.
    """

    url: str | None
    blocks: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    marks: list[_Mark] = field(default_factory=list)
    open_marks: Counter[str] = field(default_factory=Counter)  # all open inline elements, by kind
    lists: list[int] = field(default_factory=list)  # the next number of each open list; 0 for bullets
    containers: list[_Container] = field(default_factory=list)
    heading: int = 0
    preformatted: int = 0
    rows: list[list[str]] | None = None  # of the table that is being read
    in_list: bool = False  # the last block was in a list that is still open

    def open(self, name: str, tag: bytes) -> None:
        self.boundary(name)
        if name in tags.HEADINGS:
            self.heading = int(name[1])
        elif name in _LISTS:
            number = _attribute(tag, b"start") if name == "ol" else ""
            self.lists.append(int(number) if number.isdecimal() and len(number) < 10 else int(name == "ol"))
        elif name in ("li", "dd"):
            marker = self.marker()
            self.containers.append(_Container(marker, " " * len(marker)))
        elif name == "blockquote":
            self.containers.append(_Container("> ", "> "))
        elif tags.IS_PREFORMATTED[tags.ID[name]]:
            self.preformatted += 1
        elif name == "br":
            self.inline.append("\n" if self.preformatted else _LINE_BREAK)
        elif name in _MARKS:
            kind = _MARKS[name]
            self.open_marks[kind] += 1
            if self.open_marks[kind] == 1:
                target = _link(_attribute(tag, b"href"), self.url) if kind == "a" else kind
                self.marks.append(_Mark(kind, target, len(self.inline)))

    def close(self, name: str) -> None:
        if name == "table" and self.rows is not None:
            self.end_table()
        self.boundary(name)
        if name in tags.HEADINGS:
            self.heading = 0
        elif name in _LISTS:
            self.lists.pop()
            self.in_list = self.in_list and bool(self.lists)
        elif name in ("li", "dd", "blockquote"):
            self.containers.pop()
        elif tags.IS_PREFORMATTED[tags.ID[name]]:
            self.preformatted -= 1
        elif name in _MARKS:
            kind = _MARKS[name]
            self.open_marks[kind] -= 1
            if not self.open_marks[kind]:
                self.wrap(self.marks[-1])
                self.marks.pop()

    def boundary(self, name: str) -> None:
        """End what the start or the end of an element of this name ends."""
        kind = tags.ID[name]
        if self.rows is not None and name in ("tr", "td", "th", "caption"):
            self.in_table(self.rows, name)
        elif self.rows is not None or tags.IS_CELL[kind]:
            self.inline.append(" " if tags.IS_BLOCK[kind] else "")
        elif self.preformatted > 1 or (self.preformatted and not tags.IS_PREFORMATTED[kind]):
            if tags.IS_BLOCK[kind] and self.inline and not self.inline[-1].endswith("\n"):
                self.inline.append("\n")
        elif tags.IS_BLOCK[kind] or tags.IS_PREFORMATTED[kind]:
            self.flush()

    def text(self, raw: str) -> None:
        raw = unescape(raw).replace("\r", "")
        self.inline.append(raw if self.preformatted or self.open_marks["`"] else _SPECIAL.sub(r"\\\1", raw))

    def marker(self) -> str:
        number = self.lists[-1] if self.lists else 0
        if number:
            self.lists[-1] += 1
        return f"{number}. " if number else "- "

    # Tables

    def begin_table(self) -> None:
        self.flush()
        self.rows = []

    def in_table(self, rows: list[list[str]], name: str) -> None:
        """Put the text before this tag in the last cell; there is none yet for the caption."""
        joined = " ".join(self.joined().replace(_LINE_BREAK, " ").split())
        if joined and not (rows and rows[-1]):
            self.write(joined)
        elif joined:
            rows[-1][-1] += (" " if rows[-1][-1] else "") + joined.replace("|", "\\|")
TODO
