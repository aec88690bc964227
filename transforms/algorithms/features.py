"""FeatureExtractor and K-FeatureExtractor: blocks by what they consist of (Debnath et al.)."""

from __future__ import annotations

import numpy as np

from transforms import tags
from transforms.algorithms.block import block_of_text, tag_range
from transforms.arrays import Arrays, Bools
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
    amounts = [arrays.length_after, *((table[arrays.tag_id] & arrays.starting) for table in _OTHER_FEATURES)]
    scaled = []
    for amount in amounts:
        before = np.concatenate(([0], np.cumsum(amount)))
        in_block = (before[last] - before[first]).astype(float)
        scaled.append(in_block / max(in_block.max(initial=0.0), 1.0))
    total = np.sum(scaled, axis=0)
    return scaled[0], scaled[0] / np.where(total > 0, total, 1.0)
