"""Content codings of HTTP, undone under a limit on what comes out."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from pipeline import zstd

BOMB_CAPPED: Final = "bomb_capped"
UNSUPPORTED: Final = "encoding_unsupported"
UNDECODABLE: Final = "undecodable"

# What servers write that is no coding: "identity", transfer encodings of mail, charsets.
NO_CODING = frozenset({"", "identity", "none", "null", "binary", "7bit", "8bit", "utf-8", "utf8", "iso-8859-1"})
# What goes in and comes out at a time. Small, for what a decoder made of a bite before it met a corrupt byte is lost.
BITE_BYTES, PIECE_BYTES = 8 << 10, 256 << 10
GZIP_MAGIC = b"\x1f\x8b"
# Looked at to tell text from compressed bytes.
TEXT_BYTES = 1024
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\f\r\x1b"))

Decoded = tuple[bytes, str | None]


def decode(name: str, body: bytes, limit: int) -> Decoded:
    """The body without the coding `name`, at most `limit` bytes, and BOMB_CAPPED, UNSUPPORTED, UNDECODABLE or None."""
    decoder = _DECODERS.get(name)
    if not body:
        return body, None
    if decoder is None:
        return body, None if _is_text(body) else UNSUPPORTED
    out, problem = decoder(body, limit)
    if problem == UNDECODABLE and _is_text(body):
        return body, None
    return out, problem


def _is_text(body: bytes) -> bool:
    head = body[:TEXT_BYTES]
    return len(head.translate(None, _CONTROLS)) == len(head)


def _gzip(body: bytes, limit: int) -> Decoded:
    if not body.startswith(GZIP_MAGIC):
        return body, None
    pieces: list[bytes] = []
    start, room = 0, limit
    # Members in a row are one body (RFC 1952, 2.2); anything else after a member is padding.
    while body.startswith(GZIP_MAGIC, start):
        out, problem, start = _inflate(body, start, room, wbits=31)
        pieces.append(out)
        room -= len(out)
        if problem:
            return b"".join(pieces), problem
    return b"".join(pieces), None


def _deflate(body: bytes, limit: int) -> Decoded:
    """HTTP's "deflate" is a zlib stream (RFC 9110, 8.4.1.2), but many servers send the bare deflate stream."""
    if body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0:
        out, problem, _ = _inflate(body, 0, limit, wbits=15)
        if out or problem != UNDECODABLE:
            return out, problem
    out, problem, _ = _inflate(body, 0, limit, wbits=-15)
    return out, problem


def _inflate(body: bytes, start: int, limit: int, *, wbits: int) -> tuple[bytes, str | None, int]:
    """What the stream at `start` inflates to, what is wrong with it, and where it ends."""
    inflate = zlib.decompressobj(wbits=wbits)
    view = memoryview(body)
    pieces: list[bytes] = []
    room = limit + 1
    try:
        while room > 0 and not inflate.eof:
            bite = view[start : start + BITE_BYTES]
            out = inflate.decompress(bite, min(room, PIECE_BYTES))
            # At the end, unconsumed_tail may hold the same bytes once more.
            start += len(bite) - len(inflate.unused_data if inflate.eof else inflate.unconsumed_tail)
            pieces.append(out)
            room -= len(out)
            if not out and not bite:
                return b"".join(pieces), UNDECODABLE, start
    except zlib.error:
        return b"".join(pieces), UNDECODABLE, start
    return *_capped(pieces, limit), start


def _brotli(body: bytes, limit: int) -> Decoded:
    try:
        brotli: Any = import_module("brotli")
    except ImportError:
        return body, UNSUPPORTED
    decoder = brotli.Decompressor()
    view = memoryview(body)
    pieces: list[bytes] = []
    start, room = 0, limit + 1
    try:
        while room > 0 and not decoder.is_finished():
            # It keeps what it has not used; more than it can take would be an error.
            bite = bytes(view[start : start + BITE_BYTES]) if decoder.can_accept_more_data() else b""
            out = decoder.process(bite, output_buffer_limit=min(room, PIECE_BYTES))
            start += len(bite)
            pieces.append(out)
            room -= len(out)
            if not out and not bite:
                return b"".join(pieces)[:limit], UNDECODABLE
    except brotli.error:
        return b"".join(pieces)[:limit], UNDECODABLE
    return _capped(pieces, limit)


def _zstd(body: bytes, limit: int) -> Decoded:
    if not body.startswith(zstd.MAGIC):
        return body, None
    if not zstd.supported():
        return body, UNSUPPORTED
    pieces: list[bytes] = []
    start, room, whole = 0, limit + 1, True
    try:
        # Frames in a row are one body (RFC 8878, 3.1).
        while room > 0 and whole and body.startswith(zstd.MAGIC, start):
            frame = zstd.Frame(lambda at, n: body[at : at + n], start, len(body), zstd.NO_DICTIONARY, partial=True)
            while room > 0 and (out := frame.read(min(room, PIECE_BYTES))):
                pieces.append(out)
                room -= len(out)
            start, whole = frame.position, frame.whole
    except zstd.FrameError:
        whole = False
    out, problem = _capped(pieces, limit)
    return out, problem if whole else problem or UNDECODABLE


def _capped(pieces: list[bytes], limit: int) -> Decoded:
    out = b"".join(pieces)
    return (out[:limit], BOMB_CAPPED) if len(out) > limit else (out, None)


_DECODERS: Final[dict[str, Callable[[bytes, int], Decoded]]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
