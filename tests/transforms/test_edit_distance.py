"""Tree edit distance: by hand, against its definition, and as a metric."""

from __future__ import annotations

import numpy as np
import pytest
from forests import Node, literal_distance, nodes, trees
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import edit_distance
from transforms.bounds import lower_bound, upper_bound
from transforms.edit_distance import BUDGET, cost, distance, most_edits, within
from transforms.edit_plan import plan, trimmed
from transforms.edit_tables import by_cells, by_rows
from transforms.trees import Nested, Tree, from_nested, from_preorder

LIMITS = st.integers(0, 12)
# Rows of children that share a beginning and an end, or nearly.
ALIKE = st.tuples(*[st.lists(nodes, max_size=2)] * 4)


def tree(*nested: Nested | int) -> Tree:
    return from_nested(nested)


def random_tree(size: int, labels: int, seed: int) -> Tree:
    """Each node a child of one of the last node's ancestors, or of the last node."""
    random = np.random.default_rng(seed)
    depths = [0]
    for share in random.random(size - 1):
        depths.append(1 + int(share * (min(depths[-1], 11) + 1)))
    return from_preorder(np.array(depths), random.integers(labels, size=size))


# By hand


@pytest.mark.parametrize(
    ("a", "b", "edits"),
    [
        ((1,), (1,), 0),
        ((1,), (2,), 1),
        ((1, (2,)), (1,), 1),
        ((1, (2,)), (2,), 1),  # the root goes
        ((1, (2,)), (2, (1,)), 2),
        ((1, (2,), (3,)), (1, (3,), (2,)), 2),  # order counts
        ((1, (2, (3,), (4,))), (1, (3,), (4,)), 1),  # children move up when their parent goes
        ((1, (3,), (4,)), (1, (2, (3,), (4,))), 1),
        ((1, (2,), (3,), (4,)), (1, (2, (3,)), (4,)), 2),  # but not to a sibling
        # Zhang and Shasha, figure 4: f(d(a, c(b)), e) and f(c(d(a, b)), e)
        ((6, (4, (1,), (3, (2,))), (5,)), (6, (3, (4, (1,), (2,))), (5,)), 2),
    ],
)
def test_the_distance_by_hand(a: Node, b: Node, edits: int) -> None:
    assert distance(from_nested(a), from_nested(b)) == edits


# Against the definition


@given(nodes, nodes)
@settings(max_examples=300, deadline=None)
def test_the_distance_is_that_of_the_cheapest_mapping(one: Node, other: Node) -> None:
    a, b = from_nested(one), from_nested(other)
    edits = literal_distance((one,), (other,))
    assert distance(a, b) == edits
    assert by_cells(plan(a, b)) == edits
    assert by_rows(plan(a, b)) == edits


@given(nodes, nodes, LIMITS)
@settings(max_examples=300, deadline=None)
def test_with_a_limit_the_distance_is_exact_up_to_it(one: Node, other: Node, at_most: int) -> None:
    a, b = from_nested(one), from_nested(other)
    edits = min(literal_distance((one,), (other,)), at_most + 1)
    assert distance(a, b, at_most) == edits
    assert min(by_cells(plan(a, b, at_most)), at_most + 1) == edits
    assert min(by_rows(plan(a, b, at_most)), at_most + 1) == edits


@given(ALIKE, st.booleans())
@settings(max_examples=300, deadline=None)
def test_equal_children_at_both_ends_make_no_difference(
    rows: tuple[list[Node], list[Node], list[Node], list[Node]], nest: bool
) -> None:
    first, one, other, last = rows
    a, b = (0, *first, *one, *last), (0, *first, *other, *last)
    if nest:
        a, b = (1, (2, a)), (1, (2, b))
    edits = literal_distance((a,), (b,))
    short_a, short_b = trimmed(from_nested(a), from_nested(b))
    assert by_cells(plan(short_a, short_b)) == edits
    assert by_rows(plan(short_a, short_b)) == edits
    assert len(short_a) <= 1 + literal_nodes(one)
    assert len(short_b) <= 1 + literal_nodes(other)


