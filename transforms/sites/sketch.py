"""A page as its site remembers it: its blocks by name, and the trees of those that may have near relatives.

A sketch is all of a page that travels to where its site's template is learned: some KB, and bounded by counts.
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from transforms.exceptions import NotASketch
from transforms.page import Page
from transforms.pqgrams import Hashes
from transforms.sites.outline import Outline, outline

VERSION = 3
# Pages have some hundred blocks, tables of data thousands. Of more, those with the least fingerprints are kept: the
# same ones on every page that has them.
BLOCKS = 2_000
# A smaller tree cannot lose a node and stay within the distance that counts; larger ones take too long to compare.
SMALLEST_TREE, LARGEST_TREE = 7, 400
# Before compression: of trees, and of what blocks say, for people. Beside them go 45 bytes a block, 12 a text of trees.
TREE_BYTES, SAMPLE_BYTES = 64 << 10, 48 << 10
# Characters of what a block says: enough to tell small blocks apart, and to show people what was meant.
SAMPLE = 160
DIGEST_BYTES = 8
_LENGTHS = struct.Struct("<III")


@dataclass(frozen=True)
class Sketch:
    """The blocks of one page that have text, in document order."""

    url: str
    digest: bytes  # of all it says: pages with one digest have the same text
    fingerprint: Hashes
    blanked: Hashes
    slot: Hashes
    container: Hashes
    characters: NDArray[np.uint32]
    linked: NDArray[np.uint32]  # characters inside links
    digits: NDArray[np.uint32]
    links: NDArray[np.uint32]  # how many
    heading: NDArray[np.bool_]  # nothing but headings
    opens: NDArray[np.bool_]  # begins with a link
    data: NDArray[np.bool_]  # a row of a table that holds data
    samples: tuple[str, ...]
    trees: dict[int, bytes]  # encoded, by place
    texts: dict[int, int]  # lengths of the texts in these trees, by label
    left_out: int = 0  # blocks and trees for which there was no room

    def encode(self) -> bytes:
        """As bytes; the same for the same sketch."""
        head = json.dumps([VERSION, self.url, self.samples, self.left_out], ensure_ascii=False).encode(
            "utf-8", "replace"
        )
        rows = np.array([[place, len(tree)] for place, tree in self.trees.items()], dtype="<u4").reshape(-1, 2)
        labels = np.array(list(self.texts), dtype="<i8")
        lengths = np.array(list(self.texts.values()), dtype="<u4")
        parts = (
            _LENGTHS.pack(len(self.fingerprint), len(rows), len(labels)),
            self.digest,
            self.fingerprint.astype("<u8").tobytes(),
            self.blanked.astype("<u8").tobytes(),
            self.slot.astype("<u8").tobytes(),
            self.container.astype("<u8").tobytes(),
            self.characters.astype("<u4").tobytes(),
            self.linked.astype("<u4").tobytes(),
            self.digits.astype("<u4").tobytes(),
            self.links.astype("<u4").tobytes(),
            self.heading.tobytes(),
            self.opens.tobytes(),
            self.data.tobytes(),
            rows.tobytes(),
            labels.tobytes(),
            lengths.tobytes(),
            *self.trees.values(),
            head,
        )
        return zlib.compress(b"".join(parts), 1)


def decode(encoded: bytes) -> Sketch:
    """The sketch that was encoded."""
    try:
        data = zlib.decompress(encoded)
        blocks, trees, labels = _LENGTHS.unpack_from(data)
        reader = _Reader(data, _LENGTHS.size)
        digest = reader.take(DIGEST_BYTES)
        fingerprint, blanked, slot, container = (reader.array("<u8", blocks) for _ in range(4))
        characters, linked, digits, links = (reader.array("<u4", blocks) for _ in range(4))
        heading, opens, data_rows = (reader.array("?", blocks) for _ in range(3))
        rows = reader.array("<u4", 2 * trees).reshape(-1, 2).tolist()
        texts = dict(zip(reader.array("<i8", labels).tolist(), reader.array("<u4", labels).tolist(), strict=True))
        encoded_trees = {place: reader.take(length) for place, length in rows}
        version, url, samples, left_out = json.loads(reader.rest())
        if version != VERSION:
            raise ValueError(f"they have version {version}, not {VERSION}")
        if len(samples) != blocks:
            raise ValueError(f"{blocks} blocks, but {len(samples)} samples of text")
    except (zlib.error, struct.error, ValueError, TypeError) as error:
        raise NotASketch(f"these bytes are no sketch: {error}") from error
    return Sketch(
        url=url,
        digest=digest,
        fingerprint=fingerprint,
        blanked=blanked,
        slot=slot,
        container=container,
        characters=characters,
        linked=linked,
        digits=digits,
        links=links,
        heading=heading,
        opens=opens,
        data=data_rows,
        samples=tuple(samples),
        trees=encoded_trees,
        texts=texts,
        left_out=left_out,
    )


class _Reader:
    def __init__(self, data: bytes, position: int) -> None:
        self._data, self._position = data, position

    def take(self, count: int) -> bytes:
        self._position += count
        if self._position > len(self._data):
            raise ValueError("they are cut short")
        return self._data[self._position - count : self._position]

    def array(self, kind: str, count: int) -> NDArray[Any]:
        return np.frombuffer(self.take(count * np.dtype(kind).itemsize), kind)

    def rest(self) -> bytes:
        return self._data[self._position :]


def digest(page: Page) -> bytes:
    """A name for all that a page says; white space does not count."""
    return blake2b(b"".join(page.arrays.text.split()), digest_size=DIGEST_BYTES).digest()


def sketch(page: Page, outlined: Outline | None = None) -> Sketch:
    """The sketch of a page."""
    found = outlined or outline(page)
    places = np.flatnonzero(found.characters > 0)
    left_out = max(len(places) - BLOCKS, 0)
    if left_out:
        places = np.sort(places[np.argsort(found.fingerprint[places], kind="stable")[:BLOCKS]])
    trees: dict[int, bytes] = {}
    texts: dict[int, int] = {}
    room = TREE_BYTES
    # In the order of fingerprints, so that what has room on one page has it on the next.
    by_fingerprint = np.argsort(found.fingerprint[places], kind="stable").tolist()
    for place in by_fingerprint:
        block = int(places[place])
        if not SMALLEST_TREE <= found.size(block) <= LARGEST_TREE:
            continue
        tree = found.tree(block).encode()
        room -= len(tree)
        if room < 0:
            left_out += 1
            continue
        trees[place] = tree
        texts.update(found.texts(block))
    samples: list[str] = []
    room = SAMPLE_BYTES
    for block in places.tolist():
        sample = found.text(block, SAMPLE) if room > 0 else ""
        room -= len(sample.encode())
        samples.append(sample if room >= 0 else "")
    return Sketch(
        url=page.url or "",
        digest=digest(page),
        fingerprint=found.fingerprint[places],
        blanked=found.blanked[places],
        slot=found.slot[places],
        container=found.container[places],
        characters=found.characters[places].astype(np.uint32),
        linked=found.linked[places].astype(np.uint32),
        digits=found.digits[places].astype(np.uint32),
        links=found.links[places].astype(np.uint32),
        heading=found.heading[places],
        opens=found.opens[places],
        data=found.data[places],
        samples=tuple(samples),
        trees=dict(sorted(trees.items())),
        texts=dict(sorted(texts.items())),
        left_out=left_out,
    )
