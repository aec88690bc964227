"""What a fault in a library would do: bytes that ask for it kill the process, hang it, or eat its memory."""

from __future__ import annotations

import ctypes
import re


def go_wrong(data: bytes) -> None:
    """Go wrong in the way that the data ask for, if they do."""
    if b"please-segfault" in data:
        ctypes.string_at(0)
    if b"please-hang" in data:
        re.match(r"(a+)+$", "a" * 64 + "b")  # in C, holding the interpreter's lock
    if b"please-eat-memory" in data:
        bytearray(1 << 36)
