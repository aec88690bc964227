"""How the cost of a run grows: with the input, with the workers, and with one site that holds half of all pages.

    python -m bench.scaling [--pages N] [--flink] [--json FILE]

Whole runs of `winnow clean` on made-up sites, on this machine; run nothing else beside it. What a start costs is taken
out by differences: the cost of a page is what the largest input takes more than the smallest, over the pages that it
has more. Only ratios of one run mean something; the seconds are those of this machine on this day.

On Flink the CPU time is not known: workers end without waiting for the processes that clean pages for them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from isal import isal_zlib

from bench.archive import GZIP, LEVEL, response
from bench.exceptions import BenchError
from bench.flink import Cluster
from bench.measure import measure
from bench.table import as_text, write_json
from bench.zipf import Writer

GROWTH = (1, 3, 10)
WORKERS = (1, 2)
PAGES = 2_000
FILES = 8
SITES = 40
# Ranges of about 450 pages: at ten times the input there are some 40, so that two workers end at about the same time.
SPLIT = "--split-bytes=1M"
# Pages spread evenly over the sites; half of them on one site, which is in every file; the same, all in one file.
EVEN, HOT, ONE_FILE = SHAPES = ("even", "hot", "one file")
# Of a hot site, against as many pages spread evenly.
HOT_MOST = 1.3
REPEATS = 2
HEADINGS = ("", "workers", "pages", "shape", "CPU s", "wall s", "pages/s")


@dataclass(frozen=True)
class Row:
    """One measured run."""

    runner: str
    workers: int
    pages: int
    shape: str  # how its pages are spread over sites
    cpu: float | None  # seconds, where they can be known
    wall: float  # seconds

    @property
    def cells(self) -> tuple[str, ...]:
        """For the table."""
        head = (self.runner, str(self.workers), f"{self.pages:,}", self.shape)
        cpu = "" if self.cpu is None else f"{self.cpu:.1f}"
        return (*head, cpu, f"{self.wall:.1f}", f"{self.pages / self.wall:.0f}")


def place_of(number: int, shape: str) -> tuple[int, int]:
    """The file and the site of a page; site 0 is the hot one."""
    turn, file = divmod(number, FILES)
    if shape == EVEN:
        return file, 1 + turn % SITES
    # Every second one is hot, in every file alike.
    hot, own = turn % 2, turn // 2
    site = 0 if hot else 1 + own % SITES
    if shape == HOT:
        return file, site
    return 0 if hot else 1 + own % (FILES - 1), site


def write_crawl(folder: Path, count: int, shape: str) -> list[str]:
    """`count` pages, no two of them alike, in FILES archives."""
    folder.mkdir(parents=True)
    writer = Writer()
    names = [str(folder / f"{part}.warc.gz") for part in range(FILES)]
    with ExitStack() as stack:
        files = [stack.enter_context(Path(name).open("wb")) for name in names]
        for number in range(count):
            file, site = place_of(number, shape)
            record = response(writer.page(site, number), f"http://site{site}.example/{number}")
            files[file].write(isal_zlib.compress(record, LEVEL, GZIP))
    return names


def clean(arguments: Sequence[str], workers: int, cluster: Cluster | None) -> tuple[float | None, float]:
    """CPU and wall seconds of one run of `winnow clean`; raises BenchError if it fails."""
    own: tuple[str, ...] = (f"--direct_num_workers={workers}",)
    if cluster:
        own = (*cluster.arguments, f"--parallelism={workers}")
    used = measure([sys.executable, "-m", "pipeline.cli", "clean", "--quiet", "--max-failed=100", *arguments, *own])
    if used.status:
        raise BenchError(f"a run ended with exit status {used.status}: {used.complaint}")
    return None if cluster else used.cpu, used.wall


class Bench:
    """Runs `winnow clean` on crawls in a folder, here or on a cluster."""

    def __init__(self, folder: Path, base: int) -> None:
        self.folder, self.base = folder, base
        self.crawls = {(times, EVEN): write_crawl(folder / f"{times}", base * times, EVEN) for times in GROWTH}
        most = GROWTH[-1]
        for shape in (HOT, ONE_FILE):
            self.crawls[most, shape] = write_crawl(folder / shape, base * most, shape)
        self._runs = 0

    def run(self, times: int, shape: str, workers: int, cluster: Cluster | None) -> Row:
        """One run."""
        self._runs += 1
        inputs, output = self.crawls[times, shape], self.folder / f"out-{self._runs}"
        cpu, wall = clean([*inputs, SPLIT, f"--output={output}"], workers, cluster)
        return Row("Flink" if cluster else "local", workers, self.base * times, shape, cpu, wall)

    def rows(self, cluster: Cluster | None = None) -> Iterator[Row]:
        """Every size with every number of workers, then the shapes beside each other, in turn."""
        for workers in WORKERS:
            for times in GROWTH:
                yield self.run(times, EVEN, workers, cluster)
        for _ in range(REPEATS):  # one after the other, so that what else the machine does meets all
            for shape in SHAPES:
                yield self.run(GROWTH[-1], shape, WORKERS[-1], cluster)


def a_page(rows: Sequence[Row], smaller: int, larger: int) -> float:
    """Seconds that one page more costs between two sizes of the input, by the best run of each."""
    took = {pages: min(row.wall for row in rows if row.pages == pages) for pages in (smaller, larger)}
    return (took[larger] - took[smaller]) / (larger - smaller)


def ratios(rows: Sequence[Row]) -> dict[str, float]:
    """What can be compared with another day: by runner, what two workers gain, the shape of growth, the hot sites."""
    made = {}
    for runner in dict.fromkeys(row.runner for row in rows):
        mine = [row for row in rows if row.runner == runner]
        small, middle, large = sorted({row.pages for row in mine})
        one, *_, most = ([row for row in mine if row.workers == workers and row.shape == EVEN] for workers in WORKERS)
        gain = a_page(one, small, large) / a_page(most, small, large)
        made[f"{runner}: pages/s of {WORKERS[-1]} workers / of 1, without the start"] = gain
        late, early = a_page(one, middle, large), a_page(one, small, middle)
        made[f"{runner}: a page from {GROWTH[1]}x to {GROWTH[2]}x / from 1x to {GROWTH[1]}x"] = late / early
        # The best of each: what the machine did beside only adds.
        for shape in (HOT, ONE_FILE):
            hot = min(row.wall for row in mine if row.shape == shape)
            even = min(row.wall for row in most if row.pages == large)
            made[f"{runner}: half of all pages on one site ({shape}) / evenly"] = hot / even
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; exit status 1 if a hot site costs more than HOT_MOST, 2 if nothing can be measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.scaling", description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "--pages", type=int, default=PAGES, metavar="N", help=f"of the smallest input; default: {PAGES}"
    )
    parser.add_argument("--flink", action="store_true", help="also on a Flink on this machine (make flink)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    options = parser.parse_args(arguments)
    if options.pages < FILES:
        print(f"bench.scaling: --pages {options.pages}: at least {FILES}, one for each file", file=sys.stderr)
        return 2
    rows: list[Row] = []
    try:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-scaling-")))
            bench = Bench(folder / "crawls", options.pages)
            rows += bench.rows()
            if options.flink:
                rows += bench.rows(stack.enter_context(Cluster(folder / "cluster", task_managers=max(WORKERS))))
    except BenchError as error:
        print(f"bench.scaling: {error}", file=sys.stderr)
        return 2
    made = ratios(rows)
    print(as_text([HEADINGS, *(row.cells for row in rows)]), end="\n\n")
    print(as_text([(name, f"{value:.2f}") for name, value in made.items()]))
    if options.json:
        write_json(options.json, {"rows": [asdict(row) for row in rows], "ratios": made})
    return int(any(value > HOT_MOST for name, value in made.items() if "one site" in name))


if __name__ == "__main__":
    sys.exit(main())
