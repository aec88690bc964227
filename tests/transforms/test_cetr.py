"""CETR: tag ratios, smoothing, and the three ways to choose lines, by hand and against the paper's pseudo code."""

from __future__ import annotations

import html
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from literal import literal_from_origin, literal_k_means

from transforms import Page, clusters, extract, extractors
from transforms.algorithms.cetr import derivative, smooth
from transforms.clusters import gaussian_smooth
from transforms.tagratio import lines
from transforms.tags import BLOCKS

STEP = 65536  # smoothed values are multiples of one 65536th
HALF_STEP = 0.5 / STEP
THREE = ["cetr-tm", "cetr-km", "cetr"]


def parse(text: str, parser: str = "lxml") -> Page:
    return Page.parse(text.encode(), content_type="text/html; charset=utf-8", parser=parser)


def page_of(*ratios: int) -> Page:
    """A page whose lines have these ratios, between a first and a last line (<body> and </body>) of ratio 0."""
    return parse("<body>\n" + "\n".join("<br>" + "x" * ratio for ratio in ratios) + "\n</body>")


def measured(text: str) -> list[tuple[int, int]]:
    """Characters and tags of each line of a page."""
    found = lines(parse(text).arrays)
    return list(zip(found.length.tolist(), found.tags.tolist(), strict=True))


def chosen(page: Page, extractor: str, **parameters: Any) -> list[int]:
    """The numbers of the lines that an extractor chose."""
    found, spans = lines(page.arrays), extract(page, extractor, **parameters).spans
    within = list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    bounds = enumerate(zip(found.start.tolist(), found.end.tolist(), strict=True))
    return [number for number, (a, b) in bounds if any(start <= a and b <= end for start, end in within)]


# Tag ratios


def test_the_papers_example_has_the_ratios_it_should() -> None:
    page = parse(
        '<div id="topnav">\n'
        '<div id="storyPageContent2">\n'
        '<div id="author">James Smith</div>\n'
        "OKLAHOMA CITY - Police were told that ...\n"
        "The Oklahoman reported Sunday. <br><br> Jones had ... article.\n"
        "</div></div>"
    )
    found = lines(page.arrays)
    # Lines 1 and 6 have <body> and </body> besides their own tags: 0 / 2 and 0 / 3 are as much as 0 / 1 and 0 / 2.
    assert found.tags.tolist() == [2, 1, 2, 0, 2, 3]
    # Line 3: 11 / 2. Line 4: 8 1 4 1 1 1 6 1 4 1 4 1 4 1 3 = 41 characters and no tag.
    # Line 5: "The Oklahoman reported Sunday." is 30, "Jones had ... article." 22, and the white space between them,
    # on both sides of the two tags, counts once: 53 / 2.
    assert found.ratio.tolist() == [0, 0, 5.5, 41, 26.5, 0]


def test_end_tags_that_the_page_leaves_out_count() -> None:
    assert measured("<ul>\n<li>one\n<li>two\n</ul>") == measured("<ul>\n<li>one\n</li><li>two\n</li></ul>")


def test_the_head_is_no_part_of_the_page() -> None:
    assert measured("<head>\n<title>A long title of the page</title>\n</head><p>one\n<p>two") == measured(
        "<p>one\n<p>two"
    )


@pytest.mark.parametrize("name", [name for name in extractors if name.startswith(("ttr", "cetr"))])
def test_each_docstring_names_what_the_lines_deviate_in(name: str) -> None:
    said = " ".join((extractors[name].choose.__doc__ or "").split())
    assert "Deviations: " in said
    for deviation in ("not ASCII alone", "implied end tags count", "the head is dropped", "broken every 65 characters"):
        assert deviation in said
    assert ("count as zeros" in said) == name.startswith("cetr")


def test_a_line_without_tags_counts_its_characters() -> None:
    # <body><div> | twelve chars | </div></body>
    assert measured("<div>\ntwelve chars\n</div>") == [(0, 2), (12, 0), (0, 2)]
    assert lines(parse("<div>\ntwelve chars\n</div>").arrays).ratio.tolist() == [0, 12, 0]


def test_empty_lines_are_left_out() -> None:
    assert measured("<div>\n\n   \n\t\nword\n\n\n</div>") == [(0, 2), (4, 0), (0, 2)]


