"""Why blocks of a page are template, or shared: they recur, are like what recurs, or stand where links stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from transforms.sites.outline import Outline
from transforms.sites.relatives import Shaped, edits, near_texts, without_numbers
from transforms.sites.sketch import LARGEST_TREE, SAMPLE, SMALLEST_TREE
from transforms.sites.template import Template
from transforms.trees import decode

REPEATED, SIMILAR, LINKS, SHARED = "repeated", "similar", "links", "shared"
# In a slot of links goes what has so much of its own text in links. The rest belongs to the content around it.
LINKED_ITSELF = 0.3
# ... or so much, if it begins with a link, as a teaser does.
TEASER_ITSELF = 0.1
SHOWN = 60  # characters, for people


def least_linked(*, opens: bool) -> float:
    """The share of a block's text in links from which a slot of links takes it; `opens` if it begins with one."""
    return TEASER_ITSELF if opens else LINKED_ITSELF


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
class Reader:
    """Says why blocks of a page are template."""

    outlined: Outline
    template: Template

    def of(self, block: int) -> Removed | None:
        """Why this block is to be removed."""
        template, slot = self.template, int(self.outlined.slot[block])
        known = template.repeated.get(int(self.outlined.fingerprint[block]))
        amid_content = slot in template.content_slots
        if known and (known.anywhere or not amid_content):
            return self.reason(block, REPEATED, (known.pages, template.rules.min_pages), known.examples, distance=0)
        led = template.link_slots.get(slot)
        share = int(self.outlined.linked[block]) / int(self.outlined.characters[block])
        least = least_linked(opens=bool(self.outlined.opens[block]))
        if led and share >= least:
            return self.reason(block, LINKS, (round(share, 3), least), led.examples)
        return None if amid_content else self._like_a_small_one(block) or self._like_a_tree(block)

    def _like_a_small_one(self, block: int) -> Removed | None:
        """By a near relative in its slot: one that differs in numbers, or a short one that differs in few letters."""
        outlined, rules = self.outlined, self.template.rules
        kinds = self.template.kinds_by_slot.get(int(outlined.slot[block]), ())
        said = without_numbers(outlined.text(block, SAMPLE)) if kinds and outlined.characters[block] < SAMPLE else ""
        blanked = int(outlined.blanked[block])
        for kind in kinds:
            if kind.blanked == blanked:
                return self.reason(block, SIMILAR, (0.0, rules.tau), kind.examples, distance=0)
            if said and kind.said and near_texts(said, kind.said, rules):
                edited = Levenshtein.distance(said, kind.said)
                share = round(edited / max(len(said), len(kind.said)), 3)
                return self.reason(block, SIMILAR, (share, rules.text_distance), kind.examples, distance=edited)
        return None

    def _like_a_tree(self, block: int) -> Removed | None:
        """By a near relative anywhere, within so many edits of the tree."""
        outlined, template = self.outlined, self.template
        if not template.kinds_by_text or not SMALLEST_TREE <= outlined.size(block) <= LARGEST_TREE:
            return None
        texts = outlined.texts(block)
        places: Iterable[int] = {place for label in texts for place in template.kinds_by_text.get(label, ())}
        if template.rules.as_published:
            places = range(len(template.kinds))
        elif not places:
            return None
        own = Shaped(0, outlined.tree(block), texts)
        for place in sorted(places):
            kind = template.kinds[place]
            if kind.tree is None:
                continue
            tree = decode(kind.tree)
            near = edits(own, Shaped(0, tree, kind.lengths), template.rules)
            if near is not None and near >= 0:
                share = round(near / max(len(own.tree), len(tree)), 3)
                return self.reason(block, SIMILAR, (share, template.rules.tau), kind.examples, distance=near)
        return None

    def reason(
        self, block: int, rule: str, passed: tuple[float, float], examples: Iterable[str], distance: int | None = None
    ) -> Removed:
        """A reason, with all that people want to know of the block."""
        outlined = self.outlined
        return Removed(
            rule=rule,
            score=float(passed[0]),
            threshold=float(passed[1]),
            match=next((example for example in examples if example != outlined.page.url), None),
            distance=distance,
            characters=int(outlined.characters[block]),
            text=outlined.text(block, SHOWN),
            start=int(outlined.blocks.start[block]),
            end=int(outlined.blocks.end[block]),
        )
