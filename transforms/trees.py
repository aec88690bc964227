"""Labelled ordered trees as flat arrays: what edit distance and pq-grams work on.

Nodes are numbered in post-order, so the subtree of node i is the range `left[i] .. i`, and the nodes before that range
are those to the left of i. Labels are integers; what they stand for, a tag or the hash of a text, is the caller's.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TypeAlias, Union

import numpy as np
from numpy.typing import NDArray

from transforms.arrays import Ints
from transforms.exceptions import NotATree

Nested: TypeAlias = Sequence[Union[int, "Nested"]]  # a label, then the subtrees: (1, (2,), (3, (4,)))

FINGERPRINT_BYTES = 16  # two of 10**12 different trees share one with a chance of 10**-15

_HEADER = struct.Struct("<IIBB")  # nodes, different labels, bytes a label, bytes a place in the table of labels
_WIDTHS = (1, 2, 4, 8)
# From here on, 2**20 code points that every Unicode string can hold.
_FIRST_CHARACTER, _CHARACTERS = 0x10000, 0x100000


@dataclass(frozen=True, eq=False)
class Tree:
    """A tree of at least one node; compared by shape and labels. Small and picklable."""

    labels: NDArray[np.int64]  # of the nodes in post-order
    left: Ints  # the first node of each node's subtree, which is its leftmost leaf

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return np.array_equal(self.left, other.left) and np.array_equal(self.labels, other.labels)

    def __hash__(self) -> int:
        return hash((self.labels.tobytes(), self.left.tobytes()))

    def __getstate__(self) -> dict[str, object]:
        return {"labels": self.labels, "left": self.left}

    @cached_property
    def size(self) -> Ints:
        """The number of nodes in each node's subtree, itself included."""
        return np.arange(1, len(self) + 1) - self.left

    @cached_property
    def depth(self) -> Ints:
        """The number of ancestors of each node."""
        # Subtrees that began at or before node i, less those that ended before it, less its own.
        begun = np.cumsum(np.bincount(self.left, minlength=len(self)))
        return begun - np.arange(1, len(self) + 1)

    @cached_property
    def parent(self) -> Ints:
        """The parent of each node; -1 for the root."""
        # In post-order a node's parent is the first node after it that is one level up.
        order = np.argsort(self.depth, kind="stable")
        rank = self.depth[order] * len(self) + order
        place = np.searchsorted(rank, (self.depth - 1) * len(self) + np.arange(len(self)))
        parent: Ints = order[np.minimum(place, len(self) - 1)]
        parent[-1] = -1
        return parent

    @cached_property
    def preorder(self) -> Ints:
        """The nodes in pre-order."""
        order = np.empty(len(self), dtype=np.int64)
        order[self.left + self.depth] = np.arange(len(self))  # before a node stand its ancestors and what is left of it
        return order

    @cached_property
    def mirrored(self) -> Tree:
        """The same tree with every row of siblings reversed."""
        order = self.preorder[::-1]
        return Tree(self.labels[order], np.arange(1, len(self) + 1) - self.size[order])

    @cached_property
    def texts(self) -> tuple[str, str]:
        """The labels in pre-order and in post-order as strings of one character a node.

        Equal labels have equal characters. Different labels may share one, so distances can only shrink.
        """
        codes = (self.labels % _CHARACTERS + _FIRST_CHARACTER).astype("<u4")
        return codes[self.preorder].tobytes().decode("utf-32-le"), codes.tobytes().decode("utf-32-le")

    def encode(self) -> bytes:
        """The tree as bytes: the same for equal trees on every machine, different for different ones.

        Two bits a node for the shape, one to four bytes for its place in the table of labels, and the table.
        """
        table, place = np.unique(self.labels, return_inverse=True)
        label_width = next(width for width in _WIDTHS if _fits(table, width))
        place_width = next(width for width in _WIDTHS if len(table) <= 1 << 8 * width)
        brackets = np.zeros(2 * len(self), dtype=np.uint8)
        # Before the i-th node in pre-order begins, i nodes have begun and all but its ancestors of them have ended.
        brackets[2 * np.arange(len(self)) - self.depth[self.preorder]] = 1
        return b"".join(
            (
                _HEADER.pack(len(self), len(table), label_width, place_width),
                np.packbits(brackets).tobytes(),
                table.astype(f"<i{label_width}").tobytes(),
                place.astype(f"<u{place_width}").tobytes(),
            )
        )

    @cached_property
    def fingerprint(self) -> bytes:
        """The same for equal trees, in every process and on every machine; different for different ones (BLAKE2b)."""
        return blake2b(self.encode(), digest_size=FINGERPRINT_BYTES).digest()


