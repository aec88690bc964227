"""`make demo`: cleans the archives of a small web and shows what becomes of them."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.web import write_warc
from pipeline.cli import main as winnow

SHOWN = 600  # characters of a text
# One revisit refers to a page of an earlier crawl. In a web this small, that is more than one page in a hundred.
MAX_FAILED = "5"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the archives, clean them, and print the accounts and one text; returns the status of `winnow clean`."""
    parser = argparse.ArgumentParser(prog="python -m bench.demo", description="Cleans the archives of a small web.")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the archives here, and what they give")
    options = parser.parse_args(arguments)
    if options.keep:
        return _run(options.keep)
    with tempfile.TemporaryDirectory(prefix="winnow-demo-") as folder:
        status = _run(Path(folder))
    print("\nAll of it was temporary: `python -m bench.demo --keep DIR` keeps the archives and the output.")
    return status


def _run(folder: Path) -> int:
    output = folder / "cleaned"
    archives = write_warc(folder)
    command = ["clean", *map(str, archives), "-o", str(output), "--dedup", "--max-failed", MAX_FAILED]
    print("$ winnow", *command, "\n", flush=True)
    status = winnow(command)
    if status == 0:
        page = next(documents(output))
        about = (page["title"], page["url"], page["author"], page["published"], page["language"])
        print("\n" + "\n".join(str(value) for value in about if value))
        print(f"\n{page['text'][:SHOWN]} ...")
    return status


def documents(output: Path) -> Iterator[dict[str, Any]]:
    """The cleaned pages in the folder of a run, in the order of its files."""
    for path in sorted((output / "text").glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


if __name__ == "__main__":
    sys.exit(main())
