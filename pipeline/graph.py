"""The whole flow, in the order in which the data goes.

    file names -> ranges -> samples of sites -> templates
                         -> duplicates marked, templates met -> cleaned -> revisits -> settled and named

Pages never cross a shuffle: a range is read, cleaned and written by one worker, and what travels is names of files,
places of records, sketches of some pages, templates, accounts. So memory hardly grows with the input, and a shard is a
function of its range and the templates of its sites alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import apache_beam as beam
from apache_beam.pvalue import AsList, AsSingleton

from pipeline.joins import FindOriginals, MarkDuplicates
from pipeline.ledger import Account, MostlyRemoved, MostlyRemovedSites, Tally
from pipeline.publish import SITES, Close, WriteSorted, as_json
from pipeline.sites import LearnSites, MeetTemplates, RevisitsMeetTemplates, WriteTemplates
from pipeline.source import PlanRanges
from pipeline.work import ACCOUNTS, LOSSES, OUTPUTS, REVISITS, SHARDS, TALLIES, CleanRange, CleanRevisits
from transforms.sites import ALL

if TYPE_CHECKING:
    from pipeline.job import Job


def build(pipeline: beam.Pipeline, job: Job) -> beam.PCollection[dict[str, object]]:
    """The graph of a job; its result is one element, what stats.json says."""
    files = pipeline | "Files" >> beam.Create(list(enumerate(job.files))) | "Spread files" >> beam.Reshuffle()
    plan = files | "Plan" >> beam.ParDo(PlanRanges(job)).with_outputs(TALLIES, LOSSES, main="ranges")
    ranges = plan.ranges | "Spread ranges" >> beam.Reshuffle()

    templates, known = ranges | "Learn sites" >> LearnSites(job) if job.knows_sites else (None, nothing(pipeline))
    work = ranges | "Mark duplicates" >> MarkDuplicates(job)
    work = (work, known) | "Meet templates" >> MeetTemplates()
    cleaned = work | "Clean" >> beam.ParDo(CleanRange(job)).with_outputs(*OUTPUTS, main=SHARDS)

    originals = (cleaned[REVISITS], ranges) | "Find originals" >> FindOriginals(job)
    originals = (originals, known) | "Revisits meet templates" >> RevisitsMeetTemplates()
    revisited = originals | "Clean revisits" >> beam.ParDo(CleanRevisits(job)).with_outputs(*OUTPUTS, main=SHARDS)

    accounts = (cleaned[ACCOUNTS], revisited[ACCOUNTS]) | "All accounts" >> beam.Flatten()
    tallies = (plan[TALLIES], cleaned[TALLIES], revisited[TALLIES]) | "All tallies" >> beam.Flatten()
    losses = (plan[LOSSES], cleaned[LOSSES]) | "All losses" >> beam.Flatten()
    sites = accounts | "By site" >> beam.CombinePerKey(Merge()).with_output_types(tuple[str, Account])
    written = [cleaned[SHARDS], revisited[SHARDS], sites | "Write sites" >> WriteSites(job)]
    if templates:
        written.append(templates | "Write templates" >> WriteTemplates(job))
    shards = written | "All shards" >> beam.Flatten()

    total = accounts | "Of the run" >> beam.Values() | "Total" >> beam.CombineGlobally(Merge())
    removed = sites | "Mostly removed" >> FindMostlyRemoved(job)
    tally = tallies | "Tally" >> beam.CombineGlobally(Tally.sum)
    return (
        pipeline
        | "Once" >> beam.Create([None])
        | "Settle and name"
        >> beam.ParDo(
            Close(job), AsList(shards), AsSingleton(total), AsSingleton(tally), AsList(losses), AsSingleton(removed)
        )
    )


def nothing(pipeline: beam.Pipeline) -> beam.PCollection[tuple[str, tuple[str, str]]]:
    """No templates."""
    return pipeline | "No templates" >> beam.Create([]).with_output_types(tuple[str, tuple[str, str]])


class FindMostlyRemoved(beam.PTransform):  # type: ignore[misc]
    """(site, its account) -> the sites most of whose text was removed as the site's."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._shared_is_kept = job.settings.shared == ALL

    def expand(self, accounts: beam.PCollection[tuple[str, Account]]) -> beam.PCollection[MostlyRemovedSites]:
        """The branch of the graph."""
        return (
            accounts
            | "Judge" >> beam.FlatMap(_mostly_removed, shared_is_kept=self._shared_is_kept)
            | "Largest" >> beam.CombineGlobally(MostlyRemovedSites.sum)
        )


def _mostly_removed(account: tuple[str, Account], *, shared_is_kept: bool) -> Iterator[MostlyRemovedSites]:
    found = MostlyRemoved.of(*account, shared_is_kept=shared_is_kept)
    if found:
        yield MostlyRemovedSites(1, (found,))


class WriteSites(beam.PTransform):  # type: ignore[misc]
    """(site, its account) -> shards with the account of every site."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job

    def expand(self, accounts: beam.PCollection[tuple[str, Account]]) -> beam.PCollection[object]:
        """The branch of the graph."""
        return (
            accounts
            | "Lines" >> beam.MapTuple(lambda site, account: (site, as_json({"site": site, **account.as_dict()})))
            | "Sorted" >> WriteSorted(self._job, SITES, "jsonl.plain")
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
