"""What knowing the site adds: F1 of extractors on whole sites, alone and without what each site repeats.

    python -m bench.sites DATA [--extractor NAMES] [--peer NAMES]
    python -m bench.sites DATA --rules                the rules one at a time, and the choice cross-validated over sites

Every site's template is learned as the pipeline learns it, from the sample of its pages, and applied to all of them.
The score is bag-of-words F1, the mean over the pages of a site and then over sites.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

from bench import peers
from bench.datasets import Sample, load
from bench.exceptions import BenchError
from bench.metrics import bag_of_words
from bench.table import as_markdown, as_text, write_json
from transforms import Page, extract, extractors
from transforms.sites import Sketch, Template, learn, mask, sketch
from transforms.sites.sample import PAGES, key
from transforms.sites.template import RULES, Rules

EXTRACTORS = ("baseline", "density", "cetr", "cetr-km", "block", "lqf")
PEERS = ("trafilatura", "resiliparse")
# For choosing the rules: what all text gives, and three extractors of different kinds.
JUDGES = ("baseline", "density", "cetr", "block")
# Each rule by itself, the others as they are.
TRIED: dict[str, tuple[float, ...]] = {
    "min_pages": (2, 3, 4),
    "tau": (0.0, 0.15, 0.3),
    "same_text": (0.3, 0.5, 0.7),
    "text_distance": (0.1, 0.2, 0.3),
    "link_share": (0.4, 0.5, 0.7),
    "link_pages": (0.05, 0.1, 0.2),
    "plain_pages": (0.05, 0.1, 0.2),
    "plain_length": (400, 800, 1600),
    "most_pages": (0.5, 0.7, 0.9),
    "content_slot": (0.3, 0.5, 0.7),
}
SITE_THRESHOLDS = (0.2, 0.3, 0.4, 0.5, 0.8, 1.5)

Scores = dict[str, float]  # by site


@dataclass(frozen=True)
class SitePages:
    """The pages of a site, parsed, with gold text, and the sketches of its sample."""

    name: str
    samples: tuple[Sample, ...]
    pages: tuple[Page, ...]
    sketches: tuple[Sketch, ...]

    def masked(self, rules: Rules = RULES) -> list[Page]:
        """The pages without what the site repeats."""
        template = Template.decode(learn(self.name, self.sketches, rules).encode())
        return [mask(page, template).page for page in self.pages]

    def score(self, texts: Sequence[str]) -> float:
        """The mean F1 of the texts."""
        return mean(bag_of_words(text, sample.gold or "").f1 for text, sample in zip(texts, self.samples, strict=True))

    def extracted(self, pages: Sequence[Page], extractor: str, parameters: Mapping[str, Any]) -> float:
        """The mean F1 of an extractor on these pages."""
        return self.score([extract(page, extractor, **parameters).text for page in pages])


def site_pages(where: str) -> Iterator[SitePages]:
    """The sites of a data set, one after the other."""
    samples = load(where).with_gold().samples
    names = Counter(sample.site for sample in samples)
    if not all(names) or min(names.values()) < RULES.min_contents:
        raise BenchError(f"{where} has no sites with several pages each")
    for name in names:
        chosen = tuple(sample for sample in samples if sample.site == name)
        pages = tuple(Page.parse(sample.html(), url=sample.url) for sample in chosen)
        sampled = sorted(pages, key=lambda page: key(page.url or ""))[:PAGES]
        yield SitePages(name, chosen, pages, tuple(map(sketch, sampled)))


def compare(where: str, names: Sequence[str], others: Sequence[str]) -> dict[str, Scores]:
    """F1 by contestant and site; `NAME + site` is the extractor on masked pages."""
    found: dict[str, Scores] = {}
    functions = {name: peers.peer(name) for name in others}
    for site in site_pages(where):
        masked = site.masked()
        for name in names:
            found.setdefault(name, {})[site.name] = site.extracted(site.pages, name, {})
            found.setdefault(f"{name} + site", {})[site.name] = site.extracted(masked, name, {})
        for name, function in functions.items():
            found.setdefault(name, {})[site.name] = site.score([function(sample.html()) for sample in site.samples])
        print(f"{site.name}: done", file=sys.stderr)
    return found


def table(found: Mapping[str, Scores]) -> list[tuple[str, ...]]:
    """A row a contestant: its mean, what the site step adds, the worst change on a site, and each site."""
    sites = list(next(iter(found.values())))
    rows: list[tuple[str, ...]] = [("", "mean", "gain", "worst", *sites)]
    for name, scores in found.items():
        alone = found.get(name.removesuffix(" + site"), scores)
        gains = [scores[site] - alone[site] for site in sites] if alone is not scores else []
        gain = (f"{mean(gains):+.3f}", f"{min(gains):+.3f}") if gains else ("", "")
        rows.append((name, f"{mean(scores.values()):.3f}", *gain, *(f"{scores[site]:.2f}" for site in sites)))
    return rows


def settings() -> dict[str, tuple[Rules, dict[str, Any]]]:
    """What is tried: rules, and parameters of `block`."""
    tried: dict[str, tuple[Rules, dict[str, Any]]] = {}
    for name, values in TRIED.items():
        for value in values:
            tried[f"{name}={value:g}"] = (replace(RULES, **{name: type(getattr(RULES, name))(value)}), {})
    for value in SITE_THRESHOLDS:
        tried[f"block's site_threshold={value:g}"] = (RULES, {"site_threshold": value})
    return tried


def try_rules(where: str) -> dict[str, dict[str, Scores]]:
    """F1 by setting, judge and site."""
    found: dict[str, dict[str, Scores]] = {name: {judge: {} for judge in JUDGES} for name in settings()}
    for site in site_pages(where):
        for name, (rules, parameters) in settings().items():
            masked = site.masked(rules)
            for judge in JUDGES:
                given = parameters if judge == "block" else {}
                found[name][judge][site.name] = site.extracted(masked, judge, given)
        print(f"{site.name}: done", file=sys.stderr)
    return found


def rules_table(found: Mapping[str, Mapping[str, Scores]]) -> list[tuple[str, ...]]:
    """A row a setting, a column a judge; `*` is the default."""
    rows: list[tuple[str, ...]] = [("", *JUDGES, "mean")]
    for name, judged in found.items():
        means = [mean(judged[judge].values()) for judge in JUDGES]
        mark = " *" if _is_default(name) else ""
        rows.append((name + mark, *(f"{value:.3f}" for value in means), f"{mean(means):.3f}"))
    return rows


def _is_default(name: str) -> bool:
    rule, _, value = name.rpartition("=")
    default = extractors["block"].parameters["site_threshold"].default if "block" in rule else getattr(RULES, rule)
    return float(value) == default


def held_out(found: Mapping[str, Mapping[str, Scores]]) -> dict[str, float]:
    """By rule, the mean F1 on each site of the value that was best on all other sites: what a new site can expect."""
    by_rule: dict[str, list[str]] = {}
    for name in found:
        by_rule.setdefault(name.rpartition("=")[0], []).append(name)
    sites = list(next(iter(next(iter(found.values())).values())))

    def score(name: str, chosen: Sequence[str]) -> float:
        return mean(found[name][judge][site] for judge in JUDGES for site in chosen)

    return {
        rule: mean(
            score(max(names, key=lambda name: score(name, [other for other in sites if other != site])), [site])
            for site in sites
        )
        for rule, names in by_rule.items()
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; 2 for a wrong call."""
    parser = argparse.ArgumentParser(prog="python -m bench.sites", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", help="a collection of sites with gold text")
    parser.add_argument("-e", "--extractor", default=",".join(EXTRACTORS), metavar="NAMES", help="or `all`")
    parser.add_argument("--peer", metavar="NAMES", help="default: those of trafilatura and resiliparse that are here")
    parser.add_argument("--rules", action="store_true", help="try the rules one at a time")
    parser.add_argument("--markdown", action="store_true", help="as a table for documents")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    options = parser.parse_args(arguments)
    written = as_markdown if options.markdown else as_text
    others = [name for name in PEERS if name in peers.installed()] if options.peer is None else options.peer.split(",")
    try:
        if options.rules:
            tried = try_rules(options.data)
            figures: Any = {"settings": tried, "held_out": held_out(tried)}
            print(written(rules_table(tried)))
            print("\nchosen on all other sites:", ", ".join(f"{k} {v:.3f}" for k, v in figures["held_out"].items()))
        else:
            names = list(extractors) if options.extractor == "all" else options.extractor.split(",")
            figures = compare(options.data, names, [name for name in others if name])
            print(written(table(figures)))
    except BenchError as error:
        print(f"bench.sites: {error}", file=sys.stderr)
        return 2
    if options.json:
        write_json(options.json, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
