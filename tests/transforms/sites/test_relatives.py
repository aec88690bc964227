"""Near relatives are found without comparing all pairs, and what a budget leaves out is counted, in any order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from site_pages import parsed

from transforms.edit_distance import distance
from transforms.pqgrams import similarity
from transforms.sites import relatives
from transforms.sites.outline import outline
from transforms.sites.relatives import Found, Shaped, edits, search
from transforms.sites.template import RULES

# No block is ever on enough pages, so that every pair is looked at.
ALL = replace(RULES, min_pages=1_000)
# Trees that share so much miss all of 32 bands of two with a probability below 10**-6.
ALIKE = 0.6


def shaped(items: Sequence[str]) -> Shaped:
    """A list of these items as a block."""
    found = outline(parsed("<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"))
    return Shaped(int(found.fingerprint[0]), found.tree(0), found.texts(0))


def on_own_pages(blocks: Sequence[Shaped]) -> dict[int, frozenset[int]]:
    return {block.fingerprint: frozenset([place]) for place, block in enumerate(blocks)}


def different(blocks: Sequence[Shaped]) -> list[Shaped]:
    return list({block.fingerprint: block for block in blocks}.values())


def pairs(found: Found) -> dict[tuple[int, int], int]:
    return {(one, other): near for one, nearest in found.nearest.items() for other, near in nearest.items()}


items = st.lists(st.sampled_from([f"entry {letter}" for letter in "abcdefgh"]), min_size=4, max_size=14)


@st.composite
def families(draw: st.DrawFn) -> list[Shaped]:
    """Lists, each with some that differ from it in an item or two."""
    lists = []
    for base in draw(st.lists(items, min_size=1, max_size=4)):
        lists.append(base)
        for _ in range(draw(st.integers(0, 3))):
            changed = list(base)
            changed[draw(st.integers(0, len(base) - 1))] = draw(st.sampled_from(["entry x", "entry y", "entry a"]))
            lists.append(changed)
    return different([shaped(each) for each in lists])


@settings(max_examples=50)
@given(families())
def test_the_search_finds_what_comparing_all_pairs_finds(blocks: list[Shaped]) -> None:
    literal = {}
    for one, other in combinations(blocks, 2):
        near = edits(one, other, ALL)
        if near is not None:
            literal[one.fingerprint, other.fingerprint] = literal[other.fingerprint, one.fingerprint] = near
    found = search(blocks, on_own_pages(blocks), ALL)
    assert pairs(found).items() <= literal.items()
    missed = literal.keys() - pairs(found).keys()
    trees = {block.fingerprint: block.tree for block in blocks}
    assert not [pair for pair in missed if similarity(trees[pair[0]], trees[pair[1]]) >= ALIKE]
    assert found.undecided == 0


@settings(max_examples=30)
@given(families(), st.randoms(use_true_random=False))
def test_the_order_of_the_blocks_does_not_matter(blocks: list[Shaped], shuffler: random.Random) -> None:
    standing = on_own_pages(blocks)
    expected = search(blocks, standing, RULES)
    shuffler.shuffle(blocks)
    again = search(blocks, dict(sorted(standing.items())), RULES)
    assert (pairs(again), again.undecided) == (pairs(expected), expected.undecided)


# Two edits in a tree of 27 nodes (13 items, their texts, the root) are 0.07, five are 0.19.


def test_near_relatives_are_within_tau_and_share_half_of_their_text() -> None:
    base = [f"entry number {n}" for n in range(13)]
    two = shaped([*base[:11], "other", "words"])
    assert edits(shaped(base), two, RULES) == 2 == distance(shaped(base).tree, two.tree)
    five = shaped([*base[:8], *(f"other {n}" for n in range(5))])
    assert edits(shaped(base), five, RULES) is None
    assert edits(shaped(base), five, replace(RULES, tau=0.2)) == 5
    # One edit, but of most of the text.
    long = shaped([*base[:12], "a text that is longer than all others together " * 10])
    assert edits(shaped(base), long, RULES) is None
    assert edits(shaped(base), long, replace(RULES, same_text=0.0)) == 1


def test_a_search_ends_for_a_block_when_it_stands_on_enough_pages() -> None:
    base = [f"entry number {n}" for n in range(13)]
    blocks = [shaped([*base, f"of {n}"]) for n in range(12)]
    found = search(blocks, on_own_pages(blocks), RULES)
    assert all(len(nearest) >= RULES.min_pages - 1 for nearest in found.nearest.values())
    assert len(found.nearest) == len(blocks)
    assert len(pairs(found)) < 12 * 11  # all pairs are near, and most need not be compared


def test_a_block_that_shares_its_text_with_no_other_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = [shaped([f"entry {n} of list {k}" for n in range(9)]) for k in range(5)]
    monkeypatch.setattr(relatives, "SITE_PAIRS", 0)  # any comparison would be counted
    assert search(blocks, on_own_pages(blocks), ALL).undecided == 0


# Budgets


def family(count: int) -> list[Shaped]:
    return [shaped([*(f"entry number {n}" for n in range(13)), f"of {number}"]) for number in range(count)]


@pytest.mark.parametrize(
    ("budget", "value"),
    [("SITE_PAIRS", 5), ("BUCKET_TREES", 4), ("SITE_CANDIDATES", 10), ("SITE_TREES", 6), ("PAIR_BUDGET", 0)],
)
def test_what_a_budget_leaves_out_is_counted_and_the_same_in_any_order(
    monkeypatch: pytest.MonkeyPatch, budget: str, value: int
) -> None:
    # One item stands elsewhere in every list: bounds alone do not decide how far that is.
    entries = [f"entry {n}" for n in range(18)]
    blocks = [shaped([*entries[:place], "the item that moves", *entries[place:]]) for place in range(0, 18, 2)]
    standing = on_own_pages(blocks)
    assert search(blocks, standing, ALL).undecided == 0
    monkeypatch.setattr(relatives, budget, value)
    found = search(blocks, standing, ALL)
    assert found.undecided > 0
    for shuffled in (blocks[::-1], blocks[3:] + blocks[:3]):
        again = search(shuffled, standing, ALL)
        assert (pairs(again), again.undecided) == (pairs(found), found.undecided)


def test_pairs_beyond_the_budget_of_a_site_are_each_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = family(6)  # 15 pairs, all of them near
    assert len(pairs(search(blocks, on_own_pages(blocks), ALL))) == 2 * 15
    monkeypatch.setattr(relatives, "SITE_PAIRS", 5)
    found = search(blocks, on_own_pages(blocks), ALL)
    assert len(pairs(found)) == 2 * 5
    assert found.undecided == 15 - 5
