"""Pages nested without end lose tags and no text, in linear time."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from transforms.flatten import flatten

# Elements that the parser puts around everything, and one that has no content (<br/>, <wbr/>) at the bottom.
SLACK = 4

NAMES = st.sampled_from(
    ["a", "b", "body", "br", "center", "div", "font", "form", "h1", "head", "html", "li", "p", "select", "source",
     "span", "table", "tbody", "td", "tr", "ul", "wbr", "x-y"]
)  # fmt: skip
TAGS = st.builds(lambda name, end: f"</{name}>" if end else f"<{name}>", NAMES, st.booleans())


def parsed(html: bytes) -> etree._Element | None:
    """The tree, which has to hold the whole page."""
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    try:
        root = etree.fromstring(html, parser)
    except etree.XMLSyntaxError:  # no element and no text
        return None
    assert not parser.error_log.filter_from_fatals()
    return root


def text(html: bytes) -> str:
    """The text without white space, also that after the end of the page."""
    root = parsed(html)
    roots = [] if root is None else [root, *root.itersiblings("*")]
    return "".join("".join(str(part) for element in roots for part in element.itertext()).split())


def height(html: bytes) -> int:
    root = parsed(html)
    highest, level = 0, [] if root is None else [root]
    while level:
        highest, level = highest + 1, [child for element in level for child in element]
    return highest


def test_a_page_within_the_limit_keeps_its_tree() -> None:
    html = b"<div id='a'><p>one <b>two</b></p><ul><li>three</li></ul></div>"
    assert flatten(html, 10) == html


def test_tags_below_the_limit_become_line_breaks_or_nothing_that_separates_words() -> None:
    assert flatten(b"<div><div>a<p>b</p></div></div>c", 1) == b"<div><br/>a<br/>b<br/><br/></div>c"
    assert flatten(b"<div>wo<b>r</b>d</div>", 1) == b"<div>wo<wbr/>r<wbr/>d</div>"


def test_what_follows_a_deep_place_keeps_its_tags() -> None:
    deep = b"<div>" * 9 + b"x" + b"</div>" * 9
    assert flatten(deep + b"<p>after</p>", 3).endswith(b"</div><p>after</p>")
    assert height(flatten(deep + b"<p>after</p>", 3)) <= 3 + SLACK


def test_an_end_tag_closes_what_was_opened_since() -> None:
    assert flatten(b"<div><b><i>x</div>y", 5) == b"<div><b><i>x</i></b></div>y"


def test_stray_end_tags_close_nothing() -> None:
    assert flatten(b"<div>a</span>b</div>", 5) == b"<div>a<wbr/>b</div>"
    assert height(flatten(b"<div></span>" * 50, 3)) <= 3 + SLACK


@pytest.mark.parametrize("name", ["br", "img", "hr", "input", "meta", "source", "wbr", "track", "BR"])
def test_elements_without_content_nest_nothing(name: str) -> None:
    html = f"<div><{name} x=1>text".encode() * 4
    assert flatten(html + b"</div>" * 4 + b"<p>after</p>", 5).endswith(b"<p>after</p>")
    assert height(flatten(f"<{name}>text".encode() * 3_000, 100)) <= SLACK
    assert text(flatten(f"<{name}>text".encode() * 3_000, 100)) == "text" * 3_000


def test_an_element_that_closes_itself_nests_nothing_but_a_slash_in_a_value_closes_nothing() -> None:
    assert flatten(b"<p/>" * 9 + b"<p>x</p>", 2).endswith(b"<p>x</p>")
    assert height(flatten(b"<div a=x/>t" * 3_000, 100)) <= 100 + SLACK


@pytest.mark.parametrize(
    "tag",
    [
        b"<p title=it's>",
        b'<p title=6">',
        b'<p ">',
        b"<p '>",
        b"<p a=\">\" b='>'>",
        b"<p a = '>'>",
        b"<p a=>",
        b"<p/a='>'>",
        b'</p "> ',
        b"<?php echo <b>",
        b"<!doctype <b>",
        b"</ <b>",
        b"</>",
        b"<!-->",
        b"<!--->",
        b"<!-- <b> --!>",
        b"<!-- > -->",
        b"<title-bar>",
        b"<style-x>",
        b"<P CLASS=x>",
        b"<p\nclass=x\n>",
        b"<a<b>",
        b"<textarea></x></textarea>",
        b"<xmp></x <b></xmp>",
        b"<",
        b"<<",
        b"< p>",
        b"<3 ",
    ],
    ids=repr,
)
def test_text_after_an_odd_tag_is_there_at_any_depth(tag: bytes) -> None:
    html = b"<div>" * 12 + b"one " + tag + b"two" + b"</div>" * 12 + b"three" + tag + b"four"
    for depth in (0, 3, 50):
        assert text(flatten(html, depth)) == text(html)


@pytest.mark.parametrize("name", ["script", "style", "textarea", "title", "xmp", "noframes", "plaintext"])
def test_the_content_of_raw_text_elements_is_no_markup(name: str) -> None:
    html = f"<div><p>a<{name} x=1><div></p>b</{name}>c".encode()
    assert text(flatten(html, 1)) == text(html)
    assert b"<div></p>b" in flatten(html, 1)


@given(st.lists(TAGS | st.sampled_from(["t", "u ", "<!-- <p> -->", "<div x='>'>"]), max_size=12), st.integers(0, 8))
def test_no_text_is_lost_and_no_element_is_deeper_than_the_limit(parts: list[str], depth: int) -> None:
    html = ("".join(parts) * 30).encode()
    flat = flatten(html, depth)
    assert height(flat) <= depth + SLACK
    assert text(flat) == text(html)


@given(st.text(alphabet="<>/!-='\"abp ?\n", max_size=60))
def test_no_characters_are_lost_whatever_the_markup(noise: str) -> None:
    html = ("<p>" + noise).encode()
    assert text(flatten(html, 3)) == text(html)


@given(st.binary(max_size=200), st.integers(0, 3))
def test_any_bytes_can_be_flattened(html: bytes, depth: int) -> None:
    assert flatten(html, depth) == flatten(html, depth)


@given(st.lists(TAGS, max_size=30), st.integers(0, 8))
def test_what_is_flat_stays_as_it_is(parts: list[str], depth: int) -> None:
    once = flatten("".join(parts).encode(), depth)
    assert parsed(flatten(once, depth + 1)) is None or text(flatten(once, depth + 1)) == text(once)
    assert height(flatten(once, depth + 1)) <= depth + 1 + SLACK


@pytest.mark.parametrize(
    "unit",
    [b"<", b">", b"<a", b"<a ", b'<a "', b"<a x='", b"<a x=", b"<a x = ", b"<!--", b"<!", b"<?", b"</", b"</a", b"</a>",
     b"<script", b"<script ", b"<script>", b"</script", b"<p>", b"<br>", b"<b></i>", b"<b><i></b>", b"<a\n", b"<a/",
     b"-->", b"'", b" ", b"="],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("start", [b"", b"<a ", b"<div>", b"<!-- "], ids=repr)
def test_hostile_bytes_take_linear_time(start: bytes, unit: bytes) -> None:
    html = start + unit * (500_000 // len(unit))
    began = time.process_time()
    flatten(html, 100)
    assert time.process_time() - began < 3
