"""A page as Markdown: what becomes of each kind of element, and that text is never taken for markup."""

from __future__ import annotations

import re
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal import outside_entities

from transforms import Page, Selection, extract
from transforms.selection import Spans, nothing

URL = "https://example.com/news/one"


def markdown(html: str, url: str | None = URL) -> str:
    return extract(Page.parse(html.encode(), url), "baseline").markdown


def chosen(html: str, *parts: str) -> str:
    """The Markdown of the stretches of the source that read like this."""
    page = Page.parse(html.encode(), URL)
    starts = [page.source.index(part.encode()) for part in parts]
    ends = [start + len(part.encode()) for start, part in zip(starts, parts, strict=True)]
    return Selection(page, "test", Spans(np.array(starts), np.array(ends))).markdown


# --- blocks


@pytest.mark.parametrize("level", range(1, 7))
def test_headings_have_as_many_hashes_as_their_level(level: int) -> None:
    assert markdown(f"<h{level}>A <b>b</b><br>c</h{level}><p>text</p>") == f"{'#' * level} A **b** c\n\ntext"


def test_a_heading_that_ends_with_hashes_keeps_them() -> None:
    assert markdown("<h2>About C #</h2>") == "## About C \\#"


def test_paragraphs_are_separated_by_a_blank_line() -> None:
    assert markdown("<p>one\n two</p>loose<div>three</div><p> </p>") == "one two\n\nloose\n\nthree"


def test_a_line_break_is_two_spaces_and_a_newline() -> None:
    assert markdown("<p>one<br>two<br><br>three<br></p>") == "one  \ntwo  \nthree"


def test_lists_have_bullets_or_numbers() -> None:
    assert markdown("<ul><li>one</li><li>two</li></ul>") == "- one\n- two"
    assert markdown("<ol><li>one</li><li>two</li></ol>") == "1. one\n2. two"
    assert markdown("<ol start=9><li>one</li><li>two</li></ol>") == "9. one\n10. two"
    assert markdown("<dl><dt>term</dt><dd>meaning</dd></dl>") == "term\n- meaning"


@pytest.mark.parametrize("start", ["x", "-3", "1.5", "٣x", "99999999999999999999", ""])
def test_a_start_that_is_no_number_is_one(start: str) -> None:
    assert markdown(f"<ol start='{start}'><li>one</li></ol>") == "1. one"


def test_nested_lists_are_indented_by_the_width_of_what_they_are_in() -> None:
    assert markdown("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>") == "- a\n  - b\n  - c\n- d"
    assert markdown("<ol><li>a<ol><li>b</ol><li>c<ul><li>d</ul></ol>") == "1. a\n   1. b\n2. c\n   - d"
    assert markdown("<ol start=10><li>a<ul><li>b</ul></ol>") == "10. a\n    - b"
    assert markdown("<ul><li><ul><li>a</ul></ul>") == "- - a"


def test_what_follows_in_a_list_item_is_indented() -> None:
    assert markdown("<ul><li><p>a</p><p>b</p></li><li>c</li></ul><p>d</p>") == "- a\n\n  b\n- c\n\nd"
    assert markdown("<ul><li>a<br>b</li></ul>") == "- a  \n  b"
    assert markdown("<ul><li>a<pre>x\n\n y</pre></ul>") == "- a\n\n  ```\n  x\n\n   y\n  ```"


def test_a_list_item_without_a_list_has_a_bullet() -> None:
    assert markdown("<li>a</li><p>b</p>") == "- a\n\nb"


def test_empty_list_items_are_left_out_and_numbers_go_on() -> None:
    assert markdown("<ol><li>a</li><li> </li><li>c</li></ol>") == "1. a\n3. c"


def test_quotations_are_marked_on_every_line() -> None:
    assert markdown("<blockquote><p>a<br>b</p><p>c</p></blockquote>d") == "> a  \n> b\n\n> c\n\nd"
    assert markdown("<blockquote>a<blockquote>b</blockquote></blockquote>") == "> a\n\n> > b"
    assert (
        markdown("<blockquote><ul><li>a</ul></blockquote><ul><li><blockquote>b</blockquote></ul>") == "> - a\n\n- > b"
    )


def test_preformatted_text_stands_between_fences_without_a_language() -> None:
    html = '<pre class="language-python"><code>def f():\n\n    return *a* &lt; [b]</code></pre><p>after</p>'
    assert markdown(html) == "```\ndef f():\n\n    return *a* < [b]\n```\n\nafter"
    assert markdown("<pre>a<br>b <b>c</b> <a href=/x>d</a></pre>") == "```\na\nb c d\n```"
    assert markdown("<pre><div>a</div><div>b</div></pre>") == "```\na\nb\n```"
    assert markdown("<p>label <textarea>a\n  b</textarea> after") == "label\n\n```\na\n  b\n```\n\nafter"
    assert markdown("<pre> \n </pre>") == ""


