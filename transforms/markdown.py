"""From spans of the canonical source to Markdown (CommonMark, with GitHub's tables)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urljoin, urlsplit

import numpy as np

from transforms import tags
from transforms.arrays import Arrays, Bools, Ints
from transforms.render import NO_CONTROLS

MAX_NESTING = 20  # of lists and quotations that are written as such: each line of text repeats what it is nested in

_ATTRIBUTE = re.compile(rb'\s(href|start)="([^"]*)"')
_SPECIAL = re.compile(r"([\\`*_\[\]<>]|&(?=#?\w{1,32};))")
# What makes a line something else than text: a heading, a list item, a fence, an underline, the second line of a table.
_LINE_START = re.compile(r"^(#{1,6}(?=\s|$)|[-+](?=\s|$)|~{3}|=+$|[|:-][-:|\s]*$)")
_NUMBER = re.compile(r"^(\d{1,9})([.)])(?=\s|$)")
_MARKS = {
    "a": "a", "b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "kbd": "`", "samp": "`", "tt": "`",
}  # fmt: skip
_LINE_BREAK = "\0"  # <br>, until the paragraph is written; page text has no NUL
_WHITE = " \t\n" + _LINE_BREAK

_ESCAPED = r"\\\1"
_NOT_IN_URL = re.compile(r"[\x00-\x1f\x7f]")
_ENCODED = re.compile(r"[ ()<>\\]")

_IN_TABLE = ("tr", "td", "th", "caption")
_LISTS = ("ul", "ol", "menu", "dir", "dl")
_STRUCTURE = tags.members("table", "blockquote", *_LISTS, *tags.HEADINGS) | tags.IS_PREFORMATTED
_PARAGRAPH, _ROW, _TABLE = tags.members("p"), tags.members("tr"), tags.members("table")


def text(arrays: Arrays, start: Ints, end: Ints, url: str | None = None) -> str:
    """The text inside the spans with the page's headings, lists, links, emphasis, code, quotations and tables.

    Relative links are resolved against `url`; links that are not http(s) or mailto are written as their text alone.
    """
    writer = _Writer(url)
    source = arrays.text.translate(NO_CONTROLS)
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
    data: Bools = _TABLE[arrays.tag_id] & arrays.starting & several & simple
    return data


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
        elif self.rows is not None and name in ("tr", "td", "th"):
            self.begin_cell(self.rows, name)
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
            self.end_table(self.rows)
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
        if self.rows is not None and name in _IN_TABLE:
            self.end_cell(self.rows)
        elif self.rows is not None or tags.IS_CELL[kind]:
            self.inline += [" "] if tags.IS_BLOCK[kind] else []
        elif self.preformatted > 1 or (self.preformatted and not tags.IS_PREFORMATTED[kind]):
            if tags.IS_BLOCK[kind] and self.inline and not self.inline[-1].endswith("\n"):
                self.inline.append("\n")
        elif tags.IS_BLOCK[kind] or tags.IS_PREFORMATTED[kind]:
            self.flush()

    def text(self, raw: str) -> None:
        raw = unescape(raw).replace("\r", "")
        if not raw:
            return
        self.inline.append(raw if self.preformatted or self.open_marks["`"] else _SPECIAL.sub(_ESCAPED, raw))

    def marker(self) -> str:
        number = self.lists[-1] if self.lists else 0
        if number:
            self.lists[-1] += 1
        return f"{number}. " if number else "- "

    # Tables

    def begin_table(self) -> None:
        self.flush()
        self.rows = []

    def begin_cell(self, rows: list[list[str]], name: str) -> None:
        if name == "tr" or not rows:
            rows.append([])
        if name != "tr":
            rows[-1].append("")

    def end_cell(self, rows: list[list[str]]) -> None:
        """Put the text before this place in the last cell; what stands before all cells is the caption."""
        joined = _one_line(self.joined())
        if joined and rows and rows[-1]:
            rows[-1][-1] = f"{rows[-1][-1]} {joined}".strip()
        elif joined:
            self.write(_as_text(joined))

    def end_table(self, rows: list[list[str]]) -> None:
        self.end_cell(rows)
        self.rows = None
        rows = [row for row in rows if any(row)]
        if sum(len([*filter(None, row)]) > 1 for row in rows) < 2:  # not enough of it was chosen
            for row in rows:
                self.write(_as_text(" ".join(filter(None, row))))
            return
        rows[0] += [""] * (max(map(len, rows)) - len(rows[0]))
        lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
        self.write("\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]))

    # Inline elements

    def wrap(self, mark: _Mark) -> None:
        """Put a mark around what the element holds so far, inside of the white space at the ends."""
        inside = "".join(self.inline[mark.began :])
        core = inside.strip(_WHITE)
        outer = self.marks[: self.marks.index(mark)]
        if not core or not mark.target or self.preformatted or any(other.kind == "`" for other in outer):
            return
        if mark.kind == "a":
            marked = f"[{_one_line(core)}]({mark.target})"
        elif mark.kind == "`":
            marked = _code_span(_one_line(core))
        elif _LINE_BREAK in core:
            return
        else:
            marked = f"{mark.kind}{core}{mark.kind}"
        at = inside.index(core)
        self.inline[mark.began :] = [inside[:at], marked, inside[at + len(core) :]]

    def joined(self) -> str:
        """What was collected; the marks of the elements that go on are put around it, and around what follows."""
        for mark in reversed(self.marks):
            self.wrap(mark)
        joined = "".join(self.inline)
        self.inline.clear()
        for mark in self.marks:
            mark.began = 0
        return joined

    # Blocks

    def flush(self) -> None:
        """End the block before this place, if it had any text."""
        joined = self.joined()
        if self.preformatted:
            code = joined.strip("\n").rstrip()
            fence = "`" * max(3, _longest_run(code) + 1)
            if code:
                self.write(f"{fence}\n{code}\n{fence}")
            return
        if self.heading:
            heading = _one_line(joined)
            if heading:
                self.write(f"{'#' * self.heading} {re.sub('(#+)$', _ESCAPED, heading)}")
            return
        lines = [" ".join(line.split()) for line in joined.split(_LINE_BREAK)]
        paragraph = "  \n".join(_as_text(line) for line in lines if line)
        if paragraph:
            self.write(paragraph)

    def write(self, block: str) -> None:
        containers = self.containers[:MAX_NESTING]
        begins_item = any(container.first != container.rest for container in containers)
        first = "".join(container.first for container in containers)
        rest = "".join(container.rest for container in containers)
        for container in containers:
            container.first = container.rest
        start, *more = block.split("\n")
        written = "\n".join([first + start, *(rest + line if line else rest.rstrip() for line in more)])
        if self.in_list and begins_item:
            self.blocks[-1] += "\n" + written
        else:
            self.blocks.append(written)
        self.in_list = bool(self.lists)


def _one_line(inline: str) -> str:
    return " ".join(inline.replace(_LINE_BREAK, " ").split())


def _as_text(line: str) -> str:
    """The line, so that its beginning makes nothing else of it than text."""
    return _NUMBER.sub(r"\1\\\2", _LINE_START.sub(_ESCAPED, line))


def _longest_run(code: str) -> int:
    return max(map(len, re.findall("`+", code)), default=0)


def _code_span(code: str) -> str:
    fence = "`" * (_longest_run(code) + 1)
    space = " " if code.startswith("`") or code.endswith("`") else ""
    return f"{fence}{space}{code}{space}{fence}"


def _attribute(tag: bytes, name: bytes) -> str:
    for found, value in _ATTRIBUTE.findall(tag):
        if found == name:
            return unescape(value.decode("utf-8", "replace"))
    return ""


def _link(href: str, url: str | None) -> str:
    """The target as Markdown can hold it, or nothing for what is not worth or not safe to link."""
    href = _NOT_IN_URL.sub("", href).strip()
    if not href or href.startswith("#"):
        return ""
    try:
        target = urljoin(url or "", href)
        urlsplit(target)
    except ValueError:
        return ""
    if not re.match(r"(?:https?:|mailto:|[^:]*(?:[/?#]|\Z))", target, re.IGNORECASE):
        return ""
    return _ENCODED.sub(lambda match: f"%{ord(match.group()):02X}", target)
