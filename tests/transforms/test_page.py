"""Every sequence of bytes is a page: what becomes of empty, broken, hostile and wrongly labelled ones."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import Page, TransformError, UnknownParser, canonical, extract, extractors
from transforms.arrays import Arrays

ARTICLE = b"""<!doctype html>
<html lang="en"><head><title>Rain</title><style>p { color: red }</style><script>var a = "<p>code</p>";</script></head>
<body class="front"><!-- a comment --><nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li></ul></nav>
<h1>Rain at last</h1><p>It rained &amp; poured&nbsp;all <b>day</b>.</p><p>One<br>two</p>
<table><tr><th>Day</th><th>mm</th></tr><tr><td>Monday</td><td>12</td></tr></table>
<pre>  kept
    as is</pre><svg><text>drawn</text></svg><form><input value="x"><button>Send</button></form>
<footer>The end</footer></body></html>"""


def text(page: Page | bytes) -> str:
    page = page if isinstance(page, Page) else Page.parse(page)
    return extract(page, "baseline").text


def lines(raw: bytes) -> list[str]:
    return text(raw).split("\n")


# --- little or nothing


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b" \n\t ",
        b"\0\0\0",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"<!-- only a comment -->",
        b"<!doctype html>",
        b"<?xml version='1.0'?>",
        b"<html></html>",
        b"<html><head><title>Title</title></head></html>",
        b"<body></body>",
        b"<p></p>",
        b"<p>&nbsp; \n</p>",
        b"<script>alert(1)</script>",
        b"<img src=a>",
        b"<>",
    ],
    ids=repr,
)
def test_a_page_without_visible_text_is_empty(raw: bytes) -> None:
    page = Page.parse(raw)
    expected = "<>" if raw == b"<>" else ""
    assert text(page) == expected
    assert page.is_empty == (not expected)
    assert page.truncated is None
    assert page.html_size == len(raw)
    assert all(extract(page, name).text in ("", expected) for name in extractors)


def test_text_without_any_tag_is_a_page() -> None:
    page = Page.parse(b"Just text,\n on two lines")
    assert text(page) == "Just text, on two lines"
    assert not page.is_empty


def test_a_page_without_body_tags_has_a_body() -> None:
    assert lines(b"<title>Title</title><p>one<p>two") == ["one", "two"]


@pytest.mark.parametrize("parser", ["lxml", "lexbor"])
def test_a_frameset_shows_no_markup_as_text(parser: str) -> None:
    no_frames = b"<noframes><body><p>No frames</p></body></noframes>"
    raw = b"<html><head><title>T</title></head><frameset cols='1,2'><frame src=a>" + no_frames + b"</frameset></html>"
    assert "<" not in text(Page.parse(raw, parser=parser))
    assert "<" not in text(Page.parse(b"<body><p>one</p>" + no_frames, parser=parser))


@pytest.mark.parametrize("raw", [b"<noframes>", b"<noframes></noframes>", b"<noframes><!-- c --></noframes>"])
def test_an_empty_noframes_is_no_text(raw: bytes) -> None:
    assert text(raw) == ""


def test_a_deep_noframes_loses_no_text_unsaid() -> None:
    page = Page.parse(b"<noframes>" + b"<div>" * 3_000 + b"the end</noframes>")
    assert page.truncated or text(page) == text(b"<noframes>the end</noframes>")


def test_xhtml_is_read_as_html() -> None:
    raw = b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en"><head><title>T</title>
<script type="text/javascript">//<![CDATA[
if (a < b && c > d) { document.write("<p>no</p>") }
//]]></script></head>
<body><p>One<br/>two</p><div/><p>three &amp; <img src="a.png" alt="no" /></p><![CDATA[no]]><p>four</p></body></html>"""
    assert lines(raw) == ["One", "two", "three &", "four"]


def test_the_doctype_does_not_change_the_arrays() -> None:
    body = b"<html><body><p>One<br/>two</p><p></p><a name='x'>y</a><img src='a' alt='b'/></body></html>"
    xhtml = (
        b'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'
    )
    plain, strict = Page.parse(b"<!doctype html>" + body), Page.parse(xhtml + body)
    assert strict.source == plain.source
    assert strict.arrays.name_and_attributes.tolist() == plain.arrays.name_and_attributes.tolist()


# --- bytes


