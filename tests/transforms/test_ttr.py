"""Text-to-tag ratio: five ways to choose lines, by hand and against their definitions in plain Python."""

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
from literal import literal_farthest_first

from transforms import Page, extract, extractors
from transforms.algorithms.ttr import RADIUS, between_jumps
from transforms.clusters import best_k_means, moving_average, two_gaussians
from transforms.tagratio import lines

STEP = 65536  # smoothed values are multiples of one 65536th
FIVE = ["ttr-threshold", "ttr-kmeans", "ttr-em", "ttr-farthest-first", "ttr-prediction"]


def parse(text: str) -> Page:
    return Page.parse(text.encode(), content_type="text/html; charset=utf-8")


def page_of(*ratios: int) -> Page:
    """A page whose lines have these ratios, between a first and a last line (<body> and </body>) of ratio 0."""
    return parse("<body>\n" + "\n".join("<br>" + "x" * ratio for ratio in ratios) + "\n</body>")


def chosen(page: Page, extractor: str, **parameters: Any) -> list[int]:
    """The numbers of the lines that an extractor chose."""
    found, spans = lines(page.arrays), extract(page, extractor, **parameters).spans
    within = list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    bounds = enumerate(zip(found.start.tolist(), found.end.tolist(), strict=True))
    return [number for number, (a, b) in bounds if any(start <= a and b <= end for start, end in within)]


# Smoothing


def test_the_moving_average_by_hand() -> None:
    # One line to either side; at the ends there are two: (0 + 9) / 2, (0 + 9 + 3) / 3, (9 + 3 + 0) / 3, (3 + 0) / 2.
    assert moving_average(np.array([0.0, 9.0, 3.0, 0.0]), 1).tolist() == [4.5, 4, 4, 1.5]
    # Two: (0 + 9 + 3) / 3, 12 / 4, 12 / 4, (9 + 3 + 0) / 3.
    assert moving_average(np.array([0.0, 9.0, 3.0, 0.0]), 2).tolist() == [4, 3, 3, 4]


def test_a_radius_of_zero_smooths_nothing() -> None:
    assert moving_average(np.array([0.0, 9.0, 3.0]), 0).tolist() == [0, 9, 3]


def test_the_moving_average_keeps_a_line_that_is_short_among_long_ones() -> None:
    page = page_of(0, 0, 30, 0, 30, 0, 0, 0)
    assert 4 not in chosen(page, "ttr-kmeans", radius=0)
    assert 4 in chosen(page, "ttr-kmeans", radius=1)


def test_two_lines_to_either_side_are_the_default() -> None:
    assert {extractors[name].parameters["radius"].default for name in FIVE} == {RADIUS} == {2}


# Threshold


def test_lines_from_one_standard_deviation_up_are_content() -> None:
    # Ratios 0 4 4 4 0 4 4 0 (mean 2.5, variance 3.75, deviation 1.94).
    assert chosen(page_of(4, 4, 4, 0, 4, 4), "ttr-threshold", radius=0) == [1, 2, 3, 5, 6]


def test_a_line_at_the_threshold_is_content() -> None:
    # Ratios 0 4 4 0: mean 2, deviation 2, and 4 = 2 * 2.
    page = page_of(4, 4)
    assert chosen(page, "ttr-threshold", radius=0, threshold=2) == [1, 2]
    assert chosen(page, "ttr-threshold", radius=0, threshold=2.001) == []


def test_the_standard_deviation_is_that_of_the_smoothed_ratios() -> None:
    # Ratios 0 0 0 12 0 0 0 smoothed over three: 0 0 4 4 4 0 0, mean 12 / 7, deviation sqrt(48 / 7 - 144 / 49) = 1.98.
    # That of the unsmoothed ratios is 4.2, above all of them.
    assert chosen(page_of(0, 0, 12, 0, 0), "ttr-threshold", radius=1) == [2, 3, 4]


# k-means


