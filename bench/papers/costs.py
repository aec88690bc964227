"""CPU seconds a megabyte of HTML, site by site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.papers.pages import MEGABYTE, WITH_SITE, GoldPage, Run, whole_sites
from bench.papers.tables import AVERAGE, Table, row


def cost_table(pages: Sequence[GoldPage], found: Mapping[str, Run]) -> Table:
    """From the bytes of a page to its text; the site step in a column of its own."""
    columns = {name: run.seconds for name, run in found.items() if not name.endswith(WITH_SITE)}
    if whole_sites(pages):
        columns["site step"] = tuple(page.site_seconds for page in pages)
    groups = [*dict.fromkeys(page.group for page in pages), AVERAGE]
    rows = tuple(
        row(group, [_seconds_a_megabyte(pages, column, group) for column in columns.values()]) for group in groups
    )
    return Table("CPU seconds a MB of HTML; the average is that of all bytes", ("", *columns), rows, 4)


def _seconds_a_megabyte(pages: Sequence[GoldPage], seconds: Sequence[float], group: str) -> float:
    chosen = [place for place, page in enumerate(pages) if group in (page.group, AVERAGE)]
    size = sum(len(pages[place].html) for place in chosen)
    return sum(seconds[place] for place in chosen) / max(size / MEGABYTE, 1e-9)
