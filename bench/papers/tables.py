"""Tables of numbers, and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from bench.papers.pages import GoldPage

AVERAGE = "average"


@dataclass(frozen=True)
class Table:
    """A title, the names of the columns, and rows that begin with a name."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float, ...], ...]
    digits: int = 2

    def cells(self) -> list[tuple[str, ...]]:
        """Heading and rows as text."""
        return [self.columns, *(tuple(map(self._cell, row)) for row in self.rows)]

    def _cell(self, value: str | float) -> str:
        return f"{value:.{self.digits}f}" if isinstance(value, float) else str(value)

    def record(self) -> dict[str, Any]:
        """The same, unrounded."""
        return {"title": self.title, "columns": list(self.columns), "rows": [list(row) for row in self.rows]}


def row(name: str, values: Iterable[str | float]) -> tuple[str | float, ...]:
    """A row of a table."""
    return (name, *values)


def by_group(pages: Sequence[GoldPage], values: Sequence[float]) -> dict[str, float]:
    """The mean of the values in each group of pages, and the mean of these means."""
    groups = list(dict.fromkeys(page.group for page in pages))
    means = {
        group: mean(value for page, value in zip(pages, values, strict=True) if page.group == group) for group in groups
    }
    return {**means, AVERAGE: mean(means.values())}


def group_table(
    title: str, pages: Sequence[GoldPage], columns: Mapping[str, Sequence[float]], *, percent: bool = True
) -> Table:
    """A row a group and one for their average; a column for each list of values of the pages."""
    means = {name: by_group(pages, values) for name, values in columns.items()}
    groups = list(next(iter(means.values())))
    scale = 100 if percent else 1
    rows = tuple(row(group, [scale * column[group] for column in means.values()]) for group in groups)
    return Table(title, ("", *columns), rows, 2 if percent else 4)


def written(tables: Sequence[Table], write: Callable[[Sequence[Sequence[str]]], str]) -> str:
    """All tables under their titles."""
    return "\n\n".join(f"{table.title}\n\n{write(table.cells())}" for table in tables)
