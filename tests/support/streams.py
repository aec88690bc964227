"""Steps of a graph that tell how what they write travels. Workers import them, so that they are in no test's module."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterable, Iterator

from apache_beam.runners.worker.data_plane import ClosableOutputStream

# Long enough for some of Beam's flushes by the clock, of which there is one a second.
SECONDS = 4.0
AT_ONCE = 1_000


def streams_here(_: int) -> Iterator[str]:
    """The kinds of streams that this process has, while it writes to one."""
    yield from {type(found).__name__ for found in gc.get_objects() if isinstance(found, ClosableOutputStream)}


def written_for_a_while(writer: int) -> Iterator[tuple[int, int]]:
    """Zeroes, and last how many they were."""
    ends, count = time.monotonic() + SECONDS, 0
    while time.monotonic() < ends:
        for _ in range(AT_ONCE):
            yield writer, 0
        count += AT_ONCE
    yield writer, count


def lost(_: int, arrived: Iterable[int]) -> int:
    """How many of them are missing."""
    found = list(arrived)
    return max(found) - (len(found) - 1)
