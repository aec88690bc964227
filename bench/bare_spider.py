"""The spider that `winnow crawl` is measured against: it follows the links of one host and stores nothing.

python -m bench.bare_spider HOST:PORT CONCURRENCY
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import TextResponse


class BareSpider(scrapy.Spider):
    """As in Scrapy's tutorial."""

    name = "bare"

    def parse(self, response: Any, **_: Any) -> Iterator[scrapy.Request]:
        """Follow every link."""
        assert isinstance(response, TextResponse)  # noqa: S101  the site has HTML only
        yield from response.follow_all(css="a")


def main() -> None:
    """Crawl one site."""
    address, concurrency = sys.argv[1], int(sys.argv[2])
    settings = {
        "LOG_LEVEL": "WARNING",
        "CONCURRENT_REQUESTS": concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency,
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
    }
    process = CrawlerProcess(settings)
    process.crawl(BareSpider, start_urls=[f"http://{address}/"])
    process.start()


if __name__ == "__main__":
    main()
