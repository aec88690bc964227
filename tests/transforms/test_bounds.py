"""Bounds of the tree edit distance: never on the wrong side of it, and by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from forests import Node, literal_distance, nodes
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import bounds
from transforms.bounds import lower_bound, sequence_bound, size_bound, upper_bound
from transforms.trees import Tree, from_nested

A = from_nested((1, (2,), (3,), (3,)))


@given(nodes, nodes)
@settings(max_examples=300, deadline=None)
def test_the_distance_lies_between_its_bounds(one: Node, other: Node) -> None:
    a, b = from_nested(one), from_nested(other)
    edits = literal_distance((one,), (other,))
    assert size_bound(a, b) <= lower_bound(a, b) <= edits
    assert sequence_bound(a, b) <= lower_bound(a, b)
    assert edits <= upper_bound(a, b) <= len(a) + len(b)


@given(nodes, nodes)
def test_alignment_is_never_less_than_what_the_labels_give_without_their_order(one: Node, other: Node) -> None:
    a, b = from_nested(one), from_nested(other)
    shared = sum((Counter(a.labels.tolist()) & Counter(b.labels.tolist())).values())
    assert max(len(a), len(b)) - shared <= sequence_bound(a, b)


@given(nodes, nodes, st.integers(0, 12))
@settings(max_examples=300, deadline=None)
def test_with_a_limit_the_bound_says_whether_it_is_exceeded(one: Node, other: Node, at_most: int) -> None:
    a, b = from_nested(one), from_nested(other)
    assert (lower_bound(a, b, at_most) > at_most) == (lower_bound(a, b) > at_most)
    assert lower_bound(a, b, at_most) <= literal_distance((one,), (other,))


def test_the_bounds_by_hand() -> None:
    assert size_bound(A, from_nested((1, (2,)))) == 2
    # 1 2 3 3 and 1 3 2 3 have the same labels; as strings they are two apart.
    assert sequence_bound(A, from_nested((1, (3,), (2,), (3,)))) == 2
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
    assert lower_bound(A, from_nested((1,)), 2) == 3


def test_an_alignment_that_keeps_ancestors_is_a_mapping() -> None:
    assert upper_bound(A, A) == 0
    assert upper_bound(A, from_nested((1, (2,), (4, (3,)), (3,)))) == 1  # 4 is put in between
    assert upper_bound(A, from_nested((7,))) == 4  # one of four relabelled, three left out


def test_pairs_of_an_alignment_that_do_not_keep_ancestors_are_dropped() -> None:
    # 1(2(3)) and 1(2, 3) are the same in pre-order; 2 and 3 cannot both stay, and in post-order it is no better.
    assert upper_bound(from_nested((1, (2, (3,)))), from_nested((1, (2,), (3,)))) == 2


def test_an_alignment_in_post_order_serves_where_one_in_pre_order_does_not() -> None:
    # A list loses an entry: 5 4 3 of post-order, whose labels in pre-order are torn from between two equal ones.
    a = from_nested((1, (3, (4, (5,))), (3, (4, (6,))), (3, (4, (7,))), (8,)))
    b = from_nested((1, (3, (4, (5,))), (3, (4, (7,))), (8,)))
    assert upper_bound(a, b) == lower_bound(a, b) == 3


def test_labels_that_share_a_character_are_told_apart_from_above() -> None:
    a, b = Tree(np.array([5]), np.array([0])), Tree(np.array([5 + 2**20]), np.array([0]))
    assert upper_bound(a, b) == 1
