"""The heavy step: a range of an archive in, a shard of text and one of dead letters out, with the accounts of both."""

from __future__ import annotations

import json
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import apache_beam as beam
from apache_beam.metrics import Metrics
from apache_beam.pvalue import TaggedOutput

from pipeline import receipts
from pipeline.child import UNREADABLE
from pipeline.guard import READER_CRASHED, Cleaner, Judged, Original, Range, Revisit
from pipeline.ledger import Account, Tally
from pipeline.outcomes import Outcome
from pipeline.progress import Reporter
from pipeline.receipts import Receipt
from pipeline.sinks import EXPLAINED, LETTERS, TEXT, Shard, ShardFile
from pipeline.warc import Loss

if TYPE_CHECKING:
    from pipeline.job import Job

ACCOUNTS, TALLIES, LOSSES, REVISITS, SHARDS = "accounts", "tallies", "losses", "revisits", "shards"
OUTPUTS = (ACCOUNTS, TALLIES, LOSSES, REVISITS)

SiteTemplates = tuple[tuple[str, str], ...]  # sites with their templates, packed
# With the (offset, place) of records known to be duplicates, and the templates of the range's sites.
Work = tuple[Range, tuple[tuple[int, int], ...], SiteTemplates]


class _Books:
    """The shards of one unit of work while they are written, and its accounts."""

    def __init__(self, text: ShardFile, letters: ShardFile, explained: ShardFile) -> None:
        self._text, self._letters, self._explained = text, letters, explained
        self._accounts: dict[str, Account] = defaultdict(Account)
        self._losses: list[Loss] = []
        self.records = self.record_bytes = self.lost_bytes = 0

    def enter(self, judged: Judged) -> None:
        """Write a document or a dead letter, and book it."""
        self.records += 1
        self.record_bytes += judged.length
        self._accounts[judged.entry.site].add(judged.entry)
        (self._text if judged.entry.outcome == Outcome.CLEANED.value else self._letters).write(judged.line)
        if judged.explanation:
            self._explained.write(judged.explanation)

    @property
    def documents(self) -> int:
        """Texts that were written."""
        return self._text.rows

    def lose(self, loss: Loss) -> None:
        """Count what could not be read."""
        self._losses.append(loss)
        self.lost_bytes += loss.end - loss.start

    def close(self, revisits: Sequence[Revisit] = ()) -> Receipt:
        """What the graph needs to know of all this, and of revisits that are yet to be resolved."""
        text, letters, explained = self._text.close(), self._letters.close(), self._explained.close()
        tally = Tally(
            records=self.records,
            record_bytes=self.record_bytes,
            losses=len(self._losses),
            lost_bytes=self.lost_bytes,
            documents=text.rows if text else 0,
            letters=letters.rows if letters else 0,
        )
        shards = tuple(shard for shard in (text, letters, explained) if shard)
        return Receipt(shards, tuple(sorted(self._accounts.items())), tally, tuple(self._losses), tuple(revisits))


def _handed_on(receipt: Receipt, uri: str) -> Iterator[Shard | TaggedOutput]:
    """The outputs of a step that cleans."""
    yield from receipt.shards
    yield from (TaggedOutput(ACCOUNTS, account) for account in receipt.accounts)
    yield TaggedOutput(TALLIES, receipt.tally)
    yield from (TaggedOutput(LOSSES, (uri, loss)) for loss in receipt.losses)
    yield from (TaggedOutput(REVISITS, revisit) for revisit in receipt.revisits)
    # For people who watch; the accounts do not come from these.
    Metrics.counter("winnow", "records").inc(receipt.tally.records)
    Metrics.counter("winnow", "bytes").inc(receipt.tally.record_bytes)
    Metrics.counter("winnow", "documents").inc(receipt.tally.documents)


class Cleaning(beam.DoFn):  # type: ignore[misc]
    """What the steps that clean have in common: a child process that lives as long as they do."""

    def __init__(self, job: Job) -> None:
        self._job = job.without_files()

    def setup(self) -> None:
        """Make ready; the child starts with the first page."""
        self._cleaner = Cleaner(self._job.settings, self._job.bounds, self._job.imports)

    def teardown(self) -> None:
        """End the child."""
        self._cleaner.close()

    @contextmanager
    def _books(self, shard: str) -> Iterator[_Books]:
        output = self._job.output
        with (
            ShardFile(output, TEXT, shard, self._job.format) as text,
            ShardFile(output, LETTERS, shard) as letters,
            ShardFile(output, EXPLAINED, shard) as explained,
        ):
            yield _Books(text, letters, explained)


class CleanRange(Cleaning):
    """Work -> shards; further outputs: the accounts by site, the tally, what was lost, and revisits to be resolved."""

    def process(self, element: Work) -> Iterator[Shard | TaggedOutput]:
        """Clean one range, unless an attempt before this one has."""
        work = element[0]
        receipt = receipts.find(self._job, work)
        if receipt is None:
            receipt = self._cleaned(*element)
            if not any(loss.reason.startswith((UNREADABLE, READER_CRASHED)) for loss in receipt.losses):
                receipts.keep(self._job, work, receipt)  # otherwise another attempt may read more
        else:
            with Reporter(self._job.progress, work.shard) as progress:
                progress.say(work.stop - work.start, receipt.tally.documents)
        yield from _handed_on(receipt, work.uri)

    def _cleaned(self, work: Range, duplicates: Sequence[tuple[int, int]], templates: SiteTemplates) -> Receipt:
        revisits: list[Revisit] = []
        with (
            self._books(work.shard) as books,
            stored_beside(templates) as known,
            Reporter(self._job.progress, work.shard) as progress,
        ):
            for item in self._cleaner.clean(work, duplicates, known):
                if isinstance(item, Judged):
                    books.enter(item)
                elif isinstance(item, Loss):
                    books.lose(item)
                else:
                    revisits.append(item)
                progress.say(books.record_bytes + books.lost_bytes, books.documents)
            return books.close(revisits)


Resolved = tuple[str, Iterable[tuple[Revisit, "tuple[int, Original] | None"]], SiteTemplates]


class CleanRevisits(Cleaning):
    """(shard, the revisits of a file with what was found of their pages, templates) -> outputs as of CleanRange."""

    def process(self, element: Resolved) -> Iterator[Shard | TaggedOutput]:
        """Clean the revisits of one file, in the order in which they stand there."""
        shard, found, templates = element
        known = dict(templates)
        with self._books(shard) as books:
            for revisit, original in surest(found):
                books.enter(self._cleaner.revisit(revisit, original, known.get(revisit.site)))
            receipt = books.close()
        yield from _handed_on(receipt, "")


@contextmanager
def stored_beside(templates: SiteTemplates) -> Iterator[str | None]:
    """A file with the templates of a range's sites, for the child; there may be many, and it needs few at a time."""
    if not templates:
        yield None
        return
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="winnow-templates-") as file:
        file.writelines(f"{json.dumps(site)}\t{line}\n" for site, line in templates)
        file.flush()
        yield file.name


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
