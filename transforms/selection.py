"""What an extractor chose: byte spans of a page's canonical source."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from transforms import markdown, render
from transforms.arrays import Arrays, Bools, Ints

if TYPE_CHECKING:
    from transforms.page import Page


@dataclass(frozen=True)
class Spans:
    """Source offsets [start, end), ascending and disjoint."""

    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.start)


def nothing() -> Spans:
    """No text at all."""
    return Spans(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def one(start: int, end: int) -> Spans:
    """One stretch of the source."""
    return Spans(np.array([start]), np.array([end]))


def everything(arrays: Arrays) -> Spans:
    """The whole page."""
    return one(0, len(arrays.source))


def runs(chosen: Bools, start: Ints, end: Ints) -> Spans:
    """The chosen ones of ascending stretches, neighbours joined into one span."""
    edge = np.diff(np.concatenate(([0], chosen.view(np.int8), [0])))
    return Spans(start[np.flatnonzero(edge == 1)], end[np.flatnonzero(edge == -1) - 1])


def texts_after(arrays: Arrays, chosen: Bools) -> Spans:
    """The texts after the chosen tags."""
    return runs(chosen, arrays.tag_end, np.append(arrays.tag_start[1:], len(arrays.source)))


def union(one: Spans, other: Spans) -> Spans:
    """What lies in either."""
    start, end = np.concatenate((one.start, other.start)), np.concatenate((one.end, other.end))
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    reach = np.maximum.accumulate(end)
    begins = np.ones(len(start), dtype=bool)
    begins[1:] = start[1:] > reach[:-1]
    return Spans(start[begins], reach[np.append(begins[1:], True)[: len(start)]])


def element(arrays: Arrays, tag: int) -> Spans:
    """The element that this tag begins, with all that is in it."""
    return one(int(arrays.tag_start[tag]), int(arrays.tag_end[arrays.partner[tag]]))


@dataclass(frozen=True)
class Selection:
    """The spans that an extractor chose on a page, and their text."""

    page: Page
    extractor: str
    spans: Spans

    @cached_property
    def text(self) -> str:
        """Plain text: one line a block, list items, headings and table rows on lines of their own."""
        return render.text(self.page.arrays, self.spans.start, self.spans.end)

    @cached_property
    def markdown(self) -> str:
        """The same text as Markdown: headings, lists, links, emphasis, code, quotations, tables."""
        return markdown.text(self.page.arrays, self.spans.start, self.spans.end, self.page.url)
