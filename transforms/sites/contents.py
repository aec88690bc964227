"""Pages that say the same: stored under two addresses, crawled twice, or in a version for print.

They count once, so that no page erases itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from transforms.sites.sketch import Sketch

# Of the text that is a page's own, so much stands on the other, too: they have the same content ...
SAME_CONTENT = 0.9
# ... unless that is less than so much of the other's: a page with the whole texts of several others is none of them.
HOLDS_LITTLE_ELSE = 0.6


def contents(pages: Sequence[Sketch]) -> list[int]:
    """A number for each page; pages with the same content have the same number, that of the first of them."""
    own = _own_text(pages)
    group = list(range(len(pages)))

    def find(place: int) -> int:
        while group[place] != place:
            group[place] = group[group[place]]
            place = group[place]
        return place

    for place, page in enumerate(pages):
        for other in range(place):
            mine, its = own[place], own[other]
            shared = sum(mine[fingerprint] for fingerprint in mine.keys() & its.keys())
            least, most = sorted((sum(mine.values()), sum(its.values())))
            same = least and shared >= SAME_CONTENT * least and shared >= HOLDS_LITTLE_ELSE * most
            if page.digest == pages[other].digest or same:
                one, two = find(place), find(other)
                group[max(one, two)] = min(one, two)
    return [find(place) for place in range(len(pages))]


def _own_text(pages: Sequence[Sketch]) -> list[dict[int, int]]:
    """For each page the characters outside links by block, without the blocks that stand on most pages.

    All blocks of a page that has hardly any others: it may be stored so often that its own text stands on most pages,
    and a counter of visitors or a date is all that is left.
    """
    everything = [
        {
            fingerprint: characters - linked
            for fingerprint, characters, linked in zip(
                page.fingerprint.tolist(), page.characters.tolist(), page.linked.tolist(), strict=True
            )
            if characters > linked
        }
        for page in pages
    ]
    times = Counter(fingerprint for page in everything for fingerprint in page)
    common = max(len(pages) / 2, 2)
    rare = [{name: size for name, size in page.items() if times[name] <= common} for page in everything]
    return [
        own if sum(own.values()) > (1 - SAME_CONTENT) * sum(whole.values()) else whole
        for own, whole in zip(rare, everything, strict=True)
    ]
