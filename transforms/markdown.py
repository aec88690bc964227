"""From spans of the canonical source to Markdown (CommonMark, with GitHub's tables)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urljoin

import numpy as np

from transforms import tags
from transforms.arrays import Arrays, Ints
from transforms.render import _NO_CONTROLS

_ATTRIBUTE = re.compile(rb'\s(href|start)="([^"]*)"')
_SPECIAL = re.compile(r"([\\`*_\[\]<>])")
_LINE_START = re.compile(r"^(#{1,6}\s|[-+]\s|\d+[.)]\s|~{3})")
_EMPHASIS = {"b": "**", "strong": "**", "i": "*", "em": "*", "code": "`", "kbd": "`", "samp": "`", "tt": "`"}
_LINE_BREAK = "\0"  # <br>, until the paragraph is written; page text has no NUL


def text(arrays: Arrays, start: Ints, end: Ints, url: str | None = None) -> str:
    """The text inside the spans with the page's headings, lists, links, emphasis, code, quotations and tables.

    Relative links are resolved against `url`; links that are not http(s) or mailto are written as their text alone.
    """
    writer = _Writer(url)
    source = arrays.text.translate(_NO_CONTROLS)
    bounds = np.stack((arrays.text_offset(start), arrays.text_offset(end)), axis=1).tolist()
    offsets = arrays.text_start.tolist()
    span = 0
    for tag, (kind, closing, empty) in enumerate(
        zip(arrays.tag_id.tolist(), arrays.closing.tolist(), arrays.empty.tolist(), strict=True)
    ):
        name = tags.NAMES[kind]
        if closing:
            writer.close(name)
        else:
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
    return writer.finish()


@dataclass
class _Writer:
    """Collects inline pieces until a block ends, then writes the block with what encloses it."""

    url: str | None
    blocks: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    marks: list[tuple[str, str, int]] = field(
        default_factory=list
    )  # open inline elements: name, mark, where they began
    lists: list[int] = field(default_factory=list)  # the next number of each open list; 0 for bullets
    marker: str | None = None  # of the list item that has no text yet
    quotes: int = 0
    heading: int = 0
    preformatted: int = 0
    rows: list[list[str]] | None = None  # of the table that is being read
    tight: bool = False  # the last block was a list item

    def open(self, name: str, tag: bytes) -> None:
        if tags.IS_BLOCK[tags.ID[name]] and self.rows is None:
            self.flush()
        if name in tags.HEADINGS:
            self.heading = int(name[1])
        elif name in ("ul", "ol", "menu", "dir"):
            number = _attribute(tag, b"start") if name == "ol" else ""
            self.lists.append(int(number) if number.isdecimal() and len(number) < 10 else int(name == "ol"))
        elif name in ("li", "dd"):
            self.item()
        elif name == "blockquote":
            self.quotes += 1
        elif tags.IS_PREFORMATTED[tags.ID[name]]:
            self.preformatted += 1
        elif name == "table":
            self.flush()
            self.rows = []
        elif name == "tr" and self.rows is not None:
            self.rows.append([])
        elif name in ("td", "th"):
            self.cell()
        elif name == "br":
            self.inline.append("\n" if self.preformatted else _LINE_BREAK)
        elif name == "a":
            self.marks.append((name, _link(_attribute(tag, b"href"), self.url), len(self.inline)))
        elif name in _EMPHASIS:
            self.marks.append((name, _EMPHASIS[name], len(self.inline)))

    def close(self, name: str) -> None:
        if name == "a" or name in _EMPHASIS:
            self.unmark(name)
        elif name in ("td", "th"):
            self.cell()
        elif name == "table":
            self.table()
        elif self.rows is not None:
            self.inline.append(" ")
        elif tags.IS_BLOCK[tags.ID[name]] or tags.IS_PREFORMATTED[tags.ID[name]]:
            self.flush()
            self.heading = 0 if name in tags.HEADINGS else self.heading
            self.quotes -= name == "blockquote" and self.quotes > 0
            self.preformatted -= bool(tags.IS_PREFORMATTED[tags.ID[name]]) and self.preformatted > 0
            if name in ("ul", "ol", "menu", "dir") and self.lists:
                self.lists.pop()
                self.marker = None
                self.tight = self.tight and bool(self.lists)
            if name in ("li", "dd"):
                self.marker = None

    def text(self, raw: str) -> None:
        raw = unescape(raw)
        in_code = self.preformatted or any(mark == "`" for _, mark, _ in self.marks)
        self.inline.append(raw if in_code else _SPECIAL.sub(r"\\\1", raw))

    def item(self) -> None:
        number = self.lists[-1] if self.lists else 0
        self.marker = f"{number}. " if number else "- "
        if number:
            self.lists[-1] += 1

    def cell(self) -> None:
        """End the cell before this place, if it had any text."""
        joined = " ".join(self._joined().replace(_LINE_BREAK, " ").split()).replace("|", "\\|")
        if self.rows and joined:
            self.rows[-1].append(joined)
        elif joined:
            self.write(joined)

    def table(self) -> None:
        """A table with several columns is a table; one that only lays out the page is paragraphs."""
        self.cell()
        rows = [row for row in self.rows or [] if row]
        self.rows = None
        if sum(len(row) > 1 for row in rows) < 2:
            for row in rows:
                self.write(" ".join(row).replace("\\|", "|"))
            return
        width = max(map(len, rows))
        lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in rows]
        self.write("\n".join([lines[0], "|" + " --- |" * width, *lines[1:]]))

    def unmark(self, name: str) -> None:
        """End an inline element: put its mark around what it holds, inside of the white space at the ends."""
        if not self.marks or self.marks[-1][0] != name:
            return
        _, mark, began = self.marks.pop()
        inside = "".join(self.inline[began:])
        core = inside.strip()
        if not core or not mark or self.preformatted or _LINE_BREAK in core:
            return
        lead, trail = inside[: len(inside) - len(inside.lstrip())], inside[len(inside.rstrip()) :]
        fence = "``" if mark == "`" and "`" in core else mark
        marked = f"[{' '.join(core.split())}]({mark})" if name == "a" else f"{fence}{core}{fence}"
        self.inline[began:] = [lead, marked, trail]

    def _joined(self) -> str:
        joined = "".join(self.inline)
        self.inline.clear()
        self.marks = [(name, mark, 0) for name, mark, _ in self.marks]
        return joined

    def flush(self) -> None:
        """End the block before this place, if it had any text."""
        joined = self._joined()
        if self.preformatted:
            code = joined.strip("\n").rstrip()
            fence = "`" * max(3, max((len(run) for run in re.findall("`+", code)), default=0) + 1)
            if code:
                self.write(f"{fence}\n{code}\n{fence}")
            return
        lines = [" ".join(line.split()) for line in joined.split(_LINE_BREAK)]
        paragraph = "\n".join(_LINE_START.sub(r"\\\1", line) for line in lines if line)
        if paragraph and self.heading:
            self.write(f"{'#' * self.heading} {paragraph.replace(chr(10), ' ')}")
        elif paragraph:
            self.write(paragraph.replace("\n", "  \n"))

    def write(self, block: str) -> None:
        indent = "  " * max(len(self.lists) - 1, 0)
        in_item = bool(self.lists) or self.marker is not None
        first = indent + (self.marker or ("  " if in_item else ""))
        rest = indent + ("  " if in_item else "")
        tight = in_item and self.tight and self.marker is not None
        self.marker, self.tight = (None, True) if in_item else (self.marker, False)
        lines = block.split("\n")
        quote = "> " * self.quotes
        written = "\n".join(quote + (first if number == 0 else rest) + line for number, line in enumerate(lines))
        if tight and self.blocks:
            self.blocks[-1] += "\n" + written
        else:
            self.blocks.append(written)

    def finish(self) -> str:
        while self.rows is not None:
            self.table()
        self.flush()
        return "\n\n".join(self.blocks)


def _attribute(tag: bytes, name: bytes) -> str:
    for found, value in _ATTRIBUTE.findall(tag):
        if found == name:
            return unescape(value.decode("utf-8", "replace"))
    return ""


def _link(href: str, url: str | None) -> str:
    """The target as Markdown can hold it, or nothing for what is not worth or not safe to link."""
    href = "".join(href.split())
    try:
        target = urljoin(url, href) if url else href
    except ValueError:
        return ""
    if not re.match(r"(?:https?:|mailto:|[^:]*(?:[/?#]|\Z))", target, re.IGNORECASE) or target.startswith("#"):
        return ""
    return target.replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")
