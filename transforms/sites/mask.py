"""A page without what its site prints around its content: the blocks that its template knows are cut out.

Each has a reason. Those that are not about that very block, but about its place or its relatives, yield where they would
take more than they can know of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from transforms.algorithms.block import tag_range
from transforms.arrays import Arrays, Bools, Ints
from transforms.page import Page
from transforms.selection import Spans
from transforms.sites.outline import Outline, outline
from transforms.sites.relatives import Shaped, edits, near_texts, without_numbers
from transforms.sites.sketch import LARGEST_TREE, SAMPLE, SMALLEST_TREE, digest
from transforms.sites.template import Kind, Template
from transforms.trees import decode

REPEATED, SIMILAR, LINKS, SHARED = "repeated", "similar", "links", "shared"
ALL, FIRST = "all", "first"
KEEP_SHARED = (ALL, FIRST)  # the pages on which text that several of them share is kept

# A page of whose text outside links less is left than this share of what only some pages of the site repeat is itself
# one of those repetitions: a copy that was not seen when the template was learned.
COPY = 0.1
# Text outside links that is left, in characters, for each character that goes because it is like something, or because
# of where it stands. Where there is less the page is a list of links, or of what looks alike.
LEFT_FOR_SIMILAR, LEFT_FOR_LINKS = 0.5, 0.5
PLAIN_LEFT = 40
UNUSUAL = 3
SHOWN = 60  # characters, for people


class Removed(NamedTuple):
    """Why a block was removed."""

    rule: str  # REPEATED: it recurs; SIMILAR: a near relative does; LINKS: it leads elsewhere; SHARED: on another page
    score: float  # pages that it recurs on; share of it that differs from its relative; share of its text in links
    threshold: float  # that the score has passed
    match: str | None  # another page that it, its near relative, or another block of its slot stands on
    distance: int | None  # edits to what it matches; None where nothing is compared
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
    judge = _Judge(outlined, template)
    reasons: dict[int, Removed] = {}
    kept: dict[int, Removed] = {}
    own: str | None = None
    for block in np.flatnonzero(outlined.characters).tolist():
        name = int(outlined.fingerprint[block])
        known = template.shared.get(name)
        if known and name not in template.repeated:
            own = own or digest(outlined.page).hex()
            gone = shared == FIRST and own != known.first
            (reasons if gone else kept)[block] = judge.reason(block, SHARED, known.pages, 2, known.examples)
            continue
        reason = judge.of(block)
        if reason:
            reasons[block] = reason
    return _bounded(outlined, template, reasons), kept


def _bounded(outlined: Outline, template: Template, reasons: dict[int, Removed]) -> dict[int, Removed]:
    """The same without what takes too much of the page."""
    plain = outlined.characters - outlined.linked

    def size(blocks: Iterable[int], of: Ints = plain) -> int:
        return int(of[list(blocks)].sum())

    left = int(plain.sum()) - size(reasons)
    rare = [
        block
        for block, reason in reasons.items()
        if reason.rule == REPEATED and 2 * reason.score < template.contents and not template.rules.as_published
    ]
    if left < COPY * size(rare):
        left += size(rare)
        reasons = {block: reason for block, reason in reasons.items() if block not in set(rare)}
    everything = outlined.characters
    for rule, least, of in ((SIMILAR, LEFT_FOR_SIMILAR, plain), (LINKS, LEFT_FOR_LINKS, everything)):
        by_slot: dict[int, list[int]] = {}
        for block, reason in reasons.items():
            if reason.rule == rule:
                by_slot.setdefault(int(outlined.slot[block]), []).append(block)
        taken = sum(size(some, of) for some in by_slot.values())
        for some in sorted(by_slot.values(), key=lambda some: -size(some, of)):
            if left >= least * taken or template.rules.as_published:
                break
            if rule == LINKS and left >= PLAIN_LEFT:
                led = template.link_slots[int(outlined.slot[some[0]])]
                if size(some, of) <= UNUSUAL * led.usual:
                    continue
            left += size(some)
            taken -= size(some, of)
            for block in some:
                del reasons[block]
    return reasons


@dataclass(frozen=True)
class _Judge:
    """Says why blocks of a page are template."""

    outlined: Outline
    template: Template

    def of(self, block: int) -> Removed | None:
        """Why this block is to be removed."""
        template, slot = self.template, int(self.outlined.slot[block])
        known = template.repeated.get(int(self.outlined.fingerprint[block]))
        amid_content = slot in template.content_slots
        if known and (known.anywhere or not amid_content):
            return self.reason(block, REPEATED, known.pages, template.rules.min_pages, known.examples, distance=0)
        led = template.link_slots.get(slot)
        share = int(self.outlined.linked[block]) / int(self.outlined.characters[block])
        if led and share >= 0.3:
            return self.reason(block, LINKS, round(share, 3), template.rules.link_share, led.examples)
        return None if amid_content else self._similar(block, 0 if template.rules.as_published else slot)

    def _similar(self, block: int, slot: int) -> Removed | None:
        """By the first near relative."""
        outlined, rules = self.outlined, self.template.rules
        kinds = self.template.kinds_by_slot.get(slot)
        if not kinds:
            return None
        blanked = int(outlined.blanked[block])
        said = ""
        if outlined.characters[block] < SAMPLE:
            said = without_numbers(outlined.text(block, SAMPLE))
        for kind in kinds:
            if kind.blanked == blanked:
                return self.reason(block, SIMILAR, 0.0, rules.tau, kind.examples, distance=0)
            if said and kind.said and near_texts(said, kind.said, rules):
                share = Levenshtein.normalized_distance(said, kind.said)
                edited = Levenshtein.distance(said, kind.said)
                return self.reason(block, SIMILAR, round(share, 3), rules.text_distance, kind.examples, distance=edited)
        if said or not SMALLEST_TREE <= outlined.size(block) <= LARGEST_TREE:
            return None
        return self._alike(block, kinds)

    def _alike(self, block: int, kinds: Iterable[Kind]) -> Removed | None:
        """By the first near relative among trees."""
        rules = self.template.rules
        own = Shaped(0, self.outlined.tree(block), self.outlined.texts(block))
        for kind in kinds:
            if kind.tree is None:
                continue
            tree = decode(kind.tree)
            near = edits(own, Shaped(0, tree, kind.lengths), rules)
            if near is not None and near >= 0:
                share = round(near / max(len(own.tree), len(tree)), 3)
                return self.reason(block, SIMILAR, share, rules.tau, kind.examples, distance=near)
        return None

    def reason(
        self,
        block: int,
        rule: str,
        score: float,
        threshold: float,
        examples: Iterable[str],
        distance: int | None = None,
    ) -> Removed:
        """A reason, with all that people want to know of the block."""
        outlined = self.outlined
        return Removed(
            rule=rule,
            score=float(score),
            threshold=float(threshold),
            match=next((example for example in examples if example != outlined.page.url), None),
            distance=distance,
            characters=int(outlined.characters[block]),
            text=outlined.text(block, SHOWN),
            start=int(outlined.blocks.start[block]),
            end=int(outlined.blocks.end[block]),
        )


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
