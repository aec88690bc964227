"""Content code blurring (Gottron), as seeds/000 describes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from transforms import tags
from transforms.arrays import Arrays, Bools, Ints
from transforms.page import Page
from transforms.registry import Within, extractors, whole
from transforms.selection import Spans, nothing, runs

PAPER = "Gottron: Content Code Blurring (2008), as compared in Arias et al."

# The seeds give no figures for these: chosen by measurement. "Stable" is a round of spreading that changes no value by
# STABLE or more, after about thirteen rounds on real pages; the bound is for others.
RADIUS, THRESHOLD, STABLE, ROUNDS = 40, 0.3, 0.02, 20
ONE = 1 << 16  # values are whole multiples of 1 / ONE: sums are exact, and ones of up to 2**16 values fit 32 bits
_RANGES = {"radius": whole(1, 10_000), "threshold": Within(0, 1)}


@extractors.add("ccb", PAPER, **_RANGES)
def ccb(page: Page, *, radius: int = RADIUS, threshold: float = THRESHOLD) -> Spans:
    """Characters whose neighbourhood, blurred until stable, is text rather than code."""
    return _blurred(page.arrays, np.ones(page.arrays.count, dtype=bool), radius, threshold)


@extractors.add("accb", PAPER, **_RANGES)
def accb(page: Page, *, radius: int = RADIUS, threshold: float = THRESHOLD) -> Spans:
    """Content code blurring that takes no notice of anchor tags, for pages with many links in their text."""
    return _blurred(page.arrays, ~tags.IS_LINK[page.arrays.tag_id], radius, threshold)


def _blurred(arrays: Arrays, counted: Bools, radius: int, threshold: float) -> Spans:
    """Blur the vector of characters (1 for text, 0 for the tags that count), and keep the text above the threshold."""
    step = np.zeros(len(arrays.source) + 1, dtype=np.int8)
    step[arrays.tag_start[counted]] += 1
    step[arrays.tag_end[counted]] -= 1
    kind = np.cumsum(step[:-1], dtype=np.int8)  # 1 for code, 2 for text; 0 for white space, which is neither
    kind[source_offsets_of_visible(arrays)] = 2
    place = np.flatnonzero(kind)
    is_text = kind[place] == 2
    if not is_text.any():
        return nothing()
    content = blur(is_text, radius) > threshold * ONE
    return runs(content & is_text, place, np.append(place[1:], len(arrays.source)))


def blur(flags: Bools, radius: int) -> NDArray[np.uint32]:
    """Spread each value over its neighbours up to `radius` away, again and again until stable; in units of 1 / ONE.

    A round replaces each value by the mean of those at most `radius` away, rounded; at the ends, of those there are.
    """
    size, full = len(flags), 2 * radius + 1
    place = np.arange(size)
    width = (np.minimum(place + radius, size - 1) - np.maximum(place - radius, 0) + 1).astype(np.uint32)
    edge = np.flatnonzero(width < full)
    value = flags * np.uint32(ONE)
    before = np.zeros(size + full, dtype=np.uint32)  # sums of the values before each place, which may wrap around
    for _ in range(ROUNDS):
        np.cumsum(value, out=before[radius + 1 : size + radius + 1])
        before[size + radius + 1 :] = before[size + radius]
        total = before[full:] - before[:size]
        spread = (total + np.uint32(radius)) // np.uint32(full)
        spread[edge] = (total[edge] + width[edge] // 2) // width[edge]
        change = (spread - value).view(np.int32)
        value = spread
        if max(change.max(), -change.min()) < STABLE * ONE:
            break
    return value


def source_offsets_of_visible(arrays: Arrays) -> Ints:
    """The source offset of each visible character."""
    offset = np.flatnonzero(arrays.visible)
    tag = np.searchsorted(arrays.text_start[1:], offset, side="right")
    return offset - arrays.text_start[tag] + arrays.tag_end[tag]