def test_a_line_of_nothing_but_no_break_spaces_is_empty() -> None:
    assert measured("<div>\n&nbsp; &nbsp;\nword\n</div>") == [(0, 2), (4, 0), (0, 2)]


def test_a_line_with_a_tag_and_no_text_is_kept() -> None:
    assert measured("<div>\n<hr>\nword\n</div>") == [(0, 2), (0, 1), (4, 0), (0, 2)]


@pytest.mark.parametrize("entity", ["&amp;", "&lt;", "&gt;", "&quot;", "&copy;", "&#39;", "&#x4e2d;", "&hellip;"])
def test_an_entity_counts_as_one_character(entity: str) -> None:
    assert measured(f"<div>\na{entity}b{entity}\n</div>")[1] == (4, 0)


@pytest.mark.parametrize("character", ["é", "ß", "中", "க", "𝒳", "😀", "\ufeff", "\ufffd"])
def test_a_character_of_several_bytes_counts_as_one(character: str) -> None:
    assert measured(f"<div>\na{character}b{character}\n</div>")[1] == (4, 0)


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>var a = '<p>';</script>",
        "<style>p { color: red }</style>",
        "<!-- a remark with a <b>tag</b> -->",
        "<script>\nvar a;\nvar b;\n</script>",
        "<!-- two\nlines -->",
    ],
)
def test_scripts_styles_and_remarks_count_for_nothing(unseen: str) -> None:
    assert measured(f"<div>\nse{unseen}en\n</div>") == [(0, 2), (4, 0), (0, 2)]


def test_indentation_and_white_space_at_the_end_do_not_count() -> None:
    assert measured("<div>\n    \tone two \t \n</div>")[1] == (7, 0)


def test_white_space_inside_a_line_counts_once() -> None:
    assert measured("<div>\none \t  two<b> </b> three\n</div>")[1] == (13, 2)


@pytest.mark.parametrize(
    "space",
    [
        "\u00a0",
        "\u1680",
        *(chr(code) for code in range(0x2000, 0x200B)),
        "\u2028",
        "\u202f",
        "\u205f",
        "\u3000",
        "&#13;",
    ],
    ids=lambda space: f"{ord(space):04x}" if len(space) == 1 else space,
)
def test_white_space_of_any_kind_is_white_space(space: str) -> None:
    # Two of them between two letters are one character; at the end of the line they are none.
    assert measured(f"<div>\na{space}{space}b{space}\n</div>")[1] == (3, 0)


@pytest.mark.parametrize("control", ["\x01", "\x08", "\x0b", "\x0c", "\x1f", "&#1;", "&#12;"], ids=repr)
def test_a_control_character_is_one_character_at_most(control: str) -> None:
    # Dropped, replaced or taken as white space: "ab" or "a?b" or "a b", but never the digits of an escape.
    assert measured(f"<div>\na{control}b\n</div>")[1] in [(2, 0), (3, 0)]
    assert "&#" not in extract(parse(f"<div>\na{control}b\n</div>"), "cetr").text


def test_a_tag_over_several_lines_is_on_one() -> None:
    assert measured('<div>\n<a\n href="x"\n title="two\nlines">word</a>\n</div>') == [(0, 2), (4, 2), (0, 2)]


def test_what_looks_like_a_tag_in_an_attribute_is_none() -> None:
    assert measured('<div>\n<a title="<b>1 > 0</b>">word</a>\n</div>')[1] == (4, 2)


# Lines that hold most of the page


def line_texts(page: Page) -> list[str]:
    """The source, line by line."""
    found = lines(page.arrays)
    return [page.source[a:b].decode() for a, b in zip(found.start.tolist(), found.end.tolist(), strict=True)]


def test_a_page_on_one_line_is_broken_every_65_characters() -> None:
    page = parse("<p>" + "x " * 100 + "</p>")
    found = lines(page.arrays)
    # <body><p> are 9 characters, then 100 times "x ", then </p></body>: breaks at 65, 130, 195.
    assert found.start.tolist() == [0, 65, 130, 195]
    assert found.end.tolist() == [65, 130, 195, len(page.source)]
    assert found.length.tolist() == [55, 65, 63, 13]  # without the white space at their ends
    assert found.tags.tolist() == [2, 0, 0, 2]


