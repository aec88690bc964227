"""What each score of an extracted text against its gold standard promises."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence
from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.metrics import (
    METRICS,
    NOTHING,
    PERFECT,
    Score,
    bag_of_words,
    cleaneval,
    edit_distance,
    edr,
    lcsequence,
    lcstring,
    longest_common_subsequence,
    longest_common_substring,
    shingles,
    words,
)

DOG_AND_FOX = "the dog jumps over the brown fox"
FOX_AND_DOG = "the fox jumps over the brown dog"

# EDR is the same in both directions by definition, so only the others swap precision and recall.
DIRECTED_METRICS = sorted(set(METRICS) - {"edr"})

# Few letters, so that long matches and repetitions are common; one character outside the BMP, one lone surrogate.
LETTERS = st.text(alphabet="ab😀\ud800", max_size=40)
WORDS = st.lists(st.sampled_from(["a", "b", "A", "ab", "b.", "é"]), max_size=25)
TEXTS = st.text(alphabet="abcA .,\n\té", max_size=60)


def literal_substring(a: str, b: str) -> int:
    """Longest common substring by trying every substring of a."""
    return max(end - start for start in range(len(a) + 1) for end in range(start, len(a) + 1) if a[start:end] in b)


def literal_subsequence(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Longest common subsequence by its recurrence, O(nm)."""
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if x == y else max(table[i - 1][j], table[i][j - 1])
    return table[-1][-1]


def literal_edits(a: Sequence[Hashable], b: Sequence[Hashable], substitution: int = 1) -> int:
    """Levenshtein's distance by its recurrence, O(nm); a substitution that costs 2 is an insertion and a deletion."""
    table = [[i + j for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i, x in enumerate(a, 1):
        for j, y in enumerate(b, 1):
            replaced = table[i - 1][j - 1] + (0 if x == y else substitution)
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, replaced)
    return table[-1][-1]


def literal_overlap(a: Sequence[Hashable], b: Sequence[Hashable]) -> int:
    """Size of the intersection of two multisets, by crossing items off."""
    left = list(b)
    matched = 0
    for item in a:
        if item in left:
            left.remove(item)
            matched += 1
    return matched


# --- Lengths ---


def test_dog_and_fox_share_a_run_of_22_characters() -> None:
    # The paper quotes this very string and prints 20: it leaves the spaces at both ends uncounted.
    assert len(" jumps over the brown ") == 22
    assert longest_common_substring(DOG_AND_FOX, FOX_AND_DOG) == 22


def test_dog_and_fox_share_a_subsequence_of_28_characters() -> None:
    # The paper prints 23 for "the jumps over the brown ", which has 25 characters and is not the longest: a space and
    # the "o" that "dog" and "fox" share, twice, make it longer.
    assert len("the o jumps over the brown o") == 28
    assert longest_common_subsequence(DOG_AND_FOX, FOX_AND_DOG) == 28


@pytest.mark.parametrize(
    ("a", "b", "length"),
    [
        ("", "", 0),
        ("", "a", 0),
        ("abc", "xyz", 0),
        ("a", "a", 1),
        ("xabcy", "zabcw", 3),
        ("aaaa", "aaaaaaa", 4),
        ("abcabcabd", "abcabd", 6),
        ("x😀é😀y", "z😀é😀w", 3),
        ("\U0001f600", "\uf600", 0),
        ("\ud800", "\ud800", 1),
        ("\ud800", "\ud801", 0),
    ],
)
def test_longest_common_substring_of_small_strings(a: str, b: str, length: int) -> None:
    assert longest_common_substring(a, b) == length


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 1000])
def test_longest_common_substring_finds_every_length_around_the_powers_of_two(length: int) -> None:
    shared = "".join(chr(0x4E00 + i) for i in range(length))
    assert longest_common_substring("<" + shared + ">", "[[" + shared + "]") == length


def test_edit_distance_of_kitten_and_sitting_is_3() -> None:
    assert edit_distance("kitten", "sitting") == 3


def test_items_are_compared_by_equality_not_by_hash() -> None:
    # CPython gives -1 and -2 the same hash, and a one-letter word is not the number of its letter.
    assert longest_common_subsequence([-1], [-2]) == 0
    assert edit_distance([-1], [-2]) == 1
    assert longest_common_subsequence(["a"], [97]) == 0


@given(LETTERS, LETTERS)
def test_longest_common_substring_agrees_with_trying_every_substring(a: str, b: str) -> None:
    assert longest_common_substring(a, b) == literal_substring(a, b)


@given(LETTERS, LETTERS)
def test_longest_common_subsequence_of_characters_agrees_with_its_recurrence(a: str, b: str) -> None:
    assert longest_common_subsequence(a, b) == literal_subsequence(a, b)


@given(WORDS, WORDS)
def test_longest_common_subsequence_of_words_agrees_with_its_recurrence(a: list[str], b: list[str]) -> None:
    assert longest_common_subsequence(a, b) == literal_subsequence(a, b)


