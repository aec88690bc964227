"""WARC records of a file or of any range of it, with an account of every byte that is not a record.

`read` yields the records whose first byte lies in the range, and the losses in it, clipped to it. Over any partition of
a file the lengths of records and losses add up to its size, and the items are those of one sequential read.

- `.warc.gz` and `.warc.zst` have one member a record. A member that is broken is lost whole (its checksum vouches for
  none of its bytes), and reading goes on at the next member that begins a record.
- A member that holds several records, such as a file gzipped as a whole, cannot be split: all its records have the
  offset of the member, and each the length that was used up since the one before; these lengths may be 0. If it is
  broken, the records before the break are given, and the loss begins after the last of them.
- `.warc` is plain. A range of it is found by walking the headers from byte 0, for a record may hold any bytes. A
  record that is not followed by the next one is lost up to the next `WARC/1.` after a blank line, but one that the end
  of the file cuts is given, as far as it goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple, Protocol

from pipeline import zstd
from pipeline.members import BOMB, RECORD_MAGIC, MemberError, Members, Window
from pipeline.records import (
    BLANK_LINES,
    HEADER_BYTES,
    LENGTH,
    LIMIT,
    NEWLINES,
    NEXT_RECORD,
    Contents,
    parse_header,
)

# Pages are far smaller; Common Crawl cuts them at 5 MiB.
MAX_BLOCK = 16 << 20

NO_HEADER = "no WARC header"
WRONG_LENGTH = "no record after Content-Length bytes"
NO_ARCHIVE = "not a WARC file"
NO_ZSTD = "zstd not supported"
BAD_DICTIONARY = "corrupt zstd dictionary"


class Record(NamedTuple):
    """One WARC record, read whole."""

    offset: int  # of its member in the file, or of itself in a plain file
    length: int  # bytes of the file that it takes up, with the blank lines after it
    type: str  # WARC-Type
    headers: tuple[tuple[str, str], ...]  # as written, in order
    block: bytes  # at most `max_block` bytes
    declared: int  # Content-Length
    # WARC-Truncated; or "length": the member holds fewer bytes than declared, or more (the block then ends where it
    # should); or "limit": cut at `max_block`, or where a bomb was left.
    truncated: str | None
    head: int  # bytes of its WARC header, unpacked

    def header(self, name: str, default: str | None = None) -> str | None:
        """The first header of that name, whatever its case."""
        name = name.lower()
        return next((value for key, value in self.headers if key.lower() == name), default)


class Loss(NamedTuple):
    """A byte range of the file that could not be read as records.

    It may be empty: a bad record among others in one member has no bytes of the file to itself.
    """

    start: int
    end: int
    reason: str


def read(
    stream: BinaryIO, start: int = 0, stop: int | None = None, *, size: int, max_block: int = MAX_BLOCK
) -> Iterator[Record | Loss]:
    """The records that begin in [start, stop) of a file of `size` bytes, and its lost bytes there, in order.

    Holds one block of at most `max_block` bytes and a few MB besides. Reads the range once, and before it as far as it
    takes to find a record that surely begins there: 1 or 2 MiB of a sound `.warc.gz`, at worst from byte 0.
    """
    if start < 0:
        raise ValueError(f"a range begins at byte 0 or later, not at {start}")
    stop = size if stop is None else min(stop, size)
    if start >= stop:
        return
    walk = _walk(Window(stream, size), max_block)
    walk.approach(start)
    while walk.position < stop:
        for item in walk.step():
            if isinstance(item, Record):
                if start <= item.offset < stop:
                    yield item
            elif item.start < stop and (item.end > start or item.start >= start):
                yield Loss(max(item.start, start), min(item.end, stop), item.reason)


def can_be_split(stream: BinaryIO, size: int) -> bool:
    """Whether a file is a row of compressed members with one record each, as far as its first one tells.

    A plain file can only be walked from its beginning, and a file gzipped as a whole has one member.
    """
    if stream.read(len(RECORD_MAGIC)).startswith(RECORD_MAGIC):
        return False
    return sum(isinstance(item, Record) for item in read(stream, 0, 1, size=size)) <= 1


class _Walk(Protocol):
    """A way through a file, from one position where something begins to the next."""

    position: int

    def approach(self, start: int) -> None:
        """Move to a position on the way from byte 0, at or before `start`, the nearer the better."""

    def step(self) -> Iterator[Record | Loss]:
        """What lies between `position` and the next one; moves there when it is exhausted."""


def _walk(window: Window, max_block: int) -> _Walk:
    head = window.copy(0, 5)
    if head.startswith((zstd.MAGIC, zstd.DICTIONARY_MAGIC)):
        return _zstd_walk(window, max_block)
    members = Members(window)
    gzip, plain = head.startswith(b"\x1f\x8b"), head.startswith(RECORD_MAGIC)
    if not gzip and not plain:
        # The first bytes are damaged: the file is what the first record in it is.
        member = next(members.candidates(0, window.size), window.size)
        record = next(window.find(NEXT_RECORD, 0, window.size), window.size)
        gzip, plain = member < record, record < member
    if gzip:
        return _MemberWalk(members, max_block)
    return _PlainWalk(window, max_block) if plain else _NoWalk(window, NO_ARCHIVE)


def _zstd_walk(window: Window, max_block: int) -> _Walk:
    if not zstd.supported():
        return _NoWalk(window, NO_ZSTD)
    try:
        return _MemberWalk(Members(window, zstd.dictionary(window.copy)), max_block)
    except zstd.FrameError:
        return _NoWalk(window, BAD_DICTIONARY)


class _NoWalk:
    def __init__(self, window: Window, reason: str) -> None:
        self.position = 0
        self._window, self._reason = window, reason

    def approach(self, start: int) -> None:
        """Stay: all of the file is one loss."""

    def step(self) -> Iterator[Record | Loss]:
        yield Loss(0, self._window.size, self._reason)
        self.position = self._window.size


class _PlainWalk:
    def __init__(self, window: Window, max_block: int) -> None:
        self.position = 0
        self._window, self._max_block = window, max_block
        self._start = 0

    def approach(self, start: int) -> None:
        """Stay, but leave the blocks before `start` alone."""
        self._start = start

    def step(self) -> Iterator[Record | Loss]:
        window, offset = self._window, self.position
        header = parse_header(window.copy(offset, HEADER_BYTES))
        if header is None:
            self.position = self._next(offset + 1)
            yield Loss(offset, self.position, NO_HEADER)
            return
        begin = offset + header.size
        end = begin + header.declared
        flaw = None
        if end > window.size or not self._ends_at(end):
            self.position = self._next(begin - len(BLANK_LINES))
            if end <= window.size or self.position < window.size:
                yield Loss(offset, self.position, WRONG_LENGTH)
                return
            flaw = LENGTH
        else:
            self.position = self._skip_newlines(end)
        if offset >= self._start:
            block = window.copy(begin, min(header.declared, self._max_block))
            if len(block) == self._max_block < header.declared:
                flaw = flaw or LIMIT
            yield Record(offset, self.position - offset, *header.content(block, flaw))

    def _ends_at(self, position: int) -> bool:
        """Whether a record can end there. Blank lines are enough: the record after them may be damaged."""
        after = self._window.copy(position, len(BLANK_LINES) + len(RECORD_MAGIC)).lstrip(NEWLINES)
        return not after or after.startswith(RECORD_MAGIC) or self._window.copy(position, 4) == BLANK_LINES

    def _next(self, start: int) -> int:
        size = self._window.size
        at = next(self._window.find(NEXT_RECORD, start, size), None)
        return size if at is None else at + len(BLANK_LINES)

    def _skip_newlines(self, position: int) -> int:
        while rest := self._window.copy(position, 64):
            text = rest.lstrip(NEWLINES)
            position += len(rest) - len(text)
            if text:
                break
        return position


class _MemberWalk:
    def __init__(self, members: Members, max_block: int) -> None:
        self.position = 0
        self._members, self._max_block = members, max_block

    def approach(self, start: int) -> None:
        """Go to the nearest member that is surely one, and on over whole members."""
        position = self._members.before(start) if start else 0
        while position < start and (end := self._members.end_of(position)) is not None and end <= start:
            position = end
        self.position = position

    def step(self) -> Iterator[Record | Loss]:
        start = self.position
        try:
            contents = Contents(self._members.open(start))
            content = contents.record(self._max_block)
            several = contents.next_record() or contents.capped
        except MemberError as error:
            header = parse_header(self._members.head(start))
            self.position = self._members.after(start, header and header.size + header.declared + len(BLANK_LINES))
            yield Loss(start, self.position, error.reason)
            return
        if several:
            yield from self._several(start)
            return
        self.position = contents.position
        if content:
            yield Record(start, self.position - start, *contents.judged(content))
        else:
            yield Loss(start, self.position, NO_HEADER)

    def _several(self, start: int) -> Iterator[Record | Loss]:
        """A member of several records, or a bomb: where it ends has to be known before its records are given."""
        end = self._members.end_of(start)
        if end is None:
            end = self._members.after(start, None)
        contents = Contents(self._members.open(start, fine=True))
        used, another, reason = start, True, None
        try:
            while another:
                content = contents.record(self._max_block)
                another = contents.next_record()
                upto = min(contents.position, end) if another or contents.capped else end
                if content:
                    yield Record(start, upto - used, *contents.judged(content))
                else:
                    yield _inside(end, used, upto, NO_HEADER)
                used = upto
            reason = BOMB if contents.capped else None
        except MemberError as error:
            reason = error.reason
        if reason:
            yield _inside(end, used, end, reason)
        self.position = end


def _inside(end: int, start: int, stop: int, reason: str) -> Loss:
    """The loss of [start, stop) in a member that ends at `end`; an empty one stays inside, where a range has it."""
    return Loss(start, stop, reason) if start < end else Loss(end - 1, end - 1, reason)
