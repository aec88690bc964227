"""Scores of an extracted text against its gold standard, each as its paper or benchmark defines it.

Conventions that hold for every metric:

- A metric first reduces both texts to a sequence of items: characters without white space, words or shingles.
  A text is *empty* when it has no items. Two empty texts score 1.0 throughout (nothing to find, nothing found);
  one empty text against one that is not scores 0.0 throughout.
- White space is what `str.split()` splits at; characters are code points. No text is normalised beyond what the
  metric names.
- Every value is in 0..1, and identical texts score 1.0.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq, Levenshtein

SHINGLE_WORDS: Final = 4
"""Words of one shingle, the default of article-extraction-benchmark."""

_WORD: Final = re.compile(r"\w+")

_Names = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Score:
    """How much of an output is right (precision), how much of the gold was found (recall), and both in one (f1).

    All three are fractions in 0..1. `f1` is the harmonic mean of the other two, except in `cleaneval`.
    """

    precision: float
    recall: float
    f1: float


PERFECT: Final = Score(1.0, 1.0, 1.0)
NOTHING: Final = Score(0.0, 0.0, 0.0)


def lcstring(output: str, gold: str) -> Score:
    """Score the longest run of characters that both texts have, white space ignored.

    Arias, Deschacht, Moens, "Language Independent Content Extraction from Web Pages", section 5. One wrong character
    in the middle of the text halves the score. O(n log^2 n) in the characters of both texts.
    """
    output, gold = _without_white_space(output), _without_white_space(gold)
    return _score(longest_common_substring(output, gold), len(output), len(gold))


def lcsequence(output: str, gold: str) -> Score:
    """Score the characters that both texts have in the same order, white space ignored.

    Arias, Deschacht, Moens, section 5; also BlockExtractor's Eq. 4 to 6. O(nm / 64) in the characters of the texts.
    """
    output, gold = _without_white_space(output), _without_white_space(gold)
    return _score(longest_common_subsequence(output, gold), len(output), len(gold))


def words(output: str, gold: str) -> Score:
    """Score the words that both texts have in the same order, each occurrence being a word of its own.

    Weninger, Hsu, Han, "CETR", Eq. 5. The paper takes sets of word occurrences, aligned with the page; with the texts
    alone, the longest common subsequence of words is that alignment. Words are compared as they are written, case and
    punctuation included. O(nm / 64) in the words of the texts.
    """
    output_words, gold_words = output.split(), gold.split()
    return _score(longest_common_subsequence(output_words, gold_words), len(output_words), len(gold_words))


def edr(output: str, gold: str) -> Score:
    """Score the edit distance ratio as precision and the longest common subsequence as recall, by characters.

    Weninger and Hsu, "Text Extraction from the Web via Text-to-Tag Ratio": EDR = 1 - edit / max(lengths) is "treated
    as precision", LCS over the length of the gold is "treated as recall"; f1 is their harmonic mean. EDR itself is
    symmetric: it falls for text that is missing as much as for text that is too much. The paper does not say what
    becomes of white space; it is ignored here, so that the recall is that of `lcsequence`. O(nm / 64).
    """
    output, gold = _without_white_space(output), _without_white_space(gold)
    if not output or not gold:
        return PERFECT if output == gold else NOTHING
    ratio = 1 - edit_distance(output, gold) / max(len(output), len(gold))
    recall = longest_common_subsequence(output, gold) / len(gold)
    # The ratio can be 0 where the recall is not, and both can be 0; the harmonic mean is 0 in either case.
    return Score(ratio, recall, 2 * ratio * recall / (ratio + recall) if ratio else 0.0)


def cleaneval(output: str, gold: str) -> Score:
    """Score as the CleanEval competition: the aligned share of the alignment of both texts' words, in `f1`.

    Weninger, Hsu, Han, "CETR": words are inserted, deleted or aligned, never substituted. The distance is
    insertions + deletions, the length is that plus the aligned words, and the score is 1 - distance / length. It is
    not the harmonic mean F of precision and recall, which come from the same alignment, but F / (2 - F).
    O(nm / 64) in the words of the texts.
    """
    output_words, gold_words = output.split(), gold.split()
    aligned = longest_common_subsequence(output_words, gold_words)
    score = _score(aligned, len(output_words), len(gold_words))
    length = len(output_words) + len(gold_words) - aligned
    # aligned / length is 1 - distance / length without its rounding.
    return Score(score.precision, score.recall, aligned / length) if length else PERFECT


def bag_of_words(output: str, gold: str) -> Score:
    r"""Score the words that both texts have, in any order: the multisets of lower-cased `\w+`.

    The score of WCXB, the Web Content Extraction Benchmark. O(n + m) in the characters of the texts.
    """
    return _multiset_score(_WORD.findall(output.lower()), _WORD.findall(gold.lower()))


def shingles(output: str, gold: str) -> Score:
    r"""Score the runs of four words that both texts have, in any order: the multisets of shingles of `\w+`.

    The score of Scrapinghub's article-extraction-benchmark for one page. Case counts, and a text of one to three
    words is one shingle. That benchmark then leaves pages without output out of its mean precision, and takes F1 of
    the mean precision and the mean recall; a mean of these scores does neither. O(n + m) in the characters.
    """
    return _multiset_score(_shingles_of(output), _shingles_of(gold))


METRICS: Final[dict[str, Callable[[str, str], Score]]] = {
    "lcstring": lcstring,
    "lcsequence": lcsequence,
    "words": words,
    "edr": edr,
    "cleaneval": cleaneval,
    "bow": bag_of_words,
    "shingle": shingles,
}
"""Every metric by the name that reports use; each takes the output first, then the gold."""


def longest_common_substring(a: str, b: str) -> int:
    """Return the length in code points of the longest run of characters that is in both strings.

    Exact for all inputs: equal windows get equal names (Karp, Miller, Rosenberg 1972) by sorting, not by hashing.
    Names of windows of 1, 2, 4, ... characters are built until no window is in both; the names of the last length
    that is then name any length up to twice that, and a binary search finds the longest. O(n log^2 n) time, O(n) space
    for n = len(a) + len(b).
    """
    names_a, names_b = _code_points(a), _code_points(b)
    if not _share_a_name(names_a, names_b):
        return 0
    width = 1
    while True:
        doubled_a, doubled_b = _name_windows(names_a, names_b, shift=width)
        if not _share_a_name(doubled_a, doubled_b):
            break
        names_a, names_b, width = doubled_a, doubled_b, 2 * width
    # Runs of `found` are in both, runs of `missing` are not.
    found, missing = width, 2 * width
    while missing - found > 1:
        middle = (found + missing) // 2
        if _share_a_name(*_name_windows(names_a, names_b, shift=middle - width)):
            found = middle
        else:
            missing = middle
    return found


def longest_common_subsequence(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Return the length of the longest sequence of items that is in both in that order, gaps allowed.

    Bit-parallel, O(nm / 64). Items of a string are its code points.
    """
    return LCSseq.similarity(*_comparable(a, b))


