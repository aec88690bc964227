"""How much extractors may leave out of a page whose site is known: the rule of transforms/links.py, tried and checked.

    python -m bench.known_sites DATA [--limit N]

DATA is a collection of sites with gold text. The share of the text outside lists of links that an extractor must keep
is chosen on every other site, from the first by name, and checked on those between. The score is
bag-of-words F1, the mean over sites.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from statistics import mean

from bench.exceptions import BenchError
from bench.metrics import bag_of_words
from bench.sites import site_pages
from bench.table import as_markdown, as_text
from transforms import Page, extractors, render
from transforms.links import unless_too_little
from transforms.selection import Spans

AS_IT_IS = "the extractor's own choice"
SHARES = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 1.0)

Found = dict[str, dict[str, dict[str, float]]]  # F1 by rule, extractor and site


def rules() -> dict[str, float | None]:
    """What is tried: the share of the text from which on the extractor's choice stands."""
    return {AS_IT_IS: None, **{f"that, if it keeps {share:.0%} of the text": share for share in SHARES}}


def measure(where: str, limit: int) -> Found:
    """Every extractor under every rule, on at most so many pages of each site."""
    found: Found = {rule: {name: {} for name in extractors} for rule in rules()}
    for site in site_pages(where):
        step = max(1, len(site.pages) // limit)
        pages = list(zip(site.masked()[::step], [sample.gold or "" for sample in site.samples][::step], strict=True))
        for name, entry in extractors.items():
            scores: dict[str, list[float]] = {rule: [] for rule in rules()}
            for page, gold in pages:
                chosen = entry.choose(page)
                for rule, share in rules().items():
                    scores[rule].append(_f1(page, _under(page, chosen, share), gold))
            for rule, values in scores.items():
                found[rule][name][site.name] = mean(values)
        print(f"{site.name}: done", file=sys.stderr)
    return found


def _under(page: Page, chosen: Spans, share: float | None) -> Spans:
    return chosen if share is None else unless_too_little(page.arrays, chosen, share)


def _f1(page: Page, spans: Spans, gold: str) -> float:
    return bag_of_words(render.text(page.arrays, spans.start, spans.end), gold).f1


def halves(found: Found) -> tuple[list[str], list[str]]:
    """The sites to choose on, and those to check on."""
    sites = sorted(next(iter(found[AS_IT_IS].values())))
    return sites[::2], sites[1::2]


def gains(found: Mapping[str, Mapping[str, float]], sites: Sequence[str]) -> dict[str, float]:
    """By how much the mean F1 of each other extractor is above that of all text."""
    means = {name: mean(scores[site] for site in sites) for name, scores in found.items()}
    return {name: value - means["baseline"] for name, value in means.items() if name != "baseline"}


def table(found: Found) -> list[tuple[str, ...]]:
    """For each rule the mean and the least gain of an extractor over all text, on both halves; `*` is chosen."""
    chosen_on, checked_on = halves(found)
    best = max(rules(), key=lambda rule: min(0.0, *gains(found[rule], chosen_on).values()) * 1000
               + mean(gains(found[rule], chosen_on).values()))  # fmt: skip
    rows: list[tuple[str, ...]] = [("", "mean", "least", "", "mean, checked", "least, checked", "")]
    for rule, by_name in found.items():
        cells = []
        for sites in (chosen_on, checked_on):
            gain = gains(by_name, sites)
            least = min(gain, key=lambda name: gain[name])
            cells += [f"{mean(gain.values()):+.4f}", f"{gain[least]:+.4f}", least]
        rows.append((f"{rule} *" if rule == best else rule, *cells))
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m bench.known_sites", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", help="a collection of sites with gold text")
    parser.add_argument("--limit", type=int, default=1000, metavar="N", help="about N pages of each site")
    parser.add_argument("--markdown", action="store_true", help="as a table for documents")
    options = parser.parse_args(arguments)
    try:
        found = measure(options.data, max(options.limit, 1))
    except BenchError as error:
        print(f"bench.known_sites: {error}", file=sys.stderr)
        return 2
    chosen_on, _ = halves(found)
    print((as_markdown if options.markdown else as_text)(table(found)))
    print(f"\nchosen on {', '.join(chosen_on)}; checked on the others")
    return 0


if __name__ == "__main__":
    sys.exit(main())
