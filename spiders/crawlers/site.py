"""`site`: all pages of a site that links lead to."""

from __future__ import annotations

from spiders.spider import PoliteSpider


class SiteSpider(PoliteSpider):
    """Begins with pages and follows their links within the site, by host or registrable domain."""

    name = "site"
    follows_links = True
