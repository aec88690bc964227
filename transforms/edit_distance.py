"""Tree edit distance: the fewest nodes to insert, delete and relabel that turn one ordered tree into the other.

Tai, The Tree-to-Tree Correction Problem (1979), with unit costs. The distance is that of the cheapest *mapping*: pairs
of nodes, one of either tree, that keep ancestors and the order from left to right; it costs one for each pair with
different labels and one for each node that is in no pair.

The dynamic programme is that of Zhang and Shasha (Simple Fast Algorithms for the Editing Distance between Trees and
Related Problems, 1989). Around it: equal parts at both ends are left out; tables that cannot matter for at most k edits
are left out, after Touzet (A Linear Tree Edit Distance Algorithm for Similar Ordered Trees, 2005); trees are read from
the right if that makes fewer cells; and the number of cells is known, and bounded, before the first is filled.
"""

from __future__ import annotations

from math import floor

from transforms.bounds import lower_bound
from transforms.edit_plan import plan
from transforms.edit_tables import by_cells, by_rows
from transforms.trees import Tree

# Cells of the dynamic programme; see docs/algorithms.md for what they cost.
BUDGET = 20_000_000
# Up to here single cells are faster than whole rows (python -m bench.trees).
FEW_CELLS = 4_000
# So that 0.29 of 100 nodes are 29, although 0.29 * 100 is a little less in binary.
_ROUNDING = 1e-9


def distance(a: Tree, b: Tree, at_most: int | None = None, *, budget: int = BUDGET) -> int | None:
    """The edit distance of two trees; `at_most + 1` if it is more than `at_most`; None if the budget does not suffice.

    O(|a| |b| min(depth, leaves)^2) time for the smaller of both, less with `at_most`; O(|a| |b|) space.
    """
    if a == b:
        return 0
    if at_most is not None and lower_bound(a, b, at_most) > at_most:
        return at_most + 1
    planned = plan(a, b, at_most)
    if planned.cells > budget:
        return None
    found = (by_cells if planned.cells <= FEW_CELLS else by_rows)(planned)
    return found if at_most is None else min(found, at_most + 1)


def cost(a: Tree, b: Tree, at_most: int | None = None) -> int:
    """How many cells `distance` would have to fill, were there neither lower bounds nor a budget."""
    return plan(a, b, at_most).cells


def most_edits(a: Tree, b: Tree, tau: float) -> int:
    """The greatest distance that is at most `tau` when divided by the size of the larger tree."""
    return floor(tau * max(len(a), len(b)) + _ROUNDING)


def within(a: Tree, b: Tree, tau: float, *, budget: int = BUDGET) -> bool | None:
    """Whether the distance is at most `tau` of the size of the larger tree; None if the budget does not suffice."""
    at_most = most_edits(a, b, tau)
    found = distance(a, b, at_most, budget=budget)
    return None if found is None else found <= at_most
