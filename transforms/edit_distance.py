"""Tree edit distance: the fewest nodes to insert, delete and relabel that turn one ordered tree into the other.

Tai, The Tree-to-Tree Correction Problem (1979), with unit costs. The distance is that of the cheapest *mapping*: pairs
of nodes, one of either tree, that keep ancestors and the order from left to right; it costs one for each pair with
different labels and one for each node that is in no pair.

The dynamic programme is that of Zhang and Shasha (Simple Fast Algorithms for the Editing Distance between Trees and
Related Problems, 1989). Around it: nothing is computed where bounds decide; equal parts at both ends are left out, and
so are tables that cannot matter for at most k edits, after Touzet (A Linear Tree Edit Distance Algorithm for Similar
Ordered Trees, 2005); trees are read from the right if that makes fewer cells; and the number of cells is known, and
bounded, before the first is filled.
"""

from __future__ import annotations

from math import floor

from transforms.bounds import lower_bound, upper_bound
from transforms.edit_plan import Plan, plan, trimmed
from transforms.edit_tables import by_cells, by_rows
from transforms.trees import Tree

# Cells of the dynamic programme; see docs/algorithms.md for what they cost.
BUDGET = 20_000_000
# Up to here single cells are faster than whole rows (python -m bench.trees).
FEW_CELLS = 2_500
# So that 0.29 of 100 nodes are 29, although 0.29 * 100 is a little less in binary.
_ROUNDING = 1e-9


def distance(a: Tree, b: Tree, at_most: int | None = None, *, budget: int = BUDGET) -> int | None:
    """The edit distance of two trees; `at_most + 1` if it is more than `at_most`; None if the budget does not suffice.

    O(|a| |b| min(depth, leaves)^2) time if bounds do not decide, less the nearer the trees are; O(|a| |b|) space.
    """
    found = _bounded(a, b, at_most, budget)
    if isinstance(found, Plan):
        if found.cells > budget:
            return None
        found = (by_cells if found.cells <= FEW_CELLS else by_rows)(found)
    return found if found is None or at_most is None else min(found, at_most + 1)


def cost(a: Tree, b: Tree, at_most: int | None = None, *, budget: int = BUDGET) -> int:
    """How many cells `distance` has to fill, 0 if bounds decide; beyond the budget, some number that is."""
    found = _bounded(a, b, at_most, budget)
    if found is None:
        return budget + 1
    return found.cells if isinstance(found, Plan) else 0


def _bounded(a: Tree, b: Tree, at_most: int | None, budget: int) -> int | Plan | None:
    """The distance, or a number between `at_most` and it, if bounds decide; else a plan; None for trees too large."""
    if a == b:
        return 0
    low = lower_bound(a, b, at_most)
    if at_most is not None and low > at_most:
        return low
    high = upper_bound(a, b)
    if low == high:
        return low
    a, b = trimmed(a, b)
    if len(a) * len(b) > budget:  # a plan looks at all pairs of nodes
        return None
    return plan(a, b, high if at_most is None else min(at_most, high))


def most_edits(a: Tree, b: Tree, tau: float) -> int:
    """The greatest distance that is at most `tau` when divided by the size of the larger tree."""
    return floor(tau * max(len(a), len(b)) + _ROUNDING)


def within(a: Tree, b: Tree, tau: float, *, budget: int = BUDGET) -> bool | None:
    """Whether the distance is at most `tau` of the size of the larger tree; None if the budget does not suffice.

    Cheaper than the distance, which near duplicates need not have computed: any mapping that costs no more will do.
    """
    at_most = most_edits(a, b, tau)
    if lower_bound(a, b, at_most) > at_most:
        return False
    if upper_bound(a, b) <= at_most:
        return True
    found = distance(a, b, at_most, budget=budget)
    return None if found is None else found <= at_most
