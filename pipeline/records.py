"""WARC records as text: the header, and the records that come out of one member."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline.http import fields
from pipeline.members import BOMB, RECORD_MAGIC, Member, MemberError

# WARC headers take some 500 bytes; long ones hold URLs, which crawlers cut at a few KB.
HEADER_BYTES = 64 << 10
NEWLINES = b"\r\n"
NEXT_RECORD = b"\r\n\r\nWARC/1."
BLANK_LINES = b"\r\n\r\n"  # after every block

# What `Content.truncated` says besides the values of WARC-Truncated.
LENGTH, LIMIT = "length", "limit"

_VERSION = re.compile(rb"WARC/\d{1,3}\.\d{1,3}[ \t]{0,8}\r?\n")
_NUMBER = re.compile(r"[0-9]{1,18}")


class Content(NamedTuple):
    """What a record says, wherever it stands."""

    type: str
    headers: tuple[tuple[str, str], ...]
    block: bytes
    declared: int
    truncated: str | None
    head: int


class Header(NamedTuple):
    """A WARC header that a record can be read by."""

    size: int  # with the blank line
    type: str
    declared: int
    headers: tuple[tuple[str, str], ...]
    truncated: str | None  # WARC-Truncated

    def content(self, block: bytes, flaw: str | None) -> Content:
        """The record with that block; `flaw` is what is wrong with it, if its header does not say so itself."""
        return Content(self.type, self.headers, block, self.declared, self.truncated or flaw, self.size)


def end_of_header(head: bytes) -> int:
    """Where the blank line after a header ends, -1 if there is none within HEADER_BYTES."""
    end = head.find(BLANK_LINES, 0, HEADER_BYTES)
    short = head.find(b"\n\n", 0, end if end >= 0 else HEADER_BYTES)
    if short >= 0:
        return short + 2
    return end + len(BLANK_LINES) if end >= 0 else -1


def parse_header(head: bytes) -> Header | None:
    """The header that `head` begins with: a version, a type, a length and a blank line within HEADER_BYTES."""
    version = _VERSION.match(head)
    size = end_of_header(head)
    if not version or size < 0:
        return None
    headers = fields(head[version.end() : size])
    # The first header of a name counts.
    first = {name.lower(): value for name, value in reversed(headers)}
    kind, declared = first.get("warc-type"), first.get("content-length", "")
    if not kind or not _NUMBER.fullmatch(declared):
        return None
    return Header(size, kind.lower(), int(declared), headers, first.get("warc-truncated"))


class Contents:
    """The records in one member, read in order."""

    __slots__ = ("_ahead", "_member", "_surplus", "capped")

    def __init__(self, member: Member) -> None:
        self.capped = False  # a bomb, left where it went too far
        self._member = member
        self._ahead = b""
        self._surplus = False

    @property
    def position(self) -> int:
        """In the file: everything before it has been used."""
        return self._member.position

    def record(self, max_block: int) -> Content | None:
        """The record that begins here; None if there is no header."""
        header = parse_header(self._ahead)
        while header is None and len(self._ahead) < HEADER_BYTES and end_of_header(self._ahead) < 0 and self._more():
            header = parse_header(self._ahead)
        if header is None:
            # So that looking for the next record does not find this one again.
            self._ahead = self._ahead[len(RECORD_MAGIC) :]
            return None
        self._ahead = self._ahead[header.size :]
        block, missing = self._take(header.declared, max_block)
        if missing:
            return header.content(block, LIMIT if self.capped else LENGTH)
        return header.content(block, LIMIT if len(block) < header.declared else None)

    def next_record(self) -> bool:
        """Whether another record follows in the member; goes there, over what belongs to none."""
        while True:
            self._ahead = self._ahead.lstrip(NEWLINES)
            if len(self._ahead) >= len(RECORD_MAGIC) or not self._more():
                break
        self._surplus = not self._ahead.startswith(RECORD_MAGIC) and bool(self._ahead)
        if not self._surplus:
            return bool(self._ahead)
        at = self._ahead.find(NEXT_RECORD)
        while at < 0 and self._more(keep=len(NEXT_RECORD)):
            at = self._ahead.find(NEXT_RECORD)
        self._ahead = self._ahead[at + len(BLANK_LINES) :] if at >= 0 else b""
        return at >= 0

    def judged(self, content: Content) -> Content:
        """The record, marked if more followed it than should."""
        return content._replace(truncated=content.truncated or LENGTH) if self._surplus else content

    def _take(self, count: int, keep: int) -> tuple[bytes, int]:
        """At most `keep` of the next `count` bytes, and how many of the `count` the member does not have."""
        kept: list[bytes] = []
        while True:
            piece, self._ahead = self._ahead[:count], self._ahead[count:]
            count -= len(piece)
            kept.append(piece[:keep])
            keep -= len(kept[-1])
            if not count or not self._more():
                return b"".join(kept), count

    def _more(self, keep: int | None = None) -> bool:
        """Whether there is more; it is ahead then, behind the last `keep` bytes of what was."""
        if self.capped:
            return False
        try:
            piece = self._member.more()
        except MemberError as error:
            if error.reason != BOMB:
                raise
            self.capped = True
            return False
        if keep is not None:
            self._ahead = self._ahead[-keep:]
        self._ahead += piece
        return bool(piece)
