"""WARC segments in a folder: one open at a time, closed by age and size, recovered after a crash.

An open segment is called `NAME.warc.gz.open`. Records reach it in whole groups, unbuffered, so that what was written
survives the death of the process; at most the last group is cut. Closing flushes it to the disk and takes the `.open`
away in one step. What a crash leaves open is cut after its last whole record and closed when the folder is opened
again.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from time import monotonic
from typing import BinaryIO

from pipeline.warc import Record, read
from spiders.exceptions import CrawlError
from spiders.records import new_id, warc_date, warcinfo

OPEN = ".open"
SUFFIX = ".warc.gz"
PREFIX = "winnow"
LOCK = ".lock"
MAX_BYTES = 1 << 30
MAX_SECONDS = 3600.0

_NAME = re.compile(rf"{PREFIX}-\d{{14}}-(\d{{5,}}){re.escape(SUFFIX)}")


def closed(folder: Path) -> list[Path]:
    """The closed segments of a folder, in the order in which they were begun."""
    return [path for _, path in sorted(_serials(folder))]


def _serials(folder: Path) -> list[tuple[int, Path]]:
    return [(int(found[1]), path) for path in folder.iterdir() if (found := _NAME.fullmatch(path.name))]


def recover(folder: Path) -> list[tuple[Path, int]]:
    """Close what a crash has left open; returns the segments and how many bytes after their last record are gone."""
    recovered = []
    for path in sorted(folder.glob(f"{PREFIX}-*{SUFFIX}{OPEN}")):
        size, end, records = path.stat().st_size, 0, 0
        with path.open("rb") as stream:
            for item in read(stream, size=size):
                if isinstance(item, Record) and item.truncated != "length":
                    end, records = item.offset + item.length, records + 1
        if records <= 1:  # nothing but what it says of itself
            path.unlink()
        else:
            with path.open("r+b") as stream:
                stream.truncate(end)
                os.fsync(stream.fileno())
            path.rename(path.with_name(path.name.removesuffix(OPEN)))
        recovered.append((path, size - end))
    _sync(folder)
    return recovered


class Segments:
    """Writes records; holds the folder for itself."""

    def __init__(
        self,
        folder: Path,
        about: Mapping[str, str],
        *,
        max_bytes: int = MAX_BYTES,
        max_seconds: float = MAX_SECONDS,
        closed_one: Callable[[Path], None] = lambda _: None,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(folder)
        self.recovered = recover(folder)
        self.written = 0  # bytes, by this process
        self._folder, self._about = folder, about
        self._max_bytes, self._max_seconds, self._closed_one = max_bytes, max_seconds, closed_one
        self._stream: BinaryIO | None = None
        self._path = folder
        self._info, self._size, self._begun = "", 0, 0.0
        self._serial = max((serial for serial, _ in _serials(folder)), default=0)

    def write(self, group: Callable[[str], Sequence[bytes]]) -> int:
        """Append the records that `group` makes, given the id of the segment's warcinfo; returns their bytes."""
        if self._stream is None:
            self._begin()
        data = b"".join(group(self._info))
        self._append(data)
        if self._size >= self._max_bytes or monotonic() - self._begun >= self._max_seconds:
            self.rotate()
        return len(data)

    def rotate(self) -> None:
        """Close the open segment; the next record begins another."""
        if self._stream is None:
            return
        os.fsync(self._stream.fileno())
        self._stream.close()
        self._stream = None
        final = self._path.with_name(self._path.name.removesuffix(OPEN))
        self._path.rename(final)
        _sync(self._folder)
        self._closed_one(final)

    def close(self) -> None:
        """Close the open segment and leave the folder to others."""
        self.rotate()
        self._lock.close()

    def _begin(self) -> None:
        self._serial += 1
        now = datetime.now(timezone.utc)
        name = f"{PREFIX}-{now:%Y%m%d%H%M%S}-{self._serial:05d}{SUFFIX}"
        self._path = self._folder / (name + OPEN)
        # "x": a segment is never written over. Unbuffered: a record is in the file when write() returns.
        self._stream = self._path.open("xb", buffering=0)
        self._info, self._size, self._begun = new_id(), 0, monotonic()
        self._append(warcinfo(self._info, warc_date(now), name, self._about))

    def _append(self, data: bytes) -> None:
        assert self._stream is not None  # noqa: S101  write() has begun one
        view = memoryview(data)
        while view:
            view = view[self._stream.write(view) :]
        self._size += len(data)
        self.written += len(data)


def _lock(folder: Path) -> BinaryIO:
    """The kernel lets go of it when the process ends, however it ends."""
    stream = (folder / LOCK).open("wb")
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        stream.close()
        raise CrawlError(f"another crawl is writing to {folder}; wait for it, or name another folder") from None
    return stream


def _sync(folder: Path) -> None:
    """A rename is on the disk only when its folder is."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
