"""What a run of `winnow clean` costs: beside a bare loop over the same functions, and beside datatrove, in one run.

    python -m bench.throughput DATA [--copies N] [--pages N] [--peer-pages N] [--json FILE]

The pages of a data set are written as WARC files, once and `copies` times, and each contestant reads them in a process
of its own, one after the other. See bench/measure.py for what is measured. Times vary from machine to machine and with
what else runs there, their ratios much less.
"""

from __future__ import annotations

import argparse
import gzip
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from bench import contestants
from bench.archive import write_parts, write_warc
from bench.datasets import Dataset, load
from bench.exceptions import BenchError
from bench.measure import measure
from bench.table import as_text, write_json

HEADINGS = ("", "workers", "pages", "texts", "CPU s", "wall s", "pages/s", "CPU ms/page", "peak MB")
LOOP, PIPELINE, DATATROVE = "bare loop", "winnow clean", "datatrove + trafilatura"
# The pipeline is measured without the site step, which the loop does not have either, and once with it.
WITH_SITES = "winnow clean with sites"
# As the pipeline sets it for the processes that clean; and nobody is to ask a server for anything.
ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


@dataclass(frozen=True)
class Row:
    """One contestant on one input."""

    name: str
    input: str
    workers: int
    pages: int
    texts: int  # pages that gave one
    cpu: float  # seconds
    wall: float  # seconds
    peak: int  # bytes

    @property
    def rate(self) -> float:
        """Pages a second of wall time, the start included."""
        return self.pages / self.wall

    @property
    def label(self) -> str:
        """What the table calls it."""
        return f"{self.name}, {self.input}"


@dataclass(frozen=True)
class Failure:
    """A contestant that gave no measurement. It is not tried again: what fails now and then is to be seen."""

    name: str
    why: str


@dataclass(frozen=True)
class Ratio:
    """A figure that does not depend on the machine, and what it should be."""

    name: str
    value: float
    goal: float
    at_most: bool  # otherwise the goal is the least

    @property
    def is_met(self) -> bool:
        """Whether it is what it should be."""
        return self.value <= self.goal if self.at_most else self.value >= self.goal


@dataclass(frozen=True)
class Inputs:
    """The archives that are read."""

    single: Path
    pages: int
    copies: int
    many: Path  # the single one `copies` times
    part: Path  # a folder: some of the pages, as many files as there are cores
    part_pages: int
    first: Path  # a folder: one page a file, to see what starting costs
    cores: int


def build(data: Dataset, folder: Path, copies: int, peer_pages: int, cores: int) -> Inputs:
    """Write the archives."""
    single, many, part, first = (folder / name for name in ("single.warc.gz", "many.warc.gz", "part", "first"))
    pages = write_warc(single, data.samples)
    write_warc(many, data.samples, copies)
    part_pages = write_parts(part, data.spread(peer_pages).samples, cores)
    write_parts(first, data.spread(cores).samples, cores)
    return Inputs(single, pages, copies, many, part, part_pages, first, cores)


def run(name: str, label: str, command: Sequence[str], output: Path, *, workers: int, pages: int) -> Row | Failure:
    """Measure one contestant."""
    usage = measure([sys.executable, "-m", *command], ENVIRONMENT)
    if usage.status:
        why = usage.complaint or "it does not say why"
        return Failure(name, f"{label}, workers: {workers}: exit status {usage.status} after {usage.wall:.0f} s: {why}")
    return Row(name, label, workers, pages, texts(output), usage.cpu, usage.wall, usage.peak)


def texts(output: Path) -> int:
    """How many documents with text there are in the JSON lines under a folder."""
    count = 0
    for file in output.rglob("*.jsonl.gz"):
        if file.name.startswith("templates"):
            continue
        with gzip.open(file, "rb") as lines:
            count += sum(b'"text":"' in line for line in lines)
    return count


def own(inputs: Inputs, folder: Path) -> Iterator[Row | Failure]:
    """The pipeline and its floor."""
    sizes = (("once", inputs.single, inputs.pages), (f"{inputs.copies}x", inputs.many, inputs.copies * inputs.pages))
    for label, warc, pages in sizes:
        output = folder / f"loop-{label}"
        command: tuple[str, ...] = ("bench.contestants", "loop", str(warc), str(output))
        yield run(LOOP, label, command, output, workers=1, pages=pages)
    one_worker = ("--direct_num_workers", "1")
    for (label, warc, pages), workers in ((sizes[0], 1), (sizes[1], 1), (sizes[1], inputs.cores)):
        output = folder / f"clean-{label}-{workers}-{len(list(folder.iterdir()))}"
        command = ("pipeline.cli", "clean", "-q", str(warc), "-o", str(output), *(one_worker if workers == 1 else ()))
        yield run(PIPELINE, label, (*command, "--no-site-templates"), output, workers=workers, pages=pages)
    label, warc, pages = sizes[0]
    output = folder / "clean-with-sites"
    command = ("pipeline.cli", "clean", "-q", str(warc), "-o", str(output), *one_worker)
    yield run(WITH_SITES, label, command, output, workers=1, pages=pages)


def peers(inputs: Inputs, folder: Path) -> Iterator[Row | Failure]:
    """datatrove on one core and on all, each on a page a core first: what its start costs is not held against it."""
    for workers in dict.fromkeys((1, inputs.cores)):
        for label, source, pages in (
            ("start", inputs.first, inputs.cores),
            ("part", inputs.part, inputs.part_pages),
        ):
            output = folder / f"datatrove-{label}-{workers}"
            command = ("bench.contestants", "datatrove", str(source), str(output), str(workers))
            yield run(DATATROVE, label, command, output, workers=workers, pages=pages)


