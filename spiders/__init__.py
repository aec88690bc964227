"""Polite crawling into WARC segments: a Scrapy project that knows nothing of Beam. See docs/crawling.md."""
