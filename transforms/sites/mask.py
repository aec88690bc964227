"""A page without what its site prints around its content: the blocks that its template knows are cut out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from transforms.algorithms.block import tag_range
from transforms.arrays import Arrays, Bools, Ints
from transforms.page import Page
from transforms.selection import Spans
from transforms.sites.bounds import bounded
from transforms.sites.outline import Outline, outline
from transforms.sites.reasons import SHARED, Reader, Removed
from transforms.sites.sketch import digest
from transforms.sites.template import Template

ALL, FIRST = "all", "first"
KEEP_SHARED = (ALL, FIRST)  # the pages on which text that several of them share is kept


@dataclass(frozen=True)
class Masked:
    """A page, and the same page without what its site repeats."""

    whole: Page
    page: Page
    removed: tuple[Removed, ...]
    shared: tuple[Removed, ...] = ()  # what stands on other pages, too, and was kept


def mask(page: Page, template: Template | None, shared: str = ALL) -> Masked:
    """Cut out of a page what its site repeats. Without a template, or with an empty one, the page stays as it is.

    What is content on several pages stays on `ALL` of them, or on the `FIRST` one alone.
    """
    if template is None or template.is_empty:
        return Masked(page, page, ())
    outlined = outline(page)
    reasons, kept = _reasons(outlined, template, shared)
    if not reasons:
        return Masked(page, replace(page, site_known=True), (), tuple(kept.values()))
    chosen = np.zeros(len(outlined), dtype=bool)
    chosen[list(reasons)] = True
    spans = _emptied(page.arrays, outlined, chosen)
    source = _without(page.source, spans)
    left = replace(page, source=source, site_known=True, _markup=None)
    return Masked(page, left, tuple(reasons[block] for block in sorted(reasons)), tuple(kept.values()))


def _reasons(outlined: Outline, template: Template, shared: str) -> tuple[dict[int, Removed], dict[int, Removed]]:
    """The blocks to be removed, each with its reason, and those that are shared and stay."""
    reader = Reader(outlined, template)
    reasons: dict[int, Removed] = {}
    kept: dict[int, Removed] = {}
    own: str | None = None
    for block in np.flatnonzero(outlined.characters).tolist():
        name = int(outlined.fingerprint[block])
        known = template.shared.get(name)
        if known and name not in template.repeated:
            own = own or digest(outlined.page).hex()
            gone = shared == FIRST and own != known.first
            (reasons if gone else kept)[block] = reader.reason(block, SHARED, (known.pages, 2), known.examples)
            continue
        reason = reader.of(block)
        if reason:
            reasons[block] = reason
    return bounded(outlined, template, reasons), kept


def _emptied(arrays: Arrays, outlined: Outline, chosen: Bools) -> Spans:
    """The chosen blocks, and with them the elements that they leave without text, as spans that do not overlap."""
    blocks = outlined.blocks
    first, last = tag_range(arrays, blocks)
    masked = np.zeros(arrays.count + 1, dtype=np.int64)
    np.add.at(masked, first[chosen], 1)
    np.add.at(masked, last[chosen], -1)
    gone = np.cumsum(masked)[:-1] > 0
    before = arrays.subtree(arrays.characters_after)
    left = arrays.subtree(np.where(gone, 0, arrays.characters_after))
    empty = arrays.starting & (before > 0) & (left == 0) & (arrays.parent >= 0)
    inside = arrays.enclosing(empty)
    own = inside - (empty & ~arrays.empty)
    tops = np.flatnonzero(empty & (own == 0))
    alone = chosen & (inside[blocks.root] == 0)
    start = np.concatenate((arrays.tag_start[tops], blocks.start[alone]))
    end = np.concatenate((arrays.tag_end[arrays.partner[tops]], blocks.end[alone]))
    return _merged(start, end)


def _merged(start: Ints, end: Ints) -> Spans:
    """The same bytes as spans in order; of two that overlap one lies in the other."""
    order = np.argsort(start, kind="stable")
    start, end = start[order], end[order]
    reach = np.maximum.accumulate(end)
    outer = np.append(True, start[1:] >= reach[:-1]) if len(start) else np.empty(0, dtype=bool)
    return Spans(start[outer], np.maximum.reduceat(end, np.flatnonzero(outer)) if len(start) else end)


def _without(source: bytes, spans: Spans) -> bytes:
    """The source without these spans, a space where each was: the words around it do not become one."""
    kept = []
    position = 0
    for start, end in zip(spans.start.tolist(), spans.end.tolist(), strict=True):
        kept.append(source[position:start])
        position = end
    kept.append(source[position:])
    return b" ".join(kept)
