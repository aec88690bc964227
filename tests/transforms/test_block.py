"""BlockExtractor: the blocks of Algorithm 1 and the candidates of Algorithm 2, by hand and against both as printed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import transforms.algorithms  # noqa: F401 - registers the extractors
from transforms.algorithms.block import block_density, element_density
from transforms.page import Page
from transforms.registry import extract
from transforms.segmentation import NAMES, kinds, segment

LISTS = ("ul", "ol", "dl", "li", "dt", "dd")
BASIC_TEXTS = ("p", "h1", "h2", "h3", "h4", "h5", "h6")
BLOCK_LEVEL = (*LISTS, *BASIC_TEXTS, "body", "div", "section", "blockquote", "pre", "hr", "table", "tr", "td", "tbody")

Child = tuple[str, str]  # the name of an element, or "" for a text; and its text without white space
Row = tuple[str, list[Child]]  # the name of the root, and its children


def page(html: str) -> Page:
    return Page.parse(html.encode())


def squeezed(text: str) -> str:
    return "".join(text.split())


def tree(source: bytes) -> etree._Element:
    return etree.fromstring(source, etree.XMLParser(recover=True, huge_tree=True))


def children(node: etree._Element) -> list[etree._Element | str]:
    """The child nodes, elements and texts; white space is no text."""
    nodes: list[etree._Element | str] = [node.text or ""]
    for child in node:
        nodes += [child, child.tail or ""]
    return [child for child in nodes if not isinstance(child, str) or child.strip()]


def shown(child: etree._Element | str) -> Child:
    return ("", squeezed(child)) if isinstance(child, str) else (child.tag, squeezed("".join(child.itertext())))


def blocks(read: Page) -> list[Row]:
    """What segment() found: the source of each block, read again."""
    arrays = read.arrays
    found = segment(arrays)
    rows = []
    for root, start, end in zip(found.root.tolist(), found.start.tolist(), found.end.tolist(), strict=True):
        tag = read.source[arrays.tag_start[root] + 1 : arrays.tag_end[root]].decode()
        inside = tree(b"<row>" + read.source[start:end] + b"</row>")
        rows.append((re.split("[ />]", tag)[0], [shown(child) for child in children(inside)]))
    return rows


def rows(html: str) -> list[str]:
    """Each block as `root: child child ...`, an element as name(text), for short examples."""
    return [
        f"{root}: {' '.join(f'{name}({text})' if name else text for name, text in row)}"
        for root, row in blocks(page(html))
    ]


def chosen(html: str, threshold: float = 1.5) -> list[str]:
    return extract(page(html), "block", threshold=threshold).text.split()


# Algorithm 1: types


@pytest.mark.parametrize(
    ("html", "kind"),
    [
        ("<b>x</b>", "IE"),
        ("<a><b>x</b></a>", "IE"),
        ("<x-y>x</x-y>", "IE"),
        ("<br>", "IE"),
        ("<div>x</div>", "q"),
        ("<div></div>", "q"),
        ("<hr>", "q"),
        ("<div>x<b>y</b></div>", "p"),
        ("<div><b>y</b></div>", "p"),
        ("<div>x<br></div>", "p"),
        ("<blockquote><a><b>x</b></a></blockquote>", "p"),
        ("<ul><li>x</li></ul>", "l"),
        ("<ul></ul>", "l"),
        ("<li>x</li>", "l"),
        ("<dl><dt>x</dt></dl>", "l"),
        ("<li><div><div>x</div></div></li>", "l"),
        ("<p>x</p>", "t"),
        ("<p><b>x</b></p>", "t"),
        ("<h1>x</h1>", "t"),
        ("<h6>x</h6>", "t"),
        ("<h2><div>x</div></h2>", "t"),
        ("<div><div>x</div></div>", "other"),
        ("<div>x<p>y</p></div>", "other"),
        ("<div><b><p>y</p></b></div>", "other"),
        ("<table><tr><td>x</td></tr></table>", "other"),
        ("<a><div>x</div></a>", "other"),
        ("<b><i><hr></i></b>", "other"),
    ],
)
def test_the_type_of_an_element(html: str, kind: str) -> None:
    arrays = page(html).arrays
    assert arrays.parent[1] == 0  # the element is the first in the body
    assert NAMES[kinds(arrays)[1]] == kind


# Algorithm 1: rows


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # (IE|text)*
        ("a<b>b</b>c<i>d</i>", ["body: a b(b) c i(d)"]),
        # (IE|text)* p
        ("a<b>b</b><div>c<i>d</i></div>", ["body: a b(b) div(cd)"]),
        # (IE|text)* q*
        ("a<div>b</div><div>c</div>", ["body: a div(b) div(c)"]),
        # (IE|text)* p q*
        ("a<div><b>b</b></div><div>c</div><div>d</div>", ["body: a div(b) div(c) div(d)"]),
        # p? : a second p starts another block
        ("<div><b>a</b></div><div><b>b</b></div>", ["body: div(a)", "body: div(b)"]),
        # no p after q
        ("<div>a</div><div><b>b</b></div><div>c</div>", ["body: div(a)", "body: div(b) div(c)"]),
        # no text and no inline element after p or q
        ("<div><b>a</b></div>b", ["body: div(a)", "body: b"]),
        ("<div>a</div><b>b</b>", ["body: div(a)", "body: b(b)"]),
        # l*
        ("<ul><li>a</li></ul><ol><li>b</li></ol><dl><dd>c</dd></dl>", ["body: ul(a) ol(b) dl(c)"]),
        # t*
        ("<h1>a</h1><p>b</p><p>c<b>d</b></p>", ["body: h1(a) p(b) p(cd)"]),
        # lists and basic texts begin a block each, and nothing else continues it
        ("a<p>b</p><ul><li>c</li></ul><div>d</div>", ["body: a", "body: p(b)", "body: ul(c)", "body: div(d)"]),
        ("<ul><li>a</li></ul><p>b</p>c", ["body: ul(a)", "body: p(b)", "body: c"]),
        # an empty element takes its place in the row
        ("a<hr>b", ["body: a hr()", "body: b"]),
        ("a<br>b", ["body: a br() b"]),
    ],
)
def test_a_row_of_children_is_cut_where_it_stops_matching(html: str, expected: list[str]) -> None:
    assert rows(html) == expected


def test_a_block_level_element_with_others_in_it_is_recursed_into() -> None:
    # The outer <div> is cut out of the body's row; its own children make the blocks in between.
    assert rows("a<div>b<p>c</p></div>d") == ["body: a", "div: b", "div: p(c)", "body: d"]


def test_recursion_goes_on_to_the_innermost_row() -> None:
    assert rows("<div><section><div>a<b>b</b></div>c</section></div>") == ["section: div(ab)", "section: c"]


def test_lists_and_basic_texts_are_never_recursed_into() -> None:
    assert rows("<ul><li><div>a<p>b</p></div></li></ul>") == ["body: ul(ab)"]
    assert rows("<h1><div>a</div></h1>") == ["body: h1(a)"]


def test_an_inline_element_that_holds_a_block_level_one_is_recursed_into() -> None:
    assert rows("x<a>y<div>z</div></a>w") == ["body: x", "a: y div(z)", "body: w"]


def test_white_space_is_no_text() -> None:
    assert rows("<p>a</p> \n <p>b</p>&nbsp;<p>c</p>　<p>d</p>") == ["body: p(a) p(b) p(c) p(d)"]
    assert rows(" \n ") == []


def test_a_page_without_text_or_elements_has_no_blocks() -> None:
    assert rows("") == []


def test_blocks_say_where_they_stand() -> None:
    read = page("a<b>b</b><p>c</p>")
    # tag  0     1    2   3   4   5
    assert read.source == b"<body>a<b>b</b><p>c</p></body>"
    found = segment(read.arrays)
    assert len(found) == 2
    assert found.root.tolist() == [0, 0]
    assert found.first.tolist() == [0, 3]  # the text after tag 0; the element of tag 3
    assert found.last.tolist() == [1, 3]
    assert found.first_is_text.tolist() == [True, False]
    assert found.last_is_text.tolist() == [False, False]
    # a at 6, <b>b</b> from 7 to 15, <p>c</p> from 15 to 23
    assert found.start.tolist() == [6, 15]
    assert found.end.tolist() == [15, 23]
    assert found.recursed[0]


# Algorithm 2


def test_the_density_of_an_element_sums_over_all_that_is_in_it() -> None:
    # tag            0           1           2         3   4     5
    arrays = page('<div id="a">Hello <b>you</b> all</div>').arrays
    density = element_density(arrays)
    # div: TgL = 3 + 6 (id="a") + 1 (b) = 10, TtL = 5 + 3 + 3 = 11; body has 4 more characters of tags
    assert density[1] == pytest.approx(11 / 10)
    assert density[0] == pytest.approx(11 / 14)
    assert density[2] == pytest.approx(3 / 1)


def test_each_block_counts_the_tag_of_its_root_again() -> None:
    arrays = page("text<p>more</p><ul><li>list</li></ul>").arrays
    found = segment(arrays)
    # body: text 4 / 4; body, p: 4 / (4 + 1); body, ul, li: 4 / (4 + 2 + 2)
    assert block_density(arrays, found) == pytest.approx([1, 4 / 5, 4 / 8])


def test_a_block_counts_its_own_children_only() -> None:
    arrays = page('a<b>bc</b><i class="i"></i><p>d</p><div>ef<img></div>').arrays
    # [a, b, i]: TtL = 1 + 2, TgL = 4 + 1 + (1 + 9); [p]: 1 / (4 + 1); [div]: 2 / (4 + 3 + 3)
    assert block_density(arrays, segment(arrays)) == pytest.approx([3 / 15, 1 / 5, 2 / 10])


def test_the_threshold_must_be_exceeded() -> None:
    # One block, whose root is a copy of body: 6 / 4 = 1.5
    assert chosen("abcdef") == []
    assert chosen("abcdefg") == ["abcdefg"]
    assert chosen("abcdef", threshold=1.49) == ["abcdef"]


def test_an_element_in_a_block_must_exceed_the_threshold_as_well() -> None:
    # The block: 40 + 3 over 4 + 3 + 3. The second <div>: 3 / 3 = 1, not more than 1
    html = f"<div>{'a' * 40}</div><div>bbb</div>"
    assert chosen(html, threshold=0.99) == ["a" * 40, "bbb"]
    assert chosen(html, threshold=1) == ["a" * 40]


def test_a_sparse_block_is_noise_with_every_dense_element_in_it() -> None:
    # <p>: 5 / 1. The block: 5 over 4 + 1 + (1 + 12) = 18, because of the empty second paragraph's attributes
    html = '<p>aaaaa</p><p class="abcd"></p>'
    assert chosen(html, threshold=0.27) == ["aaaaa"]  # 5 / 18 = 0.278
    assert chosen(html, threshold=0.28) == []


def test_a_dense_element_in_a_sparse_one_is_noise() -> None:
    attribute = f'class="{"x" * 12}"'  # 20 characters
    html = f"<ul><li {attribute}><p>short</p></li><li>{'a' * 60}</li></ul>"
    # first li: 5 / (2 + 20 + 1) = 0.22; its p: 5 / 1; second li: 60 / 2
    # ul: 65 / (2 + 23 + 2) = 2.4; block: 65 / (4 + 27) = 2.1
    assert chosen(html) == ["a" * 60]
    assert chosen(html, threshold=0.2) == ["short", "a" * 60]


def test_a_dense_element_in_a_sparse_one_with_other_blocks_in_it_is_noise() -> None:
    attribute = f'class="{"x" * 12}"'  # 20 characters
    html = f"<ul><li><div {attribute}><p>short</p></div>{'a' * 60}</li></ul>"
    # div: 5 / (3 + 20 + 1) = 0.21; its p: 5 / 1; li: 65 / (2 + 24) = 2.5; ul: 65 / 28 = 2.3; block: 65 / 32 = 2.0
    assert chosen(html) == ["a" * 60]
    assert chosen(html, threshold=0.2) == ["short", "a" * 60]


def test_the_elements_around_a_block_do_not_count() -> None:
    # The <section> is recursed into: its blocks have a copy of it, and the <div> and its attributes are not theirs.
    html = f'<div class="{"x" * 200}"><section>{"a" * 20}<p>bbb</p></section></div>'
    # section, text: 20 / 7 = 2.9; section, p: 3 / 8
    assert chosen(html) == ["a" * 20]


def test_inline_elements_and_texts_go_with_the_element_that_they_lie_in() -> None:
    # a: 3 / (1 + 17) = 0.17 on its own; the block: 63 over 4 + 18 = 2.9
    html = f'{"a" * 60}<a href="0123456789">bbb</a>'
    assert chosen(html) == ["a" * 60 + "bbb"]
    # The same in a sparse element: div 3 / (3 + 19) = 0.14; the block: 63 / 25
    html = f"{'a' * 60}<div><a href='01234567890'>bbb</a></div>"
    assert chosen(html) == ["a" * 60]


def test_nothing_is_chosen_on_an_empty_page() -> None:
    for html in ("", " ", "<div></div>", "<p> </p>"):
        selection = extract(page(html), "block", threshold=0)
        assert len(selection.spans) == 0
        assert selection.text == ""


# Both algorithms as printed


def kind(node: etree._Element | str) -> str:
    """The type of a node as one letter, for the regular expression below."""
    if isinstance(node, str):
        return "x"
    if node.tag in LISTS:
        return "l"
    if node.tag in BASIC_TEXTS:
        return "t"
    if any(inner.tag in BLOCK_LEVEL for inner in node.iterdescendants()):
        return "o"
    if node.tag not in BLOCK_LEVEL:
        return "i"
    return "p" if len(node) else "q"


def meets(row: list[etree._Element | str]) -> bool:
    return re.fullmatch("[ix]*p?q*|l*|t*", "".join(map(kind, row))) is not None


def dom2blocks(node: etree._Element) -> Iterator[tuple[etree._Element, list[etree._Element | str]]]:
    """Algorithm 1: the blocks in a node, each a root and its children."""
    row: list[etree._Element | str] = []
    for child in children(node):
        row.append(child)
        if not meets(row):
            row.pop()
            if row:
                yield node, row
            row = []
            if not meets([child]):
                yield from dom2blocks(child)
            else:
                row.append(child)
    if row:
        yield node, row


def tag_length(node: etree._Element) -> int:
    attributes = " ".join(f'{name}="{value}"' for name, value in node.attrib.items())
    return len(node.tag) + len(attributes)


def text_length(text: str) -> int:
    return len(" ".join(text.split()))


class Candidates:
    """Algorithm 2 on one block."""

    def __init__(self, root: etree._Element, row: list[etree._Element | str], threshold: float) -> None:
        self.threshold = threshold
        self.noise: set[etree._Element] = set()
        text, tags = 0, tag_length(root)
        for child in row:
            inner_text, inner_tags = self.measure(child)
            text, tags = text + inner_text, tags + inner_tags
        self.dense = text / tags > threshold
        self.text = "".join(self.content(child) for child in row) if self.dense else ""

    def measure(self, node: etree._Element | str) -> tuple[int, int]:
        """{TtL, TgL} of a node; block-level elements that are not dense are marked on the way."""
        if isinstance(node, str):
            return text_length(node), 0
        text, tags = 0, tag_length(node)
        for child in children(node):
            inner_text, inner_tags = self.measure(child)
            text, tags = text + inner_text, tags + inner_tags
        if node.tag in BLOCK_LEVEL and not text / tags > self.threshold:
            self.noise.add(node)
        return text, tags

    def content(self, node: etree._Element | str) -> str:
        """The text of a node whose ancestors in the block are all dense."""
        if isinstance(node, str):
            return squeezed(node)
        return "" if node in self.noise else "".join(self.content(child) for child in children(node))


TEXT = st.text(alphabet=["a", "b", "c", "é", "漢", " ", "\n", "\xa0", "　"], max_size=9)
LONG = st.sampled_from(["long text " * 5, "x" * 80])
VOIDS = st.sampled_from(["<br>", "<hr>", "<img>", '<img alt="x">'])
ATTRIBUTES = st.sampled_from(["", "", "", ' id="é"', ' class="one two"', f' id="a" title="{"y" * 30}"'])


BLE = ("div", "section", "blockquote", "pre", "table", "tr", "td", "p", "h1", "ul", "li", "dl", "dd")
IE = ("a", "b", "span", "x-y")


def element(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = st.sampled_from((*BLE, *IE))
    return st.builds("<{0}{1}>{2}</{0}>".format, names, ATTRIBUTES, st.lists(inside, max_size=5).map("".join))


HTML = st.lists(st.recursive(TEXT | LONG | VOIDS, element, max_leaves=20), max_size=6).map("".join)


@settings(max_examples=200, deadline=None)
@given(HTML)
def test_every_visible_character_lies_in_exactly_one_block(html: str) -> None:
    read = page(html)
    found = segment(read.arrays)
    assert (found.start < found.end).all()
    assert (found.end[:-1] <= found.start[1:]).all()
    pieces = [read.source[start:end] for start, end in zip(found.start.tolist(), found.end.tolist(), strict=True)]
    texts = [re.sub("<[^>]*>", "", piece.decode()) for piece in pieces]
    assert squeezed("".join(texts)) == squeezed(re.sub("<[^>]*>", "", read.source.decode()))


@settings(max_examples=300, deadline=None)
@given(HTML)
def test_blocks_are_those_of_the_recursion_that_the_paper_prints(html: str) -> None:
    read = page(html)
    expected = [(root.tag, [shown(child) for child in row]) for root, row in dom2blocks(tree(read.source))]
    assert blocks(read) == expected


@settings(max_examples=300, deadline=None)
@given(HTML, st.sampled_from([0, 0.5, 1, 1.3, 1.5, 1.7, 2, 5]) | st.floats(0, 20))
def test_the_chosen_text_is_that_of_the_recursion_that_the_paper_prints(html: str, threshold: float) -> None:
    read = page(html)
    expected = [Candidates(root, row, threshold).text for root, row in dom2blocks(tree(read.source))]
    assert squeezed(extract(read, "block", threshold=threshold).text) == "".join(expected)


@settings(max_examples=100, deadline=None)
@given(HTML)
def test_a_higher_threshold_never_chooses_more(html: str) -> None:
    read = page(html)
    sizes = [len(squeezed(extract(read, "block", threshold=threshold).text)) for threshold in np.linspace(0, 10, 9)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == len(squeezed(extract(read, "baseline").text))
