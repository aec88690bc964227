"""URLs as the crawl knows them: one spelling each, without fragment, credentials and session ids."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import SplitResult, urljoin, urlsplit, urlunsplit

from w3lib.url import safe_url_string

from pipeline.site_names import DEFAULT_PORTS

# As long as old browsers and proxies take them; longer ones are mostly made by traps.
MAX_LENGTH = 2083

# Names that servers give to session ids; their values make endless copies of every page.
_SESSION_NAMES = (
    "jsessionid|phpsessid|aspsessionid[a-z]*|asp\\.net_sessionid|cfid|cftoken|sessionid|session_id|oscsid|zenid"
)
_SESSION_IN_PATH = re.compile(rf"(?i);(?:{_SESSION_NAMES})=[^/;]*")
_SESSION_IN_QUERY = re.compile(rf"(?i)(?:^|(?<=&))(?:{_SESSION_NAMES})=[^&]*&?")
_SID = re.compile(r"(?i)(?:^|(?<=&))sid=[0-9a-f]{16,}(?:&|$)")
# Most URLs need no mending; telling so is ten times faster than mending them.
_PLAIN = re.compile(
    r"(https?)://([a-z0-9-]+(?:\.[a-z0-9-]+)*)((?:/[A-Za-z0-9_~-][A-Za-z0-9_~.-]*)*/?)(?:\?([A-Za-z0-9_~.=&-]+))?(?:#.*)?"
)
_NOT_A_LINK = re.compile(r"(?i)\s*(?:javascript|mailto|tel|data|about|blob|ftp|file|sms|whatsapp|callto|skype|irc):")


@dataclass(frozen=True, slots=True)
class Url:
    """A URL, and what is asked of it again and again."""

    text: str
    scheme: str
    host: str  # lower case; as Host says it: with its port unless that is the scheme's own
    name: str  # without the port
    port: int
    path: str
    query: str

    @property
    def target(self) -> str:
        """What is asked of the server."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def origin(self) -> str:
        """Where its robots.txt is."""
        return f"{self.scheme}://{self.host}"


def link(written: str, base: str) -> Url | None:
    """What a link on a page refers to; None if that is nothing that can be fetched."""
    if not written or _NOT_A_LINK.match(written):
        return None
    try:
        return parse(urljoin(base, written.strip()))
    except ValueError:
        return None


@lru_cache(maxsize=1 << 13)  # the pages of a site repeat their links
def parse(written: str) -> Url | None:
    """The URL in its one spelling; None if it is not http(s), has no host, or is too long."""
    if len(written) > MAX_LENGTH:
        return None
    plain = _PLAIN.fullmatch(written)
    if plain and len(plain[2]) <= 253:
        scheme, name, path, query = plain[1], plain[2], plain[3] or "/", _query(plain[4] or "")
        text = f"{scheme}://{name}{path}?{query}" if query else f"{scheme}://{name}{path}"
        return Url(text, scheme, name, name, DEFAULT_PORTS[scheme], path, query)
    return _mended(written)


def _mended(written: str) -> Url | None:
    try:
        parts = urlsplit(safe_url_string(written.strip()))
        port = parts.port
    except (ValueError, UnicodeError):
        return None
    scheme, name = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    if scheme not in DEFAULT_PORTS or not _host_is_well_formed(name) or port == 0:
        return None
    port = port or DEFAULT_PORTS[scheme]
    shown = f"[{name}]" if ":" in name else name
    host = shown if port == DEFAULT_PORTS[scheme] else f"{shown}:{port}"
    path = urlsplit(urljoin("http://x/", _path(parts))).path or "/"
    query = _query(parts.query)
    text = urlunsplit((scheme, host, path, query, ""))
    return Url(text, scheme, host, name, port, path, query) if len(text) <= MAX_LENGTH else None


def _path(parts: SplitResult) -> str:
    path = _SESSION_IN_PATH.sub("", parts.path) if ";" in parts.path else parts.path
    # Two slashes at the beginning would make a host of what follows.
    return "/" + path.lstrip("/")


def _query(query: str) -> str:
    if "=" not in query:
        return query
    return _SID.sub("", _SESSION_IN_QUERY.sub("", query)).rstrip("&")


def _host_is_well_formed(name: str) -> bool:
    return bool(name) and len(name) <= 253 and not any(c in name for c in "%@ \\^{}|\"'<>`")


def key(url: str) -> int:
    """A URL in 8 bytes: two of ten million share theirs with a probability of three in a million."""
    return int.from_bytes(hashlib.blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
