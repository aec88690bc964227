"""What a crawl costs: `winnow crawl` beside a bare Scrapy spider that stores nothing, and its memory over many pages.

    python -m bench.crawling [--pages N] [--many N] [--rounds N] [--json FILE]

Both crawl the same small pages from a server on loopback, in a process of its own, without delays and without
robots.txt, with the same number of fetches at a time. Speed is counted by the server, from the first page to the
last, so that nobody's start counts. Memory is the peak of resident memory (VmHWM), when a fifth of the pages were asked
for and at the end. Linux only.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import monotonic, sleep
from urllib.request import urlopen

from bench.exceptions import BenchError
from bench.table import as_text, write_json
from bench.throughput import Ratio, ratio_table

HOST = "127.0.0.1"
CONTACT = "bench@winnow.example"
CONCURRENCY = 16
POLL_SECONDS = 0.05
RUN_SECONDS = 1800  # after that, something hangs
BARE, WINNOW = "bare Scrapy", "winnow crawl"


@dataclass(frozen=True)
class Row:
    """One run of one contestant."""

    name: str
    pages: int
    seconds: float  # from the first page to the last, as the server saw it
    early: int  # peak of resident memory in bytes, at a fifth of the pages
    peak: int

    @property
    def rate(self) -> float:
        """Pages a second."""
        return self.pages / self.seconds


@contextmanager
def small_web(pages: int) -> Iterator[str]:
    """A server of so many small pages in a process of its own; gives its address."""
    command = [sys.executable, "-m", "bench.small_pages", str(pages)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603  our own
        try:
            assert server.stdout is not None  # noqa: S101  it is a pipe
            yield f"{HOST}:{int(server.stdout.readline())}"
        finally:
            server.kill()


def counted(address: str) -> dict[str, float]:
    """What the server has seen."""
    with urlopen(f"http://{address}/counted", timeout=10) as answer:
        return dict(json.load(answer))


def run(name: str, pages: int, folder: Path) -> Row:
    """Crawl all pages once."""
    with small_web(pages) as address:
        port = address.rpartition(":")[2]
        commands = {
            BARE: ["bench.bare_spider", address, str(CONCURRENCY)],
            WINNOW: [
                "pipeline.cli", "crawl", f"http://{address}/", "-o", str(folder), "-q", "--contact", CONTACT,
                "--allow-private", "--allow-port", port, "--ignore-robots", "--no-throttle", "--delay", "0",
                "--concurrency", str(CONCURRENCY), "-s", f"CONCURRENT_REQUESTS_PER_DOMAIN={CONCURRENCY}",
                "--max-per-shape", str(2 * pages),
            ],
        }  # fmt: skip
        crawler = subprocess.Popen([sys.executable, "-m", *commands[name]])  # noqa: S603
        early = peak = 0
        began = monotonic()
        while crawler.poll() is None:
            sleep(POLL_SECONDS)
            peak = max(peak, _peak(crawler.pid))
            if not early and counted(address)["pages"] >= pages / 5:
                early = peak
            if monotonic() - began > RUN_SECONDS:
                crawler.kill()
        seen = counted(address)
    if crawler.returncode or seen["pages"] != pages:
        raise BenchError(f"{name} fetched {seen['pages']:.0f} of {pages} pages, exit status {crawler.returncode}")
    return Row(name, pages, seen["seconds"], early, peak)


def _peak(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text("ascii")
    except OSError:
        return 0
    lines = (line.split() for line in status.splitlines() if line.startswith("VmHWM"))
    return next((int(words[1]) << 10 for words in lines), 0)


def ratios(rows: Sequence[Row], many: Row) -> list[Ratio]:
    """What the rows come to: medians, in turn, so that a machine that slows down does so for both."""
    rate = {name: median(row.rate for row in rows if row.name == name) for name in (BARE, WINNOW)}
    fifth = f"{many.pages // 5:,} to {many.pages:,}"
    return [
        Ratio("pages/s, winnow crawl to bare Scrapy", rate[WINNOW] / rate[BARE], 0.8, at_most=False),
        Ratio(f"peak memory of winnow crawl, {fifth} pages", many.peak / many.early, 1.2, at_most=True),
    ]


def table(rows: Sequence[Row]) -> str:
    """The measurements as text."""
    lines = [
        (
            row.name,
            f"{row.pages:,}",
            f"{row.seconds:.1f}",
            f"{row.rate:.0f}",
            f"{row.early / 1e6:.0f}",
            f"{row.peak / 1e6:.0f}",
        )
        for row in rows
    ]
    return as_text([("", "pages", "s", "pages/s", "MB at a fifth", "peak MB"), *lines])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its tables; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.crawling", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pages", type=int, default=5_000, help="for the speed (default: 5000)")
    parser.add_argument("--many", type=int, default=50_000, help="for the memory (default: 50000)")
    parser.add_argument("--rounds", type=int, default=3, help="of both contestants (default: 3)")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="winnow-bench-") as name:
        rows = [
            run(contestant, options.pages, Path(name, f"round-{number}"))
            for number in range(options.rounds)
            for contestant in (BARE, WINNOW)
        ]
        many = run(WINNOW, options.many, Path(name, "many"))
    made = ratios(rows, many)
    print(f"small pages from loopback, {CONCURRENCY} fetches at a time, no delays\n")
    print(table([*rows, many]))
    print(f"\n{ratio_table(made)}")
    if options.json:
        figures = {"rows": [asdict(row) for row in (*rows, many)], "ratios": [asdict(ratio) for ratio in made]}
        write_json(options.json, figures)
    return int(not all(ratio.is_met for ratio in made))


if __name__ == "__main__":
    sys.exit(main())
