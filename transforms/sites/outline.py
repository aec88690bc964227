"""The blocks of a page as a site knows them: what each says, and where it stands.

Two names for every block, both numbers of 64 bits that are the same in every process:

- its *fingerprint*: the block as a labelled ordered tree, elements labelled by name and class, texts by what they say
  (white space does not count). Blocks with one fingerprint are the same block.
- its *slot*: where it stands, by names, classes and ids of the elements around it and of its first child, numbers in
  them left out. Blocks with one slot are printed by one line of the site's template, whatever they say.

A third number names its *container*, the element that it lies in: the slot without the first child.

Everything is computed for all blocks of a page at once. Sums of powers, taken modulo 2**64, name any stretch of a page
by two look-ups; they are no cryptography: a page can be made to collide with others of its own site, and gains nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise

import numpy as np

from transforms import tags
from transforms.algorithms.block import tag_range
from transforms.arrays import WHITE, Arrays, Bools, Ints
from transforms.page import Page
from transforms.pqgrams import Hashes, mix
from transforms.render import unescape
from transforms.segmentation import Blocks, segment
from transforms.trees import Tree, from_preorder

# Elements around a block that name its slot. In layouts of nested tables without classes fewer mix up menus and posts.
SLOT_DEPTH = 6
# Characters of what stands on a button. What is longer is a text that a button folds.
BUTTON = 30
# A row of a table with so many cells of text outside links holds data.
CELLS_OF_DATA = 3

_CLASS = re.compile(rb'\sclass="([^"]*)"')
_ID = re.compile(rb'\sid="([^"]*)"')
_NAME = re.compile(rb"<([^\s/>]+)")
_OF_THE_PAGE = frozenset((b"html", b"body"))  # their classes say which page it is, not where a block stands
_DIGITS = re.compile(rb"\d+")
# As WHITE, with what numbers, dates and times are made of.
NUMBERS = bytes(1 if chr(byte) in "0123456789.,:/-" else white for byte, white in enumerate(WHITE))
_DIGIT = bytes(byte in b"0123456789" for byte in range(256))
_TEXT_CHILD = np.uint64(0xA0761D6478BD642F)

# Odd numbers without a pattern, and their inverses modulo 2**64.
_PLACE, _DEPTH, _LETTER = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xC2B2AE3D27D4EB4F
_STEP = np.uint64(_PLACE)


@dataclass(frozen=True)
class Outline:
    """The blocks of a page, each with its names and measures, in document order."""

    page: Page
    blocks: Blocks
    fingerprint: Hashes
    blanked: Hashes  # the same for blocks that differ in numbers only
    slot: Hashes
    container: Hashes
    characters: Ints  # of text, white space collapsed
    linked: Ints  # of these, characters inside links
    digits: Ints  # of text
    links: Ints  # how many
    opens: Bools  # whether it begins with a link, and is no row of a table
    data: Bools  # whether it is a row of a table that holds data
    heading: Bools  # whether it is nothing but headings
    # The nodes of the page in pre-order, elements and texts; each block is a stretch of them, below its root.
    node_label: Hashes
    blanked_label: Hashes  # with the numbers in texts left out
    node_depth: Ints
    node_length: Ints  # characters of a text; 0 for an element
    first_node: Ints
    end_node: Ints
    root_label: Hashes
    text_begin: Ints  # text offsets of what each block says
    text_end: Ints

    def __len__(self) -> int:
        return len(self.fingerprint)

    def size(self, block: int) -> int:
        """The number of nodes of a block's tree."""
        return int(self.end_node[block] - self.first_node[block]) + 1

    def tree(self, block: int) -> Tree:
        """The block as a tree: its root, and all that is in it. Numbers in its texts are left out."""
        inside = slice(self.first_node[block], self.end_node[block])
        depth = self.node_depth[inside].astype(np.int64)
        labels = self.blanked_label[inside].view(np.int64)
        root = self.page.arrays.depth[self.blocks.root[block]]
        return from_preorder(np.append(0, depth - root), np.append(self.root_label[block].view(np.int64), labels))

    def texts(self, block: int) -> dict[int, int]:
        """The labels of the texts in the block's tree, each with its length."""
        inside = slice(self.first_node[block], self.end_node[block])
        length = self.node_length[inside]
        labels = self.blanked_label[inside].view(np.int64)
        return dict(zip(labels[length > 0].tolist(), length[length > 0].tolist(), strict=True))

    def text(self, block: int, most: int) -> str:
        """The first characters of what the block says, for people."""
        arrays = self.page.arrays
        begin = int(self.text_begin[block])
        end = min(int(self.text_end[block]), begin + 8 * most)
        inside = slice(*np.searchsorted(arrays.text_start, (begin, end)))
        ends_word = tags.IS_BREAK[arrays.tag_id[inside]] | tags.IS_CELL[arrays.tag_id[inside]]
        cuts = [begin, *arrays.text_start[inside][ends_word].tolist(), end]
        said = b" ".join(arrays.text[a:b] for a, b in pairwise(cuts))
        return unescape(" ".join(said.decode("utf-8", "ignore").split()))[:most]


