"""`winnow clean`: its arguments beside Beam's, and what it answers."""

from __future__ import annotations

import argparse
import difflib
import json
import logging
import sys
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from pipeline import files, guard
from pipeline.clean import Settings
from pipeline.exceptions import AccountsDoNotBalance, CannotStart, PipelineError, UsageError
from pipeline.exit_codes import ExitCode
from pipeline.site_names import HOST, SITE_BY
from pipeline.site_rules import OURS, PUBLISHED, SHARED_HELP, SITE_RULES, SITE_RULES_HELP
from transforms.registry import read_parameter
from transforms.sites import ALL, FIRST, KEEP_SHARED

if TYPE_CHECKING:
    from pipeline.job import Job

FORMATS = ("jsonl", "parquet", "wet")
COMPRESSIONS = {"gz": "jsonl", "zst": "jsonl.zst", "none": "jsonl.plain"}
# Sizes of so many files on servers are asked for before a run, for its progress; of more it would take too long.
SIZES_ASKED = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Those of the command itself; any other one is Beam's."""
    parser.add_argument(
        "inputs", nargs="+", metavar="INPUT", help="WARC files, globs, URLs, or manifests (.paths, .txt)"
    )
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="a folder, empty or not there yet")
    parser.add_argument(
        "--resume", action="store_true", help="go on where an earlier run of this command into this folder ended"
    )
    parser.add_argument("-e", "--extractor", default="cetr-km", metavar="NAME", help="default: cetr-km")
    parser.add_argument("-p", "--parameter", action="append", default=[], metavar="NAME=VALUE", help="of the extractor")
    parser.add_argument("-f", "--format", choices=FORMATS, default="jsonl", help="default: jsonl")
    parser.add_argument("--compression", choices=list(COMPRESSIONS), help="of jsonl; default: gz")
    parser.add_argument(
        "--status", type=_statuses, default=frozenset({200}), metavar="CODES", help="HTTP status; default: 200"
    )
    parser.add_argument(
        "--site-by",
        choices=SITE_BY,
        default=HOST,
        help="what a site is: a host, with or without www., or a registered domain; default: host",
    )
    sites = parser.add_mutually_exclusive_group()
    sites.add_argument("--templates", metavar="FILE", help="what sites repeat, from an earlier run; nothing is learned")
    sites.add_argument(
        "--no-site-templates", action="store_true", help="leave in what sites repeat; every page is cleaned by itself"
    )
    parser.add_argument("--site-rules", choices=SITE_RULES, help=f"{SITE_RULES_HELP}; default: {OURS}")
    parser.add_argument("--shared", choices=KEEP_SHARED, default=ALL, help=f"{SHARED_HELP}; default: {ALL}")
    parser.add_argument("--explain", action="store_true", help="write why each block was removed, into explained/")
    parser.add_argument(
        "--dedup", action="store_true", help="clean pages with the same payload once; reads the archives once more"
    )
    parser.add_argument(
        "--max-failed", type=_percent, default=1.0, metavar="PERCENT",
        help="more failed pages than that end with exit status 3; default: 1",
    )  # fmt: skip
    parser.add_argument("--prefix", metavar="PATH", help="what relative paths in manifests are relative to")
    parser.add_argument(
        "--split-bytes",
        type=_size,
        metavar="N",
        help="cut files into ranges of this size; 0: never; default: 16M, from 32 files on 1G",
    )
    parser.add_argument(
        "--page-seconds", type=float, default=guard.PAGE_SECONDS, metavar="S", help="CPU time for one page; default: 30"
    )
    parser.add_argument(
        "--page-memory", type=_size, default=guard.PAGE_BYTES, metavar="BYTES", help="for one page; default: 2 GiB"
    )
    parser.add_argument(
        "--import", action="append", default=[], dest="imports", metavar="MODULE", help="with extractors of your own"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    parser.add_argument("--json", action="store_true", help="for machines: print the statistics as JSON")


def _statuses(written: str) -> frozenset[int]:
    codes = written.split(",")
    if not all(code.isascii() and code.isdigit() and len(code) == 3 for code in codes):
        raise argparse.ArgumentTypeError(f"status codes are written 200 or 200,203, not {written!r}")
    return frozenset(map(int, codes))


def _percent(written: str) -> float:
    try:
        value = float(written.removesuffix("%"))
    except ValueError:
        value = -1
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"a percentage from 0 to 100, not {written!r}")
    return value


def _size(written: str) -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    number, unit = (written[:-1], units[written[-1].upper()]) if written[-1:].upper() in units else (written, 1)
    if not number.isascii() or not number.isdigit():
        raise argparse.ArgumentTypeError(f"a number of bytes, such as 1048576, 512K, 16M or 2G, not {written!r}")
    return int(number) * unit


