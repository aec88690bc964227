"""What a response says about where to go on, by the kind of thing that was asked for."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from spiders import links, lists
from spiders.directives import Directives
from spiders.visits import FEED, SITEMAP, Link, Visit


class Reading(NamedTuple):
    """Where a response leads, and whether it is not to be kept."""

    links: tuple[Link, ...] = ()
    noindex: bool = False


def read(
    visit: Visit, body: bytes, content_type: str | None, directives: Directives | None, since: datetime | None
) -> Reading:
    """Read a body without its codings. Raises lists.Unreadable for a sitemap or feed that is none.

    `directives` are those of its headers; None: neither these nor those in the page count.
    """
    html = links.is_html(content_type, body)
    if visit.kind == SITEMAP:
        return Reading(lists.sitemap(body, visit.url, since), False)
    if visit.kind == FEED:
        # A page may be given where its feeds are meant.
        return Reading(links.read(body, visit.url, content_type).feeds if html else lists.feed(body, visit.url), False)
    if not html:
        return Reading((), directives is not None and directives.noindex)
    found = links.read(body, visit.url, content_type)
    if directives is None:
        return Reading(found.links)
    asked = directives | found.directives
    return Reading(() if asked.nofollow else found.links, asked.noindex)