def test_the_lowest_of_three_clusters_is_not_content() -> None:
    # Ratios 0 0 7 8 30 0: {0 0 0} {7 8} {30} leave a sum of squares of 0.5, any other three intervals more.
    assert chosen(page_of(0, 7, 8, 30), "ttr-kmeans", radius=0) == [2, 3, 4]


def test_with_two_clusters_only_the_highest_is_content() -> None:
    # {0 0 0 7 8} and {30} leave 68, {0 0 0} and {7 8 30} 338.
    assert chosen(page_of(0, 7, 8, 30), "ttr-kmeans", radius=0, k=2) == [4]


# Expectation maximisation


def test_the_higher_of_two_gaussians_is_content() -> None:
    # Ratios 0 2 20 22 2 0: mean 46 / 6 = 7.67. {0 2 2 0}: mean 1, variance 1, weight 2/3; {20 22}: mean 21, variance 1,
    # weight 1/3. For 20 the odds are 2/3 exp(-361/2) to 1/3 exp(-1/2): all stay where they started.
    assert chosen(page_of(2, 20, 22, 2), "ttr-em", radius=0) == [2, 3]


def test_a_gaussian_takes_values_that_the_mean_would_not_give_it() -> None:
    # The mean is 203 / 16 = 12.7, so 11 starts with the low values: mean 23 / 13 = 1.77, variance 141 / 13 - 1.77^2 =
    # 7.72. The high ones have mean 60 and variance 3200 / 3 = 1067. The logarithms of its weighted densities, less
    # what both have, are ln(13/16) - ln(7.72)/2 - 9.23^2 / (2 * 7.72) = -6.75 and
    # ln(3/16) - ln(1067)/2 - 49^2 / (2 * 1067) = -6.29: 11 changes sides, and the low ones become narrower still.
    values = np.array([0.0, 1.0, 2.0] * 4 + [11.0, 20.0, 60.0, 100.0])
    assert two_gaussians(values).tolist() == [0] * 12 + [1] * 4


# Farthest first


def test_farthest_first_by_hand() -> None:
    # Ratios 0 6 1 13 21 18 0. Centres 0, then 21, then 13 (8 from 21; 6 is 6 from 0). In order 0, 13, 21, borders 6.5
    # and 17: {0 6 1 0} {13} {21 18}.
    assert chosen(page_of(6, 1, 13, 21, 18), "ttr-farthest-first", radius=0) == [3, 4, 5]


def test_a_line_midway_between_two_centres_belongs_to_the_lower() -> None:
    # Ratios 0 10 4 20 0: centres 0 and 20, and 10 is midway.
    assert chosen(page_of(10, 4, 20), "ttr-farthest-first", radius=0, k=2) == [3]


# Prediction


def test_content_is_between_a_jump_up_and_the_next_jump_down() -> None:
    # Mean 4, deviation sqrt((64 * 4 + 0 * 4) / 8 - 16) = 4. Window 2 predicts -, 0, 0, 0, 4, 8, 8, 4; the first counts
    # as predicted 0. Steps: 0, 0, 0, 8, 4, 0, -8 at the sixth, -4: up at the third, down at the seventh.
    ratio = np.array([0.0, 0.0, 0.0, 8.0, 8.0, 8.0, 0.0, 0.0])
    assert between_jumps(ratio, 2, 1.0).tolist() == [False, False, False, True, True, True, False, False]


def test_a_step_of_just_the_limit_is_no_jump() -> None:
    # 0 4 0 4 has the deviation 2; window 1 predicts the line before. Steps 0, 4, -4, 4.
    ratio = np.array([0.0, 4.0, 0.0, 4.0])
    assert between_jumps(ratio, 1, 2.0).tolist() == [False] * 4  # 4 is not more than 2 * 2
    assert between_jumps(ratio, 1, 1.9).tolist() == [False, True, False, True]


def test_content_can_begin_with_the_first_line_and_last_to_the_end() -> None:
    # Before the first line there is nothing, predicted 0: 8 is a jump up. There is no jump down.
    assert between_jumps(np.array([8.0, 8.0, 8.0, 9.0]), 3, 1.0).tolist() == [True] * 4