@given(LETTERS, LETTERS)
def test_edit_distance_of_characters_agrees_with_its_recurrence(a: str, b: str) -> None:
    assert edit_distance(a, b) == literal_edits(a, b)


@given(WORDS, WORDS)
def test_edit_distance_of_words_agrees_with_its_recurrence(a: list[str], b: list[str]) -> None:
    assert edit_distance(a, b) == literal_edits(a, b)


# --- Worked examples ---


def test_lcstring_is_the_longest_run_over_each_length_without_white_space() -> None:
    # "abcXdef" and "abcdef": the runs "abc" and "def", 3 characters of 7 and of 6.
    assert astuple(lcstring("abc X\tdef", "a b c\ndef")) == pytest.approx((3 / 7, 3 / 6, 6 / 13))


def test_lcsequence_is_the_common_subsequence_over_each_length_without_white_space() -> None:
    # "abcXdef" holds all 6 characters of "abcdef".
    assert astuple(lcsequence("abc X\tdef", "a b c\ndef")) == pytest.approx((6 / 7, 1.0, 12 / 13))


def test_words_counts_each_occurrence_and_needs_the_order() -> None:
    # In order: "the", "cat", "cat" of 4 and of 5 words.
    assert astuple(words("menu the cat cat", "the cat and the cat")) == pytest.approx((3 / 4, 3 / 5, 6 / 9))
    assert astuple(words("b a", "a b")) == pytest.approx((1 / 2, 1 / 2, 1 / 2))


def test_words_are_split_at_white_space_and_compared_as_written() -> None:
    assert astuple(words("Cat cat, cat", "cat")) == pytest.approx((1 / 3, 1.0, 1 / 2))


def test_edr_has_the_edit_distance_ratio_as_precision_and_the_subsequence_as_recall() -> None:
    # "kitten" to "sitting" takes 3 edits of 7; "ittn" is 4 of the 7 characters of the gold.
    assert astuple(edr("kit ten", "sitt ing")) == pytest.approx((4 / 7, 4 / 7, 4 / 7))
    # All of the gold is there, with as much again: 3 deletions of 6.
    assert astuple(edr("menabc", "abc")) == pytest.approx((1 / 2, 1.0, 2 / 3))


def test_edr_is_zero_when_all_characters_have_to_be_replaced() -> None:
    # "c" is in both, at no common place: 3 edits of 3, and a recall that is not 0.
    assert astuple(edr("abc", "cde")) == pytest.approx((0.0, 1 / 3, 0.0))


def test_cleaneval_is_the_aligned_share_of_the_alignment() -> None:
    # "a", "b", "c" align; "x" is deleted, "d" and "e" are inserted: 3 of 6 operations.
    assert astuple(cleaneval("a x b c", "a b c d e")) == pytest.approx((3 / 4, 3 / 5, 1 - 3 / 6))


def test_cleaneval_takes_a_replaced_word_as_a_deletion_and_an_insertion() -> None:
    # 2 of the 3 operations of the alignment of "a x" and "a y" are edits.
    assert astuple(cleaneval("a x", "a y")) == pytest.approx((1 / 2, 1 / 2, 1 / 3))


def test_bag_of_words_ignores_order_case_and_punctuation_but_counts_occurrences() -> None:
    assert bag_of_words("World, hello!", "Hello world") == PERFECT
    # "the" once and "cat" once of 3 and of 4 words.
    assert astuple(bag_of_words("the the cat", "The cat: a dog.")) == pytest.approx((2 / 3, 2 / 4, 4 / 7))


def test_shingles_are_runs_of_four_words() -> None:
    # a-b-c-d and b-c-d-e are shared; the output has c-d-e-x more, the gold c-d-e-f and d-e-f-g.
    assert astuple(shingles("a b c d e x", "a, b c d e f g")) == pytest.approx((2 / 3, 2 / 4, 4 / 7))


def test_shingles_are_counted_as_often_as_they_occur() -> None:
    # "a a a a" occurs 3 times in the output and once in the gold.
    assert astuple(shingles("a a a a a a", "a a a a")) == pytest.approx((1 / 3, 1.0, 1 / 2))


def test_shingles_keep_the_case() -> None:
    assert shingles("a b c D", "a b c d") == NOTHING


def test_a_text_of_fewer_than_four_words_is_one_shingle() -> None:
    assert shingles("a, b", "a b") == PERFECT
    assert shingles("a b", "a b c") == NOTHING


# --- Against literal references ---


@given(TEXTS, TEXTS)
def test_cleaneval_is_one_minus_the_edits_over_the_length_of_the_alignment(output: str, gold: str) -> None:
    a, b = output.split(), gold.split()
    edits = literal_edits(a, b, substitution=2)
    aligned = (len(a) + len(b) - edits) // 2
    assert cleaneval(output, gold).f1 == pytest.approx(1 - edits / (edits + aligned) if a or b else 1.0)


