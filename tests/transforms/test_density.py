"""The density extractor: the list L, the cutoff, the growing region, and agreement with the paper's own loop."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

import transforms.algorithms  # noqa: F401 - registers the extractors
from transforms.algorithms.density import local_fit, strings
from transforms.exceptions import BadParameter
from transforms.page import Page
from transforms.registry import extract

STRUCTURAL = (
    "body",
    "p",
    "div",
    "h1",
    "h2",
    "ul",
    "li",
    "table",
    "tr",
    "td",
    "section",
    "blockquote",
    "br",
    "hr",
    "tbody",
)
INLINE = ("b", "a", "font", "span", "em", "x-y")


def page(html: str) -> Page:
    return Page.parse(html.encode())


def lengths(html: str) -> list[int]:
    return [int(length) for length in strings(page(html).arrays)[1]]


def chosen(html: str, **parameters: float) -> list[str]:
    return extract(page(html), "density", **parameters).text.split()


# The list L


def test_each_structural_tag_appends_a_string_when_it_is_visited() -> None:
    # <body> "", <div> "", <p> "abc", <ul> "", <li> "de", <li> "f"
    assert lengths("<div><p>abc</p><ul><li>de</li><li>f</li></ul></div>") == [0, 0, 3, 0, 2, 1]


@pytest.mark.parametrize("name", INLINE)
def test_an_inline_tag_appends_no_string(name: str) -> None:
    # <body> "", <p> "abcde"
    assert lengths(f"<p>ab<{name}>c</{name}>de</p>") == [0, 5]


@pytest.mark.parametrize("name", ["p", "div", "h1", "h6", "li", "table", "section", "blockquote", "pre", "td"])
def test_a_block_level_tag_appends_one_string(name: str) -> None:
    inside = Page(f"<body>a<{name}>bc</{name}></body>".encode())
    assert strings(inside.arrays)[1].tolist() == [1, 2]


def test_a_line_break_is_structural() -> None:
    assert lengths("<p>abc<br>de<br><br>f</p>") == [0, 3, 2, 0, 1]


def test_text_after_an_end_tag_is_added_to_the_last_string() -> None:
    # <body> "ab", <div> "c" + "def": the end tag of div appends nothing
    assert lengths("ab<div>c</div>def") == [2, 4]
    # <body> "", <div> "a", <p> "b" + "c" + "d"
    assert lengths("<div>a<p>b</p>c</div>d") == [0, 1, 3]


def test_empty_strings_stay_in_the_list() -> None:
    assert lengths("<div></div><div></div><div>a</div>") == [0, 0, 0, 1]


def test_white_space_between_tags_has_no_length() -> None:
    assert lengths("\n <div>\n  <p> a  b </p>\n </div>\n") == [0, 0, 3]  # "a b"


def test_scripts_styles_and_comments_are_not_in_the_list() -> None:
    assert lengths("<p>a<script>var x</script><!-- comment --><style>p {}</style>b</p>") == [0, 2]


def test_a_string_is_as_long_as_its_characters_are_many() -> None:
    assert lengths("<p>漢字</p><p>é&amp;</p><p>😀</p>") == [0, 2, 2, 1]


# The region


@pytest.mark.parametrize("html", ["", "   ", "<p></p>", "<div> \n <br> </div>", "<p>&nbsp;</p>", "<script>x</script>"])
@pytest.mark.parametrize("smooth", [0, 2])
def test_nothing_is_chosen_where_there_is_no_text(html: str, smooth: int) -> None:
    selection = extract(page(html), "density", smooth=smooth)
    assert len(selection.spans) == 0
    assert selection.text == ""


def test_a_string_of_exactly_the_cutoff_length_does_not_join() -> None:
    # maxL = 10, c1 = 0.5, cutoff = 5: 5 > 5 is false, 6 > 5 is true
    assert chosen("<p>aaaaaaaaaa</p><p>bbbbb</p>", c1=0.5) == ["aaaaaaaaaa"]
    assert chosen("<p>aaaaaaaaaa</p><p>bbbbbb</p>", c1=0.5) == ["aaaaaaaaaa", "bbbbbb"]


def test_the_cutoff_is_a_third_by_default() -> None:
    # maxL = 30, cutoff = 9.99
    assert chosen(f"<p>{'a' * 30}</p><p>{'b' * 9}</p>") == ["a" * 30]
    assert chosen(f"<p>{'a' * 30}</p><p>{'b' * 10}</p>") == ["a" * 30, "b" * 10]


def test_with_no_cutoff_an_empty_string_still_does_not_join() -> None:
    # The b is 4 places from the a, and the strings between are not longer than 0 * 3.
    assert chosen("<p>aaa</p><br><br><br><p>b</p>", c1=0) == ["aaa"]


@pytest.mark.parametrize(("breaks", "joins"), [(0, True), (1, True), (2, True), (3, False), (4, False)])
def test_a_string_joins_from_fewer_than_four_places_away(breaks: int, joins: bool) -> None:
    # <p> at i, the breaks at i + 1 .., the second <p> at i + breaks + 1: |i - j| < 4 up to two breaks
    expected = ["aaaa", "bbb"] if joins else ["aaaa"]
    assert chosen(f"<p>aaaa</p>{'<br>' * breaks}<p>bbb</p>") == expected
    expected = ["bbb", "aaaa"] if joins else ["aaaa"]
    assert chosen(f"<p>bbb</p>{'<br>' * breaks}<p>aaaa</p>") == expected


@pytest.mark.parametrize("c2", [1, 2, 3, 7])
def test_c2_is_the_first_distance_at_which_nothing_joins(c2: int) -> None:
    def apart(places: int) -> str:
        return f"<p>aaaa</p>{'<br>' * (places - 1)}<p>bbb</p>"

    assert chosen(apart(c2), c2=c2) == ["aaaa"]
    if c2 > 1:
        assert chosen(apart(c2 - 1), c2=c2) == ["aaaa", "bbb"]


def test_a_string_joins_through_one_that_joined_before() -> None:
    # a at 1, b at 4, c at 7, d at 11: each 3 from the one before, but d is 4 from c
    html = "<p>aaaa</p><br><br><p>bbb</p><br><br><p>ccc</p><br><br><br><p>ddd</p>"
    assert chosen(html) == ["aaaa", "bbb", "ccc"]


def test_the_region_grows_to_both_sides() -> None:
    html = "<p>xxx</p><br><br><br><p>bbb</p><br><br><p>aaaa</p><br><br><p>ccc</p><br><br><br><p>yyy</p>"
    assert chosen(html) == ["bbb", "aaaa", "ccc"]


def test_short_strings_between_the_first_and_the_last_are_included() -> None:
    # maxL = 8, cutoff = 2.664: "s" and "t" do not join, but stand between; "u" is outside
    assert chosen("<p>aaaaaaaa</p><p>s</p><p>t</p><p>bbb</p><p>u</p>") == ["aaaaaaaa", "s", "t", "bbb"]


def test_a_short_string_passes_nothing_on() -> None:
    # "s" is near both, but is not in the region, so that "bbb", 4 places from "aaaaaaaa", stays out
    assert chosen("<p>aaaaaaaa</p><br><p>s</p><br><p>bbb</p>") == ["aaaaaaaa"]


def test_of_equally_long_strings_the_first_counts() -> None:
    assert chosen("<p>aaa</p><br><br><br><p>bbb</p>") == ["aaa"]


def test_the_string_includes_the_text_after_its_end_tag() -> None:
    assert chosen("<p>aaaa</p> tail <br><br><br><br><p>bbb</p>") == ["aaaa", "tail"]


@pytest.mark.parametrize("parameters", [{"c1": 1}, {"c1": -0.1}, {"c2": 0}, {"c2": 1.5}, {"smooth": -1}, {"c3": 1}])
def test_parameters_outside_their_range_are_refused(parameters: dict[str, float]) -> None:
    with pytest.raises(BadParameter):
        extract(page("<p>a</p>"), "density", **parameters)


# The smooth fit


def test_the_fit_is_the_centre_of_a_least_squares_quadratic() -> None:
    # Least squares over two neighbours on either side weigh them (-3, 12, 17, 12, -3) / 35.
    assert local_fit(np.array([0, 0, 35, 0, 0]), 2) == pytest.approx([-3, 12, 17, 12, -3])


def test_a_fit_over_one_neighbour_on_either_side_changes_nothing() -> None:
    # A quadratic goes through any three points.
    assert local_fit(np.array([3, 1, 4, 1, 5]), 1) == pytest.approx([3, 1, 4, 1, 5])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 500), min_size=3, max_size=30), st.data())
def test_the_fit_agrees_with_polynomials_fitted_one_by_one(values: list[int], data: st.DataObject) -> None:
    radius = data.draw(st.integers(1, (len(values) - 1) // 2))
    padded = [0] * radius + values + [0] * radius
    offsets = np.arange(-radius, radius + 1)
    expected = [np.polyfit(offsets, padded[place : place + 2 * radius + 1], 2)[2] for place in range(len(values))]
    assert local_fit(np.array(values), radius) == pytest.approx(expected, abs=1e-6)


def test_a_smooth_fit_prefers_a_broad_region_to_one_long_string() -> None:
    plateau = [letter * 60 for letter in "bcdef"]
    html = f"<p>{'a' * 100}</p>{'<br>' * 10}{''.join(f'<p>{text}</p>' for text in plateau)}{'<br>' * 10}"
    assert chosen(html) == ["a" * 100]
    # With two neighbours the a becomes 100 * 17 / 35 = 48.6. The plateau becomes 60 * 26/35, 38/35, 35/35, 38/35, 26/35
    # = 44.6, 65.1, 60, 65.1, 44.6, and 60 * 9/35 = 15.4 beside it, below the cutoff 0.333 * 65.1 = 21.7.
    assert chosen(html, smooth=2) == plateau


@pytest.mark.parametrize("smooth", [1, 2, 1000])
def test_a_page_of_one_string_is_that_string_however_smooth(smooth: int) -> None:
    assert chosen("word", smooth=smooth) == ["word"]


# The paper's own words


def reference(source: bytes, c1: float, c2: int) -> str:
    """Section 4 of the paper, sentence by sentence; the text of the region without white space."""
    texts: list[str] = []

    def visit(node: etree._Element) -> None:
        if node.tag in STRUCTURAL:
            texts.append("")
        texts[-1] += node.text or ""
        for child in node:
            visit(child)
            texts[-1] += child.tail or ""

    visit(etree.fromstring(source, etree.XMLParser(recover=True)))
    sizes = [len(" ".join(text.split())) for text in texts]
    max_length = max(sizes)
    if max_length == 0:
        return ""
    cutoff = max_length * c1
    region = {sizes.index(max_length)}
    changed = True
    while changed:
        changed = False
        for i, size in enumerate(sizes):
            if i not in region and size > cutoff and any(abs(i - j) < c2 for j in region):
                region.add(i)
                changed = True
    return "".join("".join(texts[min(region) : max(region) + 1]).split())


TEXT = st.text(alphabet=["a", "b", "c", "é", "漢", "😀", " ", "\n", "\xa0", "&"], max_size=9).map(
    lambda text: text.replace("&", "&amp;")
)
BREAKS = st.integers(1, 4).map("<br>".__mul__) | st.just("<hr>")


def element(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = st.sampled_from(["p", "div", "h1", "h2", "ul", "li", "table", "tr", "td", "section", "blockquote", *INLINE])
    return st.builds("<{0}>{1}</{0}>".format, names, st.lists(inside, max_size=4).map("".join))


HTML = st.lists(st.recursive(TEXT | BREAKS, element, max_leaves=15), max_size=8).map("".join)


@settings(max_examples=300, deadline=None)
@given(HTML, st.sampled_from([0, 0.1, 0.333, 0.5, 0.999]) | st.floats(0, 0.999), st.integers(1, 7))
def test_the_extractor_agrees_with_the_loop_of_the_paper(html: str, c1: float, c2: int) -> None:
    read = page(html)
    selection = extract(read, "density", c1=c1, c2=c2)
    assert "".join(selection.text.split()) == reference(read.source, c1, c2)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=25), st.floats(0, 0.999), st.integers(1, 7))
def test_the_extractor_agrees_with_the_loop_of_the_paper_on_flat_pages(sizes: list[int], c1: float, c2: int) -> None:
    # Each string has a letter of its own, so that the text says which strings were chosen.
    html = "".join(f"<div>{chr(0x4E00 + number) * size}</div>" for number, size in enumerate(sizes))
    read = page(html)
    selection = extract(read, "density", c1=c1, c2=c2)
    assert "".join(selection.text.split()) == reference(read.source, c1, c2)