def test_a_fence_is_longer_than_the_fences_inside() -> None:
    assert markdown("<pre>```\nx\n```</pre>") == "````\n```\nx\n```\n````"
    assert markdown("<pre>`````</pre>") == "``````\n`````\n``````"


# --- tables


def test_a_table_of_data_is_a_table() -> None:
    html = "<caption>Rain</caption><tr><th>Day</th><th>mm</th></tr><tr><td>Monday</td><td>12</td></tr>"
    assert markdown(f"<p>a</p><table>{html}</table><p>b</p>") == (
        "a\n\nRain\n\n| Day | mm |\n| --- | --- |\n| Monday | 12 |\n\nb"
    )


def test_cells_are_one_line_each_and_stay_in_their_column() -> None:
    rows = (
        "<tr><th></th><th>a|b</th></tr><tr><td>c<br>d</td><td><p>e</p></td><td></td></tr><tr><td></td><td>f</td></tr>"
    )
    assert markdown(f"<table><tr><td>x<td>y</tr>{rows}</table>") == (
        "| x | y |  |\n| --- | --- | --- |\n|  | a\\|b |\n| c d | e |  |\n|  | f |"
    )


def test_marks_work_in_cells() -> None:
    html = "<tr><td><b>a</b><td><a href=/x>b</a><tr><td><code>c|d</code><td><i>e"
    assert markdown(f"<table>{html}</table>") == (
        "| **a** | [b](https://example.com/x) |\n| --- | --- |\n| `c\\|d` | *e* |"
    )


def test_a_table_in_an_item_or_a_quotation_is_indented() -> None:
    table = "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
    assert markdown(f"<blockquote>{table}</blockquote>") == "> | a | b |\n> | --- | --- |\n> | c | d |"
    assert markdown(f"<ul><li>{table}</ul>") == "- | a | b |\n  | --- | --- |\n  | c | d |"


def test_a_table_that_lays_out_the_page_is_what_it_holds() -> None:
    html = "<table><tr><td><h2>Title</h2><p>one</p><p>two</p><ul><li>a</ul></td><td>side</td></tr></table><p>after</p>"
    assert markdown(html) == "## Title\n\none\n\ntwo\n\n- a\n\nside\n\nafter"
    assert markdown("<table><tr><td>a</td><td>b</td></tr></table>") == "a b"
    assert markdown("<table><tr><td>a</td></tr><tr><td>b</td></tr></table>") == "a\n\nb"


def test_a_table_in_a_table_is_a_table_if_it_holds_data() -> None:
    inner = "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
    assert markdown(f"<table><tr><td>{inner}<td>x<tr><td>y<td>z</table>") == (
        "| a | b |\n| --- | --- |\n| c | d |\n\nx\n\ny z"
    )


def test_an_element_in_a_table_ends_with_it() -> None:
    html = "<table><tr><td>a<td><h1>b</h1><tr><td>c<td><pre>d</pre><blockquote>e</blockquote><ol><li>f</ol></table>g"
    assert markdown(html) == "a\n\n# b\n\nc\n\n```\nd\n```\n\n> e\n\n1. f\n\ng"


def test_a_huge_column_span_is_no_huge_table() -> None:
    html = "<tr><td colspan=9007199254740991>a<td>b<tr><td>c<td>d"
    assert markdown(f"<table>{html}</table>") == "| a | b |\n| --- | --- |\n| c | d |"


