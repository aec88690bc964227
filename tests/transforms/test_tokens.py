"""Body text extraction and document slope curves: the page as a sequence of tags and words."""

from __future__ import annotations

import html as entities
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import Page, extract
from transforms.algorithms.tokens import adsc, bte, dsc, mss, token_sequence
from transforms.selection import Spans

NAMES = ("p", "div", "a", "b", "em", "span", "li", "section")
WORDS = st.sampled_from(
    [
        "a",
        "bc ",
        " def",
        "\n",
        "some long words here ",
        "internationalisation",
        "漢字かな交じり文章",
        "&amp;",
        "é \u00a0",
        "x &lt; y",
    ]
)
FONT_CHANGES = {
    b"b",
    b"big",
    b"em",
    b"font",
    b"i",
    b"mark",
    b"s",
    b"small",
    b"strike",
    b"strong",
    b"sub",
    b"sup",
    b"tt",
    b"u",
}


def rendered(name: str, inside: list[str]) -> str:
    return f"<{name}>{''.join(inside)}</{name}>"


HTML = st.lists(
    st.recursive(
        WORDS | st.just("<br>"),
        lambda inner: st.builds(rendered, st.sampled_from(NAMES), st.lists(inner, max_size=5)),
        max_leaves=16,
    ),
    max_size=5,
).map("".join)


