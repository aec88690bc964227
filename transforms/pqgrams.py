"""pq-grams of a tree, and MinHash over them: which trees are worth a comparison, without comparing any two.

Augsten, Böhlen, Gamper, Approximate Matching of Hierarchical Data Using pq-Grams (2005): a pq-gram is a node with its
p - 1 nearest ancestors (the stem) and q of its children in a row (the base); where there are none, dummies stand. Trees
that differ in few nodes share most of their pq-grams. Broder, On the Resemblance and Containment of Documents (1997):
two sets agree in each number of their signatures with the probability of their Jaccard similarity.

All arithmetic is on 64 bits without sign and wraps around: the same in every process and on every machine.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from transforms.exceptions import BadParameter
from transforms.trees import Tree

Hashes = NDArray[np.uint64]

P, Q = 2, 3  # as in the paper's experiments
SIGNATURE_LENGTH = 64
BUCKET_BYTES = 8

_DUMMY = np.uint64(0x2545F4914F6CDD1D)  # stands where there is no node; no label is mixed to it but one in 2**64
# The constants of SplitMix64 (Steele, Lea, Flood, 2014).
_STEP, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def mix(values: Hashes) -> Hashes:
    """Scatter 64-bit numbers, one to one: the output function of SplitMix64."""
    values = (values ^ (values >> np.uint64(30))) * _FIRST
    values = (values ^ (values >> np.uint64(27))) * _SECOND
    return values ^ (values >> np.uint64(31))


def pq_grams(tree: Tree, p: int = P, q: int = Q) -> Hashes:
    """The hash of each pq-gram of a tree, in no promised order; equal ones as often as they occur. O(n (p + q)).

    A leaf has one, a node with f children f + q - 1; dummies stand before and behind the children.
    """
    if p < 1 or q < 1:
        raise BadParameter(f"p={p}, q={q}: a pq-gram has at least the node itself and one child")
    label = np.append(mix(tree.labels.astype(np.uint64) + _STEP), _DUMMY)  # the last is that of no node, -1
    parent = np.append(tree.parent, -1)
    node = np.arange(len(tree))
    stem = np.zeros(len(tree), dtype=np.uint64)
    for _ in range(p):
        stem = mix(stem * _STEP + label[node])
        node = parent[node]
    row, start = _rows(tree, q)
    windows = np.bincount(tree.parent[:-1], minlength=len(tree)) + q - 1
    windows[tree.size == 1] = 1
    owner = np.repeat(np.arange(len(tree)), windows)
    place = start[owner] + np.arange(len(owner)) - (np.cumsum(windows) - windows)[owner]
    gram = stem[owner]
    for step in range(q):
        gram = mix(gram * _STEP + label[row[place + step]])
    return gram


def _rows(tree: Tree, q: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The children of all nodes one after the other, with dummies (-1) around each row, and where each row begins."""
    children = np.bincount(tree.parent[:-1], minlength=len(tree))
    lengths = children + 2 * (q - 1)
    lengths[children == 0] = q
    start = np.cumsum(lengths) - lengths
    row = np.full(int(lengths.sum()), -1)
    order = np.argsort(tree.parent[:-1], kind="stable")  # by parent, and from left to right
    number = np.arange(len(order)) - (np.cumsum(children) - children)[tree.parent[order]]
    row[start[tree.parent[order]] + q - 1 + number] = order
    return row, start


def numbered(grams: Hashes) -> Hashes:
    """A set in place of a multiset: of equal hashes, the second becomes another than the first, and so on. Sorted.

    Two such sets have as many elements in common as the multisets.
    """
    grams = np.sort(grams)
    begins = np.append(True, grams[1:] != grams[:-1])
    place = np.arange(len(grams))
    occurrence = place - np.maximum.accumulate(np.where(begins, place, 0))
    return np.sort(mix(grams + occurrence.astype(np.uint64) * _STEP))


def similarity(a: Tree, b: Tree, p: int = P, q: int = Q) -> float:
    """The Jaccard similarity of the pq-grams of two trees: what signatures estimate."""
    one, other = numbered(pq_grams(a, p, q)), numbered(pq_grams(b, p, q))
    shared = len(np.intersect1d(one, other, assume_unique=True))
    return shared / (len(one) + len(other) - shared)


def signature(tree: Tree, length: int = SIGNATURE_LENGTH, p: int = P, q: int = Q) -> NDArray[np.uint32]:
    """The MinHash of a tree's pq-grams: `length` numbers, each the least of all grams in an order of its own.

    The share of numbers in which two signatures agree estimates `similarity`, with a standard deviation of at most
    1 / (2 sqrt(length)). O(n * length).
    """
    grams = numbered(pq_grams(tree, p, q))
    least: Hashes = mix(grams[None, :] ^ _seeds(length)[:, None]).min(axis=1)
    return (least >> np.uint64(32)).astype(np.uint32)


def bands(signature: NDArray[np.uint32], rows: int) -> tuple[bytes, ...]:
    """A key for each `rows` numbers of a signature; trees that share one are candidates.

    Of similarity s, two trees share one of b keys with probability 1 - (1 - s^rows)^b: a step near (1/b)^(1/rows).
    A key knows its place, so all can lie in one table.
    """
    if rows < 1 or len(signature) % rows:
        raise BadParameter(f"rows={rows}: a signature of {len(signature)} numbers is cut into equal parts")
    parts = signature.astype("<u4").reshape(-1, rows)
    return tuple(
        blake2b(part.tobytes(), digest_size=BUCKET_BYTES, salt=number.to_bytes(4, "little")).digest()
        for number, part in enumerate(parts)
    )


@cache
def _seeds(length: int) -> Hashes:
    seeds = mix(np.arange(1, length + 1, dtype=np.uint64) * _STEP)
    seeds.setflags(write=False)
    return seeds