def test_no_word_is_broken() -> None:
    page = parse("<p>" + "word" * 20 + " " + "x" * 300 + " end of it</p>")
    assert line_texts(page) == ["<body><p>" + "word" * 20, " " + "x" * 300, " end of it</p></body>"]


def test_an_inline_tag_parts_no_word_and_a_block_does() -> None:
    inline = parse("<p>" + "x" * 54 + "<b>" + "y" * 50 + "</b>z z</p>")
    assert line_texts(inline) == ["<body><p>" + "x" * 54 + "<b>" + "y" * 50 + "</b>z", " z</p></body>"]
    blocks = parse("<div>" + "x" * 60 + "<p>" + "y" * 30 + "</p>z z</div>")
    assert line_texts(blocks) == ["<body><div>" + "x" * 60, "<p>" + "y" * 30 + "</p>z z</div></body>"]


def test_a_break_inside_a_tag_moves_behind_it() -> None:
    page = parse("<p>" + "x" * 53 + ' <b class="c">' + "y " * 50 + "</b></p>")
    # 9 + 53 + 1 = 63: the tag is from 63 to 76, and the break at 65 inside it. The next one, at 130, is counted from 0.
    found = lines(page.arrays)
    assert found.start.tolist() == [0, 76, 130]
    assert found.tags.tolist() == [3, 0, 3]
    assert found.length.tolist() == [53, 53, 45]


def test_a_break_in_front_of_a_tag_stays_there() -> None:
    page = parse("<p>" + "x" * 55 + " <b>" + "y" * 50 + "</b></p>")
    found = lines(page.arrays)  # 9 + 55 + 1 = 65
    assert found.start.tolist() == [0, 65]
    assert found.tags.tolist() == [2, 4]


def test_a_tag_longer_than_65_characters_holds_no_break() -> None:
    page = parse("<p>" + "x" * 49 + ' <b title="' + "t" * 200 + '">' + "y" * 20 + "</b></p>")
    # The tag is from 59 to 271: the breaks at 65, 130, 195 and 260 all move to 271; the one at 325 is past the end.
    assert lines(page.arrays).start.tolist() == [0, 271]


def test_no_entity_is_broken() -> None:
    page = parse("<p>" + "x" * 52 + " a&amp; " + "y " * 35 + "</p>")
    # The entity is from 63 to 68, and the break at 65 inside it: it moves behind the word.
    found = lines(page.arrays)
    assert found.start.tolist() == [0, 68, 130]
    assert found.length.tolist() == [55, 61, 7]


def test_lines_are_broken_by_characters_not_bytes() -> None:
    page = parse("<p>" + "é " * 100 + "</p>")
    # In characters 0, 65, 130, 195; of 56 characters 28 take two bytes, of 65 then 33 or 32.
    found = lines(page.arrays)
    assert found.start.tolist() == [0, 9 + 28 * 3, 9 + 28 * 3 + 32 * 3 + 2, 9 + 93 * 3]
    assert found.length.tolist() == [55, 65, 63, 13]


def test_a_page_on_one_line_is_broken_though_a_newline_ends_the_file() -> None:
    assert measured("<p>" + "x " * 100 + "</p>") == [(55, 2), (65, 0), (63, 0), (13, 2)]
    assert measured("<p>" + "x " * 100 + "</p>\n") == [(55, 2), (65, 0), (63, 0), (13, 1), (0, 1)]


def test_ordinary_lines_are_broken_nowhere_else() -> None:
    assert measured("<p>" + "x " * 100 + "\n" + "y " * 150 + "</p>") == [(199, 2), (299, 2)]


def test_a_line_that_holds_most_of_the_page_is_broken_too() -> None:
    items = "".join(f"<li>item {number}</li>" for number in range(10))
    page = parse(f"<h1>Title</h1>\n<ul>{items}</ul>\n<p>The end.</p>")
    # <ul> and four items are 64 characters, and the break at 65 moves behind <li>; that at 130 behind an "item".
    assert lines(page.arrays).length.tolist() == [5, 24, 28, 7, 8]
    # With a longer last line it holds less than half.
    longer = parse(f"<h1>Title</h1>\n<ul>{items}</ul>\n<p>The end.{'.' * 60}</p>")
    assert lines(longer.arrays).length.tolist() == [5, 60, 68]


def test_a_paragraph_on_a_line_of_its_own_is_not_broken_however_long() -> None:
    page = parse(f"<h1>Title</h1>\n<p>{'Words of the article. ' * 40}</p>\n<p>The end.</p>")
    assert lines(page.arrays).length.tolist() == [5, 879, 8]


