"""What is still to be fetched: each URL once, hosts in turn, none faster than it is ready for, limits site by site.

A limit on depth or pages means something only if it does not depend on which answer came first. Where there is one, a
site is crawled level by level (all pages that are n links away before the first that is n + 1), in each level by the
hash of the URL: the same pages are chosen whatever the timing, and after a crash. A page that redirects, or fails for
a while, keeps its place.
"""

from __future__ import annotations

import heapq
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from spiders.outcomes import PAGES, Outcome
from spiders.urls import key
from spiders.visits import PAGE, Visit


@dataclass(frozen=True)
class SiteLimits:
    """Of every site of a crawl; None is no limit."""

    pages: int | None = None
    depth: int | None = None  # links from a seed
    bytes: int | None = None  # of records
    seconds: float | None = None  # since its first fetch in this run

    @property
    def ordered(self) -> bool:
        """Whether it matters in which order pages are taken."""
        return self.pages is not None or self.depth is not None


@dataclass
class _Site:
    pages: int = 0
    bytes: int = 0
    in_flight: int = 0  # pages
    began: float | None = None
    ended: bool = False
    hosts: set[str] = field(default_factory=set)
    open: Counter[int] = field(default_factory=Counter)  # by depth: waiting or in flight


@dataclass
class _Host:
    site: str
    levels: dict[int, deque[Visit]] = field(default_factory=dict)
    sorted: set[int] = field(default_factory=set)
    in_flight: int = 0
    paused_until: float = 0.0
    given_up: bool = False


