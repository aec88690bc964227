"""`urls`: a list of URLs, and nothing else."""

from __future__ import annotations

from spiders.spider import PoliteSpider


class UrlsSpider(PoliteSpider):
    """Fetches the URLs that it is given, and where they redirect to."""

    name = "urls"
    anywhere = True
