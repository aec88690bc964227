"""What the benchmark of trees makes up, counts and prints; times by a clock that moves when it is told to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

import bench.trees
from bench.trees import REPEATS, edited, fastest, made_up, main, measure, table
from transforms.edit_distance import cost, distance
from transforms.edit_plan import plan

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("edits", [1, 3, 8])
def test_an_edited_tree_is_no_farther_than_its_edits(edits: int) -> None:
    for seed in range(5):
        tree = made_up(40, seed)
        copy = edited(tree, edits, seed)
        assert copy != tree
        assert distance(tree, copy, edits) in range(1, edits + 1)


def test_trees_are_the_same_in_every_run() -> None:
    assert made_up(50, 3) == made_up(50, 3)
    assert made_up(50, 3) != made_up(50, 4)
    assert edited(made_up(50, 3), 5, 1) == edited(made_up(50, 3), 5, 1)
    assert len(made_up(50, 3)) == 50
    assert int(np.max(made_up(500, 3).depth)) <= bench.trees.DEEPEST


@pytest.mark.parametrize(("seconds", "best", "left"), [([0.03, 0.01, 0.02, 9], 10, [9]), ([0.3, 0.1], 300, [0.1])])
def test_the_fastest_of_several_runs_counts_unless_they_are_long(
    seconds: list[float], best: float, left: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    now, times = [0.0], iter(seconds)
    monkeypatch.setattr(bench.trees, "process_time", lambda: now[0])

    def run() -> None:
        now[0] += next(times)

    assert REPEATS == 3
    assert fastest(run) == pytest.approx(best)
    assert list(times) == left


def test_counts_are_means_over_the_pairs() -> None:
    far = measure(12, "far", pairs=2)
    pairs = [(made_up(12, 0), made_up(12, 1)), (made_up(12, 2), made_up(12, 3))]
    assert far.cells == sum(plan(a, b).cells for a, b in pairs) / 2
    assert far.filled == sum(cost(a, b) for a, b in pairs) / 2
    assert far.undecided == 0
    near = measure(12, "near", pairs=2)
    assert near.filled <= near.cells
    assert near.bounds_decide > 0


def test_cells_are_not_filled_one_by_one_where_they_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    assert measure(12, "far", pairs=1).cells_ms is not None
    monkeypatch.setattr(bench.trees, "MOST_SINGLE_CELLS", 10)
    skipped = measure(12, "far", pairs=1)
    assert skipped.cells_ms is None
    assert "|  |" in table([skipped])


def test_the_command_prints_and_writes_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deep" / "trees.json"
    assert main(["--sizes", "10,20", "--pairs", "1", "--json", str(file)]) == 0
    record = json.loads(file.read_text())
    assert [(each["size"], each["kind"]) for each in record] == [(10, "near"), (10, "far"), (20, "near"), (20, "far")]
    assert all(each["rows_ms"] > 0 and each["signature_ms"] > 0 for each in record)
    out = capsys.readouterr().out
    assert out.count("\n| ") == 5
    assert "| 20 | far |" in out


@pytest.mark.parametrize("wrong", [["--sizes", "2"], ["--sizes", "x"], ["--pairs", "0"]])
def test_a_wrong_call_is_refused(wrong: list[str]) -> None:
    with pytest.raises(SystemExit):
        main(wrong)
