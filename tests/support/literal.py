"""Slow, literal forms in plain Python: what the fast ones are held against."""

from __future__ import annotations

import math
import re

from hypothesis import reject


def literal_k_means(values: list[float], k: int) -> list[int]:
    """Lloyd's algorithm from evenly spread centroids; midway between two is the lower one's; empty ones stay."""
    low, high = min(values), max(values)
    step = (high - low) / (k - 1)
    centroids = [low + number * step for number in range(k - 1)] + [high]
    labels: list[int] = []
    for _ in range(100):
        assigned = []
        for value in values:
            label = 0
            while label < k - 1 and value > (centroids[label] + centroids[label + 1]) / 2:
                label += 1
            assigned.append(label)
        if assigned == labels:
            break
        labels = assigned
        for number in range(k):
            members = [value for value, label in zip(values, labels, strict=True) if label == number]
            if members:
                centroids[number] = math.fsum(members) / len(members)
    return labels


def literal_from_origin(pairs: list[tuple[float, float]], k: int) -> list[int]:
    """k-means whose first centroid is the origin in every round. Rejects what rounding could decide either way."""

    def distance(p: tuple[float, float], q: tuple[float, float]) -> float:
        return (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2

    centroids = [(0.0, 0.0)]
    while len(centroids) < k:
        reach = [min(distance(point, centre) for centre in centroids) for point in pairs]
        if any(0 < max(reach) - other < 1e-9 * max(reach) for other in reach):
            reject()
        centroids.append(pairs[reach.index(max(reach))])
    labels: list[int] = []
    for _ in range(100):
        assigned = []
        for point in pairs:
            to = [distance(point, centre) for centre in centroids]
            nearest = to.index(min(to))
            for centre, other in zip(centroids, to, strict=True):
                if centre != centroids[nearest] and other - to[nearest] <= 1e-9 * (1 + other):
                    reject()
            assigned.append(nearest)
        if assigned == labels:
            break
        labels = assigned
        for number in range(1, k):
            members = [point for point, label in zip(pairs, labels, strict=True) if label == number]
            if members:
                centroids[number] = (
                    math.fsum(x for x, _ in members) / len(members),
                    math.fsum(y for _, y in members) / len(members),
                )
    return labels


def literal_farthest_first(values: list[float], k: int) -> list[int]:
    """From the smallest value, always the value farthest from the chosen ones; then the nearest, the lower of two."""
    centres = [min(values)]
    while len(centres) < k:
        reach = [min(abs(value - centre) for centre in centres) for value in values]
        centres.append(values[reach.index(max(reach))])
    ordered = sorted(set(centres))
    return [min(range(len(ordered)), key=lambda c: (abs(value - ordered[c]), c)) for value in values]


def outside_entities(source: bytes, offsets: list[int]) -> list[int]:
    """The offsets, those inside an entity moved to its `&`: half an entity is no text."""
    inside = {at: m.start() for m in re.finditer(rb"&(?:amp|lt|gt|quot);", source) for at in range(*m.span())}
    return [inside.get(offset, offset) for offset in offsets]
