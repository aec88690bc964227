"""What a page of real data costs at scale: CPU time with and without the site step, bytes shuffled, bytes written.

    python -m bench.sizing DATA [--flink] [--json FILE]

The figures that docs/scaling.md works its table out of. The pages are dealt out to some archives, so that every site is
in all of them, as in a broad crawl. What a start costs is taken out: each figure is the difference between a run over
all pages and one over a few, over the pages that lie between. One worker here; on Flink, two. `shuffled` is what Flink
says that its tasks have read from others, without what one task hands to the next in the same place.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.archive import write_parts
from bench.datasets import load
from bench.exceptions import BenchError
from bench.flink import Cluster
from bench.scaling import FILES, clean
from bench.table import as_text, write_json

WITHOUT_SITES = "--no-site-templates"
HEADINGS = ("", "pages", "CPU ms/page", "archive KB/page", "shuffled KB/page", "written KB/page")


@dataclass(frozen=True)
class Cost:
    """What one page more costs."""

    name: str
    pages: int
    cpu: float | None  # seconds
    archive: float  # bytes
    shuffled: float | None  # bytes
    written: float  # bytes

    @property
    def cells(self) -> tuple[str, ...]:
        """For the table."""
        moved = "" if self.shuffled is None else f"{self.shuffled / 1e3:.1f}"
        sizes = (f"{self.archive / 1e3:.1f}", moved, f"{self.written / 1e3:.1f}")
        cpu = "" if self.cpu is None else f"{1000 * self.cpu:.1f}"
        return (self.name, f"{self.pages:,}", cpu, *sizes)


@dataclass(frozen=True)
class Crawl:
    """Archives, and how many pages are in them."""

    folder: Path
    pages: int

    @property
    def files(self) -> list[str]:
        """Their names."""
        return sorted(map(str, self.folder.iterdir()))


def size(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def cost(name: str, few: Crawl, every: Crawl, scratch: Path, *wishes: str, cluster: Cluster | None = None) -> Cost:
    """Clean both, and see what they differ by."""
    found = []
    for crawl in (few, every):
        output = Path(tempfile.mkdtemp(dir=scratch))
        cpu, _ = clean([*crawl.files, f"--output={output}", *wishes], 2 if cluster else 1, cluster)
        found.append((cpu or 0.0, size(crawl.folder), cluster.shuffled() if cluster else 0, size(output)))
    more = every.pages - few.pages
    cpu, archive, shuffled, written = ((after - before) / more for before, after in zip(*found, strict=True))
    return Cost(name, every.pages, None if cluster else cpu, archive, shuffled if cluster else None, written)


def costs(data: Path, folder: Path, cluster: Cluster | None) -> Iterator[Cost]:
    """Here without the site step and with it, then on Flink."""
    loaded = load(data)
    few, every = folder / "few", folder / "every"
    small = Crawl(few, write_parts(few, loaded.spread(2 * FILES).samples, FILES))
    large = Crawl(every, write_parts(every, loaded.samples, FILES))
    yield cost(f"{loaded.name}, local, without the site step", small, large, folder, WITHOUT_SITES)
    yield cost(f"{loaded.name}, local", small, large, folder)
    if cluster:
        yield cost(f"{loaded.name}, Flink", small, large, folder, cluster=cluster)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 2 if nothing can be measured."""
    parser = argparse.ArgumentParser(prog="python -m bench.sizing", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path, nargs="+", help="a data set, as winnow bench reads it")
    parser.add_argument("--flink", action="store_true", help="also on a Flink on this machine (make flink)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    options = parser.parse_args(arguments)
    found: list[Cost] = []
    try:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="winnow-sizing-")))
            cluster = stack.enter_context(Cluster(folder / "cluster", task_managers=2)) if options.flink else None
            for number, data in enumerate(options.data):
                (folder / str(number)).mkdir()
                found += costs(data, folder / str(number), cluster)
    except BenchError as error:
        print(f"bench.sizing: {error}", file=sys.stderr)
        return 2
    print(as_text([HEADINGS, *(cost.cells for cost in found)]))
    if options.json:
        write_json(options.json, [asdict(cost) for cost in found])
    return 0


if __name__ == "__main__":
    sys.exit(main())
