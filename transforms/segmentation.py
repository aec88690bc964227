"""BLE&IE blocks: Algorithm 1 of BlockExtractor (seeds/002), for all rows of siblings of a page at once.

The paper's pseudo code pushes the children of a node N on a stack while the row of their types matches

    (IE|text)* p? q* | l* | t*

and cuts where it no longer does; what was cut off is reconstructed under a copy of N, and a child that matches nothing
by itself is recursed into. Whether a child may follow the one before it depends on the types of these two alone, so
every cut of the page is one comparison of neighbours, and recursion is a sum over ancestors.

Readings where the paper is ambiguous or today's pages go beyond it:

- The definition prints (IE|text)*p?q*l*t*, a sequence, the pseudo code alternatives. Here `l` and `t` are alternatives
  to the first part: "list elements always stay together, as do basic text elements" (observation 6).
- p is a block-level element with inline elements and perhaps text in it and no block-level element at any depth, q one
  with nothing but text. List elements and basic text elements are l and t whatever is in them.
- An inline element with a block-level one inside (<a><div>) counts as block-level: the paper's inline elements hold
  only text and inline elements.
- White space is no text. So each visible character lies in exactly one block.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from transforms import tags
from transforms.arrays import Arrays, Bools, Ints

IE, TEXT, P, Q, L, T, OTHER = range(7)
NAMES = ("IE", "text", "p", "q", "l", "t", "other")

# MAY_FOLLOW[x, y]: y may be pushed after x.
MAY_FOLLOW = np.zeros((7, 7), dtype=bool)
for _x, _following in ((IE, (IE, TEXT, P, Q)), (TEXT, (IE, TEXT, P, Q)), (P, (Q,)), (Q, (Q,)), (L, (L,)), (T, (T,))):
    MAY_FOLLOW[_x, _following] = True


@dataclass(frozen=True)
class Blocks:
    """The blocks of a page in document order."""

    recursed: Bools  # for every tag of the page: whether it begins an element that was recursed into
    root: Ints  # the start tag of N, of which the block's root is a copy
    first: Ints  # the first and the last of N's children in the block, each a start tag,
    last: Ints  # or the tag before a text
    first_is_text: Bools
    last_is_text: Bools
    start: Ints  # source offsets of the block without its root
    end: Ints

    def __len__(self) -> int:
        return len(self.root)


def kinds(arrays: Arrays) -> Ints:
    """The type of the element that tag k begins; meaningless for end tags."""
    ids = arrays.tag_id
    block = arrays.starts_block
    blocks_inside = arrays.subtree(block.astype(np.int32)) - block
    holds_elements = arrays.partner > np.arange(1, arrays.count + 1)  # its end tag is not the very next one
    kind = np.where(block, np.where(holds_elements, P, Q), IE)
    kind[blocks_inside > 0] = OTHER
    kind[tags.IS_LIST[ids]] = L
    kind[tags.IS_BASIC_TEXT[ids]] = T
    kind[0] = OTHER  # the root, whatever it is, is where the recursion begins
    return kind


def segment(arrays: Arrays) -> Blocks:
    """Algorithm 1, DOM2Blocks, on the whole page."""
    kind = kinds(arrays)
    starting = arrays.starting
    # Inside an element that is not recursed into there are no rows to cut.
    settled = arrays.enclosing(starting & (kind != OTHER))
    own = settled - (starting & ~arrays.empty & (kind != OTHER))  # how many enclose the element of tag k itself
    recursed = starting & (own == 0) & (kind == OTHER)
    elements = np.flatnonzero(starting & (own == 0) & (arrays.parent >= 0))
    texts = np.flatnonzero((settled == 0) & (arrays.characters_after > 0))
    if not len(elements) + len(texts):
        none = np.empty(0, dtype=np.int64)
        return Blocks(recursed, none, none, none, none.astype(bool), none.astype(bool), none, none)
    tag = np.concatenate((elements, texts))
    item_kind = np.concatenate((kind[elements], np.full(len(texts), TEXT)))
    root = np.concatenate((arrays.parent[elements], arrays.container[texts]))
    is_text = np.arange(len(tag)) >= len(elements)
    place = 2 * tag + is_text  # an element stands before the text after it
    order = np.argsort(root * (2 * arrays.count) + place)  # row by row
    tag, item_kind, root, is_text = tag[order], item_kind[order], root[order], is_text[order]
    cut = np.concatenate(([True], (root[1:] != root[:-1]) | ~MAY_FOLLOW[item_kind[:-1], item_kind[1:]]))
    first = np.flatnonzero(cut)
    last = np.append(first[1:], len(tag)) - 1
    real = item_kind[first] != OTHER
    first, last = first[real], last[real]
    by_position = np.argsort(place[order][first])
    first, last = first[by_position], last[by_position]
    text_end = np.append(arrays.tag_start[1:], len(arrays.source))
    return Blocks(
        recursed=recursed,
        root=root[first],
        first=tag[first],
        last=tag[last],
        first_is_text=is_text[first],
        last_is_text=is_text[last],
        start=np.where(is_text[first], arrays.tag_end[tag[first]], arrays.tag_start[tag[first]]),
        end=np.where(is_text[last], text_end[tag[last]], arrays.tag_end[arrays.partner[tag[last]]]),
    )
