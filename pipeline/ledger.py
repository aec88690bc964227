"""The accounts of a run: records by outcome, bytes by bin, the four sizes; and the checks that they balance.

Accounts are data: values that merge in any order to the same result, never counters of a runner, which count a
repeated bundle twice.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pipeline.outcomes import BINS, FAILURES, Bin, Entry, Outcome, Sizes

# Up to so many values a median is exact; beyond, values are rounded down to SIGNIFICANT_BITS, an error below 1 %.
EXACT_VALUES = 4096
SIGNIFICANT_BITS = 8
# Of the visible text of a site's pages. Where more of it was removed as the site's, people should look.
MOSTLY = 0.8
# Sites that are named; all are counted.
NAMED_SITES = 20


class Distribution:
    """Sum, mean and median of sizes, in bounded memory. A function of the values alone, whatever their order."""

    __slots__ = ("count", "counts", "total")

    def __init__(self, counts: Iterable[tuple[int, int]] = (), total: int = 0) -> None:
        self.counts: Counter[int] = Counter(dict(counts))
        self.count = self.counts.total()
        self.total = total

    def add(self, value: int) -> None:
        """Take in one value."""
        self.counts[value if self.count < EXACT_VALUES else _rounded(value)] += 1
        self.count += 1
        self.total += value
        if self.count == EXACT_VALUES + 1:
            self._round()

    def merge(self, other: Distribution) -> None:
        """Take in the values of another."""
        self.counts.update(other.counts)
        self.count += other.count
        self.total += other.total
        if self.count > EXACT_VALUES:
            self._round()

    def _round(self) -> None:
        rounded: Counter[int] = Counter()
        for value, times in self.counts.items():
            rounded[_rounded(value)] += times
        self.counts = rounded

    @property
    def median(self) -> float:
        """The middle value, or the mean of the two in the middle; 0 if there is none."""
        middle = ((self.count - 1) // 2, self.count // 2)
        found: list[int] = []
        seen = 0
        for value in sorted(self.counts):
            seen += self.counts[value]
            found += [value for place in middle[len(found) :] if place < seen]
        return sum(found) / 2 if found else 0.0

    def as_dict(self) -> dict[str, Any]:
        """For people."""
        mean = round(self.total / self.count, 1) if self.count else 0.0
        return {"total": self.total, "mean": mean, "median": self.median}


def _rounded(value: int) -> int:
    drop = max(value.bit_length() - SIGNIFICANT_BITS, 0)
    return value >> drop << drop


@dataclass
class Account:
    """What became of the records of a site, or of a run. Merges with others, in any order."""

    outcomes: Counter[str] = field(default_factory=Counter)
    read: int = 0
    gained: int = 0
    bins: list[int] = field(default_factory=lambda: [0] * len(BINS))
    sizes: tuple[Distribution, ...] = field(default_factory=lambda: tuple(Distribution() for _ in Sizes._fields))

    def add(self, entry: Entry) -> None:
        """Book one record."""
        self.outcomes[entry.outcome] += 1
        self.read += entry.read
        self.gained += entry.gained
        for place, amount in enumerate(entry.bins):
            self.bins[place] += amount
        if entry.sizes:
            for size, value in zip(self.sizes, entry.sizes, strict=True):
                size.add(value)

    def merge(self, other: Account) -> Account:
        """Book all that another account has."""
        self.outcomes.update(other.outcomes)
        self.read += other.read
        self.gained += other.gained
        self.bins = [mine + its for mine, its in zip(self.bins, other.bins, strict=True)]
        for mine, its in zip(self.sizes, other.sizes, strict=True):
            mine.merge(its)
        return self

    @property
    def records(self) -> int:
        """All records that were booked."""
        return self.outcomes.total()

    @property
    def failures(self) -> int:
        """Pages that should have been cleaned and were not."""
        return sum(self.outcomes[outcome.value] for outcome in FAILURES)

    def as_dict(self) -> dict[str, Any]:
        """For people and machines."""
        outcomes = {outcome.value: self.outcomes[outcome.value] for outcome in Outcome if self.outcomes[outcome.value]}
        return {
            "records": outcomes,
            "bytes": {place.value: amount for place, amount in zip(BINS, self.bins, strict=True)},
            "bytes_total": sum(self.bins),
            "sizes": {name: size.as_dict() for name, size in zip(Sizes._fields, self.sizes, strict=True)},
        }

    def encode(self) -> bytes:
        """For another process."""
        sizes = [[sorted(size.counts.items()), size.total] for size in self.sizes]
        return json.dumps([self.outcomes, self.read, self.gained, self.bins, sizes], sort_keys=True).encode()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles as what `encode` writes: small, and the same for the same account."""
        return Account.decode, (self.encode(),)

    @classmethod
    def decode(cls, encoded: bytes) -> Account:
        """What `encode` wrote."""
        outcomes, read, gained, bins, sizes = json.loads(encoded)
        distributions = tuple(Distribution([(value, n) for value, n in counts], total) for counts, total in sizes)
        return cls(Counter(outcomes), read, gained, bins, distributions)


