"""Runs contestants over a data set and scores their texts; what was computed once is remembered.

The cost of a contestant is the CPU time from the bytes of a page to its text; the ratio is that to bare lxml parsing
of the same page right before.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from time import process_time

import numpy as np
from lxml import etree

import bench.metrics
import transforms
from bench import peers
from bench.datasets import Dataset, Sample
from bench.exceptions import BenchError
from bench.metrics import METRICS, Score
from transforms import BadParameter, Page, charset, extract, extractors
from transforms.registry import read_parameter

RESAMPLES = 1000  # of the bootstrap
SEED = 20_000


@dataclass(frozen=True)
class Contestant:
    """Something that turns the bytes of a page into text."""

    name: str
    text: Callable[[bytes], str]
    version: str  # changes whenever its texts could: what was computed with another one is not used


@dataclass(frozen=True)
class PageResult:
    """One contestant on one page."""

    sample: Sample
    scores: dict[str, Score]
    seconds: float  # CPU
    floor: float  # CPU seconds of bare lxml parsing of the same page


@dataclass(frozen=True)
class Result:
    """One contestant on a data set."""

    contestant: str
    pages: tuple[PageResult, ...] = field(repr=False)

    def mean(self, metric: str) -> Score:
        """Precision, recall and F1, each averaged over the pages."""
        scores = [page.scores[metric] for page in self.pages]
        columns = np.array([(score.precision, score.recall, score.f1) for score in scores])
        return Score(*columns.mean(axis=0).tolist())

    def interval(self, metric: str) -> tuple[float, float]:
        """The 95 % interval of the mean F1 by bootstrap over the pages; the same every time."""
        values = np.array([page.scores[metric].f1 for page in self.pages])
        drawn = np.random.default_rng(SEED).integers(len(values), size=(RESAMPLES, len(values)))
        low, high = np.percentile(values[drawn].mean(axis=1), (2.5, 97.5))
        return float(low), float(high)

    @cached_property
    def seconds(self) -> float:
        """CPU seconds a page."""
        return sum(page.seconds for page in self.pages) / len(self.pages)

    @cached_property
    def ratio(self) -> float:
        """CPU time as a multiple of bare lxml parsing; pages that were stripped before publication do not count."""
        whole = [page for page in self.pages if not page.sample.stripped] or list(self.pages)
        return sum(page.seconds for page in whole) / sum(page.floor for page in whole)

    def groups(self, by: str) -> dict[str, Result]:
        """The same by page type or by site, in alphabetical order."""
        names = sorted({getattr(page.sample, by) or "(none)" for page in self.pages})
        return {
            name: Result(self.contestant, tuple(p for p in self.pages if (getattr(p.sample, by) or "(none)") == name))
            for name in names
        }


def contestant(name: str) -> Contestant:
    """The extractor or peer of this name; parameters may follow, as in `cetr-tm:threshold=0.5,sigma=1`."""
    base, _, given = name.partition(":")
    if base in peers.PEERS:
        return peer(name)
    entry = extractors.named(base)
    try:
        parameters = dict(map(read_parameter, filter(None, given.split(","))))
    except BadParameter as error:
        raise BenchError(str(error)) from None
    entry.check(parameters)
    made_with = f"{_code_hash(transforms)} {_versions('lxml', 'charset-normalizer')}"
    return Contestant(name, lambda html: extract(Page.parse(html), base, **parameters).text, made_with)


def peer(name: str) -> Contestant:
    """The peer of this name; it runs with its own defaults."""
    base, colon, _ = name.partition(":")
    run = peers.peer(base)
    if colon:
        raise BenchError(f"{name}: a peer takes no parameters")
    # The text also depends on how the peer is called, and on the charset that is passed to it.
    adapter = f"{_code_hash(peers)} {_code_hash(charset)}"
    return Contestant(name, run, f"{adapter} {_versions(peers.PEERS[base].distribution, 'lxml')}")


def _versions(*distributions: str) -> str:
    return " ".join(f"{name} {version(name)}" for name in distributions)


def _code_hash(package: object) -> str:
    """A hash over the sources of a package or module."""
    file = Path(str(getattr(package, "__file__", "")))
    sources = sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]
    return hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:16]


class Cache:
    """Results by the hash of all that they depend on, in one SQLite file."""

    def __init__(self, path: Path | None) -> None:
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(path or ":memory:")
        except (OSError, sqlite3.Error) as error:
            raise BenchError(f"cannot open the cache {path}: {error}") from None
        try:
            self._database.execute("CREATE TABLE IF NOT EXISTS results (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        except sqlite3.Error as error:
            self._database.close()
            raise BenchError(f"{path} is no cache of results ({error}); name another file or delete it") from None

    def get(self, key: str) -> list[float] | None:
        """What was stored under this key."""
        row = self._database.execute("SELECT value FROM results WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else None

    def put(self, key: str, value: Sequence[float]) -> None:
        """Store it; it is on disk when `close` returns, or every hundred changes."""
        self._database.execute("INSERT OR REPLACE INTO results VALUES (?, ?)", (key, json.dumps(value)))
        if self._database.total_changes % 100 == 0:
            self._database.commit()

    def close(self) -> None:
        """Write what is left."""
        self._database.commit()
        self._database.close()


def run(
    data: Dataset,
    contestants: Sequence[Contestant],
    metrics: Sequence[str],
    cache: Path | None = None,
    progress: Callable[[Iterable[Sample]], Iterable[Sample]] = iter,
) -> Iterator[Result]:
    """Score each contestant by each metric on the pages that have gold text."""
    for metric in metrics:
        if metric not in METRICS:
            raise BenchError(f"there is no metric {metric!r}; there are: {', '.join(METRICS)}")
    if not metrics:
        raise BenchError(f"name a metric; there are: {', '.join(METRICS)}")
    contestants = list({entry.name: entry for entry in contestants}.values())
    pages: dict[str, list[PageResult]] = {entry.name: [] for entry in contestants}
    samples = data.with_gold().samples
    if not samples:
        raise BenchError(f"no page of {data.name} has gold text")
    with closing(Cache(cache)) as store:
        for sample in progress(samples):
            for name, result in _one_page(sample, contestants, metrics, store):
                pages[name].append(result)
    return iter([Result(entry.name, tuple(pages[entry.name])) for entry in contestants])


def _one_page(
    sample: Sample, contestants: Sequence[Contestant], metrics: Sequence[str], store: Cache
) -> Iterator[tuple[str, PageResult]]:
    html, gold = sample.html(), sample.gold or ""
    page_key = hashlib.sha256(html).hexdigest() + hashlib.sha256(gold.encode("utf-8", "replace")).hexdigest()
    for entry in contestants:
        keys = {
            metric: hashlib.sha256(
                f"{entry.name}|{entry.version}|{metric}|{METRICS_HASH}|{page_key}".encode()
            ).hexdigest()
            for metric in metrics
        }
        known = {metric: store.get(key) for metric, key in keys.items()}
        if any(value is None for value in known.values()):
            floor = min(_timed(_parse_only, html)[1] for _ in range(2))
            text, seconds = _timed(entry.text, html)
            for metric, key in keys.items():
                score = METRICS[metric](text, gold)
                known[metric] = [score.precision, score.recall, score.f1, seconds, floor]
                store.put(key, known[metric] or [])
        values = {metric: value for metric, value in known.items() if value is not None}
        *_, seconds, floor = next(iter(values.values()))
        yield entry.name, PageResult(sample, {m: Score(*v[:3]) for m, v in values.items()}, seconds, floor)


def _parse_only(html: bytes) -> str:
    etree.fromstring(html or b"<p>", etree.HTMLParser())
    return ""


def _timed(run: Callable[[bytes], str], html: bytes) -> tuple[str, float]:
    before = process_time()
    text = run(html)
    return text, process_time() - before


METRICS_HASH = _code_hash(bench.metrics)