# Smoothing


def test_smoothing_by_hand() -> None:
    # For sigma = 1 the kernel is e^-0.5, 1, e^-0.5, divided by its sum.
    edge = math.exp(-0.5) / (1 + 2 * math.exp(-0.5))  # 0.27407
    middle = 1 / (1 + 2 * math.exp(-0.5))  # 0.45186
    smoothed = gaussian_smooth(np.array([0.0, 4.0, 0.0, 0.0, 8.0]), 1.0)
    expected = [4 * edge, 4 * middle, 4 * edge, 8 * edge, 8 * middle]  # past the end there is nothing
    assert smoothed.tolist() == pytest.approx(expected, abs=HALF_STEP)


def test_the_kernel_reaches_a_fraction_of_a_line_as_far_as_the_whole_line() -> None:
    # ceil(0.5) = 1: e^-2, 1, e^-2.
    smoothed = gaussian_smooth(np.array([0.0, 0.0, 1.0, 0.0, 0.0]), 0.5)
    edge = math.exp(-2) / (1 + 2 * math.exp(-2))
    assert smoothed.tolist() == pytest.approx([0, edge, 1 - 2 * edge, edge, 0], abs=HALF_STEP)


def test_sigma_is_the_standard_deviation_or_a_number() -> None:
    values = np.array([0.0, 4.0, 0.0, 4.0])  # mean 2, each value 2 away from it
    assert smooth(values, "std").tolist() == smooth(values, 2.0).tolist()
    assert smooth(values, "std").tolist() != smooth(values, 1.0).tolist()


def test_the_window_grows_with_the_variance() -> None:
    def reached(height: float) -> int:
        values = np.zeros(100)
        values[50] = height
        return int(np.count_nonzero(smooth(values, "std")))

    # One value of h among 99 zeros has the standard deviation h * sqrt(0.01 * 0.99) = 0.0995 h.
    assert reached(10.0) == 3  # 0.995: one to either side
    assert reached(40.0) == 9  # 3.98: four
    assert reached(100.0) == 21  # 9.95: ten


def test_smoothing_by_fourier_transform_and_directly_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(5).integers(0, 400, size=5000).astype(float)
    monkeypatch.setattr(clusters, "DIRECT_PRODUCTS", 0)
    transformed = smooth(values, "std")
    monkeypatch.setattr(clusters, "DIRECT_PRODUCTS", 10**12)
    direct = smooth(values, "std")
    assert np.abs(transformed - direct).max() <= 1 / STEP  # the last bit of the rounding at most
    assert np.count_nonzero(transformed != direct) <= 5


# CETR-TM


def alternating() -> Page:
    """Ratios 0, 4, 0, 4, with 2 as mean and standard deviation: the last line has 8 characters and 2 tags."""
    return parse("<body>\n<br>xxxx\n<br>\n<br>xxxxxxxx</body>")


def test_a_line_at_the_threshold_is_content() -> None:
    assert lines(alternating().arrays).ratio.tolist() == [0, 4, 0, 4]
    assert chosen(alternating(), "cetr-tm", sigma=0, threshold=2.0) == [1, 3]  # 4 >= 2 * 2
    assert chosen(alternating(), "cetr-tm", sigma=0, threshold=2.001) == []


def test_the_threshold_is_compared_with_the_smoothed_ratio() -> None:
    # With 0.27407, 0.45186, 0.27407: 1.096, 1.807, 2.193, 1.807. Their mean is 1.726, their standard deviation 0.398;
    # that of the ratios is 2.
    assert chosen(alternating(), "cetr-tm", sigma=1, threshold=1.0) == [0, 1, 2, 3]
    assert chosen(alternating(), "cetr-tm", sigma=1, threshold=2.8) == [1, 2, 3]
    assert chosen(alternating(), "cetr-tm", sigma=1, threshold=5.0) == [2]


def test_a_threshold_of_zero_keeps_everything() -> None:
    page = page_of(1, 0, 30, 0, 2, 7)
    assert chosen(page, "cetr-tm", threshold=0) == list(range(8))
    assert extract(page, "cetr-tm", threshold=0).text == extract(page, "baseline").text


