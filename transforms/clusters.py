"""One- and two-dimensional smoothing and clustering, deterministic: the papers start at random, these do not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Labels = NDArray[np.signedinteger[Any]]

MAX_ROUNDS = 100  # k-means on a page settles in about ten; a bound keeps a hostile page from looping
DIRECT_PRODUCTS = 400_000  # below this many multiplications a direct convolution beats two Fourier transforms


def gaussian_smooth(values: Floats, sigma: float) -> Floats:
    """Convolve with a Gaussian that reaches one standard deviation to either side (CETR, Eq. 1 to 3).

    The paper leaves the ends undefined: outside the array the values count as 0. O(n log n) for any sigma.
    """
    if len(values) == 0 or sigma <= 0:
        return values
    radius = math.ceil(sigma)
    # Beyond the array there are only zeros: that much of the kernel is normalised with, but not multiplied.
    offsets = np.arange(-radius, radius + 1) if radius < 10_000_000 else np.arange(-10_000_000, 10_000_001)
    kernel = np.exp(-(offsets**2) / (2.0 * sigma**2))
    kernel /= kernel.sum()
    reach = min(radius, len(values) - 1)
    kernel = kernel[len(kernel) // 2 - reach : len(kernel) // 2 + reach + 1]
    return convolve(values, kernel)[reach : reach + len(values)]


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
    return (sums[high] - sums[low]) / (high - low)


def k_means(values: Floats, k: int) -> Labels:
    """Lloyd's k-means on numbers, from k centroids evenly spread over their range; labels ascend with the centroids.

    A value midway between two centroids belongs to the lower one; a cluster that loses all its values keeps its
    centroid. Each round costs O(k log n): on sorted numbers a cluster is an interval.
    """
    ordered = np.sort(values)
    sums = np.concatenate(([0.0], np.cumsum(ordered)))
    centroids = np.linspace(ordered[0], ordered[-1], k)
    borders = (centroids[:-1] + centroids[1:]) / 2
    for _ in range(MAX_ROUNDS):
        edges = np.concatenate(([0], np.searchsorted(ordered, borders, side="right"), [len(ordered)]))
        sizes = np.diff(edges)
        centroids = np.where(sizes > 0, np.diff(sums[edges]) / np.maximum(sizes, 1), centroids)
        moved = (centroids[:-1] + centroids[1:]) / 2
        if np.array_equal(moved, borders):
            break
        borders = moved
    return np.searchsorted(borders, values, side="left")


def k_means_from_origin(x: Floats, y: Floats, k: int) -> Labels:
    """k-means on points with one centroid fixed at the origin in every round (CETR, section 5); its label is 0.

    The other centroids start at the point farthest from the origin, then the one farthest from those chosen, and so on.
    """
    points = np.stack((x, y), axis=1)
    distance = (points**2).sum(axis=1)
    centroids = np.zeros((k, 2))
    nearest = distance
    for cluster in range(1, k):
        centroids[cluster] = points[np.argmax(nearest)]
        nearest = np.minimum(nearest, ((points - centroids[cluster]) ** 2).sum(axis=1))
    labels = np.full(len(points), -1)
    for _ in range(MAX_ROUNDS):
        # |p - c|^2 without the |p|^2 that all have in common, negated: the largest is the nearest, the first of equals.
        closeness = points @ centroids.T - (centroids**2).sum(axis=1) / 2
        assigned = np.argmax(closeness, axis=1)
        if np.array_equal(assigned, labels):
            break
        labels = assigned
        sizes = np.bincount(labels, minlength=k)[1:]
        sums = np.stack([np.bincount(labels, weights=axis, minlength=k)[1:] for axis in (x, y)], axis=1)
        centroids[1:] = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centroids[1:])
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
    return np.searchsorted((ordered[:-1] + ordered[1:]) / 2, values, side="left")


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
    return ((high > 0.5) & (values > means.min())).astype(np.int64)
