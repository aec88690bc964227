"""The command `winnow`: thin verbs over the packages."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from bench import cli as bench_cli
from bench.exceptions import BenchError
from pipeline import check, command, doctor, files, template_commands
from pipeline.exceptions import CannotStart, UsageError
from pipeline.exit_codes import ExitCode
from transforms import Page, Selection, TransformError, extract, extractors
from transforms.registry import read_parameter

FORMATS = ("text", "markdown", "json")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if given[:1] == ["clean"]:  # what it does not know may be Beam's
            status = command.run(given[1:], _clean_parser())
        elif given[:1] == ["crawl"]:
            status = _crawl(given[1:])
        elif given[:1] == ["pool"]:
            from pipeline import pool  # noqa: PLC0415  imports Beam

            return pool.main(given[1:])
        else:
            options = _parser().parse_args(given)
            status = options.run(options)
        sys.stdout.flush()
    except (UsageError, TransformError, BenchError, files.InputError) as error:
        print(f"winnow: {error}", file=sys.stderr)
        return ExitCode.USAGE
    except CannotStart as error:
        print(f"winnow: {error}", file=sys.stderr)
        return ExitCode.CANNOT_START
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough, as with `| head`. Python would complain again when it closes the pipe itself.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="winnow", description="Turns crawls of the web into clean text.")
    parser.add_argument(
        "--version", action="version", version=f"winnow {version('winnow')} (Python {platform.python_version()})"
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    commands.add_parser("clean", help="clean the pages of WARC files, with an account of every record and byte")

    one = commands.add_parser("extract", help="print the text of one HTML page")
    one.add_argument(
        "page", metavar="FILE|HTML|-", help="a file, HTML itself (it begins with <), or - for standard input"
    )
    one.add_argument(
        "-e", "--extractor", default="cetr", metavar="NAME", help="see `winnow extractors` (default: cetr)"
    )
    one.add_argument("-f", "--format", choices=FORMATS, default="text", help="default: text")
    one.add_argument(
        "-p",
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the extractor, such as threshold=1.2; may be repeated",
    )
    one.add_argument("--url", help="where the page came from: resolves relative links")
    one.add_argument("--content-type", metavar="HEADER", help='its HTTP header, such as "text/html; charset=gbk"')
    one.set_defaults(run=_extract)

    health = commands.add_parser("check", help="report the health of WARC files: records, and every byte that is lost")
    health.add_argument(
        "inputs", nargs="+", metavar="WARC", help="files, globs, http(s) URLs, or manifests (.paths, .txt)"
    )
    health.add_argument("--json", action="store_true", help="for machines: one object a file, a line each")
    health.set_defaults(run=_check)

    commands.add_parser("crawl", help="crawl sites politely into WARC files, which `winnow clean` reads")
    commands.add_parser("pool", help="start workers for Flink: one pool beside every TaskManager")
    surgery = commands.add_parser("doctor", help="say what each runner needs, what is missing here, and how to get it")
    doctor.add_arguments(surgery)
    surgery.set_defaults(run=doctor.run)

    measure = commands.add_parser("bench", help="score extractors and peers on pages with gold text")
    bench_cli.add_arguments(measure)
    measure.set_defaults(run=_bench)

    template_commands.add_arguments(
        commands.add_parser("templates", help="what sites repeat: learn it, show it, compare it, apply it to a page")
    )

    table = commands.add_parser("extractors", help="list the extractors, their papers and parameters")
    table.add_argument("--json", action="store_true", help="for machines")
    table.set_defaults(run=_extractors)
    return parser


def _clean_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="winnow clean",
        description="Cleans the pages of WARC files, with an account of every record and byte.",
        epilog="Any other option is Beam's, such as --runner FlinkRunner or --direct_num_workers 4.",
        allow_abbrev=False,
    )
    command.add_arguments(parser)
    return parser


def _crawl(arguments: Sequence[str]) -> ExitCode:
    from spiders import command as crawling  # noqa: PLC0415  Scrapy takes a second
    from spiders.exceptions import CrawlError  # noqa: PLC0415

    parser = argparse.ArgumentParser(
        prog="winnow crawl",
        description="Crawls sites politely into WARC files. Run the same command again to continue after any end.",
    )
    crawling.add_arguments(parser)
    try:
        return crawling.run(parser.parse_args(arguments))
    except CrawlError as error:
        raise UsageError(str(error)) from None


def _extract(options: argparse.Namespace) -> ExitCode:
    page = Page.parse(_read(options.page), url=options.url, content_type=options.content_type)
    selection = extract(page, options.extractor, **dict(map(read_parameter, options.parameter)))
    print(_written(page, selection, options.format))
    if page.truncated:
        print(f"winnow: the parser gave up inside this page, text is missing: {page.truncated}", file=sys.stderr)
        return ExitCode.PARTIAL
    return ExitCode.OK


def _written(page: Page, selection: Selection, form: str) -> str:
    if form == "markdown":
        return selection.markdown
    if form == "text":
        return selection.text
    record = {
        "url": page.url,
        **page.metadata.as_dict(),
        "charset": page.charset,
        "charset_evidence": page.charset_evidence,
        "extractor": selection.extractor,
        "html_size": page.html_size,
        "text_size": len(selection.text.encode()),
        "repaired": page.repaired,
        "truncated": page.truncated,
        "text": selection.text,
    }
    return json.dumps(record, ensure_ascii=False, indent=2)


def _read(page: str) -> bytes:
    if page == "-":
        return sys.stdin.buffer.read()
    if page.lstrip().startswith("<"):
        return page.encode("utf-8", "surrogateescape")
    path = Path(page)
    if path.is_dir():
        raise UsageError(f"{page} is a folder; name one HTML file")
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UsageError(f"there is no file {page}") from None
    except OSError as error:
        raise UsageError(f"cannot read {page}: {error.strerror}") from None


def _check(options: argparse.Namespace) -> ExitCode:
    healthy = True
    for uri in files.expand(options.inputs):
        report = check.examine(uri)
        healthy = healthy and report.healthy
        print(json.dumps(report.as_dict(), ensure_ascii=False) if options.json else report)
    return ExitCode.OK if healthy else ExitCode.PARTIAL


def _bench(options: argparse.Namespace) -> ExitCode:
    bench_cli.run(options)
    return ExitCode.OK


def _extractors(options: argparse.Namespace) -> ExitCode:
    if options.json:
        print(json.dumps([_described(name) for name in extractors], indent=2))
        return ExitCode.OK
    width = max(map(len, extractors))
    for name, extractor in extractors.items():
        print(f"{name:{width}}  {extractor.summary}")
        print(f"{'':{width}}  {extractor.paper}")
        for parameter in extractor.parameters.values():
            print(f"{'':{width}}  {parameter}")
    return ExitCode.OK


def _described(name: str) -> dict[str, object]:
    extractor = extractors[name]
    parameters = {
        parameter.name: {"default": parameter.default, "allowed": str(parameter.allowed)}
        for parameter in extractor.parameters.values()
    }
    return {"name": name, "summary": extractor.summary, "paper": extractor.paper, "parameters": parameters}


if __name__ == "__main__":
    sys.exit(main())
