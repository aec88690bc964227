"""How far a crawl is, on standard error: a line that is renewed on a terminal, else a line now and then."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

from scrapy import signals
from scrapy.exceptions import NotConfigured
from scrapy.utils.asyncio import create_looping_call

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from spiders.spider import PoliteSpider

TERMINAL_SECONDS, LINE_SECONDS = 0.5, 10.0
_RENEW = "\r\x1b[2K"


class Progress:
    """Shows pages, bytes, what waits, the speed and the paused hosts. The setting QUIET keeps it silent."""

    def __init__(self, crawler: Crawler) -> None:
        if crawler.settings.getbool("QUIET"):
            raise NotConfigured
        self._crawler = crawler
        self._terminal = sys.stderr.isatty()
        self._loop = create_looping_call(self._show)
        crawler.signals.connect(self._opened, signals.spider_opened)
        crawler.signals.connect(self._closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """As Scrapy builds components."""
        return cls(crawler)

    def _opened(self) -> None:
        self._loop.start(TERMINAL_SECONDS if self._terminal else LINE_SECONDS, now=False)

    def _closed(self) -> None:
        if self._loop.running:
            self._loop.stop()
        if self._terminal:
            sys.stderr.write(_RENEW)

    def _show(self) -> None:
        text = line(cast("PoliteSpider", self._crawler.spider))
        sys.stderr.write(f"{_RENEW}{text}" if self._terminal else f"winnow: {text}\n")
        sys.stderr.flush()


def line(spider: PoliteSpider) -> str:
    """How far a crawl is."""
    tally, frontier = spider.tally, spider.frontier
    paused = f", {frontier.paused:,} hosts paused" if frontier.paused else ""
    return (
        f"{tally.pages:,} pages, {tally.bytes / 1e6:,.1f} MB, {frontier.waiting:,} waiting, "
        f"{frontier.in_flight:,} under way, {tally.rate:,.1f} pages/s{paused}"
    )
