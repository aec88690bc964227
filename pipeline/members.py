"""Compressed members of an archive: where each begins and ends, and where the next one is after damage.

A `.warc.gz` or `.warc.zst` is a row of members, one a record. Which bytes begin a member is a function of the file
alone, never of where a reader came from: `Members.before` names a member that a reader from byte 0 would reach as well,
so that every range of a file is read as if the whole file were.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, Protocol

import numpy as np
from isal import isal_zlib

from pipeline import zstd

# What `Window` asks of the file at a time, and the step of a search.
BLOCK_BYTES = 1 << 20
# Most records are small: the first bite is, too, for what zlib did not use of it is copied.
FIRST_BITE, BITE = 1 << 14, 1 << 16
# What comes out at a time: bounds memory where 64 KB would inflate to 66 MB.
OUT = 1 << 20
# How closely records that share a member are told apart in the file.
FINE_BITE, FINE_OUT = 1 << 10, 1 << 12
# A member may inflate so far, and by so much of what it takes up in the file; beyond it is a bomb, and not followed to
# its end. Text deflates to a tenth or so, deflate's limit is 1,032.
FREE_BYTES, FREE_RATIO = 64 << 20, 64
# A gzip header and the head of a deflate stream (at most ~300 bytes of Huffman code lengths) before "WARC/" comes out.
HEAD_BYTES = 512
# Length field of a deflate stored block (RFC 1951, 3.2.4): the longest copy that one can hold as it stands.
DEFLATE_STORED = 65535
# Positions whose end is remembered. Chains of one search overlap; older ones are not asked for again.
REMEMBERED = 1 << 14

RECORD_MAGIC = b"WARC/"

CORRUPT = "corrupt member"
TRUNCATED = "file ends inside a member"
BOMB = "inflates too far"


class MemberError(Exception):
    """A member cannot be read on, for one of the reasons above. Never leaves the reader."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Window:
    """Random access to the first `size` bytes of a stream, through one buffer."""

    __slots__ = ("_data", "_start", "_stream", "_view", "size")

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self.size = size
        self._stream = stream
        self._start = 0
        self._data = b""
        self._view = memoryview(b"")

    def view(self, position: int, count: int) -> memoryview:
        """The `count` bytes at `position`, fewer only at the end of the file."""
        count = max(0, min(count, self.size - position))
        begin = position - self._start
        if begin < 0 or begin + count > len(self._data):
            self._fill(position, count)
            begin = 0
        return self._view[begin : begin + count]

    def copy(self, position: int, count: int) -> bytes:
        """As `view`, copied."""
        return self.view(position, count).tobytes()

    def find(self, pattern: bytes, start: int, stop: int) -> Iterator[int]:
        """Positions in [start, stop) where `pattern` begins."""
        for lower in range(start, stop, BLOCK_BYTES):
            block = self.copy(lower, min(BLOCK_BYTES, stop - lower) + len(pattern) - 1)
            at = block.find(pattern)
            while at >= 0:
                yield lower + at
                at = block.find(pattern, at + 1)

    def _fill(self, position: int, count: int) -> None:
        wanted = min(max(count, BLOCK_BYTES), self.size - position)
        self._stream.seek(position)
        pieces = []
        while wanted > 0 and (piece := self._stream.read(wanted)):
            pieces.append(piece)
            wanted -= len(piece)
        self._start, self._data = position, b"".join(pieces)
        self._view = memoryview(self._data)


class Member(Protocol):
    """What comes out of one member, piece by piece."""

    position: int  # in the file: everything before it has been used
    done: bool  # the member ended, and its checksum is right

    def more(self) -> bytes:
        """The next piece, empty at the end; raises `MemberError`."""


class GzipMember:
    """A gzip member that begins at `start`."""

    __slots__ = ("_bite", "_inflate", "_next_bite", "_out", "_size", "_start", "_window", "done", "position")

    def __init__(self, window: Window, start: int, *, fine: bool = False) -> None:
        self._window = window
        self._start = self.position = start
        self._inflate = isal_zlib.decompressobj(wbits=31)
        self._bite, self._next_bite, self._out = (FINE_BITE, FINE_BITE, FINE_OUT) if fine else (FIRST_BITE, BITE, OUT)
        self._size = 0
        self.done = False

    def more(self) -> bytes:
        inflate = self._inflate
        while not self.done:
            bite = self._window.view(self.position, self._bite)
            self._bite = self._next_bite
            try:
                out = inflate.decompress(bite, self._out)
            except isal_zlib.error:  # type: ignore[misc]  # an Exception, whatever its stubs say
                raise MemberError(CORRUPT) from None
            self.done = inflate.eof
            # At the end, unconsumed_tail may hold the same bytes once more.
            self.position += len(bite) - len(inflate.unused_data if self.done else inflate.unconsumed_tail)
            self._size += len(out)
            if self._size > FREE_BYTES + FREE_RATIO * (self.position - self._start):
                raise MemberError(BOMB)
            if out:
                return out
            if not bite and not self.done:
                raise MemberError(TRUNCATED)
        return b""


class ZstdMember:
    """A zstd frame that begins at `start`; at byte 0 the dictionary in front of it belongs to it."""

    __slots__ = ("_frame", "_size", "_start", "done", "position")

    def __init__(self, window: Window, start: int, dictionary: zstd.Dictionary) -> None:
        self._start = self.position = start
        first = start if start else dictionary.end
        self._size = 0
        self.done = False
        try:
            self._frame = zstd.Frame(window.copy, first, window.size, dictionary)
        except zstd.FrameError as error:
            raise MemberError(TRUNCATED if error.truncated else CORRUPT) from None

    def more(self) -> bytes:
        try:
            out = self._frame.read(OUT)
        except zstd.FrameError:
            raise MemberError(CORRUPT) from None
        self.position = self._frame.position
        self.done = not out
        self._size += len(out)
        if self._size > FREE_BYTES + FREE_RATIO * (self.position - self._start):
            raise MemberError(BOMB)
        return out


