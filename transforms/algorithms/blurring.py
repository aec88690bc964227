"""Content code blurring (Gottron), as seeds/000 describes it."""

from __future__ import annotations

import numpy as np

from transforms import tags
from transforms.arrays import Arrays, Bools
from transforms.clusters import moving_average
from transforms.page import Page
from transforms.registry import Within, extractors, whole
from transforms.selection import Spans, nothing, runs

PAPER = "Gottron: Content Code Blurring (2008), as compared in Arias et al."

# The seeds give no figures for these. Radius and threshold as measured best on real pages; "stable" is a blur that
# changes no value by more than STABLE. Each round of spreading widens the blur, so the bound on rounds is part of it.
RADIUS, THRESHOLD, STABLE, ROUNDS = 20, 0.5, 0.01, 20
_RANGES = {"radius": whole(1, 100_000), "threshold": Within(0, 1)}


@extractors.add("ccb", PAPER, **_RANGES)
def ccb(page: Page, *, radius: int = RADIUS, threshold: float = THRESHOLD) -> Spans:
    """Characters whose neighbourhood, blurred until stable, is more text than code."""
    return _blurred(page.arrays, np.ones(page.arrays.count, dtype=bool), radius, threshold)


@extractors.add("accb", PAPER, **_RANGES)
def accb(page: Page, *, radius: int = RADIUS, threshold: float = THRESHOLD) -> Spans:
    """Content code blurring that takes no notice of anchor tags, for pages with many links in their text."""
    return _blurred(page.arrays, ~tags.IS_LINK[page.arrays.tag_id], radius, threshold)


def _blurred(arrays: Arrays, counted: Bools, radius: int, threshold: float) -> Spans:
    """Blur the vector of characters (1 for text, 0 for the tags that count), and keep the text above the threshold."""
    code = np.zeros(len(arrays.source) + 1, dtype=np.int32)
    code[arrays.tag_start[counted]] += 1
    code[arrays.tag_end[counted]] -= 1
    in_code = np.cumsum(code[:-1]) > 0
    text = np.zeros(len(arrays.source), dtype=bool)
    text[source_offsets_of_visible(arrays)] = True
    place = np.flatnonzero(in_code | text)  # white space between tags is neither content nor code
    if not len(place):
        return nothing()
    is_text = text[place]
    value = is_text.astype(float)
    for _ in range(ROUNDS):
        spread = moving_average(value, radius)
        change = np.abs(spread - value).max()
        value = spread
        if change < STABLE:
            break
    return runs((value > threshold) & is_text, place, np.append(place[1:], len(arrays.source)))


def source_offsets_of_visible(arrays: Arrays) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The source offset of each visible character."""
    offset = np.flatnonzero(arrays.visible)
    tag = np.searchsorted(arrays.text_start[1:], offset, side="right")
    return offset - arrays.text_start[tag] + arrays.tag_end[tag]
