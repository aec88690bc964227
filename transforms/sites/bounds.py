"""How much of a page its site's template may take.

A block that recurs is known; its place and its relatives only make it likely that it is template. Where they would take
most of a page, the page itself is what looks so: a directory, a list of results, one of many towns with the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from transforms.arrays import Ints
from transforms.sites.outline import Outline
from transforms.sites.reasons import LINKS, REPEATED, SIMILAR, Removed
from transforms.sites.template import Template

# A page of whose text outside links less is left than this share of what only some pages of the site repeat is itself
# one of those repetitions: a copy that was not seen when the template was learned.
COPY = 0.1
# What goes because of its place or of its relatives, in characters for each character outside links that is left: where
# it is more, the page itself is what looks so.
MOST_FOR_EACH_LEFT = 2
# A page that has more text of its own than a headline keeps of its links only those in slots that hold so many times
# what is usual there: a long list is what it is about, a short one is not.
HEADLINE = 40
UNUSUAL = 3
# Of a page's text outside links: no more may go for reasons that are not about that very block.
MOST_PLAIN = 0.9


def bounded(outlined: Outline, template: Template, reasons: dict[int, Removed]) -> dict[int, Removed]:
    """The same without what takes too much of the page."""
    if template.rules.as_published:
        return reasons
    bounds = _Bounds(outlined, reasons)
    bounds.keep_copies(template.contents)
    bounds.keep_lists(SIMILAR, outlined.characters, lambda _, __: True)
    bounds.keep_lists(LINKS, outlined.characters, lambda slot, size: size > UNUSUAL * template.link_slots[slot].usual)
    bounds.keep_a_tenth()
    return bounds.reasons


class _Bounds:
    """Gives back what was removed, slot by slot, the largest first, until enough is left."""

    def __init__(self, outlined: Outline, reasons: Mapping[int, Removed]) -> None:
        self.reasons = dict(reasons)
        self.plain = outlined.characters - outlined.linked
        self._slot = outlined.slot

    @property
    def _left(self) -> int:
        return int(self.plain.sum()) - self._size(self.reasons, self.plain)

    @staticmethod
    def _size(blocks: Iterable[int], characters: Ints) -> int:
        return int(characters[list(blocks)].sum())

    def _give_back(self, blocks: Iterable[int]) -> None:
        for block in blocks:
            del self.reasons[block]

    def _by_slot(self, rules: Collection[str], characters: Ints) -> list[tuple[int, int, list[int]]]:
        """Slots with what was removed there by these rules: its size, and its blocks."""
        slots: dict[int, list[int]] = {}
        for block, reason in self.reasons.items():
            if reason.rule in rules:
                slots.setdefault(int(self._slot[block]), []).append(block)
        sized = [(slot, self._size(blocks, characters), blocks) for slot, blocks in slots.items()]
        return sorted(sized, key=lambda entry: -entry[1])

    def keep_copies(self, contents: int) -> None:
        """What recurs on some pages stays if it is all that the page says."""
        rare = [
            block for block, reason in self.reasons.items() if reason.rule == REPEATED and 2 * reason.score < contents
        ]
        if self._left < COPY * self._size(rare, self.plain):
            self._give_back(rare)

    def keep_lists(self, rule: str, characters: Ints, is_unusual: Callable[[int, int], bool]) -> None:
        """What is alike, or leads elsewhere, stays where it is most of what the page says."""
        slots = self._by_slot((rule,), characters)
        taken = sum(size for _, size, _ in slots)
        for slot, size, blocks in slots:
            if taken <= MOST_FOR_EACH_LEFT * (
                self._left if rule == LINKS else int(characters.sum()) - self._size(self.reasons, characters)
            ):
                return
            if self._left < HEADLINE or is_unusual(slot, size):
                self._give_back(blocks)
                taken -= size

    def keep_a_tenth(self) -> None:
        """Places and relatives alone never take more than nine tenths of what a page says."""
        slots = self._by_slot((SIMILAR, LINKS), self.plain)
        taken = sum(size for _, size, _ in slots)
        for _, size, blocks in slots:
            if taken <= MOST_PLAIN * int(self.plain.sum()):
                return
            self._give_back(blocks)
            taken -= size
