"""Settings of the Scrapy project. What is safe and polite is the default; what is not has to be asked for."""

from __future__ import annotations

from typing import Any

from spiders import client, robots, segments
from spiders.handler import SOFTWARE

BOT_NAME = "winnow"
SPIDER_MODULES = ["spiders.crawlers"]

# Who is there, and where the segments go. Both are needed; the command line sets them.
CONTACT: str | None = None  # a mail address or the URL of a page, added to the user agent
CRAWL_DIR: str | None = None
PREVIOUS: str | None = None  # folder of an earlier crawl: what has not changed since becomes a revisit
USER_AGENT = SOFTWARE
SEGMENT_BYTES = segments.MAX_BYTES
SEGMENT_SECONDS = segments.MAX_SECONDS

# Manners.
ROBOTSTXT_OBEY = True
ROBOTS_RETRY_SECONDS = list(robots.RETRY_SECONDS)
DOWNLOAD_DELAY = 1.0  # seconds between two fetches from a host, at least
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
AUTOTHROTTLE_MAX_DELAY = 60.0
CONCURRENT_REQUESTS = 32
CONCURRENT_REQUESTS_PER_DOMAIN = 8
RETRY_TIMES = 2
PAUSE_SECONDS = 30.0  # of a host that says 429 or 503 and does not say for how long; doubled every time
PAUSE_MAX_SECONDS = 3600.0  # a host that asks for more is left alone for the run
REFUSALS_MAX = 6  # in a row; then a host is left alone for the run

# Safety.
ALLOW_PRIVATE = False
ALLOW_NETWORKS: list[str] = []
ALLOW_PORTS = [80, 443]
CONNECT_TO: list[str] = []
DOWNLOAD_VERIFY_CERTIFICATES = True
DOWNLOAD_TIMEOUT = client.FetchLimits.seconds
DOWNLOAD_MAXSIZE = client.FetchLimits.body
HEAD_MAXSIZE = client.FetchLimits.head
DECODED_MAXSIZE = 64 << 20  # bytes of a body without its codings that are looked at
DECODED_RATIO = 200  # and so many times its size on the wire
DOWNLOAD_HANDLERS: dict[str, str | None] = {
    "http": "spiders.handler.ArchivingHandler",
    "https": "spiders.handler.ArchivingHandler",
    "data": None,
    "file": None,
    "ftp": None,
    "s3": None,
}
COOKIES_ENABLED = False
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False

DEFAULT_REQUEST_HEADERS = {
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en;q=0.5, *;q=0.1",
    # Not br and zstd, though both are understood: other tools that read archives stumble over them.
    "Accept-Encoding": "gzip, deflate",
}

# The frontier, the archive and the manners are the project's own; Scrapy's parts of that kind are not used.
SCHEDULER = "spiders.scheduler.FrontierScheduler"
TWISTED_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
_UNUSED_DOWNLOADER = (
    "offsite.OffsiteMiddleware", "robotstxt.RobotsTxtMiddleware", "httpauth.HttpAuthMiddleware",
    "downloadtimeout.DownloadTimeoutMiddleware", "defaultheaders.DefaultHeadersMiddleware",
    "useragent.UserAgentMiddleware", "retry.RetryMiddleware", "redirect.MetaRefreshMiddleware",
    "httpcompression.HttpCompressionMiddleware", "redirect.RedirectMiddleware", "cookies.CookiesMiddleware",
    "httpproxy.HttpProxyMiddleware", "stats.DownloaderStats", "httpcache.HttpCacheMiddleware",
)  # fmt: skip
DOWNLOADER_MIDDLEWARES: dict[str, int | None] = {
    **{f"scrapy.downloadermiddlewares.{name}": None for name in _UNUSED_DOWNLOADER},
    "spiders.middleware.RobotsMiddleware": 100,
}
_UNUSED_SPIDER = (
    "start.StartSpiderMiddleware", "httperror.HttpErrorMiddleware", "referer.RefererMiddleware",
    "urllength.UrlLengthMiddleware", "depth.DepthMiddleware", "metacopy.MetaCopyDetectionMiddleware",
)  # fmt: skip
SPIDER_MIDDLEWARES: dict[str, int | None] = {f"scrapy.spidermiddlewares.{name}": None for name in _UNUSED_SPIDER}
EXTENSIONS: dict[str, Any] = {
    "scrapy.extensions.throttle.AutoThrottle": None,
    "spiders.politeness.HostThrottle": 0,
    "scrapy.extensions.logstats.LogStats": None,
    "scrapy.extensions.feedexport.FeedExporter": None,
    "scrapy.extensions.spiderstate.SpiderState": None,
    "spiders.progress.Progress": 0,
}
STATS_DUMP = False
LOG_LEVEL = "INFO"
