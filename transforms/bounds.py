"""Bounds of the tree edit distance: they take a fraction of its time and decide most pairs of trees.

With unit costs. Where the lower bound exceeds a limit, or meets the upper bound, the distance need not be computed.
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from rapidfuzz.distance import Levenshtein

from transforms.arrays import Ints
from transforms.trees import Tree


def size_bound(a: Tree, b: Tree) -> int:
    """The difference in size: each edit adds or takes one node at most. O(1)."""
    return abs(len(a) - len(b))


def sequence_bound(a: Tree, b: Tree, at_most: int | None = None) -> int:
    """The larger of the string edit distances of the labels in pre-order and in post-order; O(n * n / 64).

    A mapping of trees keeps both orders, so it is an alignment of either (Guha, Jagadish, Koudas, Srivastava, Yu:
    Approximate XML Joins, 2002). More than `at_most` comes as `at_most + 1`.
    """
    bound = 0
    for text_a, text_b in zip(a.texts, b.texts, strict=True):
        bound = max(bound, Levenshtein.distance(text_a, text_b, score_cutoff=at_most))
        if at_most is not None and bound > at_most:
            break
    return bound


def lower_bound(a: Tree, b: Tree, at_most: int | None = None) -> int:
    """The best lower bound; with `at_most`, the first that exceeds it. Cheap ones first.

    The labels that both trees have, whatever their order, give a bound too; alignment is never less, and is faster.
    """
    bound = size_bound(a, b)
    if at_most is not None and bound > at_most:
        return bound
    return max(bound, sequence_bound(a, b, at_most))


def upper_bound(a: Tree, b: Tree) -> int:
    """The cost of a mapping that is made from the cheapest alignment of the labels in pre-order or in post-order.

    Pairs that keep both orders keep ancestors too, and are a mapping. An alignment keeps the order that it is made
    from; of its pairs, a longest run stays that keeps the other one as well. Of near duplicates these are mostly all
    pairs, and then the bound is the distance. O(n * n / 64 + n log n).
    """
    pre_a, pre_b = _alignment(a.texts[0], b.texts[0])
    cost = _mapping_cost(a, b, *_run(a.preorder[pre_a], b.preorder[pre_b]))
    if cost > sequence_bound(a, b):
        post_a, post_b = _alignment(a.texts[1], b.texts[1])
        place_a, place_b = _run(a.left[post_a] + a.depth[post_a], b.left[post_b] + b.depth[post_b])
        cost = min(cost, _mapping_cost(a, b, a.preorder[place_a], b.preorder[place_b]))
    return cost


def _alignment(one: str, other: str) -> tuple[Ints, Ints]:
    """The places that a cheapest alignment pairs, ascending."""
    blocks = [step for step in Levenshtein.opcodes(one, other) if step.tag in ("equal", "replace")]
    if not blocks:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    return (
        np.concatenate([np.arange(step.src_start, step.src_end) for step in blocks]),
        np.concatenate([np.arange(step.dest_start, step.dest_end) for step in blocks]),
    )


def _run(x: Ints, y: Ints) -> tuple[Ints, Ints]:
    """Most of these pairs such that both numbers ascend together: a longest ascending subsequence."""
    order = np.argsort(x)
    x, y = x[order], y[order]
    if (np.diff(y) > 0).all():
        return x, y
    ends: list[int] = []  # the smallest number that ends a run of 1, 2, ...
    places: list[int] = []  # where it stands
    before = [-1] * len(y)  # what stands before each number in the best run that it ends
    for place, number in enumerate(y.tolist()):
        length = bisect_left(ends, number)
        before[place] = places[length - 1] if length else -1
        ends[length : length + 1] = [number]
        places[length : length + 1] = [place]
    run, place = [], places[-1]
    while place >= 0:
        run.append(place)
        place = before[place]
    return x[run[::-1]], y[run[::-1]]


def _mapping_cost(a: Tree, b: Tree, x: Ints, y: Ints) -> int:
    """What a mapping of the nodes x onto the nodes y costs."""
    return len(a) + len(b) - 2 * len(x) + int(np.count_nonzero(a.labels[x] != b.labels[y]))
