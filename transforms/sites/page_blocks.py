"""The blocks of one sampled page: what each is there for, and where it stands among the others.

A text outside links that stands on few pages is a page's *own*. The *middle* of a page reaches from
the first to the last of its own texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from transforms.sites.sketch import Sketch
from transforms.sites.template import Rules

# Letters, at least, of a text that says something about its page.
OWN_LETTERS = 15
# A page's own is what stands on no more of the site's pages than this share, or than these.
FEW_SHARE, FEW = 0.1, 2
# A date in the header and a counter in the footer are a page's own, too. So this share of its own
# text may stand before the middle, and as much behind it.
EDGE = 0.05


def few_of(pages: int) -> int:
    """On so many of a site's pages a text is still the page's own."""
    return max(FEW, int(pages * FEW_SHARE))


class PageBlocks:
    """The blocks of a page in document order: one value of each in every list."""

    def __init__(
        self, page: Sketch, times: Callable[[int], int], few: int, rules: Rules, elsewhere: Collection[int] = ()
    ) -> None:
        """`times` says on how many pages a fingerprint stands; up to `few` it is a page's own."""
        self.fingerprint: list[int] = page.fingerprint.tolist()
        self.slot: list[int] = page.slot.tolist()
        self.container: list[int] = page.container.tolist()
        self.characters: list[int] = page.characters.tolist()
        self.linked: list[int] = page.linked.tolist()
        self.links: list[int] = page.links.tolist()
        self.opens: list[bool] = page.opens.tolist()
        self.data: list[bool] = page.data.tolist()
        self.heading: list[bool] = page.heading.tolist()
        self.samples = page.samples
        self.leads = [
            linked >= rules.link_share * text or (linked > 0 and slot in elsewhere)
            for linked, text, slot in zip(self.linked, self.characters, self.slot, strict=True)
        ]
        self.recurs = [times(name) > 1 for name in self.fingerprint]
        self.new = [times(name) <= few for name in self.fingerprint]
        self.own = self._own(page.digits.tolist())
        self.first, self.last = self._middle()

    def __len__(self) -> int:
        return len(self.fingerprint)

    def is_in_middle(self, place: int) -> bool:
        """Whether the page has text of its own before this block and behind it."""
        return self.first <= place <= self.last

    def is_opening(self, place: int) -> bool:
        """Whether this block stands before anything of the page's own, or is the first of that."""
        return place <= self.first

    def is_among_links(self, place: int) -> bool:
        """Whether the blocks before and behind this one lead elsewhere."""
        before, behind = max(place - 1, 0), min(place + 1, len(self) - 1)
        return bool(self.leads[before] and self.leads[behind])

    def _own(self, digits: Sequence[int]) -> list[bool]:
        """Which blocks are the page's own: new, not there for links, in a slot that says enough."""
        letters: Counter[int] = Counter()
        says_new = [new and not leads for new, leads in zip(self.new, self.leads, strict=True)]
        for place, slot in enumerate(self.slot):
            if says_new[place]:
                letters[slot] += self.characters[place] - self.linked[place] - digits[place]
        return [new and letters[slot] >= OWN_LETTERS for new, slot in zip(says_new, self.slot, strict=True)]

    def _middle(self) -> tuple[int, int]:
        """The first and the last block of the middle. A heading of the page's own opens it."""
        where = [place for place, own in enumerate(self.own) if own]
        sizes = [self.characters[place] - self.linked[place] for place in where]
        edge = EDGE * sum(sizes)
        first = _beyond(where, sizes, edge)
        titles = (place for place in where if self.heading[place] and place < first)
        return next(titles, first), _beyond(where[::-1], sizes[::-1], edge)


def _beyond(where: Sequence[int], sizes: Sequence[int], edge: float) -> int:
    """The first of these places at whose end more than `edge` of the text has passed."""
    passed = 0
    for place, size in zip(where, sizes, strict=True):
        passed += size
        if passed > edge:
            return place
    return -1
