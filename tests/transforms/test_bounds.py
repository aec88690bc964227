"""Lower bounds of the tree edit distance: never above it, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from forests import Node, literal_distance, nodes
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import bounds
from transforms.bounds import label_bound, lower_bound, sequence_bound, size_bound
from transforms.trees import Tree, from_nested

A = from_nested((1, (2,), (3,), (3,)))


@given(nodes, nodes)
@settings(max_examples=300, deadline=None)
def test_no_bound_exceeds_the_distance(one: Node, other: Node) -> None:
    a, b = from_nested(one), from_nested(other)
    edits = literal_distance((one,), (other,))
    assert size_bound(a, b) <= label_bound(a, b) <= sequence_bound(a, b) <= lower_bound(a, b) <= edits


@given(nodes, nodes, st.integers(0, 12))
@settings(max_examples=300, deadline=None)
def test_with_a_limit_the_bound_says_whether_it_is_exceeded(one: Node, other: Node, at_most: int) -> None:
    a, b = from_nested(one), from_nested(other)
    assert (lower_bound(a, b, at_most) > at_most) == (lower_bound(a, b) > at_most)
    assert lower_bound(a, b, at_most) <= literal_distance((one,), (other,))


def test_the_bounds_by_hand() -> None:
    assert size_bound(A, from_nested((1, (2,)))) == 2
    # Of 1 2 3 3, the other has 1 and one 3.
    assert label_bound(A, from_nested((1, (3,), (4,)))) == 2
    # 1 2 3 3 and 1 3 2 3 have the same labels; as strings they are two apart.
    swapped = from_nested((1, (3,), (2,), (3,)))
    assert label_bound(A, swapped) == 0
    assert sequence_bound(A, swapped) == 2
    # 1(2(3)) and 1(2, 3) differ in post-order alone.
    chain, row = from_nested((1, (2, (3,)))), from_nested((1, (2,), (3,)))
    assert chain.texts[0] == row.texts[0]
    assert sequence_bound(chain, row) == 2
    # And 3(2(1)) and 3(1, 2) in pre-order alone.
    chain, row = from_nested((3, (2, (1,)))), from_nested((3, (1,), (2,)))
    assert chain.texts[1] == row.texts[1]
    assert sequence_bound(chain, row) == 2


def test_labels_that_share_a_character_count_as_equal() -> None:
    a, b = Tree(np.array([5]), np.array([0])), Tree(np.array([5 + 2**20]), np.array([0]))
    assert lower_bound(a, b) == 0  # less than the distance, 1: a bound all the same


def test_no_bound_is_computed_after_one_that_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "sequence_bound", None)
    assert lower_bound(A, from_nested((7, (8,), (9,), (3,))), 1) == 3
    monkeypatch.setattr(bounds, "label_bound", None)
    assert lower_bound(A, from_nested((1,)), 2) == 3
