"""What the blocks of one slot are, over all sampled pages: content, titles, or links elsewhere."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median

from transforms.sites.page_blocks import PageBlocks
from transforms.sites.template import LinkSlot, Rules

# What holds for half of something holds for it.
MOST = 0.5
# A slot of titles: its text stands on no more of the pages, on average.
TITLES_COMMON = 0.25
# A slot of links has so much of its text in links if its pages say other things, too; so much if
# they do not.
LINKED, ALL_LINKED = 0.4, 0.9
# Links that recur are navigation where they stand on so many of the site's pages.
NAVIGATION_PAGES = 0.7
EXAMPLES = 2
# A slot of labels with values has so many blocks a page, and so many rows of them at most.
FIELDS, ONE_RUN = 2, 1.2
# A slot of teasers: so much of its text begins with a link, which is as long as a headline and
# this share of the whole, and so many stand on a page: one alone may be what the page is about.
TEASING, HEADLINE_SHARE, HEADLINE, TEASERS = 0.7, 0.1, 20, 1.5


@dataclass
class Slot:
    """Sums over the blocks of a slot, in characters unless it says otherwise."""

    text: int = 0
    own: int = 0  # the page's own
    middle: int = 0  # in the middle of the page
    recurring: int = 0
    linked: int = 0
    linked_once: int = 0  # in links, in blocks that do not recur
    headings: int = 0
    blocks: int = 0  # how many
    runs: int = 0  # rows of blocks with nothing between them
    links: int = 0  # how many
    opens: int = 0  # in blocks that begin with a link
    data: int = 0  # in rows of tables that hold data
    opening: int = 0  # before anything of the page's own
    common: float = 0  # each block weighed by the share of pages that it stands on
    pages: int = 0
    leading: list[tuple[str, int]] = field(default_factory=list)  # pages with links, and their text
    beside: int = 0  # pages with links that say as much that is new elsewhere
    example: str = ""

    @property
    def commonness(self) -> float:
        """The mean share of pages that its text stands on."""
        return self.common / self.text

    @property
    def _says_new(self) -> int:
        """Outside links, in blocks that do not recur."""
        return self.text - self.recurring - self.linked_once

    def is_content(self, rules: Rules) -> bool:
        """Whether it mostly says what is the page's own, in the middle of the page."""
        own = self.own >= rules.content_slot * self.text and self.middle >= MOST * self.text
        return own or self._is_of_titles()

    def is_of_fields(self) -> bool:
        """Whether these are labels with values: in the middle of the page, one right after the other."""
        several = self.blocks >= FIELDS * self.pages and self.runs <= ONE_RUN * self.pages
        return several and self.middle >= MOST * self.text

    def is_of_links(self, pages: int, rules: Rules) -> bool:
        """Whether what stands here leads elsewhere, whatever it says."""
        if len(self.leading) < rules.min_pages:
            return False
        beside = self.beside >= MOST * len(self.leading)
        if beside and self._is_of_teasers():
            return True
        if self.linked < LINKED * self.text:
            return False
        if self.data >= MOST * self.text or self._is_of_titles() or self._says_new >= MOST * self.text:
            return False
        return beside or self._is_navigation(pages)

    def _is_of_teasers(self) -> bool:
        """Whether what stands here begins with a headline that leads to the rest of it."""
        return (
            self.opens >= TEASING * self.text
            and self.linked >= HEADLINE_SHARE * self.text
            and self.linked >= HEADLINE * self.links
            and self.links >= TEASERS * self.pages
        )

    def _is_of_titles(self) -> bool:
        """Whether these are titles of content: of the page, or of the entries that it consists of."""
        if self.headings < MOST * self.text or self.common > TITLES_COMMON * self.text:
            return False
        return self.opening >= MOST * self.text or self.beside < MOST * len(self.leading)

    def _is_navigation(self, pages: int) -> bool:
        """Whether nearly all is links that recur, on most pages, outside their middle."""
        return (
            self.linked >= ALL_LINKED * self.text
            and self.recurring >= MOST * self.text
            and self.middle < MOST * self.text
            and self.pages >= NAVIGATION_PAGES * pages
        )

    def entry(self) -> LinkSlot:
        """What a template says of a slot of links."""
        return LinkSlot(
            pages=len(self.leading),
            share=round(self.linked / self.text, 3),
            text=self.example,
            examples=tuple(url for url, _ in self.leading[:EXAMPLES]),
            usual=int(median(text for _, text in self.leading)),
        )


def add_page(slots: Mapping[int, Slot], url: str, blocks: PageBlocks, share: Callable[[int], float]) -> None:
    """Add the blocks of a page to the sums of their slots; `share` is that of a fingerprint."""
    text: Counter[int] = Counter()
    leading: set[int] = set()
    for place, name in enumerate(blocks.slot):
        slot, characters, linked = slots[name], blocks.characters[place], blocks.linked[place]
        text[name] += characters
        slot.text += characters
        slot.own += characters * blocks.own[place]
        slot.middle += characters * blocks.is_in_middle(place)
        slot.recurring += characters * blocks.recurs[place]
        slot.linked += linked
        slot.linked_once += linked * (not blocks.recurs[place])
        slot.headings += characters * blocks.heading[place]
        slot.blocks += 1
        slot.runs += not place or blocks.slot[place - 1] != name
        slot.links += blocks.links[place]
        slot.opens += characters * blocks.opens[place]
        slot.data += characters * blocks.data[place]
        opens = blocks.is_opening(place) and not blocks.is_among_links(place)
        slot.opening += characters * opens
        slot.common += characters * share(blocks.fingerprint[place])
        if linked:
            leading.add(name)
            slot.example = slot.example or blocks.samples[place]
    for name in text:
        slots[name].pages += 1
    elsewhere = _new_elsewhere(blocks)
    for name in leading:
        slots[name].leading.append((url, text[name]))
        slots[name].beside += elsewhere(name) >= text[name]


def _new_elsewhere(blocks: PageBlocks) -> Callable[[int], int]:
    """How many new characters the page has outside a slot.

    A slot with headings takes in all that stands between the first and the last of them: that is
    what they are the headings of.
    """
    new = [size * is_new for size, is_new in zip(blocks.characters, blocks.new, strict=True)]
    everything = sum(new)
    inside: Counter[int] = Counter()
    headings: dict[int, list[int]] = defaultdict(list)
    for place, name in enumerate(blocks.slot):
        inside[name] += new[place]
        if blocks.heading[place]:
            headings[name].append(place)
    for name, where in headings.items():
        inside[name] = sum(new[where[0] : where[-1] + 1])
    return lambda name: everything - inside[name]
