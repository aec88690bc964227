"""A decoder of content codings that dies, hangs or eats memory on bodies that ask for it: a faulty zlib."""

from __future__ import annotations

from deadly import go_wrong

from pipeline import codings

_decode = codings.decode


def decode(name: str, body: bytes, limit: int) -> codings.Decoded:
    """As codings.decode, unless the body says how to go wrong."""
    go_wrong(body)
    return _decode(name, body, limit)


codings.decode = decode
