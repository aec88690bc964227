"""What the bytes of a page are: text that was kept, text that other pages have, too, the site's template, the rest.

Counted in the page's own charset, white space collapsed: what a text takes up in the page, not in the output.
"""

from __future__ import annotations

import numpy as np

from pipeline.outcomes import Bin
from transforms import Page, Selection
from transforms.arrays import Arrays, Ints
from transforms.render import unescape
from transforms.selection import Spans, runs
from transforms.sites import ALL, Masked
from transforms.sites.reasons import SHARED, Removed

_UTF8 = ("utf-8", "ascii")


def shares(masked: Masked, chosen: Selection, shared: str = ALL) -> dict[str, int]:
    """How many bytes of the page go where, by bin; `chosen` is what was kept of the page without its template.

    Text that several pages share is kept on `ALL` of them, or on one. Kept on all, it is told from other text that was
    kept; else from other text that was removed.
    """
    page = masked.whole
    whole = _text_size(page)
    left = _text_size(masked.page) if masked.removed else whole
    kept = min(_encoded_size(chosen.text, page.charset), page.html_size)
    gone = min(max(whole - left, 0), page.html_size - kept)
    elsewhere = min(_size_of(page, [block for block in masked.removed if block.rule == SHARED]), gone)
    here = min(_encoded_size(_shared_text(masked, chosen), page.charset), kept) if shared == ALL else 0
    return {
        Bin.TEXT.value: kept - here,
        Bin.SHARED.value: here + elsewhere,
        Bin.TEMPLATE.value: gone - elsewhere,
        Bin.BOILERPLATE.value: min(max(left - kept, 0), page.html_size - kept - gone),
    }


def _text_size(page: Page) -> int:
    return _size(page.arrays.text, page.charset)


def _size_of(page: Page, blocks: list[Removed]) -> int:
    """Bytes of the text of blocks, each with the white space that keeps it from the next."""
    arrays = page.arrays
    begin, end = _text_offsets(arrays, blocks)
    texts = [arrays.text[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
    return sum(_size(text, page.charset) + 1 for text in texts)


def _size(text: bytes, charset: str) -> int:
    collapsed = b" ".join(text.split())
    if charset in _UTF8 and b"&" not in collapsed:
        return len(collapsed)
    return _encoded_size(unescape(collapsed.decode("utf-8", "replace")), charset)


def _encoded_size(text: str, charset: str) -> int:
    # A character that the charset lacks stands in the page as a reference.
    return len(text.encode() if charset in _UTF8 else text.encode(charset, "xmlcharrefreplace"))


def _text_offsets(arrays: Arrays, blocks: list[Removed]) -> tuple[Ints, Ints]:
    """Where the text of these blocks begins and ends, in order."""
    blocks = sorted(blocks, key=lambda block: block.start)
    start = np.array([block.start for block in blocks], dtype=np.int64)
    end = np.array([block.end for block in blocks], dtype=np.int64)
    return arrays.text_offset(start), arrays.text_offset(end)


def _shared_text(masked: Masked, chosen: Selection) -> str:
    """What was kept of blocks that stand on other pages, too."""
    if not masked.shared:
        return ""
    shared = _places_left(masked)
    return Selection(chosen.page, chosen.extractor, _common(chosen.spans, shared)).text


def _places_left(masked: Masked) -> Spans:
    """The shared blocks as spans of the page without its template.

    A block keeps its place among the visible characters but for those of the blocks before it that were removed.
    """
    before, after = masked.whole.arrays, masked.page.arrays
    begin, end = (before.visible_before[offset] for offset in _text_offsets(before, list(masked.shared)))
    gone_begin, gone_end = (before.visible_before[offset] for offset in _text_offsets(before, list(masked.removed)))
    gone = np.concatenate(([0], np.cumsum(gone_end - gone_begin)))
    earlier = gone[np.searchsorted(gone_end, begin, side="right")]
    return Spans(_source_offset(after, begin - earlier), _source_offset(after, end - earlier))


def _source_offset(arrays: Arrays, character: Ints) -> Ints:
    """Where the visible characters with these numbers stand in the source; its end for what is beyond the last."""
    offset = np.searchsorted(arrays.visible_before, character, side="right") - 1
    tag = np.searchsorted(arrays.text_start, offset, side="right") - 1
    place: Ints = np.append(arrays.tag_end, len(arrays.source))[tag] + offset - arrays.text_start[tag]
    return place


def _common(one: Spans, other: Spans) -> Spans:
    """What lies in both."""
    edges = np.unique(np.concatenate((one.start, one.end, other.start, other.end)))
    inside = [
        np.searchsorted(spans.start, edges, side="right") > np.searchsorted(spans.end, edges, side="right")
        for spans in (one, other)
    ]
    chosen = (inside[0] & inside[1])[:-1]
    return runs(chosen, edges[:-1], edges[1:])
