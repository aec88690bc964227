"""Content code blurring: the vector of characters, the rounds of spreading, and what is left above the threshold."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import Page, extract
from transforms.algorithms import blurring
from transforms.algorithms.blurring import ONE, accb, blur, ccb, source_offsets_of_visible
from transforms.selection import Spans

NAMES = ("p", "div", "a", "b", "span", "li", "section")
WORDS = st.text(alphabet="ab é漢 \n\u00a0\u3000", min_size=1, max_size=12) | st.sampled_from(
    ["&amp;", "&lt; b", "long words"]
)


def rendered(name: str, inside: list[str]) -> str:
    attribute = ' href="/x?a=1"' if name == "a" else ""
    return f"<{name}{attribute}>{''.join(inside)}</{name}>"


HTML = st.lists(
    st.recursive(
        WORDS | st.just("<br>"),
        lambda inner: st.builds(rendered, st.sampled_from(NAMES), st.lists(inner, max_size=4)),
        max_leaves=10,
    ),
    max_size=4,
).map("".join)


def characters_of(source: bytes) -> list[tuple[int, str]]:
    """The canonical source, a character at a time: its offset, and the name of the tag that it is in or "" for text.

    White space is left out; of an entity only the `&` counts.
    """
    found = []
    for match in re.finditer(rb"<[^>]*>|[^<]+", source):
        piece = match.group()
        if piece.startswith(b"<"):
            name = re.match(rb"</?([^\s/>]+)", piece)
            assert name is not None
            found += [(match.start() + i, name.group(1).decode()) for i in range(len(piece))]
            continue
        position = match.start()
        for character in re.findall(r"&[^;]*;|.", piece.decode(), re.DOTALL):
            if not character.isspace():
                found.append((position, ""))
            position += len(character.encode())
    return found


def reference(source: bytes, radius: int, threshold: float, ignored: str = "") -> set[int]:
    """Content code blurring by the letter: the offsets of the characters of text that end above the threshold."""
    vector = [(offset, name) for offset, name in characters_of(source) if not (name and name == ignored)]
    value = spread_until_stable([not name for _, name in vector], radius)
    return {offset for (offset, name), v in zip(vector, value, strict=True) if not name and v > threshold * ONE}


def spread_until_stable(flags: list[bool], radius: int) -> list[int]:
    value = [ONE if flag else 0 for flag in flags]
    for _ in range(blurring.ROUNDS):
        spread = []
        for i in range(len(value)):
            near = value[max(i - radius, 0) : i + radius + 1]
            spread.append((sum(near) + len(near) // 2) // len(near))
        change = max(abs(a - b) for a, b in zip(value, spread, strict=True))
        value = spread
        if change < blurring.STABLE * ONE:
            break
    return value


def chosen(source: bytes, spans: Spans) -> set[int]:
    """The offsets of the characters of text inside the spans."""
    pairs = list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    return {offset for offset, name in characters_of(source) if not name and any(a <= offset < b for a, b in pairs)}


@settings(max_examples=150, deadline=None)
@given(HTML, st.integers(1, 12), st.sampled_from([0.0, 0.2, 0.4, 0.5, 0.75, 1.0]))
def test_it_agrees_with_a_loop_over_characters(html: str, radius: int, threshold: float) -> None:
    page = Page.parse(html.encode())
    assert chosen(page.source, ccb(page, radius=radius, threshold=threshold)) == reference(
        page.source, radius, threshold
    )
    assert chosen(page.source, accb(page, radius=radius, threshold=threshold)) == reference(
        page.source, radius, threshold, ignored="a"
    )


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(1, 80))
def test_the_blur_agrees_with_a_loop_over_values(flags: list[bool], radius: int) -> None:
    assert blur(np.array(flags), radius).tolist() == spread_until_stable(flags, radius)


@settings(deadline=None)
@given(HTML)
def test_visible_characters_are_found_in_the_source(html: str) -> None:
    page = Page.parse(html.encode())
    expected = [offset for offset, name in characters_of(page.source) if not name]
    assert source_offsets_of_visible(page.arrays).tolist() == expected


def test_one_round_is_the_mean_of_the_neighbourhood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blurring, "ROUNDS", 1)
    flags = np.array([False, False, True, True, True, True, False])
    # Radius 1, and at the ends the mean of two:
    #   0/2, (0 + 0 + 1)/3, (0 + 1 + 1)/3, 3/3, 3/3, (1 + 1 + 0)/3, (1 + 0)/2
    thirds = [0, 21845, 43691, 65536, 65536, 43691, 32768]  # 65536/3 = 21845.3, 2 * 65536/3 = 43690.7
    assert blur(flags, 1).tolist() == thirds


def test_the_next_round_spreads_what_the_first_one_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blurring, "ROUNDS", 2)
    flags = np.array([False, False, True, True, True, True, False])
    # From 0, 1/3, 2/3, 1, 1, 2/3, 1/2:
    #   (0 + 1/3)/2 = 1/6, (0 + 1/3 + 2/3)/3 = 1/3, 2/3, 8/9, 8/9, (1 + 2/3 + 1/2)/3 = 13/18, (2/3 + 1/2)/2 = 7/12
    expected = [1 / 6, 1 / 3, 2 / 3, 8 / 9, 8 / 9, 13 / 18, 7 / 12]
    assert blur(flags, 1) / ONE == pytest.approx(expected, abs=2 / ONE)


def test_spreading_ends_when_no_value_changes_much(monkeypatch: pytest.MonkeyPatch) -> None:
    flags = np.array([False] * 30 + [True] * 30)
    monkeypatch.setattr(blurring, "ROUNDS", 1)
    once = blur(flags, 2).tolist()
    monkeypatch.setattr(blurring, "ROUNDS", 20)
    # The largest change of the first round is that of the two values at the step: from 1 to 3/5, which is 0.4.
    monkeypatch.setattr(blurring, "STABLE", 0.41)
    assert blur(flags, 2).tolist() == once
    monkeypatch.setattr(blurring, "STABLE", 0.39)
    assert blur(flags, 2).tolist() != once


def test_the_widest_radius_does_not_overflow() -> None:
    assert (blur(np.ones(25_000, dtype=bool), 10_000) == ONE).all()


def test_the_threshold_itself_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blurring, "ROUNDS", 1)
    page = Page.parse(b"<p>abcd</p>")
    # One round with radius 1 on ...>abcd<...: a and d become 2/3, b and c stay 1.
    assert extract(page, "ccb", radius=1, threshold=0.6).text == "abcd"
    assert extract(page, "ccb", radius=1, threshold=0.7).text == "bc"
    assert extract(page, "ccb", radius=1, threshold=1).text == ""


def test_a_long_text_is_content_and_a_menu_is_code() -> None:
    menu = "<ul>" + '<li><a href="/section">News</a></li>' * 30 + "</ul>"
    page = Page.parse((menu + "<p>" + "abcde " * 100 + "</p>" + menu).encode())
    # The text is 500 characters without a tag; an entry of the menu has 4 of text for 36 of tags, a share of 1/9.
    # A straight edge blurs to about a half at the edge and to less outside, so text up to it is above 0.4.
    text = extract(page, "ccb", radius=10, threshold=0.4).text
    assert text.split() == ["abcde"] * 100
    # The defaults blur more: they let in the end of the menu's last entry and the beginning of the next.
    found = extract(page, "ccb").text.split()
    assert found.count("abcde") == 100
    assert found.count("News") <= 4


def test_only_the_adapted_form_keeps_text_full_of_links() -> None:
    # Four characters of text for 28 of anchor tags, again and again.
    story = "<p>" + 'abcd <a href="/wiki/abcd">efgh</a> ' * 60 + "</p>"
    page = Page.parse(story.encode())
    assert extract(page, "ccb").text == ""
    assert extract(page, "accb").text.split() == ["abcd", "efgh"] * 60


def test_a_page_of_only_links_is_content_for_the_adapted_form_alone() -> None:
    page = Page.parse(b"<body>" + b'<a href="/somewhere/else">link</a> ' * 60 + b"</body>")
    assert extract(page, "ccb").text == ""
    assert extract(page, "accb").text.split() == ["link"] * 60


@pytest.mark.parametrize("name", ["ccb", "accb"])
def test_a_page_without_tags_is_content(name: str) -> None:
    assert extract(Page.parse(b"word " * 200), name).text.split() == ["word"] * 200


@pytest.mark.parametrize("name", ["ccb", "accb"])
@pytest.mark.parametrize("html", [b"", b"<p> \n</p>", b"<img src=x>", b"<!-- note -->"])
def test_a_page_without_text_gives_none(name: str, html: bytes) -> None:
    selection = extract(Page.parse(html), name)
    assert len(selection.spans) == 0
    assert selection.text == ""


def test_entities_are_kept_whole() -> None:
    page = Page.parse(b"<p>" + b"&amp;&lt;&gt; " * 100 + b"</p>")
    assert extract(page, "ccb").text.split() == ["&<>"] * 100
