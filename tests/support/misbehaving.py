"""Extractors that do what a faulty parser would: they die, hang or eat memory on pages that ask for it."""

from __future__ import annotations

import ctypes
import os
import re
import signal

from transforms import Page
from transforms.registry import extractors
from transforms.selection import Spans, everything


@extractors.add("misbehaving", "of the tests")
def misbehaving(page: Page) -> Spans:
    """Keeps everything, unless the page says how to go wrong."""
    if b"please-segfault" in page.source:
        ctypes.string_at(0)
    if b"please-hang" in page.source:
        re.match(r"(a+)+$", "a" * 64 + "b")  # in C, holding the interpreter's lock
    if b"please-eat-memory" in page.source:
        bytearray(1 << 36)
    if b"please-raise" in page.source:
        raise RuntimeError("as asked")
    if b"please-vanish" in page.source:
        os.kill(os.getpid(), signal.SIGKILL)
    return everything(page.arrays)
