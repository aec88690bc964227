"""Ways to work on one machine: the figures follow from the runs."""

from __future__ import annotations

import pytest

from bench.measure import Usage
from bench.modes import FEW, GRPC, IN_MEMORY, PROCESSES, WAYS, main, rows


def test_the_best_run_of_each_way_counts_without_its_start() -> None:
    costs = []
    for slower, way in enumerate(WAYS, 1):
        for more in (0.0, 3.0):  # the second turn is disturbed
            costs.append((way, FEW, Usage(cpu=1.0 * slower + more, wall=2.0 * slower + more, peak=10, status=0)))
            costs.append((way, FEW + 100, Usage(cpu=2.0 * slower + more, wall=3.0 * slower + more, peak=20, status=0)))
    threads, grpc, processes = rows(costs)
    assert [row.way for row in (threads, grpc, processes)] == [IN_MEMORY, GRPC, PROCESSES]
    assert (threads.start, threads.rate, threads.peak) == (2.0, pytest.approx(100.0), 20)
    assert threads.cpu == pytest.approx(0.01)
    assert processes.cells(threads)[-3:] == ("3.00", "3.00", "1.00")


def test_too_few_pages_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--pages=5"]) == 2
    assert f"more than {FEW}" in capsys.readouterr().err
