"""The text of a page: entities, white space, lines, preformatted text, and texts that were chosen in parts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal import outside_entities
from lxml import etree

from transforms import Page, Selection, extract, render
from transforms.selection import Spans, everything, nothing
from transforms.tags import INVISIBLE


def text(html: str) -> str:
    return extract(Page.parse(html.encode()), "baseline").text


def chosen(html: str, *parts: str) -> str:
    """The text of the stretches of the source that read like this."""
    page = Page.parse(html.encode())
    starts = [page.source.index(part.encode()) for part in parts]
    ends = [start + len(part.encode()) for start, part in zip(starts, parts, strict=True)]
    return Selection(page, "test", Spans(np.array(starts), np.array(ends))).text


# --- characters


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("a &amp; b", "a & b"),
        ("&lt;b&gt;", "<b>"),
        ("&amp;lt;", "&lt;"),
        ("&amp;amp;lt;", "&amp;lt;"),
        ("&amp;#38;", "&#38;"),
        ("&quot;q&quot; 'q' \"q\"", '"q" \'q\' "q"'),
        ("&copy; &eacute; &hellip;", "© é …"),
        ("&#8364; &#x20AC; &#X20ac;", "€ € €"),
        ("&#128512;", "😀"),
        ("&#x80;", "€"),
        ("AT&T, R&D; &unknown;", "AT&T, R&D; &unknown;"),
        ("&copy2024", "©2024"),
        ("a &lt b", "a < b"),
        ("&amp;&lt;&gt;&amp;", "&<>&"),
        ("日本語 Straße ناس", "日本語 Straße ناس"),
    ],
)
def test_entities_are_decoded_once(html: str, expected: str) -> None:
    assert text(f"<p>{html}</p>") == expected
    assert text(f"<pre>{html}</pre>") == expected


@pytest.mark.parametrize(
    "white",
    [" ", "  ", "\n", "\t", "\r\n", "\f", "&nbsp;", "\u00a0", "\u3000", "\u2003", "\u2009", "\u202f", "\u2028",
     " \n\u00a0\t"],
    ids=ascii,
)  # fmt: skip
def test_white_space_of_any_kind_and_length_is_one_space(white: str) -> None:
    assert text(f"<p>{white}one{white}two <b>{white}three</b>{white}</p>{white}<p>four</p>") == "one two three\nfour"


@pytest.mark.parametrize(
    "character", ["\u200b", "\u00ad", "\u2060", "à", "\u0300", "ꀀ", "\u00c2", "\u0080"], ids=ascii
)
def test_other_characters_are_kept(character: str) -> None:
    assert text(f"<p>one{character}two</p>") == f"one{character}two"


def test_control_characters_are_spaces() -> None:
    page = Page(source=b"<body><p>one\x01two\x0bthree\x7ffour</p><pre>a\tb\x02c</pre></body>")
    assert extract(page, "baseline").text == "one two three four\na\tb c"


# --- lines


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("<div>one<div>two</div>three</div>", "one\ntwo\nthree"),
        ("<h1>Title</h1>text<h2>Part</h2><section>more</section>", "Title\ntext\nPart\nmore"),
        ("one<br>two<br/><br>three", "one\ntwo\nthree"),
        ("one<hr>two", "one\ntwo"),
        ("<ul><li>one</li><li>two</li></ul>", "one\ntwo"),
        ("<ul><li>one<ol><li>two<ul><li>three</ul></ol><li>four</ul>", "one\ntwo\nthree\nfour"),
        ("<dl><dt>term</dt><dd>meaning</dd></dl>", "term\nmeaning"),
        ("<select><option>one<option>two</select>", "one\ntwo"),
        ("<blockquote>one</blockquote><address>two</address>", "one\ntwo"),
        ("<figure>one<figcaption>two</figcaption></figure><details>three<summary>four</summary></details>",
         "one\ntwo\nthree\nfour"),
        ("<p></p><div> <p>one</p> </div><p>&nbsp;</p>", "one"),
        ("", ""),
    ],
)  # fmt: skip
def test_each_block_is_a_line(html: str, expected: str) -> None:
    assert text(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr>", "a b\nc d"),
        ("<tr><th>a<th>b<tr><td>c<td>d", "a b\nc d"),
        ("<tr><td></td><td>b</td><td> </td><td>d</td></tr>", "b d"),
        ("<caption>all</caption><thead><tr><th>a</th></tr></thead><tbody><tr><td>b</td></tr></tbody>", "all\na\nb"),
        ("<tr><td>a<br>b</td><td>c</td></tr>", "a\nb c"),
        ("<tr><td><p>a</p></td><td>b</td></tr>", "a\nb"),
        ("<tr><td>a <b>b</b></td><td><a>c</a></td></tr>", "a b c"),
    ],
)
def test_each_row_of_a_table_is_a_line_with_spaces_between_its_cells(html: str, expected: str) -> None:
    assert text(f"<table>{html}</table>") == expected


@pytest.mark.parametrize(
    "html",
    [
        "wo<b>rd</b>",
        "w<i><b>or</b></i>d",
        "<a href=x>wo</a><a>rd</a>",
        "wo<span></span>rd",
        "wo<x-y>r</x-y>d",
        "wo<img src=a>rd",
        "wo<wbr>rd",
        "wo<!-- comment -->rd",
        "wo<script>1</script>rd",
        "wo<style>p{}</style>rd",
    ],
)
def test_inline_elements_separate_no_words(html: str) -> None:
    assert text(f"<p>one {html} two</p>") == "one word two"


def test_what_no_reader_sees_is_no_text() -> None:
    hidden = "".join(f"<{name}>no</{name}>" for name in INVISIBLE if name not in ("embed",))
    assert text(f"<p>one</p>{hidden}<embed><p>two</p><!-- no -->") == "one\ntwo"


def test_what_stands_in_noscript_is_text_since_a_crawl_runs_no_scripts() -> None:
    assert text("<p>one</p><noscript><p>two</p></noscript>") == "one\ntwo"


# --- preformatted text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<pre>a\n  b\n\tc</pre>", "a\n  b\n\tc"),
        ("<pre>\n    indented\n\n\n  after blank lines\n</pre>", "    indented\n\n\n  after blank lines"),
        ("<pre>a   b</pre>", "a   b"),
        ("<pre>a<br>  b<br><br>c</pre>", "a\n  b\n\nc"),
        ("<pre>a <b>  b</b>\n <i>c</i></pre>", "a   b\n c"),
        ("<pre><code>  x = 1\n    y</code></pre>", "  x = 1\n    y"),
        ("<textarea>a\n  b</textarea>", "a\n  b"),
        ("<pre>  </pre>", ""),
        ("<p>before</p><pre> a\n b </pre><p>after  it</p>", "before\n a\n b\nafter it"),
        ("<pre>a\r\n  b</pre>", "a\n  b"),
    ],
)
def test_preformatted_text_is_kept_as_it_is(html: str, expected: str) -> None:
    assert text(html) == expected


def test_text_after_preformatted_text_is_collapsed_again() -> None:
    assert text("<div><pre>a  b</pre>c  d</div>") == "a  b\nc d"


# --- parts


def test_no_spans_give_no_text() -> None:
    page = Page.parse(b"<p>one</p>")
    assert Selection(page, "test", nothing()).text == ""
    assert Selection(page, "test", everything(page.arrays)).text == "one"


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (["<p>one <b>two</b> three</p>"], "one two three"),
        (["two"], "two"),
        (["<b>two</b>"], "two"),
        (["one", "three"], "one three"),
        (["one ", "<b>two"], "one two"),
        (["one", "four"], "one\nfour"),
        (["three</p><p>four"], "three\nfour"),
        (["</p><p>"], ""),
        (["<p>"], ""),
        (["ne <b>t", "ou"], "ne t\nou"),
        (["one", "two", "three", "four", "five"], "one two three\nfour\nfive"),
    ],
    ids=repr,
)
def test_only_the_chosen_parts_are_text(parts: list[str], expected: str) -> None:
    assert chosen("<p>one <b>two</b> three</p><p>four</p><p>five</p>", *parts) == expected


def test_a_part_of_preformatted_text_keeps_its_lines() -> None:
    assert chosen("<pre>one\n  two\n  three\n</pre><p>four</p>", "  two\n  three", "four") == "  two\n  three\nfour"


def test_cells_that_are_chosen_one_by_one_stay_in_their_row() -> None:
    html = "<table><tr><td>one</td><td>two</td><td>three</td></tr><tr><td>four</td></tr></table>"
    assert chosen(html, "one", "three", "four") == "one three\nfour"


# --- any page

WORDS = ["one", "two ", " three", "&amp;", "&lt;x", "é", "中文", "\u3000", "\u00a0", "\n", " ", "&nbsp;", "&amp;lt;"]
EMPTY = ["<br>", "<hr>", "<img>", "<!-- c -->", "<script>no</script>", "<svg><text>no</text></svg>"]
NAMES = ["p", "div", "b", "a", "ul", "li", "table", "tr", "td", "pre", "h1", "span", "x-y", "textarea", "blockquote"]
TAGS = [f"<{name}>" for name in NAMES] + [f"</{name}>" for name in NAMES]


def element(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    parts = st.lists(inner, max_size=4).map("".join)
    return st.builds(lambda name, inside: f"<{name}>{inside}</{name}>", st.sampled_from(NAMES), parts)


ELEMENTS = st.recursive(st.sampled_from(WORDS + EMPTY), element, max_leaves=30)
HTML = st.lists(ELEMENTS | st.sampled_from(TAGS), max_size=8).map("".join)


@given(HTML)
def test_the_text_has_every_visible_character_in_its_order(html: str) -> None:
    root = etree.fromstring(f"<body>{html}".encode(), etree.HTMLParser(encoding="utf-8", remove_comments=True))
    etree.strip_elements(root, *INVISIBLE, with_tail=False)
    expected = "".join(str(part) for part in root.itertext())
    assert "".join(text(f"<body>{html}").split()) == "".join(expected.split())


@given(HTML)
def test_lines_have_no_white_space_at_their_ends_and_no_runs_of_it(html: str) -> None:
    html = html.replace("pre>", "p>").replace("textarea>", "p>")
    rendered = text(html)
    assert rendered == "\n".join(" ".join(line.split()) for line in rendered.split("\n") if line.strip())


@given(HTML, st.data())
def test_the_text_of_parts_is_the_text_of_the_whole(html: str, data: st.DataObject) -> None:
    page = Page.parse(html.encode())
    offset = st.integers(0, len(page.source))
    cuts = outside_entities(page.source, sorted(data.draw(st.lists(offset, max_size=6))))
    bounds = np.array(
        [0, *(cut for cut in cuts if (page.source[cut : cut + 1] or b" ")[0] & 0xC0 != 0x80), len(page.source)]
    )
    parts = render.text(page.arrays, bounds[:-1], bounds[1:])
    assert "".join(parts.split()) == "".join(extract(page, "baseline").text.split())
