"""What ends a fetch or a crawl. A fetch that fails is a value in the end: its exception names its outcome."""

from __future__ import annotations

from scrapy.exceptions import IgnoreRequest

from spiders.outcomes import Outcome


class CrawlError(Exception):
    """A crawl cannot be begun or go on; the message says why, and what to do."""


class FetchError(IgnoreRequest):
    """A fetch gave no response. An IgnoreRequest, so that Scrapy does not log it as a fault of the program."""

    def __init__(self, outcome: Outcome, reason: str, retry_in: float | None = None) -> None:
        super().__init__(f"{outcome.value}: {reason}")
        self.outcome = outcome
        self.reason = reason
        self.retry_in = retry_in  # seconds, after which it is to be tried again in any case