def edit_distance(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Return the least number of insertions, deletions and substitutions of items that turn one into the other.

    Levenshtein's distance, bit-parallel, O(nm / 64). Items of a string are its code points.
    """
    return Levenshtein.distance(*_comparable(a, b))


def _comparable(a: Sequence[Hashable], b: Sequence[Hashable]) -> tuple[Sequence[Hashable], Sequence[Hashable]]:
    """Return the sequences with their items numbered, unless both are strings.

    rapidfuzz compares items other than characters by their hash alone, so that two words could be taken for one.
    """
    if isinstance(a, str) and isinstance(b, str):
        return a, b
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(item, len(numbers)) for item in a], [
        numbers.setdefault(item, len(numbers)) for item in b
    ]


def _code_points(text: str) -> _Names:
    # Lone surrogates are legal in a str, and a broken page can bring them.
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)


def _name_windows(names_a: _Names, names_b: _Names, shift: int) -> tuple[_Names, _Names]:
    """Name the windows of `width + shift` characters, given the names of all windows of `width >= shift` characters.

    A window is the pair of its first and its last `width` characters, which overlap or touch. A text that is
    shorter than the window has none. Equal names mean equal windows, in one text and across both.
    """
    first = np.concatenate([names_a[: max(0, len(names_a) - shift)], names_b[: max(0, len(names_b) - shift)]])
    last = np.concatenate([names_a[shift:], names_b[shift:]])
    # Names are below 2^21 (code points) or the number of windows, so a pair fits 63 bits with room to spare.
    pairs = first * (last.max(initial=0) + 1) + last
    names = np.unique(pairs, return_inverse=True)[1].astype(np.int64, copy=False)
    windows_of_a = max(0, len(names_a) - shift)
    return names[:windows_of_a], names[windows_of_a:]


def _share_a_name(names_a: _Names, names_b: _Names) -> bool:
    if not len(names_a) or not len(names_b):
        return False
    # Names are small and dense (at most 0x110000 or the number of windows): a table beats another sort.
    seen = np.zeros(max(names_a.max(), names_b.max()) + 1, dtype=np.bool_)
    seen[names_a] = True
    return bool(seen[names_b].any())


def _without_white_space(text: str) -> str:
    return "".join(text.split())


def _shingles_of(text: str) -> list[tuple[str, ...]]:
    tokens = _WORD.findall(text)
    if not tokens:
        return []
    last_start = max(0, len(tokens) - SHINGLE_WORDS)
    return [tuple(tokens[start : start + SHINGLE_WORDS]) for start in range(last_start + 1)]


def _multiset_score(output: Iterable[Hashable], gold: Iterable[Hashable]) -> Score:
    output_counts, gold_counts = Counter(output), Counter(gold)
    return _score((output_counts & gold_counts).total(), output_counts.total(), gold_counts.total())


def _score(matched: int, output_length: int, gold_length: int) -> Score:
    """Return precision, recall and F1 of `matched` items, with the results for empty texts that the module promises."""
    if not output_length or not gold_length:
        return PERFECT if output_length == gold_length else NOTHING
    # 2 matched / (both lengths) is the harmonic mean of the other two, in one division.
    return Score(matched / output_length, matched / gold_length, 2 * matched / (output_length + gold_length))
