"""`winnow crawl`: its arguments, the run, and what it answers."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from typing import Any

from pipeline.exit_codes import ExitCode
from spiders.exceptions import CrawlError
from spiders.options import SCOPES
from spiders.outcomes import Outcome
from spiders.spider import PoliteSpider
from spiders.tally import NOT_FETCHED

SPIDERS = ("site", "sitemap", "feed", "urls")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Of the command."""
    parser.add_argument("urls", nargs="*", metavar="URL", help="to begin with; - reads a list from standard input")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="for the segments; run again to continue")
    parser.add_argument("--spider", choices=SPIDERS, default="site", help="what is followed; default: site")
    parser.add_argument("--contact", metavar="MAIL|URL", help="who is crawling: servers are told; required")
    parser.add_argument("--url-file", metavar="FILE", help="more URLs, one a line; # begins a comment")
    parser.add_argument(
        "--previous", metavar="DIR", help="an earlier crawl: what has not changed is stored as a revisit"
    )
    what = parser.add_argument_group("what is crawled")
    what.add_argument(
        "--scope",
        choices=SCOPES,
        help="a site is a host, with or without www., or all of a registrable domain; default: host",
    )
    what.add_argument("--include", action="append", metavar="REGEX", help="only URLs in which it is found")
    what.add_argument("--exclude", action="append", metavar="REGEX", help="no URLs in which it is found")
    what.add_argument("--max-pages", type=int, metavar="N", help="of every site")
    what.add_argument("--max-depth", type=int, metavar="N", help="links from the beginning")
    what.add_argument("--max-bytes", type=_size, metavar="N", help="of every site, as stored; 500M, 2G")
    what.add_argument("--max-seconds", type=float, metavar="S", help="for every site")
    what.add_argument("--max-per-shape", type=int, metavar="N", help="URLs that differ in numbers only; default: 5000")
    what.add_argument("--since", metavar="DATE", help="of sitemaps: only pages changed then or later")
    manners = parser.add_argument_group("manners")
    manners.add_argument(
        "--delay", type=float, default=1.0, metavar="S", help="between fetches from a host; default: 1"
    )
    manners.add_argument("--concurrency", type=int, default=32, metavar="N", help="fetches at a time; default: 32")
    manners.add_argument("--no-throttle", action="store_true", help="do not slow down for slow hosts")
    manners.add_argument("--ignore-robots", action="store_true", help="only for sites of your own")
    safety = parser.add_argument_group("safety")
    safety.add_argument("--allow-private", action="store_true", help="connect to addresses that are not public")
    safety.add_argument(
        "--allow-network", action="append", default=[], metavar="NET", help="to these alone: 10.1.0.0/16"
    )
    safety.add_argument("--allow-port", action="append", type=int, default=[], metavar="N", help="beside 80 and 443")
    safety.add_argument("--connect-to", action="append", default=[], metavar="HOST=ADDRESS:PORT", help="* is any host")
    safety.add_argument("--no-verify-tls", action="store_true", help="believe any certificate")
    safety.add_argument("--max-body", type=_size, metavar="N", help="bytes of a response; cut beyond; default: 10M")
    safety.add_argument("--timeout", type=float, metavar="S", help="for one fetch; default: 60")
    rest = parser.add_argument_group("output")
    rest.add_argument("--segment-size", type=_size, metavar="N", help="a segment is closed when it has it; default: 1G")
    rest.add_argument("--segment-seconds", type=float, metavar="S", help="or is so old; default: 3600")
    rest.add_argument(
        "-s",
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of Scrapy or spiders/settings.py",
    )
    rest.add_argument("-q", "--quiet", action="store_true", help="print nothing but errors")
    rest.add_argument("--json", action="store_true", help="for machines: print the statistics as JSON")


def _size(written: str) -> int:
    number, unit = (written[:-1], _UNITS[written[-1].upper()]) if written[-1:].upper() in _UNITS else (written, 1)
    if not number.isascii() or not number.isdigit():
        raise argparse.ArgumentTypeError(f"a number of bytes, such as 1048576, 512K, 16M or 2G, not {written!r}")
    return int(number) * unit


def run(options: argparse.Namespace) -> ExitCode:
    """Crawl; raises CrawlError if it cannot be begun."""
    spider = crawl(options.spider, _arguments(options), _settings(options))
    stats = {**spider.statistics(), "ended": spider.reason or "killed", "output": str(spider.folder)}
    if options.json:
        print(json.dumps(stats, ensure_ascii=False))
    elif not options.quiet:
        print(table(stats))
    return _status(spider, stats)


