"""`feed`: what RSS and Atom feeds link to."""

from __future__ import annotations

from spiders.spider import PoliteSpider
from spiders.visits import FEED


class FeedSpider(PoliteSpider):
    """Reads feeds, or the feeds that a page names, and fetches the pages that they link to, wherever these are."""

    name = "feed"
    seed_kind = FEED
    anywhere = True
