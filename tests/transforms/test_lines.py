"""Alexjc's densities of lines, and Zhou's word counts of paragraphs."""

from __future__ import annotations

import html as entities
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import Page, extract
from transforms.algorithms.lines import alexjc, word_counts, zhou
from transforms.selection import Spans
from transforms.tags import BLOCKS

NAMES = ("p", "div", "a", "b", "span", "li", "h2", "section")
WORDS = st.sampled_from(
    [
        "a",
        "bc ",
        " def",
        "\n",
        " \n ",
        "long words here ",
        "internationalisation",
        "漢字かな交じり文章",
        "&amp;",
        "é",
        "\u00a0",
        "x &lt; y",
    ]
)


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


def pieces(source: bytes) -> list[tuple[int, bytes]]:
    """Tags and texts of the canonical source in order, with their offsets."""
    return [(match.start(), match.group()) for match in re.finditer(rb"<[^>]*>|[^<]+", source)]


def readable(text: bytes) -> str:
    """A text as a reader counts it: no white space at its ends, a single space for each run of it inside."""
    return " ".join(entities.unescape(text.decode()).split())


def text_offsets(source: bytes) -> set[int]:
    """Offsets of the first bytes of characters that are text and not white space."""
    found = set()
    for offset, piece in pieces(source):
        if not piece.startswith(b"<"):
            for match in re.finditer(r"&[^;]*;|\S", piece.decode()):
                found.add(offset + len(piece.decode()[: match.start()].encode()))
    return found


def chosen(page: Page, spans: Spans) -> set[int]:
    pairs = list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    return {offset for offset in text_offsets(page.source) if any(a <= offset < b for a, b in pairs)}


# Alexjc


def lines_of(source: bytes) -> list[tuple[int, bytes]]:
    """The lines that are not empty, with their offsets; these pages have none that must be broken."""
    found, offset = [], 0
    for line in source.split(b"\n"):
        found.append((offset, line))
        offset += len(line) + 1
    return [(start, line) for start, line in found if b"<" in line or readable(line)]


def alexjc_reference(source: bytes, threshold: float) -> set[int]:
    content = set()
    for start, line in lines_of(source):
        markup = sum(len(tag) for tag in re.findall(rb"<[^>]*>", line))
        length = len(readable(re.sub(rb"<[^>]*>", b"", line)))
        if length > threshold * (length + markup):
            content.update(range(start, start + len(line)))
    return content & text_offsets(source)


