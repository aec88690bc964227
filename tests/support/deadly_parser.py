"""A parser that dies, hangs or eats memory on pages that ask for it: what a fault in lxml would do to every step."""

from __future__ import annotations

from typing import Any

from deadly import go_wrong

from transforms.page import Page

_parse = Page.parse


def parse(raw: bytes, *arguments: Any, **named: Any) -> Page:
    """As Page.parse, unless the page says how to go wrong."""
    go_wrong(raw)
    return _parse(raw, *arguments, **named)


Page.parse = parse  # type: ignore[method-assign,assignment]
