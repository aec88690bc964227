"""Pages by the design that they are printed in: a site that was redesigned prints two.

What all pages of one design have in common is template, though it stands on few pages of the site.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from transforms.sites.sketch import Sketch

# A slot that stands on no more pages than this says nothing of the design.
RARE = 2
# Pages of one design have so much of their slots in common.
SAME_DESIGN = 0.5


def designs(pages: Sequence[Sketch]) -> list[frozenset[int]]:
    """The places of the pages in `pages`, design by design."""
    times = Counter(slot for page in pages for slot in set(page.slot.tolist()))
    printed = [{slot for slot in page.slot.tolist() if times[slot] > RARE} for page in pages]
    group = list(range(len(pages)))
    for place, slots in enumerate(printed):
        for other in range(place):
            if group[other] == group[place]:
                continue
            if len(slots & printed[other]) >= SAME_DESIGN * len(slots | printed[other]):
                least, most = sorted((group[other], group[place]))
                group = [least if number == most else number for number in group]
    return [frozenset(place for place, name in enumerate(group) if name == number) for number in sorted(set(group))]
