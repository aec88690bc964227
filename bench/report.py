"""One HTML page with tables and plots: no scripts, nothing fetched from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

from bench import table
from bench.datasets import Dataset, Sample
from bench.plots import bars, curves, scatter
from bench.run import Result, contestant
from bench.run import run as score

# What the papers vary in their figures: seeds/004, Figure 6, and seeds/002, Figures 4 and 5.
SWEEPS = {
    "cetr-tm": [round(0.2 * step, 1) for step in range(11)],
    "block": [*(round(0.2 * step, 1) for step in range(11)), 2.5, 3.0, 3.5, 4.0],
}
SWEEP_PAGES = 200

STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}td,th{padding:.2rem .7rem;text-align:right;
border-bottom:1px solid #ddd}td:first-child,th:first-child{text-align:left}.wide{overflow-x:auto}
svg{max-width:100%;height:auto}svg text{font:12px system-ui,sans-serif;fill:#333}"""


def write(
    path: Path,
    data: Dataset,
    results: Sequence[Result],
    metrics: Sequence[str],
    *,
    by: str,
    cache: Path | None,
    progress: Callable[[Iterable[Sample]], Iterable[Sample]] = iter,
) -> None:
    """Write the report; the threshold curves are measured on at most SWEEP_PAGES pages."""
    metric = metrics[0]
    sections = [
        _section("Results", _table([table.HEADINGS, *table.rows(results, metrics)])),
        _section("F1 against cost", scatter(
            [(result.contestant, result.ratio, result.mean(metric).f1) for result in results],
            "CPU time, multiples of bare lxml parsing", f"{metric} F1",
        )),
        _section(f"F1 by {by}", bars(_group_scores(results, metric, by))),
        _section(f"F1 by {by}, figures", _table(table.group_rows(results, metric, by))),
    ]  # fmt: skip
    for name, thresholds in SWEEPS.items():
        points = sweep(data, name, thresholds, metric, cache=cache, progress=progress)
        sections.append(_section(f"{name} over its threshold", curves(points, "threshold", metric)))
    title = f"{data.name}: {len(results[0].pages)} pages"
    document = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body><h1>{escape(title)}</h1>{''.join(sections)}</body></html>\n"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(document, encoding="utf-8")


def sweep(
    data: Dataset,
    name: str,
    thresholds: Sequence[float],
    metric: str,
    *,
    cache: Path | None,
    progress: Callable[[Iterable[Sample]], Iterable[Sample]] = iter,
) -> dict[str, list[tuple[float, float]]]:
    """Precision, recall and F1 of an extractor over its threshold."""
    pages = data.with_gold().spread(SWEEP_PAGES)
    entries = [contestant(f"{name}:threshold={threshold}") for threshold in thresholds]
    made: dict[str, list[tuple[float, float]]] = {"precision": [], "recall": [], "F1": []}
    for threshold, result in zip(thresholds, score(pages, entries, [metric], cache, progress), strict=True):
        mean = result.mean(metric)
        for key, value in zip(made, (mean.precision, mean.recall, mean.f1), strict=True):
            made[key].append((threshold, value))
    return made


def _group_scores(results: Sequence[Result], metric: str, by: str) -> dict[str, dict[str, float]]:
    best = sorted(results, key=lambda result: -result.mean(metric).f1)[:6]
    names = list(best[0].groups(by))
    return {name: {result.contestant: result.groups(by)[name].mean(metric).f1 for result in best} for name in names}


def _section(heading: str, body: str) -> str:
    return f"<h2>{escape(heading)}</h2><div class=wide>{body}</div>"


def _table(lines: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in lines[0])
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in lines[1:])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
