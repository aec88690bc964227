"""The papers' experiments on any data set, each in its own metrics: `winnow bench --paper NAME DATA`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bench.datasets import Dataset
from bench.papers import block, cetr, density, ttr
from bench.papers.pages import GoldPage, read
from bench.papers.tables import Table

PAPERS: dict[str, Callable[[Sequence[GoldPage]], list[Table]]] = {
    "density": density.tables,
    "ttr": ttr.tables,
    "cetr": cetr.tables,
    "block": block.tables,
}


def experiment(paper: str, data: Dataset, limit: int | None = None) -> list[Table]:
    """The tables of a paper on a data set, or on `limit` pages of it, evenly spread."""
    return PAPERS[paper](read(data, limit))
