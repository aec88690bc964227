"""The dynamic programme of Zhang and Shasha, in two ways: few cells one by one, many cells a row at a time.

The table of two paths holds the distances of *prefixes*: the nodes from the leaf of the path to node x, and those of
the other tree to node y. With x and y last, the cheapest mapping leaves x out, or y, or pairs them; if x and y are on
the paths, the prefixes are their subtrees, and their distance is noted for larger tables.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from transforms.edit_plan import Plan

_FAR = 1 << 28  # more than any distance, and a sum of a few is an int32 still


def by_cells(plan: Plan) -> int:
    """The distance, at most `_FAR`; exact if it is within the plan's limit.

    A prefix that has e nodes more than the other is no nearer than e. In a mapping of at most k edits, the table of two
    paths accounts for those that the difference in nodes left of the paths does not: the rest of the table is left out.
    """
    left_a, left_b = plan.a.left.tolist(), plan.b.left.tolist()
    labels_a, labels_b = plan.a.labels.tolist(), plan.b.labels.tolist()
    limit = _FAR if plan.at_most is None else plan.at_most
    distances = [[_FAR] * len(left_b) for _ in left_a]
    tables = zip(*(each.tolist() for each in (plan.leaf_a, plan.leaf_b, plan.last_a, plan.last_b)), strict=True)
    for leaf_a, leaf_b, last_a, last_b in tables:
        width = last_b - leaf_b + 1
        spare = limit - abs(leaf_a - leaf_b)
        previous = list(range(width + 1))
        rows = [previous]
        columns = [(place - leaf_b, node) for node, place in enumerate(left_b[leaf_b : last_b + 1], leaf_b)]
        for number, x in enumerate(range(leaf_a, last_a + 1), 1):
            on_path = left_a[x] == leaf_a
            before = rows[left_a[x] - leaf_a]
            known, label = distances[x], labels_a[x]
            row = [_FAR] * (width + 1)
            start = max(number - spare, 1)
            value = row[start - 1] = number if start == 1 else _FAR
            for column in range(start, min(number + spare, width) + 1):
                place, y = columns[column - 1]
                value = min(value, previous[column]) + 1
                if on_path and not place:
                    value = min(value, previous[column - 1] + (label != labels_b[y]))
                    known[y] = value
                else:
                    value = min(value, before[place] + known[y])
                row[column] = value
            rows.append(row)
            previous = row
    return distances[-1][-1]


def by_rows(plan: Plan) -> int:
    """The distance, at most `_FAR`; exact if it is within the plan's limit. The memory is the longest path's tables.

    All tables of a path of `a` are filled side by side, each row in one go. Along a row, inserting y is a running
    minimum: with the column subtracted, inserting costs nothing.

    Where the row's prefix is the subtree of x, a column needs its distance from the subtree of y, which may stand in
    the same row of another table. Instead x is paired with y, which needs only the row before; leaving out either is
    tried anyhow.
    """
    a, b = plan.a, plan.b
    distances = np.full((len(a), len(b) + 1), _FAR, dtype=np.int32)  # one more: the node of columns that have none
    bounds = [*plan.groups.tolist(), len(plan.leaf_a)]
    for begin, end in pairwise(bounds):
        _fill(plan, slice(begin, end), distances)
    return int(distances[-1, -2])


def _fill(plan: Plan, group: slice, distances: NDArray[np.int32]) -> None:
    """Fill the tables of one path of `a` and note the distances of its subtrees."""
    a, b = plan.a, plan.b
    leaf_a, last_a = int(plan.leaf_a[group.start]), int(plan.last_a[group].max())
    widths = plan.last_b[group] - plan.leaf_b[group] + 2  # the first column of each table is the empty prefix
    starts = np.cumsum(widths) - widths
    table = np.repeat(np.arange(len(widths)), widths)
    column = np.arange(len(table))
    nodes_in_prefix = column - starts[table]
    leaf = plan.leaf_b[group][table]
    node = leaf + nodes_in_prefix - 1
    node[starts] = 0
    before = starts[table] + b.left[node] - leaf  # the column of the prefix that ends before the subtree of the node
    own = np.flatnonzero((b.left[node] == leaf) & (nodes_in_prefix > 0))  # the prefix is the subtree of the node
    own_node, own_labels = node[own], b.labels[node[own]]
    node[starts], before[starts] = len(b), 0
    # Between tables the running minimum must begin anew: a step that no value makes up for.
    step = len(a) + 2 * len(b) + 1
    kind = np.int32 if len(widths) * step + _FAR < 1 << 31 else np.int64
    ramp = (nodes_in_prefix + table * step).astype(kind)
    rows = np.empty((last_a - leaf_a + 2, len(column)), dtype=kind)
    rows[0] = nodes_in_prefix
    paired = np.full(len(b) + 1, _FAR, dtype=np.int32)
    for number, (x, left, label) in enumerate(
        zip(range(leaf_a, last_a + 1), a.left[leaf_a:].tolist(), a.labels[leaf_a:].tolist(), strict=False), 1
    ):
        previous, row = rows[number - 1], rows[number]
        if left == leaf_a:
            paired[own_node] = previous[own - 1] + (own_labels != label)
        np.take(rows[left - leaf_a], before, out=row)
        row += (paired if left == leaf_a else distances[x])[node]
        np.minimum(row, previous + 1, out=row)
        row -= ramp
        np.minimum.accumulate(row, out=row)
        row += ramp
        if left == leaf_a:
            distances[x, own_node] = row[own]
