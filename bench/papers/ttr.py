"""Weninger, Hsu (TTR): LCS and EDR of the five clusterings, centroids for k = 1 to 3, and the space that is saved."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Mapping, Sequence
from statistics import mean, median, pstdev

from bench.papers.costs import cost_table
from bench.papers.pages import GoldPage, Run, part, runs
from bench.papers.tables import Table, row
from transforms.algorithms.ttr import RADIUS
from transforms.clusters import best_k_means, moving_average
from transforms.tagratio import lines

METHODS = ("ttr-threshold", "ttr-em", "ttr-kmeans", "ttr-farthest-first", "ttr-prediction")
K = (1, 2, 3)
KILOBYTE = 1000

_STATISTICS: dict[str, Callable[[Sequence[float]], float]] = {
    "mean, %": lambda values: 100 * mean(values),
    "median, %": lambda values: 100 * median(values),
    "standard deviation": lambda values: 100 * pstdev(values),
    "pages with 100 %": lambda values: sum(value == 1 for value in values),
}


def tables(pages: Sequence[GoldPage]) -> list[Table]:
    """All of it, over all pages."""
    found = runs(pages, METHODS)
    scores = {name: run.scores("edr", pages) for name, run in found.items()}
    return [
        _statistics("Longest common subsequence, as recall", {n: part(s, "recall") for n, s in scores.items()}),
        _statistics("Edit distance ratio, as precision", {n: part(s, "precision") for n, s in scores.items()}),
        centroids(pages),
        sizes(pages, found),
        cost_table(pages, found),
    ]


def _statistics(title: str, columns: Mapping[str, Sequence[float]]) -> Table:
    rows = tuple(row(name, [compute(column) for column in columns.values()]) for name, compute in _STATISTICS.items())
    return Table(title, ("", *columns), rows)


def centroids(pages: Sequence[GoldPage]) -> Table:
    """The centroids of k-means, in ascending order, each the mean over the pages that have so many different ratios."""
    rows = tuple(row(f"centroid {n + 1}", [_mean_centroid(pages, k, n) for k in K]) for n in range(max(K)))
    return Table("Centroids of k-means on smoothed ratios, mean over pages", ("", *(f"k = {k}" for k in K)), rows)


def _mean_centroid(pages: Sequence[GoldPage], k: int, number: int) -> float | str:
    found = []
    for page in pages:
        ratio = moving_average(lines(page.page.arrays).ratio, RADIUS)
        labels = best_k_means(ratio, k) if len(ratio) else ratio
        if len(ratio) and number < k <= labels.max() + 1:
            found.append(float(ratio[labels == number].mean()))
    return mean(found) if found else "-"


def sizes(pages: Sequence[GoldPage], found: Mapping[str, Run]) -> Table:
    """The mean sizes of a page and of its text, as they are and compressed; a row a method, then all of them."""
    html = [page.html for page in pages]
    whole = (_mean_size(html), _mean_compressed(html))
    rows: list[tuple[str | float, ...]] = []
    each = []
    for name, run in found.items():
        encoded = [text.encode("utf-8", "replace") for text in run.texts]
        each.append((whole[0], _mean_size(encoded), whole[1], _mean_compressed(encoded)))
        rows.append(row(name, each[-1]))
    rows.append(row("all methods", map(mean, zip(*each, strict=True))))
    return Table("Mean file sizes, KB", ("", "HTML", "text", "gzip HTML", "gzip text"), tuple(rows))


def _mean_size(files: Sequence[bytes]) -> float:
    return mean(map(len, files)) / KILOBYTE


def _mean_compressed(files: Sequence[bytes]) -> float:
    return _mean_size([gzip.compress(file, compresslevel=6, mtime=0) for file in files])
