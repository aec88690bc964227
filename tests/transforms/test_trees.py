"""Trees as flat arrays: numbering, builders, bytes and fingerprints, by hand and against nested tuples."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
from forests import Node, literal_size, nodes, trees
from hypothesis import given
from hypothesis import strategies as st

from transforms.exceptions import NotATree
from transforms.trees import Tree, decode, from_nested, from_preorder

#            root 1
#       2      3      4
#     5   6           7
#                     8
EXAMPLE = (1, (2, (5,), (6,)), (3,), (4, (7, (8,))))


def postorder(node: Node) -> Iterator[Node]:
    for child in node[1:]:
        yield from postorder(child)
    yield node


def preorder(node: Node, depth: int = 0) -> Iterator[tuple[int, int]]:
    yield depth, node[0]
    for child in node[1:]:
        yield from preorder(child, depth + 1)


def reversed_children(node: Node) -> Node:
    return (node[0], *(reversed_children(child) for child in reversed(node[1:])))


# Numbering


def test_the_arrays_of_a_tree_by_hand() -> None:
    tree = from_nested(EXAMPLE)
    assert tree.labels.tolist() == [5, 6, 2, 3, 8, 7, 4, 1]
    assert tree.left.tolist() == [0, 1, 0, 3, 4, 4, 4, 0]
    assert tree.size.tolist() == [1, 1, 3, 1, 1, 2, 3, 8]
    assert tree.depth.tolist() == [2, 2, 1, 1, 3, 2, 1, 0]
    assert tree.parent.tolist() == [2, 2, 7, 7, 5, 6, 7, -1]
    assert tree.labels[tree.preorder].tolist() == [1, 2, 5, 6, 3, 4, 7, 8]


@given(nodes)
def test_nodes_are_numbered_in_post_order(node: Node) -> None:
    tree = from_nested(node)
    expected = list(postorder(node))
    assert tree.labels.tolist() == [inner[0] for inner in expected]
    assert tree.size.tolist() == [literal_size(inner) for inner in expected]
    assert len(tree) == len(expected)


@given(trees)
def test_the_parent_is_the_smallest_subtree_around_a_node(tree: Tree) -> None:
    left = tree.left.tolist()
    for node, (parent, depth) in enumerate(zip(tree.parent.tolist(), tree.depth.tolist(), strict=True)):
        around = [other for other in range(node + 1, len(tree)) if left[other] <= node]
        assert parent == min(around, default=-1)
        assert depth == len(around)


@given(nodes)
def test_pre_order_gives_back_what_the_tree_was_made_of(node: Node) -> None:
    tree = from_nested(node)
    assert list(zip(tree.depth[tree.preorder].tolist(), tree.labels[tree.preorder].tolist(), strict=True)) == list(
        preorder(node)
    )


@given(nodes)
def test_a_mirrored_tree_has_its_children_reversed(node: Node) -> None:
    assert from_nested(node).mirrored == from_nested(reversed_children(node))


# Builders


def test_depths_may_begin_anywhere() -> None:
    labels = np.array([1, 2, 3])
    assert from_preorder(np.array([7, 8, 9]), labels) == from_preorder(np.array([0, 1, 2]), labels)


def test_a_tree_may_be_deeper_than_the_stack_of_the_interpreter() -> None:
    deep = 5 * sys.getrecursionlimit()
    tree = from_preorder(np.arange(deep), np.arange(deep))
    assert tree.left.tolist() == [0] * deep
    assert tree.labels[0] == deep - 1
    assert decode(tree.encode()) == tree


@pytest.mark.parametrize(
    ("depths", "labels"),
    [
        ([], []),
        ([0, 1], [1]),
        ([0, 0], [1, 2]),  # two roots
        ([1, 2, 0], [1, 2, 3]),  # a node above the root
        ([0, 2], [1, 2]),  # a level left out
    ],
)
def test_depths_that_are_no_tree_are_refused(depths: list[int], labels: list[int]) -> None:
    with pytest.raises(NotATree):
        from_preorder(np.array(depths, dtype=np.int64), np.array(labels, dtype=np.int64))


def test_a_nested_tree_without_a_label_is_refused() -> None:
    with pytest.raises(NotATree, match="begins with its label"):
        from_nested(((1,), 2))
    with pytest.raises(NotATree, match="subtrees are sequences"):
        from_nested((1, 2))


# Equality


@given(nodes, nodes)
def test_trees_are_equal_when_shape_and_labels_are(one: Node, other: Node) -> None:
    a, b = from_nested(one), from_nested(other)
    assert (a == b) == (one == other)
    assert (a.fingerprint == b.fingerprint) == (one == other)
    assert (a.encode() == b.encode()) == (one == other)
    assert hash(a) == hash(from_nested(one))


def test_a_tree_equals_nothing_that_is_no_tree() -> None:
    assert from_nested((1,)) != (1,)


# Bytes


@given(nodes, st.lists(st.integers(-(2**63), 2**63 - 1), min_size=3, max_size=3))
def test_decoding_undoes_encoding(node: Node, labels: list[int]) -> None:
    shape = from_nested(node)
    tree = Tree(np.array(labels)[shape.labels], shape.left)
    assert decode(tree.encode()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree  # noqa: S301 - our own bytes


def test_many_different_labels_are_kept() -> None:
    tree = from_preorder(np.minimum(np.arange(70_000), 1), np.arange(70_000) - 35_000)
    assert decode(tree.encode()) == tree


def test_a_tree_of_few_labels_takes_little_more_than_a_byte_a_node() -> None:
    tree = from_preorder(np.minimum(np.arange(1000), 1), np.arange(1000) % 7)
    # 10 bytes in front, two bits a node, seven labels of one byte, one byte a node
    assert len(tree.encode()) == 10 + 250 + 7 + 1000


@pytest.mark.parametrize("cut", [0, 5, 11, -1])
def test_bytes_that_are_cut_short_are_refused(cut: int) -> None:
    with pytest.raises(NotATree):
        decode(from_nested(EXAMPLE).encode()[:cut])


def test_bytes_with_something_behind_are_refused() -> None:
    with pytest.raises(NotATree):
        decode(from_nested(EXAMPLE).encode() + b"\0")


@given(st.binary(max_size=40))
def test_bytes_of_any_kind_are_a_tree_or_are_refused(raw: bytes) -> None:
    try:
        tree = decode(raw)
    except NotATree:
        return
    assert len(tree) == tree.size[-1]


def test_fingerprints_do_not_depend_on_the_process() -> None:
    code = f"from transforms.trees import from_nested; print(from_nested({EXAMPLE}).fingerprint.hex())"
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert seen == {from_nested(EXAMPLE).fingerprint.hex()}


# Labels as characters


@given(nodes)
def test_texts_have_a_character_a_node_and_equal_ones_for_equal_labels(node: Node) -> None:
    tree = from_nested(node)
    before, after = tree.texts
    assert [ord(character) - 0x10000 for character in after] == [inner[0] for inner in postorder(node)]
    assert [ord(character) - 0x10000 for character in before] == [label for _, label in preorder(node)]


def test_labels_of_any_size_have_a_character() -> None:
    tree = Tree(np.array([-(2**63), 2**63 - 1, -1]), np.array([0, 1, 0]))
    assert [len(text) for text in tree.texts] == [3, 3]
