"""From the files of a run to ranges of them: what one worker reads at a time, and what one shard of output holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import apache_beam as beam

from pipeline.files import InputError, size
from pipeline.guard import Range
from pipeline.ledger import Tally
from pipeline.warc import Loss
from pipeline.work import Cleaning

# Few files are split, so that all cores have work; of many only large ones are, so that none of them keeps a worker at
# it when all others are done, and there are not many more shards than files. Common Crawl's have about 1 GB.
FEW_FILES = 32
SPLIT_BYTES, LARGE_BYTES = 16 << 20, 1 << 30


def split_size(files: int) -> int:
    """How large the ranges of a run are at most, by default. A function of the input alone."""
    return SPLIT_BYTES if files < FEW_FILES else LARGE_BYTES


def ranges(file: int, uri: str, total: int, split: int, can_be_split: Callable[[str, int], bool]) -> Iterator[Range]:
    """The ranges of a file, in order; one, if it cannot be split or need not be."""
    parts = -(-total // split) if split and total > split and can_be_split(uri, total) else 1
    for part in range(parts):
        yield Range(file, part, uri, total * part // parts, total * (part + 1) // parts, total)


class PlanRanges(Cleaning):
    """(number, uri) -> ranges of the file. Further outputs: its tally; the loss of a file that cannot be read."""

    TALLIES, LOSSES = "tallies", "losses"

    def process(self, element: tuple[int, str]) -> Iterator[Range | beam.pvalue.TaggedOutput]:
        """Look at one file."""
        number, uri = element
        try:
            total = size(uri)
        except (InputError, OSError) as error:
            yield beam.pvalue.TaggedOutput(self.TALLIES, Tally(files=1, losses=1))
            yield beam.pvalue.TaggedOutput(self.LOSSES, (uri, Loss(0, 0, f"cannot be read: {error}")))
            return
        planned = ranges(number, uri, total, self._job.split, self._cleaner.can_be_split) if total else ()
        yield beam.pvalue.TaggedOutput(self.TALLIES, Tally(files=1, file_bytes=total))
        yield from planned