class Members:
    """The members of one file.

    Soundness of `before` rests on `proven`: an archived `.warc.gz` lies byte by byte in the member that holds it only
    inside one stored block (DEFLATE_STORED, or zstd's block of 128 KB), and more bytes of that member follow it. So a
    row of whole members that is longer, or that ends with the file, is a row of the file itself. Only a writer of
    archives who sets out to deceive can make another: no page that a crawler compresses can.
    """

    def __init__(self, window: Window, dictionary: zstd.Dictionary | None = None) -> None:
        self.window = window
        self._dictionary = dictionary  # of a zstd file; None means gzip
        self._magic = zstd.MAGIC if dictionary else b"\x1f\x8b\x08"
        self._longest_copy = zstd.BLOCK_MAXIMUM if dictionary else DEFLATE_STORED
        self._ends: dict[int, int | None] = {}

    def open(self, start: int, *, fine: bool = False) -> Member:
        """The member at `start`, in small pieces if `fine`; may raise `MemberError` at once."""
        if self._dictionary:
            return ZstdMember(self.window, start, self._dictionary)
        return GzipMember(self.window, start, fine=fine)

    def end_of(self, start: int) -> int | None:
        """Where the member at `start` ends, if it is whole and begins with a WARC record."""
        if start not in self._ends:
            if len(self._ends) >= REMEMBERED:
                self._ends.clear()
            self._ends[start] = self._follow(start)
        return self._ends[start]

    def head(self, start: int) -> bytes:
        """What the first bytes of a broken gzip member inflate to, as far as they do: most often its WARC header."""
        out = b""
        if self._dictionary:
            return out
        inflate = zlib.decompressobj(wbits=31)
        data: bytes | memoryview = self.window.view(start, BITE)
        # A little at a time: what zlib makes of its input before it meets the damage is lost.
        with suppress(zlib.error):
            while len(out) < FINE_OUT and (piece := inflate.decompress(data, 64)):
                out += piece
                data = inflate.unconsumed_tail
        return out

    def before(self, start: int) -> int:
        """A member at or before `start` that a reader from byte 0 would reach: the nearest proven one, or byte 0."""
        upper = start + 1
        while upper > 0:
            lower = max(0, upper - BLOCK_BYTES)
            for candidate in reversed(list(self.window.find(self._magic, lower, min(upper, self.window.size)))):
                if self._plausible(candidate) and self._proven(candidate):
                    return candidate
            upper = lower
        return 0

    def after(self, broken: int, inflated: int | None) -> int:
        """The next member after the broken one at `broken`, which is `inflated` bytes long if its header is right.

        A candidate may be an archived member inside the broken one. It is taken if the length that ends a gzip member
        stands right before it, if no stored block can hold it, or if it is proven.
        """
        for candidate in self.candidates(broken + 1, self.window.size):
            end = self.end_of(candidate)
            if end is not None and (
                self._ends_before(candidate, inflated)
                or not self._may_be_copy(broken, candidate, end)
                or self._proven(candidate)
            ):
                return candidate
        return self.window.size

    def candidates(self, start: int, stop: int) -> Iterator[int]:
        """Positions in [start, stop) that look like the first byte of a member with a WARC record."""
        return (at for at in self.window.find(self._magic, start, min(stop, self.window.size)) if self._plausible(at))

    def _plausible(self, position: int) -> bool:
        if self._dictionary:
            return True
        try:
            head = zlib.decompressobj(wbits=31).decompress(self.window.view(position, HEAD_BYTES), len(RECORD_MAGIC))
        except zlib.error:
            return False
        return head == RECORD_MAGIC

    def _follow(self, start: int) -> int | None:
        try:
            member = self.open(start)
            head = b""
            while len(head) < len(RECORD_MAGIC) and (piece := member.more()):
                head += piece
            if not head.startswith(RECORD_MAGIC):
                return None
            while member.more():
                pass
        except MemberError:
            return None
        return member.position

    def _proven(self, start: int) -> bool:
        position = start
        while position - start <= self._longest_copy and position < self.window.size:
            end = self.end_of(position)
            if end is None:
                return False
            position = end
        return True

    def _ends_before(self, position: int, inflated: int | None) -> bool:
        if inflated is None or self._dictionary:
            return False
        return self.window.copy(position - 4, 4) == (inflated & 0xFFFFFFFF).to_bytes(4, "little")

    def _may_be_copy(self, broken: int, start: int, end: int) -> bool:
        """Whether a stored block of the member at `broken` may hold [start, end)."""
        if self._dictionary:
            return True
        # A stored block begins with LEN and its complement NLEN; zlib pads the byte before them with zero bits.
        lower = max(broken, start - DEFLATE_STORED - 5)
        near = np.frombuffer(self.window.copy(lower, start - lower), np.uint8)
        if len(near) < 5:
            return False
        before, low, high = near[:-4], near[1:-3], near[2:-2]
        hits = np.flatnonzero((before < 0x40) & (low ^ near[3:-1] == 0xFF) & (high ^ near[4:] == 0xFF))
        length = low[hits].astype(np.int64) | high[hits].astype(np.int64) << 8
        return bool(np.any(lower + hits + 5 + length >= end))
