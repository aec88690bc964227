"""Lin, Chen, Niu (BlockExtractor): tables 1 and 2, and figures 4 and 5 as numbers."""

from __future__ import annotations

from collections.abc import Sequence

from bench.papers.costs import cost_table
from bench.papers.pages import WITH_SITE, GoldPage, Run, part, run, whole_sites
from bench.papers.tables import AVERAGE, Table, by_group, group_table, row

COMPARED = ("zhou", "cetd-ds", "alexjc")
THRESHOLD = 1.5
# Figure 4 goes from 0 to 2 in steps of 0.1, figure 5 on to 4 in steps of 0.5.
THRESHOLDS = (*(step / 10 for step in range(21)), 2.5, 3.0, 3.5, 4.0)
PARTS = {"P": "precision", "R": "recall", "F1": "f1"}


def tables(pages: Sequence[GoldPage]) -> list[Table]:
    """LCSequence precision, recall and F1, averaged over sites; step 3 is the site step."""
    found: dict[str, Run] = {name: run(pages, name) for name in (*COMPARED, "block")}
    kinds = {"": False, WITH_SITE: True} if whole_sites(pages) else {"": False}
    if whole_sites(pages):  # the paper's own threshold, not that for pages of known sites
        found["block" + WITH_SITE] = run(pages, "block", site=True, threshold=THRESHOLD)
    scores = {name: each.scores("lcsequence", pages) for name, each in found.items()}
    columns = {name: {letter: part(scores[name], value) for letter, value in PARTS.items()} for name in scores}
    table1 = {f"{letter}{kind}": columns["block" + kind][letter] for kind in kinds for letter in PARTS}
    made = [group_table(f"Table 1: block with a threshold of {THRESHOLD}", pages, table1, percent=False)]
    made.append(_compared(pages, columns))
    return [*made, sweep(pages, kinds), cost_table(pages, found)]


def _compared(pages: Sequence[GoldPage], columns: dict[str, dict[str, list[float]]]) -> Table:
    """A row a site and method, as in the paper."""
    means = {
        (name, letter): by_group(pages, values) for name, parts in columns.items() for letter, values in parts.items()
    }
    groups = list(next(iter(means.values())))
    rows = tuple(
        row(f"{group}, {name}", [means[name, letter][group] for letter in PARTS])
        for group in groups
        for name in columns
    )
    return Table("Table 2: block beside what it is compared with", ("", *PARTS), rows, 4)


def sweep(pages: Sequence[GoldPage], kinds: dict[str, bool]) -> Table:
    """Precision, recall and F1 over the threshold, averaged over sites, without step 3 and with it."""
    rows = []
    for threshold in THRESHOLDS:
        means: list[float] = []
        for site in kinds.values():
            scores = run(pages, "block", site=site, threshold=threshold).scores("lcsequence", pages)
            means += [by_group(pages, part(scores, value))[AVERAGE] for value in PARTS.values()]
        rows.append(row(f"{threshold:.1f}", means))
    columns = [f"{letter}{kind}" for kind in kinds for letter in PARTS]
    return Table("Figures 4 and 5: block over its threshold", ("threshold", *columns), tuple(rows), 4)
