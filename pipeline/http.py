"""From the block of a record to the payload of its HTTP response."""

from __future__ import annotations

import re
from typing import NamedTuple

from pipeline import codings

# Longer heads exist only to make us work; browsers stop at 256 KB.
HEAD_BYTES = 256 << 10
# Interim responses (100 Continue, 103 Early Hints) that may stand before the one that counts.
INTERIM = 4
# Ratios of short bodies say nothing: 20 KB of blanks deflate to 40 bytes.
RATIO_FREE_BYTES = 1 << 20

NO_HEAD = "no_http_head"  # the block does not begin with a status line or a header: all of it is body
NO_STATUS = "no_status"  # there are headers, but no line with a status before them
HEAD_CUT = "head_cut"  # the block ends before the head does: there is no body

_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE = re.compile(rb"[A-Za-z]{2,8}(?:/[\d.]{1,8})?[ \t]{1,8}(\d{3})(?!\d)")
_FIELD = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}[ \t]{0,8}:")
_FOLD = re.compile(r"\r?\n[ \t]{1,64}")
_CHUNK_SIZE = re.compile(rb"[ \t]{0,8}([0-9A-Fa-f]{1,15})[ \t]{0,64}(?:;[^\r\n]{0,4096})?(\r?\n)")


class HttpMessage(NamedTuple):
    """A response as the archive holds it, the body still encoded."""

    status: int | None
    headers: tuple[tuple[str, str], ...]  # as written and in order; repeated ones are kept
    body: bytes
    problem: str | None  # NO_HEAD, NO_STATUS or HEAD_CUT

    def all(self, name: str) -> list[str]:
        """The values of all headers of that name, whatever its case."""
        name = name.lower()
        return [value for key, value in self.headers if key.lower() == name]


def fields(head: bytes) -> tuple[tuple[str, str], ...]:
    """Header lines as (name, value): folded lines are joined, lines without a colon left out."""
    try:
        text = head.decode()
    except UnicodeDecodeError:
        text = head.decode("latin-1")
    if "\n " in text or "\n\t" in text:
        text = _FOLD.sub(" ", text)
    parts = [line.partition(":") for line in text.split("\n")]
    return tuple([(name.strip(), value.strip()) for name, colon, value in parts if colon])


def parse_response(block: bytes) -> HttpMessage:
    """The response in a block. Never raises: odd heads are read as browsers do, and what is no head is body."""
    message = _parse(block)
    for _ in range(INTERIM):
        if message.status is None or not 100 <= message.status < 200 or not _STATUS_LINE.match(message.body):
            break
        message = _parse(message.body)
    return message


def _parse(block: bytes) -> HttpMessage:
    start = len(block) - len(block.lstrip(b"\r\n"))
    status = _STATUS_LINE.match(block, start)
    if not status and not block.startswith(b"HTTP/", start) and not _FIELD.match(block, start):
        return HttpMessage(None, (), block, NO_HEAD)
    blank = _BLANK_LINE.search(block, start, start + HEAD_BYTES)
    head = block[start : blank.start() if blank else start + HEAD_BYTES]
    if not _FIELD.match(head):
        head = head.partition(b"\n")[2]
    problem = None if status else NO_STATUS
    if not blank:
        problem = HEAD_CUT
    return HttpMessage(
        int(status[1]) if status else None, fields(head), block[blank.end() :] if blank else b"", problem
    )


def decode_body(
    message: HttpMessage, *, max_bytes: int, max_ratio: int, max_layers: int = 3
) -> tuple[bytes, str | None]:
    """The body without its transfer and content codings, and what went wrong.

    At most `max_bytes` come out, and at most `max_ratio` times what the body is long (but RATIO_FREE_BYTES always may):
    the limit holds while inflating, so that memory stays within three times of it. The second value is None or
    - `codings.BOMB_CAPPED`: a limit was reached; the body is cut there, or left as it is if the layers are too many;
    - `codings.UNSUPPORTED`: a coding is unknown, or its package is not installed; the body is what came before it;
    - `codings.UNDECODABLE`: the stream is corrupt or ends early; the body is what could be decoded until there.
    A body that claims a coding but is not in it, as archives often store them, is passed through.
    """
    transfer = _names(message.all("transfer-encoding"))
    layers = _names(message.all("content-encoding")) + [name for name in transfer if name != "chunked"]
    body, problem = message.body, None
    limit = min(max_bytes, max(RATIO_FREE_BYTES, max_ratio * len(body)))
    if "chunked" in transfer:
        body, problem = _unchunk(body)
    if len(layers) > max_layers:
        return body[:limit], codings.BOMB_CAPPED
    for name in reversed(layers):
        body, found = codings.decode(name, body, limit)
        problem = found or problem
        if found:
            break
    if len(body) > limit:
        return body[:limit], codings.BOMB_CAPPED
    return body, problem


def _names(values: list[str]) -> list[str]:
    names = (name.strip().strip("\"'").lower() for value in values for name in value.split(","))
    return [name for name in names if name not in codings.NO_CODING]


def _unchunk(body: bytes) -> tuple[bytes, str | None]:
    """The chunks joined; the body itself if it is stored without them. Trailers and extensions are dropped.

    A body that ends inside a chunk gives what is there. After a size that is none, the rest is given up.
    """
    size = _CHUNK_SIZE.match(body)
    if not size or not _first_chunk(body, size):
        return body, None
    chunks: list[bytes] = []
    position = 0
    while position < len(body):
        size = _CHUNK_SIZE.match(body, position)
        if not size:
            return b"".join(chunks), codings.UNDECODABLE
        length = int(size[1], 16)
        if not length:
            break
        chunks.append(body[size.end() : size.end() + length])
        position = _after_newline(body, size.end() + length)
    return b"".join(chunks), None


def _first_chunk(body: bytes, size: re.Match[bytes]) -> bool:
    """Whether a body begins with a chunk, and not with a text whose first line is a number."""
    end = size.end() + int(size[1], 16)
    if end < len(body):
        return body.startswith((b"\r\n", b"\n"), end) or end == size.end()
    return size[2] == b"\r\n"


def _after_newline(body: bytes, position: int) -> int:
    if body.startswith(b"\r\n", position):
        return position + 2
    return position + body.startswith(b"\n", position)
