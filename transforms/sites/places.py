"""Where a site's content stands: a block's place tells what no count of the block can tell.

A slot that mostly says what is a page's own, in the middle of the page, is one of content. Where
links always lead elsewhere, whatever they say, there is a slot of links.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from transforms.sites.page_blocks import OWN_LETTERS, PageBlocks, few_of
from transforms.sites.sketch import Sketch
from transforms.sites.slots import MOST, Slot, add_page
from transforms.sites.template import LinkSlot, Rules

# Near relatives may hold so many characters for each that is left. Where they hold more, they are
# what the pages say.
MOST_FOR_EACH_LEFT = 2


@dataclass(frozen=True)
class Places:
    """What is known of the places of a site."""

    content_slots: frozenset[int] = frozenset()
    content_containers: frozenset[int] = frozenset()  # with text of its own on most pages
    link_slots: Mapping[int, LinkSlot] = field(default_factory=dict)
    commonness: Mapping[int, float] = field(default_factory=dict)  # by slot, see Slot
    pages: Mapping[int, int] = field(default_factory=dict)  # by slot, that it stands on
    field_slots: frozenset[int] = frozenset()  # of labels with values
    middle_slots: frozenset[int] = frozenset()  # that mostly stand in the middle
    # Fingerprints of blocks that mostly stand ...
    in_middle: frozenset[int] = frozenset()  # ... in the middle of the page
    opening: frozenset[int] = frozenset()  # ... before anything of the page's own
    among_links: frozenset[int] = frozenset()  # ... between links


def places(
    pages: Sequence[Sketch],
    times: Callable[[int], int],
    share: Callable[[int], float],
    rules: Rules,
    elsewhere: Collection[int] = (),
) -> Places:
    """What is known of the places of a site, from one page of each content.

    Of a fingerprint, `times` says on how many of them it or a near relative stands, and `share` on
    what share.
    """
    few = few_of(len(pages))
    slots: dict[int, Slot] = defaultdict(Slot)
    seen, in_middle, opening, among_links = (Counter[int]() for _ in range(4))
    containers, lived_in = Counter[int](), Counter[int]()
    for page in pages:
        blocks = PageBlocks(page, times, few, rules, elsewhere)
        add_page(slots, page.url, blocks, share)
        containers.update(set(blocks.container))
        lived_in.update(_with_own_text(blocks))
        for place, name in enumerate(blocks.fingerprint):
            seen[name] += 1
            in_middle[name] += blocks.is_in_middle(place)
            opening[name] += blocks.is_opening(place)
            among_links[name] += blocks.is_among_links(place)
    return Places(
        content_slots=frozenset(name for name, slot in slots.items() if slot.is_content(rules)),
        content_containers=_mostly(lived_in, containers),
        link_slots={name: slot.entry() for name, slot in slots.items() if slot.is_of_links(len(pages), rules)},
        commonness={name: slot.commonness for name, slot in slots.items()},
        pages={name: slot.pages for name, slot in slots.items()},
        field_slots=frozenset(name for name, slot in slots.items() if slot.is_of_fields()),
        middle_slots=frozenset(name for name, slot in slots.items() if slot.middle >= MOST * slot.text),
        in_middle=_mostly(in_middle, seen),
        opening=_mostly(opening, seen),
        among_links=_mostly(among_links, seen),
    )


def _mostly(times: Mapping[int, int], of: Mapping[int, int]) -> frozenset[int]:
    return frozenset(name for name in of if times[name] >= MOST * of[name])


def _with_own_text(blocks: PageBlocks) -> Iterator[int]:
    """The elements in which a page says something new outside links."""
    said: Counter[int] = Counter()
    for place, container in enumerate(blocks.container):
        if blocks.new[place] and not blocks.leads[place]:
            said[container] += blocks.characters[place] - blocks.linked[place]
    return (container for container, characters in said.items() if characters >= OWN_LETTERS)


def alike_content(
    pages: Sequence[Sketch],
    alone: Callable[[int], int],
    times: Callable[[int], int],
    rules: Rules,
) -> frozenset[int]:
    """The slots whose texts are near relatives, and yet most of what the site's pages say.

    Of a fingerprint, `alone` says on how many pages it stands, and `times` on how many it or a near
    relative does.
    """
    few = few_of(len(pages))
    left = 0
    alike: Counter[int] = Counter()
    forms: dict[int, set[int]] = defaultdict(set)
    for page in pages:
        blocks = PageBlocks(page, alone, few, rules)
        for place, name in enumerate(blocks.fingerprint):
            if not blocks.new[place]:
                continue
            size, slot = blocks.characters[place], blocks.slot[place]
            if times(name) > few and not blocks.heading[place]:
                alike[slot] += size
                forms[slot].add(int(page.blanked[place]))
            elif not blocks.leads[place]:
                left += size
    found = set()
    for slot in sorted(alike, key=lambda slot: (-len(forms[slot]), -alike[slot], slot)):
        if alike.total() <= MOST_FOR_EACH_LEFT * left:
            break
        found.add(slot)
        left += alike.pop(slot)
    return frozenset(found)
