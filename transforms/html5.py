"""The seam's second parser: lexbor, which reads pages as the HTML5 standard says (package selectolax, extra `html5`).

Faster than libxml2 on ordinary pages and without a nesting limit, but the standard's scope rules make it quadratic in
the depth of nesting: 100,000 nested elements take it 16 seconds. libxml2 stays the default.
"""

from __future__ import annotations

import re

from transforms.exceptions import UnknownParser
from transforms.metadata import Head, scripts
from transforms.tags import INVISIBLE, VOID

# What lexbor's serialiser writes besides escaped text: comments, instructions, elements whose text it does not escape,
# and tags (`>` is escaped in attribute values and never part of a name). <plaintext> goes to the end of the page.
_MARKUP = re.compile(
    rb"<!--.*?-->|<\?[^>]*>"
    rb"|(<xmp(?:\s[^>]*)?>)(.*?)(?=</xmp>)"
    rb"|(<plaintext(?:\s[^>]*)?>)(.*)(?=</plaintext>)"
    rb"|<([^>]*)>",
    re.DOTALL,
)
_VOID = re.compile(rb"(?:%b)(?=[\s>]|\Z)" % b"|".join(name.encode() for name in sorted(VOID)))


def read(utf8: bytes) -> tuple[bytes, Head]:
    """The canonical source of a page, and what its head says."""
    try:
        from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - an optional dependency
    except ImportError:
        raise UnknownParser("the parser 'lexbor' needs selectolax: pip install 'winnow[html5]'") from None
    tree = LexborHTMLParser(utf8)
    tree.strip_tags([*INVISIBLE])
    root, top, body = tree.root, tree.head, tree.body
    attributes = () if root is None else tuple((key, value or "") for key, value in root.attributes.items())
    head = Head(attributes, b"" if top is None else (top.html or "").encode("utf-8", "replace"), scripts(utf8))
    if body is not None:
        for unseen in body.css("title, noframes"):
            unseen.decompose()
    html = "" if body is None else body.html or ""
    return _MARKUP.sub(_as_xml, html.encode("utf-8", "replace")).replace(b"&nbsp;", b"\xc2\xa0"), head


def _as_xml(match: re.Match[bytes]) -> bytes:
    tag, raw, inside = match[1] or match[3], match[2] or match[4], match[5]
    if tag:
        raw = (raw or b"").replace(b"&", b"&amp;").replace(b"<", b"&lt;").replace(b">", b"&gt;")
        return tag.replace(b"\n", b" ") + raw
    if inside is None:
        return b""
    if inside.startswith(b"/") and _VOID.match(inside, 1):  # in MathML they have end tags
        return b""
    inside = inside.replace(b"\n", b" ")  # only text has lines
    return b"<%b/>" % inside if _VOID.match(inside) else b"<%b>" % inside
