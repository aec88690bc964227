"""The table of extractors: what it lists, what it refuses, and what holds for every extractor on every page."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import BadParameter, Page, TransformError, UnknownExtractor, extract, extractors
from transforms.registry import Registry, Within, whole
from transforms.selection import Spans, one

NAMES = (
    "baseline", "density",
    "ttr-threshold", "ttr-kmeans", "ttr-em", "ttr-farthest-first", "ttr-prediction",
    "cetr-tm", "cetr-km", "cetr",
    "block",
    "ccb", "accb", "alexjc", "zhou", "bte", "mss", "dsc", "adsc", "cetd-ds", "lqf", "lsi", "fe", "kfe",
)  # fmt: skip
EVERY_PARAMETER = [(name, parameter) for name in NAMES for parameter in extractors[name].parameters]


# The table


def test_every_extractor_is_listed_in_order() -> None:
    assert tuple(extractors) == NAMES
    assert len(extractors) == 24


def test_the_registry_is_a_mapping() -> None:
    assert isinstance(extractors, Mapping)
    assert "cetr" in extractors
    assert "nonsense" not in extractors
    assert extractors.get("nonsense") is None
    assert extractors["cetr"].name == "cetr"
    assert [entry.name for entry in extractors.values()] == list(extractors.keys())
    with pytest.raises(KeyError):
        extractors["nonsense"]


@pytest.mark.parametrize("name", NAMES)
def test_each_extractor_names_its_paper_and_says_what_it_does_in_a_line(name: str) -> None:
    entry = extractors[name]
    assert any(character.isdigit() for character in entry.paper)  # the year
    assert entry.summary.endswith(".")
    assert "\n" not in entry.summary
    assert 10 < len(entry.summary) <= 120


@pytest.mark.parametrize(("name", "parameter"), EVERY_PARAMETER)
def test_each_default_is_inside_its_range(name: str, parameter: str) -> None:
    entry = extractors[name].parameters[parameter]
    assert entry.name == parameter
    assert entry.allowed.allows(entry.default)


@pytest.mark.parametrize(("name", "parameter"), EVERY_PARAMETER)
def test_both_ends_of_each_range_are_accepted(name: str, parameter: str) -> None:
    allowed = extractors[name].parameters[parameter].allowed
    page = Page.parse(b"<p>one two three</p>\n<p>four <a href='/'>five</a></p>\n<div>six</div>" * 3)
    for value in (allowed.low, allowed.high, *allowed.words):
        assert isinstance(extract(page, name, **{parameter: value}).text, str)


def test_an_extractor_whose_ranges_do_not_match_its_parameters_is_refused() -> None:
    registry = Registry()

    def choose(page: Page, *, size: int = 1) -> Spans:
        return one(0, min(size, len(page.source)))

    with pytest.raises(TypeError, match="size"):
        registry.add("one", "A paper (2000)")(choose)
    with pytest.raises(TypeError, match="other"):
        registry.add("one", "A paper (2000)", size=whole(0, 1), other=whole(0, 1))(choose)
    assert len(registry) == 0


# Names


def test_an_unknown_name_is_answered_with_the_nearest_and_all_names() -> None:
    with pytest.raises(UnknownExtractor) as error:
        extract(Page.parse(b"text"), "cetr-tn")
    message = str(error.value)
    assert "'cetr-tn'" in message
    assert "Did you mean 'cetr-tm'?" in message
    assert all(name in message for name in NAMES)


def test_a_name_like_no_other_gets_no_suggestion() -> None:
    with pytest.raises(UnknownExtractor) as error:
        extract(Page.parse(b"text"), "xyzzy")
    assert "Did you mean" not in str(error.value)
    assert ", ".join(NAMES) in str(error.value)


def test_both_errors_are_value_errors_of_this_package() -> None:
    assert issubclass(UnknownExtractor, TransformError)
    assert issubclass(BadParameter, TransformError)
    assert issubclass(TransformError, ValueError)


# Parameters


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_parameter_is_answered_with_those_there_are(name: str) -> None:
    with pytest.raises(BadParameter) as error:
        extract(Page.parse(b"text"), name, nonsense=1)
    message = str(error.value)
    assert name in message
    assert "'nonsense'" in message
    for parameter in extractors[name].parameters.values():
        assert f"{parameter.name}={parameter.default!r}" in message
        assert str(parameter.allowed) in message
    assert extractors[name].parameters or message.endswith("none")


@pytest.mark.parametrize(
    "value", [-1, 1e300, math.nan, math.inf, -math.inf, True, False, None, "much", "", [1], (), b"1", 1j]
)
@pytest.mark.parametrize(("name", "parameter"), EVERY_PARAMETER)
def test_a_value_outside_the_range_is_answered_with_the_range(name: str, parameter: str, value: object) -> None:
    with pytest.raises(BadParameter) as error:
        extract(Page.parse(b"text"), name, **{parameter: value})
    assert f"{parameter}={value!r}" in str(error.value)
    assert str(extractors[name].parameters[parameter].allowed) in str(error.value)


@pytest.mark.parametrize(("name", "parameter"), EVERY_PARAMETER)
def test_whole_numbers_take_no_fractions(name: str, parameter: str) -> None:
    allowed = extractors[name].parameters[parameter].allowed
    assert allowed.allows(allowed.low + 0.5) is not allowed.integer
    assert allowed.allows(float(allowed.low)) is not allowed.integer


def test_a_range_is_described_in_words() -> None:
    assert str(Within(0, 1)) == "a number from 0 to 1"
    assert str(whole(1, 100_000)) == "a whole number from 1 to 100,000"
    assert str(Within(0.5)) == "a number of at least 0.5"
    assert str(Within(0, 10, words=("std",))) == "a number from 0 to 10 or 'std'"


def test_nothing_runs_before_the_parameters_are_checked() -> None:
    page = Page.parse(b"text")
    with pytest.raises(BadParameter):
        extract(page, "cetr", k=1)
    assert "arrays" not in vars(page)


def test_the_default_extractor_is_cetr() -> None:
    page = Page.parse(b"<p>one</p>\n<p>two three four five</p>\n<ul>\n<li>six</li></ul>")
    assert extract(page).extractor == "cetr"
    assert extract(page).text == extract(page, "cetr").text


# What holds for all of them

LINKS = b"<ul>" + b'<li><a href="/page">A page</a></li>\n' * 20 + b"</ul>"
PAGES = {
    "empty": b"",
    "white": b" \n\t ",
    "comment": b"<!doctype html><!-- nothing -->",
    "text only": b"Just a few words.\nAnd a second line of them.\n",
    "one element": b"<p>One paragraph.</p>",
    "one empty element": b"<img src='x.png'>",
    "one word": b"x",
    "only links": LINKS,
    "nested inline elements": b"<b>" * 5000 + b"deep" + b"</b>" * 5000,
    "nested blocks": b"<div>" * 300 + b"deep" + b"</div>" * 300,
    "frameset": b"<html><frameset><frame src='a.html'></frameset></html>",
    "article": LINKS + b"<h1>Rain</h1>\n<p>" + b"It rained all day, &amp; all night. " * 20 + b"</p>\n" + LINKS,
    "many scripts": "<p>Дождь шёл весь день.</p><p>雨が一日中降った。</p><p>مطر</p><p>a\u00a0b\u2003c</p>".encode(),
    "table": b"<table><tr><td>1<td>2<tr><td>3<td>4</table>",
    "preformatted": b"<pre>\n a\n  b\n</pre><textarea>c\n d</textarea>",
    "not utf-8": b"<p>caf\xe9 \xff\xfe\x00 na\xefve</p>",
    "stray brackets": b"a < b > c <div <p> <<>> </x> &lt;p&gt; & &amp &nosuch; <",
}


def visible(text: str) -> str:
    return "".join(text.split())


def is_subsequence(part: str, whole_text: str) -> bool:
    rest = iter(whole_text)
    return all(character in rest for character in part)


def check(raw: bytes, name: str) -> None:
    """All that an extractor promises, on one page."""
    page = Page.parse(raw)
    selection = extract(page, name)
    start, end = selection.spans.start.tolist(), selection.spans.end.tolist()
    assert len(start) == len(end) == len(selection.spans)
    assert all(a <= b for a, b in zip(start, end, strict=True))
    assert all(end[i] <= start[i + 1] for i in range(len(start) - 1))
    assert not start or (start[0] >= 0 and end[-1] <= len(page.source))
    text = selection.text
    assert extract(page, name).text == text
    assert extract(Page.parse(raw), name).text == text
    assert is_subsequence(visible(text), visible(extract(page, "baseline").text))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("page", PAGES)
def test_every_extractor_keeps_its_promises_on_peculiar_pages(name: str, page: str) -> None:
    check(PAGES[page], name)


FRAGMENTS = st.sampled_from(
    [
        *(
            b"<%b>" % name
            for name in (b"p", b"div", b"a href='/'", b"br", b"li", b"td", b"b", b"img", b"pre", b"option")
        ),
        *(b"</%b>" % name for name in (b"p", b"div", b"a", b"b", b"pre", b"ul", b"x")),
        *(b"word ", b"some more words ", b"\n", b"&amp;", b"&lt;", b"&#13;", b"<", b">", b'"', b"<!--"),
        *(text.encode() for text in ("é", "漢", "\u00a0", "\u2003")),
    ]
)
MIXED = st.lists(FRAGMENTS | st.binary(max_size=6), max_size=40).map(b"".join)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300) | MIXED)
def test_every_extractor_keeps_its_promises_on_random_bytes(raw: bytes) -> None:
    for name in NAMES:
        check(raw, name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("page", ["empty", "white", "comment", "one empty element", "frameset"])
def test_a_page_without_text_gives_none(name: str, page: str) -> None:
    assert extract(Page.parse(PAGES[page]), name).text == ""


def test_text_in_5000_inline_elements_is_found() -> None:
    assert extract(Page.parse(PAGES["nested inline elements"]), "baseline").text == "deep"
    assert extract(Page.parse(PAGES["nested inline elements"]), "lsi").text == "deep"


@pytest.mark.parametrize("name", NAMES)
def test_an_article_between_two_menus_is_found(name: str) -> None:
    # Twenty times the same long sentence: what every method here is made for.
    text = extract(Page.parse(PAGES["article"]), name).text
    assert text.count("It rained all day, & all night.") == 20
