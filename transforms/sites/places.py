"""Where a site's content stands: what is told by a block's place, and no count of it can tell.

A text outside links that stands on few pages is a page's *own*. The *middle* of a page reaches from the first to the
last of them, and a slot that mostly says something own there is one of content. Where links always lead elsewhere,
whatever they say, there is a slot of links.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from transforms.sites.sketch import Sketch
from transforms.sites.template import LinkSlot, Rules

# Letters, at least, of a text that says something about its page.
OWN_LETTERS = 15
# A page's own is what stands on no more of the site's pages than this share, or than these.
FEW_SHARE, FEW = 0.1, 2
# What holds on so many of the pages concerned holds.
MOST = 0.5
# Of a page's own text so much may stand before the middle, and as much behind it: a date in the header and a counter in
# the footer are a page's own, too. But a page's own heading is where its content begins.
EDGE = 0.05
# Of the text in a slot of links: so much is in links if there is other text on its pages, and so much if there is not.
LINKED, ALL_LINKED = 0.4, 0.9
# Near relatives may hold so many characters for each that is left: where it is more, they are what the pages say.
MOST_FOR_EACH_LEFT = 2
# A slot of links that recur is one by itself, on so many of the site's pages.
PURE_PAGES = 0.7
V_TITLE=1
V_INSIDE=0
V_TOG=1
V_TCOM=.25
EXAMPLES = 2


@dataclass(frozen=True)
class Places:
    """What is known of the places of a site."""

    content_slots: frozenset[int] = frozenset()
    content_containers: frozenset[int] = frozenset()  # elements in which most pages have text of their own
    link_slots: Mapping[int, LinkSlot] = field(default_factory=dict)
    common: Mapping[int, float] = field(default_factory=dict)  # by slot: on what share of pages its text stands
    amid_content: frozenset[int] = frozenset()  # fingerprints of blocks that mostly stand in the middle
    opening: frozenset[int] = frozenset()  # of blocks that mostly stand before anything of a page's own
    pages: Mapping[int, int] = field(default_factory=dict)  # by slot, that it stands on
    among_links: frozenset[int] = frozenset()  # fingerprints of blocks that mostly stand between links


class Blocks:
    """The blocks of a page, a value of each in a list."""

    def __init__(self, page: Sketch, times: Callable[[int], int], few: int, rules: Rules) -> None:
        self.fingerprint = page.fingerprint.tolist()
        self.slot = page.slot.tolist()
        self.container = page.container.tolist()
        self.characters = page.characters.tolist()
        self.linked = page.linked.tolist()
        self.samples = page.samples
        rows = list(zip(self.characters, self.linked, page.digits.tolist(), strict=True))
        self.leads = [linked >= rules.link_share * text for text, linked, _ in rows]
        self.recurs = [times(name) > 1 for name in self.fingerprint]
        self.new = [times(name) <= few for name in self.fingerprint]
        said = [text - linked - digits for text, linked, digits in rows]
        together: Counter[int] = Counter()
        for slot, new, leads, letters in zip(self.slot, self.new, self.leads, said):
            if new and not leads: together[slot] += letters
        self.own = [
            new and not leads and (together[slot] if V_TOG else letters) >= OWN_LETTERS
            for slot, new, leads, letters in zip(self.slot, self.new, self.leads, said, strict=True)
        ]
        self.heading = page.heading.tolist()
        self.first, self.last = self._middle(self.heading)

    def __len__(self) -> int:
        return len(self.fingerprint)

    def is_in_middle(self, place: int) -> bool:
        """Whether a block stands where the page has text of its own before it and behind it."""
        return self.first <= place <= self.last

    def is_among_links(self, place: int) -> bool:
        """Whether what stands before and behind a block leads elsewhere."""
        before, behind = max(place - 1, 0), min(place + 1, len(self) - 1)
        return bool(self.leads[before] and self.leads[behind])

    def _middle(self, heading: Sequence[bool]) -> tuple[int, int]:
        where = [place for place, own in enumerate(self.own) if own]
        sizes = [self.characters[place] - self.linked[place] for place in where]
        edge = EDGE * sum(sizes)
        first = self._trimmed(where, sizes, edge)
        titles = (place for place in where if heading[place] and place < first)
        return next(titles, first), self._trimmed(where[::-1], sizes[::-1], edge)

    @staticmethod
    def _trimmed(where: Sequence[int], sizes: Sequence[int], edge: float) -> int:
        """The first of these places that has more than so much text up to its end."""
        before = 0
        for place, size in zip(where, sizes, strict=True):
            before += size
            if before > edge:
                return place
        return -1


@dataclass
class _Slot:
    """What the blocks of a slot are, in characters unless it says otherwise."""

    text: int = 0
    own: int = 0
    middle: int = 0
    recurring: int = 0
    linked: int = 0
    linked_once: int = 0  # in blocks that do not recur
    headings: int = 0
    new: int = 0
    opening: int = 0  # before anything of a page's own
    lived: bool = False
    common: float = 0  # by the share of pages that they stand on
    pages: int = 0
    leading: list[tuple[str, int]] = field(default_factory=list)  # pages on which it has links, and how much text then
    beside: int = 0  # of these pages, those that say more beside it
    example: str = ""

    def is_content(self, rules: Rules) -> bool:
        if V_TITLE and self.is_of_titles():
            return True
        return self.own >= rules.content_slot * self.text and self.middle >= MOST * self.text

    def is_of_titles(self) -> bool:
        return (
            self.headings >= MOST * self.text
            and self.common <= V_TCOM * self.text
            and (self.opening >= MOST * self.text or self.beside < MOST * len(self.leading))
        )

    def is_of_links(self, pages: int, rules: Rules) -> bool:
        if len(self.leading) < rules.min_pages or self.linked < LINKED * self.text:
            return False
        if V_TITLE and self.is_of_titles():
            return False
        if V_INSIDE and self.lived and self.middle >= V_INSIDE * self.text and self.new >= MOST * self.text:
            return False
        return self.beside >= MOST * len(self.leading) or self._is_navigation(pages)

    def _is_navigation(self, pages: int) -> bool:
        """Whether hardly anything but links stands here, on most pages, before or behind their middle."""
        return (
            self.linked >= ALL_LINKED * self.text
            and self.recurring >= MOST * self.text
            and self.middle < MOST * self.text
            and self.pages >= PURE_PAGES * pages
        )

    def entry(self) -> LinkSlot:
        return LinkSlot(
            pages=len(self.leading),
            share=round(self.linked_once / max(self.text - self.recurring, 1), 3),
            text=self.example,
            examples=tuple(url for url, _ in self.leading[:EXAMPLES]),
            usual=int(median(text for _, text in self.leading)),
        )


def alike_content(
    pages: Sequence[Sketch], alone: Callable[[int], int], times: Callable[[int], int], rules: Rules
) -> frozenset[int]:
    """The slots whose texts are near relatives of each other, and yet most of what the site's pages say.

    Of a fingerprint, `alone` says on how many pages it stands, and `times` on how many it or a near relative does.
    """
    few = max(FEW, int(len(pages) * FEW_SHARE))
    left = 0
    alike: Counter[int] = Counter()
    forms: dict[int, set[int]] = defaultdict(set)
    for page in pages:
        blocks = Blocks(page, alone, few, rules)
        for place, name in enumerate(blocks.fingerprint):
            if blocks.new[place]:
                size = blocks.characters[place]
                if times(name) > few and not page.heading[place]:
                    alike[blocks.slot[place]] += size
                    forms[blocks.slot[place]].add(int(page.blanked[place]))
                elif not blocks.leads[place]:
                    left += size
    found = set()
    for slot, size in sorted(alike.items(), key=lambda entry: (-len(forms[entry[0]]), -entry[1], entry[0])):
        if alike.total() <= MOST_FOR_EACH_LEFT * left:
            break
        found.add(slot)
        left += alike.pop(slot)
    return frozenset(found)


def places(pages: Sequence[Sketch], times: Callable[[int], int], share: Callable[[int], float], rules: Rules) -> Places:
    """What is known of the places of a site, from one page of each content.

    Of a fingerprint, `times` says on how many of them it or a near relative stands, and `share` on what share.
    """
    few = max(FEW, int(len(pages) * FEW_SHARE))
    slots: dict[int, _Slot] = defaultdict(_Slot)
    seen: Counter[int] = Counter()
    in_middle: Counter[int] = Counter()
    opening: Counter[int] = Counter()
    among_links: Counter[int] = Counter()
    here: Counter[int] = Counter()
    lived_in: Counter[int] = Counter()
    slot_container: dict[int,int] = {}
    for page in pages:
        blocks = Blocks(page, times, few, rules)
        _book(page.url, blocks, share, slots)
        here.update(set(blocks.container))
        slot_container.update(zip(blocks.slot,blocks.container))
        lived_in.update(_lived_in(blocks))
        seen.update(blocks.fingerprint)
        in_middle.update(name for place, name in enumerate(blocks.fingerprint) if blocks.is_in_middle(place))
        opening.update(name for place, name in enumerate(blocks.fingerprint) if place <= blocks.first)
        among_links.update(name for place, name in enumerate(blocks.fingerprint) if blocks.is_among_links(place))
    cc=frozenset(name for name in here if lived_in[name] >= MOST * here[name])
    for name, slot in slots.items():
        slot.lived = slot_container[name] in cc
    return Places(
        content_slots=frozenset(name for name, slot in slots.items() if slot.is_content(rules)),
        content_containers=frozenset(name for name in here if lived_in[name] >= MOST * here[name]),
        link_slots={name: slot.entry() for name, slot in slots.items() if slot.is_of_links(len(pages), rules)},
        common={name: slot.common / slot.text for name, slot in slots.items()},
        amid_content=frozenset(name for name in seen if in_middle[name] >= MOST * seen[name]),
        pages={name: slot.pages for name, slot in slots.items()},
        opening=frozenset(name for name in seen if opening[name] >= MOST * seen[name]),
        among_links=frozenset(name for name in seen if among_links[name] >= MOST * seen[name]),
    )


def _book(url: str, blocks: Blocks, share: Callable[[int], float], slots: dict[int, _Slot]) -> None:
    """Add the blocks of a page to what is known of their slots."""
    text: Counter[int] = Counter()
    new: Counter[int] = Counter()
    leading: set[int] = set()
    span: dict[int, tuple[int,int]] = {}
    for place, name in enumerate(blocks.slot):
        if blocks.heading[place]:
            span[name] = (span.get(name, (place, place))[0], place)
        slots[name].headings += blocks.characters[place]*blocks.heading[place]
        slots[name].new += blocks.characters[place]*blocks.new[place]
        slots[name].opening += blocks.characters[place]*(place <= blocks.first and not blocks.is_among_links(place))
        slot, characters, linked = slots[name], blocks.characters[place], blocks.linked[place]
        text[name] += characters
        new[name] += characters * blocks.new[place]
        slot.text += characters
        slot.own += characters * blocks.own[place]
        slot.middle += characters * blocks.is_in_middle(place)
        slot.recurring += characters * blocks.recurs[place]
        slot.linked += linked
        slot.linked_once += linked * (not blocks.recurs[place])
        slot.common += characters * share(blocks.fingerprint[place])
        if linked:
            leading.add(name)
            slot.example = slot.example or blocks.samples[place]
    everything = new.total()
    for name in text:
        slots[name].pages += 1
    for name in leading:
        slots[name].leading.append((url, text[name]))
        out = everything - new[name]
        if V_TITLE and name in span:
            a, b = span[name]
            out = sum(c * n for p, (c, n) in enumerate(zip(blocks.characters, blocks.new)) if not a <= p <= b)
        slots[name].beside += out >= text[name]


def _lived_in(blocks: Blocks) -> Iterator[int]:
    """The elements in which a page says something new outside links."""
    said: Counter[int] = Counter()
    for place, container in enumerate(blocks.container):
        if blocks.new[place] and not blocks.leads[place]:
            said[container] += blocks.characters[place] - blocks.linked[place]
    return (container for container, characters in said.items() if characters >= OWN_LETTERS)
