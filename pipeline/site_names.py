"""Which site a page belongs to: its host, or the domain that somebody registered.

The one rule for the crawler and for the pipeline.
"""

from __future__ import annotations

from functools import cache, lru_cache
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from publicsuffixlist import PublicSuffixList

HOST, DOMAIN = "host", "domain"
SITE_BY = (HOST, DOMAIN)
DEFAULT_PORTS = {"http": 80, "https": 443}


def site_of(url: str | None, by: str = HOST) -> str:
    """The site of an address, in lower case; empty if it has no host.

    By host, `www.a.example` and `a.example` are one site; a port that is not the scheme's own makes
    another one. The crawler counts by the same sites as the steps after it.
    """
    try:
        parts = urlsplit(url or "")
        name = (parts.hostname or "").rstrip(".").lower()
    except ValueError:  # brackets without an IPv6 address
        return ""
    if by == DOMAIN:
        return registrable(name)
    try:
        port = parts.port
    except ValueError:  # no number, or too large: nothing was ever fetched there
        port = None
    host = name.removeprefix("www.")
    if not host or port in {None, DEFAULT_PORTS.get(parts.scheme)}:
        return host
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


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
