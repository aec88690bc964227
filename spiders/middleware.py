"""robots.txt before every fetch."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from scrapy import Request
from scrapy.exceptions import NotConfigured
from scrapy.http.request import NO_CALLBACK

from spiders import robots
from spiders.client import FetchLimits
from spiders.exceptions import FetchError
from spiders.handler import Fetched
from spiders.outcomes import Outcome
from spiders.politeness import hold
from spiders.robots import Robots, RobotsAnswer, Rules
from spiders.urls import Url, parse
from spiders.visits import ROBOTS, Visit

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from spiders.spider import PoliteSpider

FOR_ROBOTS = "for_robots"


class RobotsMiddleware:
    """Lets through what robots.txt allows; holds hosts to their Crawl-delay."""

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self._crawler = crawler
        settings = crawler.settings
        self._limits = FetchLimits(
            robots.MAX_BYTES, settings.getint("HEAD_MAXSIZE"), settings.getfloat("DOWNLOAD_TIMEOUT")
        )
        retry = tuple(float(seconds) for seconds in settings.getlist("ROBOTS_RETRY_SECONDS"))
        self.robots = Robots(self._ask, retry)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """As Scrapy builds components."""
        return cls(crawler)

    @property
    def _spider(self) -> PoliteSpider:
        return cast("PoliteSpider", self._crawler.spider)

    async def process_request(self, request: Request) -> None:
        """Raise FetchError for what is not allowed."""
        if FOR_ROBOTS in request.meta:
            return
        url = parse(request.url)
        if url is None:  # the handler refuses it
            return
        rules = self.robots.known(url.origin) or await self._learn(url)
        if rules.unreachable is not None:
            wait = None if rules.final else rules.retry_in
            raise FetchError(rules.outcome, rules.unreachable, wait)
        if not rules.allows(url.text):
            raise FetchError(Outcome.ROBOTS_DENIED, "robots.txt")

    async def _learn(self, url: Url) -> Rules:
        rules = await self.robots.rules(url.origin)
        if rules.delay:
            self._spider.politeness.delays[url.host] = rules.delay
            downloader = self._crawler.engine.downloader
            if url.host in downloader.slots:
                hold(downloader.slots[url.host], rules.delay)
            # A slot that is idle for a minute is thrown away; this is for its successor.
            downloader.per_slot_settings[url.host] = {"delay": rules.delay, "jitter": 0.0}
        return rules

    async def _ask(self, address: str) -> RobotsAnswer:
        spider, url = self._spider, parse(address)
        if url is None:
            raise FetchError(Outcome.REFUSED_SCHEME, f"robots.txt leads to {address[:200]}")
        stored = spider.stored_robots.get(url.text)
        if stored:
            return stored
        request = Request(
            url.text,
            callback=NO_CALLBACK,
            headers=spider.headers,
            meta={FOR_ROBOTS: True, "download_slot": url.host, "fetch_limits": self._limits},
        )
        response = await self._crawler.engine.download_async(request)
        assert isinstance(response, Fetched)  # noqa: S101  the handler gives nothing else
        exchange = response.exchange
        status, message = exchange.status, exchange.message
        if status < 500 and status != 429:
            outcome = Outcome.STORED if status < 300 else Outcome.HTTP_ERROR if status >= 400 else Outcome.REDIRECTED
            size = spider.archive.keep_robots(exchange, outcome)
            spider.tally.book(Visit(url.text, url.host, "", ROBOTS), outcome, size)
        return RobotsAnswer(status, exchange.header("Location"), spider.archive.decoded(message))
