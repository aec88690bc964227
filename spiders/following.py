"""From a link to the next visit, or to the reason why there is none."""

from __future__ import annotations

from collections.abc import Collection

from pipeline.site_names import registrable
from spiders.frontier import Frontier
from spiders.links import FEED_CONTEXT
from spiders.lists import SITEMAP_CONTEXT
from spiders.options import Options
from spiders.tally import EXCLUDED, OUT_OF_SCOPE, TOO_DEEP, TOO_MANY_REDIRECTS, TRAP, Tally
from spiders.traps import Traps
from spiders.urls import Url, parse
from spiders.visits import FEED, HOPS_SHOWN, LINK, LISTED, PAGE, REDIRECT, SITEMAP, Link, Visit

MAX_REDIRECTS = 10


class Following:
    """Puts what pages lead to into the frontier, as far as the crawl goes."""

    def __init__(
        self, options: Options, seeds: Collection[Url], frontier: Frontier, tally: Tally, *, links: bool, anywhere: bool
    ) -> None:
        self._options, self._frontier, self._tally = options, frontier, tally
        self._links, self._anywhere = links, anywhere
        self._traps = Traps(options.traps)
        self._sites = {options.site(url) for url in seeds}
        self._owners = {registrable(url.name) for url in seeds}

    def plant(self, url: Url, kind: str) -> None:
        """Put a seed into the frontier."""
        self._frontier.add(Visit(url.text, url.host, self._options.site(url), kind))

    def expand(self, visit: Visit, links: Collection[Link]) -> None:
        """Put into the frontier what a response leads to."""
        for link in links:
            if link.hop == LINK and not self._links:
                continue
            if (url := parse(link.url)) is not None and not self._frontier.knows(url.text):
                why = self._refused(visit, link, url)
                if why:
                    self._tally.links[why] += 1
                else:
                    self._frontier.add(self._next(visit, link, url))

    def _next(self, visit: Visit, link: Link, url: Url) -> Visit:
        kind = visit.kind if link.hop == REDIRECT else PAGE
        if link.hop == LISTED and link.context in (SITEMAP_CONTEXT, FEED_CONTEXT):
            kind = SITEMAP if link.context == SITEMAP_CONTEXT else FEED
        return Visit(
            url.text,
            url.host,
            self._options.site(url),
            kind,
            visit.depth + (link.hop == LINK),
            (visit.hops + link.hop)[-HOPS_SHOWN:],
            visit.url,
            visit.redirects + 1 if link.hop == REDIRECT else 0,
        )

    def _refused(self, visit: Visit, link: Link, url: Url) -> str | None:
        if link.hop == REDIRECT and visit.redirects >= MAX_REDIRECTS:
            return TOO_MANY_REDIRECTS
        if not self._in_scope(visit, link, url):
            return OUT_OF_SCOPE
        if link.hop != REDIRECT and link.context not in (SITEMAP_CONTEXT, FEED_CONTEXT):
            if not self._options.wants(url.text):
                return EXCLUDED
            most = self._options.limits.depth
            if most is not None and visit.depth + (link.hop == LINK) > most:
                return TOO_DEEP
        return TRAP if self._traps.caught(url) else None

    def _in_scope(self, visit: Visit, link: Link, url: Url) -> bool:
        if self._anywhere or self._options.site(url) in self._sites:
            return True
        # Where a seed redirects to is part of its site, as long as it belongs to the same owner.
        seed = link.hop == REDIRECT and not visit.hops.strip(REDIRECT)
        if seed and registrable(url.name) in self._owners:
            self._sites.add(self._options.site(url))
            return True
        return False
