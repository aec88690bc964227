"""The heavy step: a range of an archive in, a shard of text and one of dead letters out, with the accounts of both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import apache_beam as beam
from apache_beam.metrics import Metrics
from apache_beam.pvalue import TaggedOutput

from pipeline.guard import Cleaner, Judged, Original, Range, Revisit
from pipeline.ledger import Account, Tally
from pipeline.outcomes import Outcome
from pipeline.progress import Reporter
from pipeline.sinks import LETTERS, TEXT, Shard, ShardFile
from pipeline.warc import Loss

if TYPE_CHECKING:
    from pipeline.job import Job

ACCOUNTS, TALLIES, LOSSES, REVISITS, SHARDS = "accounts", "tallies", "losses", "revisits", "shards"
OUTPUTS = (ACCOUNTS, TALLIES, LOSSES, REVISITS)

Work = tuple[Range, tuple[tuple[int, int], ...]]  # with the (offset, place) of records known to be duplicates


class _Books:
    """The shards of one unit of work while they are written, and its accounts."""

    def __init__(self, text: ShardFile, letters: ShardFile) -> None:
        self._text, self._letters = text, letters
        self._accounts: dict[str, Account] = defaultdict(Account)
        self.records = self.record_bytes = self.losses = self.lost_bytes = 0

    def enter(self, judged: Judged) -> None:
        """Write a document or a dead letter, and book it."""
        self.records += 1
        self.record_bytes += judged.length
        self._accounts[judged.entry.site].add(judged.entry)
        (self._text if judged.entry.outcome == Outcome.CLEANED.value else self._letters).write(judged.line)

    def lose(self, loss: Loss) -> None:
        """Count what could not be read."""
        self.losses += 1
        self.lost_bytes += loss.end - loss.start

    def close(self) -> Iterator[Shard | TaggedOutput]:
        """What the graph needs to know of all this."""
        text, letters = self._text.close(), self._letters.close()
        yield from (shard for shard in (text, letters) if shard)
        for site in sorted(self._accounts):
            yield TaggedOutput(ACCOUNTS, (site, self._accounts[site]))
        yield TaggedOutput(
            TALLIES,
            Tally(
                records=self.records,
                record_bytes=self.record_bytes,
                losses=self.losses,
                lost_bytes=self.lost_bytes,
                documents=text.rows if text else 0,
                letters=letters.rows if letters else 0,
            ),
        )
        # For people who watch; the accounts do not come from these.
        Metrics.counter("winnow", "records").inc(self.records)
        Metrics.counter("winnow", "bytes").inc(self.record_bytes)
        Metrics.counter("winnow", "documents").inc(text.rows if text else 0)


class _Cleaning(beam.DoFn):  # type: ignore[misc]
    """What the steps that clean have in common: a child process that lives as long as they do."""

    def __init__(self, job: Job) -> None:
        self._job = job

    def setup(self) -> None:
        """Make ready; the child starts with the first page."""
        self._cleaner = Cleaner(self._job.settings, self._job.bounds, self._job.imports)

    def teardown(self) -> None:
        """End the child."""
        self._cleaner.close()

    def _shards(self, name: str) -> tuple[ShardFile, ShardFile]:
        return ShardFile(self._job.output, TEXT, name, self._job.format), ShardFile(self._job.output, LETTERS, name)


class CleanRange(_Cleaning):
    """Work -> shards; further outputs: the accounts by site, the tally, what was lost, and revisits to be resolved."""

    def process(self, element: Work) -> Iterator[Shard | TaggedOutput]:
        """Clean one range."""
        work, duplicates = element
        text_file, letters_file = self._shards(work.shard)
        with text_file as text, letters_file as letters, Reporter(self._job.progress, work.shard) as progress:
            books = _Books(text, letters)
            for item in self._cleaner.clean(work, duplicates):
                if isinstance(item, Judged):
                    books.enter(item)
                elif isinstance(item, Loss):
                    books.lose(item)
                    yield TaggedOutput(LOSSES, (work.uri, item))
                else:
                    yield TaggedOutput(REVISITS, item)
                progress.say(books.record_bytes + books.lost_bytes, text.rows)
            yield from books.close()


Resolved = tuple[int, Iterable[tuple[Revisit, "tuple[int, Original] | None"]]]


class CleanRevisits(_Cleaning):
    """(file, its revisits with what was found of their pages) -> outputs as of CleanRange."""

    def process(self, element: Resolved) -> Iterator[Shard | TaggedOutput]:
        """Clean the revisits of one file, in the order in which they stand there."""
        file, found = element
        text_file, letters_file = self._shards(f"{file:05}-revisits")
        with text_file as text, letters_file as letters:
            books = _Books(text, letters)
            for revisit, original in surest(found):
                books.enter(self._cleaner.revisit(revisit, original))
            yield from books.close()


def surest(found: Iterable[tuple[Revisit, tuple[int, Original] | None]]) -> Sequence[tuple[Revisit, Original | None]]:
    """Each revisit once, in order, with the page that the surest of its keys found."""
    best: dict[Revisit, tuple[int, Original] | None] = {}
    for revisit, match in found:
        known = best.setdefault(revisit, None)
        if match and (known is None or match < known):
            best[revisit] = match
    return [(revisit, match[1] if (match := best[revisit]) else None) for revisit in sorted(best, key=_place)]


def _place(revisit: Revisit) -> Any:
    return revisit.offset, revisit.nth