def outline(page: Page) -> Outline:
    """Name and measure every block of a page. Linear in its length."""
    arrays = page.arrays
    blocks = segment(arrays)
    label, place = _element_labels(arrays)
    key, node_label, node_depth, node_length = _nodes(arrays, label)
    texts = np.flatnonzero(key & 1)
    blanked_label = node_label.copy()
    blanked_label[texts] = _text_labels(arrays, key[texts] >> 1, NUMBERS)
    first_node, end_node = _node_range(arrays, blocks, key)
    first, last = tag_range(arrays, blocks)
    slot, container = _slots(arrays, blocks, place)
    leading = _leading(arrays)
    cells = _sums(_cells(arrays, leading), first, last)
    return Outline(
        page=page,
        blocks=blocks,
        fingerprint=_fingerprints(arrays, blocks, label, (node_label, node_depth), (first_node, end_node)),
        blanked=_fingerprints(arrays, blocks, label, (blanked_label, node_depth), (first_node, end_node)),
        slot=slot,
        container=container,
        characters=_sums(arrays.length_after, first, last),
        linked=_sums(arrays.length_after * leading, first, last),
        digits=_digits(arrays, first, last),
        links=_sums((arrays.starting & tags.IS_LINK[arrays.tag_id]).astype(np.int64), first, last),
        opens=_opening(arrays, first, last) & (cells == 0),
        data=cells >= CELLS_OF_DATA,
        heading=_sums(arrays.length_after * _outside_headings(arrays), first, last) == 0,
        node_label=node_label,
        blanked_label=blanked_label,
        node_depth=node_depth,
        node_length=node_length,
        first_node=first_node,
        end_node=end_node,
        root_label=label[blocks.root],
        text_begin=arrays.text_start[first],
        text_end=arrays.text_start[last],
    )


def _element_labels(arrays: Arrays) -> tuple[Hashes, Hashes]:
    """For every start tag a number for name and class, and one for name, class and id without digits."""
    label = np.zeros(arrays.count, dtype=np.uint64)
    place = np.zeros(arrays.count, dtype=np.uint64)
    known: dict[bytes, tuple[int, int]] = {}
    starts = np.flatnonzero(arrays.starting)
    source = arrays.source
    raws = [
        source[a:b] for a, b in zip(arrays.tag_start[starts].tolist(), arrays.tag_end[starts].tolist(), strict=True)
    ]
    found = []
    for raw in raws:
        names = known.get(raw)
        if names is None:
            names = known[raw] = _names(raw)
        found.append(names)
    both = np.array(found, dtype=np.uint64).reshape(-1, 2)
    label[starts], place[starts] = both[:, 0], both[:, 1]
    return label, place


def _names(tag: bytes) -> tuple[int, int]:
    name = _NAME.match(tag)
    classes, identity = _CLASS.search(tag), _ID.search(tag)
    if name and name[1] in _OF_THE_PAGE:
        return (number := _number(name[1])), number
    words = sorted(_DIGITS.sub(b"0", classes[1]).split()) if classes else []
    written = b" ".join((name[1] if name else b"", *words))
    label = _number(written)
    # Beside a class an id says little about the place, and often what the page is about.
    return label, _number(written + b"#" + _DIGITS.sub(b"0", identity[1])) if identity and not words else label


def _number(data: bytes) -> int:
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def _text_labels(arrays: Arrays, tag: Ints, unseen: bytes = WHITE) -> Hashes:
    """A number for what the text after each of these tags says, without the characters that are not to be seen."""
    text = np.frombuffer(arrays.text, dtype=np.uint8)
    seen = np.frombuffer(arrays.text.translate(unseen), dtype=np.uint8) == 0
    before = np.concatenate(([0], np.cumsum(seen)))
    letters = text[seen].astype(np.uint64) + np.uint64(1)
    power, inverse = _powers(_LETTER, len(letters) + 1)
    total = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(letters * power[:-1])))
    first, last = before[arrays.text_start[tag]], before[arrays.text_start[tag + 1]]
    return mix((total[last] - total[first]) * inverse[first] + (last - first).astype(np.uint64) * _STEP)


def _nodes(arrays: Arrays, label: Hashes) -> tuple[Ints, Hashes, Ints, Ints]:
    """All elements and texts in pre-order: place (twice the tag, and one more for a text), label, depth, length."""
    elements = np.flatnonzero(arrays.starting)
    texts = np.flatnonzero(arrays.characters_after > 0)
    key = np.concatenate((2 * elements, 2 * texts + 1))
    order = np.argsort(key)
    labels = np.concatenate((label[elements], _text_labels(arrays, texts)))
    inside = arrays.depth[arrays.container[texts]].astype(np.int64) + 1
    depth = np.concatenate((arrays.depth[elements].astype(np.int64), inside))
    length = np.concatenate((np.zeros(len(elements), dtype=np.int64), arrays.length_after[texts]))
    return key[order], labels[order], depth[order], length[order]