def crawl(name: str, arguments: dict[str, Any], settings: dict[str, Any]) -> PoliteSpider:
    """Run one spider in this process, which can have only one: the reactor does not start twice."""
    from scrapy.crawler import AsyncCrawlerProcess  # noqa: PLC0415  takes half a second
    from scrapy.settings import Settings  # noqa: PLC0415

    chosen = Settings()
    chosen.setmodule("spiders.settings", priority="project")
    chosen.update(settings, priority="cmdline")
    process = AsyncCrawlerProcess(chosen)
    crawler = process.create_crawler(name)
    begun = process.crawl(crawler, **arguments)
    process.start()
    if begun.done() and not begun.cancelled() and (error := begun.exception()):
        raise error
    spider = crawler.spider
    assert isinstance(spider, PoliteSpider)  # noqa: S101  otherwise it had failed before
    return spider


def _arguments(options: argparse.Namespace) -> dict[str, Any]:
    names = (
        "scope",
        "include",
        "exclude",
        "max_pages",
        "max_depth",
        "max_bytes",
        "max_seconds",
        "max_per_shape",
        "since",
    )
    given = {name: value for name in names if (value := getattr(options, name)) is not None}
    urls = [url for url in options.urls if url != "-"]
    if len(urls) < len(options.urls):
        urls += [line.strip() for line in sys.stdin if line.strip() and not line.startswith("#")]
    return {"urls": urls, "url_file": options.url_file, **given}


def _settings(options: argparse.Namespace) -> dict[str, Any]:
    wanted = {
        "CRAWL_DIR": options.output,
        "CONTACT": options.contact,
        "PREVIOUS": options.previous,
        "DOWNLOAD_DELAY": options.delay,
        "AUTOTHROTTLE_START_DELAY": options.delay,
        "CONCURRENT_REQUESTS": options.concurrency,
        "ALLOW_PORTS": [80, 443, *options.allow_port],
        "ALLOW_NETWORKS": options.allow_network,
        "CONNECT_TO": options.connect_to,
        "DOWNLOAD_MAXSIZE": options.max_body,
        "DOWNLOAD_TIMEOUT": options.timeout,
        "SEGMENT_BYTES": options.segment_size,
        "SEGMENT_SECONDS": options.segment_seconds,
        "AUTOTHROTTLE_ENABLED": False if options.no_throttle else None,
        "ROBOTSTXT_OBEY": False if options.ignore_robots else None,
        "ALLOW_PRIVATE": options.allow_private or None,
        "DOWNLOAD_VERIFY_CERTIFICATES": False if options.no_verify_tls else None,
        "QUIET": options.quiet or options.json or None,
        "LOG_LEVEL": "WARNING",
    }
    settings = {name: value for name, value in wanted.items() if value is not None}
    for written in options.set:
        name, equals, value = written.partition("=")
        if not equals:
            raise CrawlError(f"a setting is written NAME=VALUE, not {written!r}")
        settings[name] = value
    return settings


def table(stats: dict[str, Any]) -> str:
    """Fetches by outcome, and what was not followed."""
    total = sum(stats["fetches"].values())
    lines = [f"{'fetches':24}{total:>12,}"]
    lines += [f"  {name:22}{count:>12,}" for name, count in stats["fetches"].items()]
    if stats["links_not_followed"]:
        lines += ["", "links not followed"]
        lines += [f"  {name:22}{count:>12,}" for name, count in stats["links_not_followed"].items()]
    lines += [
        "",
        f"{stats['pages']:,} pages, {stats['record_bytes']:,} bytes of records",
        f"{stats['seconds']:,.1f} s, {stats['pages_per_second']:,.1f} pages/s",
        f"written to {stats['output']}",
    ]
    return "\n".join(lines)


def _status(spider: PoliteSpider, stats: dict[str, Any]) -> ExitCode:
    if spider.fault:
        print(f"winnow: {spider.fault}; run the same command again to continue", file=sys.stderr)
        return ExitCode.FAILED
    if stats["ended"] in ("shutdown", "killed"):
        print("winnow: interrupted; run the same command again to continue", file=sys.stderr)
        return ExitCode.INTERRUPTED
    complaints = []
    fetches = stats["fetches"]
    if not stats["pages"]:
        complaints.append(f"no page was stored: see {spider.folder / NOT_FETCHED}")
    left = sum(fetches.get(outcome.value, 0) for outcome in (Outcome.HOST_REFUSING, Outcome.ROBOTS_UNREACHABLE))
    if left:
        complaints.append(f"{left:,} URLs are left of hosts that did not want to be asked; run again later to continue")
    for complaint in complaints:
        print(f"winnow: {complaint}", file=sys.stderr)
    logging.shutdown()
    return ExitCode.PARTIAL if complaints else ExitCode.OK
