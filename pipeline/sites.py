"""Sites in the graph: a bounded sample of each, the template that is learned from it, and how pages meet it.

Sketches of pages cross a shuffle here, some KB each and at most `PAGES` a site, and templates. Pages stay where they
are: a range is read once for the samples, for which most pages of large sites need not even be parsed, and once to be
cleaned. Pages meet their template by a join on (site, shard), the shard being that of their range: a site of any size
is spread over as many workers as its pages are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import apache_beam as beam
from apache_beam.pvalue import TaggedOutput

from pipeline.guard import Range, SiteSeen, Sketched, revisits_shard
from pipeline.progress import Reporter
from pipeline.publish import WriteSorted
from pipeline.site_rules import OURS, RULES_BY_NAME
from pipeline.template_files import templates_in
from pipeline.work import Cleaning, Resolved, SiteTemplates, Work
from transforms.sites import Template, learn
from transforms.sites.sample import PAGES, Sampled, merged
from transforms.sites.sketch import decode
from transforms.sites.template import header

if TYPE_CHECKING:
    from pipeline.job import Job

PLACES = "places"
TEMPLATES = "templates"
# Beyond so many files, a site may have sketches in so many places that one worker should not merge them all.
FILES_A_FANOUT = 500


class SketchRange(Cleaning):
    """Ranges -> (site, page of its sample); further output: (site, shard) where a shard has pages of a site."""

    def process(self, work: Range) -> Iterator[tuple[str, list[Sampled]] | TaggedOutput]:
        """Read one range."""
        seen: set[SiteSeen] = set()
        with Reporter(self._job.progress, f"sites-{work.shard}") as progress:
            for item in self._cleaner.sketches(work, PAGES if self._job.learn else 0):
                if isinstance(item, Sketched):
                    yield item.site, [(item.key, item.sketch)]
                elif isinstance(item, SiteSeen):
                    if item not in seen:
                        seen.add(item)
                        shard = revisits_shard(work.file) if item.revisits else work.shard
                        yield TaggedOutput(PLACES, (item.site, shard))
                elif isinstance(item, int):  # what is lost, the step that cleans will say
                    progress.say(item, 0)
            progress.say(work.stop - work.start, 0)


class Sample(beam.CombineFn):  # type: ignore[misc]
    """The sample of a site: mergeable, the same in any order, bounded in pages and bytes."""

    def create_accumulator(self) -> list[Sampled]:
        """No page."""
        return []

    def add_input(self, sample: list[Sampled], pages: list[Sampled]) -> list[Sampled]:
        """Some pages more."""
        return merged([*sample, *pages])

    def merge_accumulators(self, samples: Iterable[list[Sampled]]) -> list[Sampled]:
        """The sample of all."""
        together: list[Sampled] = []
        for sample in samples:
            together = merged([*together, *sample])
        return together

    def extract_output(self, sample: list[Sampled]) -> list[Sampled]:
        """As it is."""
        return sample


class LearnSites(beam.PTransform):  # type: ignore[misc]
    """Ranges -> the templates by site, and the same by (shard, (site, template)) for every shard that needs them."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job

    def expand(self, ranges: beam.PCollection[Range]) -> tuple[beam.PCollection[Any], beam.PCollection[Any]]:
        """The branch of the graph."""
        job = self._job
        read = ranges | "Sketch" >> beam.ParDo(SketchRange(job)).with_outputs(PLACES, main="pages")
        if job.templates:
            templates = (
                ranges.pipeline
                | "Template file" >> beam.Create([job.templates])
                | "Read templates" >> beam.FlatMap(templates_in)
            )
        else:
            combine = beam.CombinePerKey(Sample())
            fanout = len(job.files) // FILES_A_FANOUT
            templates = (
                read.pages
                | "Sample" >> (combine.with_hot_key_fanout(fanout) if fanout > 1 else combine)
                | "Learn" >> beam.FlatMapTuple(learned, job.settings.site_rules)
            )
        explaining = job.settings.explain
        packed = templates | "Pack" >> beam.MapTuple(
            lambda site, line: (site, Template.decode(line).packed(explaining=explaining))
        )
        known = (
            {"shards": read[PLACES], "templates": packed}
            | "Join by site" >> beam.CoGroupByKey()
            | "By shard" >> beam.FlatMapTuple(_to_shards)
        )
        return templates, known


def learned(site: str, sample: list[Sampled], rules: str = OURS) -> Iterator[tuple[str, str]]:
    """The template of a site by the rules of this name, if it has one."""
    template = learn(site, (decode(sketch) for _, sketch in sample), RULES_BY_NAME[rules])
    if not template.is_empty:
        yield site, template.encode()


def _to_shards(site: str, joined: dict[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    for template in joined["templates"]:
        for shard in joined["shards"]:
            yield shard, (site, template)


class MeetTemplates(beam.PTransform):  # type: ignore[misc]
    """(work, templates by shard) -> work with the templates of its sites."""

    def expand(self, inputs: tuple[beam.PCollection[Work], beam.PCollection[Any]]) -> beam.PCollection[Work]:
        """The branch of the graph."""
        work, known = inputs
        by_shard = work | "By shard" >> beam.Map(lambda element: (element[0].shard, element))
        return (
            {"work": by_shard, "templates": known}
            | "Join by shard" >> beam.CoGroupByKey()
            | "Met" >> beam.FlatMapTuple(_met).with_output_types(Work)
        )


def _met(_: str, joined: dict[str, Any]) -> Iterator[Work]:
    templates: SiteTemplates = tuple(sorted(joined["templates"]))
    for work, duplicates, _none in joined["work"]:
        yield work, duplicates, templates


class RevisitsMeetTemplates(beam.PTransform):  # type: ignore[misc]
    """(revisits by shard with what was found of their pages, templates by shard) -> both together."""

    def expand(self, inputs: tuple[beam.PCollection[Any], beam.PCollection[Any]]) -> beam.PCollection[Resolved]:
        """The branch of the graph."""
        found, known = inputs
        return (
            {"found": found, "templates": known}
            | "Join by shard" >> beam.CoGroupByKey()
            | "Met" >> beam.FlatMapTuple(_revisits_met)
        )


def _revisits_met(shard: str, joined: dict[str, Any]) -> Iterator[Resolved]:
    for found in joined["found"]:
        yield shard, list(found), tuple(sorted(joined["templates"]))


class WriteTemplates(beam.PTransform):  # type: ignore[misc]
    """(site, template) -> the file of templates of the run."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job

    def expand(self, templates: beam.PCollection[tuple[str, str]]) -> beam.PCollection[Any]:
        """The branch of the graph."""
        lines = templates | "Lines" >> beam.MapTuple(lambda site, line: (site, line.encode("utf-8", "replace") + b"\n"))
        return lines | WriteSorted(self._job, TEMPLATES, "jsonl", header().encode() + b"\n")
