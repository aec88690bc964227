"""What all spiders share: a frontier that survives, an archive that is written before links are followed, and manners.

A fetch goes from the frontier through robots.txt and the downloader to `fetched` or `failed`, and ends there in one
outcome. A response is written together with where it leads; only then its links reach the frontier. So a crawl that is
killed can be continued from its segments alone: `_restore` hands the links that they hold to the same `Following`.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import scrapy
from scrapy import Request

from spiders import robots
from spiders.archive import Archive, about
from spiders.exceptions import CrawlError, FetchError
from spiders.exchange import DISCONNECT, Exchange
from spiders.following import Following
from spiders.frontier import Frontier
from spiders.handler import Fetched
from spiders.history import Fetch, fetches
from spiders.options import Options, address_policy, connect_to, seeds, user_agent
from spiders.outcomes import TRANSIENT, Outcome
from spiders.politeness import REFUSALS, Politeness
from spiders.previous import Previous
from spiders.robots import RobotsAnswer
from spiders.segments import Segments
from spiders.tally import STATS, Tally
from spiders.urls import key, parse
from spiders.visits import PAGE, ROBOTS, Visit

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure
    from typing_extensions import Self

logger = logging.getLogger(__name__)

ASKED = "crawl.json"
STORAGE = "storage"  # why a crawl was ended that cannot write


class PoliteSpider(scrapy.Spider):
    """The base of all spiders here. It needs the settings of spiders/settings.py, and CRAWL_DIR and CONTACT."""

    name = "polite"
    seed_kind: ClassVar[str] = PAGE
    follows_links: ClassVar[bool] = False
    anywhere: ClassVar[bool] = False  # pages may be on any site

    def __init__(self, urls: str | Iterable[str] = (), url_file: str | None = None, **given: Any) -> None:
        super().__init__()
        asked = {name: value if isinstance(value, (int, float)) else str(value) for name, value in given.items()}
        self.options = Options.read(given)
        if given:
            raise CrawlError(f"the spider {self.name} has no argument {next(iter(given))!r}")
        written = urls.split() if isinstance(urls, str) else list(urls)
        self.seeds = seeds([*written, *(_lines(url_file) if url_file else ())])
        if not self.seeds:
            raise CrawlError("there is no URL to begin with")
        self.asked = {"spider": self.name, **dict(sorted(asked.items())), "urls": [url.text for url in self.seeds]}
        self.fault: str | None = None  # what ended the crawl before its time
        self.reason = ""  # why it ended, in Scrapy's words

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Open the folder and take up what is there."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        spider._open()
        return spider

    def _open(self) -> None:
        settings = self.settings
        agent = user_agent(settings)
        if not settings.get("CRAWL_DIR"):
            raise CrawlError("a crawl needs a folder to write to (-o, or the setting CRAWL_DIR)")
        # The handler reads these as well, but what Scrapy makes of its complaints is hard to understand.
        address_policy(settings)
        connect_to(settings)
        self.folder = Path(settings["CRAWL_DIR"])
        self.previous = Previous(Path(settings["PREVIOUS"])) if settings.get("PREVIOUS") else None
        self.headers = {**settings.getdict("DEFAULT_REQUEST_HEADERS"), "User-Agent": agent}
        self._tries = settings.getint("RETRY_TIMES")
        self.politeness = Politeness(
            settings.getfloat("PAUSE_SECONDS"), settings.getfloat("PAUSE_MAX_SECONDS"), settings.getint("REFUSALS_MAX")
        )
        self._segments = Segments(
            self.folder,
            about(agent, settings.get("CONTACT"), robots=settings.getbool("ROBOTSTXT_OBEY")),
            max_bytes=settings.getint("SEGMENT_BYTES"),
            max_seconds=settings.getfloat("SEGMENT_SECONDS"),
        )
        for path, lost in self._segments.recovered:
            logger.info("%s was left open; closed after its last record, %d bytes before its end", path.name, lost)
        self._hold_to_what_was_asked()
        self.archive = Archive(
            self._segments,
            self.previous,
            decoded_bytes=settings.getint("DECODED_MAXSIZE"),
            decoded_ratio=settings.getint("DECODED_RATIO"),
            since=self.options.since,
            obey=settings.getbool("ROBOTSTXT_OBEY"),
        )
        self.tally = Tally(self.folder)
        self.frontier = Frontier(self.options.limits, self._per_host(), self._dropped)
        self.following = Following(
            self.options, self.seeds, self.frontier, self.tally, links=self.follows_links, anywhere=self.anywhere
        )
        self.stored_robots: dict[str, RobotsAnswer] = {}
        self._restore()

    def _per_host(self) -> int:
        """With a throttle, one under way and one behind it; more would only wait in the downloader."""
        most = self.settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        return min(2, most) if self.settings.getbool("AUTOTHROTTLE_ENABLED") else most

    def _hold_to_what_was_asked(self) -> None:
        path = self.folder / ASKED
        if path.exists():
            if json.loads(path.read_text(encoding="utf-8")) != self.asked:
                raise CrawlError(f"{self.folder} holds another crawl, see {ASKED}; name another folder")
            return
        partly = path.with_suffix(".partly")
        partly.write_text(json.dumps(self.asked, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        partly.rename(path)

    def _restore(self) -> None:
        """Rebuild the frontier from the segments."""
        self._plant()
        done: set[int] = set()
        for fetch in fetches(self.folder):
            self._take_up(fetch, done)
        self.frontier.prune(done)

    def _take_up(self, fetch: Fetch, done: set[int]) -> None:
        was, url = fetch.metadata, parse(fetch.metadata.url)
        if url is None:
            return
        outcome = Outcome(was.outcome)
        self.tally.restore(was.kind, outcome, fetch.size)
        if was.kind == ROBOTS:
            if fetch.age < robots.FRESH_SECONDS:
                message = fetch.message
                location = next(iter(message.all("Location")), None)
                answer = RobotsAnswer(message.status or 0, location, self.archive.decoded(message))
                self.stored_robots[url.text] = answer
            return
        site = self.options.site(url)
        visit = Visit(url.text, url.host, site, was.kind, was.depth, was.hops, was.via, was.redirects)
        done.add(key(url.text))
        self.frontier.restore(visit, outcome, fetch.size)
        self.following.expand(visit, was.links)

    def _plant(self) -> None:
        for url in self.seeds:
            self.following.plant(url, self.seed_kind)

    async def start(self) -> AsyncIterator[Any]:
        """Yields nothing: the seeds are in the frontier already."""
        nothing: tuple[Any, ...] = ()
        for request in nothing:
            yield request

    def request(self, visit: Visit) -> Request:
        """The request for a visit; it asks only for what has changed, where an earlier crawl is known."""
        headers = self.headers
        known = self.previous.get(visit.url) if self.previous and visit.kind == PAGE else None
        if known:
            asked = {"If-None-Match": known.etag, "If-Modified-Since": known.modified}
            headers = {**headers, **{name: value for name, value in asked.items() if value}}
        return Request(
            visit.url,
            callback=self.fetched,
            errback=self.failed,
            headers=headers,
            meta={"visit": visit, "download_slot": visit.host},
            dont_filter=True,
        )

    def fetched(self, response: Response) -> None:
        """A response came."""
        visit: Visit = response.meta["visit"]
        try:
            assert isinstance(response, Fetched)  # noqa: S101  the handler gives nothing else
            self._answered(visit, response.exchange)
        except OSError as error:
            self._stop(visit, f"cannot write to {self.folder}: {error.strerror or error}")
        except Exception as error:
            logger.exception("a fault while reading %s", visit.url)
            self._book(visit, Outcome.CRASHED, 0, repr(error))

    def failed(self, failure: Failure) -> None:
        """No response came."""
        visit: Visit = failure.request.meta["visit"]  # type: ignore[attr-defined]  # Scrapy sets it
        error = failure.value
        if not isinstance(error, FetchError):
            logger.error("a fault while fetching %s: %r", visit.url, error)
            self._book(visit, Outcome.CRASHED, 0, repr(error))
        elif error.retry_in is not None:
            self.frontier.pause(visit.host, error.retry_in)
            self.frontier.again(visit)
        elif error.outcome in TRANSIENT and visit.attempts < self._tries:
            self.frontier.again(visit.again())
        else:
            self._book(visit, error.outcome, 0, error.reason)

    def _answered(self, visit: Visit, exchange: Exchange) -> None:
        status = exchange.status
        if status in REFUSALS:
            if self._put_off(visit, exchange):
                return
        elif (status >= 500 or exchange.truncated == DISCONNECT) and visit.attempts < self._tries:
            self.frontier.again(visit.again())
            return
        else:
            self.politeness.answered(visit.host)
        kept = self.archive.keep(visit, exchange)
        self.following.expand(visit, kept.links)
        self._book(visit, kept.outcome, kept.size)

    def _put_off(self, visit: Visit, exchange: Exchange) -> bool:
        """Leave a host that refuses alone for a while; False if the visit was tried often enough, and is to be kept."""
        wait = self.politeness.refused(visit.host, exchange.header("Retry-After"))
        if wait is None:
            logger.warning("%s keeps refusing (HTTP %d); it is left alone for this run", visit.host, exchange.status)
            self._book(visit, Outcome.HOST_REFUSING, 0, f"HTTP {exchange.status}")
            self.frontier.give_up(visit.host)
            return True
        self.frontier.pause(visit.host, wait)
        slot = self.crawler.engine.downloader.slots.get(visit.host)
        if slot is not None and slot.delay:
            slot.delay = min(2 * slot.delay, self.settings.getfloat("AUTOTHROTTLE_MAX_DELAY"))
        if visit.attempts >= self._tries:
            return False
        self.frontier.again(visit.again())
        return True

    def _book(self, visit: Visit, outcome: Outcome, size: int = 0, reason: str = "") -> None:
        self.tally.book(visit, outcome, size, reason)
        self.frontier.finish(visit, outcome, size)

    def _dropped(self, visit: Visit, outcome: Outcome) -> None:
        self.tally.book(visit, outcome, 0, "the host keeps refusing" if outcome is Outcome.HOST_REFUSING else "")

    def _stop(self, visit: Visit, fault: str) -> None:
        self._book(visit, Outcome.CRASHED, 0, fault)
        if self.fault is None:
            self.fault = fault
            logger.error("%s; the crawl ends here", fault)
            self._ending = asyncio.ensure_future(self.crawler.engine.close_spider_async(reason=STORAGE))

    def closed(self, reason: str) -> None:
        """Close the segment and write the statistics."""
        self.reason = reason
        if self.fault is None:
            self._segments.close()
        self.tally.close()
        stats = {**self.statistics(), "ended": reason}
        partly = self.folder / (STATS + ".partly")
        partly.write_text(json.dumps(stats, indent=1) + "\n", encoding="utf-8")
        partly.rename(self.folder / STATS)

    def statistics(self) -> dict[str, Any]:
        """The account, and what is left to do."""
        left = self.frontier.waiting + self.frontier.in_flight
        return {"spider": self.name, **self.tally.as_dict(), "waiting": left, "hosts_paused": self.frontier.paused}


def _lines(path: str) -> list[str]:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CrawlError(f"cannot read the list of URLs {path}: {error}") from None
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
