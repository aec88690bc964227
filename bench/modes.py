"""What the ways to work on one machine cost: how long they take to start, how fast they are, how much memory they take.

    python -m bench.modes [--pages N] [--repeats N] [--json FILE]

Whole runs of `winnow clean` with two workers on the same made-up sites, one way after the other and again; the best of
each counts. Only ratios of one run mean something.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.exceptions import BenchError
from bench.measure import Usage, measure
from bench.scaling import EVEN, FILES, SPLIT, write_crawl
from bench.table import as_text, write_json

WORKERS = "--direct_num_workers=2"
IN_MEMORY, GRPC, PROCESSES = "threads", "threads, gRPC", "processes"
WAYS = {
    IN_MEMORY: (),
    # Beam's own way, as it would be without its flushes by the clock, which `pipeline.local` has switched off.
    GRPC: (
        "--runner=apache_beam.runners.portability.fn_api_runner.FnApiRunner",
        "--direct_running_mode=multi_threading",
    ),
    PROCESSES: ("--direct_running_mode=multi_processing",),
}
PAGES = 4_000
FEW = 2 * FILES
REPEATS = 3
HEADINGS = ("", "start s", "start CPU s", "pages/s", "CPU ms/page", "peak MB", "start CPU /", "CPU/page /", "peak /")


@dataclass(frozen=True)
class Row:
    """One way."""

    way: str
    start: float  # seconds for a few pages
    start_cpu: float  # of CPU time
    rate: float  # pages a second, without the start
    cpu: float  # seconds of CPU time a page, without the start
    peak: int  # bytes of PSS

    def cells(self, base: Row) -> tuple[str, ...]:
        """For the table; the last ones are in relation to another row."""
        wall = (f"{self.start:.1f}", f"{self.start_cpu:.1f}", f"{self.rate:.0f}")
        other = (f"{1000 * self.cpu:.2f}", f"{self.peak / 1e6:.0f}")
        ratios = (self.start_cpu / base.start_cpu, self.cpu / base.cpu, self.peak / base.peak)
        return (self.way, *wall, *other, *(f"{ratio:.2f}" for ratio in ratios))


def runs(folder: Path, pages: int, repeats: int) -> Iterator[tuple[str, int, Usage]]:
    """The way, the pages and the cost of every run; raises BenchError if one fails."""
    crawls = {count: write_crawl(folder / f"{count}", count, EVEN) for count in (FEW, pages)}
    for turn in range(repeats):
        for way, options in WAYS.items():
            for count, files in crawls.items():
                output = folder / f"{turn}-{way}-{count}"
                own = (*files, SPLIT, WORKERS, f"--output={output}", *options)
                used = measure([sys.executable, "-m", "pipeline.cli", "clean", "--quiet", *own])
                if used.status:
                    raise BenchError(f"{way}: exit status {used.status}: {used.complaint}")
                yield way, count, used


def rows(costs: Sequence[tuple[str, int, Usage]]) -> list[Row]:
    """A row for each way."""
    made = []
    few, most = sorted({count for _, count, _ in costs})
    for way in WAYS:
        mine = [(count, used) for name, count, used in costs if name == way]
        start, end = (min(used.wall for count, used in mine if count == wanted) for wanted in (few, most))
        small, large = (min(used.cpu for count, used in mine if count == wanted) for wanted in (few, most))
        more = most - few
        peak = max(used.peak for _, used in mine)
        made.append(Row(way, start, small, more / (end - start), (large - small) / more, peak))
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 2 if nothing can be measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.modes", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pages", type=int, default=PAGES, metavar="N", help=f"of the larger input; default: {PAGES}")
    parser.add_argument("--repeats", type=int, default=REPEATS, metavar="N", help=f"default: {REPEATS}")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    options = parser.parse_args(arguments)
    if options.pages <= FEW:
        print(f"bench.modes: --pages {options.pages}: more than {FEW}", file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="winnow-modes-") as folder:
            made = rows(list(runs(Path(folder), options.pages, options.repeats)))
    except BenchError as error:
        print(f"bench.modes: {error}", file=sys.stderr)
        return 2
    print(as_text([HEADINGS, *(row.cells(made[0]) for row in made)]))
    if options.json:
        write_json(options.json, {"rows": [asdict(row) for row in made]})
    return 0


if __name__ == "__main__":
    sys.exit(main())
