"""Near relatives: blocks that a site prints each time with another date, name or entry.

Three tests, the cheap ones first; none compares all pairs. What is small must stand in one slot: elsewhere it is
another thing.

- Blocks of a slot that are the same without their numbers.
- Short ones of a slot whose texts without numbers differ in few letters.
- Larger ones that share most of their characters with blocks of other pages: pq-gram MinHash bands say which of them
  may be near each other; bounds, then exact tree edit distance decide.

Relatives of relatives are relatives. All limits are counts, never times.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb

from rapidfuzz.distance import Levenshtein

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
# Short texts that a slot has are compared with so many different ones.
SLOT_TEXTS = 64
# Fewer letters say too little, and where so much of the text is digits, the numbers are what is said.
LETTERS, LETTERS_OF_HEADING, MOST_DIGITS = 12, 6, 0.3
_NUMBER = re.compile(r"\d[\d.,:/-]*")


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


@dataclass(frozen=True)
class Candidate:
    """A block that may have near relatives."""

    fingerprint: int
    slot: int
    blanked: int
    said: str  # without numbers, if it is short; else nothing
    shaped: Shaped | None


@dataclass
class Kin:
    """Who is related to whom."""

    undecided: int = 0
    _parent: dict[int, int] = field(default_factory=dict)

    def of(self, name: int) -> int:
        """The least of a block's relatives, which names them all."""
        while (above := self._parent.get(name, name)) != name:
            self._parent[name] = self._parent.get(above, above)
            name = above
        return name

    def join(self, one: int, other: int) -> None:
        """Make two blocks relatives."""
        least, most = sorted((self.of(one), self.of(other)))
        if least != most:
            self._parent[most] = least


def says_enough(characters: int, digits: int, *, heading: bool) -> bool:
    """Whether a text without its numbers says something."""
    return characters - digits >= (LETTERS_OF_HEADING if heading else LETTERS) and digits <= MOST_DIGITS * characters


def without_numbers(text: str) -> str:
    """What a short text says but for its numbers."""
    return _NUMBER.sub("0", text)


def near_texts(one: str, other: str, rules: Rules) -> bool:
    """Whether two short texts differ in few letters."""
    if min(len(one), len(other)) < LETTERS:
        return one == other
    return Levenshtein.normalized_distance(one, other, score_cutoff=rules.text_distance) <= rules.text_distance


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


def related(blocks: Iterable[Candidate], rules: Rules) -> Kin:
    """The near relatives among blocks. The result depends on the set of blocks alone."""
    kin = Kin()
    ordered = sorted(blocks, key=lambda block: block.fingerprint)
    if not rules.as_published:
        by_slot: dict[int, list[Candidate]] = defaultdict(list)
        for block in ordered:
            by_slot[block.slot].append(block)
        for _, members in sorted(by_slot.items()):
            _join_blanked(members, kin)
            _join_texts(members, rules, kin)
    _join_trees([block.shaped for block in ordered if block.shaped], rules, kin)
    return kin


def _join_blanked(blocks: Sequence[Candidate], kin: Kin) -> None:
    known: dict[int, int] = {}
    for block in blocks:
        kin.join(known.setdefault(block.blanked, block.fingerprint), block.fingerprint)


def _join_texts(blocks: Sequence[Candidate], rules: Rules, kin: Kin) -> None:
    known: dict[str, int] = {}
    for block in blocks:
        if not block.said:
            continue
        relative = known.get(block.said)
        if relative is None:
            relative = next((known[text] for text in known if near_texts(text, block.said, rules)), None)
        if relative is not None:
            kin.join(relative, block.fingerprint)
        elif len(known) < SLOT_TEXTS:
            known[block.said] = block.fingerprint
        else:
            kin.undecided += 1


def _join_trees(blocks: Sequence[Shaped], rules: Rules, kin: Kin) -> None:
    shaped = list(_shared(blocks, rules))
    kin.undecided += max(len(shaped) - SITE_TREES, 0)
    compared = 0
    for one, other in _pairs(shaped[:SITE_TREES], kin):
        if kin.of(one.fingerprint) == kin.of(other.fingerprint):
            continue
        compared += 1
        if compared > SITE_PAIRS:
            kin.undecided += 1
            continue
        near = edits(one, other, rules)
        if near is not None and near >= 0:
            kin.join(one.fingerprint, other.fingerprint)
        kin.undecided += near == -1


def _shared(blocks: Sequence[Shaped], rules: Rules) -> Iterator[Shaped]:
    """The blocks of whose characters enough stand in others, too: no other can have a near relative."""
    times: dict[int, int] = defaultdict(int)
    for block in blocks:
        for label in block.lengths:
            times[label] += 1
    for block in blocks:
        shared = sum(length for label, length in block.lengths.items() if times[label] > 1)
        if shared >= rules.same_text * block.characters:
            yield block


def _pairs(blocks: Iterable[Shaped], kin: Kin) -> Iterator[tuple[Shaped, Shaped]]:
    """Pairs that share a bucket, each once."""
    buckets: dict[bytes, list[Shaped]] = defaultdict(list)
    for block in blocks:
        for key in bands(signature(block.tree), BAND_ROWS):
            buckets[key].append(block)
    seen: set[tuple[int, int]] = set()
    for key in sorted(buckets):
        members = buckets[key]
        kin.undecided += max(len(members) - BUCKET_TREES, 0)
        if len(seen) >= SITE_CANDIDATES:
            kin.undecided += comb(min(len(members), BUCKET_TREES), 2)
            continue
        for one, other in combinations(members[:BUCKET_TREES], 2):
            pair = (one.fingerprint, other.fingerprint)
            if pair not in seen:
                seen.add(pair)
                yield one, other