def divide(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    """The command's own arguments, and Beam's, each as they were written and in their order.

    Beam knows its options and whether each takes a value, so that a value is never taken for an input.
    """
    beam = _beam_parser()
    _, own = beam.parse_known_args(list(arguments))
    rest = iter(own)
    waiting = next(rest, None)
    beams: list[str] = []
    for argument in arguments:
        if argument == waiting:
            waiting = next(rest, None)
        else:
            beams.append(argument)
    return own, beams


def _beam_parser() -> argparse.ArgumentParser:
    from apache_beam.options.pipeline_options import PipelineOptions  # noqa: PLC0415  takes a second

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> Any:
            raise UsageError(message)

    parser = Parser(add_help=False, allow_abbrev=False)
    for kind in PipelineOptions.__subclasses__():
        if kind.__module__.startswith("apache_beam."):
            kind._add_argparse_args(parser)
    return parser


def check_unknown(unknown: Sequence[str], runner: str | None, parser: argparse.ArgumentParser) -> None:
    """Raise UsageError for options that nobody knows; a cluster may know more than Beam does, so there they pass."""
    from pipeline import local  # noqa: PLC0415  imports Beam

    flags = [argument for argument in unknown if argument.startswith("-")]
    if not unknown or (runner is not None and runner.lower() not in local.ALIASES):
        return
    known = [option for action in parser._actions for option in action.option_strings]
    name = (flags or list(unknown))[0].partition("=")[0]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    raise UsageError(f"neither winnow clean nor Beam knows {name}{hint}")


def run(arguments: Sequence[str], parser: argparse.ArgumentParser) -> ExitCode:
    """Clean archives; `arguments` are all those after `clean`."""
    if {"-h", "--help"} & set(arguments):
        parser.parse_args(["--help"])
    _quiet_beam()
    own, beams = divide(arguments)
    options, unknown = parser.parse_known_args(own)
    runner = next((value for value in _values(beams, "--runner")), None)
    check_unknown(unknown, runner, parser)

    from pipeline import job as jobs  # noqa: PLC0415  imports Beam
    from pipeline import report  # noqa: PLC0415

    job = jobs.prepare(
        options.inputs,
        prefix=options.prefix,
        split=options.split_bytes,
        output=options.output,
        settings=Settings(
            options.extractor,
            dict(map(read_parameter, options.parameter)),
            options.status,
            site_by=options.site_by,
            site_rules=_site_rules(options),
            shared=options.shared,
            explain=options.explain,
        ),
        bounds=guard.Bounds(options.page_seconds, options.page_memory),
        imports=tuple(options.imports),
        format=_format(options.format, options.compression),
        dedup=options.dedup,
        learn=not options.no_site_templates,
        templates=options.templates,
        resume=options.resume,
    )
    began = monotonic()
    try:
        stats = jobs.run(job, [*beams, *unknown], report.watcher(_total(job), options.quiet))
    except AccountsDoNotBalance as error:
        print(f"winnow: {error}", file=sys.stderr)
        return ExitCode.UNBALANCED
    except CannotStart as error:
        print(f"winnow: {error}", file=sys.stderr)
        return ExitCode.CANNOT_START
    except PipelineError as error:
        print(f"winnow: {error}", file=sys.stderr)
        return ExitCode.FAILED
    if stats is None:
        print("winnow: the job was handed over; it is done when its folder has _SUCCESS", file=sys.stderr)
        return ExitCode.OK
    return _answer(stats, monotonic() - began, options)


def _answer(stats: dict[str, Any], seconds: float, options: argparse.Namespace) -> ExitCode:
    from pipeline import report  # noqa: PLC0415

    if options.json:
        print(json.dumps({**stats, "output": options.output, "seconds": round(seconds, 3)}, ensure_ascii=False))
    elif not options.quiet:
        print(report.table(stats, seconds))
        print(f"written to {options.output}")
    complaints = []
    if stats["archive"]["losses"]:
        complaints.append(f"{stats['archive']['lost_bytes']:,} bytes could not be read: see losses.jsonl")
    if stats["failures"] * 100 > options.max_failed * report.pages(stats):
        share = f"{stats['failures']:,} of {report.pages(stats):,} pages"
        complaints.append(f"{share} could not be cleaned (more than {options.max_failed:g} %): see dead-letters/")
    for complaint in complaints:
        print(f"winnow: {complaint}", file=sys.stderr)
    return ExitCode.PARTIAL if complaints else ExitCode.OK


def _site_rules(options: argparse.Namespace) -> str:
    """By which rules sites are learned; raises UsageError where an option would change nothing."""
    if options.no_site_templates and (options.site_rules or options.shared == FIRST):
        option = "--site-rules" if options.site_rules else f"--shared {FIRST}"
        raise UsageError(f"{option} is for what sites repeat; with --no-site-templates nothing is known of them")
    if options.templates and options.site_rules:
        raise UsageError(f"--site-rules is for what is learned; {options.templates} was learned by its own")
    if options.site_rules == PUBLISHED and options.shared == FIRST:
        raise UsageError(f"with --site-rules {PUBLISHED} whatever recurs is removed: no text is shared, none is kept")
    return str(options.site_rules or OURS)


def _format(form: str, compression: str | None) -> str:
    if form == "jsonl":
        return COMPRESSIONS[compression or "gz"]
    if compression:
        raise UsageError(f"--compression is for --format jsonl; {form} has its own")
    return form


def _total(job: Job) -> int | None:
    """Bytes of all files, where that is cheap to know."""
    if len(job.files) > SIZES_ASKED and any("://" in uri for uri in job.files):
        return None
    return sum(map(files.size, job.files)) * (2 if job.knows_sites else 1)  # a second time for what sites repeat


def _values(arguments: Sequence[str], name: str) -> list[str]:
    values = [value for argument in arguments for flag, _, value in [argument.partition("=")] if flag == name and value]
    follow = [arguments[place + 1] for place, argument in enumerate(arguments[:-1]) if argument == name]
    return values + follow


def _quiet_beam() -> None:
    """Beam warns at import of what it will not need; what goes wrong in a run comes as an exception."""
    logging.getLogger().setLevel(logging.CRITICAL)
    import apache_beam  # noqa: F401, PLC0415

    logging.getLogger().setLevel(logging.ERROR)
