"""The frontier as Scrapy's scheduler."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, cast

from scrapy.core.scheduler import BaseScheduler

from spiders.urls import parse
from spiders.visits import LINK, Link

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from spiders.spider import PoliteSpider


class FrontierScheduler(BaseScheduler):
    """Takes from the frontier of a PoliteSpider; keeps nothing itself."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._timer: asyncio.TimerHandle | None = None

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """As Scrapy builds components."""
        return cls(crawler)

    def open(self, spider: Spider) -> None:
        """The spider brings its frontier along."""
        self._spider = cast("PoliteSpider", spider)  # settings.py is for these alone

    def close(self, reason: str) -> None:  # noqa: ARG002
        """Nothing is waited for any more."""
        if self._timer:
            self._timer.cancel()

    def has_pending_requests(self) -> bool:
        """Whether anything waits, be it for a pause to end."""
        return self._spider.frontier.waiting > 0

    def enqueue_request(self, request: Request) -> bool:
        """For spiders that yield requests themselves: followed as a link of the page they come from."""
        visit, url = request.meta.get("visit"), parse(request.url)
        if visit is None or url is None:
            return False
        before = self._spider.frontier.waiting
        self._spider.following.expand(visit, (Link(url.text, LINK, "request"),))
        return self._spider.frontier.waiting > before

    def next_request(self) -> Request | None:
        """The next one that its host is ready for."""
        visit = self._spider.frontier.take()
        if visit is not None:
            return self._spider.request(visit)
        wait = self._spider.frontier.next_wake()
        if wait is not None and (self._timer is None or self._timer.when() <= asyncio.get_running_loop().time()):
            # The engine looks again every five seconds by itself; a pause may end sooner.
            self._timer = asyncio.get_running_loop().call_later(min(wait, 5.0) + 0.01, self._look_again)
        return None

    def _look_again(self) -> None:
        slot = self._crawler.engine._slot if self._crawler.engine else None
        if slot is not None:
            slot.nextcall.schedule()
