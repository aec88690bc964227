"""`winnow templates`: what sites repeat, learned, shown, compared, and applied to a page."""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from pipeline import files
from pipeline.clean import Settings
from pipeline.exceptions import UsageError
from pipeline.exit_codes import ExitCode
from pipeline.guard import Cleaner, Range, Sketched
from pipeline.site_names import HOST, SITE_BY, site_of
from pipeline.site_rules import OURS, RULES_BY_NAME, SHARED_HELP, SITE_RULES, SITE_RULES_HELP, without_template
from pipeline.template_files import read_templates, write_templates
from pipeline.warc import Loss
from transforms import Page, extract
from transforms.registry import read_parameter
from transforms.sites import ALL, KEEP_SHARED, Template, learn
from transforms.sites.reasons import LINKS, REPEATED, SHARED, SIMILAR
from transforms.sites.sample import PAGES, Sampled, merged
from transforms.sites.sketch import decode
from transforms.sites.template import Repeated, Shared

# Of the blocks that a site repeated, fewer are left: it was redesigned, and its old template does harm.
REDESIGNED = 0.5
SHOWN = 10  # blocks of a site, unless it is asked for by name


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The four verbs."""
    verbs = parser.add_subparsers(title="verbs", required=True, metavar="VERB")

    learning = verbs.add_parser("learn", help="learn what the sites of WARC files repeat")
    learning.add_argument("inputs", nargs="+", metavar="WARC", help="files, globs, http(s) URLs, or manifests")
    learning.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="such as sites.jsonl.gz")
    learning.add_argument("--site-by", choices=SITE_BY, default=HOST, help="default: host")
    learning.add_argument("--site-rules", choices=SITE_RULES, default=OURS, help=f"{SITE_RULES_HELP}; default: {OURS}")
    learning.set_defaults(run=_learn)

    showing = verbs.add_parser("show", help="show what sites repeat, and why")
    showing.add_argument("file", metavar="FILE")
    showing.add_argument("site", nargs="?", metavar="SITE", help="all that is known of this one")
    showing.add_argument("--json", action="store_true", help="for machines: a site a line")
    showing.set_defaults(run=_show)

    comparing = verbs.add_parser("diff", help="what changed between two crawls; warns of redesigns")
    comparing.add_argument("old", metavar="OLD")
    comparing.add_argument("new", metavar="NEW")
    comparing.add_argument("--json", action="store_true", help="for machines: a site a line")
    comparing.set_defaults(run=_diff)

    applying = verbs.add_parser("apply", help="print the text of one HTML page without what its site repeats")
    applying.add_argument("file", metavar="FILE")
    applying.add_argument("page", type=Path, metavar="HTML", help="a file")
    applying.add_argument("--url", required=True, help="where the page came from: names its site")
    applying.add_argument("-e", "--extractor", default="cetr-km", metavar="NAME", help="default: cetr-km")
    applying.add_argument("-p", "--parameter", action="append", default=[], metavar="NAME=VALUE")
    applying.add_argument("--site-by", choices=SITE_BY, default=HOST, help="default: host")
    applying.add_argument("--shared", choices=KEEP_SHARED, default=ALL, help=f"{SHARED_HELP}; default: {ALL}")
    applying.add_argument("--explain", action="store_true", help="print why each block was removed, as lines of JSON")
    applying.set_defaults(run=_apply)


def _learn(options: argparse.Namespace) -> ExitCode:
    """One range after the other in a child process, so that no page can do harm."""
    samples: dict[str, list[Sampled]] = {}
    lost: dict[str, set[Loss]] = defaultdict(set)  # told once more after a death
    with closing(Cleaner(Settings(site_by=options.site_by))) as cleaner:
        for number, uri in enumerate(sorted(files.expand(options.inputs))):
            try:
                size = files.size(uri)
            except files.InputError as error:  # of a server; what is missing here has ended this before
                lost[uri].add(Loss(0, 0, str(error)))
                continue
            for item in cleaner.sketches(Range(number, 0, uri, 0, size, size), PAGES):
                if isinstance(item, Sketched):
                    known = samples.get(item.site, [])
                    samples[item.site] = merged([*known, (item.key, item.sketch)])
                elif isinstance(item, Loss):
                    lost[uri].add(item)
    rules = RULES_BY_NAME[options.site_rules]
    templates = [
        learn(site, (decode(sketch) for _, sketch in sample), rules) for site, sample in sorted(samples.items())
    ]
    found = [template for template in templates if not template.is_empty]
    try:
        write_templates(options.output, found)
    except OSError as error:
        raise UsageError(f"cannot write {options.output}: {error.strerror}") from None
    print(f"{len(samples):,} sites, {len(found):,} of them with a template, written to {options.output}")
    for uri, losses in lost.items():
        size, reasons = sum(loss.end - loss.start for loss in losses), sorted({loss.reason for loss in losses})
        much = f"{size:,} bytes could not be read: " if size else ""
        print(f"winnow: {uri}: {much}{', '.join(reasons)}", file=sys.stderr)
    return ExitCode.PARTIAL if lost else ExitCode.OK


def _show(options: argparse.Namespace) -> ExitCode:
    templates = read_templates(options.file)
    if options.site:
        chosen = [_named(templates, options.site, options.file)]
    else:
        chosen = [templates[site] for site in sorted(templates)]
    for template in chosen:
        if options.json:
            print(template.encode())
        else:
            print("\n".join(_described(template, None if options.site else SHOWN)))
    return ExitCode.OK


def _named(templates: dict[str, Template], site: str, file: str) -> Template:
    if site not in templates:
        some = ", ".join(sorted(templates)[:5]) or "none"
        raise UsageError(f"{file} has no template of {site!r}; it has {len(templates):,} sites: {some} ...")
    return templates[site]


def _described(template: Template, most: int | None) -> list[str]:
    unknown = f", {template.undecided:,} undecided" if template.undecided else ""
    by = ", by the rules of the paper" if template.rules.as_published else ""
    lines = [f"{template.site}: {template.pages} pages, {template.contents} different contents{unknown}{by}"]
    rows = [(block.pages, REPEATED, f"{block.pages} pages", block.text) for block in template.repeated.values()]
    rows += [(kind.pages, SIMILAR, f"{kind.pages} pages", kind.text) for kind in template.kinds]
    rows += [(slot.pages, LINKS, f"{slot.share:.0%} links", slot.text) for slot in template.link_slots.values()]
    shared = [(block.pages, SHARED, f"{block.pages} pages", block.text) for block in template.shared.values()]
    return [*lines, *_rows(rows, most, "more"), *_rows(shared, most, "more that are content on several pages")]


def _rows(rows: list[tuple[int, str, str, str]], most: int | None, rest: str) -> list[str]:
    """The blocks that stand on the most pages, a line each."""
    rows = sorted(rows, key=lambda row: (-row[0], row[1:]))
    lines = [f"  {rule:9} {score:>10}  {text}" for _, rule, score, text in rows[:most]]
    if most is not None and len(rows) > most:
        lines.append(f"  ... and {len(rows) - most:,} {rest}")
    return lines


def _diff(options: argparse.Namespace) -> ExitCode:
    old, new = read_templates(options.old), read_templates(options.new)
    for site in sorted(old.keys() | new.keys()):
        change = compared(site, old.get(site), new.get(site))
        if options.json:
            print(json.dumps(change, ensure_ascii=False))
            continue
        print(f"{site}: {change['change']}, {_counted(change)}")
        _print_texts(change, "")
        if any(change["shared"].values()):
            print(f"  shared: {_counted(change['shared'])}")
            _print_texts(change["shared"], "  ")
        if change["change"] == "redesigned":
            print(f"winnow: {site} was redesigned: learn its template again", file=sys.stderr)
    return ExitCode.OK


def _counted(blocks: dict[str, Any]) -> str:
    return f"{blocks['kept']} kept, {blocks['gone']} gone, {blocks['new']} new"


def _print_texts(blocks: dict[str, Any], indent: str) -> None:
    for sign, texts in (("-", blocks["gone_texts"]), ("+", blocks["new_texts"])):
        for text in texts[:SHOWN]:
            print(f"{indent}  {sign} {text}")


def compared(site: str, old: Template | None, new: Template | None) -> dict[str, Any]:
    """What changed in what a site repeats: appeared, gone, same, changed or redesigned; and in what its pages share.

    Shared content comes and goes with the pages: it says nothing of the site's template.
    """
    repeated = _compared_blocks(old.repeated if old else {}, new.repeated if new else {})
    if old is None or new is None:
        change = "appeared" if old is None else "gone"
    elif old.repeated and repeated["kept"] < REDESIGNED * len(old.repeated):
        change = "redesigned"
    else:
        change = "changed" if repeated["gone"] or repeated["new"] else "same"
    shared = _compared_blocks(old.shared if old else {}, new.shared if new else {})
    return {"site": site, "change": change, **repeated, "shared": shared}


def _compared_blocks(
    before: Mapping[int, Repeated] | Mapping[int, Shared], after: Mapping[int, Repeated] | Mapping[int, Shared]
) -> dict[str, Any]:
    """How many blocks are still there, and which ones are not or are new, the most common first."""
    kept, gone, added = before.keys() & after.keys(), before.keys() - after.keys(), after.keys() - before.keys()
    return {
        "kept": len(kept),
        "gone": len(gone),
        "new": len(added),
        "gone_texts": [before[name].text for name in sorted(gone, key=lambda name: (-before[name].pages, name))],
        "new_texts": [after[name].text for name in sorted(added, key=lambda name: (-after[name].pages, name))],
    }


def _apply(options: argparse.Namespace) -> ExitCode:
    templates = read_templates(options.file)
    template = _named(templates, site_of(options.url, options.site_by), options.file)
    try:
        raw = options.page.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {options.page}: {error.strerror}") from None
    masked = without_template(Page.parse(raw, url=options.url), template, options.shared)
    parameters = dict(map(read_parameter, options.parameter))
    text = extract(masked.page, options.extractor, **parameters).text
    if options.explain:
        for removed in masked.removed:
            print(json.dumps(removed._asdict(), ensure_ascii=False))
    else:
        print(text)
    return ExitCode.OK
