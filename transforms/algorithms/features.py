"""FeatureExtractor and K-FeatureExtractor: blocks by what they consist of (Debnath et al.)."""

from __future__ import annotations

import numpy as np

from transforms import tags
from transforms.algorithms.block import block_of_text, tag_range
from transforms.arrays import Arrays, Bools, Ints
from transforms.clusters import Floats, k_means_from_origin
from transforms.page import Page
from transforms.registry import extractors, whole
from transforms.segmentation import Blocks, segment
from transforms.selection import Spans, nothing, texts_after

PAPER = "Debnath, Mitra, Giles: Automatic Extraction of Informative Blocks (2005), as compared in Weninger et al."

# What a block can consist of besides text. Scripts, a feature of the paper, are gone from the canonical source.
_OTHER_FEATURES = (
    tags.members("a"),
    tags.members("img", "picture"),
    tags.members(*tags.LISTS),
    tags.members("table", "tr", "td", "th"),
    tags.members("input", "select", "option", "button", "textarea", "form"),
)


@extractors.add("fe", PAPER)
def fe(page: Page) -> Spans:
    """The block with most text among those in which text outweighs links, images, lists, tables and form fields."""
    arrays = page.arrays
    blocks = segment(arrays)
    text, share = text_features(arrays, blocks)
    if not len(text) or text.max() <= 0:
        return nothing()
    winners = _winners(text, share)
    best = np.arange(len(text)) == int(np.argmax(np.where(winners, text, -1.0)))
    return texts_after(arrays, block_of_text(arrays, blocks, best))


@extractors.add("kfe", PAPER, k=whole(2, 20))
def kfe(page: Page, *, k: int = 3) -> Spans:
    """The blocks in which text outweighs the rest, less the cluster of those with least text (k-means)."""
    arrays = page.arrays
    blocks = segment(arrays)
    text, share = text_features(arrays, blocks)
    if not len(text) or text.max() <= 0:
        return nothing()
    winners = np.flatnonzero(_winners(text, share))
    chosen = np.zeros(len(text), dtype=bool)
    chosen[winners[k_means_from_origin(text[winners], share[winners] * text[winners], k) > 0]] = True
    return texts_after(arrays, block_of_text(arrays, blocks, chosen))


def _winners(text: Floats, share: Floats) -> Bools:
    """Blocks that are text by more than half; if none is, all compete."""
    winners = (share > 0.5) & (text > 0)
    return winners if winners.any() else text > 0


def text_features(arrays: Arrays, blocks: Blocks) -> tuple[Floats, Floats]:
    """For each block its amount of text relative to the page's largest, and the share of text among its features.

    Each feature is divided by its largest value on the page, as the paper does, to make them comparable.
    """
    first, last = tag_range(arrays, blocks)
    # The tag before a text that begins a block is not in it; an empty element that ends one is.
    tags_in_block = first + blocks.first_is_text, last + ~blocks.last_is_text
    scaled = [_scaled(arrays.length_after, first, last)]
    scaled += [
        _scaled((table[arrays.tag_id] & arrays.starting).astype(np.int64), *tags_in_block) for table in _OTHER_FEATURES
    ]
    total = np.sum(scaled, axis=0)
    return scaled[0], scaled[0] / np.where(total > 0, total, 1.0)


def _scaled(amount: Ints, first: Ints, last: Ints) -> Floats:
    """The sum over [first, last) for each block, in parts of the largest one."""
    before = np.concatenate(([0], np.cumsum(amount)))
    in_block: Ints = before[last] - before[first]
    return in_block / max(int(in_block.max(initial=0)), 1)
