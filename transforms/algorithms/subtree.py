"""Choosing by the tree: composite text density, link quota, largest size increase."""

from __future__ import annotations

import numpy as np

from transforms.arrays import Arrays
from transforms.clusters import Floats
from transforms.links import link_quota
from transforms.page import Page
from transforms.registry import Within, extractors
from transforms.selection import Spans, element, nothing, texts_after


@extractors.add("cetd-ds", "Sun, Song, Liao: DOM Based Content Extraction via Text Density (2011)")
def cetd_ds(page: Page) -> Spans:
    """The subtree of the element with the largest density sum.

    Text density is characters per tag in the subtree, a childless element counting one tag; the density sum of an
    element is that of its children's densities. Of equal sums the first in the document counts.
    """
    arrays = page.arrays
    if not arrays.characters_after.any():
        return nothing()
    elements = np.flatnonzero(arrays.starting & (arrays.parent >= 0))
    total = np.zeros(arrays.count)
    np.add.at(total, arrays.parent[elements], text_density(arrays)[elements])
    return element(arrays, int(np.argmax(total)))


def text_density(arrays: Arrays) -> Floats:
    """Characters per tag below the element that tag k begins."""
    tags_below = arrays.subtree(arrays.starting.astype(np.int64)) - 1
    return arrays.subtree(arrays.length_after) / np.maximum(tags_below, 1)


@extractors.add("lqf", "Mantratzis, Orgun, Cassidy (2005), as compared in Weninger et al.", threshold=Within(0, 1))
def lqf(page: Page, *, threshold: float = 0.5) -> Spans:
    """All text but blocks of which more than `threshold` of the characters are in links.

    The seeds give no figure; from 0.3 to 0.6 it measures the same.
    """
    arrays = page.arrays
    block, characters, linked = link_quota(arrays)
    return texts_after(arrays, (linked <= threshold * characters)[block])


@extractors.add("lsi", "Han, Buttler, Pu: Wrapping Web Data into XML (2001), as compared in Weninger et al.")
def lsi(page: Page) -> Spans:
    """The subtree that adds most visible text to what its largest child has.

    Of equal increases the first in the document counts.
    """
    arrays = page.arrays
    if not arrays.characters_after.any():
        return nothing()
    size = arrays.subtree(arrays.characters_after)
    largest_child = np.zeros(arrays.count, dtype=np.int64)
    elements = np.flatnonzero(arrays.starting & (arrays.parent >= 0))
    np.maximum.at(largest_child, arrays.parent[elements], size[elements])
    return element(arrays, int(np.argmax(size - largest_child)))