class Text:
    """A tag of the canonical source and the text after it."""

    def __init__(self, tag: bytes, start: int, text: bytes) -> None:
        name = re.match(rb"</?([^\s/>]+)", tag)
        assert name is not None
        self.name, self.start, self.end = name.group(1), start, start + len(text)
        plain = entities.unescape(text.decode()).split()
        self.letters = len("".join(plain))
        self.words = max(len(plain), self.letters // 6)


def texts_of(source: bytes) -> list[Text]:
    found = re.finditer(rb"(<[^>]*>)([^<]*)", source)
    return [Text(match.group(1), match.start(2), match.group(2)) for match in found]


def chosen(page: Page, spans: Spans) -> list[int]:
    """The numbers of the texts with words that lie inside the spans; a text is inside as a whole or not at all."""
    pairs = list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    found = []
    for number, text in enumerate(texts_of(page.source)):
        if text.words and any(a < text.end and text.start < b for a, b in pairs):
            assert any(a <= text.start and text.end <= b for a, b in pairs)
            found.append(number)
    return found


# Body text extraction


def bte_reference(texts: list[Text]) -> list[int]:
    """Try every region of texts first..last, which has the tags first+1..last inside; the first best one counts."""
    if not any(text.words for text in texts):
        return []
    best, region = -1, range(0)
    for last in range(len(texts)):
        for first in range(last + 1):
            words_inside = sum(text.words for text in texts[first : last + 1])
            tags_outside = len(texts) - (last - first)
            if words_inside + tags_outside > best:
                best, region = words_inside + tags_outside, range(first, last + 1)
    return [number for number in region if texts[number].words]


@settings(max_examples=150, deadline=None)
@given(HTML)
def test_bte_agrees_with_trying_all_regions(html: str) -> None:
    page = Page.parse(html.encode())
    assert chosen(page, bte(page)) == bte_reference(texts_of(page.source))


@settings(max_examples=50, deadline=None)
@given(HTML)
def test_no_stretch_of_tokens_beats_the_region_of_bte(html: str) -> None:
    page = Page.parse(html.encode())
    texts = texts_of(page.source)
    tokens = [score for text in texts for score in (-1, *[1] * text.words)]
    best = max(sum(tokens[i:j]) for i in range(len(tokens)) for j in range(i, len(tokens) + 1))
    inside = chosen(page, bte(page))
    found = sum(texts[n].words for n in inside) - (inside[-1] - inside[0]) if inside else 0
    assert found == best


def test_bte_finds_the_region_with_most_words_and_fewest_tags() -> None:
    page = Page.parse(
        b'<ul><li><a href="/">Home</a></li><li><a href="/n">News</a></li></ul>'
        b"<p>It rained all day.</p><p>Then the <b>sun</b> came out.</p>"
        b'<p><a href="/c">Contact</a></p>'
    )
    # Words as +1, tags as -1, from the first paragraph's text on:
    #   4 (It rained all day.) - 2 (</p><p>) + 2 (Then the) - 1 + 1 (sun) - 1 + 2 (came out.) = 5
    # Going on to Contact costs </p><p><a>, 3 tags, for 1 word; back to News </a></li></ul><p>, 4 tags, for 1 word.
    assert extract(page, "bte").text == "It rained all day.\nThen the sun came out."


def test_bte_leaves_out_a_paragraph_that_only_breaks_even() -> None:
    # The two tags between the paragraphs cost what the second one's two words bring: the region that ends first counts.
    assert extract(Page.parse(b"<p>one two three</p><p>four five</p>"), "bte").text == "one two three"
    # A third word decides.
    assert extract(Page.parse(b"<p>one two three</p><p>four five six</p>"), "bte").text == (
        "one two three\nfour five six"
    )


def test_bte_of_two_equal_paragraphs_far_apart_is_the_first() -> None:
    assert extract(Page.parse(b"<p>one two</p><hr><hr><p>three four</p>"), "bte").text == "one two"


def test_bte_counts_six_letters_as_a_word_where_words_are_not_set_apart() -> None:
    # 36 characters count 6, more than the 5 words of the other text; three tags between them are too many to join.
    page = Page.parse(("<p>one two three four five</p>" + "<hr>" * 9 + "<p>" + "漢" * 36 + "</p>").encode())
    assert extract(page, "bte").text == "漢" * 36


# Maximum subsequence segmentation


@settings(max_examples=200, deadline=None)
@given(HTML, st.sampled_from([0, 0.5, 1, 2, 3.25, 10]))
def test_no_stretch_of_tokens_has_a_larger_sum_than_that_of_mss(html: str, tag: float) -> None:
    page = Page.parse(html.encode())
    texts = texts_of(page.source)
    tokens = [score for text in texts for score in (-tag, *[1] * text.words)]
    best = max(sum(tokens[i:j]) for i in range(len(tokens)) for j in range(i, len(tokens) + 1))
    inside = chosen(page, mss(page, tag=tag))
    assert bool(inside) == any(text.words for text in texts)
    found = sum(texts[n].words for n in inside) - tag * (inside[-1] - inside[0]) if inside else 0
    assert found == best


def test_a_tag_costs_three_words_and_a_quarter() -> None:
    # </p><p> cost 6.5: six words do not make up for them, seven do.
    page = "<p>one two three four five six seven eight</p><p>{}</p>"
    assert extract(Page.parse(page.format("a b c d e f").encode()), "mss").text.endswith("eight")
    assert extract(Page.parse(page.format("a b c d e f g").encode()), "mss").text.endswith("eight\na b c d e f g")
    assert extract(Page.parse(page.format("a b c").encode()), "mss", tag=1).text.endswith("eight\na b c")


# Document slope curves


def slope_reference(texts: list[Text], window: int, slope: float, sliding: bool) -> list[int]:
    """Walk over the tokens, and for each over the tokens of its window."""
    tokens: list[tuple[int, int]] = []  # how much the token raises the curve, and the text that it is a word of
    for number, text in enumerate(texts):
        tokens.append((0 if text.name in FONT_CHANGES else 1, -1))
        tokens += [(0, number)] * text.words
    page_slope = Fraction(sum(rise for rise, _ in tokens), len(tokens))
    flat = [0] * len(texts)
    for place, (_, number) in enumerate(tokens):
        low = place - window // 2 if sliding else place // window * window
        near = tokens[max(low, 0) : low + window]
        if number >= 0 and Fraction(sum(rise for rise, _ in near), len(near)) <= Fraction(slope) * page_slope:
            flat[number] += 1
    return [number for number, text in enumerate(texts) if 2 * flat[number] > text.words]


@settings(max_examples=200, deadline=None)
@given(HTML, st.integers(1, 40), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 1.5]))
def test_slope_curves_agree_with_a_walk_over_the_tokens(html: str, window: int, slope: float) -> None:
    page = Page.parse(html.encode())
    texts = texts_of(page.source)
    assert chosen(page, dsc(page, window=window, slope=slope)) == slope_reference(texts, window, slope, sliding=False)
    assert chosen(page, adsc(page, window=window, slope=slope)) == slope_reference(texts, window, slope, sliding=True)


def test_the_token_sequence_is_each_tag_and_the_words_after_it() -> None:
    is_tag, owner = token_sequence(np.array([0, 2, 0, 1]))
    assert is_tag.tolist() == [True, True, False, False, True, True, False]
    assert owner.tolist() == [0, 1, 1, 1, 2, 3, 3]


# <body><p>, eight words, </p><ul><li>, one word, </li><li>, one word, </li></ul></body>: 10 tags, 10 words.
STORY = b"<p>a a a a a a a a</p><ul><li>b</li><li>c</li></ul>"


def test_dsc_cuts_the_tokens_into_windows() -> None:
    page = Page.parse(STORY)
    # Windows of five:  <body><p>a a a   a a a a a   </p><ul><li>b</li>   <li>c</li></ul></body>
    #   tags in it          2/5             0               4/5                 4/5          page: 10/20
    # At most 0.5 * 1/2: only the second, which has five of the eight words, more than half.
    assert extract(page, "dsc", window=5, slope=0.5).text == "a a a a a a a a"
    # At most 0.8 * 1/2 = 2/5: the first as well. At most 1.6 * 1/2 = 4/5: all.
    assert extract(page, "dsc", window=5, slope=0.8).text == "a a a a a a a a"
    assert extract(page, "dsc", window=5, slope=1.6).text == "a a a a a a a a\nb\nc"


