"""robots.txt by RFC 9309: which URLs may be fetched, how slowly, and where the sitemaps are.

- 2xx: the rules, of the first 500 KiB. 3xx: followed five times, also to other hosts; beyond, as 4xx.
- 4xx: no rules, everything is allowed. But 429 is no answer.
- 5xx, 429, no connection, no response in time: everything is disallowed, and asked again, later and later.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import monotonic
from typing import NamedTuple

from protego import Protego

from spiders.directives import TOKEN
from spiders.exceptions import FetchError
from spiders.outcomes import REFUSED, Outcome
from spiders.urls import link

MAX_BYTES = 500 << 10
MAX_REDIRECTS = 5
ORIGINS = 20_000  # whose rules are remembered
# Rules are believed for a day (RFC 9309, 2.4). A host whose robots.txt cannot be had is asked again after these
# seconds, then left alone for an hour.
FRESH_SECONDS = 86_400.0
RETRY_SECONDS = (10.0, 60.0)
GIVEN_UP_SECONDS = 3_600.0
# What says more of the host than of its robots.txt, and will not be otherwise in a minute.
NOT_FOR_ROBOTS = REFUSED | {Outcome.UNRESOLVED, Outcome.TLS_FAILED}
# A longer one is a wish to be left alone, and would hold up the crawl for ever.
MAX_DELAY = 300.0


class RobotsAnswer(NamedTuple):
    """What a server said when it was asked for robots.txt."""

    status: int
    location: str | None
    body: bytes  # without its codings


@dataclass(frozen=True)
class Rules:
    """What the robots.txt of an origin asks for."""

    parsed: Protego | None = None  # None: everything is allowed
    unreachable: str | None = None  # why; then everything is disallowed
    outcome: Outcome = Outcome.ROBOTS_UNREACHABLE  # of what is disallowed because of that
    final: bool = True  # or it will be asked again in this run
    retry_in: float = 0.0

    def allows(self, url: str) -> bool:
        """Whether a URL may be fetched."""
        if self.unreachable is not None:
            return False
        return self.parsed is None or bool(self.parsed.can_fetch(url, TOKEN))

    @property
    def delay(self) -> float:
        """Seconds between two fetches, at least."""
        delay = self.parsed.crawl_delay(TOKEN) if self.parsed else None
        return min(max(delay or 0.0, 0.0), MAX_DELAY)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """Where it says that sitemaps are."""
        return tuple(self.parsed.sitemaps) if self.parsed else ()


class Robots:
    """The rules of every origin, asked for once."""

    def __init__(
        self,
        ask: Callable[[str], Awaitable[RobotsAnswer]],
        retry_seconds: tuple[float, ...] = RETRY_SECONDS,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._ask, self._retry_seconds, self._clock = ask, retry_seconds, clock
        self._known: OrderedDict[str, tuple[Rules, float]] = OrderedDict()
        self._asked: dict[str, asyncio.Future[Rules]] = {}
        self._failures: dict[str, int] = {}

    def known(self, origin: str) -> Rules | None:
        """The rules, if they are there and still to be believed."""
        rules, until = self._known.get(origin, (None, 0.0))
        return rules if rules is not None and self._clock() < until else None

    async def rules(self, origin: str) -> Rules:
        """The rules of an origin; however many wait for them, they are asked for once."""
        rules = self.known(origin)
        if rules is not None:
            return rules
        waiting = self._asked.get(origin)
        if waiting is None:
            waiting = self._asked[origin] = asyncio.ensure_future(self._fetch(origin))
            waiting.add_done_callback(lambda _: self._asked.pop(origin, None))
        return await asyncio.shield(waiting)

    async def _fetch(self, origin: str) -> Rules:
        url = f"{origin}/robots.txt"
        try:
            for _ in range(MAX_REDIRECTS + 1):
                answer = await self._ask(url)
                target = link(answer.location, url) if answer.location and 300 <= answer.status < 400 else None
                if target is None:
                    break
                url = target.text
        except FetchError as error:
            own = url == f"{origin}/robots.txt" and error.outcome in NOT_FOR_ROBOTS
            outcome = error.outcome if own else Outcome.ROBOTS_UNREACHABLE
            return self._unreachable(origin, error.reason, outcome, final=error.outcome in NOT_FOR_ROBOTS)
        if answer.status >= 500 or answer.status == 429:
            return self._unreachable(origin, f"HTTP {answer.status}", Outcome.ROBOTS_UNREACHABLE)
        rules = Rules(parse(answer.body)) if 200 <= answer.status < 300 else Rules()
        self._failures.pop(origin, None)
        return self._keep(origin, rules, FRESH_SECONDS)

    def _unreachable(self, origin: str, reason: str, outcome: Outcome, *, final: bool = False) -> Rules:
        failed = self._failures[origin] = self._failures.get(origin, 0) + 1
        final = final or failed > len(self._retry_seconds)
        wait = GIVEN_UP_SECONDS if final else self._retry_seconds[failed - 1]
        return self._keep(origin, Rules(None, reason, outcome, final, wait), wait)

    def _keep(self, origin: str, rules: Rules, believed: float) -> Rules:
        self._known[origin] = (rules, self._clock() + believed)
        if len(self._known) > ORIGINS:
            self._known.popitem(last=False)
        return rules


def parse(body: bytes) -> Protego:
    """The rules in a robots.txt, or in the whole lines of its first 500 KiB."""
    if len(body) > MAX_BYTES:
        body = body[:MAX_BYTES].rpartition(b"\n")[0]
    return Protego.parse(body.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace"))
