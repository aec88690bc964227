"""What a crawl is asked to do: arguments of a spider and settings of Scrapy, checked before anything is fetched."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

from pipeline.site_names import HOST, SITE_BY, site_of
from spiders.addresses import AddressPolicy
from spiders.exceptions import CrawlError
from spiders.frontier import SiteLimits
from spiders.traps import TrapLimits
from spiders.urls import Url, parse

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

SCOPES = SITE_BY

# An address for people who wonder who is there: of mail, or of a page.
_CONTACT = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+|https?://\S+\.\S+")


@dataclass(frozen=True)
class Options:
    """Arguments of a spider, the same for all of them; each uses what it needs."""

    scope: str = HOST
    include: tuple[re.Pattern[str], ...] = ()
    exclude: tuple[re.Pattern[str], ...] = ()
    limits: SiteLimits = field(default_factory=SiteLimits)
    traps: TrapLimits = field(default_factory=TrapLimits)
    since: datetime | None = None  # of sitemaps: pages changed at this time or later

    @classmethod
    def read(cls, given: dict[str, Any]) -> Options:
        """From what was written; raises CrawlError for what makes no sense."""
        scope = given.pop("scope", None) or HOST
        if scope not in SCOPES:
            raise CrawlError(f"a scope is one of {', '.join(SCOPES)}, not {scope!r}")
        numbers = {name: _number(name, given.pop(f"max_{name}", None)) for name in ("pages", "depth", "bytes")}
        seconds = given.pop("max_seconds", None)
        limits = SiteLimits(**numbers, seconds=None if seconds is None else _seconds(seconds))
        shape = _number("per_shape", given.pop("max_per_shape", None))
        traps = TrapLimits() if shape is None else TrapLimits(per_shape=shape, per_path=shape)
        include, exclude = (_patterns(given.pop(name, None)) for name in ("include", "exclude"))
        since = given.pop("since", None)
        return cls(scope, include, exclude, limits, traps, None if since is None else when(since))

    def site(self, url: Url) -> str:
        """What the limits are counted for: the site, as the pipeline knows it, too."""
        return site_of(url.text, self.scope)

    def wants(self, url: str) -> bool:
        """Whether the patterns let a URL through."""
        if any(pattern.search(url) for pattern in self.exclude):
            return False
        return not self.include or any(pattern.search(url) for pattern in self.include)


def when(written: str) -> datetime:
    """A date or time as sitemaps write it (W3C): 2024, 2024-05, 2024-05-01, 2024-05-01T10:00:00Z."""
    text = written.strip().replace("Z", "+00:00")
    text += {4: "-01-01", 7: "-01"}.get(len(text), "")
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise CrawlError(f"a date is written 2024-05-01 or 2024-05-01T10:00:00Z, not {written!r}") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)


def _number(name: str, written: Any) -> int | None:
    if written is None or isinstance(written, int):
        return written
    if not str(written).isascii() or not str(written).isdigit():
        raise CrawlError(f"max_{name} is a whole number, not {written!r}")
    return int(written)


def _seconds(written: Any) -> float:
    try:
        return float(written)
    except ValueError:
        raise CrawlError(f"max_seconds is a number of seconds, not {written!r}") from None


def _patterns(written: Any) -> tuple[re.Pattern[str], ...]:
    texts: Iterable[str] = [written] if isinstance(written, str) else written or ()
    try:
        return tuple(re.compile(text) for text in texts)
    except re.error as error:
        raise CrawlError(f"{error.pattern!r} is no regular expression: {error}") from None


def user_agent(settings: BaseSettings) -> str:
    """The name that servers are told, with a way to reach the people behind it; raises CrawlError without one."""
    contact, agent = settings.get("CONTACT"), settings.get("USER_AGENT")
    if contact:
        if not _CONTACT.fullmatch(contact):
            raise CrawlError(f"a contact is a mail address or the URL of a page about the crawl, not {contact!r}")
        agent = f"{agent} (+{contact})"
    if not _CONTACT.search(agent) or not agent.isascii() or not agent.isprintable():
        raise CrawlError(
            "a crawler says who it is: give a mail address or the URL of a page about the crawl (--contact, or the "
            "setting CONTACT)"
        )
    return str(agent)


def address_policy(settings: BaseSettings) -> AddressPolicy:
    """What may be connected to."""
    try:
        networks = tuple(ip_network(written) for written in settings.getlist("ALLOW_NETWORKS"))
        ports = frozenset(int(port) for port in settings.getlist("ALLOW_PORTS"))
    except ValueError as error:
        raise CrawlError(f"networks are written 10.1.0.0/16 and ports as numbers: {error}") from None
    return AddressPolicy(settings.getbool("ALLOW_PRIVATE"), networks, ports)


def connect_to(settings: BaseSettings) -> dict[str, tuple[str, int]]:
    """Where what is meant for a host is sent instead: HOST=ADDRESS:PORT, or * for every host."""
    found = {}
    for written in settings.getlist("CONNECT_TO"):
        host, equals, place = str(written).partition("=")
        address, _, port = place.rpartition(":")
        try:
            found[host] = (str(ip_address(address.strip("[]"))), int(port))
        except ValueError:
            equals = ""
        if not equals or not host:
            raise CrawlError(f"connections are sent elsewhere by HOST=ADDRESS:PORT, not {written!r}")
    return found


def seeds(written: Iterable[str]) -> list[Url]:
    """The URLs that a crawl begins with; https:// is added where there is none."""
    found = []
    for text in written:
        url = parse(text if "://" in text else f"https://{text}")
        if url is None:
            raise CrawlError(f"only http and https URLs are crawled, not {text!r}")
        found.append(url)
    return list(dict.fromkeys(found))
