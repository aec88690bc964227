"""A sample of a site's pages that does not depend on their order: those with the least hashes of their addresses.

Samples merge in any order, however often, to the same sample, and none holds more than its size: bottom-k sampling.
"""

from __future__ import annotations

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
    """The sample of all these pages; a page that comes twice counts once."""
    return sorted(set(pages))[:most]


class Gate:
    """Says of pages that come one after the other which of them may be in the sample of their site.

    Of n pages of a site it lets about `most` (1 + ln(n / most)) pass: the rest need not even be parsed.
    """

    def __init__(self, most: int = PAGES) -> None:
        self._most = most
        self._least: dict[str, list[bytes]] = {}

    def admits(self, site: str, name: bytes) -> bool:
        """Whether a page of this site with this key may be in its sample."""
        least = self._least.setdefault(site, [])
        if len(least) < self._most:
            least.append(name)
            if len(least) == self._most:
                least.sort()
            return True
        if name > least[-1]:
            return False
        if name not in least:
            least[-1] = name
            least.sort()
        return True
