"""Whether one archive gives the same bytes every time on a machine that is busy: the local runner under contention.

    python -m bench.soak [--runs N] [--together N] [--pages N] [--loops N] [--until-failure] [--json FILE]

One run first, while the machine is not kept busy, says what is right. Then processes that do nothing but compute
compete with every run for the cores. A run that fails, or whose output differs in one byte, is named with what
differed; the exit status is 1 then.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from itertools import zip_longest
from pathlib import Path
from shutil import rmtree
from time import monotonic

from isal import isal_zlib

from bench.archive import GZIP, LEVEL
from bench.exceptions import BenchError
from bench.table import write_json
from bench.zipf import Writer, records

RUNS = 100
PAGES = 700
LOOPS = 6
SITES = 20
# Some twenty ranges: steps that hand on what they found all the time, not once at their end.
SPLIT = "--split-bytes=64K"
# A run takes seconds, or some ten times as long when six others want the same two cores.
PATIENCE_SECONDS = 600.0
# Ends when its parent has ended, whatever ended that.
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: sum(range(100_000))"


@dataclass(frozen=True)
class Run:
    """One run, and what was wrong with it: nothing, if all is well."""

    number: int
    seconds: float
    fault: str

    def __str__(self) -> str:
        return f"{self.number:5}  {self.seconds:6.1f} s  {self.fault or 'equal'}"


def write_archive(path: Path, pages: int) -> None:
    """So many pages, or a few more, of SITES sites."""
    with path.open("wb") as out:
        for record in records(Writer(), pages, SITES):
            out.write(isal_zlib.compress(record, LEVEL, GZIP))


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its name."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def difference(right: Mapping[str, bytes], found: Mapping[str, bytes]) -> str:
    """The files that differ, and where the first of them does; empty if none does."""
    names = sorted(name for name in {*right, *found} if right.get(name) != found.get(name))
    if not names:
        return ""
    first = names[0]
    if first not in right or first not in found:
        return f"{len(names)} files differ; {first} is {'missing' if first in right else 'new'}"
    pairs = enumerate(zip_longest(right[first], found[first]))
    place = next(place for place, (one, other) in pairs if one != other)
    sizes = f"{len(right[first]):,} and {len(found[first]):,} bytes"
    return f"{len(names)} files differ: {', '.join(names[:5])}; {first} ({sizes}) from byte {place:,}"


@contextmanager
def contention(loops: int) -> Iterator[None]:
    """So many processes that want a core each."""
    busy: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(loops):
            # One by one: each is ended, also if the next one does not start.
            busy.append(subprocess.Popen([sys.executable, "-c", BUSY]))  # noqa: PERF401, S603
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def clean(archive: Path, output: Path) -> str:
    """Run the command once; returns what went wrong."""
    command = [sys.executable, "-m", "pipeline.cli", "clean", str(archive), "-o", str(output), SPLIT, "--quiet"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS)  # noqa: S603
    except subprocess.TimeoutExpired:
        return f"not done after {PATIENCE_SECONDS:g} s"
    said = " ".join(ran.stderr.split())
    return f"exit status {ran.returncode}: {said[:500]}" if ran.returncode else ""


def soak(folder: Path, runs: int, together: int, pages: int, loops: int) -> Iterator[Run]:
    """The runs, in their order; raises BenchError if there is nothing to compare them with."""
    archive = folder / "archive.warc.gz"
    write_archive(archive, pages)
    if fault := clean(archive, folder / "right"):
        raise BenchError(f"the first run failed: {fault}")
    right = contents(folder / "right")

    def run(number: int) -> Run:
        output = folder / f"out-{number}"
        began = monotonic()
        fault = clean(archive, output)
        done = Run(number, monotonic() - began, fault or difference(right, contents(output)))
        with suppress(FileNotFoundError):
            rmtree(output)
        return done

    with contention(loops), ThreadPoolExecutor(together) as threads:
        try:
            yield from threads.map(run, range(1, runs + 1))
        finally:
            threads.shutdown(cancel_futures=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run and print; exit status 1 if a run was not equal, 2 if there is nothing to compare with."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help=f"default: {RUNS}")
    parser.add_argument("--together", type=int, default=1, metavar="N", help="so many at a time; default: 1")
    parser.add_argument("--pages", type=int, default=PAGES, metavar="N", help=f"of the archive; default: {PAGES}")
    parser.add_argument("--loops", type=int, default=LOOPS, metavar="N", help=f"busy processes; default: {LOOPS}")
    parser.add_argument("--until-failure", action="store_true", help="stop at the first run that is not equal")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the runs here")
    options = parser.parse_args(arguments)
    done: list[Run] = []
    try:
        with tempfile.TemporaryDirectory(prefix="winnow-soak-") as folder:
            for run in soak(Path(folder), options.runs, options.together, options.pages, options.loops):
                done.append(run)
                print(run, flush=True)
                if run.fault and options.until_failure:
                    break
    except BenchError as error:
        print(f"bench.soak: {error}", file=sys.stderr)
        return 2
    wrong = [run for run in done if run.fault]
    print(f"\n{len(done) - len(wrong)} of {len(done)} runs equal, {options.pages:,} pages, {options.loops} busy loops")
    if options.json:
        write_json(options.json, {"runs": [asdict(run) for run in done]})
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