class MostlyRemoved(NamedTuple):
    """A site most of whose visible text was removed as the site's."""

    site: str
    pages: int
    visible: int  # bytes of text
    removed: int  # of these

    @classmethod
    def of(cls, site: str, account: Account, *, shared_is_kept: bool) -> MostlyRemoved | None:
        """The site, if that is so."""
        size = dict(zip(BINS, account.bins, strict=True))
        visible = sum(size[place] for place in (Bin.TEMPLATE, Bin.BOILERPLATE, Bin.TEXT, Bin.SHARED))
        removed = size[Bin.TEMPLATE] + (0 if shared_is_kept else size[Bin.SHARED])
        pages = account.outcomes[Outcome.CLEANED.value] + account.outcomes[Outcome.EMPTY.value]
        return cls(site, pages, visible, removed) if removed > MOSTLY * visible else None

    def as_dict(self) -> dict[str, Any]:
        """For people and machines."""
        return {**self._asdict(), "share": round(self.removed / self.visible, 3)}


class MostlyRemovedSites(NamedTuple):
    """How many sites there are most of whose text was removed, and those of which the most bytes were."""

    sites: int = 0
    largest: tuple[MostlyRemoved, ...] = ()

    @classmethod
    def sum(cls, parts: Iterable[MostlyRemovedSites]) -> MostlyRemovedSites:
        """All of them together; the same in any order, if each site is in one part."""
        together = cls()
        for part in parts:
            named = sorted([*together.largest, *part.largest], key=lambda site: (-site.removed, site.site))
            together = cls(together.sites + part.sites, tuple(named[:NAMED_SITES]))
        return together

    def as_dict(self) -> dict[str, Any]:
        """For people and machines."""
        return {"sites": self.sites, "largest": [site.as_dict() for site in self.largest]}


class Tally(NamedTuple):
    """What was read and written, counted where it happened and apart from the accounts. Tallies add up."""

    files: int = 0
    file_bytes: int = 0
    records: int = 0
    record_bytes: int = 0  # of the files
    losses: int = 0
    lost_bytes: int = 0
    documents: int = 0  # rows in the text output
    letters: int = 0  # rows in the dead-letter output

    @classmethod
    def sum(cls, tallies: Iterable[Tally]) -> Tally:
        """All of them together."""
        return cls(*map(sum, zip(cls(), *tallies, strict=True)))


def imbalances(account: Account, tally: Tally) -> Iterator[str]:
    """What does not add up, in words; nothing for sound accounts."""
    cleaned = account.outcomes[Outcome.CLEANED.value]
    for what, left, right in (
        ("bytes of the files, and of records and losses", tally.file_bytes, tally.record_bytes + tally.lost_bytes),
        ("records read, and records by outcome", tally.records, account.records),
        ("bytes read, and bytes by bin", account.read + account.gained, sum(account.bins)),
        ("pages cleaned, and documents written", cleaned, tally.documents),
        ("records not cleaned, and dead letters written", account.records - cleaned, tally.letters),
    ):
        if left != right:
            yield f"{what}: {left:,} against {right:,}"
