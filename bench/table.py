"""Results as a table: for people (text, Markdown) and for machines (JSON)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.datasets import Dataset
from bench.run import Result

HEADINGS = ("extractor", "metric", "P", "R", "F1", "95 % interval", "ms/page", "x lxml", "pages/s")


def rows(results: Sequence[Result], metrics: Sequence[str]) -> list[tuple[str, ...]]:
    """A row for each contestant and metric, best F1 first within a metric."""
    made: list[tuple[str, ...]] = []
    for metric in metrics:
        for result in sorted(results, key=lambda result: -result.mean(metric).f1):
            score, (low, high) = result.mean(metric), result.interval(metric)
            made.append(
                (
                    result.contestant,
                    metric,
                    f"{score.precision:.3f}",
                    f"{score.recall:.3f}",
                    f"{score.f1:.3f}",
                    f"{low:.3f}-{high:.3f}",
                    f"{1000 * result.seconds:.2f}",
                    f"{result.ratio:.2f}",
                    f"{1 / max(result.seconds, 1e-9):.0f}",
                )
            )
    return made


def group_rows(results: Sequence[Result], metric: str, by: str) -> list[tuple[str, ...]]:
    """F1 of each contestant (rows) in each group of pages (columns), and the mean over the groups."""
    names = list(results[0].groups(by))
    made: list[tuple[str, ...]] = [("extractor", *names, f"mean of {len(names)}")]
    for result in sorted(results, key=lambda result: -result.mean(metric).f1):
        scores = [group.mean(metric).f1 for group in result.groups(by).values()]
        made.append((result.contestant, *(f"{score:.3f}" for score in scores), f"{sum(scores) / len(scores):.3f}"))
    made.append(("pages", *(str(len(group.pages)) for group in results[0].groups(by).values()), ""))
    return made


def as_text(lines: Sequence[Sequence[str]]) -> str:
    """Columns of equal width, names to the left and numbers to the right."""
    widths = [max(len(row[column]) for row in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(
            zip(row, widths, strict=True))).rstrip()
        for row in lines
    )  # fmt: skip


def as_markdown(lines: Sequence[Sequence[str]]) -> str:
    """A GitHub table."""
    rule = ["---", *["---:"] * (len(lines[0]) - 1)]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in [lines[0], rule, *lines[1:]]]
    return "\n".join("| " + " | ".join(row) + " |" for row in escaped)


def as_record(data: Dataset, results: Sequence[Result], metrics: Sequence[str], by: str | None) -> dict[str, Any]:
    """Everything in the tables, unrounded."""
    contestants = []
    for result in results:
        entry: dict[str, Any] = {
            "name": result.contestant,
            "seconds_per_page": result.seconds,
            "ratio_to_lxml": result.ratio,
            "metrics": {
                metric: asdict(result.mean(metric)) | {"f1_interval_95": result.interval(metric)} for metric in metrics
            },
        }
        if by:
            entry[f"by_{by}"] = {
                name: {metric: asdict(group.mean(metric)) for metric in metrics}
                for name, group in result.groups(by).items()
            }
        contestants.append(entry)
    pages = len(results[0].pages) if results else 0
    return {"dataset": data.name, "pages": pages, "contestants": contestants}


def as_json(record: dict[str, Any] | list[Any]) -> str:
    """Indented, with a newline at the end."""
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def write_json(path: Path, record: dict[str, Any] | list[Any]) -> None:
    """Write figures into a file, whose folder need not be there yet."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_json(record), encoding="utf-8")
