"""Weninger, Hsu, Han (CETR): tables 1 to 4, CleanEval's score, and figure 6 as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from bench.metrics import Score
from bench.papers.costs import cost_table
from bench.papers.pages import WITH_SITE, GoldPage, part, run, runs, whole_sites
from bench.papers.tables import Table, by_group, group_table, row

CETR = ("cetr-tm", "cetr-km", "cetr")
# Of the paper's table 4 those that are here: VIPS and LP are not.
COMPARED = ("fe", "kfe", "bte", "dsc", "adsc", "lqf", "ccb", "mss", *CETR)
LAMBDAS = tuple(step / 10 for step in range(21))


def tables(pages: Sequence[GoldPage]) -> list[Table]:
    """Word precision, recall and F1, in percent, averaged over the pages of each group, and over all groups."""
    found = runs(pages, COMPARED)
    scores = {name: run.scores("words", pages) for name, run in found.items()}
    made = [_table(number, name, pages, scores) for number, name in enumerate(CETR, 1)]
    f1 = {name: by_group(pages, part(score, "f1")) for name, score in scores.items()}
    rows = tuple(row(name, [100 * value for value in groups.values()]) for name, groups in f1.items())
    made.append(Table("Table 4: word F1, %", ("", *next(iter(f1.values()))), rows))
    cleaneval = {name: part(found[name].scores("cleaneval", pages), "f1") for name in found if _is_cetr(name)}
    made.append(group_table("CleanEval's score, %", pages, cleaneval))
    return [*made, sweep(pages), cost_table(pages, {name: found[name] for name in CETR})]


def _is_cetr(name: str) -> bool:
    return name.removesuffix(WITH_SITE) in CETR


def _table(number: int, name: str, pages: Sequence[GoldPage], scores: dict[str, list[Score]]) -> Table:
    columns = {
        f"{letter}{kind}": part(scores[name + kind], value)
        for kind in ("", WITH_SITE)
        if name + kind in scores
        for letter, value in (("F1", "f1"), ("R", "recall"), ("P", "precision"))
    }
    return group_table(f"Table {number}: {name}, word F1, recall and precision, %", pages, columns)


def sweep(pages: Sequence[GoldPage]) -> Table:
    """Recall, precision and F1 of cetr-tm over lambda, the mean over all pages."""
    kinds = (False, True) if whole_sites(pages) else (False,)
    rows = []
    for value in LAMBDAS:
        means: list[float] = []
        for site in kinds:
            scores = run(pages, "cetr-tm", site=site, threshold=value).scores("words", pages)
            means += [100 * mean(part(scores, name)) for name in ("recall", "precision", "f1")]
        rows.append(row(f"{value:.1f}", means))
    columns = [f"{letter}{WITH_SITE if site else ''}" for site in kinds for letter in ("R", "P", "F1")]
    return Table("Figure 6: cetr-tm over lambda, %", ("lambda", *columns), tuple(rows))