# --- inline elements


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<b>a</b> <strong>b</strong>", "**a** **b**"),
        ("<i>a</i> <em>b</em>", "*a* *b*"),
        ("x<b> a </b>y", "x **a** y"),
        ("<b><i>a</i> b</b>", "***a* b**"),
        ("<b><b>a</b> b</b> c", "**a b** c"),
        ("<b></b><i> </i>a", "a"),
        ("<b>a<br></b>b", "**a**  \nb"),
        ("<b>a<br>b</b>", "a  \nb"),
        ("<strong><p>a</p><p>b</p></strong>", "**a**\n\n**b**"),
        ("<span>a</span><u>b</u>", "ab"),
    ],
)
def test_emphasis_is_marked_inside_of_white_space(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<code>a*b_c</code>", "`a*b_c`"),
        ("<code>a`b</code>", "``a`b``"),
        ("<code>`a`</code>", "`` `a` ``"),
        ("<code>a``b`c</code>", "```a``b`c```"),
        ("<kbd>a</kbd> <samp>b</samp> <tt>c</tt>", "`a` `b` `c`"),
        ("<code>a\n  b</code>", "`a b`"),
        ("<code>&lt;b&gt; &amp;amp;</code>", "`<b> &amp;`"),
        ("<code><b>a</b> <a href=/x>b</a></code>", "`a b`"),
        ("<b><code>a</code></b>", "**`a`**"),
        ("<code> </code>", ""),
    ],
)
def test_code_is_written_as_it_is(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("https://example.org/a?b=1&amp;c=2", "https://example.org/a?b=1&c=2"),
        ("/a", "https://example.com/a"),
        ("two", "https://example.com/news/two"),
        ("../a#b", "https://example.com/a#b"),
        ("//example.org/a", "https://example.org/a"),
        ("?q=1", "https://example.com/news/one?q=1"),
        ("mailto:ann@example.com", "mailto:ann@example.com"),
        ("HTTP://example.org/", "http://example.org/"),
        (" /a b ", "https://example.com/a%20b"),
        ("/a\n/b", "https://example.com/a/b"),
        ("/a_(b)", "https://example.com/a_%28b%29"),
        ("/a&lt;b&gt;\\", "https://example.com/a%3Cb%3E%5C"),
    ],
)
def test_links_are_absolute_and_fit_into_markdown(href: str, target: str) -> None:
    assert markdown(f'<a href="{href}">text</a>').lower() == f"[text]({target})".lower()


@pytest.mark.parametrize(
    "href",
    ["javascript:alert(1)", "JavaScript:x", " java\nscript:x", "data:text/html,x", "vbscript:x", "tel:1", "#top", "",
     " ", "http://[bad", "blob:https://example.com/x"],
)  # fmt: skip
def test_links_that_are_not_of_the_web_are_text(href: str) -> None:
    assert markdown(f'<p>a <a href="{href}">text</a></p>') == "a text"
    assert markdown(f'<p>a <a href="{href}">text</a></p>', url=None) == "a text"


@pytest.mark.parametrize("character", ["\x01", "\x1f", "&#1;", "&#9;", "&Tab;", "\u00a0", "\u3000", "\ufeff", "\u200b"])
@pytest.mark.parametrize("parser", ["lxml", "lexbor"])
def test_no_character_smuggles_a_script_into_a_target(character: str, parser: str) -> None:
    for href in (f"{character}javascript:x", f"java{character}script:x", f"javascript{character}:x"):
        page = Page.parse(f'<a href="{href}">text</a>'.encode(), parser=parser)
        assert extract(page, "baseline").markdown == "text"


def test_without_an_address_links_stay_relative() -> None:
    assert markdown("<a href='/a?b'>text</a>", url=None) == "[text](/a?b)"
    assert markdown("<a href='a.html'>text</a>", url=None) == "[text](a.html)"


def test_links_hold_their_text_and_its_marks() -> None:
    assert markdown("<a href=/x> <b>a</b> [b]<br>c </a>d") == "[**a** \\[b\\] c](https://example.com/x) d"
    assert (
        markdown("<a href=/x><h3>a</h3><p>b</p></a>") == "### [a](https://example.com/x)\n\n[b](https://example.com/x)"
    )
    assert markdown("<a href=/x></a><a>b</a><a href=/y><img src=z></a>") == "b"


# --- text that looks like markup


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("*a* _b_ `c`", "\\*a\\* \\_b\\_ \\`c\\`"),
        ("[a](b) &lt;c&gt;", "\\[a\\](b) \\<c\\>"),
        ("a\\b", "a\\\\b"),
        ("&amp;lt; AT&amp;T", "\\&lt; AT&T"),
        ("# a", "\\# a"),
        ("#tag", "#tag"),
        ("- a", "\\- a"),
        ("+ a", "\\+ a"),
        ("-5", "-5"),
        ("1. a", "1\\. a"),
        ("12) a", "12\\) a"),
        ("1.5", "1.5"),
        ("&gt; a", "\\> a"),
        ("~~~", "\\~~~"),
        ("a<br>---", "a  \n\\---"),
        ("a<br>===", "a  \n\\==="),
        ("a | b<br>--- | ---", "a | b  \n\\--- | ---"),
        ("a<br>- b", "a  \n\\- b"),
        ("-", "\\-"),
        ("2024 - 2025", "2024 - 2025"),
    ],
)
def test_text_stays_text(html: str, expected: str) -> None:
    assert markdown(f"<p>{html}</p>") == expected


def test_a_carriage_return_is_no_line() -> None:
    assert re.sub(" +\n", "\n", markdown("<pre>a&#13;\nb&#13;c</pre>")) in ("```\na\nbc\n```", "```\na\nb c\n```")


