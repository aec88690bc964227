"""Bounds on places without end: calendars, session ids, paths that repeat, queries that multiply.

What a URL looks like decides about the obvious ones. The others are bounded by budgets: of one host, so many URLs of
one shape (its digits and random tokens taken out), and so many queries of one path.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from spiders.urls import Url, key

_DIGITS = re.compile(r"\d+")
# So long, and with a digit: hashes, session ids, tokens. Words have none.
_LONG = re.compile(r"[A-Za-z0-9_-]{16,}")

DEPTH, REPEATS, PARAMETERS, SHAPE, QUERIES = (
    "too many path segments",
    "path repeats itself",
    "too many parameters",
    "too many URLs of this shape",
    "too many queries of this path",
)


@dataclass(frozen=True)
class TrapLimits:
    """Sites of people stay far below; what goes beyond is made by a program."""

    segments: int = 20
    repeats: int = 3  # of one segment, or of a row of segments
    parameters: int = 12
    per_shape: int = 5_000
    per_path: int = 2_000


class Traps:
    """Remembers how many URLs of each shape were let through."""

    def __init__(self, limits: TrapLimits) -> None:
        self._limits = limits
        self._shapes: Counter[int] = Counter()
        self._paths: Counter[int] = Counter()

    def caught(self, url: Url) -> str | None:
        """Why a URL is taken for part of a trap, or None; then it is counted. Ask once a URL."""
        limits = self._limits
        segments = [segment for segment in url.path.split("/") if segment]
        if len(segments) > limits.segments:
            return DEPTH
        if len(segments) >= limits.repeats and _repeats(segments) >= limits.repeats:
            return REPEATS
        if url.query.count("&") >= limits.parameters:
            return PARAMETERS
        form = shape(url)
        if form is not None and not _count(self._shapes, key(form), limits.per_shape):
            return SHAPE
        if url.query and not _count(self._paths, key(f"{url.host}{url.path}"), limits.per_path):
            return QUERIES
        return None


def shape(url: Url) -> str | None:
    """The URL without digits and tokens; None if it has none, for then it is the only one of its shape."""
    bare = _DIGITS.sub("0", _LONG.sub(lambda found: "0" if _DIGITS.search(found[0]) else found[0], url.target))
    return None if bare == url.target else url.host + bare


def _count(counts: Counter[int], of: int, most: int) -> bool:
    if counts[of] >= most:
        return False
    counts[of] += 1
    return True


def _repeats(segments: list[str]) -> int:
    """How often a row of segments follows upon itself, at most: 3 in /a/b/a/b/a/b."""
    most = 1
    for width in range(1, len(segments) // 2 + 1):
        run = width
        for place in range(width, len(segments)):
            run = run + 1 if segments[place] == segments[place - width] else width
            most = max(most, run // width)
    return most
