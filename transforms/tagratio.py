"""The page as lines, with the characters and the tags on each: what TTR and CETR measure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from transforms.arrays import Arrays, Bools, Ints
from transforms.clusters import Floats
from transforms.selection import Spans, runs

WRAP_AT = 65  # CETR, section 5.3: a page on one line is broken every 65 characters


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
    """The page's lines; a page that is all on one line is broken every 65 characters, never inside a tag.

    Lines are those of the canonical source, where a tag never spans two of them and scripts, styles and comments are
    gone; those with neither a tag nor a visible character are left out, as the papers do.
    """
    offset, tag = arrays.newline
    start = np.concatenate(([0], offset - arrays.text_start[tag] + arrays.tag_end[tag] + 1))
    text_offset = np.concatenate(([0], offset + 1, [len(arrays.text)]))
    tags_before = np.concatenate(([0], tag + 1, [arrays.count]))
    found = _measured(arrays, start, text_offset, tags_before)
    if not _on_one_line(found):
        return found
    start = _wrapped(arrays)
    bounds = np.append(start, len(arrays.source))
    tags_before = arrays.tags_before(bounds)
    return _measured(arrays, start, arrays.text_offset(bounds, tags_before), tags_before)


def _on_one_line(found: Lines) -> bool:
    """Whether the body's own tags are all that stands on any other line: parsers add them where a page has none."""
    tags = found.tags.copy()
    if len(tags):
        tags[0] -= 1
        tags[-1] -= 1
    return int(np.count_nonzero((found.length > 0) | (tags > 0))) == 1


def _measured(arrays: Arrays, start: Ints, text_offset: Ints, tags_before: Ints) -> Lines:
    """Lines that begin at these source offsets; the other two arrays have the end of the page as well."""
    length = arrays.lengths(text_offset)
    tags = np.diff(tags_before)
    kept = np.flatnonzero((length > 0) | (tags > 0))
    end = np.append(start[1:], len(arrays.source))
    return Lines(start[kept], end[kept], length[kept], tags[kept])


def _wrapped(arrays: Arrays) -> Ints:
    """Source offsets of every 65th character, each moved behind the tag that it falls into."""
    character = np.flatnonzero((arrays.buffer & 0xC0) != 0x80)
    breaks = character[::WRAP_AT]
    tag = np.maximum(np.searchsorted(arrays.tag_start, breaks, side="left") - 1, 0)
    inside = (breaks > arrays.tag_start[tag]) & (breaks < arrays.tag_end[tag])
    return np.unique(np.where(inside, arrays.tag_end[tag], arrays.before_entity(breaks)))
