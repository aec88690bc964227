"""Which site a page belongs to: its host, or the domain that somebody registered."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

HOST, DOMAIN = "host", "domain"
SITE_BY = (HOST, DOMAIN)


def site_of(url: str | None, by: str = HOST) -> str:
    """The site of an address, in lower case; empty if it has no host. Numbers of the net are sites of their own."""
    try:
        host = (urlsplit(url or "").hostname or "").rstrip(".").lower()
    except ValueError:  # brackets without an IPv6 address
        return ""
    if by == HOST or not host or ":" in host or host.replace(".", "").isdigit():
        return host
    return _suffixes().privatesuffix(host) or host


@cache
def _suffixes() -> PublicSuffixList:
    """The public suffix list that comes with its package: nothing is fetched."""
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415  reads a file of 300 KB

    return PublicSuffixList()