def test_a_slow_rise_is_no_jump() -> None:
    # Steps of 1 (window 1), deviation of 0 ... 9 sqrt(8.25) = 2.87.
    assert not between_jumps(np.arange(10.0), 1, 1.0).any()


def test_prediction_chooses_the_lines_between_jumps() -> None:
    # Ratios 0 0 0 8 8 8 0 0, as above.
    assert chosen(page_of(0, 0, 8, 8, 8, 0), "ttr-prediction", radius=0, window=2) == [3, 4, 5]


# All five


@pytest.mark.parametrize("name", FIVE)
def test_a_page_whose_lines_are_all_alike_is_all_content(name: str) -> None:
    alike = parse("<body>xxxx\n<br>xxxx\nxxxx\nxxxx</body>")
    assert lines(alike.arrays).ratio.tolist() == [4, 4, 4, 4]
    assert chosen(alike, name) == [0, 1, 2, 3]


@pytest.mark.parametrize("name", FIVE)
def test_a_page_without_text_has_no_content_and_does_not_fail(name: str) -> None:
    for text in ["", " \n ", "<br>", "<div><br><br><br></div>", "<script>a</script>"]:
        assert extract(parse(text), name).text == ""


@pytest.mark.parametrize("name", FIVE)
def test_an_article_between_menus_is_found(name: str) -> None:
    menu = "\n".join(f'<li><a href="/{number}">Section {number}</a></li>' for number in range(30))
    article = "\n".join(f"<p>Paragraph {number} tells the story. {'Word ' * 30}</p>" for number in range(12))
    text = extract(parse(f"<ul>\n{menu}\n</ul>\n<div>\n{article}\n</div>\n<ul>\n{menu}\n</ul>"), name).text
    # Of a smoothed end, prediction sees the jump one line early.
    assert all(f"Paragraph {number} tells" in text for number in range(11 if name == "ttr-prediction" else 12))
    assert "Section 3" not in text


# The definitions in plain Python


@dataclass(frozen=True)
class Line:
    start: int  # bytes
    end: int
    ratio: Fraction


def literal_lines(source: str) -> list[Line]:
    """Algorithm 1 on the lines of a source that has several."""
    found, at = [], 0
    for markup in re.findall(r"[^\n]*\n|[^\n]+", source):
        text, tags, inside = "", 0, False
        for character in markup:
            if character == "<":
                tags, inside = tags + 1, True
            elif character == ">":
                inside = False
            elif not inside:
                text += character
        length = len(" ".join(html.unescape(text).split()))
        end = at + len(markup.encode())
        if length or tags:
            found.append(Line(at, end, Fraction(length, tags) if tags else Fraction(length)))
        at = end
    return found


def literal_smooth(values: list[Fraction], radius: int) -> list[float]:
    """The mean of the lines up to `radius` away, to a 65536th. With few tags a line, none lies between two of these."""
    windows = [values[max(place - radius, 0) : place + radius + 1] for place in range(len(values))]
    return [round(sum(window) / len(window) * STEP) / STEP for window in windows]


def deviation(values: list[float]) -> float:
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    return math.sqrt(sum((value - mean) ** 2 for value in exact) / len(exact))


def literal_prediction(values: list[float], window: int, jump: float) -> list[bool]:
    """Content begins with a line above the prediction and ends before one below it, by more than the limit."""
    limit = jump * deviation(values)
    content, inside = [], False
    for place, value in enumerate(values):
        before = values[max(place - window, 0) : place]
        step = value - (math.fsum(before) / len(before) if before else 0.0)
        if limit and abs(abs(step) - limit) <= 1e-9 * limit:
            reject()  # rounding decides
        if step > limit:
            inside = True
        elif step < -limit:
            inside = False
        content.append(inside)
    return content


