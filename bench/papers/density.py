"""Arias, Deschacht, Moens: tables 2 to 4."""

from __future__ import annotations

from collections.abc import Sequence

from bench.papers.costs import cost_table
from bench.papers.pages import WITH_SITE, GoldPage, part, runs
from bench.papers.tables import Table, group_table

METHODS = ("baseline", "density", "accb")
METRICS = {"LCString": "lcstring", "LCSequence": "lcsequence"}


def tables(pages: Sequence[GoldPage]) -> list[Table]:
    """LCString and LCSequence of the density method, of all text and of ACCB, in percent, and seconds a MB."""
    found = runs(pages, METHODS)
    scores = {
        (name, shown): run.scores(metric, pages) for name, run in found.items() for shown, metric in METRICS.items()
    }
    table2 = {
        f"{name} {shown}": part(score, "f1")
        for (name, shown), score in scores.items()
        if name.removesuffix(WITH_SITE) != "accb"
    }
    table3 = {name: part(score, "f1") for (name, shown), score in scores.items() if shown == "LCSequence"}
    made = [
        group_table("Table 2: F1 of LCString and LCSequence, %", pages, table2),
        group_table("Table 3: F1 of LCSequence, %", pages, table3),
    ]
    for shown in METRICS:
        columns = {
            f"{name} {letter}": part(scores[name, shown], value)
            for name in found
            for letter, value in (("P", "precision"), ("R", "recall"))
        }
        made.append(group_table(f"Precision and recall of {shown}, %", pages, columns))
    return [*made, cost_table(pages, found)]
