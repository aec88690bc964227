"""How fast a host is asked: never faster than it wants, slower when it refuses, not at all when it keeps refusing.

Scrapy's AutoThrottle follows how long a host takes to answer. It takes an error that comes fast for a fast answer,
though, and knows neither Retry-After nor Crawl-delay; that is added here.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from scrapy.extensions.throttle import AutoThrottle

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.core.downloader import Slot
    from scrapy.crawler import Crawler
    from scrapy.http import Response

# 429 (RFC 6585, 4) and 503 (RFC 9110, 15.6.4) ask for less.
REFUSALS = frozenset({429, 503})


class Politeness:
    """What is known of the patience of hosts. Pauses double from `pause` on, up to `longest`."""

    def __init__(self, pause: float, longest: float, most: int) -> None:
        self.delays: dict[str, float] = {}  # Crawl-delay
        self._pause, self._longest, self._most = pause, longest, most
        self._refusals: Counter[str] = Counter()

    def refused(self, host: str, retry_after: str | None) -> float | None:
        """For how many seconds a host that has just refused is to be left alone; None: for the rest of the run.

        So it is if it has refused too often, and if it asks for more time than the longest pause.
        """
        self._refusals[host] += 1
        count = self._refusals[host]
        asked = (seconds(retry_after) if retry_after else None) or 0.0
        if count >= self._most or asked > self._longest:
            return None
        return float(max(min(self._pause * 2 ** (count - 1), self._longest), asked))

    def answered(self, host: str) -> None:
        """A host has given what was asked for."""
        self._refusals.pop(host, None)


def seconds(retry_after: str) -> float | None:
    """Retry-After is a number of seconds or a date (RFC 9110, 10.2.3); None if it is neither."""
    written = retry_after.strip()
    if written.isascii() and written.isdigit():
        return float(int(written[:9]))
    try:
        until = parsedate_to_datetime(written)
    except (ValueError, TypeError, OverflowError):
        return None
    until = until if until.tzinfo else until.replace(tzinfo=timezone.utc)
    return max(0.0, (until - datetime.now(timezone.utc)).total_seconds())


class HostThrottle(AutoThrottle):
    """AutoThrottle that keeps to Crawl-delay."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self.crawler = crawler

    def _response_downloaded(self, response: Response, request: Request, spider: Spider) -> None:
        super()._response_downloaded(response, request, spider)
        key, slot = self._get_slot(request, spider)
        politeness: Politeness | None = getattr(spider, "politeness", None)
        if key and slot and politeness:
            hold(slot, politeness.delays.get(key, 0.0))


def hold(slot: Slot, delay: float) -> None:
    """Keep a downloader slot to a Crawl-delay; to the letter, so it is not varied."""
    if delay and slot.delay <= delay:
        slot.delay, slot.jitter = delay, 0.0
