"""The canonical source as numpy arrays: tags, text, lines and the tree, all without walking anything in Python.

Three coordinate systems:

- *source offsets* count bytes of the canonical source;
- *tag numbers* k = 0 .. T-1 count its tags in document order, opening, closing and empty ones alike. The text between
  tag k and tag k+1 is called "the text after tag k", so every array about text is as long as every array about tags;
- *text offsets* count bytes of `text`, which is the source with its tags taken out.

Each array is computed when first asked for, so that an extractor pays only for what it uses. Everything is linear in
the length of the source, but for sorting tags by depth.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transforms import tags

Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]
Bytes = NDArray[np.uint8]

WHITE = bytes(1 if byte <= 0x20 or byte == 0x7F else 0 for byte in range(256))
# The first byte of each character that can be seen: no white space, no control character, no UTF-8 continuation byte.
_VISIBLE = bytes(0 if WHITE[byte] or 0x80 <= byte < 0xC0 else 1 for byte in range(256))
# How many bytes follow the `&` of an entity, by its second byte: &amp; &lt; &gt; &quot;
_ENTITY_TAIL = np.zeros(256, dtype=np.int64)
_ENTITY_TAIL[[ord("a"), ord("l"), ord("g"), ord("q")]] = (4, 3, 3, 5)

# White space of two and of three bytes in UTF-8.
_WHITE_SECOND = np.zeros(256, dtype=bool)
_WHITE_SECOND[[0x85, 0xA0]] = True
_WIDE_WHITE: dict[int, dict[int, Bools]] = {}  # first byte, second byte, whether a third one makes white space of them
for _one, _two, _three in map(
    str.encode, "\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
):
    _WIDE_WHITE.setdefault(_one, {}).setdefault(_two, np.zeros(256, dtype=bool))[_three] = True

_ONES = np.uint64(0x0101010101010101)
_HIGHS = np.uint64(0x8080808080808080)


class Arrays:
    """All that an extractor can ask about the structure of one page."""

    def __init__(self, source: bytes, ends: Ints | None = None) -> None:
        """Read a canonical source; `ends` are the offsets of its `<` and `>`, if they are known already."""
        self.source = source
        self.buffer: Bytes = np.frombuffer(source, dtype=np.uint8)
        if ends is None:
            ends = markup(self.buffer)
        self.tag_start: Ints = ends[0::2]
        self.tag_end: Ints = ends[1::2] + 1

    # Tags

    @property
    def count(self) -> int:
        """The number of tags, T."""
        return len(self.tag_start)

    @cached_property
    def closing(self) -> Bools:
        """Whether tag k is an end tag."""
        closing: Bools = self.buffer[self.tag_start + 1] == ord("/")
        return closing

    @cached_property
    def empty(self) -> Bools:
        """Whether tag k is an element by itself, such as <br/>."""
        empty: Bools = self.buffer[self.tag_end - 2] == ord("/")
        return empty

    @cached_property
    def starting(self) -> Bools:
        """Whether tag k begins an element: opening and empty tags."""
        return ~self.closing

    @cached_property
    def tag_id(self) -> NDArray[np.uint8]:
        """The id of the name of tag k (see tags.py); 0 for other names."""
        padded = np.frombuffer(self.source + b"\0" * 8, dtype=np.uint8)
        eight = np.ndarray((len(self.source) + 1,), dtype="<u8", buffer=padded, strides=(1,))
        code = eight[self.tag_start + 1 + self.closing]
        # Find the first byte that ends the name, in all eight at once: x has a zero byte where it equals the character.
        ends = np.zeros(len(code), dtype=np.uint64)
        for character in b" />":
            x = code ^ (_ONES * np.uint64(character))
            ends |= (x - _ONES) & ~x & _HIGHS
        lowest = ends & (~ends + np.uint64(1))
        code &= np.where(ends == 0, ~np.uint64(0), (lowest >> np.uint64(7)) - np.uint64(1))
        ids = tags.ID_OF_SLOT[tags.slot(code)]
        ids[tags.CODES[ids] != code] = 0
        self._check_long_names(ids, np.flatnonzero((ends == 0) & (ids > 0)))
        return ids

    def _check_long_names(self, ids: NDArray[np.uint8], tag: Ints) -> None:
        """Names of eight bytes and more: what follows them decides, as in <textarea> and <textarea-wide>."""
        begin = (self.tag_start + 1 + self.closing)[tag]
        for place, start in zip(tag.tolist(), begin.tolist(), strict=True):
            name = tags.NAMES[ids[place]].encode()
            if self.source[start : start + len(name)] != name or self.source[start + len(name)] not in b" />":
                ids[place] = 0

    @cached_property
    def starts_block(self) -> Bools:
        """Whether tag k begins a block-level element."""
        return tags.IS_BLOCK[self.tag_id] & self.starting

    @cached_property
    def name_and_attributes(self) -> Ints:
        """The length of the name and the attributes of the element that tag k begins, in characters; 0 for end tags.

        Brackets, the slash of an empty tag and the white space between name and attributes are not counted.
        """
        inner = self.tag_end - self.tag_start - 2 - self.empty
        if not self.source.isascii():
            continuation = np.flatnonzero(self.buffer.view(np.int8) < -64)  # the bytes 0x80 to 0xBF
            tag = self.tags_before(continuation) - 1
            inner = inner - np.bincount(tag[continuation < self.tag_end[tag]], minlength=self.count)
        # Only attributes bring quotation marks into a tag, and the last byte of a tag with any is one.
        has_attributes = self.buffer[self.tag_end - 2 - self.empty] == ord('"')
        return np.where(self.closing, 0, inner - has_attributes)

    # The tree

    @cached_property
    def depth(self) -> NDArray[np.unsignedinteger[Any]]:
        """How many elements enclose the element of tag k; an end tag has the depth of its start tag."""
        step = 1 - 2 * self.closing.astype(np.int32)
        step[self.empty] = 0
        after = np.cumsum(step)
        depth = after - (step > 0)
        # Numbers of 16 bits are sorted much faster, and nearly all pages can do with them.
        return depth.astype(np.uint16 if self.count < 1 << 16 or depth.max() < 1 << 16 else np.uint32)

    @cached_property
    def _by_depth(self) -> Ints:
        return np.argsort(self.depth, kind="stable")

    @cached_property
    def partner(self) -> Ints:
        """The end tag of a start tag and the start tag of an end tag; an empty tag is its own."""
        by_depth = self._by_depth[~self.empty[self._by_depth]]
        # At each depth start and end tags alternate.
        partner = np.arange(self.count)
        partner[by_depth[0::2]] = by_depth[1::2]
        partner[by_depth[1::2]] = by_depth[0::2]
        return partner

    @cached_property
    def parent(self) -> Ints:
        """The start tag of the element that encloses the element of tag k; -1 for the root."""
        order = self._by_depth
        key = self.depth[order].astype(np.int64) * self.count + order
        opens = (self.starting & ~self.empty)[order]
        place = np.searchsorted(key[opens], key - self.count)
        parent = np.empty(self.count, dtype=np.int64)
        parent[order] = np.concatenate(([-1], order[opens]))[place]
        return parent

    @cached_property
    def container(self) -> Ints:
        """The start tag of the element that the text after tag k lies in."""
        return np.where(self.starting & ~self.empty, np.arange(self.count), self.parent)

    def enclosing(self, flagged: Bools) -> Ints:
        """How many flagged elements (flags on start tags) enclose the text after tag k."""
        step = np.zeros(self.count, dtype=np.int32)
        opens = np.flatnonzero(flagged & ~self.empty)
        step[opens] = 1
        step[self.partner[opens]] = -1
        return np.cumsum(step)

    @cached_property
    def in_link(self) -> Bools:
        """Whether the text after tag k lies in an <a>."""
        return self.enclosing(tags.IS_LINK[self.tag_id] & self.starting) > 0

    def subtree(self, after_tag: Ints) -> Ints:
        """Sums over each element: `after_tag[j]` for each tag j from the start tag k to before its end tag.

        Meaningless for end tags.
        """
        before = np.zeros(self.count + 1, dtype=np.int64)
        np.cumsum(after_tag, out=before[1:])
        return before[self.partner] - before[:-1]

    # Text

    @cached_property
    def text_start(self) -> Ints:
        """The text offset of the text after tag k, and at T the length of the whole text."""
        tag_bytes = np.cumsum(self.tag_end - self.tag_start)
        return np.append(self.tag_end - tag_bytes, len(self.source) - (tag_bytes[-1] if self.count else 0))

    @cached_property
    def text(self) -> bytes:
        """The source without its tags, still escaped; white space of any kind is as many spaces as it has bytes."""
        starts = self.text_start
        length = int(starts[-1])
        place = np.repeat((self.tag_end - starts[:-1]).astype(np.int32), np.diff(starts))
        place += np.arange(length, dtype=np.int32)
        text = self.buffer[place]
        if not self.source.isascii():
            _to_spaces(text)
        return text.tobytes()

    @cached_property
    def visible(self) -> Bytes:
        """1 at the first byte of each visible character of `text` (an entity is one character), else 0."""
        visible = np.frombuffer(self.text.translate(_VISIBLE), dtype=np.uint8)
        if b"&" not in self.text:
            return visible
        visible = visible.copy()
        text = np.frombuffer(self.text, dtype=np.uint8)
        entity = np.flatnonzero(text == ord("&"))
        tail = _ENTITY_TAIL[text[np.minimum(entity + 1, len(text) - 1)]]
        for distance in range(1, 6):
            visible[entity[tail >= distance] + distance] = 0
        return visible

    @cached_property
    def word_start(self) -> Bytes:
        """1 at each visible character of `text` that follows white space, else 0. Tags separate no words."""
        start = self.visible.copy()
        white = np.frombuffer(self.text.translate(WHITE), dtype=np.uint8)
        start[1:] &= white[:-1]
        return start

    @cached_property
    def visible_before(self) -> NDArray[np.int32]:
        """The number of visible characters before each text offset."""
        return _before(self.visible)

    @cached_property
    def words_before(self) -> NDArray[np.int32]:
        """The number of word starts before each text offset."""
        return _before(self.word_start)

    def characters(self, text_offsets: Ints) -> Ints:
        """Visible characters from each of these text offsets to the next; one number fewer than offsets."""
        return np.diff(self.visible_before[text_offsets])

    def words(self, text_offsets: Ints) -> Ints:
        """Words from each of these text offsets to the next, if the text were cut there."""
        begin = np.minimum(text_offsets[:-1], max(len(self.text) - 1, 0))
        words = np.diff(self.words_before[text_offsets])
        if not len(self.text):
            return words
        inside_a_word = (self.visible[begin] > self.word_start[begin]) & (text_offsets[1:] > text_offsets[:-1])
        return words + inside_a_word

    def lengths(self, text_offsets: Ints) -> Ints:
        """Characters from each of these text offsets to the next as a reader counts them.

        White space at the ends does not count, and each run of it inside counts as one character.
        """
        return self.characters(text_offsets) + np.maximum(self.words(text_offsets) - 1, 0)

    @cached_property
    def length_after(self) -> Ints:
        """The length of the text after tag k."""
        return self.lengths(self.text_start)

    @cached_property
    def characters_after(self) -> Ints:
        """The number of visible characters in the text after tag k."""
        return self.characters(self.text_start)

    def tags_before(self, source_offsets: Ints) -> Ints:
        """How many tags begin before each of these source offsets."""
        return np.searchsorted(self.tag_start, source_offsets)

    def text_offset(self, source_offsets: Ints, tags_before: Ints | None = None) -> Ints:
        """Where these source offsets lie in the text; an offset inside a tag is where the tag stands."""
        tag = (self.tags_before(source_offsets) if tags_before is None else tags_before) - 1
        # The source begins with a tag: an offset without one before it is 0, and so is its text offset.
        offset: Ints = self.text_start[tag] + np.maximum(source_offsets - self.tag_end[tag], 0)
        return np.where(tag >= 0, offset, 0)

    # Lines

    @cached_property
    def newline(self) -> tuple[Ints, Ints]:
        """The text offset of each newline, and the tag before it. Newlines stand only in text: never inside a tag."""
        offset = np.flatnonzero(np.frombuffer(self.text, dtype=np.uint8) == ord("\n"))
        return offset, np.searchsorted(self.text_start, offset, side="right") - 1


def markup(buffer: Bytes) -> Ints:
    """The offsets of all `<` and `>`, which differ in one bit."""
    ends: Ints = np.flatnonzero((buffer & 0xFD) == ord("<"))
    return ends


def _to_spaces(text: Bytes) -> None:
    """Put spaces, byte for byte, where Unicode has other white space."""
    two = np.flatnonzero(text[:-1] == 0xC2)  # U+00A0 is C2 A0, U+0085 is C2 85
    two = two[_WHITE_SECOND[text[two + 1]]]
    text[two] = text[two + 1] = ord(" ")
    for lead, seconds in _WIDE_WHITE.items():
        place = np.flatnonzero(text[:-2] == lead)
        for second, thirds in seconds.items() if len(place) else ():
            three = place[text[place + 1] == second]
            three = three[thirds[text[three + 2]]]
            text[three] = text[three + 1] = text[three + 2] = ord(" ")


def _before(flags: Bytes) -> NDArray[np.int32]:
    before = np.empty(len(flags) + 1, dtype=np.int32)
    before[0] = 0
    np.cumsum(flags, out=before[1:])
    return before
