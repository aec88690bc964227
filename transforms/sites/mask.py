"""A page without what its site repeats: the blocks that its template knows are cut out, each for a reason."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from transforms.algorithms.block import tag_range
from transforms.arrays import Arrays, Bools, Ints
from transforms.page import Page
from transforms.selection import Spans
from transforms.sites.outline import Outline, outline
from transforms.sites.relatives import Shaped, edits
from transforms.sites.sketch import LARGEST_TREE, SAMPLE, SMALLEST_TREE
from transforms.sites.template import Template

REPEATED, SIMILAR, LINKS = "repeated", "similar", "links"

# A page of whose text outside links less is left than this share of what only some pages of the site repeat is itself
# one of those repetitions: a copy that was not seen when the template was learned.
COPY = 0.1


class Removed(NamedTuple):
    """Why a block was removed."""

    rule: str  # REPEATED: it recurs; SIMILAR: a near relative of it recurs; LINKS: what stands there leads elsewhere
    score: float  # pages that it recurs on; edit distance over size; share of its slot's text in links
    threshold: float  # that the score has passed
    match: str | None  # another page that it, its near relative, or another block of its slot stands on
    distance: int | None  # edit distance to what it matches; None where nothing is compared
    characters: int
    text: str  # how it begins
    start: int  # in the canonical source of the page
    end: int


@dataclass(frozen=True)
class Masked:
    """A page, and the same page without what its site repeats."""

    whole: Page
    page: Page
    removed: tuple[Removed, ...]


def mask(page: Page, template: Template | None) -> Masked:
    """Cut out of a page what its site repeats. Without a template, or with an empty one, the page stays as it is."""
    if template is None or template.is_empty:
        return Masked(page, page, ())
    outlined = outline(page)
    reasons = _reasons(outlined, template)
    if not reasons:
        return Masked(page, replace(page, site_known=True), ())
    chosen = np.zeros(len(outlined), dtype=bool)
    chosen[list(reasons)] = True
    spans = _emptied(page.arrays, outlined, chosen)
    source = _without(page.source, spans)
    return Masked(page, replace(page, source=source, site_known=True, _markup=None), tuple(reasons.values()))


def _reasons(outlined: Outline, template: Template) -> dict[int, Removed]:
    """The blocks to be removed, each with its reason."""
    url = outlined.page.url
    reasons: dict[int, Removed] = {}
    rare: list[int] = []
    rows = zip(outlined.fingerprint.tolist(), outlined.slot.tolist(), outlined.characters.tolist(), strict=True)
    for block, (name, slot, characters) in enumerate(rows):
        if not characters:
            continue
        judged = _judged(outlined, block, (name, slot), template)
        if judged is None:
            continue
        rule, score, threshold, examples, distance, is_rare = judged
        match = next((example for example in examples if example != url), None)
        start, end = int(outlined.blocks.start[block]), int(outlined.blocks.end[block])
        text = outlined.text(block, SAMPLE)
        reasons[block] = Removed(rule, score, threshold, match, distance, characters, text, start, end)
        if is_rare:
            rare.append(block)
    plain = outlined.characters - outlined.linked
    left = int(plain.sum() - plain[list(reasons)].sum())
    if left < COPY * plain[rare].sum():
        for block in rare:
            del reasons[block]
    return reasons


def _judged(
    outlined: Outline, block: int, named: tuple[int, int], template: Template
) -> tuple[str, float, float, tuple[str, ...], int | None, bool] | None:
    """Rule, score, threshold, pages that match, distance, and whether most pages of the site are without it."""
    name, slot = named
    rules = template.rules
    if slot not in template.content_slots:
        known = template.repeated.get(name)
        if known:
            is_rare = 2 * known.pages < template.contents
            if known.distance == 0:
                return REPEATED, float(known.pages), float(rules.min_pages), known.examples, 0, is_rare
            score = known.distance / outlined.size(block)
            return SIMILAR, round(score, 3), rules.tau, known.examples, known.distance, is_rare
    led = template.link_slots.get(slot)
    if led:
        return LINKS, led.share, rules.link_share, led.examples, None, False
    return None if slot in template.content_slots else _similar(outlined, block, template)


def _similar(
    outlined: Outline, block: int, template: Template
) -> tuple[str, float, float, tuple[str, ...], int | None, bool] | None:
    """As `_judged`, by the first near relative."""
    relatives = template.relatives.get(int(outlined.root_label[block].view(np.int64)))
    if not relatives or not SMALLEST_TREE <= outlined.size(block) <= LARGEST_TREE:
        return None
    own = Shaped(0, outlined.tree(block), outlined.texts(block))
    for name, tree in relatives:
        known = template.repeated[name]
        near = edits(own, Shaped(name, tree, known.lengths), template.rules)
        if near is not None and near >= 0:
            score = near / max(len(own.tree), len(tree))
            is_rare = 2 * known.pages < template.contents
            return SIMILAR, round(score, 3), template.rules.tau, known.examples, near, is_rare
    return None


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
