"""FeatureExtractor and K-FeatureExtractor: blocks by the share of text among what they consist of."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import Page, extract
from transforms.algorithms.features import fe, kfe, text_features
from transforms.clusters import k_means_from_origin
from transforms.segmentation import segment
from transforms.selection import Spans

NAMES = ("p", "div", "a", "b", "li", "ul", "section", "table", "td", "form")
WORDS = st.sampled_from(
    ["a", "bc ", " def", "\n", "some long words here ", "漢字かな交じり文章", "&amp;", "é \u00a0", "x &lt; y"]
)
FEATURES = (
    {"a"},
    {"img", "picture"},
    {"ul", "ol", "dl", "li", "dt", "dd", "menu", "dir"},
    {"table", "tr", "td", "th"},
    {"input", "select", "option", "button", "textarea", "form"},
)


def rendered(name: str, inside: list[str]) -> str:
    return f"<{name}>{''.join(inside)}</{name}>"


HTML = st.lists(
    st.recursive(
        WORDS | st.sampled_from(["<br>", "<img src=x>", "<input name=q>"]),
        lambda inner: st.builds(rendered, st.sampled_from(NAMES), st.lists(inner, max_size=5)),
        max_leaves=20,
    ),
    max_size=5,
).map("".join)


def block_sources(page: Page) -> list[tuple[int, int]]:
    blocks = segment(page.arrays)
    return list(zip(blocks.start.tolist(), blocks.end.tolist(), strict=True))


def features(source: bytes) -> list[int]:
    """The length of the texts in the source of a block, and how many elements it has of each sort."""
    texts = re.split("<[^>]*>", re.sub("&[^;]*;", "&", source.decode()))
    names = re.findall(r"<([^\s/>]+)", source.decode())
    lengths = [len(" ".join(text.split())) for text in texts]
    return [sum(lengths), *(sum(name in sort for name in names) for sort in FEATURES)]


def reference(page: Page) -> tuple[list[float], list[float]]:
    """The amount of text of each block relative to the page's largest, and its share among the features."""
    table = [features(page.source[start:end]) for start, end in block_sources(page)]
    largest = [max(1, *column) for column in zip(*table, strict=True)]
    scaled = [[value / top for value, top in zip(row, largest, strict=True)] for row in table]
    return [row[0] for row in scaled], [row[0] / sum(row) if sum(row) else 0.0 for row in scaled]


def winners(text: list[float], share: list[float]) -> list[int]:
    most = [number for number, amount in enumerate(text) if amount > 0 and share[number] > 0.5]
    return most or [number for number, amount in enumerate(text) if amount > 0]


def chosen(page: Page, spans: Spans) -> list[int]:
    """The numbers of the blocks that have text in the spans; each must have all of it there."""
    inside = [False] * len(page.source)
    for start, end in zip(spans.start.tolist(), spans.end.tolist(), strict=True):
        inside[start:end] = [True] * (end - start)
    found = []
    for number, (start, end) in enumerate(block_sources(page)):
        visible = [
            inside[start + match.start() + i]
            for match in re.finditer(rb"[^<]+(?=<|\Z)|<[^>]*>", page.source[start:end])
            if not match.group().startswith(b"<")
            for i, byte in enumerate(match.group())
            if byte > 0x20 and byte not in b"\xc2\xa0"
        ]
        if any(visible):
            assert all(visible)
            found.append(number)
    return found


@settings(max_examples=150, deadline=None)
@given(HTML)
def test_features_agree_with_counting_in_the_source_of_each_block(html: str) -> None:
    page = Page.parse(html.encode())
    text, share = text_features(page.arrays, segment(page.arrays))
    expected_text, expected_share = reference(page)
    assert text.tolist() == expected_text
    assert share.tolist() == pytest.approx(expected_share)


@settings(max_examples=150, deadline=None)
@given(HTML, st.integers(2, 4))
def test_extractors_agree_with_choosing_block_by_block(html: str, k: int) -> None:
    page = Page.parse(html.encode())
    text, share = (values.tolist() for values in text_features(page.arrays, segment(page.arrays)))
    best = sorted(winners(text, share), key=lambda number: -text[number])[:1]
    assert chosen(page, fe(page)) == best
    expected = []
    if best:
        won = winners(text, share)
        arrays = text_features(page.arrays, segment(page.arrays))
        labels = k_means_from_origin(arrays[0][won], (arrays[0] * arrays[1])[won], k)
        expected = [number for number, label in zip(won, labels.tolist(), strict=True) if label > 0]
    assert chosen(page, kfe(page, k=k)) == expected


# Three rows of different types, so three blocks: a list, a paragraph, and a division with inline elements.
PAGE = (
    b"<ul><li><a>one</a></li><li><a>two</a></li></ul>"
    b"<p>It rained all day.</p>"
    b"<div>Then the sun <a>came</a> out.<img></div>"
)