def literal_nodes(forest: list[Node]) -> int:
    return literal_distance(tuple(forest), ())


def test_trimming_leaves_what_differs() -> None:
    a, b = trimmed(tree(1, (2, (3,)), (4,), (5,)), tree(1, (2, (3,)), (6, (4,)), (5,)))
    assert (a, b) == (tree(1, (4,)), tree(1, (6, (4,))))
    # Nodes that are first in post-order but not below the root are no children to leave out.
    a, b = trimmed(tree(1, (2,), (3,)), tree(1, (4, (2,)), (3,)))
    assert (a, b) == (tree(1, (2,)), tree(1, (4, (2,))))
    # One child of more is left out once, not at both ends.
    assert trimmed(tree(1, (2,)), tree(1, (2,), (2,))) == (tree(1), tree(1, (2,)))
    # Under roots that differ nothing is left out.
    a, b = tree(1, (2,)), tree(3, (2,))
    assert trimmed(a, b) == (a, b)


@pytest.mark.parametrize("seed", range(6))
def test_cells_and_rows_agree_on_larger_trees(seed: int) -> None:
    a, b = random_tree(60, 4, seed), random_tree(50 + 4 * seed, 4, seed + 100)
    edits = by_cells(plan(a, b))
    assert by_rows(plan(a, b)) == edits
    for at_most in (edits - 1, edits, edits + 1, edits + 20):
        assert min(by_cells(plan(a, b, at_most)), at_most + 1) == min(edits, at_most + 1)
        assert min(by_rows(plan(a, b, at_most)), at_most + 1) == min(edits, at_most + 1)


def test_a_row_may_run_through_very_many_tables() -> None:
    # Each leaf but the first begins a path, and so a table: in all, steps between them that 32 bits do not hold.
    labels = np.full(60_000, 5)
    labels[[0, 20_000, 50_000]] = (1, 2, 3)
    wide = from_preorder(np.minimum(np.arange(60_000), 1), labels)
    assert by_rows(plan(tree(1, (2,), (3,)), wide)) == 60_000 - 3
    assert by_rows(plan(tree(1, (3,), (2,)), wide)) == 60_000 - 3 + 1


@pytest.mark.parametrize("few_cells", [0, 10**9])
def test_either_way_of_filling_the_tables_gives_the_distance(few_cells: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit_distance, "FEW_CELLS", few_cells)
    assert distance(tree(1, (2, (3,)), (4,)), tree(1, (3,), (5,))) == 2


# As a metric


@given(trees, trees)
@settings(max_examples=150, deadline=None)
def test_the_distance_is_symmetric_and_zero_only_for_equal_trees(a: Tree, b: Tree) -> None:
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, a) == 0


@given(trees, trees, trees)
@settings(max_examples=150, deadline=None)
def test_no_way_round_is_shorter(a: Tree, b: Tree, c: Tree) -> None:
    direct, first, second = distance(a, c), distance(a, b), distance(b, c)
    assert direct is not None
    assert first is not None
    assert second is not None
    assert direct <= first + second


@given(trees, trees)
@settings(max_examples=100, deadline=None)
def test_reading_both_trees_from_the_right_changes_nothing(a: Tree, b: Tree) -> None:
    assert distance(a, b) == distance(a.mirrored, b.mirrored)


# Cost and budget


def test_the_cost_is_the_number_of_cells_by_hand() -> None:
    # Paths of 1(2, 3): 2-1 with 3 rows, 3 with 1 row; of 4(5): one with 2 columns. Nothing is equal.
    assert plan(tree(1, (2,), (3,)), tree(4, (5,))).cells == (3 + 1) * 2
    assert cost(tree(1, (2,), (3,)), tree(4, (5,))) == 0  # bounds decide
    a, b = random_tree(30, 3, 1), random_tree(30, 3, 2)
    assert lower_bound(a, b) < upper_bound(a, b)
    assert cost(a, b) == plan(*trimmed(a, b), upper_bound(a, b)).cells > 0


