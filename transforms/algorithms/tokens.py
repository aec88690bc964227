"""The page as a sequence of tags and words: body text extraction and document slope curves."""

from __future__ import annotations

import numpy as np

from transforms import tags
from transforms.algorithms.lines import word_counts
from transforms.arrays import Arrays, Bools, Ints
from transforms.page import Page
from transforms.registry import Within, extractors, whole
from transforms.selection import Spans, nothing, one, texts_after

# Tags that indicate content, such as changes of font, do not raise the curve (seeds/000).
_INDICATE_CONTENT = tags.members(
    "b", "big", "em", "font", "i", "mark", "s", "small", "strike", "strong", "sub", "sup", "tt", "u"
)
_SLOPE = {"window": whole(1, 1_000_000), "slope": Within(0, 100)}


@extractors.add("bte", "Finn, Kushmerick, Smyth: Fact or Fiction (2001), as compared in Weninger et al.")
def bte(page: Page) -> Spans:
    """The one contiguous region with the most words and the fewest tags in it.

    Maximises the words inside plus the tags outside, which is the largest sum of a stretch in which a word counts 1 and
    a tag -1; of equal regions, the one that ends first.
    """
    return _best_stretch(page.arrays, 1)


@extractors.add(
    "mss",
    "Pasternack, Roth: Extracting Article Text from the Web with Maximum Subsequence Segmentation (2009)",
    tag=Within(0, 1_000_000),
)
def mss(page: Page, *, tag: float = 3.25) -> Spans:
    """The contiguous region whose tokens have the largest sum, when a word counts 1 and a tag costs `tag`.

    The paper's form without training, with its figure for a tag. Linear time. Of equal regions, the one that ends
    first.

    Deviations: the tokens are those of the canonical source, so that scripts and the head are no part of the page, and
    end tags that the source leaves out count. A punctuation mark is part of its word, no token of its own. Where words
    are not set apart, six letters make one.
    """
    return _best_stretch(page.arrays, tag)


def _best_stretch(arrays: Arrays, tag_cost: float) -> Spans:
    """The stretch of words and tags with the largest sum of 1 for a word and -`tag_cost` for a tag."""
    words = word_counts(arrays, arrays.text_start)
    if not words.any():
        return nothing()
    total = np.cumsum(words - tag_cost)  # tag k, and the words after it
    without = np.concatenate(([0], total[:-1])) - tag_cost  # before the words after tag k, where a region may begin
    lowest = np.minimum.accumulate(without)
    last = int(np.argmax(total - lowest))
    first = int(np.argmin(without[: last + 1]))
    end = arrays.tag_start[last + 1] if last + 1 < arrays.count else len(arrays.source)
    return one(int(arrays.tag_end[first]), int(end))


@extractors.add("dsc", "Pinto et al.: QuASM (2002), as compared in Arias et al. and Weninger et al.", **_SLOPE)
def dsc(page: Page, *, window: int = 80, slope: float = 1.0) -> Spans:
    """Text in stretches where the document slope curve, the cumulated tag tokens, is flat.

    The token sequence is cut into windows; one is flat if its share of tags is at most `slope` times the page's. A text
    is content if more than half of its words are on flat ground. The seeds give no figures; the defaults are chosen by
    measurement.
    """
    return _flat(page.arrays, window, slope, sliding=False)


@extractors.add("adsc", "Gottron: ADSC (2007), as compared in Weninger et al.", **_SLOPE)
def adsc(page: Page, *, window: int = 120, slope: float = 1.0) -> Spans:
    """Document slope curve with a window that slides over the tokens, centred on each.

    Else as `dsc`; the window is cut off at the ends of the page. The defaults are chosen by measurement.
    """
    return _flat(page.arrays, window, slope, sliding=True)


def _flat(arrays: Arrays, window: int, slope: float, *, sliding: bool) -> Spans:
    words = word_counts(arrays, arrays.text_start)
    if not words.any():
        return nothing()
    is_tag, owner = token_sequence(words)
    curve = np.concatenate(([0], np.cumsum(is_tag & ~_INDICATE_CONTENT[arrays.tag_id][owner])))
    place = np.arange(len(owner))
    low = place - window // 2 if sliding else place - place % window
    high = np.minimum(low + window, len(owner))
    low = np.maximum(low, 0)
    # Rise / width <= slope * rise of the page / its width, without the rounding of a division.
    flat = (curve[high] - curve[low]) * len(owner) <= slope * curve[-1] * (high - low)
    flat_words = np.bincount(owner[flat & ~is_tag], minlength=arrays.count)
    return texts_after(arrays, 2 * flat_words > words)


def token_sequence(words: Ints) -> tuple[Bools, Ints]:
    """Tag k, then the words after it: whether each token is a tag, and its k."""
    owner = np.repeat(np.arange(len(words)), words + 1)
    is_tag = np.ones(len(owner), dtype=bool)
    is_tag[1:] = owner[1:] != owner[:-1]
    return is_tag, owner