def test_the_threshold_is_one_standard_deviation_unless_given() -> None:
    assert extractors["cetr-tm"].parameters["threshold"].default == 1.0
    page = page_of(3, 40, 38, 2, 0)
    assert chosen(page, "cetr-tm") == chosen(page, "cetr-tm", threshold=1.0, sigma="std")


# CETR-KM


def test_the_lines_nearest_zero_of_three_clusters_are_not_content() -> None:
    # Ratios 0 0 7 8 30 0. Centroids 0, 15, 30, borders 7.5 and 22.5: {0 0 7 0} {8} {30}. Means 1.75, 8, 30, borders
    # 4.875 and 19: {0 0 0} {7 8} {30}. Means 0, 7.5, 30, borders 3.75 and 18.75: the same.
    assert chosen(page_of(0, 7, 8, 30), "cetr-km", sigma=0) == [2, 3, 4]


def test_with_two_clusters_the_lower_one_is_not_content() -> None:
    # Centroids 0 and 30, border 15: {0 0 7 8 0} {30}; mean 3, border 16.5: the same.
    assert chosen(page_of(0, 7, 8, 30), "cetr-km", sigma=0, k=2) == [4]


# CETR


def test_the_derivative_is_the_mean_of_the_next_lines_less_the_line() -> None:
    # (2 + 6 + 4) / 3 - 1 = 3; (6 + 4 + 8) / 3 - 2 = 4; then there are only two and one left: (4 + 8) / 2 - 6 = 0 and
    # 8 - 4 = 4; after the last line there is none.
    assert derivative(np.array([1.0, 2.0, 6.0, 4.0, 8.0]), 3).tolist() == [3, 4, 0, 4, 0]


def test_the_derivative_with_alpha_one_is_the_difference() -> None:
    assert derivative(np.array([1.0, 2.0, 6.0, 4.0, 8.0]), 1).tolist() == [1, 4, -2, 4, 0]


def test_the_derivative_of_fewer_lines_than_alpha_takes_those_there_are() -> None:
    # (5 + 3) / 2 - 2 = 2; 3 - 5 = -2.
    assert derivative(np.array([2.0, 5.0, 3.0]), 10).tolist() == [2, -2, 0]
    assert derivative(np.array([2.0]), 3).tolist() == [0]


def test_lines_away_from_the_origin_are_content() -> None:
    # Ratios 0 0 8 10 0 0, differences 0 8 2 -10 0 0. Points (0, 0), (0, 8), (8, 2), (10, 10), (0, 0), (0, 0).
    # Farthest from the origin is (10, 10); then (8, 2) with 68 before (0, 8) with 64. (0, 8) is nearer the origin (64)
    # than (8, 2) (100) or (10, 10) (104).
    assert chosen(page_of(0, 8, 10, 0), "cetr", sigma=0, alpha=1) == [2, 3]


def test_the_slope_alone_makes_a_line_content() -> None:
    # Ratios 0 0 10 0 0, differences 0 10 -10 0 0. Farthest from the origin is (10, 10); then (0, 10), the line before
    # the text, with 100; each is a cluster of its own.
    assert chosen(page_of(0, 10, 0), "cetr", sigma=0, alpha=1) == [1, 2]


def test_the_origin_stays_the_centroid_of_what_is_not_content() -> None:
    ratio = lines(page_of(9, 9, 9, 11, *[20] * 9).arrays).ratio  # with a 0 at either end
    # The free centroid starts at 20, the border is 10: {0 9 9 9 0} and {11, 20 * 9}, whose mean is 191 / 10 = 19.1,
    # border 9.55: the same. 11 is content.
    assert clusters.k_means_from_origin(ratio, np.zeros(15), 2).tolist() == [0, 0, 0, 0, *[1] * 10, 0]
    # Were the lower centroid free, it would move from the origin to 27 / 5 = 5.4, the border to
    # (5.4 + 19.1) / 2 = 12.25, and 11 would not be content.
    assert clusters.k_means(ratio, 2).tolist() == [0, 0, 0, 0, 0, *[1] * 9, 0]


def test_the_papers_values_are_the_defaults() -> None:
    defaults = {name: parameter.default for name, parameter in extractors["cetr"].parameters.items()}
    assert defaults == {"k": 3, "alpha": 3, "sigma": "std"}
    assert extractors["cetr-km"].parameters["k"].default == 3