MENU = st.integers(1, 4).map(lambda links: '<li><a href="/s?a=1&amp;b=2">Link</a>' * links)
PROSE = st.integers(1, 150).map(lambda letters: "<p>" + "word " * (letters // 5) + "é" * (letters % 5))
OTHER = st.sampled_from(
    ["", "   ", "<br>", "<hr><br>", "語" * 30, "a &amp; b", "&lt;p&gt; <i>x</i>", "</p></div>", "x"]
)
STRETCH = st.one_of(
    st.lists(MENU, min_size=1, max_size=8),
    st.lists(PROSE, min_size=1, max_size=6),
    st.lists(OTHER, min_size=1, max_size=6),
    st.builds(lambda line, times: [line] * times, st.one_of(MENU, PROSE, OTHER), st.integers(1, 8)),
)
# Two lines with a tag come first, so that the page is never all on one line.
PAGES = st.lists(STRETCH, min_size=1, max_size=8).map(
    lambda stretches: parse(
        "<body>\n<hr>\n<hr>\n" + "\n".join(line for stretch in stretches for line in stretch) + "\n</body>"
    )
)
RADII = st.integers(1, 4)


def smoothed_lines(page: Page, radius: int) -> tuple[list[Line], list[float]]:
    found = literal_lines(page.source.decode())
    return found, literal_smooth([line.ratio for line in found], radius)


def compare(page: Page, extractor: str, expected: list[bool], **parameters: Any) -> None:
    """Which lines are in the extractor's spans, against which should be."""
    spans = extract(page, extractor, **parameters).spans
    within = list(zip(spans.start.tolist(), spans.end.tolist(), strict=True))
    found = literal_lines(page.source.decode())
    taken = [any(a <= line.start and line.end <= b for a, b in within) for line in found]
    assert taken == expected


@given(PAGES, RADII, st.sampled_from([0, 0.5, 1.0, 2.3]))
@settings(max_examples=200, deadline=None)
def test_threshold_chooses_the_lines_of_its_definition(page: Page, radius: int, threshold: float) -> None:
    _, smoothed = smoothed_lines(page, radius)
    limit = threshold * deviation(smoothed)
    if any(limit and abs(value - limit) <= 1e-9 * limit for value in smoothed):
        reject()  # rounding decides
    alike = min(smoothed) == max(smoothed)
    expected = [alike or value >= limit for value in smoothed]
    compare(page, "ttr-threshold", expected, radius=radius, threshold=threshold)


@given(PAGES, RADII, st.integers(2, 5))
@settings(max_examples=200, deadline=None)
def test_k_means_chooses_the_lines_of_its_definition(page: Page, radius: int, k: int) -> None:
    _, smoothed = smoothed_lines(page, radius)
    alike = min(smoothed) == max(smoothed)
    expected = [alike or label > 0 for label in best_k_means(np.array(smoothed), k).tolist()]
    compare(page, "ttr-kmeans", expected, radius=radius, k=k)


@given(PAGES, RADII, st.integers(2, 5))
@settings(max_examples=200, deadline=None)
def test_farthest_first_chooses_the_lines_of_its_definition(page: Page, radius: int, k: int) -> None:
    _, smoothed = smoothed_lines(page, radius)
    alike = min(smoothed) == max(smoothed)
    expected = [alike or label > 0 for label in literal_farthest_first(smoothed, k)]
    compare(page, "ttr-farthest-first", expected, radius=radius, k=k)


@given(PAGES, RADII, st.integers(1, 5), st.sampled_from([0, 0.3, 1.0, 1.5]))
@settings(max_examples=200, deadline=None)
def test_prediction_chooses_the_lines_of_its_definition(page: Page, radius: int, window: int, jump: float) -> None:
    _, smoothed = smoothed_lines(page, radius)
    alike = min(smoothed) == max(smoothed)
    expected = [alike or inside for inside in literal_prediction(smoothed, window, jump)]
    compare(page, "ttr-prediction", expected, radius=radius, window=window, jump=jump)
