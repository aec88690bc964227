"""What the site step costs as sites grow: archives of synthetic sites, cleaned with it and without.

    python -m bench.zipf [--pages 1000,10000,100000] [--sites 1]

Sites have templates of their own (menus, a sidebar, related links, a footer with a date); pages have a few paragraphs
of words with Zipf-distributed frequencies. With more than one site their sizes are Zipf-distributed, too.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import accumulate
from pathlib import Path

from isal import isal_zlib

from bench.archive import GZIP, LEVEL, response
from bench.exceptions import BenchError
from bench.measure import Usage, measure
from bench.table import as_text, write_json
from transforms import Page
from transforms.sites import learn, sketch

LETTERS = "etaoinshrdlucmfwygpb"
VOCABULARY = 20_000
SEED = 7


class Writer:
    """Writes prose in words that nobody knows, the n-th of them 1/n as often as the first."""

    def __init__(self, seed: int = SEED) -> None:
        chance = random.Random(seed)  # noqa: S311  reproducible, and nothing to guess
        self._words = ["".join(chance.choices(LETTERS, k=chance.randint(2, 9))) for _ in range(VOCABULARY)]
        self._weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))

    def words(self, chance: random.Random, count: int) -> str:
        """So many words."""
        return " ".join(chance.choices(self._words, cum_weights=self._weights, k=count))

    def page(self, site: int, number: int) -> bytes:
        """A page of a site: the same every time."""
        own, template = random.Random(f"{site}/{number}"), random.Random(f"{site}")  # noqa: S311
        menu = "".join(f'<li><a href="/m{n}">{self.words(template, 2)}</a></li>' for n in range(8))
        side = "".join(f'<li><a href="/s{n}">{self.words(template, 4)}</a></li>' for n in range(10))
        related = "".join(f'<li><a href="/{own.randint(0, 10**6)}">{self.words(own, 6)}</a></li>' for _ in range(5))
        text = "".join(f"<p>{self.words(own, own.randint(20, 80))}.</p>" for _ in range(own.randint(3, 8)))
        day, footer = own.randint(1, 28), self.words(template, 30)
        return (
            f'<!doctype html><html lang="en"><head><title>{self.words(own, 5)}</title></head><body>'
            f'<header><div class="name">{self.words(template, 2)}</div><ul class="menu">{menu}</ul></header>'
            f'<main><h1>{self.words(own, 6)}</h1><div class="text">{text}</div></main>'
            f'<aside><h3>{self.words(template, 2)}</h3><ul>{side}</ul><div class="related"><h3>More</h3>'
            f"<ul>{related}</ul></div></aside><footer><p>{footer}</p><p>Changed on day {day}.</p><p>{footer}</p>"
            f"<ul><li>{self.words(template, 3)}</li><li>{self.words(template, 3)}</li></ul></footer></body></html>"
        ).encode()


def sizes(pages: int, sites: int) -> list[int]:
    """The pages of each of so many sites, the n-th a share of 1/n."""
    total = sum(1 / rank for rank in range(1, sites + 1))
    return [max(round(pages / rank / total), 1) for rank in range(1, sites + 1)]


def records(writer: Writer, pages: int, sites: int) -> Iterator[bytes]:
    """The records of a crawl, sites mixed."""
    left = {site: iter(range(count)) for site, count in enumerate(sizes(pages, sites))}
    while left:
        for site in list(left):
            number = next(left[site], None)
            if number is None:
                del left[site]
            else:
                yield response(writer.page(site, number), f"http://site{site}.example/{number}")


@dataclass(frozen=True)
class Row:
    """One run."""

    pages: int
    site_step: bool
    usage: Usage

    @property
    def cells(self) -> tuple[str, ...]:
        """For the table."""
        used = self.usage
        name = "with the site step" if self.site_step else "without"
        each = 1000 * used.cpu / self.pages
        rate = self.pages / used.wall
        return (name, f"{self.pages:,}", f"{each:.2f}", f"{used.wall:.1f}", f"{rate:.0f}", f"{used.peak / 1e6:.0f}")


def run(pages: int, sites: int, folder: Path) -> Iterator[Row]:
    """Clean an archive of so many pages, with the site step and without."""
    archive = folder / f"{pages}.warc.gz"
    writer = Writer()
    with archive.open("wb") as out:
        for record in records(writer, pages, sites):
            out.write(isal_zlib.compress(record, LEVEL, GZIP))
    for site_step in (True, False):
        output = folder / f"{pages}-{site_step}"
        command = [sys.executable, "-m", "pipeline.cli", "clean", str(archive), "-o", str(output), "-q"]
        usage = measure([*command, *([] if site_step else ["--no-site-templates"])])
        if usage.status:
            raise BenchError(f"winnow clean ended with status {usage.status}: {usage.complaint}")
        yield Row(pages, site_step, usage)


def learning() -> tuple[float, int]:
    """CPU seconds to learn one template from a full sample, and the bytes of the sample."""
    writer = Writer()
    sketches = [sketch(Page.parse(writer.page(0, number), url=f"http://a.example/{number}")) for number in range(64)]
    size = sum(len(each.encode()) for each in sketches)
    began = time.process_time()
    learn("a.example", sketches)
    return time.process_time() - began, size


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m bench.zipf", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pages", default="1000,10000,100000", metavar="N,N", help="default: 1000,10000,100000")
    parser.add_argument("--sites", type=int, default=1, help="over which they are spread (default: 1)")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    try:
        counts = [int(count) for count in options.pages.split(",")]
        with tempfile.TemporaryDirectory(prefix="winnow-zipf-") as name:
            for count in counts:
                rows += run(count, options.sites, Path(name))
    except (BenchError, ValueError) as error:
        print(f"bench.zipf: {error}", file=sys.stderr)
        return 2
    print(as_text([("", "pages", "CPU ms/page", "wall s", "pages/s", "peak MB"), *(row.cells for row in rows)]))
    seconds, size = learning()
    print(f"\nlearning from a full sample of 64 pages, {size:,} bytes: {seconds:.2f} s of CPU time")
    for site_step in (True, False):
        chosen = [row for row in rows if row.site_step is site_step]
        each = [row.usage.cpu / row.pages for row in chosen]
        grown = (chosen[-1].usage.peak - chosen[0].usage.peak) / max(chosen[-1].pages - chosen[0].pages, 1)
        kind = "with" if site_step else "without"
        print(f"{kind} the site step: {each[-1] / each[0]:.2f} times the cost a page, {grown / 1e3:.2f} KB a page more")
    if options.json:
        write_json(options.json, [asdict(row) for row in rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
