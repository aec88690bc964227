"""zstd frames whose end is known before anything is decompressed, under a bound on memory.

Frames are walked block by block as RFC 8878 lays them out. Decompression needs the package `zstandard`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

MAGIC = b"\x28\xb5\x2f\xfd"
# The skippable frame that holds a file's dictionary: https://iipc.github.io/warc-specifications (WARC with zstd).
DICTIONARY_MAGIC = b"\x5d\x2a\x4d\x18"
# RFC 8878, 3.1.1.2.4: no block is longer, neither as it stands in the file nor decompressed.
BLOCK_MAXIMUM = 128 << 10
# RFC 9659 and RFC 8878, 3.1.1.1.2: what a frame may ask of a decoder's memory.
WINDOW_BYTES = 8 << 20
# A dictionary is a hundred KB or so; zstd's own trainer makes 110 KB.
DICTIONARY_MAXIMUM = 16 << 20

_CHECKSUM_BYTES = 4
_DICTIONARY_ID_BYTES = (0, 1, 2, 4)
_CONTENT_SIZE_BYTES = (0, 2, 4, 8)
_RLE, _RESERVED = 1, 3


class FrameError(Exception):
    """A frame is not one, or cannot be decompressed."""

    def __init__(self, *, truncated: bool = False) -> None:
        super().__init__("truncated frame" if truncated else "corrupt frame")
        self.truncated = truncated  # the bytes ran out


class Dictionary(NamedTuple):
    """What the frames of a file are decompressed with."""

    end: int  # of the dictionary's frame, in the file; 0 if there is none
    data: Any  # a zstandard.ZstdCompressionDict, or None


NO_DICTIONARY = Dictionary(0, None)

Read = Callable[[int, int], bytes]  # (position, count), fewer bytes only at the end


def supported() -> bool:
    """Whether the package is installed."""
    return find_spec("zstandard") is not None


def dictionary(read: Read) -> Dictionary:
    """What the file that `read` reads begins with; raises FrameError if its dictionary is broken."""
    if read(0, 4) != DICTIONARY_MAGIC:
        return NO_DICTIONARY
    length = int.from_bytes(read(4, 4), "little")
    if length > DICTIONARY_MAXIMUM:
        raise FrameError
    content = read(8, length)
    if len(content) < length:
        raise FrameError(truncated=True)
    if content.startswith(MAGIC):
        compressed = content
        content = Frame(lambda at, count: compressed[at : at + count], 0, length, NO_DICTIONARY).read(
            DICTIONARY_MAXIMUM
        )
    return Dictionary(8 + length, import_module("zstandard").ZstdCompressionDict(content))


def end_of_frame(read: Read, start: int, limit: int) -> int:
    """Where the frame at `start` ends; raises FrameError if it is none, or ends after `limit`."""
    head = read(start, 5)
    if len(head) < 5:
        raise FrameError(truncated=True)
    flags = head[4]
    if not head.startswith(MAGIC) or flags & 0x08:
        raise FrameError
    single = flags >> 5 & 1
    content_size = _CONTENT_SIZE_BYTES[flags >> 6] or single
    position = start + 5 + (1 - single) + _DICTIONARY_ID_BYTES[flags & 3] + content_size
    last = False
    while not last:
        block = int.from_bytes(read(position, 3), "little")
        last, kind, length = bool(block & 1), block >> 1 & 3, block >> 3
        if kind == _RESERVED or (length > BLOCK_MAXIMUM and kind != _RLE):
            raise FrameError
        position += 3 + (1 if kind == _RLE else length)
        if position > limit:
            raise FrameError(truncated=True)
    position += _CHECKSUM_BYTES * (flags >> 2 & 1)
    if position > limit:
        raise FrameError(truncated=True)
    return position


class _Source:
    """The compressed bytes of one frame, as the file object that zstandard asks for."""

    def __init__(self, read: Read, start: int, end: int) -> None:
        self.position, self.end = start, end
        self._read = read

    def read(self, count: int) -> bytes:
        piece = self._read(self.position, min(count, self.end - self.position))
        self.position += len(piece)
        return piece


class Frame:
    """One frame, decompressed piece by piece; raises FrameError if there is none at `start`.

    With `partial`, one that is cut or corrupt is decompressed as far as it goes, and is not `whole`.
    """

    def __init__(self, read: Read, start: int, limit: int, dictionary: Dictionary, *, partial: bool = False) -> None:
        zstandard = import_module("zstandard")
        self.whole = True
        try:
            end = end_of_frame(read, start, limit)
        except FrameError:
            if not partial:
                raise
            self.whole, end = False, limit
        self._source = _Source(read, start, end)
        self._error: type[Exception] = zstandard.ZstdError
        # A decompressor of its own: two readers of one spoil each other.
        codec = zstandard.ZstdDecompressor(dict_data=dictionary.data, max_window_size=WINDOW_BYTES)
        self._out = codec.stream_reader(self._source, read_size=BLOCK_MAXIMUM)

    @property
    def position(self) -> int:
        """In what is read: everything before it has been used."""
        return self._source.position

    def read(self, count: int) -> bytes:
        """At most `count` decompressed bytes, empty at the end; raises FrameError."""
        try:
            out: bytes = self._out.read(count)
        except self._error:
            raise FrameError from None
        if not out:
            self._source.position = self._source.end
        return out
