"""From the files of a run to ranges of them: what one worker reads at a time, and what one shard of output holds."""

from __future__ import annotations

from collections.abc import Iterator

import apache_beam as beam

from pipeline.files import InputError, open_binary, size
from pipeline.guard import Range
from pipeline.ledger import Tally
from pipeline.warc import Loss, Record, read

# Few files are split, so that all cores have work; of many only large ones are, so that none of them keeps a worker at
# it when all others are done, and there are not many more shards than files. Common Crawl's have about 1 GB.
FEW_FILES = 32
SPLIT_BYTES, LARGE_BYTES = 16 << 20, 1 << 30
# What is read of a file to see whether it can be split.
_PROBE_BYTES = 1


def split_size(files: int) -> int:
    """How large the ranges of a run are at most, by default. A function of the input alone."""
    return SPLIT_BYTES if files < FEW_FILES else LARGE_BYTES


def ranges(file: int, uri: str, total: int, split: int) -> Iterator[Range]:
    """The ranges of a file, in order; one, if it cannot be split or need not be."""
    parts = -(-total // split) if split and total > split and _can_be_split(uri, total) else 1
    for part in range(parts):
        yield Range(file, part, uri, total * part // parts, total * (part + 1) // parts, total)


def _can_be_split(uri: str, total: int) -> bool:
    """Whether a file is a row of compressed members with one record each.

    A plain file can only be walked from its beginning, and a file gzipped as a whole has one member.
    """
    with open_binary(uri) as stream:
        if stream.read(5) == b"WARC/":
            return False
        first = [item for item in read(stream, 0, _PROBE_BYTES, size=total) if isinstance(item, Record)]
    return len(first) <= 1


class PlanRanges(beam.DoFn):  # type: ignore[misc]
    """(number, uri) -> ranges of the file. Further outputs: its tally; the loss of a file that cannot be read."""

    TALLIES, LOSSES = "tallies", "losses"

    def __init__(self, split: int) -> None:
        self._split = split

    def process(self, element: tuple[int, str]) -> Iterator[Range | beam.pvalue.TaggedOutput]:
        """Look at one file."""
        number, uri = element
        try:
            total = size(uri)
            planned = list(ranges(number, uri, total, self._split)) if total else []
        except (InputError, OSError) as error:
            yield beam.pvalue.TaggedOutput(self.TALLIES, Tally(files=1, losses=1))
            yield beam.pvalue.TaggedOutput(self.LOSSES, (uri, Loss(0, 0, f"cannot be read: {error}")))
            return
        yield beam.pvalue.TaggedOutput(self.TALLIES, Tally(files=1, file_bytes=total))
        yield from planned
