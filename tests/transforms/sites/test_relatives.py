"""Near relatives are found without comparing all pairs, and what a budget leaves out is counted, in any order."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from string import ascii_lowercase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from site_pages import parsed

from transforms.edit_distance import distance
from transforms.pqgrams import similarity
from transforms.sites import relatives
from transforms.sites.outline import outline
from transforms.sites.relatives import (
    LETTERS,
    LETTERS_OF_HEADING,
    SLOT_TEXTS,
    Candidate,
    Kin,
    Shaped,
    edits,
    near_texts,
    related,
    says_enough,
    without_numbers,
)
from transforms.sites.template import PAPER, RULES

# Numbers would not count.
ENTRIES = [f"entry called {letter}" for letter in ascii_lowercase[:18]]
# Trees that share so much miss all of 32 bands of two with a probability below 10**-6.
ALIKE = 0.6


def shaped(items: Sequence[str]) -> Shaped:
    """A list of these items as a block."""
    found = outline(parsed("<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"))
    return Shaped(int(found.fingerprint[0]), found.tree(0), found.texts(0))


def candidates(blocks: Iterable[Shaped]) -> list[Candidate]:
    """Blocks that have nothing but their trees in common, each in a slot of its own."""
    return [Candidate(block.fingerprint, block.fingerprint, block.fingerprint, "", block) for block in blocks]


def short(number: int, said: str, slot: int = 1, blanked: int | None = None) -> Candidate:
    """A block that is known by what it says."""
    return Candidate(number, slot, number if blanked is None else blanked, said, None)


def different(blocks: Sequence[Shaped]) -> list[Shaped]:
    return list({block.fingerprint: block for block in blocks}.values())


def groups(kin: Kin, names: Iterable[int]) -> set[frozenset[int]]:
    """Who is with whom."""
    together = defaultdict(set)
    for name in names:
        together[kin.of(name)].add(name)
    assert all(min(group) == least for least, group in together.items())
    return {frozenset(group) for group in together.values()}


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
    names = [block.fingerprint for block in blocks]
    literal, alike = Kin(), Kin()
    for one, other in combinations(blocks, 2):
        if edits(one, other, RULES) is not None:
            literal.join(one.fingerprint, other.fingerprint)
            if similarity(one.tree, other.tree) >= ALIKE:
                alike.join(one.fingerprint, other.fingerprint)
    found = related(candidates(blocks), RULES)
    assert found.undecided == 0
    # What is found lies between the two.
    assert all(literal.of(name) == literal.of(found.of(name)) for name in names)
    assert all(found.of(name) == found.of(alike.of(name)) for name in names)


@settings(max_examples=30)
@given(families(), st.randoms(use_true_random=False))
def test_the_order_of_the_blocks_does_not_matter(blocks: list[Shaped], shuffler: random.Random) -> None:
    texts = ["The harbour at dawn", "The harbour at dusk", "Something else there", "The harbour at down"]
    every = candidates(blocks) + [short(n, text) for n, text in enumerate(texts * 2)]
    names = [block.fingerprint for block in every]
    expected = related(every, RULES)
    shuffler.shuffle(every)
    again = related(every, RULES)
    assert (groups(again, names), again.undecided) == (groups(expected, names), expected.undecided)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12))
def test_relatives_of_relatives_are_relatives_and_the_least_names_them(pairs: list[tuple[int, int]]) -> None:
    kin, literal = Kin(), {frozenset([name]) for name in range(10)}
    for one, other in pairs:
        kin.join(one, other)
        mine, its = (next(group for group in literal if name in group) for name in (one, other))
        literal = (literal - {mine, its}) | {mine | its}
    assert groups(kin, range(10)) == literal


# Two edits in a tree of 27 nodes (13 items, their texts, the root) are 0.07, five are 0.19.


def test_near_relatives_are_within_tau_and_share_most_of_their_text() -> None:
    base = ENTRIES[:13]
    two = shaped([*base[:11], "other", "words"])
    assert edits(shaped(base), two, RULES) == 2 == distance(shaped(base).tree, two.tree)
    five = shaped([*base[:8], *(f"other {letter}" for letter in "abcde")])
    assert edits(shaped(base), five, RULES) is None
    assert edits(shaped(base), five, replace(RULES, tau=0.2)) is None  # five of thirteen texts differ
    assert edits(shaped(base), five, replace(RULES, tau=0.2, same_text=0.5)) == 5
    # One edit, but of most of the text.
    long = shaped([*base[:12], "a text that is longer than all others together " * 10])
    assert edits(shaped(base), long, RULES) is None
    assert edits(shaped(base), long, replace(RULES, same_text=0.0)) == 1


def test_blocks_that_are_relatives_already_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = family(12)  # 66 pairs, all of them near
    names = [block.fingerprint for block in blocks]
    monkeypatch.setattr(relatives, "SITE_PAIRS", 11)
    found = related(candidates(blocks), RULES)
    assert groups(found, names) == {frozenset(names)}
    assert found.undecided == 0


def test_a_block_that_shares_little_of_its_text_with_others_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    # Most of their nodes are the same, and little of their text.
    blocks = [shaped([*ascii_lowercase, f"of all that is said here {name} says most"]) for name in ("Ann", "Bob")]
    assert edits(blocks[0], blocks[1], replace(RULES, same_text=0.0)) == 1
    monkeypatch.setattr(relatives, "SITE_PAIRS", 0)  # any comparison would be counted
    assert related(candidates(blocks), RULES).undecided == 0


# Small blocks


def test_blocks_of_one_slot_that_differ_in_numbers_are_relatives_however_small() -> None:
    def block(name: int, html: str, slot: int) -> Candidate:
        return Candidate(name, slot, int(outline(parsed(html)).blanked[0]), "", None)

    blocks = [
        block(1, "<p>Printed <b>12</b> times since 4.5.2001</p>", 7),
        block(2, "<p>Printed <b>777</b> times since 30.12.1999</p>", 7),
        block(3, "<p>Printed <b>5</b> times since 1.1.2024</p>", 8),  # elsewhere
        block(4, "<p>Printed <i>12</i> times since 4.5.2001</p>", 7),  # another block
        block(5, "<p>Reprinted <b>12</b> times since 4.5.2001</p>", 7),
    ]
    assert groups(related(blocks, RULES), range(1, 6)) == {frozenset(each) for each in ([1, 2], [3], [4], [5])}


def test_short_texts_of_one_slot_that_differ_in_few_letters_are_relatives() -> None:
    blocks = [
        short(1, "Last changed on Monday"),
        short(2, "Last changed on Friday"),
        short(3, "Last changed on Friday", slot=2),
        short(4, "Nothing has changed here on Monday"),
        short(5, ""),
        short(6, ""),
    ]
    found = related(blocks, RULES)
    assert groups(found, range(1, 7)) == {frozenset(each) for each in ([1, 2], [3], [4], [5], [6])}
    strict = related(blocks, replace(RULES, text_distance=0.1))
    assert groups(strict, range(1, 7)) == {frozenset([name]) for name in range(1, 7)}


def test_the_rules_as_published_know_no_small_relatives() -> None:
    blocks = [short(1, "Last changed on Monday"), short(2, "Last changed on Friday"), short(3, "x", blanked=1)]
    assert groups(related(blocks, PAPER), [1, 2, 3]) == {frozenset([name]) for name in (1, 2, 3)}


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("Last changed on Monday", "Last changed on Friday", True),  # three of 22 letters
        ("abcdefghijklmno", "abcdefghijklxyz", True),  # three of 15 are a fifth
        ("abcdefghijklmno", "abcdefghijkwxyz", False),
        ("Last changed", "Last changed by the librarian", False),
        ("Kitchen red", "Kitchen bed", False),  # too short to be more than the same
        ("Kitchen red", "Kitchen red", True),
    ],
)
def test_a_fifth_of_the_letters_of_short_texts_may_differ(one: str, other: str, near: bool) -> None:
    assert near_texts(one, other, RULES) == near_texts(other, one, RULES) == near


def test_numbers_dates_and_times_are_one_sign_each() -> None:
    assert without_numbers("Page 12 of 1,204, 4.5.2001 12:30") == without_numbers("Page 1 of 9 7 8")
    assert without_numbers("Page 12") != without_numbers("Pages 12")


@pytest.mark.parametrize(
    ("characters", "digits", "heading", "enough"),
    [
        (LETTERS, 0, False, True),
        (LETTERS - 1, 0, False, False),
        (LETTERS_OF_HEADING, 0, True, True),
        (LETTERS_OF_HEADING - 1, 0, True, False),
        (LETTERS + 3, 4, False, False),  # digits are no letters
        (100, 30, False, True),
        (100, 31, False, False),  # here the numbers are what is said
    ],
)
def test_a_text_of_few_letters_or_many_digits_says_too_little(
    characters: int, digits: int, heading: bool, enough: bool
) -> None:
    assert says_enough(characters, digits, heading=heading) == enough


# Budgets


def family(count: int) -> list[Shaped]:
    return [shaped([*ENTRIES[:13], f"of {letter}"]) for letter in ascii_lowercase[:count]]


@pytest.mark.parametrize(
    ("budget", "value"),
    [("SITE_PAIRS", 5), ("BUCKET_TREES", 4), ("SITE_CANDIDATES", 10), ("SITE_TREES", 6), ("PAIR_BUDGET", 0)],
)
def test_what_a_budget_leaves_out_is_counted_and_the_same_in_any_order(
    monkeypatch: pytest.MonkeyPatch, budget: str, value: int
) -> None:
    # One item stands elsewhere in every list: bounds alone do not decide how far that is.
    blocks = [shaped([*ENTRIES[:place], "the item that moves", *ENTRIES[place:]]) for place in range(0, 18, 2)]
    names = [block.fingerprint for block in blocks]
    assert related(candidates(blocks), RULES).undecided == 0
    monkeypatch.setattr(relatives, budget, value)
    found = related(candidates(blocks), RULES)
    assert found.undecided > 0
    for shuffled in (blocks[::-1], blocks[3:] + blocks[:3]):
        again = related(candidates(shuffled), RULES)
        assert (groups(again, names), again.undecided) == (groups(found, names), found.undecided)


def test_pairs_beyond_the_budget_of_a_site_are_each_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = family(6)  # 15 pairs, all of them near
    monkeypatch.setattr(relatives, "SITE_PAIRS", 2)
    found = related(candidates(blocks), RULES)
    assert sorted(map(len, groups(found, [block.fingerprint for block in blocks]))) == [1, 1, 1, 3]
    assert found.undecided == 15 - 3  # but those among the three


def test_texts_beyond_the_budget_of_a_slot_are_counted_in_any_order() -> None:
    blocks = [short(n, chr(0x4E00 + n) * 20) for n in range(SLOT_TEXTS + 7)]
    assert related(blocks[:SLOT_TEXTS], RULES).undecided == 0
    assert related(blocks, RULES).undecided == related(blocks[::-1], RULES).undecided == 7
