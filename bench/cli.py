"""`winnow bench`: options, progress, output. What it does is in run.py, what it shows in table.py and report.py.

The modules that do the work are imported when it runs, so that no other command waits for them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bench.exceptions import BenchError

if TYPE_CHECKING:
    from bench.datasets import Dataset, Sample

DEFAULT_EXTRACTORS = "all"
PAPERS = ("density", "ttr", "cetr", "block")
CACHE = Path(".winnow-bench.sqlite")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `winnow bench`."""
    parser.add_argument(
        "data", nargs="?", help="a data set (folder or file); default: the folder of --data, or the shipped corpus"
    )
    parser.add_argument("--data", dest="folder", metavar="DIR", help="the folder in which to look for the data set")
    parser.add_argument(
        "-e", "--extractor", default=DEFAULT_EXTRACTORS, metavar="NAME,...",
        help="extractors, with parameters if wanted (cetr-tm:threshold=0.5); default: all",
    )  # fmt: skip
    parser.add_argument(
        "--peer", default="", metavar="NAME,...", help="peers to run beside them; `all` for those installed"
    )
    parser.add_argument("-m", "--metric", default="bow", metavar="NAME,...", help="default: bow, bag-of-words F1")
    parser.add_argument(
        "--paper", choices=PAPERS, help="the experiments of that paper instead: its methods, metrics and tables"
    )
    parser.add_argument("--by", choices=("type", "site"), help="also F1 by page type or site")
    parser.add_argument("--limit", type=int, metavar="N", help="only N pages, evenly spread")
    parser.add_argument("-f", "--format", choices=("text", "markdown", "json"), default="text", help="default: text")
    parser.add_argument("--html", type=Path, metavar="FILE", help="also write one page with plots")
    parser.add_argument(
        "--cache", type=Path, default=CACHE, metavar="FILE", help=f"remembers results; default: {CACHE}"
    )
    parser.add_argument("--no-cache", action="store_true", help="compute everything anew")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress bar")


def run(options: argparse.Namespace) -> None:
    """Score, print, and write the page if asked to."""
    if options.paper:
        _print_experiment(options)
        return
    from bench import peers, report, table  # noqa: PLC0415 - see above
    from bench.run import contestant, peer  # noqa: PLC0415
    from bench.run import run as score  # noqa: PLC0415
    from transforms import extractors  # noqa: PLC0415

    data = _dataset(options)
    names = list(extractors) if options.extractor == "all" else _listed(options.extractor)
    wanted = peers.installed() if options.peer == "all" else _listed(options.peer)
    missing = [name for name in peers.PEERS if name not in peers.installed()]
    if options.peer == "all" and missing:
        print(f"winnow: peers not installed here: {', '.join(missing)} (pip install 'winnow[bench]')", file=sys.stderr)
    metrics = _listed(options.metric)
    cache = None if options.no_cache else options.cache
    contestants = [*map(contestant, names), *map(peer, wanted)]
    if not contestants:
        raise BenchError("nothing to measure: name an extractor or a peer")
    results = list(score(data, contestants, metrics, cache, _progress(options.quiet)))
    if options.format == "json":
        sys.stdout.write(table.as_json(table.as_record(data, results, metrics, options.by)))
    else:
        written = table.as_markdown if options.format == "markdown" else table.as_text
        print(f"{len(results[0].pages)} pages of {data.name}\n")
        print(written([table.HEADINGS, *table.rows(results, metrics)]))
        if options.by:
            print(f"\n{metrics[0]} F1 by {options.by}\n")
            print(written(table.group_rows(results, metrics[0], options.by)))
    if options.html:
        bar = _progress(options.quiet)
        try:
            report.write(options.html, data, results, metrics, by=options.by or "type", cache=cache, progress=bar)
        except OSError as error:
            raise BenchError(f"cannot write {options.html}: {error.strerror}") from None
        print(f"\nwritten to {options.html}", file=sys.stderr)


def _print_experiment(options: argparse.Namespace) -> None:
    """The tables of a paper; nothing of it is remembered."""
    from bench import papers, table  # noqa: PLC0415
    from bench.papers.tables import written  # noqa: PLC0415

    for option, given in (("--peer", options.peer), ("--by", options.by), ("--html", options.html)):
        if given:
            raise BenchError(f"{option} does not go with --paper, which has its own methods and groups")
    data = _whole_dataset(options)
    tables = papers.experiment(options.paper, data, options.limit)
    if options.format == "json":
        record = {"dataset": data.name, "paper": options.paper, "tables": [each.record() for each in tables]}
        sys.stdout.write(table.as_json(record))
        return
    pages = min(options.limit or len(data.samples), len(data.samples))
    print(f"{pages} pages of {data.name}\n")
    print(written(tables, table.as_markdown if options.format == "markdown" else table.as_text))


def _dataset(options: argparse.Namespace) -> Dataset:
    data = _whole_dataset(options)
    return data.spread(options.limit) if options.limit else data


def _whole_dataset(options: argparse.Namespace) -> Dataset:
    from bench.datasets import load  # noqa: PLC0415

    where = Path(options.folder, options.data or "") if options.folder else options.data or "corpus"
    data = load(where).with_gold()
    if options.limit is not None and options.limit < 1:
        raise BenchError(f"--limit {options.limit}: at least one page is needed")
    return data


def _listed(names: str) -> list[str]:
    """Split at commas, but keep the parameters of an extractor (after a colon) with it."""
    listed: list[str] = []
    for part in names.split(","):
        if "=" in part and ":" not in part and listed:
            listed[-1] += f",{part}"
        elif part.strip():
            listed.append(part.strip())
    return list(dict.fromkeys(listed))


class _progress:  # noqa: N801 - a function with an option, as far as its callers see
    """A progress bar on a terminal, nothing elsewhere."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet

    def __call__(self, samples: Iterable[Sample]) -> Iterable[Sample]:
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import track  # noqa: PLC0415

        pages: Sequence[Sample] = list(samples)
        console = Console(stderr=True)
        if self.quiet or not console.is_terminal:
            return pages
        return track(pages, description="pages", console=console)