@settings(max_examples=200, deadline=None)
@given(HTML, st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
def test_alexjc_agrees_with_a_walk_over_the_lines(html: str, threshold: float) -> None:
    # Lines that hold most of a page are broken, which is tested with the tag ratios: a long last line prevents that.
    page = Page.parse(f"{html}\n<hr>\n{'x' * (len(html) + 65)}\n<hr>\n".encode())
    assert chosen(page, alexjc(page, threshold=threshold)) == alexjc_reference(page.source, threshold)


def test_alexjc_keeps_lines_that_are_text_rather_than_tags() -> None:
    page = Page.parse(
        b"<body>\n"
        b'<a href="/">Home</a> <a href="/n">News</a>\n'  # 9 of text ("Home News"), 12 + 4 + 13 + 4 = 33 of tags: 9/42
        b"<p>It rained all day.</p>\n"  # 18 of text, 7 of tags: 18/25
        b"</body>"
    )
    assert extract(page, "alexjc").text == "It rained all day."
    assert extract(page, "alexjc", threshold=0.2).text == "Home News\nIt rained all day."
    assert extract(page, "alexjc", threshold=0.8).text == ""


def test_alexjc_drops_a_line_that_is_half_tags() -> None:
    # <p></p> takes 7 bytes: 7 / 14 is not more than a half, 8 / 15 is.
    page = Page.parse(b"<body>\n<p>1234567</p>\n<p>12345678</p>\n</body>")
    assert extract(page, "alexjc", threshold=0.5).text == "12345678"


def test_alexjc_counts_an_entity_as_one_character() -> None:
    # Seven ampersands are 7 characters, though the source has 35 bytes of them.
    page = Page.parse(b"<body>\n<p>&amp;&amp;&amp;&amp;&amp;&amp;&amp;</p>\n<p>12345678</p>\n</body>")
    assert extract(page, "alexjc", threshold=0.5).text == "12345678"


def test_alexjc_does_not_count_indentation() -> None:
    page = Page.parse(b"<body>\n" + b" " * 50 + b"<p>1234567</p>\n<p>12345678</p>\n</body>")
    assert extract(page, "alexjc", threshold=0.5).text == "12345678"


def test_alexjc_breaks_a_page_that_is_one_line() -> None:
    # <body><p> and the first 56 characters make the first line of 65; 55 of 64 are text. The second line is tags and
    # 4 characters of text: 4 of 15.
    page = Page.parse(b"<p>" + b"a" * 55 + b" bbbb</p>")
    assert page.source == b"<body><p>" + b"a" * 55 + b" bbbb</p></body>"
    assert extract(page, "alexjc").text == "a" * 55


# Zhou


def paragraphs(source: bytes) -> list[tuple[list[int], str]]:
    """The strings between structural start tags: the offsets of their texts, and the text."""
    found: list[tuple[list[int], bytes]] = []
    for offset, piece in pieces(source):
        if piece.startswith(b"<"):
            name = re.match(rb"<([^\s/>]+)", piece)
            if name and name.group(1).decode() in {*BLOCKS, "br"}:
                found.append(([], b""))
        else:
            found[-1][0].extend(range(offset, offset + len(piece)))
            found[-1] = (found[-1][0], found[-1][1] + piece)
    return [(offsets, readable(text)) for offsets, text in found]


def words_in(text: str) -> int:
    return max(len(text.split()), len("".join(text.split())) // 6)


def zhou_reference(source: bytes, threshold: float, radius: int) -> set[int]:
    filled = [(offsets, words_in(text)) for offsets, text in paragraphs(source) if text]
    means = []
    for i in range(len(filled)):
        near = [count for _, count in filled[max(i - radius, 0) : i + radius + 1]]
        means.append(round(sum(near) / len(near) * 65536) / 65536)
    content = set()
    for (offsets, _), mean in zip(filled, means, strict=True):
        if mean >= threshold * max(means):
            content.update(offsets)
    return content & text_offsets(source)


@settings(max_examples=200, deadline=None)
@given(HTML, st.sampled_from([0.0, 0.2, 0.25, 0.5, 1.0]), st.integers(0, 4))
def test_zhou_agrees_with_a_walk_over_the_paragraphs(html: str, threshold: float, radius: int) -> None:
    page = Page.parse(html.encode())
    assert chosen(page, zhou(page, threshold=threshold, radius=radius)) == zhou_reference(
        page.source, threshold, radius
    )


def paragraphs_with(*counts: int) -> Page:
    """A page of one-letter words: so many a's in the first paragraph, so many b's in the second, ..."""
    letters = "abcdefgh"
    return Page.parse("".join(f"<p>{f'{letters[i]} ' * n}</p>" for i, n in enumerate(counts)).encode())


def letters_of(page: Page, **parameters: float) -> str:
    return "".join(sorted(set(extract(page, "zhou", **parameters).text.split())))


def test_zhou_keeps_paragraphs_near_the_longest() -> None:
    page = paragraphs_with(1, 2, 10, 4, 1)
    # Without smoothing the limit is 0.4 * 10 = 4 words; a paragraph of exactly 4 is enough.
    assert letters_of(page, threshold=0.4, radius=0) == "cd"
    assert letters_of(page, threshold=0.41, radius=0) == "c"


def test_zhou_keeps_a_short_paragraph_between_long_ones() -> None:
    page = paragraphs_with(1, 1, 12, 1, 12, 1, 1)
    # Means of three: 1, 14/3, 14/3, 25/3, 14/3, 14/3, 1. Half of the largest is 25/6, more than 1 and less than 14/3.
    assert letters_of(page, threshold=0.5, radius=1) == "bcdef"
    assert letters_of(page, threshold=0.5, radius=0) == "ce"


def test_zhou_smooths_over_paragraphs_that_have_words() -> None:
    # The empty paragraphs between are no neighbours: means of (12, 3), (12, 3, 3), (3, 3) as if they were not there.
    page = Page.parse(b"<p>" + b"a " * 12 + b"</p><p></p><p> </p><p>b b b</p><div><br></div><p>c c c</p>")
    # 7.5, 6, 3: limits 0.8 * 7.5 = 6, and 0.4 * 7.5 = 3.
    assert letters_of(page, threshold=0.8, radius=1) == "ab"
    assert letters_of(page, threshold=0.4, radius=1) == "abc"


def test_inline_tags_end_no_paragraph() -> None:
    page = Page.parse(b'<p>a a <a href="/">a a</a> <b>a</b></p><p>b b b</p>')
    # 5 words in the first, so 3 are not 0.7 of the longest, but they are 0.6 of it.
    assert letters_of(page, threshold=0.7, radius=0) == "a"
    assert letters_of(page, threshold=0.6, radius=0) == "ab"


def test_six_letters_count_as_a_word_where_words_are_not_set_apart() -> None:
    page = Page.parse(("<p>" + "漢" * 30 + "</p><p>a b c d</p><p>" + "語" * 23 + "</p>").encode())
    offsets = np.append(page.arrays.text_start[:-1][page.arrays.starting], page.arrays.text_start[-1])
    # body has none; 30 // 6 = 5; four words, though 4 // 6 = 0; 23 // 6 = 3.
    assert word_counts(page.arrays, offsets).tolist() == [0, 5, 4, 3]


# Both


@pytest.mark.parametrize("name", ["alexjc", "zhou"])
@pytest.mark.parametrize("html", [b"", b" \n ", b"<p>\n</p>", b"<img src=x>"])
def test_a_page_without_text_gives_none(name: str, html: bytes) -> None:
    assert extract(Page.parse(html), name).text == ""


@pytest.mark.parametrize("name", ["alexjc", "zhou"])
def test_a_page_without_tags_is_content(name: str) -> None:
    assert extract(Page.parse(b"one two\nthree four\n" * 20), name).text.split() == ["one", "two", "three", "four"] * 20


def test_on_a_page_of_only_links_alexjc_finds_no_content_and_zhou_the_longest() -> None:
    links = b"\n".join(b'<p><a href="/page/%d">Page %d</a></p>' % (n, n) for n in range(1, 6))
    page = Page.parse(links + b'\n<p><a href="/page/6">one two three four five six seven eight</a></p>')
    # "Page 1" is 6 of 34; the last line 39 of 67, which is more than a half.
    assert extract(page, "alexjc").text == "one two three four five six seven eight"
    assert extract(page, "alexjc", threshold=0.6).text == ""
    # 8 words, and 2 in each of the others.
    assert extract(page, "zhou", threshold=0.5, radius=0).text == "one two three four five six seven eight"