def test_each_feature_is_divided_by_its_largest_value() -> None:
    page = Page.parse(PAGE)
    text, share = text_features(page.arrays, segment(page.arrays))
    #            text (lengths)             links  images  lists
    # ul         3 + 3 = 6                  2      0       3
    # p          18                         0      0       0
    # div        12 + 4 + 4 = 20            1      1       0
    # largest    20                         2      1       3
    assert text.tolist() == [6 / 20, 18 / 20, 1]
    # ul: 0.3 / (0.3 + 1 + 1); p: 0.9 / 0.9; div: 1 / (1 + 1/2 + 1)
    assert share.tolist() == pytest.approx([0.3 / 2.3, 1, 0.4])


def test_fe_takes_the_longest_block_in_which_text_outweighs_the_rest() -> None:
    # The division has more text, but a share of 0.4.
    assert extract(Page.parse(PAGE), "fe").text == "It rained all day."


def test_fe_takes_the_longest_block_if_text_outweighs_the_rest_in_none() -> None:
    # Two blocks, 10/10 of text with 1/1 of the images; 3/10 with as many.
    page = Page.parse(b"<p>0123456789<img></p><div>abc<img></div>")
    assert extract(page, "fe").text == "0123456789"


def test_half_is_not_more_than_half() -> None:
    # p: 10/10 of text and 1/1 of the images, a share of exactly 1/2. div: 1/10 of text and nothing else.
    page = Page.parse(b"<p>0123456789<img></p><div>a</div>")
    assert extract(page, "fe").text == "a"


def test_of_equal_blocks_fe_takes_the_first() -> None:
    assert extract(Page.parse(b"<p>abc</p><ul><li>x</li></ul><p>def</p>"), "fe").text == "abc"


def test_an_image_at_the_end_of_a_block_is_part_of_it() -> None:
    page = Page.parse(b"<div><p>abcdefgh</p>0123456789<img></div>")
    text, share = text_features(page.arrays, segment(page.arrays))
    # p: 8/10, no image. The rest: 10/10 and 1/1.
    assert text.tolist() == [0.8, 1]
    assert share.tolist() == [1, 0.5]
    assert extract(page, "fe").text == "abcdefgh"


def test_the_element_around_a_block_is_not_part_of_it() -> None:
    # The text is a block by itself, cut off from the paragraph after it; the form that both lie in is in neither.
    page = Page.parse(b"<form>0123456789<p>abc</p></form>")
    text, share = text_features(page.arrays, segment(page.arrays))
    assert text.tolist() == [1, 0.3]
    assert share.tolist() == [1, 1]


def test_kfe_leaves_out_the_winners_with_least_text() -> None:
    page = Page.parse(
        b"<p>" + b"a" * 100 + b"</p><ul><li><a>link</a></li></ul>"
        b"<p>" + b"b" * 80 + b"</p><ul><li><a>link</a></li></ul>"
        b"<p>" + b"c" * 10 + b"</p>"
    )
    # The paragraphs have shares of 1, so the points (text, share * text) are (1, 1), (0.8, 0.8), (0.1, 0.1); the lists
    # have 4/100 of text, all of the links: no winners. With k = 2 one centroid starts at (1, 1), the farthest from the
    # origin; (0.8, 0.8) is nearer to it than to the origin, (0.1, 0.1) is not. It moves to (0.9, 0.9): the same.
    assert extract(page, "kfe", k=2).text.split() == ["a" * 100, "b" * 80]
    # With k = 3 a second one starts where the point farthest from both is: (0.8, 0.8) is 0.28 from (1, 1), (0.1, 0.1)
    # is 0.14 from the origin. So (1, 1) and (0.8, 0.8) have a centroid each, and (0.1, 0.1) stays with the origin.
    assert extract(page, "kfe", k=3).text.split() == ["a" * 100, "b" * 80]
    # With k = 4 there is one for (0.1, 0.1) as well.
    assert extract(page, "kfe", k=4).text.split() == ["a" * 100, "b" * 80, "c" * 10]


@pytest.mark.parametrize("name", ["fe", "kfe"])
@pytest.mark.parametrize("html", [b"", b" \n ", b"<p>\n</p>", b"<img src=x>"])
def test_a_page_without_text_gives_none(name: str, html: bytes) -> None:
    selection = extract(Page.parse(html), name)
    assert len(selection.spans) == 0
    assert selection.text == ""


@pytest.mark.parametrize("name", ["fe", "kfe"])
def test_a_page_without_tags_is_content(name: str) -> None:
    assert extract(Page.parse(b"one two\nthree four\n" * 20), name).text.split() == ["one", "two", "three", "four"] * 20


@pytest.mark.parametrize("name", ["fe", "kfe"])
def test_of_a_page_of_only_links_the_longest_block_is_left(name: str) -> None:
    # No block is text by more than half: 6/6 against 1/1 in the list, 3/6 against 1/2 in the paragraph.
    page = Page.parse(b'<ul><li><a href="/1">one</a></li><li><a href="/2">two</a></li></ul><p><a href="/3">six</a></p>')
    parameters = {} if name == "fe" else {"k": 2}
    # kfe: (1, 1/3) starts a cluster; (1/2, 1/4) is nearer to it (1/4 + 1/144) than to the origin (1/4 + 1/16).
    expected = "one\ntwo" if name == "fe" else "one\ntwo\nsix"
    assert extract(page, name, **parameters).text == expected
