"""A sample of a site's pages that does not depend on their order: those with the least hashes of their addresses.

Samples merge in any order, however often, to the same sample, and none holds more than its size: bottom-k sampling.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from hashlib import blake2b

# Pages of a sample. Every block that stands on a tenth of a site's pages is found redundant with a probability of 0.96.
PAGES = 64
KEY_BYTES = 8

Sampled = tuple[bytes, bytes]  # the key of a page and its sketch, encoded


def key(url: str) -> bytes:
    """The place of a page in the order of the sample."""
    return blake2b(url.encode("utf-8", "replace"), digest_size=KEY_BYTES).digest()


def merged(pages: Iterable[Sampled], most: int = PAGES) -> list[Sampled]:
    """The sample of all these pages; of an address that comes twice, the least sketch counts."""
    least: dict[bytes, bytes] = {}
    for name, sketch in pages:
        known = least.get(name)
        least[name] = sketch if known is None else min(known, sketch)
    return sorted(least.items())[:most]


class Gate:
    """Says of pages that come one after the other which of them may be in the sample of their site.

    Of n pages of a site it lets about `most` (1 + ln(n / most)) pass: the rest need not even be parsed.
    """

    def __init__(self, most: int = PAGES) -> None:
        self._most = most
        self._least: dict[str, list[bytes]] = {}

    def admits(self, site: str, name: bytes) -> bool:
        """Whether a page of this site with this key may be in its sample."""
        least = self._least.get(site, [])
        return len(least) < self._most or name <= least[-1]

    def sketched(self, site: str, name: bytes) -> None:
        """Count a page of this site with this key: only what can be sketched takes a place in the sample."""
        least = self._least.setdefault(site, [])
        place = bisect_left(least, name)
        if place == len(least) or least[place] != name:
            least.insert(place, name)
            del least[self._most :]
