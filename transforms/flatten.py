"""Limits the nesting of HTML by dropping tags, never text: for the pages that a parser would otherwise cut short."""

from __future__ import annotations

import re

from transforms.tags import BLOCKS, VOID

# A comment, what browsers take for one (<?php ... >), a raw-text element (its content is no markup), or a tag with its
# attributes: a quotation mark counts only where a value begins. No alternative can fail once it has begun, so the scan
# is linear; beyond 1,000 attributes, which cost memory, a tag goes on to the next `>`.
_MARKUP = re.compile(
    rb"<!--(?:-?>|.*?(?:--!?>|\Z))"
    rb"|<(?:[!?]|/[^a-z>])[^>]*>?"
    rb"|<(script|style|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>]|\Z).*?(?:</\1(?=[\s/>])|\Z)"
    rb"|<plaintext(?=[\s/>]).*"
    rb"|<(/?)([a-z][^\s/>]*)"
    rb"(?:\s+|/(?!>)|[^\s/>][^\s/>=]*(?:\s*=\s*(?:\"[^\"]*(?:\"|\Z)|'[^']*(?:'|\Z)|[^\s>\"'][^\s>]*)?)?){0,1000}"
    rb"(/?)[^>]*>?",
    re.DOTALL | re.IGNORECASE,
)
_VOID = frozenset(name.encode() for name in VOID)
_BLOCKS = frozenset(name.encode() for name in BLOCKS)
# A page has one of each, which ends with the page: their end tags can go.
_PAGE = frozenset([b"html", b"head", b"body"])


def flatten(html: bytes, depth: int) -> bytes:
    """The same text with no element nested deeper than `depth`, for tags below that only line breaks; linear time.

    What is left is properly nested, so that parsers have nothing to repair: that would nest it deeper than it looks.
    """
    parts: list[bytes] = []
    stack: list[bytes] = []  # names of the open elements, the dropped ones included
    open_names: dict[bytes, int] = {}
    position = 0
    for match in _MARKUP.finditer(html):
        closing, name, empty = match.group(2, 3, 4)
        if name is None or ((name := name.lower()) in _PAGE and not closing):
            continue
        instead = b"<br/>" if name in _BLOCKS else b"<wbr/>"
        if closing and open_names.get(name):
            end_tags = b""
            top = None
            while top != name:  # everything opened since is closed too
                top = stack.pop()
                open_names[top] -= 1
                if len(stack) < depth:
                    end_tags += b"</%b>" % top
            instead = end_tags or instead
        elif not closing:
            keep = len(stack) < depth
            if name in _VOID:
                instead = match.group().removesuffix(b">") + b" />"  # libxml2 knows not all of them
            elif not empty:
                stack.append(name)
                open_names[name] = open_names.get(name, 0) + 1
            if keep and name not in _VOID:
                continue
        parts += html[position : match.start()], instead
        position = match.end()
    parts.append(html[position:])
    return b"".join(parts)
