"""Choosing by the tree: composite text density, link quota, largest size increase."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from transforms import Page, extract
from transforms.algorithms.subtree import cetd_ds, lqf, lsi, text_density
from transforms.links import link_quota
from transforms.selection import Spans
from transforms.tags import BLOCKS

NAMES = ("p", "div", "a", "b", "span", "li", "section", "h2")
WORDS = st.sampled_from(
    ["a", "bc ", " def", "\n", "some long words here ", "漢字かな交じり文章", "&amp;", "é \u00a0", "x &lt; y"]
)


def rendered(name: str, inside: list[str]) -> str:
    return f"<{name}>{''.join(inside)}</{name}>"


HTML = st.lists(
    st.recursive(
        WORDS | st.just("<br>"),
        lambda inner: st.builds(rendered, st.sampled_from(NAMES), st.lists(inner, max_size=5)),
        max_leaves=20,
    ),
    max_size=5,
).map("".join)


def tree(source: bytes) -> etree._Element:
    return etree.fromstring(source, etree.XMLParser(huge_tree=True))


def texts_in(node: etree._Element) -> list[str]:
    """The text nodes inside an element, at any depth."""
    found = [node.text or ""]
    for child in node:
        found += [*texts_in(child), child.tail or ""]
    return found


def length(node: etree._Element) -> int:
    return sum(len(" ".join(text.split())) for text in texts_in(node))


def characters(node: etree._Element) -> int:
    return sum(len("".join(text.split())) for text in texts_in(node))


def elements_inside(node: etree._Element) -> int:
    return sum(1 + elements_inside(child) for child in node)


def density(node: etree._Element) -> float:
    return length(node) / max(elements_inside(node), 1)


def density_sum(node: etree._Element) -> float:
    total = 0.0
    for child in node:
        total += density(child)
    return total


def size_increase(node: etree._Element) -> int:
    return characters(node) - max((characters(child) for child in node), default=0)


def plain(texts: list[str]) -> str:
    return "".join("".join(texts).split())


def span_text(page: Page, spans: Spans) -> str:
    """What is in the spans, without tags and white space."""
    parts = [page.source[a:b] for a, b in zip(spans.start.tolist(), spans.end.tolist(), strict=True)]
    return plain(texts_in(tree(b"<x>" + b"".join(parts) + b"</x>"))) if parts else ""


# Composite text density


@settings(max_examples=150, deadline=None)
@given(HTML)
def test_cetd_ds_agrees_with_recursion_over_the_tree(html: str) -> None:
    page = Page.parse(html.encode())
    root = tree(page.source)
    best = max(root.iter(), key=density_sum)  # the first of equals
    assert span_text(page, cetd_ds(page)) == plain(texts_in(best))


@settings(max_examples=100, deadline=None)
@given(HTML)
def test_text_density_agrees_with_recursion_over_the_tree(html: str) -> None:
    page = Page.parse(html.encode())
    found = text_density(page.arrays)[page.arrays.starting].tolist()
    assert found == [density(node) for node in tree(page.source).iter()]


def test_cetd_ds_takes_the_subtree_with_the_largest_density_sum() -> None:
    page = Page.parse(
        b'<div id="menu"><a>Home</a><a>News</a></div>'
        b'<div id="story"><p>It rained all day.</p><p>Then the sun came out.</p></div>'
    )
    # Densities, characters over tags inside: each <a> 4/1; menu 8/2 = 4; the paragraphs 18 and 22; story 40/2 = 20.
    # Density sums: menu 4 + 4 = 8; story 18 + 22 = 40; body 4 + 20 = 24.
    assert extract(page, "cetd-ds").text == "It rained all day.\nThen the sun came out."


def test_cetd_ds_divides_by_the_tags_inside() -> None:
    page = Page.parse(b"<div><p>0123<b>4</b><b>5</b><b>6</b><b>789</b></p></div><div><p>abc</p></div>")
    density_of = text_density(page.arrays)[page.arrays.starting].tolist()
    #                     body    div     p     b  b  b  b  div p
    assert density_of == [13 / 8, 10 / 5, 10 / 4, 1, 1, 1, 3, 3, 3]
    # Sums: body 2 + 3 = 5; div 2.5; p 1 + 1 + 1 + 3 = 6; div 3.
    assert extract(page, "cetd-ds").text == "0123456789"


def test_of_equal_density_sums_the_first_counts() -> None:
    page = Page.parse(b"<section><p>abc</p><hr></section><section><p>def</p><hr></section>")
    # Each section has a child of density 3 and one of 0, so a sum of 3; the body 3/2 + 3/2 = 3. It is the first.
    assert extract(page, "cetd-ds").text == "abc\ndef"
    # With one more the body has 3/3 + 3/3 = 2, and the first section counts.
    page = Page.parse(b"<section><p>abc</p><hr><hr></section><section><p>def</p><hr><hr></section>")
    assert extract(page, "cetd-ds").text == "abc"


def test_cetd_ds_of_text_without_elements_is_the_page() -> None:
    assert extract(Page(source=b"<body>all there is</body>"), "cetd-ds").text == "all there is"


# Link quota filter


def walk(source: bytes) -> Iterator[tuple[int, str, bool]]:
    """Each text of the source: the number of its block, the text, and whether it is in a link."""
    block = links = 0
    for match in re.finditer(r"<(/?)([^\s/>]+)([^>]*)>([^<]*)", source.decode()):
        closing, name, rest, text = match.groups()
        block += name in BLOCKS
        if name == "a" and not rest.endswith("/"):
            links += -1 if closing else 1
        yield block, "".join(re.sub("&[^;]*;", "&", text).split()), links > 0


def lqf_reference(source: bytes, threshold: float) -> str:
    blocks: dict[int, list[tuple[str, bool]]] = {}
    for block, text, in_link in walk(source):
        blocks.setdefault(block, []).append((text, in_link))
    kept = ""
    for texts in blocks.values():
        linked = sum(len(text) for text, in_link in texts if in_link)
        if linked <= threshold * sum(len(text) for text, _ in texts):
            kept += "".join(text for text, _ in texts)
    return kept


def without_tags(page: Page, spans: Spans) -> str:
    """The text of the spans, which may begin and end in different elements; entities as a single &."""
    parts = [page.source[a:b].decode() for a, b in zip(spans.start.tolist(), spans.end.tolist(), strict=True)]
    return "".join(re.sub("&[^;]*;", "&", re.sub("<[^>]*>", "", "".join(parts))).split())


@settings(max_examples=200, deadline=None)
@given(HTML, st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
def test_lqf_agrees_with_a_walk_over_the_blocks(html: str, threshold: float) -> None:
    page = Page.parse(html.encode())
    assert without_tags(page, lqf(page, threshold=threshold)) == lqf_reference(page.source, threshold)


def test_lqf_drops_blocks_of_links() -> None:
    page = Page.parse(
        b'<p><a href="/">Home</a> <a href="/n">News</a> now</p>'  # 8 of 11 characters are in links
        b'<p>It rained in <a href="/o">Oslo</a> all day.</p>'  # 4 of 22
    )
    assert extract(page, "lqf").text == "It rained in Oslo all day."
    # 8/11 = 0.727
    assert extract(page, "lqf", threshold=0.72).text == "It rained in Oslo all day."
    assert extract(page, "lqf", threshold=0.73).text == "Home News now\nIt rained in Oslo all day."


def test_lqf_keeps_a_block_with_exactly_the_threshold_in_links() -> None:
    page = Page.parse(b'<p>four<a href="/">link</a></p><p>fou<a href="/">link</a></p>')
    assert extract(page, "lqf", threshold=0.5).text == "fourlink"  # 4/8, and 4/7


def test_a_block_of_the_link_quota_ends_at_every_block_level_tag() -> None:
    page = Page.parse(b'<div>one<p><a href="/">link</a></p>two<br>three</div>')
    block, text, linked = link_quota(page.arrays)
    #        <body> <div> <p> <a> </a> </p> <br/> </div> </body>
    assert block.tolist() == [1, 2, 3, 3, 3, 4, 4, 5, 6]
    assert text.tolist() == [0, 0, 3, 4, 8, 0, 0]
    assert linked.tolist() == [0, 0, 0, 4, 0, 0, 0]
    assert extract(page, "lqf").text == "one\ntwo\nthree"


def test_a_page_of_only_links_is_nothing_for_the_link_quota() -> None:
    page = Page.parse(b'<ul><li><a href="/1">one</a></li><li><a href="/2">two</a></li></ul>')
    assert extract(page, "lqf").text == ""
    assert extract(page, "lqf", threshold=1).text == "one\ntwo"


# Largest size increase


@settings(max_examples=150, deadline=None)
@given(HTML)
def test_lsi_agrees_with_recursion_over_the_tree(html: str) -> None:
    page = Page.parse(html.encode())
    best = max(tree(page.source).iter(), key=size_increase)  # the first of equals
    assert span_text(page, lsi(page)) == plain(texts_in(best))


def test_lsi_takes_the_subtree_that_adds_most_to_its_largest_child() -> None:
    page = Page.parse(
        b"<ul><li>Home</li><li>News</li></ul>"
        b"<div><p>It rained all day.</p><p>Then the sun came out.</p><p>Fine.</p></div>"
    )
    # Visible characters: ul 8; the paragraphs 15, 18, 5; div 38; body 46.
    # Increases: body 46 - 38 = 8; ul 8 - 4 = 4; div 38 - 18 = 20; each paragraph its own, at most 18.
    assert extract(page, "lsi").text == "It rained all day.\nThen the sun came out.\nFine."


def test_lsi_of_equal_increases_is_the_first_in_the_document() -> None:
    # body 6 - 3 = 3, each paragraph 3.
    assert extract(Page.parse(b"<p>abc</p><p>def</p>"), "lsi").text == "abc\ndef"
    # body 7 - 4 = 3, the second paragraph 4.
    assert extract(Page.parse(b"<p>abc</p><p>defg</p>"), "lsi").text == "defg"


# All


@pytest.mark.parametrize("name", ["cetd-ds", "lqf", "lsi"])
@pytest.mark.parametrize("html", [b"", b" \n ", b"<p>\n</p>", b"<img src=x>"])
def test_a_page_without_text_gives_none(name: str, html: bytes) -> None:
    assert extract(Page.parse(html), name).text == ""


@pytest.mark.parametrize("name", ["cetd-ds", "lqf", "lsi"])
def test_a_page_without_tags_is_content(name: str) -> None:
    assert extract(Page.parse(b"one two\nthree four\n" * 20), name).text.split() == ["one", "two", "three", "four"] * 20


@pytest.mark.parametrize("name", ["cetd-ds", "lsi"])
def test_of_a_page_of_only_links_the_tree_takes_their_list(name: str) -> None:
    page = Page.parse(b'<ul><li><a href="/1">one</a></li><li><a href="/2">two</a></li></ul><p><a href="/3">x</a></p>')
    # cetd-ds: li 3/1 each, so ul 6; body 6/4 + 1 = 2.5. lsi: ul 6 - 3 = 3, first of those; body 7 - 6 = 1.
    assert extract(page, name).text == "one\ntwo"
