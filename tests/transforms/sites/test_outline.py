"""Blocks have one fingerprint iff they are one labelled tree, and one slot iff one line of a template prints them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from site_pages import all_text, article, block_texts, bodies, parsed, squeezed, tree_of

from transforms.sites.outline import SLOT_DEPTH, Outline, outline
from transforms.trees import Tree, from_nested

Literal: TypeAlias = "tuple[str, tuple[Literal, ...]]"  # what a node is called, and the nodes below it


def outlined(html: str) -> Outline:
    return outline(parsed(html))


# The literal reference: each block is parsed again and read node by node.


def element_label(name: str, classes: str | None) -> str:
    words = sorted(re.sub(r"\d+", "0", word) for word in (classes or "").split())
    return " ".join(["<", name, *words])


def literal_children(node: etree._Element) -> Iterator[Literal]:
    yield from literal_text(node.text)
    for child in node:
        yield element_label(child.tag, child.get("class")), tuple(literal_children(child))
        yield from literal_text(child.tail)


def literal_text(text: str | None) -> Iterator[Literal]:
    if squeezed(text or ""):
        yield squeezed(text or ""), ()


def literal_blocks(found: Outline) -> list[Literal]:
    """The blocks of a page as trees, from the same segmentation."""
    arrays, blocks, trees = found.page.arrays, found.blocks, []
    for root, start, end in zip(blocks.root.tolist(), blocks.start.tolist(), blocks.end.tolist(), strict=True):
        tag = arrays.source[arrays.tag_start[root] : arrays.tag_end[root]].rstrip(b"/>") + b"/>"
        opened = tree_of(tag)
        inside = tree_of(b"<row>" + arrays.source[start:end] + b"</row>")
        trees.append((element_label(opened.tag, opened.get("class")), tuple(literal_children(inside))))
    return trees


def in_postorder(node: Literal) -> Iterator[str]:
    for child in node[1]:
        yield from in_postorder(child)
    yield node[0]


def shape(node: Literal) -> Tree:
    def nested(node: Literal) -> tuple[object, ...]:
        return (0, *(nested(child) for child in node[1]))

    return from_nested(nested(node))  # type: ignore[arg-type]


# Fingerprints


@given(bodies, bodies)
def test_fingerprints_are_equal_iff_the_labelled_trees_are(one: str, other: str) -> None:
    first, second = outlined(one), outlined(other)
    names = [*first.fingerprint.tolist(), *second.fingerprint.tolist()]
    trees = [*literal_blocks(first), *literal_blocks(second)]
    assert len(set(zip(names, trees, strict=True))) == len(set(names)) == len(set(trees))


def test_a_block_is_the_same_however_deep_it_stands() -> None:
    block = "<div class=x><p>one <b>two</b></p></div>"
    found = outlined(block + f"<div><div>{block}<p>other</p></div></div>")
    assert found.fingerprint[0] == found.fingerprint[1] != found.fingerprint[2]


def test_white_space_does_not_count() -> None:
    a, b = outlined("<p>one two <b>three</b></p>"), outlined("<p>\n one\u00a0two<b>  three</b>\n</p>")
    assert a.fingerprint.tolist() == b.fingerprint.tolist()


@pytest.mark.parametrize(
    "other",
    [
        "<div><p>one <b>two</b> thref</p></div>",
        "<div><p>one <i>two</i> three</p></div>",
        "<div><p>one <b>two</b></p>three</div>",
        "<div><p>one <b class=x>two</b> three</p></div>",
        "<div class=x><p>one <b>two</b> three</p></div>",
        "<div><p>one <b><b>two</b></b> three</p></div>",
        "<div><p><b>one</b> two three</p></div>",
        "<div><p>onetwo <b></b> three</p></div>",
    ],
)
def test_another_text_label_shape_or_root_is_another_block(other: str) -> None:
    assert outlined("<div><p>one <b>two</b> three</p></div>").fingerprint[0] != outlined(other).fingerprint[0]


@pytest.mark.parametrize("attributes", ["href=/2 class=a", "id=x class=a", "class='a' title=t", "class=' a '"])
def test_of_its_attributes_the_class_alone_is_part_of_a_block(attributes: str) -> None:
    assert outlined(f"<p><a {attributes}>x</a></p>").fingerprint == outlined("<p><a class=a>x</a></p>").fingerprint


def test_the_order_of_classes_and_the_numbers_in_them_do_not_count() -> None:
    assert outlined('<p><b class="x post-12">x</b>').fingerprint == outlined('<p><b class="post-7 x">x</b>').fingerprint


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("<div><p>Page 7 of <b>9</b></p></div>", True),
        ("<div><p>Page 1,204 of <b>2.5</b></p></div>", True),
        ("<div><p>Page 4:30 of <b>12-10</b></p></div>", True),
        ("<div><p>Pages 12 of <b>30</b></p></div>", False),
        ("<div><p>Page 12 of <i>30</i></p></div>", False),
    ],
)
def test_blocks_that_differ_in_numbers_alone_are_the_same_without_them(other: str, same: bool) -> None:
    one, another = outlined("<div><p>Page 12 of <b>30</b></p></div>"), outlined(other)
    assert one.fingerprint[0] != another.fingerprint[0]
    assert (one.blanked[0] == another.blanked[0]) == same
    assert (one.tree(0) == another.tree(0)) == same  # relatives are looked for without numbers, too


def test_only_texts_lose_their_numbers() -> None:
    one, other = outlined("<div><h2>Part 2</h2></div>"), outlined("<div><h3>Part 2</h3></div>")
    assert one.blanked[0] != other.blanked[0]


# Slots


def slot_of(html: str) -> int:
    """The slot of the block that says `here`."""
    found = outlined(html)
    return int(found.slot[block_texts(found).index("here")])


def same_slot(one: str, other: str) -> bool:
    return slot_of(one) == slot_of(other)


def test_the_slot_of_a_block_does_not_depend_on_what_it_says_but_its_fingerprint_does() -> None:
    one, other = outlined("<div class=x><p>one</p></div>"), outlined("<div class=x><p>two <b>words</b></p></div>")
    assert one.slot.tolist() == other.slot.tolist()
    assert one.fingerprint[0] != other.fingerprint[0]


def test_numbers_in_classes_and_ids_do_not_make_another_slot() -> None:
    assert same_slot("<div id=post-17><p>here</p></div>", "<div id=post-4><p>here</p></div>")
    assert same_slot("<div class=post-17><p>here</p></div>", "<div class=post-4><p>here</p></div>")


def test_an_id_makes_another_slot_unless_it_stands_beside_a_class() -> None:
    assert not same_slot("<div id=main><p>here</p></div>", "<div id=side><p>here</p></div>")
    assert same_slot("<div class=x id=apples><p>here</p></div>", "<div class=x id=pears><p>here</p></div>")


def test_names_and_classes_around_a_block_and_of_its_first_child_make_its_slot() -> None:
    here = "<div class=a><p>here</p></div>"
    for other in (
        "<div class=b><p>here</p></div>",
        "<section class=a><p>here</p></section>",
        "<div class=a><h2>here</h2></div>",
        "<div class=a><p class=x>here</p></div>",
        "<div class=a>here<ul><li>x</ul></div>",
    ):
        assert not same_slot(here, other), other
    assert same_slot(here, "<p>before</p><div class=a><p>here</p></div><p>after</p>")


@pytest.mark.parametrize("above", range(SLOT_DEPTH))
def test_a_slot_knows_the_elements_above_it_up_to_its_depth(above: int) -> None:
    # Inside the element that differs stand `above` others, and the last of them is the root of the block.
    def page(name: str) -> str:
        inner = "<div>" * above + "<p>here</p><div><p>x</p></div>" + "</div>" * above
        return f"<div class={name}>{inner}<p>y</p></div>"

    assert not same_slot(page("a"), page("b"))


def test_elements_farther_away_than_the_depth_do_not_count() -> None:
    inner = "<div>" * SLOT_DEPTH + "<p>here</p>" + "</div>" * SLOT_DEPTH
    assert same_slot(f"<div class=a>{inner}</div>", f"<div class=b>{inner}</div>")


def test_a_container_is_the_element_that_a_block_lies_in_whatever_comes_first_in_the_block() -> None:
    found = outlined("<div class=a><p>one</p><h2>two</h2><ul><li>three</li></ul></div><div class=b><p>four</p></div>")
    assert found.container[0] == found.container[1]
    assert found.slot[0] != found.slot[1]
    assert found.container[0] != found.container[-1]


# Measures and trees


@given(bodies)
def test_every_visible_character_is_in_exactly_one_block(html: str) -> None:
    found = outlined(html)
    texts = block_texts(found)
    assert "".join(texts) == all_text(found.page)
    trees = [list(in_postorder(node)) for node in literal_blocks(found)]
    said = [sum(len(label) for label in labels if not label.startswith("<")) for labels in trees]
    assert said == list(map(len, texts))
    # Beyond the visible ones, `characters` has one for each gap between the words of a text.
    assert all(characters >= len(text) for characters, text in zip(found.characters, texts, strict=True))
    assert found.characters.sum() == found.page.arrays.length_after.sum()


def test_characters_are_counted_with_single_spaces_and_entities_as_one() -> None:
    found = outlined("<p> one \n two <a href=/>thr&amp;e</a></p><ul><li>x</li></ul>")
    assert found.characters.tolist() == [len("one two") + len("thr&e"), 1]
    assert found.linked.tolist() == [len("thr&e"), 0]


@pytest.mark.parametrize(
    ("html", "leads"),
    [
        ("<p><button>Send it</button></p>", True),
        ("<p><select><option>one</option><option>two</option></select></p>", True),
        ("<p><button>A text that a button folds is longer than what stands on one</button></p>", False),
        ("<p><label>Search</label></p>", False),
        ("<p>plain</p>", False),
    ],
)
def test_what_stands_on_a_control_leads_elsewhere_as_a_link_does(html: str, leads: bool) -> None:
    found = outlined(html)
    assert found.characters[0] > 0
    assert found.linked[0] == (found.characters[0] if leads else 0)


def test_digits_are_counted_in_texts_alone() -> None:
    assert outlined("<h2 class=x1>Chapter 12, page 340</h2><div><p id=p7>none</p></div>").digits.tolist() == [5, 0]


def test_a_heading_is_a_block_of_nothing_but_headings() -> None:
    found = outlined("<h1>one</h1><div><p>two</p></div><div><h2><a href=/>three</a></h2></div><h3>four</h3><p>five</p>")
    by_text = dict(zip(block_texts(found), found.heading.tolist(), strict=True))
    assert by_text == {"one": True, "two": False, "three": True, "fourfive": False}


@given(bodies)
def test_the_tree_of_a_block_is_the_tree_that_one_reads(html: str) -> None:
    found = outlined(html)
    labels: set[tuple[str, int]] = set()
    for block, literal in enumerate(literal_blocks(found)):
        tree = found.tree(block)
        assert np.array_equal(tree.left, shape(literal).left)
        assert found.size(block) == len(tree)
        labels.update(zip(in_postorder(literal), tree.labels.tolist(), strict=True))
    # One number for each label, and one label for each number.
    assert len(labels) == len({label for label, _ in labels}) == len({number for _, number in labels})


@given(bodies)
def test_the_texts_of_a_block_are_the_texts_in_its_tree(html: str) -> None:
    found = outlined(html)
    for block, literal in enumerate(literal_blocks(found)):
        texts = {label for label in in_postorder(literal) if not label.startswith("<")}
        known = found.texts(block)
        assert len(known) == len(texts)
        assert set(known) <= set(found.tree(block).labels.tolist())


@given(bodies, st.integers(1, 20))
def test_a_block_is_shown_by_how_it_begins(html: str, most: int) -> None:
    found = outlined(html)
    for block, text in enumerate(block_texts(found)):
        shown = found.text(block, most)
        assert len(shown) <= most
        assert text.startswith(squeezed(shown))


def test_items_and_cells_are_shown_as_words_of_their_own_and_letters_in_bold_are_not() -> None:
    found = outlined(
        "<ul><li>home</li><li>n<b>ew</b>s<br>&lt;sport&gt;</li></ul><table><tr><td>a</td><td>b</td></table>"
    )
    shown = [found.text(block, 60) for block in range(len(found))]
    assert shown[0] == "home news <sport>"
    assert " ".join(shown[1:]) == "a b"


@pytest.mark.parametrize("html", ["", "<p></p>", "<img>", "<div> </div>", "<ul><li></ul>"])
def test_a_page_without_text_has_no_characters(html: str) -> None:
    found = outlined(html)
    assert found.characters.sum() == 0
    assert len(found.fingerprint) == len(found.slot) == len(found)


def test_names_do_not_depend_on_the_process() -> None:
    html = article(3)
    code = (
        "import sys; from transforms.page import Page; from transforms.sites import outline;"
        "found = outline(Page.parse(sys.stdin.buffer.read()));"
        "print(found.fingerprint.tolist(), found.slot.tolist(), found.node_label.tolist())"
    )
    here = outlined(html)
    expected = f"{here.fingerprint.tolist()} {here.slot.tolist()} {here.node_label.tolist()}"
    for seed in ("1", "2"):
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            input=html.encode(),
            capture_output=True,
            check=True,
        )
        assert run.stdout.decode().strip() == expected
