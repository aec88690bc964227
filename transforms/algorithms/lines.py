"""Densities of lines and paragraphs that seeds/002 compares with: Alexjc, and Zhou et al."""

from __future__ import annotations

import numpy as np

from transforms.algorithms.density import strings
from transforms.arrays import Arrays, Ints
from transforms.clusters import moving_average
from transforms.page import Page
from transforms.registry import Within, extractors, whole
from transforms.selection import Spans, nothing, runs
from transforms.tagratio import lines

# Text in a script without spaces has few "words"; a word of English, German or French takes about this many letters.
LETTERS_A_WORD = 6


@extractors.add(
    "alexjc", "Alexjc: The easy way to extract useful text from arbitrary HTML (2007)", threshold=Within(0, 1)
)
def alexjc(page: Page, *, threshold: float = 0.5) -> Spans:
    """Lines of which more than `threshold` of the bytes are text.

    Deviations: characters of text and bytes of tags; indentation counts as neither. A line that holds most of the page
    is broken every 65 characters, as CETR does.
    """
    found = lines(page.arrays)
    bounds = np.append(found.start, len(page.arrays.source))
    tag_bytes = np.concatenate(([0], np.cumsum(page.arrays.tag_end - page.arrays.tag_start)))
    markup = np.diff(tag_bytes[np.searchsorted(page.arrays.tag_start, bounds)])
    return found.choose(found.length > threshold * (found.length + markup))


@extractors.add(
    "zhou",
    "Zhou, Xiong, Liu: Efficient Web Page Main Text Extraction towards Online News Analysis (2009)",
    threshold=Within(0, 1),
    radius=whole(0, 1000),
)
def zhou(page: Page, *, threshold: float = 0.2, radius: int = 2) -> Spans:
    """Paragraphs whose smoothed word count comes near that of the longest one.

    The seeds describe the method without its figures: a paragraph is content if its word count, averaged with
    `radius` neighbours on either side that have words, is at least `threshold` times the largest such average. Both
    are chosen by measurement.
    """
    arrays = page.arrays
    first_tag, _ = strings(arrays)
    bounds = np.append(arrays.text_start[first_tag], arrays.text_start[-1])
    count = word_counts(arrays, bounds)
    filled = np.flatnonzero(count)
    if not len(filled):
        return nothing()
    smoothed = moving_average(count[filled].astype(float), radius)
    start = arrays.tag_end[first_tag]
    end = np.append(arrays.tag_start[first_tag[1:]], len(arrays.source))
    return runs(smoothed >= threshold * smoothed.max(), start[filled], end[filled])


def word_counts(arrays: Arrays, text_offsets: Ints) -> Ints:
    """Words from each of these text offsets to the next; where words are not set apart, one for every six letters."""
    return np.maximum(arrays.words(text_offsets), arrays.characters(text_offsets) // LETTERS_A_WORD)
