"""Whether a payload is an HTML page: what it begins with counts more than what the server calls it.

After the WHATWG's MIME Sniffing Standard, sections 7 and 8, with one difference: a payload that plainly begins as an
HTML document is one whatever its label, for a crawl meets many wrong labels and no scripts that could do harm.
"""

from __future__ import annotations

import re

HEAD_BYTES = 2048  # the standard reads 1,445

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
# Labels that say nothing: servers give them to what they do not know.
UNKNOWN_TYPES = frozenset(
    {"", "unknown/unknown", "application/unknown", "*/*", "application/octet-stream", "text/plain", "text/xml",
     "application/xml"}
)  # fmt: skip

# What may stand before the first tag: white space, comments, an XML declaration and other processing instructions.
_SKIPPED = re.compile(rb"(?:[\s\x00]+|<!--.*?-->|<\?.{0,500}?>){0,20}", re.DOTALL)
_DOCUMENT = re.compile(rb"<(?:!doctype\s+html|html)(?=[\s/>\[]|\Z)", re.IGNORECASE)
_TAG = re.compile(
    rb"<(?:!doctype\s+html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta|link|ul|center|span"
    rb"|article|main|section|header|nav|form|img)(?=[\s/>])",
    re.IGNORECASE,
)
# Other kinds of XML, and of text, that servers call HTML.
_OTHER = re.compile(
    rb"<(?:rss|feed|urlset|sitemapindex|rdf:rdf|svg|opml|\w{0,20}:?envelope|wsdl:\w{1,20})[\s/>]|[{\[]\s*[\"\]{}]|%PDF-|%!PS-|\{\\rtf",
    re.IGNORECASE,
)
_BINARY = (
    b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"RIFF", b"PK\x03\x04", b"\x1f\x8b", b"Rar!", b"7z\xbc\xaf", b"\x00asm",
    b"OggS", b"ID3", b"\x7fELF", b"MZ\x90", b"wOFF", b"wOF2", b"\x00\x00\x01\x00", b"BM", b"\xd0\xcf\x11\xe0", b"CWS",
    b"FWS", b"\x1a\x45\xdf\xa3", b"II*\x00", b"MM\x00*", b"fLaC", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd",
)  # fmt: skip
_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
# Section 7.1 of the standard: bytes that no text has. 0x1B begins the escape sequences of ISO-2022.
_NOT_TEXT = bytes([*range(9), 0x0B, *range(0x0E, 0x1B), *range(0x1C, 0x20)])
# Pages with a few stray control characters are pages.
MAX_CONTROLS = 0.05


def media_type(content_type: str | None) -> str:
    """The type itself, in lower case, without its parameters."""
    return (content_type or "").partition(";")[0].strip().lower()


def is_html(payload: bytes, content_type: str | None) -> bool:
    """Whether the payload is an HTML or XHTML page."""
    head = _beginning(payload)
    if _DOCUMENT.match(head):
        return True
    kind = media_type(content_type)
    if kind not in HTML_TYPES and kind not in UNKNOWN_TYPES:
        return False
    if _is_binary(payload) or _OTHER.match(head):
        return False
    return kind in HTML_TYPES or bool(_TAG.match(head))


def _beginning(payload: bytes) -> bytes:
    """The first bytes, from the first tag or text on, in ASCII as far as they are."""
    head = payload[:HEAD_BYTES]
    utf16 = _UTF16.get(head[:2])
    if utf16:
        head = head[2:].decode(utf16, "ignore").encode("ascii", "replace")
    head = head.removeprefix(b"\xef\xbb\xbf")
    skipped = _SKIPPED.match(head)
    return head[skipped.end() :] if skipped else head


def _is_binary(payload: bytes) -> bool:
    head = payload[:HEAD_BYTES]
    if head[:2] in _UTF16:
        return False
    if head.startswith(_BINARY):
        # Short signatures begin words, too.
        return not _looks_like_text(head) or head.startswith((b"%PDF", b"\x89PNG", b"PK\x03\x04", b"\x1f\x8b"))
    return not _looks_like_text(head)


def _looks_like_text(head: bytes) -> bool:
    controls = len(head) - len(head.translate(None, _NOT_TEXT))
    return controls <= MAX_CONTROLS * len(head)
