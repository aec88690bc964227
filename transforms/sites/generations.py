"""Pages by the house that they are printed in: a site that was redesigned prints two.

What all pages of one house have in common is template, though it stands on few of the site's pages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from transforms.sites.sketch import Sketch

# A slot that stands on no more pages than this says nothing of the house.
RARE = 2
# Pages of one house have so much of their slots in common.
SAME_HOUSE = 0.5


def generations(pages: Sequence[Sketch]) -> list[frozenset[int]]:
    """The places of the pages in `pages`, house by house."""
    times = Counter(slot for page in pages for slot in set(page.slot.tolist()))
    houses = [{slot for slot in page.slot.tolist() if times[slot] > RARE} for page in pages]
    group = list(range(len(pages)))
    for place, house in enumerate(houses):
        for other in range(place):
            if group[other] != group[place] and len(house & houses[other]) >= SAME_HOUSE * len(house | houses[other]):
                least, most = sorted((group[other], group[place]))
                group = [least if number == most else number for number in group]
    return [frozenset(place for place, name in enumerate(group) if name == number) for number in sorted(set(group))]
