"""Text density of the page as a list of strings (Arias, Deschacht, Moens), and the baseline it is measured against."""

from __future__ import annotations

import numpy as np

from transforms import tags
from transforms.arrays import Arrays, Ints
from transforms.page import Page
from transforms.registry import Within, extractors, whole
from transforms.selection import Spans, everything, nothing, one

PAPER = "Arias, Deschacht, Moens: Language Independent Content Extraction from Web Pages (2009)"


@extractors.add("baseline", PAPER)
def baseline(page: Page) -> Spans:
    """All visible text."""
    return everything(page.arrays)


@extractors.add("density", PAPER, c1=Within(0, 0.999), c2=whole(1, 1_000_000), smooth=whole(0, 1000))
def density(page: Page, *, c1: float = 0.333, c2: int = 4, smooth: int = 0) -> Spans:
    """The dense region around the longest string between structural tags.

    A string joins the region if it is longer than `c1` times the longest one and fewer than `c2` places from a string
    of the region; everything from the region's first to its last string is content.

    Deviations: none by default; of several longest strings the first counts (the paper does not say). With `smooth` > 0
    the lengths are first replaced by a local quadratic least-squares fit over `smooth` strings on either side, the
    "smooth function" of the paper's future work.
    """
    arrays = page.arrays
    first_tag, length = strings(arrays)
    if smooth:
        length = local_fit(length, smooth)
    if not len(length) or length.max() <= 0:
        return nothing()
    left, right = region(length, c1, c2)
    end = arrays.tag_start[first_tag[right + 1]] if right + 1 < len(first_tag) else len(arrays.source)
    return one(int(arrays.tag_start[first_tag[left]]), int(end))


def strings(arrays: Arrays) -> tuple[Ints, Ints]:
    """The list L: for each string the structural tag that began it, and its length. Empty strings are kept."""
    first_tag = np.flatnonzero(tags.IS_STRUCTURAL[arrays.tag_id] & arrays.starting)
    return first_tag, arrays.lengths(np.append(arrays.text_start[first_tag], arrays.text_start[-1]))


def region(length: Ints, c1: float, c2: int) -> tuple[int, int]:
    """The first and the last string of the region R, which must not be empty."""
    longest = int(np.argmax(length))
    long_enough = np.flatnonzero(length > c1 * length[longest])
    group = np.cumsum(np.diff(long_enough, prepend=long_enough[0]) >= c2)
    members = long_enough[group == group[np.searchsorted(long_enough, longest)]]
    return int(members[0]), int(members[-1])


def local_fit(values: Ints, radius: int) -> Ints:
    """The values of the least-squares quadratics through the neighbours of each place, which count as 0 outside.

    A radius of more than half the values is cut to that: there is nothing beyond.
    """
    radius = min(radius, max((len(values) - 1) // 2, 1))
    offsets = np.arange(-radius, radius + 1)
    weights = np.linalg.pinv(np.vander(offsets, 3, increasing=True))[0]
    fitted: Ints = np.convolve(np.pad(values, radius), weights, mode="valid")
    return fitted
