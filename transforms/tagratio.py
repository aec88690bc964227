"""The page as lines, with the characters and the tags on each: what TTR and CETR measure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from transforms import tags
from transforms.arrays import WHITE, Arrays, Bools, Ints
from transforms.clusters import Floats
from transforms.selection import Spans, runs

WRAP_AT = 65  # CETR, section 5.3: a page on one line is broken every 65 characters
# So is a line that holds more of the page's characters than this, if it is no single paragraph: so many tags of blocks.
MOST, MANY_TAGS = 0.5, 16


@dataclass(frozen=True)
class Lines:
    """The lines of the canonical source that are not empty, in order."""

    start: Ints  # source offsets
    end: Ints
    length: Ints  # characters that are not in tags; white space at the ends does not count, runs of it count once
    tags: Ints  # tags that begin on the line

    @cached_property
    def ratio(self) -> Floats:
        """Characters per tag; on a line without tags, its characters."""
        return self.length / np.maximum(self.tags, 1)

    def choose(self, content: Bools) -> Spans:
        """The text of these lines."""
        return runs(content, self.start, self.end)


def lines(arrays: Arrays) -> Lines:
    """The page's lines; one that holds most of the page is broken every 65 characters, never inside a tag or a word.

    Lines are those of the canonical source, where a tag never spans two of them and scripts, styles and comments are
    gone; those with neither a tag nor a visible character are left out, as the papers do.
    """
    offset, tag = arrays.newline
    start = np.concatenate(([0], offset - arrays.text_start[tag] + arrays.tag_end[tag] + 1))
    text_offset = np.concatenate(([0], offset + 1, [len(arrays.text)]))
    tags_before = np.concatenate(([0], tag + 1, [arrays.count]))
    found = _measured(arrays, start, text_offset, tags_before)
    breaks = _breaks(arrays, found)
    if not len(breaks):
        return found
    start = np.union1d(start, breaks)
    bounds = np.append(start, len(arrays.source))
    tags_before = arrays.tags_before(bounds)
    return _measured(arrays, start, arrays.text_offset(bounds, tags_before), tags_before)


def _measured(arrays: Arrays, start: Ints, text_offset: Ints, tags_before: Ints) -> Lines:
    """Lines that begin at these source offsets; the other two arrays have the end of the page as well."""
    length = arrays.lengths(text_offset)
    count = np.diff(tags_before)
    kept = np.flatnonzero((length > 0) | (count > 0))
    end = np.append(start[1:], len(arrays.source))
    return Lines(start[kept], end[kept], length[kept], count[kept])


def _breaks(arrays: Arrays, found: Lines) -> Ints:
    """Where the line that holds most of the page is broken; nowhere if there is no such line. There is one at most."""
    nowhere = np.empty(0, dtype=np.int64)
    if not len(found.length):
        return nowhere
    longest = int(found.length.argmax())
    if found.length[longest] <= MOST * found.length.sum():
        return nowhere
    start, end = int(found.start[longest]), int(found.end[longest])
    first, last = arrays.tags_before(np.array([start, end])).tolist()
    blocks = np.count_nonzero(tags.IS_STRUCTURAL[arrays.tag_id[first:last]])
    if blocks < MANY_TAGS and not _on_one_line(found):
        return nowhere
    character = start + np.flatnonzero((arrays.buffer[start:end] & 0xC0) != 0x80)
    breaks = _between_words(arrays, character[WRAP_AT::WRAP_AT])
    return breaks[breaks < end]


def _on_one_line(found: Lines) -> bool:
    """Whether the body's own tags are all that stands on any other line: parsers add them where a page has none."""
    count = found.tags.copy()
    count[0] -= 1
    count[-1] -= 1
    return int(np.count_nonzero((found.length > 0) | (count > 0))) == 1


def _between_words(arrays: Arrays, offset: Ints) -> Ints:
    """These source offsets, each moved behind the tag and the word that it falls into.

    Words are parted by white space and by the tags of blocks: <b>w</b>ord is one.
    """
    white = np.frombuffer(arrays.text.translate(WHITE), dtype=bool)
    between = np.ones(len(white) + 1, dtype=bool)  # by text offset
    between[1:-1] = white[1:] | white[:-1]
    between[arrays.text_start[:-1][tags.IS_STRUCTURAL[arrays.tag_id]]] = True
    places = np.flatnonzero(between)
    offset = np.maximum(offset, arrays.tag_end[arrays.tags_before(offset) - 1])
    in_text = arrays.text_offset(offset)
    moved = places[np.searchsorted(places, in_text)]
    tag = np.searchsorted(arrays.text_start, moved) - 1  # the last before the word's last character
    return np.where(moved > in_text, moved - arrays.text_start[tag] + arrays.tag_end[tag], offset)