def ratios(rows: Sequence[Row], copies: int, cores: int) -> list[Ratio]:
    """What the rows come to, with the goals; without those whose contestants gave no measurement."""
    found = {(row.name, row.input, row.workers): row for row in rows}
    many = f"{copies}x"
    one, all_cores = found.get((PIPELINE, many, 1)), found.get((PIPELINE, many, cores))
    loop, once = found.get((LOOP, many, 1)), found.get((PIPELINE, "once", 1))
    made = []
    if one and loop:
        made.append(Ratio("CPU time, one worker to the bare loop", one.cpu / loop.cpu, 1.35, at_most=True))
    if one and once:
        made.append(Ratio(f"peak memory, {many} to once", one.peak / once.peak, 1.3, at_most=True))
    if one and all_cores and cores > 1:
        # What is asked of two cores: 80 % of a core each.
        made.append(Ratio(f"wall time, one worker to {cores}", one.wall / all_cores.wall, 0.8 * cores, at_most=False))
    for workers in dict.fromkeys((1, cores)):
        ours = found.get((PIPELINE, many, workers))
        started, part = (found.get((DATATROVE, label, workers)) for label in ("start", "part"))
        if ours and started and part:
            rate = steady_rate(started, part)
            name = f"pages/s, {workers} worker{'s' * (workers > 1)}, to datatrove's {rate:.1f}"
            made.append(Ratio(name, ours.rate / rate, 10, at_most=False))
    return made


def steady_rate(started: Row, part: Row) -> float:
    """Pages a second after the start; with the start where the input is too small to tell them apart."""
    pages, seconds = part.pages - started.pages, part.wall - started.wall
    return pages / seconds if pages > 0 and seconds > 0 else part.rate


def table(rows: Sequence[Row]) -> str:
    """The measurements as text."""
    lines = [
        (
            row.label,
            str(row.workers),
            str(row.pages),
            str(row.texts),
            f"{row.cpu:.1f}",
            f"{row.wall:.1f}",
            f"{row.rate:.1f}",
            f"{1000 * row.cpu / row.pages:.2f}",
            f"{row.peak / 1e6:.0f}",
        )
        for row in rows
    ]
    return as_text([HEADINGS, *lines])


def ratio_table(made: Sequence[Ratio]) -> str:
    """The ratios as text."""
    lines = [
        (
            ratio.name,
            f"{ratio.value:.2f}",
            f"{'at most' if ratio.at_most else 'at least'} {ratio.goal:g}",
            "met" if ratio.is_met else "missed",
        )
        for ratio in made
    ]
    return as_text([("", "ratio", "goal", ""), *lines])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.throughput", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", help="a folder of pages, or `corpus`")
    parser.add_argument("--copies", type=int, default=10, help="of the data set in the large input (default: 10)")
    parser.add_argument("--pages", type=int, help="take this many, evenly spread (default: all)")
    parser.add_argument(
        "--peer-pages", type=int, default=200, help="so many for datatrove, which is slow (default: 200)"
    )
    parser.add_argument("--json", type=Path, help="also write the figures here")
    return parser


def _chosen(options: argparse.Namespace) -> Dataset:
    for name in ("copies", "pages", "peer_pages"):
        if (value := getattr(options, name)) is not None and value < 1:
            raise BenchError(f"--{name.replace('_', '-')} {value}: at least one is needed")
    data = load(options.data)
    return data if options.pages is None else data.spread(options.pages)


def compete(inputs: Inputs, folder: Path) -> tuple[list[Row], list[Failure]]:
    """All measurements, and what is not among them; one that fails does not cost the others their figures."""
    rows: list[Row] = []
    failures: list[Failure] = []
    absent = contestants.missing()
    for result in chain(own(inputs, folder), () if absent else peers(inputs, folder)):
        if isinstance(result, Row):
            rows.append(result)
            print(f"{result.label}: {result.wall:.1f} s", file=sys.stderr)
        else:
            failures.append(result)
            print(f"{result.name}: failed", file=sys.stderr)
    if absent:
        failures.append(Failure(DATATROVE, f"not installed here: {', '.join(absent)} (winnow[bench] has them)"))
    return rows, failures


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its tables; 1 if one of Winnow's own contestants failed, 2 for a wrong call."""
    options = _parser().parse_args(arguments)
    cores = os.cpu_count() or 1
    try:
        data = _chosen(options)
        with tempfile.TemporaryDirectory(prefix="winnow-bench-") as name:
            folder = Path(name)
            inputs = build(data, folder, options.copies, options.peer_pages, cores)
            sizes = {path.name: path.stat().st_size for path in (inputs.single, inputs.many)}
            rows, failures = compete(inputs, folder)
    except BenchError as error:
        print(f"bench.throughput: {error}", file=sys.stderr)
        return 2
    made = ratios(rows, options.copies, cores)
    print(
        f"{inputs.pages} pages of {data.name}, {sizes[inputs.single.name] / 1e6:.1f} MB of .warc.gz, and "
        f"{options.copies} copies of them; {cores} cores; memory is PSS, summed over the processes\n"
    )
    print(table(rows))
    print(f"\n{ratio_table(made)}")
    if failures:
        print("\nleft out:")
        print("\n".join(f"  {failure.name}: {failure.why}" for failure in failures))
    if options.json:
        figures = {
            "data": data.name,
            "cores": cores,
            "copies": options.copies,
            "bytes": sizes,
            "rows": [{**asdict(row), "pages_per_second": row.rate} for row in rows],
            "ratios": [{**asdict(ratio), "is_met": ratio.is_met} for ratio in made],
            "left_out": [asdict(failure) for failure in failures],
        }
        write_json(options.json, figures)
        print(f"\nwritten to {options.json}")
    return int(any(failure.name != DATATROVE for failure in failures))


if __name__ == "__main__":
    sys.exit(main())
