"""Near relatives: blocks that differ in a date, a name, an entry. Found without comparing all pairs.

Only blocks that share half of their characters with blocks of other pages go further; pq-gram MinHash bands say which
of them may be near each other; bounds, then exact tree edit distance decide. All limits are counts, never times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import comb

from transforms.edit_distance import distance, most_edits
from transforms.pqgrams import bands, signature
from transforms.sites.template import Rules
from transforms.trees import Tree

# 32 bands of 2 numbers: trees of similarity 0.3 are found with a probability of 0.95. A small block whose one text
# changes shares no more of its pq-grams than that.
BAND_ROWS = 2
# Cells of the dynamic programme for one pair: some ten milliseconds.
PAIR_BUDGET = 200_000
# Trees of one bucket; of a site trees, pairs that share a bucket, pairs that are compared. What is beyond stays
# undecided, and is counted.
BUCKET_TREES, SITE_TREES, SITE_CANDIDATES, SITE_PAIRS = 64, 20_000, 200_000, 20_000


@dataclass(frozen=True)
class Shaped:
    """A block whose tree is known."""

    fingerprint: int
    tree: Tree
    lengths: Mapping[int, int]  # of its texts, by label

    @property
    def characters(self) -> int:
        """Of all its texts."""
        return sum(self.lengths.values())


@dataclass
class Found:
    """What a search for near relatives found."""

    nearest: dict[int, dict[int, int]] = field(default_factory=lambda: defaultdict(dict))  # distance, by relative
    undecided: int = 0


def edits(one: Shaped, other: Shaped, rules: Rules) -> int | None:
    """The edit distance of two blocks if they are near relatives; -1 if the budget does not decide it; else None."""
    same = sum(length for label, length in one.lengths.items() if label in other.lengths)
    if same < rules.same_text * max(one.characters, other.characters):
        return None
    most = most_edits(one.tree, other.tree, rules.tau)
    found = distance(one.tree, other.tree, most, budget=PAIR_BUDGET)
    if found is None:
        return -1
    return found if found <= most else None


def search(blocks: Iterable[Shaped], pages: Mapping[int, frozenset[int]], rules: Rules) -> Found:
    """The near relatives of each block, until it stands, with them, on as many pages as make it redundant.

    `pages` are the contents that each fingerprint stands on. The result depends on the set of blocks alone.
    """
    found = Found()
    standing = {fingerprint: set(contents) for fingerprint, contents in pages.items()}
    pairs = 0
    shared = list(_shared(sorted(blocks, key=lambda block: block.fingerprint), rules))
    found.undecided += max(len(shared) - SITE_TREES, 0)
    for one, other in _candidates(shared[:SITE_TREES], found):
        a, b = standing[one.fingerprint], standing[other.fingerprint]
        if min(len(a), len(b)) >= rules.min_pages:
            continue
        pairs += 1
        if pairs > SITE_PAIRS:
            found.undecided += 1
            continue
        near = edits(one, other, rules)
        if near is None:
            continue
        if near < 0:
            found.undecided += 1
            continue
        found.nearest[one.fingerprint][other.fingerprint] = near
        found.nearest[other.fingerprint][one.fingerprint] = near
        a |= pages[other.fingerprint]
        b |= pages[one.fingerprint]
    return found


def _shared(blocks: list[Shaped], rules: Rules) -> Iterator[Shaped]:
    """The blocks of whose characters enough stand in others, too: no other can have a near relative."""
    times: dict[int, int] = defaultdict(int)
    for block in blocks:
        for label in block.lengths:
            times[label] += 1
    for block in blocks:
        shared = sum(length for label, length in block.lengths.items() if times[label] > 1)
        if shared >= rules.same_text * block.characters:
            yield block


def _candidates(blocks: Iterable[Shaped], found: Found) -> Iterator[tuple[Shaped, Shaped]]:
    """Pairs that share a bucket, each once."""
    buckets: dict[bytes, list[Shaped]] = defaultdict(list)
    for block in blocks:
        for key in bands(signature(block.tree), BAND_ROWS):
            buckets[key].append(block)
    seen: set[tuple[int, int]] = set()
    for key in sorted(buckets):
        members = buckets[key]
        found.undecided += max(len(members) - BUCKET_TREES, 0)
        if len(seen) >= SITE_CANDIDATES:
            found.undecided += comb(min(len(members), BUCKET_TREES), 2)
            continue
        for one, other in combinations(members[:BUCKET_TREES], 2):
            pair = (one.fingerprint, other.fingerprint)
            if pair not in seen:
                seen.add(pair)
                yield one, other