def test_an_article_between_menus_is_found() -> None:
    menu = "\n".join(f'<li><a href="/{number}">Section {number}</a></li>' for number in range(30))
    article = "\n".join(
        f"<p>Paragraph {number} tells the story in words, many of them. {'Word ' * 30}</p>" for number in range(12)
    )
    page = parse(f"<ul>\n{menu}\n</ul>\n<div>\n{article}\n</div>\n<ul>\n{menu}\n</ul>")
    for name in THREE:
        text = extract(page, name, sigma=1).text
        assert all(f"Paragraph {number} tells" in text for number in range(12)), name
        assert "Section 3" not in text, name


# Pages without structure


@pytest.mark.parametrize("name", THREE)
def test_a_page_without_tags_is_all_content(name: str) -> None:
    page = parse("A line of plain text.\n\nx\n" + "And a long one. " * 20)
    assert extract(page, name).spans.start.tolist() == [0]
    assert extract(page, name).text == extract(page, "baseline").text != ""


@pytest.mark.parametrize("name", THREE)
def test_a_page_without_text_has_no_content_and_does_not_fail(name: str) -> None:
    for text in ["", " \n ", "<br>", "<div><br><br><br></div>", "<script>a</script>"]:
        assert extract(parse(text), name).text == ""


@pytest.mark.parametrize("name", THREE)
def test_a_page_on_one_line_is_neither_all_content_nor_none(name: str) -> None:
    menu = "".join(f'<li><a href="/section/{number}">S{number}</a></li>' for number in range(40))
    page = parse(f"<ul>{menu}</ul><p>{'Words of the article. ' * 40}</p><ul>{menu}</ul>")
    text = extract(page, name, sigma=1).text
    assert text.count("Words of the article.") >= 35
    assert "S5" not in text


# The pseudo code, line by line


@dataclass(frozen=True)
class Line:
    start: int  # bytes
    end: int
    length: int
    tags: int

    @property
    def ratio(self) -> Fraction:
        return Fraction(self.length, self.tags or 1)


def text_and_tags(markup: str) -> tuple[str, int]:
    """The markup without its tags, as a reader sees it, and how many tags it had."""
    text, tags, inside = "", 0, False
    for character in markup:
        if character == "<":
            tags, inside = tags + 1, True
        elif character == ">":
            inside = False
        elif not inside:
            text += character
    return " ".join(html.unescape(text).split()), tags


def line_from(source: str, start: int, end: int) -> Line:
    text, tags = text_and_tags(source[start:end])
    return Line(len(source[:start].encode()), len(source[:end].encode()), len(text), tags)


def parted(source: str, at: int) -> bool:
    """Whether no word goes on at this place outside tags: there is white space, or a block's tag between letters."""
    before = re.search(r"([^<>]?)((?:<[^<>]*>)*)$", source[:at])
    after = re.match(r"((?:<[^<>]*>)*)([^<>]?)", source[at:])
    assert before is not None
    assert after is not None
    names = re.findall(r"</?([^\s/>]+)", before[2] + after[1])
    if any(name in BLOCKS or name == "br" for name in names) or not before[1] or not after[2]:
        return True
    return any(letter.isspace() or ord(letter) <= 32 or ord(letter) == 127 for letter in (before[1], after[2]))


def broken(source: str, start: int, end: int) -> list[int]:
    """Where a line from `start` to `end` is broken: every 65 characters, behind the tag and the word they fall into."""
    places = []
    for place in range(start + 65, end, 65):
        at, tag = place, source.rfind("<", 0, place)
        if tag >= 0 and at <= source.index(">", tag):
            at = source.index(">", tag) + 1
        while not parted(source, at):
            while source[at] == "<":
                at = source.index(">", at) + 1
            at += 1
        places.append(at)
    return [place for place in places if place < end]