def test_nul_bytes_are_left_out() -> None:
    page = Page.parse(b"<html><body><p>be\0fore and af\0ter, in running text</p></body></html>")
    assert text(page) == "before and after, in running text"


def test_a_short_page_with_one_nul_byte_is_no_utf_16() -> None:
    assert text(b"<p>a\0b</p>") == "ab"


@pytest.mark.parametrize("control", [b"\x01", b"\x0b", b"\x1f", b"\x7f", b"&#1;", b"&#x1f;", b"&#13;"])
@pytest.mark.parametrize("parser", ["lxml", "lexbor"])
def test_control_characters_leave_no_entity_in_the_text(control: bytes, parser: str) -> None:
    page = Page.parse(b"<p>one " + control + b" two</p>", parser=parser)
    assert re.sub(r"[\s\ufffd\x7f]+", " ", text(page)) == "one two"
    assert "&" not in extract(page, "baseline").markdown


@pytest.mark.parametrize(
    ("codec", "bom", "sample"),
    [
        ("utf-16-le", True, "Straße, café — 中文"),
        ("utf-16-be", True, "Straße, café — 中文"),
        ("utf-16-le", False, "Straße, café"),
        ("utf-16-be", False, "Straße, café"),
        ("utf-8", True, "Straße, 中文"),
        ("utf-8", False, "Straße, 中文"),
    ],
)
def test_unicode_pages_come_out_right(codec: str, bom: bool, sample: str) -> None:
    html = f"<html><head><title>T</title></head><body><p>{sample}</p></body></html>"
    page = Page.parse((("\ufeff" if bom else "") + html).encode(codec))
    assert text(page) == sample
    assert page.replaced == 0


@pytest.mark.parametrize(
    ("codec", "sample"),
    [
        ("gbk", "今天下了一整天的雨，我们都没有出门。明天的天气会好一些，大家可以去公园。"),
        ("shift_jis", "今日は一日中雨が降っていました。明日は天気が良くなるでしょう。みんなで公園に行きます。"),
        ("cp1252", "“It rained” — he said… the café’s roof leaked, naïve as it was."),
    ],
)
def test_pages_mislabelled_as_latin_1_come_out_right(codec: str, sample: str) -> None:
    label = '<meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">'
    raw = f"<html><head>{label}<title>T</title></head><body><p>{sample}</p></body></html>".encode(codec)
    assert text(Page.parse(raw, content_type="text/html; charset=ISO-8859-1")) == sample


# --- broken markup


