"""The pages of an experiment, whole and without what their sites repeat, and what a method makes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean
from time import process_time
from typing import Any
from urllib.parse import urlsplit

from bench.datasets import Dataset, Sample
from bench.exceptions import BenchError
from bench.metrics import METRICS, Score
from bench.sites import SitePages
from transforms import Page, extract
from transforms.sites import sketch
from transforms.sites.sample import PAGES, key

# Of fewer pages the site step learns nothing; a data set is one of whole sites if it has this many of each on average.
WHOLE_SITE = 8
WITH_SITE = " + site"
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class GoldPage:
    """A page with gold text."""

    group: str  # its site, or its type in a data set without whole sites
    html: bytes = field(repr=False)
    gold: str = field(repr=False)
    page: Page = field(repr=False)
    masked: Page | None = field(repr=False)  # without what its site repeats; None: the site is not known
    site_seconds: float = 0.0  # CPU, of the site step


@dataclass(frozen=True)
class Run:
    """The texts of a method, and the CPU seconds from the bytes of a page to its text."""

    texts: tuple[str, ...] = field(repr=False)
    seconds: tuple[float, ...] = field(repr=False)

    def scores(self, metric: str, pages: Sequence[GoldPage]) -> list[Score]:
        """The score of each page."""
        return [METRICS[metric](text, page.gold) for text, page in zip(self.texts, pages, strict=True)]


def read(data: Dataset, limit: int | None = None) -> list[GoldPage]:
    """The pages that have gold text, or so many of them; a site is learned from all of its pages in any case."""
    samples = data.with_gold().samples
    if not samples:
        raise BenchError(f"no page of {data.name} has gold text")
    sites = Counter(sample.site for sample in samples)
    wanted = Dataset(data.name, samples).spread(limit or len(samples)).samples
    hosts = {(sample.site, urlsplit(sample.url or "").netloc) for sample in samples}
    # One file of pages from many hosts is no site, though their loader names it so.
    if not all(sites) or mean(sites.values()) < WHOLE_SITE or len(hosts) > len(sites):
        return [_alone(sample) for sample in wanted]
    chosen = {id(sample) for sample in wanted}
    pages = []
    for site in sites:
        pages += _of_site(site, [sample for sample in samples if sample.site == site], chosen)
    return pages


def _alone(sample: Sample) -> GoldPage:
    html = sample.html()
    return GoldPage(sample.type or "pages", html, sample.gold or "", Page.parse(html, url=sample.url), None)


def _of_site(name: str, samples: Sequence[Sample], chosen: set[int]) -> list[GoldPage]:
    parsed = tuple(Page.parse(sample.html(), url=sample.url) for sample in samples)
    before = process_time()
    sampled = sorted(parsed, key=lambda page: key(page.url or ""))[:PAGES]
    masked = SitePages(name, tuple(samples), parsed, tuple(map(sketch, sampled))).masked()
    seconds = (process_time() - before) / len(samples)
    return [
        GoldPage(name, sample.html(), sample.gold or "", page, left, seconds)
        for sample, page, left in zip(samples, parsed, masked, strict=True)
        if id(sample) in chosen
    ]


def run(pages: Sequence[GoldPage], extractor: str, *, site: bool = False, **parameters: Any) -> Run:
    """Run an extractor on the pages as they are, or on what the site step leaves of them."""
    texts, seconds = [], []
    for page in pages:
        before = process_time()
        given = page.masked if site else Page.parse(page.html)
        if given is None:
            raise BenchError("the site step needs whole sites")
        texts.append(extract(given, extractor, **parameters).text)
        seconds.append(process_time() - before)
    return Run(tuple(texts), tuple(seconds))


def whole_sites(pages: Sequence[GoldPage]) -> bool:
    """Whether the site step has been at these pages."""
    return all(page.masked is not None for page in pages)


def runs(pages: Sequence[GoldPage], extractors: Sequence[str]) -> dict[str, Run]:
    """Each extractor, and after it the same with the site step where the data has whole sites."""
    found = {}
    for name in extractors:
        found[name] = run(pages, name)
        if whole_sites(pages):
            found[name + WITH_SITE] = run(pages, name, site=True)
    return found


def part(scores: Sequence[Score], name: str) -> list[float]:
    """The precision, the recall or the f1 of each score."""
    return [getattr(score, name) for score in scores]
