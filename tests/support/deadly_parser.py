"""A parser that dies, hangs or eats memory on pages that ask for it: what a fault in lxml would do to every step."""

from __future__ import annotations

import ctypes
import re
from typing import Any

from transforms.page import Page

_parse = Page.parse


def parse(raw: bytes, *arguments: Any, **named: Any) -> Page:
    """As Page.parse, unless the page says how to go wrong."""
    if b"please-segfault" in raw:
        ctypes.string_at(0)
    if b"please-hang" in raw:
        re.match(r"(a+)+$", "a" * 64 + "b")  # in C, holding the interpreter's lock
    if b"please-eat-memory" in raw:
        bytearray(1 << 36)
    return _parse(raw, *arguments, **named)


Page.parse = parse  # type: ignore[method-assign,assignment]
