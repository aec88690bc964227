"""Where a site's content stands: what is told by a block's place, and no count of it can tell.

A text outside links that stands on few pages is a page's *own*. From the first to the last of them a page has its
content; a slot that mostly says something new is one of content, and so is an element in which most pages have a text of
their own. A slot whose new text is links leads elsewhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from statistics import median

from transforms.sites.sketch import Sketch
from transforms.sites.template import LinkSlot, Rules

# Letters, at least, of a text that says something about its page.
OWN_LETTERS = 15
# A page's own is what stands on no more of the site's pages than this share, and on no more than these.
FEW_SHARE, FEW = 0.1, 2
# What holds on so many of the pages concerned holds.
MOST = 0.5
EXAMPLES = 2
SAME_HOUSE = 0.5
BESIDE = 1.0
PURE = 0.7
VAR3 = 1
EDGE = 0.05
POOLED = 0.4


class Blocks:
    """The blocks of a page, a value of each in a list."""

    def __init__(self, page: Sketch) -> None:
        self.fingerprint = page.fingerprint.tolist()
        self.slot = page.slot.tolist()
        self.container = page.container.tolist()
        self.characters = page.characters.tolist()
        self.linked = page.linked.tolist()
        self.digits = page.digits.tolist()
        self.plain = (page.characters.astype(int) - page.linked.astype(int)).tolist()

    def __len__(self) -> int:
        return len(self.fingerprint)


@dataclass
class _Slot:
    text: int = 0  # characters
    recurring: int = 0  # of these, in blocks that stand on other pages, too
    new: int = 0  # in blocks that lead nowhere and stand on few pages
    new_pages: set[int] = field(default_factory=set)
    all_linked: int = 0
    common: float = 0
    inside: int = 0
    sizes: list[int] = field(default_factory=list)
    linked: int = 0  # characters in links, of what does not recur
    pages: set[int] = field(default_factory=set)
    leading: dict[int, str] = field(default_factory=dict)  # pages on which something leads elsewhere
    beside: int = 0  # of those, where the page has more text of its own than this slot has links
    example: str = ""
    container: int = 0


@dataclass(frozen=True)
class Places:
    """What is known of the places of a site."""

    content_slots: frozenset[int]
    content_containers: frozenset[int]
    link_slots: Mapping[int, LinkSlot]
    recurring_slots: frozenset[int]  # in which most of the text recurs
    common: Mapping[int, float]
    among_links: frozenset[int]  # by fingerprint
    inside: Mapping[int, float]  # by fingerprint: on what share of its pages it stands amid content


NOWHERE = Places(frozenset(), frozenset(), {}, frozenset(), {}, frozenset(), {})


def _middle(where: Sequence[int], sizes: Sequence[int]) -> tuple[int, int]:
    """From where to where nine tenths of this text stand."""
    if not where:
        return 0, -1
    whole = sum(sizes)
    before = [sum(sizes[:n]) for n in range(len(sizes))]
    first = max((place for place, size in zip(where, before, strict=True) if size <= EDGE * whole))
    last = min((place for place, size, own in zip(where, before, sizes, strict=True) if size + own >= (1 - EDGE) * whole))
    return first, max(first, last)


def generations(pages: Sequence[Sketch]) -> list[frozenset[int]]:
    """The pages by the house they are printed in: those that have half of their places in common.

    A site that was redesigned prints two houses, and what all pages of one have in common is template, though it stands
    on few of the site's pages. A place that is on hardly any page says nothing of the house.
    """
    times = Counter(slot for page in pages for slot in set(page.slot.tolist()))
    houses = [{slot for slot in page.slot.tolist() if times[slot] > FEW} for page in pages]
    group = list(range(len(pages)))
    for place, house in enumerate(houses):
        for other in range(place):
            if group[other] != group[place] and len(house & houses[other]) >= SAME_HOUSE * len(house | houses[other]):
                least, most = sorted((group[other], group[place]))
                group = [least if number == most else number for number in group]
    return [frozenset(place for place, name in enumerate(group) if name == number) for number in sorted(set(group))]


def places(pages: Sequence[Sketch], times: Callable[[int], int], share: Callable[[int], float], rules: Rules) -> Places:
    """What is known of the places of a site, from one page of each content.

    `times` says of a fingerprint on how many of them it, or a near relative, stands.
    """
    few = max(FEW, int(len(pages) * FEW_SHARE))
    slots: dict[int, _Slot] = defaultdict(_Slot)
    containers: dict[int, set[int]] = defaultdict(set)
    lived_in: Counter[int] = Counter()
    inside: Counter[int] = Counter()
    among: Counter[int] = Counter()
    seen: Counter[int] = Counter()
    for number, page in enumerate(pages):
        blocks = Blocks(page)
        count = [times(name) for name in blocks.fingerprint]
        leads = [
            linked >= rules.link_share * text > 0 for linked, text in zip(blocks.linked, blocks.characters, strict=True)
        ]
        own = [
            not leads[place] and count[place] <= few and blocks.plain[place] - blocks.digits[place] >= OWN_LETTERS
            for place in range(len(blocks))
        ]
        where = [place for place in range(len(blocks)) if own[place]]
        new = [count[place] <= few and blocks.characters[place] for place in range(len(blocks))]
        new_text = sum(new)
        first, last = _middle(where, [blocks.plain[place] for place in where])
        letters: Counter[int] = Counter()
        for place in range(first if VAR3 else 0, (last if VAR3 else len(blocks) - 1) + 1):
            if new[place] and not leads[place]:
                letters[blocks.container[place]] += blocks.plain[place] - blocks.digits[place]
        for container, count_ in letters.items():
            lived_in[container] += count_ >= OWN_LETTERS
        text_of_slot: Counter[int] = Counter()
        new_of_slot: Counter[int] = Counter()
        for place, name in enumerate(blocks.fingerprint):
            slot = slots[blocks.slot[place]]
            slot.container = blocks.container[place]
            containers[blocks.container[place]].add(number)
            seen[name] += 1
            inside[name] += first <= place <= last
            among[name] += leads[max(place - 1, 0)] and leads[min(place + 1, len(blocks) - 1)]
            slot.pages.add(number)
            slot.text += blocks.characters[place]
            slot.common += blocks.characters[place] * share(name)
            if count[place] > 1:
                slot.recurring += blocks.characters[place]
            else:
                slot.linked += blocks.linked[place]
            slot.all_linked += blocks.linked[place]
            if first <= place <= last:
                slot.inside += blocks.characters[place]
            if own[place]:
                slot.new += blocks.characters[place]
                slot.new_pages.add(number)
            if blocks.linked[place]:
                text_of_slot[blocks.slot[place]] += blocks.characters[place]
                slot.leading.setdefault(number, page.url)
                slot.example = slot.example or page.samples[place]
            new_of_slot[blocks.slot[place]] += new[place]
        for name, text in text_of_slot.items():
            slots[name].sizes.append(text)
            slots[name].beside += new_text - new_of_slot[name] >= BESIDE * text
    content_containers = frozenset(name for name, here in containers.items() if lived_in[name] >= MOST * len(here))
    return Places(
        content_slots=frozenset(
            name
            for name, slot in slots.items()
            if slot.new >= rules.content_slot * slot.text and slot.inside >= MOST * slot.text
        ),
        content_containers=content_containers,
        link_slots={
            name: LinkSlot(
                len(slot.leading),
                round(slot.linked / max(slot.text - slot.recurring, 1), 3),
                slot.example,
                tuple(slot.leading.values())[:EXAMPLES],
                int(median(slot.sizes)),
            )
            for name, slot in slots.items()
            if len(slot.leading) >= rules.min_pages
            and slot.all_linked >= POOLED * slot.text
            and (
                slot.beside >= MOST * len(slot.leading)
                or (
                    slot.all_linked >= 0.9 * slot.text
                    and slot.recurring >= MOST * slot.text
                    and slot.inside < MOST * slot.text
                    and len(slot.pages) >= PURE * len(pages)
                )
            )
        },
        recurring_slots=frozenset(
            name for name, slot in slots.items() if slot.recurring >= rules.content_slot * slot.text
        ),
        inside={name: inside[name] / seen[name] for name in seen},
        among_links=frozenset(name for name in seen if among[name] >= MOST * seen[name]),
        common={name: slot.common / slot.text for name, slot in slots.items()},
    )
