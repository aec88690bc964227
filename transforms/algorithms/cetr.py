"""Content extraction via tag ratios: threshold, k-means, and the two-dimensional model (Weninger, Hsu, Han)."""

from __future__ import annotations

import numpy as np

from transforms.clusters import Floats, gaussian_smooth, k_means, k_means_from_origin, settle
from transforms.page import Page
from transforms.registry import Within, extractors, whole
from transforms.selection import Spans, everything
from transforms.tagratio import Lines, lines

PAPER = "Weninger, Hsu, Han: CETR - Content Extraction via Tag Ratios (2010)"

_SIGMA = Within(0, 100_000, words=("std",))
_K_RANGE = whole(2, 20)


def smooth(values: Floats, sigma: float | str) -> Floats:
    """Eq. 1 to 3: `sigma` is a number, or "std" for the standard deviation of the values, as in the paper."""
    return gaussian_smooth(values, float(values.std()) if isinstance(sigma, str) else sigma)


def _smoothed(page: Page, sigma: float | str) -> tuple[Lines, Floats]:
    found = lines(page.arrays)
    return found, (smooth(found.ratio, sigma) if len(found.start) else found.ratio)


def _without_tags(page: Page, found: Lines, ratio: Floats) -> bool:
    """Section 5.3: a page without tags is all content. One whose lines are all alike shows no structure either."""
    only_what_the_parser_adds = page.arrays.count <= 4  # <body><p> ... </p></body>
    return only_what_the_parser_adds or len(found.start) == 0 or bool(ratio.min() == ratio.max())


@extractors.add("cetr-tm", PAPER, threshold=Within(0, 100), sigma=_SIGMA)
def cetr_tm(page: Page, *, threshold: float = 1.0, sigma: float | str = "std") -> Spans:
    """Lines whose smoothed tag ratio is at least `threshold` (lambda) times the standard deviation.

    The standard deviation is that of the smoothed ratios: the paper does not say which, but
    that is the array it compares with the threshold, its predecessor's figure (TTR) shows that
    one, and with it recall is as high as reported.

    Deviations: characters of every script count, not ASCII alone; implied end tags count, as in
    the canonical source; the head is dropped; a line that holds most of the page is broken
    every 65 characters, not only a page that is on one line; beyond the ends of the array the
    ratios count as zeros.
    """
    found, ratio = _smoothed(page, sigma)
    if _without_tags(page, found, ratio):
        return everything(page.arrays)
    return found.choose(ratio >= threshold * ratio.std())


@extractors.add("cetr-km", PAPER, k=_K_RANGE, sigma=_SIGMA)
def cetr_km(page: Page, *, k: int = 3, sigma: float | str = "std") -> Spans:
    """Lines outside the cluster nearest zero, of k clusters of smoothed tag ratios.

    Deviations: characters of every script count, not ASCII alone; implied end tags count, as in
    the canonical source; the head is dropped; a line that holds most of the page is broken
    every 65 characters, not only a page that is on one line; beyond the ends of the array the
    ratios count as zeros. Start values are spread evenly over the range, not drawn at random.
    (The clusters with the least sum of squares, as in `ttr-kmeans`, measure worse.)
    """
    found, ratio = _smoothed(page, sigma)
    if _without_tags(page, found, ratio):
        return everything(page.arrays)
    return found.choose(k_means(ratio, k) > 0)


@extractors.add("cetr", PAPER, k=_K_RANGE, alpha=whole(1, 1000), sigma=_SIGMA)
def cetr(page: Page, *, k: int = 3, alpha: int = 3, sigma: float | str = "std") -> Spans:
    """Lines away from the origin in the plane of smoothed tag ratio and its absolute smoothed derivative.

    k-means with one centroid fixed at the origin, whose cluster is not content.

    Deviations: characters of every script count, not ASCII alone; implied end tags count, as in
    the canonical source; the head is dropped; a line that holds most of the page is broken
    every 65 characters, not only a page that is on one line; beyond the ends of the array the
    ratios count as zeros; start values are the points farthest apart, not random ones; for the
    last `alpha` lines, which have fewer lines after them, the derivative is taken to the mean
    of those there are (the paper drops these lines).
    """
    found, ratio = _smoothed(page, sigma)
    if _without_tags(page, found, ratio):
        return everything(page.arrays)
    slope = np.abs(smooth(derivative(ratio, alpha), sigma))
    return found.choose(k_means_from_origin(ratio, slope, k) > 0)


def derivative(values: Floats, alpha: int) -> Floats:
    """Eq. 4: the mean of the next `alpha` values less the value itself; 0 for the last one."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    place = np.arange(1, len(values) + 1)
    high = np.minimum(place + alpha, len(values))
    following = high - place
    mean = (sums[high] - sums[place]) / np.maximum(following, 1)
    return settle(np.where(following > 0, mean - values, 0.0))
