"""A small web, made up and the same every time: five sites in five languages, and the archives of a crawl of them."""

from __future__ import annotations

from bench.web.archive import MISSING_ORIGINAL, write_warc
from bench.web.pages import Page, Site, pages, sites

__all__ = ["MISSING_ORIGINAL", "Page", "Site", "pages", "sites", "write_warc"]
