"""Accounts merge in any order to the same, and tell when they do not balance."""

from __future__ import annotations

import pickle
import statistics
from functools import reduce
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import ledger
from pipeline.ledger import NAMED_SITES, Account, Distribution, MostlyRemoved, MostlyRemovedSites, Tally, imbalances
from pipeline.outcomes import BINS, Entry, Outcome, Sizes, in_bins

values = st.lists(st.integers(0, 10**9), max_size=60)
entries = st.builds(
    Entry,
    outcome=st.sampled_from([outcome.value for outcome in Outcome]),
    site=st.just("a.example"),
    read=st.integers(0, 10**6),
    gained=st.integers(-100, 10**6),
    bins=st.tuples(*[st.integers(0, 10**6)] * len(BINS)),
    sizes=st.none() | st.builds(Sizes, *[st.integers(0, 10**8)] * 4),
)


def distribution(numbers: list[int]) -> Distribution:
    made = Distribution()
    for number in numbers:
        made.add(number)
    return made


@given(values)
def test_few_values_have_an_exact_median(numbers: list[int]) -> None:
    made = distribution(numbers)
    assert made.median == (statistics.median(numbers) if numbers else 0)
    assert made.total == sum(numbers)
    assert made.count == len(numbers)


@given(values.filter(len))
def test_many_values_have_a_median_within_one_percent(numbers: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger, "EXACT_VALUES", 8)
        made = distribution(numbers)
        low, high = statistics.median_low(numbers), statistics.median_high(numbers)
        assert 0.99 * low <= made.median <= high
        assert made.total == sum(numbers)
        assert len(numbers) <= 8 or all(
            value.bit_length() - 8 <= (value & -value).bit_length() for value in made.counts
        )


@given(values, values, values)
def test_the_order_of_values_and_merges_does_not_matter(first: list[int], second: list[int], third: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ledger, "EXACT_VALUES", 16)
        at_once = distribution(sorted(first + second + third))
        merged = distribution(third)
        merged.merge(distribution(second))
        merged.merge(distribution(first))
    assert (merged.counts, merged.total, merged.count) == (at_once.counts, at_once.total, at_once.count)


@given(st.lists(entries, max_size=20), st.integers(0, 20))
def test_accounts_merge_and_travel(booked: list[Entry], cut: int) -> None:
    whole, *parts = Account(), Account(), Account()
    for place, entry in enumerate(booked):
        whole.add(entry)
        parts[place < cut].add(entry)
    sent = [pickle.loads(pickle.dumps(part)) for part in parts]  # noqa: S301  as a runner does
    for order in (sent, sent[::-1]):
        merged = reduce(Account.merge, (pickle.loads(pickle.dumps(part)) for part in order), Account())  # noqa: S301
        assert merged.as_dict() == whole.as_dict()
        assert merged.encode() == whole.encode()
    assert whole.records == len(booked)


SOUND = Tally(files=1, file_bytes=100, records=2, record_bytes=90, losses=1, lost_bytes=10, documents=1, letters=1)


def sound_account() -> Account:
    account = Account()
    account.add(Entry("cleaned", "a", 60, 5, (10, 0, 0, 0, 30, 5, 20), Sizes(50, 20, 30, 10)))
    account.add(Entry("not_html", "a", 30, 0, (10, 20, 0, 0, 0, 0, 0), None))
    return account


def test_sound_accounts_balance() -> None:
    assert not list(imbalances(sound_account(), SOUND))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"file_bytes": 101}, "bytes of the files"),
        ({"records": 3}, "records read"),
        ({"documents": 2}, "documents written"),
        ({"letters": 0}, "dead letters"),
    ],
)
def test_every_gap_is_named(change: dict[str, int], words: str) -> None:
    (found,) = imbalances(sound_account(), SOUND._replace(**change))
    assert words in found


def test_a_byte_in_no_bin_is_named() -> None:
    account = sound_account()
    account.bins[0] -= 1
    (found,) = imbalances(account, SOUND)
    assert "bytes by bin" in found


def account_of(**amounts: int) -> Account:
    account = Account()
    for outcome in ("cleaned", "empty", "crashed"):
        account.add(Entry(outcome, "a", 0, 0, in_bins(**amounts), None))
    return account


@pytest.mark.parametrize(
    ("amounts", "kept", "left_out"),
    [
        ({"template": 80, "text": 20}, None, None),  # four fifths, and not more
        ({"template": 81, "text": 10, "boilerplate": 9}, 243, 243),
        ({"template": 41, "text": 5, "shared": 54}, None, 285),
        ({"template": 1}, 3, 3),
        ({"markup": 99, "overhead": 9}, None, None),  # no text at all
    ],
)
def test_a_site_is_named_that_loses_more_than_four_fifths_of_its_text(
    amounts: dict[str, int], kept: int | None, left_out: int | None
) -> None:
    for shared_is_kept, removed in ((True, kept), (False, left_out)):
        found = MostlyRemoved.of("a", account_of(**amounts), shared_is_kept=shared_is_kept)
        visible = 3 * sum(amounts.values())
        assert found == (removed and MostlyRemoved("a", 2, visible, removed))


sites = st.lists(st.tuples(st.integers(1, 40), st.integers(0, 10)), max_size=60).map(
    lambda found: [MostlyRemoved(f"{n}.example", pages, 2 * size, size) for n, (size, pages) in enumerate(found)]
)


@given(sites, st.randoms(use_true_random=False), st.integers(0, 60))
def test_the_largest_sites_are_the_same_in_any_order_and_all_are_counted(
    found: list[MostlyRemoved], random: Random, cut: int
) -> None:
    parts = [MostlyRemovedSites(1, (site,)) for site in found]
    at_once = MostlyRemovedSites.sum(parts)
    random.shuffle(parts)
    merged = MostlyRemovedSites.sum([MostlyRemovedSites.sum(parts[:cut]), MostlyRemovedSites.sum(parts[cut:])])
    assert merged == at_once
    assert at_once.sites == len(found)
    assert len(at_once.largest) == min(len(found), NAMED_SITES)
    assert sorted((site.removed for site in found), reverse=True)[:NAMED_SITES] == [s.removed for s in at_once.largest]
