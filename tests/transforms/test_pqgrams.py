"""pq-grams and MinHash: against the definition, by hand, and as estimates."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from forests import Node, nodes
from hypothesis import given
from hypothesis import strategies as st

from transforms.exceptions import BadParameter
from transforms.pqgrams import bands, mix, numbered, pq_grams, signature, similarity
from transforms.trees import Tree, from_nested, from_preorder

Gram = tuple[str, ...]


def literal_grams(node: Node, p: int, q: int, ancestors: tuple[str, ...] = ()) -> Counter[Gram]:
    """Definition: stems of p labels, bases of q, `*` where there is no node."""
    stem = ("*",) * (p - len(ancestors) - 1) + (*ancestors, str(node[0]))[-p:]
    children = [str(child[0]) for child in node[1:]]
    padded = ["*"] * (q - 1) + children + ["*"] * (q - 1) if children else ["*"] * q
    grams = Counter((*stem, *padded[start : start + q]) for start in range(len(padded) - q + 1))
    for child in node[1:]:
        grams += literal_grams(child, p, q, (*ancestors, str(node[0])))
    return grams


def flat(*labels: int) -> Tree:
    """A root and so many leaves."""
    return from_preorder(np.minimum(np.arange(len(labels)), 1), np.array(labels))


# pq-grams


def test_pq_grams_by_hand() -> None:
    # 1(2, 3) with p = 2, q = 3: four bases around the two children, and one for each leaf.
    assert literal_grams((1, (2,), (3,)), 2, 3) == Counter(
        {
            ("*", "1", "*", "*", "2"): 1,
            ("*", "1", "*", "2", "3"): 1,
            ("*", "1", "2", "3", "*"): 1,
            ("*", "1", "3", "*", "*"): 1,
            ("1", "2", "*", "*", "*"): 1,
            ("1", "3", "*", "*", "*"): 1,
        }
    )
    assert len(pq_grams(from_nested((1, (2,), (3,))))) == 6


@given(st.lists(nodes, min_size=1, max_size=3), st.integers(1, 3), st.integers(1, 4))
def test_hashes_are_equal_where_pq_grams_are_and_nowhere_else(forest: list[Node], p: int, q: int) -> None:
    # All trees together, so that equal hashes of different grams would be seen across trees as well.
    expected: Counter[Gram] = Counter()
    for node in forest:
        expected += literal_grams(node, p, q)
    found = Counter(np.concatenate([pq_grams(from_nested(node), p, q) for node in forest]).tolist())
    assert sorted(found.values()) == sorted(expected.values())


@given(nodes, nodes, st.integers(1, 3), st.integers(1, 4))
def test_the_similarity_is_that_of_the_multisets(one: Node, other: Node, p: int, q: int) -> None:
    a, b = literal_grams(one, p, q), literal_grams(other, p, q)
    shared = (a & b).total()
    assert similarity(from_nested(one), from_nested(other), p, q) == shared / (a.total() + b.total() - shared)


@pytest.mark.parametrize(("p", "q"), [(0, 3), (2, 0)])
def test_a_pq_gram_has_a_node_and_a_child(p: int, q: int) -> None:
    with pytest.raises(BadParameter, match=f"p={p}, q={q}"):
        pq_grams(from_nested((1,)), p, q)


# Hashing


@given(st.lists(st.integers(0, 2**64 - 1), max_size=50, unique=True))
def test_mixing_is_one_to_one(values: list[int]) -> None:
    mixed = mix(np.array(values, dtype=np.uint64))
    assert len(set(mixed.tolist())) == len(values)


def test_mixing_is_that_of_splitmix64() -> None:
    # The first outputs of SplitMix64 with seed 1234567, as its authors publish them.
    state = np.uint64(1234567) + np.arange(1, 4, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    assert mix(state).tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]


@given(st.lists(st.integers(0, 5), max_size=20), st.lists(st.integers(0, 5), max_size=20))
def test_numbering_makes_sets_that_share_what_multisets_share(one: list[int], other: list[int]) -> None:
    a, b = (set(numbered(np.array(values, dtype=np.uint64)).tolist()) for values in (one, other))
    assert len(a) == len(one)
    assert len(a & b) == (Counter(one) & Counter(other)).total()


# Signatures


@given(nodes, nodes)
def test_equal_trees_have_equal_signatures_and_different_grams_different_ones(one: Node, other: Node) -> None:
    a, b = signature(from_nested(one)), signature(from_nested(other))
    assert a.shape == (64,)
    assert np.array_equal(a, signature(from_nested(one)))
    assert np.array_equal(a, b) == (similarity(from_nested(one), from_nested(other)) > 0.999)


@pytest.mark.parametrize("changed", [1, 10, 40, 100])
def test_signatures_estimate_the_similarity(changed: int) -> None:
    a = flat(*range(200))
    b = flat(*range(200 - changed), *range(1000, 1000 + changed))
    exact = similarity(a, b)
    errors = []
    for length in (64, 4096):
        agree = float((signature(a, length) == signature(b, length)).mean())
        errors.append(abs(agree - exact))
        assert errors[-1] <= 4 * np.sqrt(exact * (1 - exact) / length)  # four standard deviations
    assert 0 < exact < 1


def test_signatures_do_not_depend_on_the_process() -> None:
    code = (
        "from transforms.trees import from_nested; from transforms.pqgrams import bands, signature;"
        "print([key.hex() for key in bands(signature(from_nested((1, (2, (3,)), (4,)))), 4)])"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True, text=True
        ).stdout.strip()
        for seed in ("1", "2")
    }
    tree = from_nested((1, (2, (3,)), (4,)))
    assert seen == {str([key.hex() for key in bands(signature(tree), 4)])}


# Bands


def test_bands_agree_where_all_their_numbers_do() -> None:
    numbers = np.arange(12, dtype=np.uint32)
    other = numbers.copy()
    other[5] = 99
    keys, other_keys = bands(numbers, 4), bands(other, 4)
    assert [one == two for one, two in zip(keys, other_keys, strict=True)] == [True, False, True]


def test_equal_numbers_in_different_bands_have_different_keys() -> None:
    keys = bands(np.zeros(12, dtype=np.uint32), 4)
    assert len(set(keys)) == 3


@pytest.mark.parametrize("rows", [0, 5, 24])
def test_bands_must_part_a_signature_evenly(rows: int) -> None:
    with pytest.raises(BadParameter, match=f"rows={rows}"):
        bands(np.zeros(12, dtype=np.uint32), rows)


def test_near_duplicates_share_a_bucket_and_strangers_do_not() -> None:
    a = flat(*range(100))
    near, stranger = flat(*range(98), 500, 501), flat(*range(1000, 1100))
    keys = set(bands(signature(a), 4))
    assert keys & set(bands(signature(near), 4))
    assert not keys & set(bands(signature(stranger), 4))
