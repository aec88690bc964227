"""A place in the crawl: what is to be fetched, and how the crawl came to it. And what a fetched page leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

PAGE, SITEMAP, FEED, ROBOTS = "page", "sitemap", "feed", "robots"

# Letters of hops, as Heritrix writes them: a link, a redirection, an entry of a sitemap or feed.
LINK, REDIRECT, LISTED = "L", "R", "M"
HOPS_SHOWN = 64  # the last ones; a long chain would only make records longer


class Link(NamedTuple):
    """Where a response leads."""

    url: str
    hop: str  # LINK, REDIRECT or LISTED
    context: str  # where it stood: a/@href, location, url/loc, sitemap/loc


@dataclass(frozen=True, slots=True)
class Visit:
    """One URL on its way from the frontier to its outcome."""

    url: str
    host: str  # with its port, unless that is the scheme's own
    site: str
    kind: str = PAGE  # PAGE, SITEMAP, FEED
    depth: int = 0  # links from a seed; redirections and lists count nothing
    hops: str = ""
    via: str | None = None
    redirects: int = 0  # in a row
    attempts: int = 0

    def again(self) -> Visit:
        """The same, tried once more."""
        return replace(self, attempts=self.attempts + 1)


@dataclass(frozen=True)
class Metadata:
    """What the archive says of a fetch beside the bytes; the frontier is rebuilt from it."""

    url: str
    kind: str = PAGE
    depth: int = 0
    hops: str = ""
    via: str | None = None
    redirects: int = 0
    outcome: str = ""
    milliseconds: int = 0
    entity: str | None = None  # digest of the body without its chunks, where that is not the payload digest
    links: tuple[Link, ...] = field(default=(), repr=False)

    def block(self) -> bytes:
        """As warc-fields (WARC 1.1, section 6.6)."""
        lines = [
            *([f"via: {self.via}"] if self.via else []),
            f"hopsFromSeed: {self.hops}",
            f"kind: {self.kind}",
            f"depth: {self.depth}",
            *([f"redirects: {self.redirects}"] if self.redirects else []),
            f"outcome: {self.outcome}",
            f"fetchTimeMs: {self.milliseconds}",
            *([f"entityDigest: {self.entity}"] if self.entity else []),
            *(f"outlink: {link.url} {link.hop} {link.context}" for link in self.links),
            "",
        ]
        return "\r\n".join(lines).encode()

    @classmethod
    def read(cls, url: str, block: bytes) -> Metadata:
        """What `block` has written; what it does not know is left out."""
        values: dict[str, str] = {}
        links = []
        for name, value in _fields(block.decode("utf-8", "replace").split("\r\n")):
            if name == "outlink":
                target, _, rest = value.partition(" ")
                hop, _, context = rest.partition(" ")
                links.append(Link(target, hop, context))
            else:
                values[name] = value
        return cls(
            url,
            values.get("kind", PAGE),
            _number(values.get("depth")),
            values.get("hopsFromSeed", ""),
            values.get("via"),
            _number(values.get("redirects")),
            values.get("outcome", ""),
            _number(values.get("fetchTimeMs")),
            values.get("entityDigest"),
            tuple(links),
        )


def _fields(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        name, colon, value = line.partition(":")
        if colon:
            yield name.strip(), value.strip()


def _number(written: str | None) -> int:
    return int(written) if written and written.isascii() and written.isdigit() else 0
