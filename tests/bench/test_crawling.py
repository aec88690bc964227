"""The crawl's benchmark: that it runs, counts, and computes its ratios. What it finds is not for tests."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from bench.crawling import BARE, WINNOW, Row, main, ratios

if TYPE_CHECKING:
    from pathlib import Path

MB = 1_000_000


def test_ratios_are_of_medians_and_of_peaks() -> None:
    rows = [Row(BARE, 100, seconds, MB, MB) for seconds in (1.0, 2.0, 9.0)]
    rows += [Row(WINNOW, 100, seconds, MB, MB) for seconds in (8.0, 4.0, 1.0)]
    speed, memory = ratios(rows, Row(WINNOW, 500, 10.0, 100 * MB, 125 * MB))
    assert speed.value == 0.5
    assert not speed.is_met
    assert memory.value == 1.25
    assert not memory.is_met


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures by way of /proc")
def test_the_benchmark_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = tmp_path / "figures.json"
    assert main(["--pages", "60", "--many", "100", "--rounds", "1", "--json", str(figures)]) in (0, 1)
    assert "pages/s, winnow crawl to bare Scrapy" in capsys.readouterr().out
    rows = json.loads(figures.read_text())["rows"]
    assert [(row["name"], row["pages"]) for row in rows] == [(BARE, 60), (WINNOW, 60), (WINNOW, 100)]
    assert all(row["seconds"] > 0 and row["peak"] >= row["early"] > MB for row in rows)
