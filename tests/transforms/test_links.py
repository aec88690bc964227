"""What extractors leave out of a page from which its site's repeated blocks have been cut."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from transforms import Page, extract, extractors
from transforms.links import with_text_outside_links
from transforms.selection import Spans, nothing, union

# Field labels and short values between two long texts, and a list of links: what is left of a page of a reference work.
LABELS = "".join(f"<tr>\n<td>Label {number}:</td>\n<td>{number}</td>\n</tr>\n" for number in range(60))
LINKS = "".join(f'<li><a href="/somewhere/else/{number}">Go {number}</a></li>\n' for number in range(60))
LONG = "<p>" + "A long sentence of the introduction. " * 30 + "</p>\n"
LEFT = Page.parse(f"<body>{LONG}<table>{LABELS}</table>{LONG}<ul>{LINKS}</ul></body>".encode())
KEEP_LABELS = ("baseline", "block", "cetd-ds", "lqf", "lsi")  # these take the labels for content on any page
KNOWN = replace(LEFT, site_known=True)


@pytest.mark.parametrize("name", extractors)
def test_on_a_page_of_a_known_site_text_outside_links_is_kept(name: str) -> None:
    text = extract(KNOWN, name).text
    assert all(f"Label {number}:" in text for number in range(60))
    assert text.count("A long sentence") == 60


LEAVES_LINKS_OUT = ["density", "ttr-threshold", "ttr-kmeans", "block", "zhou", "lqf", "bte", "mss", "kfe"]


@pytest.mark.parametrize("name", LEAVES_LINKS_OUT)
def test_a_list_of_links_may_still_be_left_out(name: str) -> None:
    assert "Go 20" not in extract(KNOWN, name).text


@pytest.mark.parametrize("name", [name for name in extractors if name not in KEEP_LABELS])
def test_on_other_pages_the_papers_choice_stands(name: str) -> None:
    assert "Label 30:" not in extract(LEFT, name).text


def test_a_parameter_that_is_given_wins() -> None:
    assert extractors["cetr-km"].parameters["k"].default == 3
    assert extract(KNOWN, "cetr-km", k=3).text == extract(LEFT, "cetr-km").text != extract(KNOWN, "cetr-km").text
    assert extract(KNOWN, "density", c1=0.333).text == extract(LEFT, "density").text


def test_a_threshold_for_blocks_counts_on_pages_of_known_sites_too() -> None:
    for threshold in (0, 1.5, 40):
        assert extract(KNOWN, "block", threshold=threshold).text == extract(LEFT, "block", threshold=threshold).text
    strict = extract(KNOWN, "block", threshold=1_000_000)
    assert strict.text == ""
    # That for known sites alone is the more precise word.
    assert extract(KNOWN, "block", threshold=1_000_000, site_threshold=0).text != ""
    assert extract(LEFT, "block", threshold=1_000_000, site_threshold=0).text == ""


def test_a_block_that_is_half_links_is_text() -> None:
    page = Page.parse(b"<p>four<a>four</a></p><p>four<a>fives</a></p>")
    spans = with_text_outside_links(page.arrays, nothing())
    kept = [page.source[a:b] for a, b in zip(spans.start.tolist(), spans.end.tolist(), strict=True)]
    assert b"".join(kept).count(b"four") == 2
    assert not any(b"fives" in text for text in kept)


STRETCHES = st.lists(st.integers(0, 40), max_size=10, unique=True).map(sorted).map(lambda at: at[: len(at) // 2 * 2])


def spans_of(bounds: list[int]) -> Spans:
    return Spans(np.array(bounds[0::2], dtype=np.int64), np.array(bounds[1::2], dtype=np.int64))


def covered(spans: Spans) -> set[int]:
    return {at for a, b in zip(spans.start.tolist(), spans.end.tolist(), strict=True) for at in range(a, b)}


@given(STRETCHES, STRETCHES)
@settings(max_examples=300)
def test_a_union_covers_what_either_does_in_order_and_once(one: list[int], other: list[int]) -> None:
    both = union(spans_of(one), spans_of(other))
    assert covered(both) == covered(spans_of(one)) | covered(spans_of(other))
    assert all(both.end[:-1] < both.start[1:])