def decode(encoded: bytes) -> Tree:
    """The tree that was encoded."""
    try:
        nodes, labels, label_width, place_width = _HEADER.unpack_from(encoded)
        shape_end = _HEADER.size + -(-2 * nodes // 8)
        table_end = shape_end + labels * label_width
        if len(encoded) != table_end + nodes * place_width:
            raise ValueError("it is cut short, or something follows it")
        brackets = np.unpackbits(np.frombuffer(encoded[_HEADER.size : shape_end], np.uint8), count=2 * nodes)
        table = np.frombuffer(encoded[shape_end:table_end], f"<i{label_width}").astype(np.int64)
        postorder = table[np.frombuffer(encoded[table_end:], f"<u{place_width}")]
    except (struct.error, ValueError, TypeError, IndexError) as error:
        raise NotATree(f"these bytes are no encoded tree: {error}") from error
    begins = np.flatnonzero(brackets)
    if len(begins) != nodes:
        raise NotATree("these bytes are no encoded tree: not every node that begins ends")
    depth = 2 * np.arange(nodes) - begins
    tree = from_preorder(depth, np.zeros(nodes, dtype=np.int64))
    return Tree(postorder, tree.left)


def from_preorder(depth: Ints, labels: Ints) -> Tree:
    """The tree whose nodes have these depths and labels in pre-order, as a page has its elements. O(n log n)."""
    depth = np.asarray(depth, dtype=np.int64)
    if not len(depth) or len(depth) != len(labels):
        raise NotATree(f"{len(depth)} depths and {len(labels)} labels: a tree has as many of both, and at least one")
    depth = depth - depth[0]
    if (depth[1:] <= 0).any() or (np.diff(depth) > 1).any():
        raise NotATree("depths in pre-order begin at the root, stay below it, and grow by one at most at a time")
    count = len(depth)
    # After each node end as many nodes as its depth exceeds that of the next, and one; innermost first.
    ends = depth - np.append(depth[1:], 0) + 1
    first = np.cumsum(ends) - ends
    end_depth = np.repeat(depth + first, ends) - np.arange(count)
    # On one level beginnings and ends alternate: the n-th to begin is the n-th to end.
    begins_in_order, ends_in_order = np.argsort(depth, kind="stable"), np.argsort(end_depth, kind="stable")
    node = np.empty(count, dtype=np.int64)  # post-order -> pre-order
    node[ends_in_order] = begins_in_order
    return Tree(np.asarray(labels, dtype=np.int64)[node], node - depth[node])


def from_nested(nested: Nested) -> Tree:
    """The tree written as nested sequences: `(1, (2,), (3, (4,)))` is a root 1 with children 2 and 3, and 4 below 3."""
    depths, labels = [], []
    waiting: list[tuple[int, Nested]] = [(0, nested)]
    while waiting:
        depth, (label, *children) = waiting.pop()
        if not isinstance(label, int):
            raise NotATree(f"a subtree begins with its label, an integer, not with {label!r}")
        depths.append(depth)
        labels.append(label)
        for child in reversed(children):
            if isinstance(child, int):
                raise NotATree(f"subtrees are sequences themselves: write ({child},) for a leaf {child}")
            waiting.append((depth + 1, child))
    return from_preorder(np.array(depths), np.array(labels))


def _fits(table: NDArray[np.int64], width: int) -> bool:
    limits = np.iinfo(f"<i{width}")
    return bool(limits.min <= table[0] and table[-1] <= limits.max)
