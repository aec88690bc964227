"""How far a run on this machine is: every unit of work says so in a small file, and the command shows the sum.

Files, because the work may be done in other processes. On a cluster there is no folder, and nothing is said: there the
counters of the runner show how far it is.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path
from time import monotonic

SAY_SECONDS = 0.25
_NUMBERS = struct.Struct("<QQ")


class Reporter:
    """Says how far one unit of work is."""

    def __init__(self, folder: str | None, name: str) -> None:
        self._path = Path(folder) / name if folder else None
        self._said = 0.0
        self._last = (0, 0)

    def say(self, read: int, documents: int) -> None:
        """So many bytes of the archive read, so many documents written."""
        self._last = (read, documents)
        if self._path and monotonic() - self._said > SAY_SECONDS:
            self._write(self._path)

    def _write(self, path: Path) -> None:
        with suppress(OSError):  # the run may have been stopped, and its folder removed
            path.write_bytes(_NUMBERS.pack(*self._last))
        self._said = monotonic()

    def __enter__(self) -> Reporter:
        return self

    def __exit__(self, *_: object) -> None:
        if self._path:
            self._write(self._path)


def so_far(folder: str) -> tuple[int, int]:
    """Bytes read and documents written by all units of work together."""
    read = documents = 0
    for path in Path(folder).iterdir():
        with suppress(OSError, struct.error):  # it is being written at this moment
            its_read, its_documents = _NUMBERS.unpack(path.read_bytes())
            read, documents = read + its_read, documents + its_documents
    return read, documents
