"""How the cost of a run grows: with the input, with the workers, and with one site that holds half of all pages.

    python -m bench.scaling [--pages N] [--flink] [--json FILE]

Wall times of whole runs of `winnow clean` on made-up pages, on this machine; run nothing else beside it. What a start
costs is taken out by differences: the cost of a page is that of nine tenths of the largest input. Only ratios of one
run mean something; the seconds are those of this machine on this day.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path

from isal import isal_zlib

from bench.archive import GZIP, LEVEL, response
from bench.exceptions import BenchError
from bench.flink import Cluster
from bench.web import pages

GROWTH = (1, 3, 10)
WORKERS = (1, 2)
SITES = 40
# Ranges of the input: enough for two workers to end at about the same time.
FILES = 8
PAGES = 2_000
# Of a site with half of all pages, against as many pages spread evenly.
HOT_MOST = 1.3
REPEATS = 3


@dataclass(frozen=True)
class Row:
    """One measured run."""

    runner: str
    workers: int
    pages: int
    shape: str  # how its pages are spread over sites
    seconds: float


def write_crawl(folder: Path, count: int, *, hot: bool) -> list[str]:
    """`count` pages in FILES archives; every second one is of one site if `hot`."""
    folder.mkdir(parents=True)
    made = list(islice(cycle(pages()), count))
    names = []
    for part in range(FILES):
        path = folder / f"{part}.warc.gz"
        with path.open("wb") as out:
            for place in range(part, count, FILES):
                # Which of them are hot must not depend on the file, or one file would be all of one site.
                site = 0 if hot and (place // FILES) % 2 else 1 + place % SITES
                url = f"https://{site}.example/{place}"
                out.write(isal_zlib.compress(response(made[place].html, url), LEVEL, GZIP))
        names.append(str(path))
    return names


def timed(inputs: Sequence[str], output: Path, arguments: Sequence[str]) -> float:
    """Seconds of one run; raises BenchError if it fails."""
    command = [
        sys.executable,
        "-m",
        "pipeline.cli",
        "clean",
        "--quiet",
        "--max-failed=100",
        *inputs,
        f"--output={output}",
    ]
    began = time.monotonic()
    run = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)  # noqa: S603
    if run.returncode:
        raise BenchError(f"a run ended with exit status {run.returncode}: {run.stderr[-500:]}")
    return time.monotonic() - began


def measured(runner: str, folder: Path, base: int, options: Mapping[int, tuple[str, ...]]) -> Iterator[Row]:
    """Every size with every number of workers, then the hot site beside the balanced ones, in turn."""
    crawls = {times: write_crawl(folder / f"in-{times}", base * times, hot=False) for times in GROWTH}
    hot = write_crawl(folder / "in-hot", base * GROWTH[1], hot=True)
    runs = 0
    for workers, arguments in options.items():
        for times, inputs in crawls.items():
            seconds = timed(inputs, folder / f"out-{runs}", arguments)
            runs += 1
            yield Row(runner, workers, base * times, "even", seconds)
    most = max(options)
    for _ in range(REPEATS):  # one after the other, so that what else the machine does meets both
        for shape, inputs in (("even", crawls[GROWTH[1]]), ("hot", hot)):
            seconds = timed(inputs, folder / f"out-{runs}", options[most])
            runs += 1
            yield Row(runner, most, base * GROWTH[1], shape, seconds)


def a_page(rows: Sequence[Row], runner: str, workers: int) -> float:
    """Seconds that one more page costs."""
    found = sorted((row.pages, row.seconds) for row in rows if (row.runner, row.workers) == (runner, workers))
    (least, began), (most, ended) = found[0], found[-1]
    return (ended - began) / (most - least)


def ratios(rows: Sequence[Row]) -> dict[str, float]:
    """What can be compared with another day: by runner, what two workers gain, the shape of growth, the hot site."""
    made = {}
    for runner in sorted({row.runner for row in rows}):
        one, two = (a_page(rows, runner, workers) for workers in WORKERS)
        made[f"{runner}: pages/s of 2 workers / of 1"] = one / two
        mine = {row.pages: row.seconds for row in rows if (row.runner, row.workers) == (runner, 1)}
        small, middle, large = sorted(mine)
        early = (mine[middle] - mine[small]) / (middle - small)
        late = (mine[large] - mine[middle]) / (large - middle)
        made[f"{runner}: a page from {GROWTH[1]}x to {GROWTH[2]}x / from 1x to {GROWTH[1]}x"] = late / early
        # The best of each: what the machine did beside only adds.
        same = [row for row in rows if row.runner == runner and row.workers == max(WORKERS) and row.pages == middle]
        best = {shape: min(row.seconds for row in same if row.shape == shape) for shape in ("even", "hot")}
        made[f"{runner}: half of all pages on one site / evenly"] = best["hot"] / best["even"]
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 1 if the hot site costs more than HOT_MOST."""
    parser = argparse.ArgumentParser(prog="python -m bench.scaling", description="How the cost of a run grows.")
    parser.add_argument(
        "--pages", type=int, default=PAGES, metavar="N", help=f"of the smallest input; default: {PAGES}"
    )
    parser.add_argument("--flink", action="store_true", help="also on a Flink on this machine (make flink)")
    parser.add_argument("--json", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-scaling-")))
        here = {workers: (f"--direct_num_workers={workers}",) for workers in WORKERS}
        rows += measured("local", folder / "local", options.pages, here)
        if options.flink:
            cluster = stack.enter_context(Cluster(folder / "cluster", task_managers=max(WORKERS)))
            there = {workers: (*cluster.arguments, f"--parallelism={workers}") for workers in WORKERS}
            rows += measured("Flink", folder / "flink", options.pages, there)
    made = ratios(rows)
    for row in rows:
        print(f"{row.runner:6} {row.workers} workers {row.pages:8,} pages {row.shape:5} {row.seconds:8.1f} s")
    for name, value in made.items():
        print(f"{name:60} {value:6.2f}")
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({"rows": [asdict(row) for row in rows], "ratios": made}, indent=2) + "\n")
    return int(any(value > HOT_MOST for name, value in made.items() if "one site" in name))


if __name__ == "__main__":
    sys.exit(main())