class Frontier:
    """The URLs of a crawl that wait, and those under way. `dropped` is told of those that are taken out again."""

    def __init__(
        self,
        limits: SiteLimits,
        per_host: int,
        dropped: Callable[[Visit, Outcome], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._limits, self._per_host, self._dropped, self._clock = limits, per_host, dropped, clock
        self._seen: set[int] = set()
        self._sites: dict[str, _Site] = {}
        self._hosts: dict[str, _Host] = {}
        self._ready: OrderedDict[str, None] = OrderedDict()  # hosts that may have something to give, in turn
        self._pauses: list[tuple[float, str]] = []
        self.waiting = 0
        self.in_flight = 0

    def add(self, visit: Visit) -> bool:
        """Put a URL in line; False if it was there before."""
        name = key(visit.url)
        if name in self._seen:
            return False
        self._seen.add(name)
        self._put(visit, first=visit.redirects > 0)
        return True

    def knows(self, url: str) -> bool:
        """Whether a URL was ever put in line."""
        return key(url) in self._seen

    def again(self, visit: Visit) -> None:
        """Put one that was under way back in line."""
        self._put(visit, first=self._limits.ordered)
        self._end(visit)

    def restore(self, visit: Visit, outcome: Outcome, size: int) -> None:
        """Book a fetch of an earlier run."""
        site = self._site(visit)
        self._count(site, visit, outcome, size)

    def prune(self, done: set[int]) -> None:
        """Take out what is done already, by the keys of the URLs."""
        self._seen |= done
        for host in self._hosts.values():
            for depth, level in host.levels.items():
                kept = deque(visit for visit in level if key(visit.url) not in done)
                gone = len(level) - len(kept)
                self._sites[host.site].open[depth] -= gone
                self.waiting -= gone
                host.levels[depth] = kept

    def take(self) -> Visit | None:
        """The next URL to fetch; None if there is none, or none yet."""
        self._wake()
        for _ in range(len(self._ready)):
            name, _ = self._ready.popitem(last=False)
            visit = self._take_from(name)
            if visit:
                self._ready[name] = None
                return visit
        return None

    def finish(self, visit: Visit, outcome: Outcome, size: int = 0) -> None:
        """What was under way has come to an end."""
        self._count(self._site(visit), visit, outcome, size)
        self._end(visit)

    def pause(self, host: str, seconds: float) -> None:
        """Leave a host alone for a while."""
        state = self._hosts.get(host)
        if state:
            state.paused_until = max(state.paused_until, self._clock() + seconds)
            heapq.heappush(self._pauses, (state.paused_until, host))

    def give_up(self, host: str) -> None:
        """Leave a host alone for the rest of this run."""
        state = self._hosts.get(host)
        if state and not state.given_up:
            state.given_up = True
            self._drop(state, Outcome.HOST_REFUSING)

    @property
    def paused(self) -> int:
        """How many hosts with something to give are paused or given up."""
        now = self._clock()
        waiting = (host for host in self._hosts.values() if any(host.levels.values()))
        return sum(host.paused_until > now for host in waiting) + sum(host.given_up for host in self._hosts.values())

    def next_wake(self) -> float | None:
        """Seconds until a paused host is ready again."""
        return max(0.0, self._pauses[0][0] - self._clock()) if self._pauses else None

    def pending(self) -> Iterator[Visit]:
        """What waits, host by host."""
        for host in self._hosts.values():
            for level in host.levels.values():
                yield from level

    def _site(self, visit: Visit) -> _Site:
        return self._sites.setdefault(visit.site, _Site())

    def _put(self, visit: Visit, *, first: bool) -> None:
        host = self._hosts.get(visit.host)
        if host is None:
            host = self._hosts[visit.host] = _Host(visit.site)
        site = self._site(visit)
        site.hosts.add(visit.host)
        if host.given_up or site.ended:
            self._dropped(visit, Outcome.HOST_REFUSING if host.given_up else Outcome.LIMIT)
            return
        depth = self._level(visit)
        level = host.levels.setdefault(depth, deque())
        if first:
            level.appendleft(visit)
        else:
            level.append(visit)
        site.open[depth] += 1
        self.waiting += 1
        self._ready[visit.host] = None

    def _take_from(self, name: str) -> Visit | None:
        host = self._hosts[name]
        site = self._sites[host.site]
        now = self._clock()
        if host.in_flight >= self._per_host or host.paused_until > now or host.given_up:
            return None
        if self._over(site, now):
            self._end_site(site)
            return None
        depth = min((depth for depth, level in host.levels.items() if level), default=None)
        if depth is None or (self._limits.ordered and self._must_wait(site, depth)):
            return None
        if self._limits.ordered and depth not in host.sorted:
            host.sorted.add(depth)
            host.levels[depth] = deque(sorted(host.levels[depth], key=lambda visit: key(visit.url)))
        visit = host.levels[depth].popleft()
        site.began = now if site.began is None else site.began
        site.in_flight += visit.kind == PAGE
        host.in_flight += 1
        self.waiting -= 1
        self.in_flight += 1
        return visit

    def _must_wait(self, site: _Site, depth: int) -> bool:
        """Whether an earlier level is not done, or the pages under way may be the last ones."""
        if any(count > 0 for level, count in site.open.items() if level < depth):
            return True
        return self._limits.pages is not None and site.pages + site.in_flight >= self._limits.pages

    def _over(self, site: _Site, now: float) -> bool:
        limits = self._limits
        return (
            (limits.pages is not None and site.pages >= limits.pages)
            or (limits.bytes is not None and site.bytes >= limits.bytes)
            or (limits.seconds is not None and site.began is not None and now - site.began >= limits.seconds)
        )

    def _end_site(self, site: _Site) -> None:
        site.ended = True
        for name in site.hosts:
            self._drop(self._hosts[name], Outcome.LIMIT)

    def _drop(self, host: _Host, outcome: Outcome) -> None:
        for depth, level in host.levels.items():
            self._sites[host.site].open[depth] -= len(level)
            self.waiting -= len(level)
            for visit in level:
                self._dropped(visit, outcome)
            level.clear()

    def _count(self, site: _Site, visit: Visit, outcome: Outcome, size: int) -> None:
        site.bytes += size
        site.pages += visit.kind == PAGE and outcome in PAGES

    def _end(self, visit: Visit) -> None:
        site = self._site(visit)
        site.in_flight -= visit.kind == PAGE
        level = self._level(visit)
        site.open[level] -= 1
        if not site.open[level]:
            self._forget(site, level)
        self._hosts[visit.host].in_flight -= 1
        self.in_flight -= 1
        # What one page of a site leaves may let another host of it go on.
        self._ready.update(dict.fromkeys(site.hosts))

    def _level(self, visit: Visit) -> int:
        return visit.depth if self._limits.ordered else 0

    def _forget(self, site: _Site, level: int) -> None:
        """A long chain of pages has many levels; those that are done take no room."""
        del site.open[level]
        for name in site.hosts:
            self._hosts[name].levels.pop(level, None)
            self._hosts[name].sorted.discard(level)

    def _wake(self) -> None:
        now = self._clock()
        while self._pauses and self._pauses[0][0] <= now:
            self._ready[heapq.heappop(self._pauses)[1]] = None
