"""How much of the text is in links, and what an extractor may leave out of a page whose site is known."""

from __future__ import annotations

import numpy as np

from transforms import tags
from transforms.arrays import Arrays, Ints
from transforms.selection import Spans, texts_after, union

# A list of links: more than this share of its characters is in links.
MOSTLY_LINKS = 0.5
# An extractor's own choice stands if it keeps this share of the text outside lists of links. From 0.8 on all shares
# gain alike (bench/known_sites.py); with this one no extractor is worse than all text (bench/sites.py). `block` has a
# threshold for such pages of its own, and what it leaves out there is noise more often: it may leave out more.
LEAST_KEPT, LEAST_KEPT_BY_BLOCKS = 0.93, 0.6


def link_quota(arrays: Arrays) -> tuple[Ints, Ints, Ints]:
    """The number of the block that the text after tag k is in; then each block's characters, and those in links.

    A block reaches from one block-level tag to the next.
    """
    block = np.cumsum(tags.IS_BLOCK[arrays.tag_id], dtype=np.int64)
    size = int(block[-1]) + 1
    characters = np.bincount(block, weights=arrays.characters_after, minlength=size)
    linked = np.bincount(block, weights=arrays.characters_after * arrays.in_link, minlength=size)
    return block, characters.astype(np.int64), linked.astype(np.int64)


def unless_too_little(arrays: Arrays, spans: Spans, least: float = LEAST_KEPT) -> Spans:
    """The spans, if they hold at least this share of the page's text outside lists of links; else all that text, too.

    For pages from which the site's repeated blocks have been cut. The papers' methods part a page into content and a
    rest, and they find a rest even where nearly all that is left is content. CETR's section 6.5 names this weakness and
    asks that one first determine whether a page has any text that is not content.
    """
    whole = with_text_outside_links(arrays, spans)
    return spans if _characters(arrays, spans) >= least * _characters(arrays, whole) else whole


def with_text_outside_links(arrays: Arrays, spans: Spans, share: float = MOSTLY_LINKS) -> Spans:
    """The spans, and all blocks of which at most this share of the characters is in links."""
    block, characters, linked = link_quota(arrays)
    return union(spans, texts_after(arrays, (linked <= share * characters)[block]))


def _characters(arrays: Arrays, spans: Spans) -> int:
    """The visible characters in the spans."""
    before = arrays.visible_before
    return int((before[arrays.text_offset(spans.end)] - before[arrays.text_offset(spans.start)]).sum())
