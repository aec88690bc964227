"""A sketch comes out of its bytes as it went in, is bounded whatever the page, and damaged bytes are refused."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from site_pages import article, bodies, parsed, prose

from transforms.exceptions import NotASketch
from transforms.sites import Sketch, outline, sketch
from transforms.sites.outline import Outline
from transforms.sites.sketch import (
    BLOCKS,
    LARGEST_TREE,
    SAMPLE,
    SAMPLE_BYTES,
    SMALLEST_TREE,
    TREE_BYTES,
    VERSION,
    decode,
)
from transforms.trees import decode as decode_tree


def same(one: Sketch, other: Sketch) -> bool:
    """Whether all that two sketches say is the same."""
    pairs = ((getattr(one, field.name), getattr(other, field.name)) for field in fields(Sketch))
    return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in pairs)


@settings(max_examples=50)
@given(bodies, st.text(max_size=20))
def test_decoding_undoes_encoding(html: str, path: str) -> None:
    made = sketch(parsed(html * 3, f"http://a.example/{path.encode('utf-8', 'replace').decode()}"))
    assert same(decode(made.encode()), made)
    assert decode(made.encode()).encode() == made.encode()


def test_a_sketch_has_the_blocks_with_text_and_the_trees_that_may_have_relatives() -> None:
    page = parsed("<p></p><div><b></b></div>" + article(1) + "<p>x</p>")
    found, made = outline(page), sketch(page)
    shown = np.flatnonzero(found.characters > 0)
    assert len(shown) < len(found)
    assert made.fingerprint.tolist() == found.fingerprint[shown].tolist()
    for name in ("blanked", "slot", "container", "characters", "linked", "digits", "heading"):
        assert getattr(made, name).tolist() == getattr(found, name)[shown].tolist(), name
    assert made.trees
    for place, block in enumerate(shown.tolist()):
        assert (place in made.trees) == (SMALLEST_TREE <= found.size(block) <= LARGEST_TREE)
        if place in made.trees:
            assert decode_tree(made.trees[place]) == found.tree(block)
            assert made.texts.items() >= found.texts(block).items()
    assert made.left_out == 0


def test_the_digest_is_that_of_what_the_page_says() -> None:
    one = sketch(parsed("<div><p>one two</p></div>"))
    assert one.digest == sketch(parsed("<p>one <b>two</b></p>", "http://b.example/")).digest
    assert one.digest != sketch(parsed("<div><p>one too</p></div>")).digest


def test_of_very_many_blocks_the_same_ones_are_kept_on_every_page_and_the_rest_is_counted() -> None:
    rows = [f"<div><p>entry number {n}</p></div>" for n in range(BLOCKS + 100)]
    forwards, backwards = sketch(parsed("".join(rows))), sketch(parsed("".join(reversed(rows))))
    assert len(forwards.fingerprint) == BLOCKS
    assert forwards.left_out == 100
    assert set(forwards.fingerprint.tolist()) == set(backwards.fingerprint.tolist())


def wide(number: int) -> str:
    """Blocks of many nodes and letters of three bytes."""
    letters = "".join(chr(0x4E00 + (number * 31 + n) % 5000) for n in range(SAMPLE + 20))
    return f"<ul>{''.join(f'<li><b>{letters}{n}</b></li>' for n in range(9))}</ul><p>{number}</p>"


def test_a_sketch_is_bounded_however_large_the_page() -> None:
    page = parsed("".join(map(wide, range(1500))))
    found = outline(page)
    made = sketch(page, found)
    assert len(made.fingerprint) == BLOCKS
    assert sum(map(len, made.trees.values())) <= TREE_BYTES
    assert sum(len(sample.encode()) for sample in made.samples) <= SAMPLE_BYTES
    assert all(len(sample) <= SAMPLE for sample in made.samples)
    assert made.left_out == 3000 - BLOCKS + 1500 - len(made.trees) - _trees_of_others(made, found)
    nodes = sum(len(decode_tree(tree)) for tree in made.trees.values())
    assert len(made.texts) <= nodes
    # Quotation marks and commas of JSON, and the lengths in front.
    rest = 4 * BLOCKS + 200
    most = 51 * BLOCKS + 8 * len(made.trees) + 12 * len(made.texts) + TREE_BYTES + SAMPLE_BYTES + rest
    assert len(zlib.decompress(made.encode())) <= most


def _trees_of_others(made: Sketch, page: Outline) -> int:
    """Blocks with trees among those that were left out themselves: they are counted as blocks."""
    kept = set(made.fingerprint.tolist())
    return sum(page.size(block) >= SMALLEST_TREE for block in range(len(page)) if page.fingerprint[block] not in kept)


def test_a_page_without_text_has_a_sketch_without_blocks() -> None:
    made = sketch(parsed("<img><p></p>"))
    assert len(made.fingerprint) == 0
    assert same(decode(made.encode()), made)


# Damage

WHOLE = sketch(parsed(article(2) + prose(9, 8))).encode()


@given(st.integers(0, len(WHOLE) - 1))
def test_bytes_that_are_cut_short_are_refused(cut: int) -> None:
    with pytest.raises(NotASketch):
        decode(WHOLE[:cut])


@settings(max_examples=200)
@given(st.integers(0, len(zlib.decompress(WHOLE)) - 1))
def test_a_sketch_whose_inside_is_cut_short_is_refused(cut: int) -> None:
    with pytest.raises(NotASketch):
        decode(zlib.compress(zlib.decompress(WHOLE)[:cut]))


@given(st.binary(max_size=60))
def test_other_bytes_are_refused(raw: bytes) -> None:
    with pytest.raises(NotASketch):
        decode(raw)
    with pytest.raises(NotASketch):
        decode(zlib.compress(raw))


def headed(head: object) -> bytes:
    """A sketch with another head, which says the version, the address and what blocks say."""
    data = zlib.decompress(WHOLE)
    return zlib.compress(data[: data.rindex(b'[%d, "http' % VERSION)] + json.dumps(head).encode())


SAID = decode(WHOLE).samples


@pytest.mark.parametrize(
    "head",
    [7, None, [], [VERSION, "u", 5, 0], [VERSION, "u", ["too few"], 0], [VERSION, "u", [*SAID, "x"], 0], {"a": 1}],
)
def test_a_sketch_with_another_head_is_refused(head: object) -> None:
    assert decode(headed([VERSION, "u", SAID, 0])).url == "u"
    with pytest.raises(NotASketch):
        decode(headed(head))


@pytest.mark.parametrize("version", [VERSION - 1, VERSION + 1, str(VERSION), None])
def test_a_sketch_of_another_version_is_refused_with_the_one_that_can_be_read(version: object) -> None:
    with pytest.raises(NotASketch, match=f"version {version}, not {VERSION}"):
        decode(headed([version, "u", SAID, 0]))
