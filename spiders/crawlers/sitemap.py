"""`sitemap`: the pages that a site lists itself."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from spiders.middleware import RobotsMiddleware
from spiders.spider import PoliteSpider
from spiders.urls import Url, parse
from spiders.visits import SITEMAP

LISTS = (".xml", ".xml.gz", ".txt", ".gz")


class SitemapSpider(PoliteSpider):
    """Reads the sitemaps that robots.txt names, or /sitemap.xml, or the ones given, and fetches their pages."""

    name = "sitemap"
    seed_kind = SITEMAP

    def _plant(self) -> None:
        for url in self.seeds:
            if url.path.lower().endswith(LISTS):
                self.following.plant(url, SITEMAP)

    async def start(self) -> AsyncIterator[Any]:
        """Look for sitemaps where none is given."""
        for url in self.seeds:
            if not url.path.lower().endswith(LISTS):
                for sitemap in await self._named(url):
                    self.following.plant(sitemap, SITEMAP)
        nothing: tuple[Any, ...] = ()
        for request in nothing:
            yield request

    async def _named(self, url: Url) -> list[Url]:
        middleware = self.crawler.get_downloader_middleware(RobotsMiddleware)
        named: tuple[str, ...] = ()
        if middleware:
            named = (await middleware.robots.rules(url.origin)).sitemaps
        found = [parsed for written in named if (parsed := parse(written)) is not None]
        usual = parse(f"{url.origin}/sitemap.xml")
        return found or ([usual] if usual else [])
