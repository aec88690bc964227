"""What the dynamic programme of tree edit distance has to compute, before any of it is: trimming, pruning, counting."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from transforms.arrays import Bools, Ints
from transforms.trees import Tree


@dataclass(frozen=True)
class Plan:
    """The tables to fill, one for each pair of paths, in an order in which they can be filled.

    A *path* is the nodes that share a leftmost leaf. The distance of the subtrees of x and y comes out of the table of
    their paths. It has a row for each node of `a` from the leaf of the path on, and a column for each such node of `b`.
    """

    a: Tree
    b: Tree
    at_most: int | None  # greater distances need not be told apart
    leaf_a: Ints  # the first row and the first column of each table, in descending order of both,
    leaf_b: Ints
    last_a: Ints  # and the last that are needed
    last_b: Ints

    @cached_property
    def groups(self) -> Ints:
        """Where the tables of each path of `a` begin."""
        return np.flatnonzero(np.diff(self.leaf_a, prepend=-1))

    @cached_property
    def cells(self) -> int:
        """How many cells there are, all tables of a path of `a` being as long as the longest. No more are computed."""
        if not len(self.groups):
            return 0
        rows = np.maximum.reduceat(self.last_a, self.groups) - self.leaf_a[self.groups] + 1
        return int(rows @ np.add.reduceat(self.last_b - self.leaf_b + 1, self.groups))


def plan(a: Tree, b: Tree, at_most: int | None = None) -> Plan:
    """The cheapest way to the distance, as far as it can be told beforehand. O(|a| |b|) with `at_most`."""
    if _rows(a.mirrored) * _rows(b.mirrored) < _rows(a) * _rows(b):
        a, b = a.mirrored, b.mirrored
    if _rows(b) < _rows(a):
        a, b = b, a  # steps are rows
    return _all_pairs(a, b) if at_most is None else _relevant_pairs(a, b, at_most)


def trimmed(a: Tree, b: Tree) -> tuple[Tree, Tree]:
    """Two trees with the same distance: without equal subtrees that begin or end the children of equal roots.

    Roots with the same label may be mapped onto each other in a cheapest mapping: if one has another partner, the other
    has none, for nothing stands above a root; and it can take that partner's place. So the forests below decide.

    Let these begin with the same tree T, followed by the forests F and G. If a node of the first T is mapped into G, no
    node of F is mapped into the second T: it stands right of that node, its partner would stand left. So all pairs of a
    mapping that touch a T contain a node of the same one, and are |T| at most. Putting T onto T in their place costs no
    more: there are no fewer pairs, and these all have equal labels. The same holds at the other end.
    """
    while a.labels[-1] == b.labels[-1] and len(a) > 1 and len(b) > 1:
        begin = _equal_first_children(a, b)
        end = _equal_last_children(a, b, min(len(a), len(b)) - 1 - begin)
        a, b = _without(a, begin, end), _without(b, begin, end)
        only_children = len(a) > 1 and len(b) > 1 and a.left[-2] == 0 and b.left[-2] == 0
        if not only_children or a.labels[-2] != b.labels[-2]:
            break
        a, b = Tree(a.labels[:-1], a.left[:-1]), Tree(b.labels[:-1], b.left[:-1])
    return a, b


def _equal_first_children(a: Tree, b: Tree) -> int:
    """How many nodes the equal subtrees have that come first among the children of both roots."""
    shorter = min(len(a), len(b)) - 1
    equal = _first_false((a.labels[:shorter] == b.labels[:shorter]) & (a.left[:shorter] == b.left[:shorter]))
    children = np.flatnonzero((a.depth[:equal] == 1) & (b.depth[:equal] == 1))
    return int(children[-1]) + 1 if len(children) else 0


def _equal_last_children(a: Tree, b: Tree, nodes: int) -> int:
    """How many nodes the equal subtrees have that come last among the children of both roots, of at most so many."""
    end_a, end_b = slice(len(a) - 1 - nodes, len(a) - 1), slice(len(b) - 1 - nodes, len(b) - 1)
    same = (a.labels[end_a] == b.labels[end_b]) & (a.size[end_a] == b.size[end_b])
    equal = _first_false(same[::-1])
    # The last child is the last node but the root, in both trees, and if it is equal so is the place of the one before.
    sizes = len(a) - 1 - a.left[:-1][a.depth[:-1] == 1]
    return int(sizes[sizes <= equal].max(initial=0))


def _first_false(flags: Bools) -> int:
    return len(flags) if flags.all() else int(flags.argmin())


def _without(tree: Tree, begin: int, end: int) -> Tree:
    """The tree without so many nodes at its beginning, and at its end before the root."""
    if not begin and not end:
        return tree
    kept = slice(begin, len(tree) - 1 - end)
    return Tree(np.append(tree.labels[kept], tree.labels[-1]), np.append(tree.left[kept] - begin, 0))


def _paths(tree: Tree) -> tuple[Ints, Ints]:
    """The leaf at which each path begins and the node at which it ends, leaves in descending order."""
    top = np.full(len(tree), -1)
    top[tree.left] = np.arange(len(tree))  # of several values for one place the last stays
    leaf = np.flatnonzero(top >= 0)[::-1]
    return leaf, top[leaf]


def _rows(tree: Tree) -> int:
    leaf, top = _paths(tree)
    return int((top - leaf + 1).sum())


def _all_pairs(a: Tree, b: Tree) -> Plan:
    leaf_a, top_a = _paths(a)
    leaf_b, top_b = _paths(b)
    each, times = len(leaf_b), len(leaf_a)
    return Plan(
        a, b, None, np.repeat(leaf_a, each), np.tile(leaf_b, times), np.repeat(top_a, each), np.tile(top_b, times)
    )


def _relevant_pairs(a: Tree, b: Tree, at_most: int) -> Plan:
    """The tables that hold a relevant pair of nodes, up to the last row and the last column with one.

    A pair of a mapping parts the other nodes of both trees into those below, above, left and right of it, and pairs are
    of nodes in the same part. So if these parts differ in size by more than k altogether, the mapping costs more than k
    (after Touzet 2005, who compares left, below and right).
    """
    kind = np.int16 if max(len(a), len(b)) < 1 << 13 else np.int32  # four differences fit
    difference = np.zeros((len(a), len(b)), dtype=kind)
    part = np.empty_like(difference)
    for part_a, part_b in zip(_parts(a), _parts(b), strict=True):
        np.subtract(part_a.astype(kind)[:, None], part_b.astype(kind), out=part)
        difference += np.abs(part, out=part)
    relevant = difference <= at_most
    last_a, last_b = np.full((2, len(a) * len(b)), -1, dtype=np.int32)
    # Of several values for one place the last stays: x and y ascend.
    x, y = np.nonzero(relevant)
    last_a[a.left[x] * len(b) + b.left[y]] = x
    y, x = np.nonzero(relevant.T)
    last_b[a.left[x] * len(b) + b.left[y]] = y
    table = np.flatnonzero(last_a >= 0)[::-1]
    return Plan(a, b, at_most, table // len(b), table % len(b), last_a[table], last_b[table])


def _parts(tree: Tree) -> tuple[Ints, Ints, Ints, Ints]:
    """How many nodes stand below, above, left and right of each node."""
    below, above = tree.size - 1, tree.depth
    return below, above, tree.left, len(tree) - 1 - below - above - tree.left
