"""What records have to do with each other: pages that are stored twice, and revisits of pages stored elsewhere.

Only keys and places cross a shuffle here, never pages. A place is read again when its page is needed. The child process
reads them, within the same limits as when it cleans: a page can do no harm here either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import apache_beam as beam

from pipeline.guard import Original, Range, Revisit, revisits_shard
from pipeline.work import Cleaning, Work

if TYPE_CHECKING:
    from pipeline.job import Job

Place = tuple[int, int, int]  # file, offset, place among the records there


class MarkDuplicates(beam.PTransform):  # type: ignore[misc]
    """Ranges -> work: each range with its records whose payload stands elsewhere too.

    Of records with the same payload the first one stays, in the order of file names and offsets. Off unless the job
    asks for it: it reads the archives once more.
    """

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job

    def expand(self, ranges: beam.PCollection[Range]) -> beam.PCollection[Work]:
        """The branch of the graph."""
        if not self._job.dedup:
            return ranges | "No duplicates" >> beam.Map(lambda work: (work, (), ())).with_output_types(Work)
        later = (
            ranges
            | "Digests" >> beam.ParDo(Digests(self._job)).with_output_types(tuple[str, Place])
            | "Same payload" >> beam.GroupByKey()
            | "All but the first" >> beam.FlatMapTuple(all_but_first).with_output_types(tuple[int, tuple[int, int]])
        )
        by_file = ranges | "By file" >> beam.Map(lambda work: (work.file, work)).with_output_types(tuple[int, Range])
        return (
            {"ranges": by_file, "later": later}
            | "Join by file" >> beam.CoGroupByKey()
            | "Work" >> beam.FlatMapTuple(_to_work).with_output_types(Work)
        )


class Digests(Cleaning):
    """Ranges -> the digest and place of every page. One that cannot be read is booked by the step that cleans."""

    def process(self, work: Range) -> Iterator[tuple[str, Place]]:
        """Read one range."""
        for record in self._cleaner.payloads(work):
            for digest in record.names:
                yield digest, (work.file, record.offset, record.nth)


def all_but_first(_: str, places: Iterable[Place]) -> Iterator[tuple[int, tuple[int, int]]]:
    """Every place but the least, in one pass, by file."""
    first: Place | None = None
    for place in places:
        later = place if first is None else max(first, place)
        first = place if first is None else min(first, place)
        if later != first:
            yield later[0], later[1:]


def _to_work(_: int, joined: dict[str, Any]) -> Iterator[Work]:
    later = sorted(joined["later"])
    for work in joined["ranges"]:
        yield work, tuple(place for place in later if work.start <= place[0] < work.stop), ()


class FindOriginals(beam.PTransform):  # type: ignore[misc]
    """(revisits, ranges) -> by their shard, the revisits of a file, each with what was found of its page.

    Without a revisit nothing is read again. With some, the archives are, and every worker holds the keys that are
    looked for: some hundred bytes a revisit.
    """

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job

    def expand(
        self, inputs: tuple[beam.PCollection[Revisit], beam.PCollection[Range]]
    ) -> beam.PCollection[tuple[str, Iterable[tuple[Revisit, tuple[int, Original] | None]]]]:
        """The branch of the graph."""
        revisits, ranges = inputs
        by_key = revisits | "By key" >> beam.FlatMap(_by_key).with_output_types(tuple[str, tuple[int, Revisit]])
        wanted = by_key | "Keys" >> beam.Keys() | "Wanted" >> beam.CombineGlobally(beam.combiners.ToSetCombineFn())
        places = (
            ranges
            | "Originals"
            >> beam.ParDo(Originals(self._job), beam.pvalue.AsSingleton(wanted)).with_output_types(
                tuple[str, tuple[str, int]]
            )
            | "First of each" >> beam.CombinePerKey(min)
        )
        matches = (
            {"revisits": by_key, "places": places}
            | "Join by key" >> beam.CoGroupByKey()
            | "Matches" >> beam.FlatMapTuple(_matches)
        )
        unmatched = revisits | "Each" >> beam.Map(lambda revisit: (revisits_shard(revisit.file), (revisit, None)))
        return (matches, unmatched) | "Both" >> beam.Flatten() | "By shard" >> beam.GroupByKey()


def _by_key(revisit: Revisit) -> Iterator[tuple[str, tuple[int, Revisit]]]:
    for rank, key in enumerate(revisit.keys):
        yield key, (rank, revisit)


class Originals(Cleaning):
    """(range, wanted keys) -> where in the range they are."""

    def process(self, work: Range, wanted: set[str]) -> Iterator[tuple[str, tuple[str, int]]]:
        """Read one range, if anything is wanted."""
        for record in self._cleaner.originals(work) if wanted else ():
            for key in wanted.intersection(record.names):
                yield key, (work.uri, record.offset)


def _matches(key: str, joined: dict[str, Any]) -> Iterator[tuple[str, tuple[Revisit, tuple[int, Original]]]]:
    for uri, offset in joined["places"]:
        for rank, revisit in joined["revisits"]:
            yield revisits_shard(revisit.file), (revisit, (rank, Original(uri, offset, key)))
