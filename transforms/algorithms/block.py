"""BlockExtractor: segmentation into BLE&IE blocks, then densities inside each (Lin, Chen, Niu)."""

from __future__ import annotations

import numpy as np

from transforms.arrays import Arrays, Bools, Ints
from transforms.clusters import Floats
from transforms.links import LEAST_KEPT_BY_BLOCKS
from transforms.page import Page
from transforms.registry import Within, extractors
from transforms.segmentation import Blocks, segment
from transforms.selection import Spans, texts_after

PAPER = "Lin, Chen, Niu: Combining a Segmentation-Like Approach and a Density-Based Approach (2012)"


@extractors.add(
    "block",
    PAPER,
    LEAST_KEPT_BY_BLOCKS,
    threshold=Within(0, 1_000_000),
    site_threshold=Within(0, 1_000_000),
)
def block(page: Page, *, threshold: float = 1.5, site_threshold: float = 0.4) -> Spans:
    """Blocks, and block-level elements in them, with more than `threshold` characters of text a character of tags.

    An element is content iff its own density and those of its ancestors within its block exceed the threshold;
    inline elements and texts go with the element that they lie in (Algorithm 2).

    Deviations: the third step, removing what a site repeats, needs other pages of the site and comes first, as a step
    of its own (transforms/sites). On a page that has been through it `site_threshold` counts: most noise is gone, and
    the paper's threshold would cost more content than it removes noise. A `threshold` that is given counts there, too.
    """
    arrays = page.arrays
    threshold = site_threshold if page.site_known else threshold
    blocks = segment(arrays)
    if not len(blocks):
        return texts_after(arrays, np.zeros(arrays.count, dtype=bool))
    content = block_of_text(arrays, blocks, block_density(arrays, blocks) > threshold)
    noise = arrays.starts_block & ~blocks.recursed & (element_density(arrays) <= threshold)
    return texts_after(arrays, content & (arrays.enclosing(noise) == 0))


def _density(text: Ints, tag: Ints) -> Floats:
    return text / np.maximum(tag, 1)


def element_density(arrays: Arrays) -> Floats:
    """Definition 2 for the element that tag k begins: text length over tag length, both summed over its subtree."""
    return _density(arrays.subtree(arrays.length_after), arrays.subtree(arrays.name_and_attributes))


def block_density(arrays: Arrays, blocks: Blocks) -> Floats:
    """Definition 2 for each block: its children, and the copy of N that is its root."""
    text = np.concatenate(([0], np.cumsum(arrays.length_after)))
    tag = np.concatenate(([0], np.cumsum(arrays.name_and_attributes)))
    first, last = tag_range(arrays, blocks)
    last_tag = np.where(blocks.last_is_text, blocks.last, arrays.partner[blocks.last])
    inside = tag[last_tag + 1] - tag[first + blocks.first_is_text]
    return _density(text[last] - text[first], arrays.name_and_attributes[blocks.root] + inside)


def tag_range(arrays: Arrays, blocks: Blocks) -> tuple[Ints, Ints]:
    """For each block the tags [first, last) after which its texts stand."""
    return blocks.first, np.where(blocks.last_is_text, blocks.last + 1, arrays.partner[blocks.last])


def block_of_text(arrays: Arrays, blocks: Blocks, chosen: Bools) -> Bools:
    """Whether the text after tag k lies in one of the chosen blocks."""
    first, last = tag_range(arrays, blocks)
    step = np.zeros(arrays.count + 1, dtype=np.int64)
    np.add.at(step, first[chosen], 1)
    np.add.at(step, last[chosen], -1)
    return np.cumsum(step)[:-1] > 0