def test_trees_are_read_from_the_side_that_costs_less() -> None:
    # From the left each leaf but one begins a path of its own, and each inner node as well: 1 + 3 + 5 ... rows.
    left_comb: Nested = (0,)
    right_comb: Nested = (0,)
    for label in range(1, 20):
        left_comb, right_comb = (label, left_comb, (99,)), (label, (99,), right_comb)
    a, b = from_nested(left_comb), from_nested(right_comb)
    assert plan(a, from_nested((-1, left_comb))).cells == plan(b, from_nested((-1, right_comb))).cells


def test_the_tree_with_fewer_rows_gives_the_rows() -> None:
    small, large = tree(1, (2,), (3,)), random_tree(40, 5, 1)
    for planned in (plan(small, large), plan(large, small), plan(large, small, 45)):
        assert (len(planned.a), len(planned.b)) == (3, 40)


@given(trees, trees, LIMITS)
@settings(max_examples=100, deadline=None)
def test_a_limit_never_adds_to_the_cost(a: Tree, b: Tree, at_most: int) -> None:
    assert cost(a, b, at_most) <= cost(a, b)
    assert plan(a, b, at_most).cells <= plan(a, b).cells


def test_a_small_limit_leaves_out_most_of_the_cells() -> None:
    a = random_tree(200, 20, 1)
    labels = a.labels.copy()
    labels[[20, 100, -1]] = 99  # the root differs: nothing is trimmed
    b = Tree(labels, a.left)
    assert distance(a, b, 3) == 3
    assert plan(a, b, 3).cells < plan(a, b).cells / 5


def test_beyond_its_budget_the_distance_is_not_decided() -> None:
    a, b = random_tree(30, 3, 1), random_tree(30, 3, 2)
    cells = cost(a, b)
    assert distance(a, b, budget=cells) == by_cells(plan(a, b))
    assert distance(a, b, budget=cells - 1) is None
    # Lower bounds cost no cells, and equal trees neither.
    assert distance(a, random_tree(60, 3, 3), 2, budget=0) == 3
    assert distance(a, random_tree(30, 3, 1), budget=0) == 0


def test_trees_that_are_too_large_to_plan_for_are_not_decided() -> None:
    # Twenty thousand nodes each: all pairs of them would take gigabytes.
    a, b = random_tree(20_000, 50, 1), random_tree(20_000, 50, 2)
    assert cost(a, b) > BUDGET
    assert distance(a, b) is None
    assert distance(a, b, 100) == 101  # the bounds say so


# Normalised


def test_within_compares_with_the_size_of_the_larger_tree() -> None:
    a, b = tree(1, (2,), (3,), (4,)), tree(1, (2,), (3,))
    assert within(a, b, 0.25)
    assert within(a, b, 0.24) is False


@given(nodes, nodes, st.sampled_from([0, 0.1, 0.25, 0.5, 0.75, 1, 1.5]))
@settings(max_examples=200, deadline=None)
def test_within_is_the_distance_over_the_larger_size(one: Node, other: Node, tau: float) -> None:
    a, b = from_nested(one), from_nested(other)
    assert within(a, b, tau) == (literal_distance((one,), (other,)) <= tau * max(len(a), len(b)))


def test_within_fills_no_cells_where_some_mapping_is_cheap_enough() -> None:
    a, b = random_tree(30, 3, 1), random_tree(30, 3, 2)
    high = upper_bound(a, b)
    assert cost(a, b) > 0  # the distance does
    assert within(a, b, high / 30, budget=0) is True
    assert within(a, b, (high - 1) / 30, budget=0) is None


def test_the_most_edits_are_exact_where_binary_fractions_are_not() -> None:
    hundred = random_tree(100, 3, 1)
    assert most_edits(hundred, tree(1), 0.29) == 29
    assert most_edits(tree(1), hundred, 0.289) == 28
    assert most_edits(tree(1), tree(2), 0.99) == 0
