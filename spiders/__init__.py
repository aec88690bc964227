"""Polite crawling into WARC segments: a Scrapy project that knows nothing of Beam. docs/crawling.md says what it promises."""
