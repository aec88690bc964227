"""What extraction costs: CPU time from bytes to text, beside bare lxml parsing and the peers, in one run.

    python -m bench.speed DATA [--pages N] [--json FILE]

Each contestant reads each page several times in a row and its fastest time counts, in one process; the sums over all
pages are compared. Times vary from machine to machine, the ratios to lxml much less.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import process_time

from lxml import etree

from bench import peers
from bench.datasets import Dataset, load
from bench.exceptions import BenchError
from bench.metrics import bag_of_words
from bench.table import write_json
from transforms import Page, extract
from transforms.canonical import canonicalise
from transforms.charset import decode

EXTRACTORS = ("baseline", "density", "cetr-tm", "cetr-km", "cetr", "block")
REPEATS = 3
GROWTH = 10  # how many times larger a page is made to see whether cost stays in proportion

Contestant = Callable[[bytes], object]


@dataclass(frozen=True)
class Cost:
    """CPU time of one contestant over all pages."""

    name: str
    milliseconds: float  # a page
    ratio: float  # to bare lxml parsing
    pages_per_second: float


def bare_lxml(html: bytes) -> object:
    """The floor: parse, and nothing else."""
    return etree.fromstring(html, etree.HTMLParser())


def extracted(html: bytes, extractor: str, parser: str = "lxml") -> str:
    """From bytes to text."""
    return extract(Page.parse(html, parser=parser), extractor).text


def contestants(parser: str = "lxml") -> dict[str, Contestant]:
    """Winnow's own."""
    return {
        f"to canonical source ({parser})": lambda html: canonicalise(decode(html).utf8, parser),
        **{f"{name} ({parser})": partial(extracted, extractor=name, parser=parser) for name in EXTRACTORS},
    }


def fastest(run: Contestant, html: bytes) -> float:
    """Seconds of CPU time, the best of a few runs in a row."""
    best = float("inf")
    for _ in range(REPEATS):
        before = process_time()
        run(html)
        best = min(best, process_time() - before)
    return best


def measure(pages: Sequence[bytes], entrants: dict[str, Contestant]) -> list[Cost]:
    """Let all contestants read all pages, page by page."""
    total = dict.fromkeys(entrants, 0.0)
    for html in pages:
        for name, run in entrants.items():
            total[name] += fastest(run, html)
    floor = next(iter(total.values()))
    return [Cost(name, 1000 * t / len(pages), t / floor, len(pages) / t) for name, t in total.items()]


def growth(pages: Sequence[bytes], entrants: dict[str, Contestant]) -> dict[str, float]:
    """How many times as much a page costs whose body is repeated GROWTH times, per byte-for-byte growth of GROWTH.

    A contestant whose cost is in proportion to the size gives about GROWTH.
    """
    result: dict[str, float] = {}
    for name, run in entrants.items() if pages else ():
        small = large = 0.0
        for html in pages:
            lower = html.lower()
            start, end = lower.find(b"<body"), lower.rfind(b"</body>")
            body = html[start:end]
            grown = html[:start] + body * GROWTH + html[end:]
            small += fastest(run, html) * (len(grown) / len(html) / GROWTH)
            large += fastest(run, grown)
        result[name] = large / small
    return result


def parser_comparison(data: Dataset) -> dict[str, object]:
    """The second parser beside the first: how often the text is the same, and the F1 of both against the gold."""
    same = 0
    f1: dict[str, dict[str, float]] = {parser: dict.fromkeys(EXTRACTORS, 0.0) for parser in ("lxml", "lexbor")}
    samples = data.with_gold().samples
    for sample in samples:
        pages = {parser: Page.parse(sample.html(), parser=parser) for parser in f1}
        texts = {parser: extract(page, "baseline").text.split() for parser, page in pages.items()}
        same += texts["lxml"] == texts["lexbor"]
        for parser, page in pages.items():
            for name in EXTRACTORS:
                f1[parser][name] += bag_of_words(extract(page, name).text, sample.gold or "").f1 / len(samples)
    return {"pages": len(samples), "same_words": same, "f1": f1}


def _chosen(data: Dataset, pages: int) -> Dataset:
    if pages < 1:
        raise BenchError(f"--pages {pages}: at least one page is needed")
    usable = Dataset(data.name, tuple(sample for sample in data.samples if not sample.stripped))
    if not usable.samples:
        raise BenchError(f"all pages of {data.name} were stripped of scripts and styles: no use for measuring speed")
    return usable.spread(pages)


def table(costs: Sequence[Cost]) -> str:
    """The costs as text."""
    width = max(len(cost.name) for cost in costs)
    rows = [f"{'':{width}}  ms/page   ratio  pages/s"]
    rows += [
        f"{cost.name:{width}}  {cost.milliseconds:7.2f}  {cost.ratio:6.2f}  {cost.pages_per_second:7.0f}"
        for cost in costs
    ]
    return "\n".join(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark and print its tables."""
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__.split("\n")[0])
    parser.add_argument("data", help="a folder of pages, or `corpus`")
    parser.add_argument("--pages", type=int, default=300, help="take this many, evenly spread (default: 300)")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args(arguments)
    try:
        chosen = _chosen(load(options.data), options.pages)
        pages = [sample.html() for sample in chosen.samples]
    except BenchError as error:
        print(f"bench.speed: {error}", file=sys.stderr)
        return 2
    entrants: dict[str, Contestant] = {"lxml, parsing only": bare_lxml, **contestants()}
    entrants |= {name: peers.peer(name) for name in peers.installed()}
    lexbor = find_spec("selectolax") is not None
    entrants |= contestants("lexbor") if lexbor else {}
    costs = measure(pages, entrants)
    size = sum(map(len, pages)) / len(pages)
    print(f"{len(pages)} pages of {chosen.name}, {size / 1000:.0f} KB on average; CPU time, best of {REPEATS}\n")
    print(table(costs))
    by_size = sorted((html for html in pages if b"<body" in html.lower()), key=len)
    middle = by_size[len(by_size) // 4 : -(-3 * len(by_size) // 4)][:: max(len(by_size) // 40, 1)]
    grown = growth(middle, {"lxml, parsing only": bare_lxml, **contestants()})
    print(f"\nCost of a page {GROWTH} times as large ({len(middle)} pages of middle size)\n")
    print("\n".join(f"{name:{max(map(len, grown))}}  {value:5.1f}" for name, value in grown.items()))
    compared = parser_comparison(chosen) if lexbor and chosen.with_gold().samples else None
    if compared:
        print(f"\nlexbor beside lxml: {compared['same_words']} of {compared['pages']} pages give the same words; F1")
        for name, scores in compared["f1"].items():  # type: ignore[attr-defined]
            print(f"{name:8}" + "".join(f"  {extractor} {score:.3f}" for extractor, score in scores.items()))
    if options.json:
        figures = {
            "data": chosen.name,
            "pages": len(pages),
            "mean_bytes": size,
            "costs": [asdict(cost) for cost in costs],
        }
        write_json(options.json, figures | {"growth": grown, "parsers": compared})
        print(f"\nwritten to {options.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
