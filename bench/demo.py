"""`make demo`: serves a small web on loopback, crawls it, cleans the archives, and shows what became of them."""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.web.served import answer, seeds
from bench.web.server import LOOPBACK, serve
from pipeline.cli import main as winnow
from pipeline.exit_codes import ExitCode

SHOWN = 600  # characters of a text
CONTACT = "demo@winnow.example"


def main(arguments: Sequence[str] | None = None) -> int:
    """Crawl, clean, and print the accounts and one text; returns the status of the command that failed, or 0."""
    parser = argparse.ArgumentParser(prog="python -m bench.demo", description="Crawls a small web and cleans it.")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="write the archives here, and what they give")
    options = parser.parse_args(arguments)
    if options.keep:
        return _run(options.keep)
    with tempfile.TemporaryDirectory(prefix="winnow-demo-") as folder:
        status = _run(Path(folder))
    print("\nAll of it was temporary: `python -m bench.demo --keep DIR` keeps the archives and the output.")
    return status


def _run(folder: Path) -> int:
    crawled, output = folder / "crawl", folder / "cleaned"
    with serve(answer) as port:
        # The sites have names of their own, but all of them are on loopback, which has to be allowed.
        elsewhere = ["--allow-private", "--connect-to", f"*={LOOPBACK}:{port}"]
        command = ["crawl", *seeds(), "-o", str(crawled), "--contact", CONTACT, "--delay", "0", *elsewhere]
        print("$ winnow", *command, "\n", flush=True)
        # A process of its own: Scrapy's reactor runs once in each.
        status = subprocess.run([sys.executable, "-m", "pipeline.cli", *command], check=False).returncode  # noqa: S603
    if status:
        return status
    archives = sorted(crawled.glob("*.warc.gz"))
    command = ["clean", *map(str, archives), "-o", str(output)]
    print("\n$ winnow", *command, "\n", flush=True)
    status = winnow(command)
    if status == ExitCode.OK:
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
