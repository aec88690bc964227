"""Limits the nesting of HTML by dropping tags, never text: for the pages that a parser would otherwise cut short."""

from __future__ import annotations

import re

from transforms.tags import VOID

# A comment, what browsers take for one (<?php ... >), a raw-text element (its content is no markup), or a tag with its
# attributes: a quotation mark counts only where a value begins. No alternative can fail once it has begun, and each
# consumes what it has read, so the scan is linear.
_MARKUP = re.compile(
    rb"<!--(?:-?>|.*?(?:--!?>|\Z))"
    rb"|<(?:[!?]|/[^a-z>])[^>]*>?"
    rb"|<(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>]|\Z).*?(?:</\1(?=[\s/>])|\Z)"
    rb"|<(/?)([a-z][^\s/>]*)"
    rb"(?:\s+|/(?!>)|[^\s/>][^\s/>=]*(?:\s*=\s*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\s>\"'][^\s>]*)?)?)*(/?)>?",
    re.DOTALL | re.IGNORECASE,
)
_VOID = frozenset(name.encode() for name in VOID)
# libxml2 passes over an end tag if an element of a higher rank was opened since the one that it would close.
_RANK = {
    b"div": 1, b"td": 2, b"th": 2, b"tr": 3, b"thead": 4, b"tbody": 4, b"tfoot": 4, b"table": 5, b"head": 6, b"body": 6,
    b"html": 7,
}  # fmt: skip


def flatten(html: bytes, depth: int) -> bytes:
    """The same text with no element nested deeper than `depth`: the tags below that are left out; linear time."""
    parts: list[bytes] = []
    stack: list[bytes] = []  # names of the open elements, the dropped ones included
    places: dict[bytes, list[int]] = {}  # of each name, where in the stack
    position = 0
    for match in _MARKUP.finditer(html):
        closing, name, empty = match.group(2, 3, 4)
        if name is None:
            continue
        name = name.lower()
        if closing:
            keep = len(stack) <= depth
            if (place := _closed_by(name, places)) is not None:
                while len(stack) > place:  # everything opened since is closed too
                    places[stack.pop()].pop()
                keep = place < depth
        else:
            keep = len(stack) < depth
            if name not in _VOID and not empty:
                places.setdefault(name, []).append(len(stack))
                stack.append(name)
        if not keep:
            parts.append(html[position : match.start()])
            position = match.end()
    parts.append(html[position:])
    return b" ".join(parts)


def _closed_by(name: bytes, places: dict[bytes, list[int]]) -> int | None:
    """Where the element that an end tag of this name closes stands in the stack; None if it closes none."""
    if not places.get(name):
        return None
    place, rank = places[name][-1], _RANK.get(name, 0)
    if any(_RANK[other] > rank and places.get(other, [-1])[-1:] > [place] for other in _RANK):
        return None
    return place
