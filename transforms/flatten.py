"""Limits the nesting of HTML by dropping tags, never text: for the pages that a parser would otherwise cut short."""

from __future__ import annotations

import re

from transforms.tags import VOID

# A comment, a raw-text element (its content is no markup), or a tag with quoted attribute values. Every alternative
# consumes at least one byte and none can match the same bytes in two ways, so the scan is linear.
_MARKUP = re.compile(
    rb"<!--.*?(?:-->|\Z)"
    rb"|<(script|style|textarea|title|xmp|iframe|noembed|noframes)\b.*?(?:</\1|\Z)"
    rb"|<(/?)([a-zA-Z][^\s/>]*)(?:[^>\"']|\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z))*>?",
    re.DOTALL | re.IGNORECASE,
)
_VOID = frozenset(name.encode() for name in VOID)


def flatten(html: bytes, depth: int) -> bytes:
    """The same text with no element nested deeper than `depth`: the tags below that are left out; linear time."""
    parts: list[bytes] = []
    stack: list[bytes] = []  # names of the open elements, the dropped ones included
    open_names: dict[bytes, int] = {}
    position = 0
    for match in _MARKUP.finditer(html):
        closing, name = match.group(2), match.group(3)
        if name is None:
            continue
        name = name.lower()
        if closing:
            keep = len(stack) <= depth
            if open_names.get(name):
                while True:  # everything opened since is closed too, as in the parser
                    top = stack.pop()
                    open_names[top] -= 1
                    if top == name:
                        break
                keep = len(stack) < depth
        else:
            keep = len(stack) < depth
            if name not in _VOID and not match.group().endswith(b"/>"):
                stack.append(name)
                open_names[name] = open_names.get(name, 0) + 1
        if not keep:
            parts.append(html[position : match.start()])
            position = match.end()
    parts.append(html[position:])
    return b" ".join(parts)