def _node_range(arrays: Arrays, blocks: Blocks, key: Ints) -> tuple[Ints, Ints]:
    begin = 2 * blocks.first + blocks.first_is_text
    end = np.where(
        blocks.last_is_text, 2 * blocks.last + 2, np.maximum(2 * arrays.partner[blocks.last], 2 * blocks.last + 1)
    )
    return np.searchsorted(key, begin), np.searchsorted(key, end)


def _fingerprints(
    arrays: Arrays, blocks: Blocks, label: Hashes, nodes: tuple[Hashes, Ints], span: tuple[Ints, Ints]
) -> Hashes:
    """One number for labels and shape of each block, its root included."""
    if not len(blocks):
        return np.empty(0, dtype=np.uint64)
    node_label, node_depth = nodes
    first, end = span
    power, inverse = _powers(_PLACE, len(node_label) + 1)
    deep, shallow = _powers(_DEPTH, int(node_depth.max(initial=0)) + 2)
    total = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(mix(node_label) * deep[node_depth] * power[:-1])))
    inside = (total[end] - total[first]) * inverse[first] * shallow[arrays.depth[blocks.root]]
    return mix(inside + mix(label[blocks.root]) + (end - first).astype(np.uint64) * _STEP)


def _slots(arrays: Arrays, blocks: Blocks, place: Hashes) -> tuple[Hashes, Hashes]:
    """One number for where each block stands, and one for the element that it lies in."""
    if not len(blocks):
        return np.empty(0, dtype=np.uint64), np.empty(0, dtype=np.uint64)
    around = np.append(place, np.uint64(0))  # the last one is that of no element, -1
    parent = np.append(arrays.parent, -1)
    slot = np.where(blocks.first_is_text, _TEXT_CHILD, place[blocks.first])
    container = np.zeros(len(blocks), dtype=np.uint64)
    element = blocks.root
    for _ in range(SLOT_DEPTH):
        slot = mix(slot * _STEP + around[element])
        container = mix(container * _STEP + around[element])
        element = parent[element]
    return slot, container


def _leading(arrays: Arrays) -> Bools:
    """The tags whose text is that of a link, or of a control."""
    control = arrays.starting & tags.IS_CONTROL[arrays.tag_id]
    button = arrays.starting & tags.IS_BUTTON[arrays.tag_id]
    if button.any():
        control |= button & (arrays.subtree(arrays.length_after) <= BUTTON)
    leading: Bools = arrays.in_link | (arrays.enclosing(control) > 0)
    return leading


def _outside_headings(arrays: Arrays) -> Bools:
    outside: Bools = arrays.enclosing(arrays.starting & tags.IS_HEADING[arrays.tag_id]) == 0
    return outside


def _opening(arrays: Arrays, first: Ints, last: Ints) -> Bools:
    """Whether the first text of each block is in a link."""
    texts = np.append(np.flatnonzero(arrays.characters_after), arrays.count)
    begins = texts[np.searchsorted(texts, first)]
    linked = np.append(arrays.in_link, False)
    opening: Bools = linked[begins] & (begins < last)
    return opening


def _cells(arrays: Arrays, leading: Bools) -> Ints:
    """1 for each cell of a table that has text outside links, and no cell in it; else 0."""
    cell = arrays.starting & tags.IS_CELL[arrays.tag_id]
    if not cell.any():
        return np.zeros(arrays.count, dtype=np.int64)
    innermost = arrays.subtree(cell.astype(np.int64)) == 1
    plain = arrays.subtree(arrays.length_after * ~leading)
    says = cell & innermost & (plain > 0)
    return np.where(says, 1, 0)


def _digits(arrays: Arrays, first: Ints, last: Ints) -> Ints:
    """The digits in each block's text."""
    is_digit = np.frombuffer(arrays.text.translate(_DIGIT), dtype=np.uint8)
    before = np.concatenate(([0], np.cumsum(is_digit, dtype=np.int64)))
    counts: Ints = before[arrays.text_start[last]] - before[arrays.text_start[first]]
    return counts


def _sums(after_tag: Ints, first: Ints, last: Ints) -> Ints:
    before = np.concatenate(([0], np.cumsum(after_tag)))
    sums: Ints = before[last] - before[first]
    return sums


def _powers(base: int, count: int) -> tuple[Hashes, Hashes]:
    """The first powers of an odd number modulo 2**64, and their inverses."""
    both = []
    for factor in (base, pow(base, -1, 1 << 64)):
        factors = np.full(count, factor, dtype=np.uint64)
        factors[0] = 1
        both.append(np.multiply.accumulate(factors))
    return both[0], both[1]