@given(TEXTS, TEXTS)
def test_words_divides_the_aligned_words_by_the_words_of_each_text(output: str, gold: str) -> None:
    a, b = output.split(), gold.split()
    if a and b:
        aligned = literal_subsequence(a, b)
        score = words(output, gold)
        assert (score.precision, score.recall) == (aligned / len(a), aligned / len(b))


@given(WORDS, WORDS)
def test_bag_of_words_divides_the_words_that_cross_off_by_the_words_of_each_text(a: list[str], b: list[str]) -> None:
    if a and b:
        matched = literal_overlap([word.lower().strip(".") for word in a], [word.lower().strip(".") for word in b])
        score = bag_of_words(" ".join(a), " ".join(b))
        assert (score.precision, score.recall) == (matched / len(a), matched / len(b))


@given(TEXTS, TEXTS)
def test_edr_is_one_minus_the_edits_over_the_longer_length(output: str, gold: str) -> None:
    a, b = "".join(output.split()), "".join(gold.split())
    if a and b:
        assert edr(output, gold).precision == pytest.approx(1 - literal_edits(a, b) / max(len(a), len(b)))
        assert edr(output, gold).recall == lcsequence(output, gold).recall


# --- What holds for every metric ---


def test_the_metrics_have_the_names_that_reports_use() -> None:
    assert list(METRICS) == ["lcstring", "lcsequence", "words", "edr", "cleaneval", "bow", "shingle"]


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(
    ("output", "gold", "score"),
    [("", "", PERFECT), (" \n", "\t", PERFECT), ("", "some text", NOTHING), ("some text", " ", NOTHING)],
)
def test_two_empty_texts_match_and_one_empty_text_does_not(name: str, output: str, gold: str, score: Score) -> None:
    assert METRICS[name](output, gold) == score


@pytest.mark.parametrize("name", ["bow", "shingle"])
def test_a_text_without_word_characters_is_empty_to_the_metrics_of_word_characters(name: str) -> None:
    assert METRICS[name]("!!!", "...") == PERFECT
    assert METRICS[name]("!!!", "a") == NOTHING


@pytest.mark.parametrize("name", METRICS)
def test_texts_without_a_character_in_common_score_nothing(name: str) -> None:
    assert METRICS[name]("one two one two one", "хлеб и сыр и чай") == NOTHING


@pytest.mark.parametrize("name", METRICS)
@given(text=TEXTS)
def test_a_text_matches_itself(name: str, text: str) -> None:
    assert METRICS[name](text, text) == PERFECT


@pytest.mark.parametrize("name", METRICS)
@given(output=TEXTS, gold=TEXTS)
def test_every_value_is_a_fraction(name: str, output: str, gold: str) -> None:
    score = METRICS[name](output, gold)
    assert 0 <= score.precision <= 1
    assert 0 <= score.recall <= 1
    assert 0 <= score.f1 <= 1


@pytest.mark.parametrize("name", DIRECTED_METRICS)
@given(output=TEXTS, gold=TEXTS)
def test_precision_and_recall_swap_when_the_texts_swap(name: str, output: str, gold: str) -> None:
    there, back = METRICS[name](output, gold), METRICS[name](gold, output)
    assert (there.precision, there.recall, there.f1) == (back.recall, back.precision, back.f1)


@given(output=TEXTS, gold=TEXTS)
def test_the_edit_distance_ratio_is_the_same_in_both_directions(output: str, gold: str) -> None:
    assert edr(output, gold).precision == edr(gold, output).precision


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"cleaneval"}))
@given(output=TEXTS, gold=TEXTS)
def test_f1_is_the_harmonic_mean_of_precision_and_recall(name: str, output: str, gold: str) -> None:
    score = METRICS[name](output, gold)
    total = score.precision + score.recall
    assert score.f1 == pytest.approx(2 * score.precision * score.recall / total if total else 0.0)


@pytest.mark.parametrize("name", METRICS)
def test_texts_of_100_kb_are_scored(name: str) -> None:
    rng = random.Random(20)
    vocabulary = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 9))) for _ in range(5000)]
    gold_words = rng.choices(vocabulary, k=16_000)
    output_words = [word for word in gold_words if rng.random() < 0.9] + rng.choices(vocabulary, k=1600)
    output, gold = " ".join(output_words), " ".join(gold_words)
    assert min(len(output), len(gold)) > 100_000
    score = METRICS[name](output, gold)
    assert 0 < score.precision < 1
    assert 0 < score.recall < 1


@pytest.mark.parametrize("name", METRICS)
def test_100_kb_of_one_repeated_line_against_less_of_it_is_scored(name: str) -> None:
    # Repetition is the worst case of a substring search: every window is in both texts, nearly to the end.
    line = "all work and no play "
    score = METRICS[name](line * 4900, line * 5000)
    assert score.precision == (pytest.approx(0.98) if name == "edr" else 1.0)
    assert score.recall == pytest.approx(0.98, abs=1e-4)
