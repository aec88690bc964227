"""One- and two-dimensional smoothing and clustering, deterministic: the papers start at random, these do not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Ints = NDArray[np.signedinteger[Any]]
Labels = NDArray[np.signedinteger[Any]]

MAX_ROUNDS = 100  # k-means on a page settles in about ten; a bound keeps a hostile page from looping
NARROWEST = 0.02  # of a Gaussian: below this its values one line away are zero, and nothing changes
BRANCHES = 4  # of the search for splits: more is fewer steps, each over more values
DIRECT_PRODUCTS = 400_000  # below this many multiplications a direct convolution beats two Fourier transforms


def settle(values: Floats) -> Floats:
    """Round to multiples of 2**-16: sums of such numbers are exact, so they do not depend on the order of adding.

    Without this, the last bit of a sum, and with it a line at the edge of a cluster, could depend on the machine.
    """
    settled: Floats = np.rint(values * 65536.0) / 65536.0
    return settled


def gaussian_smooth(values: Floats, sigma: float) -> Floats:
    """Convolve with a Gaussian that reaches one standard deviation to either side (CETR, Eq. 1 to 3).

    The paper leaves the ends undefined: outside the array the values count as 0. O(n log n) for any sigma.
    """
    if len(values) == 0 or sigma < NARROWEST:
        return values
    radius = math.ceil(sigma)
    # Beyond the array there are only zeros: that much of the kernel is normalised with, but not multiplied.
    offsets = np.arange(-radius, radius + 1) if radius < 10_000_000 else np.arange(-10_000_000, 10_000_001)
    kernel = np.exp(-(offsets**2) / (2.0 * sigma**2))
    kernel /= kernel.sum()
    reach = min(radius, len(values) - 1)
    kernel = kernel[len(kernel) // 2 - reach : len(kernel) // 2 + reach + 1]
    return settle(convolve(values, kernel)[reach : reach + len(values)])


def convolve(values: Floats, kernel: Floats) -> Floats:
    """The full convolution, directly or by Fourier transform, whichever is less work."""
    if len(values) * len(kernel) <= DIRECT_PRODUCTS:
        return np.convolve(values, kernel)
    size = len(values) + len(kernel) - 1
    padded = 1 << (size - 1).bit_length()
    product = np.fft.rfft(values, padded) * np.fft.rfft(kernel, padded)
    return np.fft.irfft(product, padded)[:size]


def moving_average(values: Floats, radius: int) -> Floats:
    """The mean of each value and its neighbours up to `radius` away; at the ends, of those that there are."""
    if radius <= 0 or len(values) == 0:
        return values
    sums = np.concatenate(([0.0], np.cumsum(values)))
    place = np.arange(len(values))
    low, high = np.maximum(place - radius, 0), np.minimum(place + radius + 1, len(values))
    return settle((sums[high] - sums[low]) / (high - low))


def k_means(values: Floats, k: int) -> Labels:
    """Lloyd's k-means on numbers, from k centroids evenly spread over their range; labels ascend with the centroids.

    A value midway between two centroids belongs to the lower one; a cluster that loses all its values keeps its
    centroid. Each round costs O(k log n): on sorted numbers a cluster is an interval.
    """
    ordered = np.sort(values)
    sums = np.concatenate(([0.0], np.cumsum(ordered)))
    centroids: list[float] = np.linspace(ordered[0], ordered[-1], k).tolist()
    borders: list[float] = []
    edges: list[int] = []
    for _ in range(MAX_ROUNDS):
        borders = [(low + high) / 2 for low, high in pairwise(centroids)]
        moved = [0, *ordered.searchsorted(borders, side="right").tolist(), len(ordered)]
        if moved == edges:
            break
        edges = moved
        totals = np.diff(sums[edges]).tolist()
        sizes = [high - low for low, high in pairwise(edges)]
        centroids = [t / n if n else old for t, n, old in zip(totals, sizes, centroids, strict=True)]
    return np.searchsorted(borders, values, side="left")


def best_k_means(values: Floats, k: int) -> Labels:
    """The k clusters with the least sum of squared distances to their means; labels ascend with the values.

    Exact (Fisher, 1958): on sorted numbers a cluster is an interval, and the best c clusters of the least values come
    from the best c - 1 of fewer. Equal values share a cluster; of splits that are equally good, the one with more
    values in the lower clusters counts. With fewer than k different values each is a cluster. O(k n log n).
    """
    different, which, times = np.unique(values, return_inverse=True, return_counts=True)
    size, k = len(different), min(k, len(different))
    sums = _Sums(np.concatenate(([0.0], np.cumsum(different * times))), np.concatenate(([0], np.cumsum(times))))
    worth = np.concatenate(([0.0], sums.total[1:] ** 2 / sums.weight[1:]))
    splits = []
    for clusters in range(2, k):
        split, worth = _best_splits(worth, sums, clusters)
        splits.append(split)
    edges = [size]
    if k > 1:  # the last cluster ends with the last value: no other number of values matters
        every = np.array([size])
        edges.append(int(_best_of(worth, sums, every, (np.array([k - 1]), every - 1))[0][0]))
    for split in reversed(splits):
        edges.append(int(split[edges[-1]]))
    return np.searchsorted(edges[:0:-1], which, side="right")


@dataclass(frozen=True)
class _Sums:
    """Of the n least different values, for each n: their sum and their number, each as often as it occurs."""

    total: Floats
    weight: Ints


def _best_splits(worth: Floats, sums: _Sums, clusters: int) -> tuple[Ints, Floats]:
    """For the n least values, for each n: where the last of so many clusters begins, and what they are worth.

    Clusters are worth the sum of (sum of values)^2 / (number of values): where that is largest, the sum of squared
    distances is least. `worth` is that of one cluster fewer. With more values the last cluster never begins earlier, so
    that each place lies between two known ones: those of every fourth n are found first, then those between them.
    """
    size = len(worth) - 1
    split, best = np.full(size + 1, clusters - 1), np.zeros(size + 1)
    step = 1
    while step * BRANCHES <= size - clusters:
        step *= BRANCHES
    rows = np.arange(clusters, size + 1, step)
    split[rows], best[rows] = _best_of(worth, sums, rows, (split[rows], rows - 1))
    while step > 1:
        known, step = step, step // BRANCHES
        rows = np.arange(clusters, size + 1, step)
        rows = rows[(rows - clusters) % known > 0]
        before = rows - (rows - clusters) % known
        after = before + known
        high = np.where(after <= size, np.minimum(split[np.minimum(after, size)], rows - 1), rows - 1)
        split[rows], best[rows] = _best_of(worth, sums, rows, (split[before], high))
    return split, best


def _best_of(worth: Floats, sums: _Sums, rows: Ints, places: tuple[Ints, Ints]) -> tuple[Ints, Floats]:
    """For the n least values, for each n in `rows`: the best of the places from .. to, and the worth there."""
    low, high = places
    width = high - low + 1
    start = np.cumsum(width) - width
    end = np.repeat(rows, width)
    split = np.arange(len(end)) + np.repeat(low - start, width)
    last_cluster = (sums.total[end] - sums.total[split]) ** 2 / (sums.weight[end] - sums.weight[split])
    found = worth[split] + last_cluster
    best = np.maximum.reduceat(found, start)
    latest = np.maximum.reduceat(np.where(found == np.repeat(best, width), split, 0), start)
    return latest, best


def k_means_from_origin(x: Floats, y: Floats, k: int) -> Labels:
    """k-means on points with one centroid fixed at the origin in every round (CETR, section 5); its label is 0.

    The other centroids start at the point farthest from the origin, then the one farthest from those chosen, and so on.
    """
    nearest = x * x + y * y
    centroids: list[tuple[float, float]] = []
    for _ in range(1, k):
        farthest = int(nearest.argmax())
        centroids.append((float(x[farthest]), float(y[farthest])))
        nearest = np.minimum(nearest, (x - centroids[-1][0]) ** 2 + (y - centroids[-1][1]) ** 2)
    labels = np.zeros(len(x), dtype=np.int64)
    for _ in range(MAX_ROUNDS):
        labels = _nearest(x, y, centroids)
        sizes = np.bincount(labels, minlength=k).tolist()
        totals = zip(np.bincount(labels, x, k).tolist(), np.bincount(labels, y, k).tolist(), strict=True)
        means = [(a / n, b / n) if n else None for (a, b), n in zip(totals, sizes, strict=True)]
        moved = [mean or old for mean, old in zip(means[1:], centroids, strict=True)]
        if moved == centroids:
            break
        centroids = moved
    return labels


def _nearest(x: Floats, y: Floats, centroids: list[tuple[float, float]]) -> Labels:
    """Each point's nearest of the origin (0) and the centroids (1, 2, ...); the first of equals."""
    labels = np.zeros(len(x), dtype=np.int64)
    best = np.zeros(len(x))
    for number, (a, b) in enumerate(centroids, start=1):
        # |p - c|^2 without the |p|^2 that all have in common, halved and negated: the largest is the nearest.
        closeness = a * x + b * y - (a * a + b * b) / 2
        labels[closeness > best] = number
        np.maximum(best, closeness, out=best)
    return labels


