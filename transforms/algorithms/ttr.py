"""Text-to-tag ratio: lines, smoothed and clustered in five ways (Weninger and Hsu)."""

from __future__ import annotations

import numpy as np

from transforms.arrays import Bools
from transforms.clusters import Floats, best_k_means, farthest_first, moving_average, two_gaussians
from transforms.page import Page
from transforms.registry import Within, extractors, whole
from transforms.selection import Spans, everything
from transforms.tagratio import Lines, lines

PAPER = "Weninger, Hsu: Text Extraction from the Web via Text-to-Tag Ratio (2008)"

RADIUS = 2  # the slides show the smoothing without its width; two lines to either side
_RADIUS_RANGE = whole(0, 1000)
_K_RANGE = whole(2, 20)


def _smoothed(page: Page, radius: int) -> tuple[Lines, Floats]:
    found = lines(page.arrays)
    return found, moving_average(found.ratio, radius)


def _all_alike(values: Floats) -> bool:
    """Nothing to tell apart: no lines, or all with the same ratio. Then the whole text is content."""
    return len(values) == 0 or bool(values.min() == values.max())


@extractors.add("ttr-threshold", PAPER, threshold=Within(0, 100), radius=_RADIUS_RANGE)
def ttr_threshold(page: Page, *, threshold: float = 1.0, radius: int = RADIUS) -> Spans:
    """Lines whose smoothed text-to-tag ratio is at least one standard deviation.

    Deviations: characters of every script count, not ASCII alone; implied end tags count, as in
    the canonical source; the head is dropped; a line that holds most of the page is broken
    every 65 characters, as in CETR. The standard deviation is that of the smoothed array, as in
    the slides' figure.
    """
    found, ratio = _smoothed(page, radius)
    return everything(page.arrays) if _all_alike(ratio) else found.choose(ratio >= threshold * ratio.std())


@extractors.add("ttr-kmeans", PAPER, k=_K_RANGE, radius=_RADIUS_RANGE)
def ttr_kmeans(page: Page, *, k: int = 3, radius: int = RADIUS) -> Spans:
    """Lines outside the lowest of k clusters of smoothed text-to-tag ratios (k-means).

    Deviations: characters of every script count, not ASCII alone; implied end tags count, as in
    the canonical source; the head is dropped; a line that holds most of the page is broken
    every 65 characters, as in CETR. The clusters are those with the least sum of squares, which
    k-means from random starts comes near.
    """
    found, ratio = _smoothed(page, radius)
    return everything(page.arrays) if _all_alike(ratio) else found.choose(best_k_means(ratio, k) > 0)


@extractors.add("ttr-em", PAPER, radius=_RADIUS_RANGE)
def ttr_em(page: Page, *, radius: int = RADIUS) -> Spans:
    """Lines of the higher of two Gaussians fitted to the smoothed text-to-tag ratios (EM).

    Deviations: characters of every script count, not ASCII alone; implied end tags count, as in
    the canonical source; the head is dropped; a line that holds most of the page is broken
    every 65 characters, as in CETR. EM starts from the lines below and above the mean, not at
    random.
    """
    found, ratio = _smoothed(page, radius)
    return everything(page.arrays) if _all_alike(ratio) else found.choose(two_gaussians(ratio) > 0)


@extractors.add("ttr-farthest-first", PAPER, k=_K_RANGE, radius=_RADIUS_RANGE)
def ttr_farthest_first(page: Page, *, k: int = 3, radius: int = RADIUS) -> Spans:
    """Lines outside the lowest of k farthest-first clusters of smoothed text-to-tag ratios.

    Deviations: characters of every script count, not ASCII alone; implied end tags count, as in
    the canonical source; the head is dropped; a line that holds most of the page is broken
    every 65 characters, as in CETR. The first centre is the smallest ratio, not a random one.
    """
    found, ratio = _smoothed(page, radius)
    return everything(page.arrays) if _all_alike(ratio) else found.choose(farthest_first(ratio, k) > 0)


@extractors.add("ttr-prediction", PAPER, window=whole(1, 1000), jump=Within(0, 100), radius=_RADIUS_RANGE)
def ttr_prediction(page: Page, *, window: int = 3, jump: float = 1.0, radius: int = RADIUS) -> Spans:
    """Lines between a jump of the moving average up and the next one down.

    The slides name the method and do not define it. Here the mean of the last `window` smoothed ratios predicts the
    next; content begins with a line above the prediction by more than `jump` standard deviations, and ends before one
    as far below it.

    Deviations: characters of every script count, not ASCII alone; implied end tags count, as in
    the canonical source; the head is dropped; a line that holds most of the page is broken
    every 65 characters, as in CETR.
    """
    found, ratio = _smoothed(page, radius)
    return everything(page.arrays) if _all_alike(ratio) else found.choose(between_jumps(ratio, window, jump))


def between_jumps(ratio: Floats, window: int, jump: float) -> Bools:
    """Whether the last jump up to and including each place led up."""
    sums = np.concatenate(([0.0], np.cumsum(ratio)))
    place = np.arange(len(ratio))
    low = np.maximum(place - window, 0)
    predicted = (sums[place] - sums[low]) / np.maximum(place - low, 1)
    step = ratio - predicted
    limit = jump * ratio.std()
    direction = np.where(step > limit, 1, np.where(step < -limit, -1, 0))
    last_jump = np.maximum.accumulate(np.where(direction != 0, place, -1))
    return (last_jump >= 0) & (direction[np.maximum(last_jump, 0)] > 0)