def literal_lines(source: str) -> list[Line]:
    """Algorithm 1's lines: all of the source that have a tag or a character; the one that holds most of it, broken."""

    def between(starts: list[int]) -> list[tuple[int, int, Line]]:
        pairs = list(zip(starts, [*starts[1:], len(source)], strict=True))
        found = [(start, end, line_from(source, start, end)) for start, end in pairs]
        return [entry for entry in found if entry[2].length or entry[2].tags]

    starts = [0] + [place + 1 for place, character in enumerate(source) if character == "\n"]
    found = between(starts)
    start, end, longest = max(found, key=lambda entry: entry[2].length)
    # The tags of the body itself, which the parser may have added, make no line of their own here.
    others = [a for a, b, _ in found if "".join(source[a:b].split()) not in ("<body>", "</body>", "<body/>")]
    names = re.findall(r"</?([^\s/>]+)", "".join(re.findall(r"<[^<>]*>", source[start:end])))
    many = sum(name in BLOCKS or name == "br" for name in names) >= 16
    if longest.length > sum(line.length for _, _, line in found) / 2 and (many or len(others) == 1):
        found = between(sorted({*starts, *broken(source, start, end)}))
    return [line for _, _, line in found]


def deviation(values: list[Any]) -> float:
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    return math.sqrt(sum((value - mean) ** 2 for value in exact) / len(exact))


def rounded(value: float) -> float:
    """To a multiple of one 65536th; rejects a value halfway between two, which the last bit of a sum would decide."""
    if abs(abs(value * STEP) % 1 - 0.5) < 1e-6:
        reject()
    return round(value * STEP) / STEP


def literal_smooth(values: list[Any], sigma: float | str) -> list[float]:
    """Eq. 1 to 3."""
    width = deviation(values) if isinstance(sigma, str) else sigma
    if width == 0:
        return [float(value) for value in values]
    if isinstance(sigma, str) and abs(width - round(width)) < 1e-9:
        reject()  # the last bit decides how far the kernel reaches
    radius = math.ceil(width)
    kernel = {j: math.exp(-(j**2) / (2 * width**2)) for j in range(-radius, radius + 1)}
    total = math.fsum(kernel.values())
    floats = [float(value) for value in values]
    return [
        rounded(math.fsum(kernel[j] / total * floats[i - j] for j in kernel if 0 <= i - j < len(floats)))
        for i in range(len(floats))
    ]


def literal_derivative(values: list[float], alpha: int) -> list[float]:
    """Eq. 4; towards the end, to the mean of the values there are. Exact, so that halves round to even."""
    slopes = []
    for place, value in enumerate(values):
        following = [Fraction(other) for other in values[place + 1 : place + 1 + alpha]]
        slope = sum(following) / len(following) - Fraction(value) if following else Fraction(0)
        slopes.append(round(slope * STEP) / STEP)
    return slopes


def without_structure(source: str, smoothed: list[float]) -> bool:
    """Section 5.3, where <body> and a <p> may be the parser's; or lines that are all alike."""
    return source.count("<") <= 4 or min(smoothed) == max(smoothed)


PIECES = st.one_of(
    st.sampled_from(
        ["<div>", "<p>", "<ul>", "<li>", "<b>", "<span class='a'>", "<table><tr><td>", "<h2>", "<br>", "<hr>"]
    ),
    st.sampled_from(
        ['<a href="/x?a=1&amp;b=2">', '<a title="1 > 0">', '<a title="two\nlines">', f'<i title="{"t" * 90}">']
    ),
    st.sampled_from(["</div>", "</p>", "</ul>", "</li>", "</b>", "</span>", "</a>", "</table>", "</h2>", "</i>"]),
    st.sampled_from(["\n", "\n", "\n\n", "\n    ", "\n\t\t", " \n \n "]),
    st.sampled_from(["\n", "\n<p>", "</p>\n", "\n  <li>", "</div>\n"]),
    st.sampled_from(["<script>if (a < b) {\n c }</script>", "<style>p {\n}</style>", "<!-- a\nremark -->"]),
    st.sampled_from(["&amp;", "&lt;b&gt;", " &nbsp; ", "&copy;", "&quot;", "\u3000", "\u2009", " ", "\t", "a&amp;b"]),
    st.lists(st.sampled_from(["word", "naïve", "日本語", "𝒳", "R&amp;D", "a"]), min_size=1, max_size=12).map(" ".join),
    st.builds(lambda text, times: text * times, st.sampled_from(["x", "é", "語", "&amp;", "ab "]), st.integers(1, 150)),
    st.text(
        st.characters(exclude_categories=["Cc", "Cs", "Cn", "Zs", "Zl", "Zp"], exclude_characters="<>&"), max_size=20
    ),
)