def farthest_first(values: Floats, k: int) -> Labels:
    """Each value's nearest of k centres: the smallest value, then always the value farthest from those chosen.

    Labels ascend with the centres; a value midway between two belongs to the lower one.
    """
    centres = [float(values.min())]
    nearest = np.abs(values - centres[0])
    for _ in range(1, k):
        centres.append(float(values[np.argmax(nearest)]))
        nearest = np.minimum(nearest, np.abs(values - centres[-1]))
    ordered = np.unique(centres)
    labels: Labels = np.searchsorted((ordered[:-1] + ordered[1:]) / 2, values, side="left")
    return labels


def two_gaussians(values: Floats) -> Labels:
    """Expectation maximisation for a mixture of two Gaussians: 1 for values more likely of the higher one, else 0.

    Starts from the values below and above the mean.
    """
    floor = max(float(values.var()) * 1e-6, 1e-12)  # a component must not shrink onto one value
    high = (values > values.mean()).astype(float)
    for _ in range(MAX_ROUNDS):
        weights = np.stack((1 - high, high))
        sizes = np.maximum(weights.sum(axis=1), 1e-12)
        means = (weights @ values) / sizes
        variances = np.maximum((weights * (values - means[:, None]) ** 2).sum(axis=1) / sizes, floor)
        logs = np.log(sizes / len(values)) - 0.5 * np.log(variances)
        odds = logs[:, None] - (values - means[:, None]) ** 2 / (2 * variances[:, None])
        updated = 1 / (1 + np.exp(np.clip(odds[0] - odds[1], -700, 700)))
        if np.abs(updated - high).max() < 1e-6:
            high = updated
            break
        high = updated
    # Far below both means the wider component is the likelier one: a value under the lower mean is never content.
    content: NDArray[np.bool_] = (high > 0.5) & (values > means.min())
    return content.astype(np.int64)