def test_unclosed_tags_are_closed() -> None:
    assert lines(b"<p>one<p>two <b>three<div>four<ul><li>a<li>b<table><tr><td>x<td>y") == [
        "one", "two three", "four", "a", "b", "x y",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"<div <p>x", "x"),
        (b"<div <p <b>x</div>y", "x\ny"),
        (b"<a<b>y</a<b>z", "yz"),
        (b"<p a<b='1' <='2'>x</p>", "x"),
        (b"a < b", "a < b"),
        (b"1<2>1", "1<2>1"),
        (b"<p>x</p", "x"),
        (b"<p>x<", "x<"),
        (b"<p title='a > b < c'>x</p>", "x"),
        (b'<p title="it\'s" id=\'"q">\'>x</p>', "x"),
        (b"<p title=a>b>x</p>", "b>x"),
        (b"<p title=it's>x</p>", "x"),
        (b"<p id=a id=b class class>x</p>", "x"),
        (b"<p title='&lt;b&gt; &quot; &amp;amp;'>x</p>", "x"),
        (b"<p title='two\nlines\ttab'>x</p>", "x"),
        (b"<p xml:lang=en a:b=c :d @e #f=g>x</p>", "x"),
        (b"<o:p>x</o:p><svg:a>y</svg:a>", "xy"),
        (b"</p>x</div></table>", "x"),
        (b"<table><td colspan=9007199254740991 rowspan=-1>x</table>", "x"),
        (b"<ol start=99999999999999999999><li value=1e9>x</ol>", "x"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("parser", ["lxml", "lexbor"])
def test_odd_tags_and_attributes_take_no_text_with_them(raw: bytes, expected: str, parser: str) -> None:
    page = Page.parse(raw, parser=parser)
    assert text(page) == expected
    assert page.truncated is None
    assert_well_formed(page.source)
    for name in extractors:
        assert isinstance(extract(page, name).text, str)


@pytest.mark.parametrize(
    "raw",
    [
        b"<html><body><p>one</p></body><p>two</p></html>",
        b"<html><body><p>one</p></body></html><p>two</p>",
        b"<html><body><p>one</p></body></html>two",
        b"<html><body><p>one</p></body>two</html>",
        b"<html><body><p>one</p></html><html><head><meta name=a></head><body><p>two</p></body></html>",
        b"<p>one</p></body></html><script>x</script></body></html><div>two",
        b"<html><body><p>one</p></body><body><p>two</p></body></html>",
    ],
    ids=repr,
)
@pytest.mark.parametrize("parser", ["lxml", "lexbor"])
def test_text_after_the_end_of_the_body_is_text_too(raw: bytes, parser: str) -> None:
    assert text(Page.parse(raw, parser=parser)) == "one\ntwo"


@pytest.mark.parametrize("raw", [b"<p>one</p><title>T</title><p>two</p>", b"<body><title>T</title>one<p>two</body>"])
@pytest.mark.parametrize("parser", ["lxml", "lexbor"])
def test_a_title_in_the_body_is_no_text(raw: bytes, parser: str) -> None:
    page = Page.parse(raw, parser=parser)
    assert text(page) == "one\ntwo"


# --- deep and large pages


@pytest.mark.parametrize("name", [b"div", b"b", b"blockquote", b"table", b"x-y", b"font", b"wbr", b"source"])
@pytest.mark.parametrize("depth", [300, 2_060, 20_000])
def test_no_depth_of_nesting_loses_text(name: bytes, depth: int) -> None:
    page = Page.parse((b"<%b>x " % name) * depth + b"the end")
    assert text(page).split() == ["x"] * depth + ["the", "end"]
    assert page.truncated is None
    assert (page.repaired is None) == (depth < 2_000)
    assert_well_formed(page.source)
    assert page.arrays.depth.max() < 2_048


def test_a_hundred_thousand_nested_elements_are_one_page() -> None:
    page = Page.parse(b"<div>x" * 100_000)
    assert page.truncated is None
    assert page.repaired is not None
    assert "2048" in page.repaired
    assert text(page) == "\n".join("x" * 100_000)


@pytest.mark.parametrize("depth", [300, 2_060, 20_000])
def test_text_after_a_deep_place_follows_in_order(depth: int) -> None:
    raw = b"<p>before</p>" + b"<div>" * depth + b"<p>deep</p>" + b"</div>" * depth + b"<p>after</p><h2>last</h2>"
    page = Page.parse(raw)
    assert lines(raw) == ["before", "deep", "after", "last"]
    assert page.truncated is None
    assert page.source.endswith(b"<p>after</p><h2>last</h2></body>")


@pytest.mark.parametrize(
    "unit",
    [b"(<div><table></div>", b"<b><div></b>(", b"<div a=x/>(", b"<p title=it's><i>(", b"<table><tr><td></table>(<td>",
     b"<a href='>'><b>(", b"<?php <b><i>(", b"<ul><li>(", b"<font><p>(</font>"],
    ids=repr,
)  # fmt: skip
def test_nesting_that_does_not_match_loses_no_text(unit: bytes) -> None:
    page = Page.parse(unit * 3_000 + b"the end")
    assert page.truncated is None
    assert text(page).count("(") == 3_000
    assert text(page).endswith("the end")


def test_a_page_that_is_cut_short_twice_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(utf8: bytes) -> canonical.Canonical:
        return replace(canonical.with_lxml(utf8[: len(utf8) // 2]), truncated="gave up half way")

    monkeypatch.setitem(canonical.PARSERS, "weak", gives_up)
    page = Page.parse(b"<p>one</p>" * 10, parser="weak")
    assert page.truncated == "gave up half way"
    assert page.repaired is None
    assert lines(b"<p>one</p>" * 5) == text(page).split("\n")


def test_a_page_that_is_read_at_the_second_attempt_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    attempts: list[bytes] = []

    def gives_up_once(utf8: bytes) -> canonical.Canonical:
        attempts.append(utf8)
        whole = canonical.with_lxml(utf8)
        return replace(whole, truncated="too deep") if len(attempts) == 1 else whole

    monkeypatch.setitem(canonical.PARSERS, "weak", gives_up_once)
    page = Page.parse(b"<p>one</p>", parser="weak")
    assert (page.repaired, page.truncated) == ("too deep", None)
    assert len(attempts) == 2


def test_a_text_of_eleven_megabytes_is_complete() -> None:
    page = Page.parse(b"<p>" + b"many words " * 1_000_000 + b"</p><p>after</p>")
    assert page.truncated is None
    assert text(page) == ("many words " * 1_000_000).strip() + "\nafter"


def test_an_attribute_of_eleven_megabytes_takes_no_text_with_it() -> None:
    assert text(b"<p title='" + b"long " * 2_200_000 + b"'>x</p><p>after</p>") == "x\nafter"


def test_two_hundred_thousand_siblings_are_as_many_lines() -> None:
    page = Page.parse(b"<p>a</p>" * 200_000)
    assert text(page) == "\n".join("a" * 200_000)
    assert page.arrays.count == 400_002


# --- the canonical source

NAME = re.compile(rb"/?([^\s/>]+)")


def assert_well_formed(source: bytes) -> None:
    """`<` and `>` alternate, start and end tags match, and every `&` begins an entity."""
    marks = re.sub(rb"[^<>]", b"", source)
    assert marks == b"<>" * (len(marks) // 2)
    assert source[:1] == b"<"
    assert source[-1:] == b">"
    stack: list[bytes] = []
    for tag in re.findall(rb"<([^>]*)>", source):
        assert b"\n" not in tag
        match = NAME.match(tag)
        assert match is not None
        if tag.startswith(b"/"):
            assert stack.pop() == match[1]
        elif not tag.endswith(b"/"):
            stack.append(match[1])
    assert not stack
    in_text = re.sub(rb"<[^>]*>", b"", source)
    assert re.sub(rb"&(?:amp|lt|gt|quot|#13);", b"", in_text).count(b"&") == 0
    source.decode("utf-8")


TAG_NAMES = [
    "a", "b", "body", "br", "button", "div", "form", "frameset", "h1", "head", "html", "i", "input", "li", "math",
    "noframes", "option", "p", "plaintext", "pre", "script", "select", "style", "svg", "table", "td", "template",
    "textarea", "title", "tr", "ul", "x-y", "x:y", "xmp",
]  # fmt: skip
NOISE = [
    "<", ">", "</", "/>", "<div", "<i", "'", '"', "=", "&", ";", "&#", "&amp;", "&lt;", "&nbsp;", "&#1;", "&#x0;",
    "&#13;", "<!--", "-->", "<![CDATA[", "]]>", "<?x", "text", "é", "中", " ", "\n", "\t", "\u3000", "\u00a0", "/",
    "<a href='", " xmlns:a='b'", " a:b=c", " a<b",
]  # fmt: skip
FRAGMENTS = (
    st.sampled_from([f"<{name}>" for name in TAG_NAMES] + [f"</{name}>" for name in TAG_NAMES])
    | st.sampled_from(NOISE)
    | st.text(max_size=3)
)
HTML = st.lists(FRAGMENTS, max_size=25).map(lambda parts: "".join(parts).encode("utf-8", "replace"))


@given(st.binary(max_size=300) | HTML, st.sampled_from(["lxml", "lexbor"]))
def test_any_bytes_make_a_page_with_a_well_formed_source(raw: bytes, parser: str) -> None:
    page = Page.parse(raw, parser=parser)
    assert_well_formed(page.source)
    assert page == Page.parse(raw, parser=parser)
    assert page.is_empty == (not text(page))
    assert page.metadata == Page.parse(raw, parser=parser).metadata


@given(HTML)
def test_the_arrays_describe_the_tree_that_the_source_is(raw: bytes) -> None:
    arrays = Page.parse(raw).arrays
    stack: list[int] = []
    for tag, (starting, empty) in enumerate(zip(arrays.starting.tolist(), arrays.empty.tolist(), strict=True)):
        if not starting:
            assert arrays.partner[tag] == stack.pop()
        parent = stack[-1] if stack else -1
        assert arrays.parent[tag] == parent
        assert arrays.depth[tag] == len(stack)
        if starting and not empty:
            stack.append(tag)
        elif empty:
            assert arrays.partner[tag] == tag


def test_the_arrays_describe_a_tree_of_any_depth() -> None:
    depth = 70_000
    arrays = Arrays(b"<b>" * depth + b"</b>" * depth)
    assert arrays.depth.max() == depth - 1
    assert arrays.partner.tolist() == list(range(2 * depth))[::-1]


@given(HTML)
def test_a_page_that_was_pickled_gives_the_same_text(raw: bytes) -> None:
    page = Page.parse(raw, url="https://example.com/")
    before = {name: extract(page, name).text for name in ("baseline", "cetr")}
    found = page.metadata
    copy = pickle.loads(pickle.dumps(page))  # noqa: S301 - made here
    assert copy == page
    assert not {"arrays", "metadata"} & set(vars(copy))
    assert {name: extract(copy, name).text for name in before} == before
    assert copy.metadata == found


def test_a_pickled_page_is_little_more_than_its_source() -> None:
    page = Page.parse(ARTICLE * 50)
    extract(page, "cetr")
    assert len(pickle.dumps(page)) < len(page.source) + 3_000


def test_pages_of_the_same_bytes_are_equal_and_others_are_not() -> None:
    assert Page.parse(ARTICLE) == Page.parse(ARTICLE)
    assert Page.parse(ARTICLE) != Page.parse(ARTICLE + b"<p>more")


# --- the order of things, and other processes


@settings(max_examples=25)
@given(st.permutations(list(extractors)))
def test_no_extractor_changes_what_another_one_gives(order: list[str]) -> None:
    shared = Page.parse(ARTICLE)
    together = {name: extract(shared, name).text for name in order}
    assert together == {name: extract(Page.parse(ARTICLE), name).text for name in order}


def run(code: str, stdin: bytes = b"", **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], input=stdin, env={**os.environ, **environment}, capture_output=True, check=True
    ).stdout.decode()


def test_another_process_gives_the_same_text() -> None:
    code = (
        "import sys; from transforms import Page, extract, extractors; page = Page.parse(sys.stdin.buffer.read());"
        "print([(name, extract(page, name).text, extract(page, name).markdown) for name in extractors], page.metadata)"
    )
    assert run(code, ARTICLE, PYTHONHASHSEED="1") == run(code, ARTICLE, PYTHONHASHSEED="2")


def test_the_package_imports_neither_beam_nor_scrapy() -> None:
    code = (
        "import importlib, pkgutil, sys, transforms\n"
        "names = [m.name for m in pkgutil.walk_packages(transforms.__path__, 'transforms.')]\n"
        "for name in names: importlib.import_module(name)\n"
        "print(len(names), *sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    count, *loaded = run(code).split()
    assert int(count) > 10
    assert "lxml" in loaded
    assert not {"apache_beam", "scrapy", "pipeline", "spiders", "bench"} & set(loaded)


# --- parsers


@pytest.mark.parametrize(
    "raw",
    [
        ARTICLE,
        b"<p>one<p>two<ul><li>a<li>b</ul>tail",
        b"text &amp;amp; &copy; &#8364; &nbsp;entities",
        b"<pre>\n a\n\n  b</pre><textarea>x <b> y</textarea>",
        b"<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>",
        b"<body><noscript><p>no</p></noscript><iframe>no</iframe><p>yes</p><object>no</object><template>no</template>",
        "<p>日本語 und Straße</p>".encode(),
        b"<dl><dt>a</dt><dd>b</dd></dl><h2>c</h2><blockquote>d</blockquote><img alt=no><hr>e",
        b"",
    ],
)
def test_both_parsers_give_the_same_text(raw: bytes) -> None:
    pytest.importorskip("selectolax")
    assert text(Page.parse(raw, parser="lexbor")) == text(Page.parse(raw, parser="lxml"))
    assert Page.parse(raw, parser="lexbor").truncated is None


def test_the_second_parser_has_no_nesting_limit() -> None:
    pytest.importorskip("selectolax")
    page = Page.parse(b"<div>x " * 3_000, parser="lexbor")
    assert text(page).split() == ["x"] * 3_000
    assert page.repaired is None
    assert page.arrays.depth.max() == 3_000


@pytest.mark.parametrize("raw", [b"<xmp>a < b &amp; <!-- c --></xmp>", b"<plaintext>a < b </plaintext> & c"])
def test_elements_with_raw_text_come_out_alike(raw: bytes) -> None:
    pytest.importorskip("selectolax")
    assert Page.parse(raw, parser="lexbor").source == Page.parse(raw, parser="lxml").source


def test_an_unknown_parser_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UnknownParser, match=r"'html9'; there are: lxml, lexbor") as raised:
        Page.parse(b"<p>x", parser="html9")
    assert isinstance(raised.value, TransformError)
