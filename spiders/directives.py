"""What pages ask of crawlers: `<meta name="robots">` and X-Robots-Tag."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

TOKEN = "winnow"  # noqa: S105  the product token, by which robots.txt and directives name us
# Directives that have a colon of their own; before any other one stands the name of a crawler.
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


class Directives(NamedTuple):
    """Whether a page is not to be kept, and its links not to be followed."""

    noindex: bool = False
    nofollow: bool = False

    def __or__(self, other: Directives) -> Directives:
        return Directives(self.noindex or other.noindex, self.nofollow or other.nofollow)


def of_header(values: Iterable[str]) -> Directives:
    """Of X-Robots-Tag headers: `noindex, nofollow`, or for one crawler alone, `otherbot: noindex`."""
    found = Directives()
    for value in values:
        name, colon, rest = value.partition(":")
        named = name.strip().lower()
        if colon and "," not in named and named not in _VALUED:
            if named != TOKEN:
                continue
            value = rest  # noqa: PLW2901
        found |= of_content(value)
    return found


def of_content(content: str) -> Directives:
    """Of the content of a meta element."""
    words = {word.strip().lower() for word in content.split(",")}
    return Directives(bool(words & {"noindex", "none"}), bool(words & {"nofollow", "none"}))
