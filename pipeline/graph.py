"""The whole flow, in the order in which the data goes.

    file names -> ranges -> duplicates marked -> [templates of sites] -> cleaned -> revisits -> settled and named

Pages never cross a shuffle: a range is read, cleaned and written by one worker, and what travels is names of files,
places of records, accounts. So memory does not grow with the input, and a shard is a function of its range alone.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

import apache_beam as beam
from apache_beam.pvalue import AsList, AsSingleton

from pipeline.joins import FindOriginals, MarkDuplicates
from pipeline.ledger import Account, Tally
from pipeline.publish import FILES_A_BUCKET, Close, WriteSites
from pipeline.source import PlanRanges
from pipeline.work import ACCOUNTS, LOSSES, OUTPUTS, REVISITS, SHARDS, TALLIES, CleanRange, CleanRevisits

if TYPE_CHECKING:
    from pipeline.job import Job


def build(pipeline: beam.Pipeline, job: Job) -> beam.PCollection[dict[str, object]]:
    """The graph of a job; its result is one element, what stats.json says."""
    files = pipeline | "Files" >> beam.Create(list(enumerate(job.files))) | "Spread files" >> beam.Reshuffle()
    plan = files | "Plan" >> beam.ParDo(PlanRanges(job.split)).with_outputs(TALLIES, LOSSES, main="ranges")
    ranges = plan.ranges | "Spread ranges" >> beam.Reshuffle()

    work = ranges | "Mark duplicates" >> MarkDuplicates(job)
    # The templates of sites come in here: learned from `work` in a bounded sample a site, they go to the next step
    # beside it, so that what a site repeats is masked before the extractor sees the page.
    cleaned = work | "Clean" >> beam.ParDo(CleanRange(job)).with_outputs(*OUTPUTS, main=SHARDS)

    originals = (cleaned[REVISITS], ranges) | "Find originals" >> FindOriginals(job)
    revisited = originals | "Clean revisits" >> beam.ParDo(CleanRevisits(job)).with_outputs(*OUTPUTS, main=SHARDS)

    accounts = (cleaned[ACCOUNTS], revisited[ACCOUNTS]) | "All accounts" >> beam.Flatten()
    tallies = (plan[TALLIES], cleaned[TALLIES], revisited[TALLIES]) | "All tallies" >> beam.Flatten()
    losses = (plan[LOSSES], cleaned[LOSSES]) | "All losses" >> beam.Flatten()
    sites = accounts | "Write sites" >> Sites(job)
    shards = (cleaned[SHARDS], revisited[SHARDS], sites) | "All shards" >> beam.Flatten()

    total = accounts | "Of the run" >> beam.Values() | "Total" >> beam.CombineGlobally(Merge())
    tally = tallies | "Tally" >> beam.CombineGlobally(Tally.sum)
    return (
        pipeline
        | "Once" >> beam.Create([None])
        | "Settle and name"
        >> beam.ParDo(Close(job), AsList(shards), AsSingleton(total), AsSingleton(tally), AsList(losses))
    )


class Sites(beam.PTransform):  # type: ignore[misc]
    """(site, account) -> shards with the account of every site."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._output, self._buckets = job.output, 1 + len(job.files) // FILES_A_BUCKET

    def expand(self, accounts: beam.PCollection[tuple[str, Account]]) -> beam.PCollection[object]:
        """The branch of the graph."""
        buckets = self._buckets
        return (
            accounts
            | "By site" >> beam.CombinePerKey(Merge()).with_output_types(tuple[str, Account])
            | "Bucket" >> beam.Map(lambda entry: (zlib.crc32(entry[0].encode("utf-8", "replace")) % buckets, entry))
            | "By bucket" >> beam.GroupByKey()
            | "Write" >> beam.ParDo(WriteSites(self._output, buckets))
        )


class Merge(beam.CombineFn):  # type: ignore[misc]
    """Accounts into one."""

    def create_accumulator(self) -> Account:
        """Nothing booked."""
        return Account()

    def add_input(self, account: Account, other: Account) -> Account:
        """Book one more."""
        return account.merge(other)

    def merge_accumulators(self, accounts: Iterable[Account]) -> Account:
        """Book all."""
        total = Account()
        for account in accounts:
            total.merge(account)
        return total

    def extract_output(self, account: Account) -> Account:
        """As it is."""
        return account
