"""Which site a page belongs to: its host, or the domain that somebody registered."""

from __future__ import annotations

from functools import cache, lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

HOST, DOMAIN = "host", "domain"
SITE_BY = (HOST, DOMAIN)


def site_of(url: str | None, by: str = HOST) -> str:
    """The site of an address, in lower case; empty if it has no host."""
    try:
        host = (urlsplit(url or "").hostname or "").rstrip(".").lower()
    except ValueError:  # brackets without an IPv6 address
        return ""
    return host if by == HOST else registrable(host)


@lru_cache(maxsize=1 << 14)
def registrable(name: str) -> str:
    """The part of a host name that somebody has registered, `example.co.uk`; an address is its own."""
    try:
        ip_address(name)
    except ValueError:
        return str(_suffixes().privatesuffix(name) or name)
    return name


@cache
def _suffixes() -> PublicSuffixList:
    """The public suffix list that comes with its package: nothing is fetched."""
    from publicsuffixlist import PublicSuffixList  # noqa: PLC0415  reads a file of 300 KB

    return PublicSuffixList()
