"""A decoder of content codings that dies, hangs or eats memory on bodies that ask for it: a faulty zlib."""

from __future__ import annotations

import ctypes
import re

from pipeline import codings

_decode = codings.decode


def decode(name: str, body: bytes, limit: int) -> codings.Decoded:
    """As codings.decode, unless the body says how to go wrong."""
    if b"please-segfault" in body:
        ctypes.string_at(0)
    if b"please-hang" in body:
        re.match(r"(a+)+$", "a" * 64 + "b")  # in C, holding the interpreter's lock
    if b"please-eat-memory" in body:
        bytearray(1 << 36)
    return _decode(name, body, limit)


codings.decode = decode