def test_a_text_with_half_of_its_words_on_flat_ground_is_noise() -> None:
    # Windows of two: <body><p>  a a  a a  </p><hr/> ...: both windows with words are flat.
    assert extract(Page.parse(b"<p>a a a a</p>" + b"<hr>" * 8), "dsc", window=2, slope=0.5).text == "a a a a"
    # One tag more: <body><div>  <p>a  a a  a</p>  </div><hr/> ...: one of three is flat, with two of the four words.
    moved = Page.parse(b"<div><p>a a a a</p></div>" + b"<hr>" * 8)
    assert extract(moved, "dsc", window=2, slope=0.5).text == ""
    # Five words: <body><div>  <p>a  a a  a a  </p></div> ...: four of the five.
    moved = Page.parse(b"<div><p>a a a a a</p></div>" + b"<hr>" * 8)
    assert extract(moved, "dsc", window=2, slope=0.5).text == "a a a a a"


def test_adsc_centres_the_window_on_each_word() -> None:
    page = Page.parse(STORY)
    # Tokens (1 for tags):  1 1 0 0 0 0 0 0 0 0 1 1 1 0 1 1 0 1 1 1. A window of four is two before, itself, one after.
    # The a's have 2, 1, 0, 0, 0, 0, 0, 1 tags around them; b has 3 of 4, c has 3 of 4.
    # At most 0.5 * 1/2 = 1/4: seven of the eight a's.
    assert extract(page, "adsc", window=4, slope=0.5).text == "a a a a a a a a"
    # At most 1.5 * 1/2 = 3/4: b and c as well; just below it they are not.
    assert extract(page, "adsc", window=4, slope=1.5).text == "a a a a a a a a\nb\nc"
    assert extract(page, "adsc", window=4, slope=1.49).text == "a a a a a a a a"


@pytest.mark.parametrize("name", sorted(FONT_CHANGES))
def test_changes_of_font_do_not_raise_the_curve(name: bytes) -> None:
    noise = b"<hr>" * 10
    bold = Page.parse(noise + b"<p>" + b"<%b>a</%b> " % (name, name) * 20 + b"</p>" + noise)
    linked = Page.parse(noise + b"<p>" + b"<a>a</a> " * 20 + b"</p>" + noise)
    # Three tokens around each word: <b>a</b> raises the curve by 0, <a>a</a> by 2. Each page has 84 tokens; 24 of them
    # (body, hr, p) raise the curve of the first, 64 that of the second: 0 <= 0.5 * 24/84, 2/3 > 0.5 * 64/84.
    assert extract(bold, "adsc", window=3, slope=0.5).text.split() == ["a"] * 20
    assert extract(linked, "adsc", window=3, slope=0.5).text == ""


@pytest.mark.parametrize("name", ["dsc", "adsc"])
def test_a_window_wider_than_the_page_is_as_flat_as_the_page(name: str) -> None:
    # Whatever the page's share of tags is, here 4/7 and 6/13: at slope 1 it is not more than itself.
    assert extract(Page.parse(b"<p>a b c</p>"), name, window=1000, slope=1.0).text == "a b c"
    page = Page.parse(b"<p>a b c d e f</p><hr><hr>")
    assert extract(page, name, window=1000, slope=1.0).text == "a b c d e f"
    assert extract(page, name, window=1000, slope=0.99).text == ""


# All


@pytest.mark.parametrize("name", ["bte", "dsc", "adsc"])
@pytest.mark.parametrize("html", [b"", b" \n ", b"<p>\n</p>", b"<img src=x>"])
def test_a_page_without_text_gives_none(name: str, html: bytes) -> None:
    selection = extract(Page.parse(html), name)
    assert len(selection.spans) == 0
    assert selection.text == ""


@pytest.mark.parametrize("name", ["bte", "dsc", "adsc"])
def test_a_page_without_tags_is_content(name: str) -> None:
    assert extract(Page.parse(b"one two\nthree four\n" * 20), name).text.split() == ["one", "two", "three", "four"] * 20


def test_of_a_page_of_only_links_bte_takes_the_longest_and_slope_curves_the_flattest() -> None:
    page = Page.parse(b'<p><a href="/1">one</a></p>' * 30 + b'<p><a href="/2">two three four five six</a></p>')
    # Each link costs the four tags before it; only the last brings more words than that: 5 alone, 6 - 4 with another.
    assert extract(page, "bte").text == "two three four five six"
    # The page has 2 + 31 * 4 tags and 35 words. Three tokens around each "one" are all but one tags, 2/3; around the
    # middle words of the last link they have none.
    assert extract(page, "adsc", window=3, slope=0.5).text == "two three four five six"
