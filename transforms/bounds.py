"""Lower bounds of the tree edit distance: each takes a fraction of its time and throws out most pairs.

Every function here promises a number that is at most the distance with unit costs.
"""

from __future__ import annotations

from collections import Counter

from rapidfuzz.distance import Levenshtein

from transforms.trees import Tree


def size_bound(a: Tree, b: Tree) -> int:
    """The difference in size: each edit adds or takes one node at most. O(1)."""
    return abs(len(a) - len(b))


def label_bound(a: Tree, b: Tree) -> int:
    """The larger size less the labels that both have, counted as often as both have them. O(n).

    Of the pairs of a mapping, no more than these keep their label; each other node costs at least one half, and the
    larger tree has at least this many of them that cost one.
    """
    shared = sum((Counter(a.texts[1]) & Counter(b.texts[1])).values())
    return max(len(a), len(b)) - shared


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
    """The best of the bounds, cheap ones first; with `at_most` the first that exceeds it."""
    bound = size_bound(a, b)
    if at_most is not None and bound > at_most:
        return bound
    bound = max(bound, label_bound(a, b))
    if at_most is not None and bound > at_most:
        return bound
    return max(bound, sequence_bound(a, b, at_most))