MENU = st.integers(1, 3).map(lambda links: '<li><a href="/s">Link</a>' * links)
PROSE = st.integers(3, 120).map(lambda letters: "<p>" + "word " * (letters // 5) + "é" * (letters % 5))
WILD = st.lists(PIECES, max_size=6).map("".join)
# Stretches of lines of one kind, as pages have them.
STRETCH = st.one_of(
    st.integers(9, 40).map(lambda items: ["<ul>" + "<li>Item and a <b>bo</b>ld w<i>ord</i>" * items + "</ul>"]),
    st.lists(WILD, min_size=1, max_size=6),
    st.lists(MENU, min_size=3, max_size=12),
    st.lists(PROSE, min_size=2, max_size=8),
    st.builds(lambda line, times: [line] * times, WILD, st.integers(1, 12)),
)


@st.composite
def pages(draw: st.DrawFn) -> Page:
    """Markup that a parser has something to repair in; one page in four on one line."""
    stretches = draw(st.lists(STRETCH, min_size=2, max_size=8))
    text = "\n".join(line for stretch in stretches for line in stretch)
    if draw(st.sampled_from([False, False, False, True])):
        text = text.replace("\n", " ")
    return parse(text, draw(st.sampled_from(["lxml", "lxml", "lexbor"])))


def compare(page: Page, extractor: str, expected: list[bool], doubtful: list[bool], **parameters: Any) -> None:
    """Which lines are in the extractor's spans, against which should be."""
    spans = extract(page, extractor, **parameters).spans
    within = list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    for line, wanted, either in zip(literal_lines(page.source.decode()), expected, doubtful, strict=True):
        if not either:
            assert any(a <= line.start and line.end <= b for a, b in within) == wanted, line
    assert all(a < b for a, b in within)


SIGMAS = st.sampled_from(["std", "std", 1.0, 2.5])


@given(pages())
@settings(max_examples=150, deadline=None)
def test_lines_characters_and_tags_are_those_of_the_pseudo_code(page: Page) -> None:
    found = lines(page.arrays)
    measured_lines = zip(*(array.tolist() for array in (found.start, found.end, found.length, found.tags)), strict=True)
    expected = literal_lines(page.source.decode())
    assert [Line(*measures) for measures in measured_lines] == expected
    assert found.ratio.tolist() == [float(line.ratio) for line in expected]


@given(pages(), SIGMAS, st.sampled_from([0, 0.5, 1.0, 1.7]))
@settings(max_examples=150, deadline=None)
def test_cetr_tm_chooses_the_lines_of_the_pseudo_code(page: Page, sigma: float | str, threshold: float) -> None:
    source = page.source.decode()
    ratios = [line.ratio for line in literal_lines(source)]
    smoothed = literal_smooth(ratios, sigma)
    limit = threshold * deviation(smoothed)
    expected = [value >= limit or without_structure(source, smoothed) for value in smoothed]
    doubtful = [limit > 0 and abs(value - limit) <= 1e-9 * limit for value in smoothed]
    compare(page, "cetr-tm", expected, doubtful, sigma=sigma, threshold=threshold)


@given(pages(), SIGMAS, st.integers(2, 4))
@settings(max_examples=150, deadline=None)
def test_cetr_km_chooses_the_lines_of_the_pseudo_code(page: Page, sigma: float | str, k: int) -> None:
    source = page.source.decode()
    smoothed = literal_smooth([line.ratio for line in literal_lines(source)], sigma)
    labels = literal_k_means(smoothed, k)
    expected = [label > 0 or without_structure(source, smoothed) for label in labels]
    compare(page, "cetr-km", expected, [False] * len(expected), sigma=sigma, k=k)


@given(pages(), SIGMAS, st.integers(2, 4), st.integers(1, 5))
@settings(max_examples=150, deadline=None)
def test_cetr_chooses_the_lines_of_the_pseudo_code(page: Page, sigma: float | str, k: int, alpha: int) -> None:
    source = page.source.decode()
    smoothed = literal_smooth([line.ratio for line in literal_lines(source)], sigma)
    if without_structure(source, smoothed):
        expected = [True] * len(smoothed)
    else:
        slopes = [abs(slope) for slope in literal_smooth(literal_derivative(smoothed, alpha), sigma)]
        expected = [label > 0 for label in literal_from_origin(list(zip(smoothed, slopes, strict=True)), k)]
    compare(page, "cetr", expected, [False] * len(expected), sigma=sigma, k=k, alpha=alpha)