# --- parts


def test_only_the_chosen_text_is_written_with_what_it_is_in() -> None:
    html = "<h1>Title</h1><ol><li>one</li><li>two <b>three</b></li></ol><p>four <a href=/x>five</a></p>"
    assert chosen(html, "three") == "2. **three**"
    assert chosen(html, "itle", "five") == "# itle\n\n[five](https://example.com/x)"
    assert chosen(html, "<li>one</li>", "four") == "1. one\n\nfour"
    assert chosen(html, "<ol>") == ""
    page = Page.parse(html.encode())
    assert Selection(page, "test", nothing()).markdown == ""


def test_a_part_of_a_table_is_a_table_if_enough_of_it_is_left() -> None:
    rows = [["one", "two"], ["three", "four"], ["five", "six"]]
    first, *rest = [f"<tr><td>{left}</td><td>{right}</td></tr>" for left, right in rows]
    table = f"<table>{first}{''.join(rest)}</table>"
    assert chosen(table, "".join(rest)) == "| three | four |\n| --- | --- |\n| five | six |"
    assert chosen(table, "one", "four") == "one\n\nfour"


# --- any page

WORD = st.text(alphabet="abcé中19", min_size=1, max_size=4)
TEXT = WORD | st.sampled_from(
    [" ", "\n", "*", "_", "[x]", "`", "``", "# ", "- ", "1. ", "|", "&amp;lt;", "\\", "&gt; ", "---", "\u3000"]
)
NAMES = [
    "p", "div", "b", "i", "code", "a href=/x", "a href='javascript:1'", "ul", "ol", "ol start=7", "li", "dl", "dd",
    "dt", "table", "tr", "td", "th", "caption", "pre", "textarea", "h1", "h3", "blockquote", "span", "x-y", "hr", "br",
    "select", "option",
]  # fmt: skip
ELEMENTS = st.recursive(
    TEXT,
    lambda inner: st.builds(
        lambda n, parts: f"<{n}>{' '.join(parts)}</{n.split()[0]}>", st.sampled_from(NAMES), st.lists(inner, max_size=5)
    ),
    max_leaves=30,
)
STRAY = st.sampled_from([f"<{name}>" for name in NAMES] + [f"</{name.split()[0]}>" for name in NAMES])
HTML = st.lists(ELEMENTS | STRAY, max_size=8).map("".join)


@given(HTML)
def test_every_word_of_the_text_is_in_the_markdown_in_order(html: str) -> None:
    selection = extract(Page.parse(html.encode(), URL), "baseline")
    written = iter(re.findall("[abcé中]", selection.markdown.replace(URL, "")))
    assert all(letter in written for letter in re.findall("[abcé中]", selection.text))


@given(HTML, st.data())
def test_any_part_of_any_page_can_be_written(html: str, data: st.DataObject) -> None:
    page = Page.parse(html.encode(), URL)
    drawn = sorted(data.draw(st.sets(st.integers(0, len(page.source)), max_size=6)))
    cuts = sorted(set(outside_entities(page.source, drawn)))
    cuts = cuts[: len(cuts) // 2 * 2]
    selection = Selection(page, "test", Spans(np.array(cuts[0::2], dtype=int), np.array(cuts[1::2], dtype=int)))
    letters = sorted(re.findall("[abc]", selection.text))
    written = sorted(re.findall("[abc]", re.sub(r"\]\([^)]*\)", "]", selection.markdown)))
    assert written == letters
    assert "\0" not in selection.markdown


@given(st.binary(max_size=200))
def test_any_bytes_can_be_written(raw: bytes) -> None:
    selection = extract(Page.parse(raw), "baseline")
    assert bool(selection.markdown) == bool(selection.text)


@pytest.mark.parametrize(
    "unit",
    ["<b>x ", "<b><p>x</p>", "<a href=/x>y ", "<ul><li>x ", "<blockquote>x ", "<code>x ", "<table><tr><td>x ",
     "<ol><li><p>x</p>", "<tr><td>x<td>y", "<pre>x "],
)  # fmt: skip
def test_hostile_nesting_is_written_in_bounded_time_and_space(unit: str) -> None:
    html = unit * 1_900 + "<p>word</p>" * 8_000 + "<b>x</b>" * 8_000
    page = Page.parse(html.encode(), URL)
    began = time.process_time()
    written = extract(page, "baseline").markdown
    assert time.process_time() - began < 5
    assert len(written) < 20 * len(html)


def test_a_wide_table_does_not_widen_its_other_rows() -> None:
    html = "<tr>" + "<td>x" * 3_000 + "<tr><td>a<td>b" * 3_000
    assert len(markdown(f"<table>{html}</table>")) < 200_000
