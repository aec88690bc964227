"""What a site repeats is learned, and what is content stays: pages stored twice, small sites, headlines, labels."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from site_pages import IMPRINT, MENU, all_text, article, bodies, parsed, prose, sketches, squeezed

from transforms.sites import Sketch, Template, learn, mask, sketch
from transforms.sites.learn import contents
from transforms.sites.template import RULES


def learned(pages: Sequence[str]) -> Template:
    return learn("a.example", sketches(pages))


def texts(template: Template) -> set[str]:
    """How the blocks begin that recur."""
    return {block.text for block in template.repeated.values()}


def left_of(html: str, template: Template) -> str:
    return all_text(mask(parsed(html, "http://a.example/new"), template).page)


def keeps(html: str, template: Template, *said: str) -> bool:
    return all(squeezed(text) in left_of(html, template) for text in said)


def loses(html: str, template: Template, *said: str) -> bool:
    return not any(squeezed(text) in left_of(html, template) for text in said)


MENU_TEXT, IMPRINT_TEXT = "home news sport", "All rights reserved"


# Counting


@pytest.mark.parametrize("times", range(1, 6))
def test_a_block_is_redundant_from_min_pages_different_contents_on(times: int) -> None:
    notice = "<div class=notice><p>The reading room is closed for repairs until further notice.</p></div>"
    pages = [article(n, before=notice if n < times else "") for n in range(8)]
    template = learned(pages)
    found = [block for block in template.repeated.values() if block.text.startswith("The reading room")]
    assert [block.pages for block in found] == ([times] if times >= RULES.min_pages else [])
    assert loses(pages[0], template, "The reading room") == (times >= RULES.min_pages)
    assert template.contents == template.pages == 8


def test_what_every_page_has_goes_and_what_each_has_alone_stays() -> None:
    pages = [article(n) for n in range(6)]
    template = learned(pages)
    for number, html in enumerate(pages):
        assert loses(html, template, MENU_TEXT, IMPRINT_TEXT)
        assert keeps(html, template, f"Headline {number} of its own", f"told by witness {number}-2 alone")
    assert loses(article(99), template, MENU_TEXT, IMPRINT_TEXT)
    assert keeps(article(99), template, "Headline 99", "witness 99-0")


def test_a_block_that_stands_often_on_few_pages_is_not_redundant() -> None:
    refrain = "<div class=refrain><p>And so they rowed, and so they rowed, and none of them knew where.</p></div>"
    pages = [article(n, after=refrain * 9 if n < 2 else "") for n in range(8)]
    assert keeps(pages[0], learned(pages), "And so they rowed")


# A page that is stored more than once


@pytest.mark.parametrize("copies", [2, 3, 5, 20])
def test_a_page_under_several_addresses_does_not_erase_itself(copies: int) -> None:
    pages = [article(n) for n in range(6)] + [article(0)] * (copies - 1)
    template = learned(pages)
    assert template.contents == 6
    assert keeps(pages[0], template, "Headline 0", "witness 0-0", "witness 0-1")
    assert loses(pages[0], template, MENU_TEXT, IMPRINT_TEXT)


def test_a_page_crawled_several_times_does_not_erase_itself_though_its_frame_changes() -> None:
    def at(day: int) -> str:
        return article(0, before=f"<div class=today><p>Today is day {day}.</p></div>")

    pages = [article(n) for n in range(1, 12)] + [at(day) for day in range(5)]
    template = learned(pages)
    assert template.contents == 12
    assert keeps(at(3), template, "Headline 0", "witness 0-0")


@pytest.mark.parametrize("copies", [4, 20])
def test_a_page_with_a_counter_under_more_addresses_than_all_others_does_not_erase_itself(copies: int) -> None:
    def visited(times: int) -> str:
        return article(0, before=f"<div class=counter><p>Visitor {times}</p></div>")

    pages = [article(n) for n in range(1, 6)] + [visited(times) for times in range(copies)]
    template = learned(pages)
    assert template.contents == 6
    assert keeps(visited(3), template, "Headline 0", "witness 0-0")
    assert loses(visited(3), template, MENU_TEXT, IMPRINT_TEXT)


def test_a_version_for_print_does_not_erase_the_page() -> None:
    body = f"<div class=article><h1>Headline 0 of its own</h1>{prose(0)}</div>"
    versions = [article(0), f"<html><body>{body}</body></html>", f"<html><body>{body}<p>Printed.</p></body></html>"]
    versions.append(f"<html><body><p>For small screens</p>{body}{IMPRINT}</body></html>")
    pages = [article(n) for n in range(1, 7)] + versions
    template = learned(pages)
    assert template.contents == 7
    for version in versions:
        assert keeps(version, template, "Headline 0", "witness 0-0")


def test_a_page_with_the_whole_texts_of_others_does_not_make_them_one_content() -> None:
    posts = [article(n) for n in range(8)]
    bodies_of_all = "".join(f"<div class=article><h1>Headline {n} of its own</h1>{prose(n)}</div>" for n in range(8))
    home = f"<html><body>{MENU}{bodies_of_all}{IMPRINT}</body></html>"
    template = learned([home, *posts])
    assert template.contents == 9
    assert loses(posts[3], template, MENU_TEXT, IMPRINT_TEXT)
    assert keeps(posts[3], template, "Headline 3", "witness 3-0")


def test_a_page_of_nothing_but_links_does_not_erase_itself() -> None:
    links = "".join(f"<li><a href=/{n}>Of the {n}th chapter</a></li>" for n in range(9))
    index = f"<body><ul class=chapters>{links}</ul></body>"
    template = learned([article(n) for n in range(5)] + [index] * 4)
    assert template.contents == 6
    assert keeps(index, template, "Of the 3th chapter")


def test_copies_of_a_page_do_not_make_a_slot_of_links() -> None:
    only = article(0, after=related([5, 6, 7]))
    template = learned([article(n) for n in range(1, 6)] + [only] * 4)
    assert not template.link_slots
    assert keeps(only, template, "Headline 6 of its own")


def test_pages_of_one_content_have_the_number_of_the_first() -> None:
    pages = sketches([article(0), article(1), article(0), article(2), article(1)])
    assert contents(pages) == [0, 1, 0, 3, 1]


@settings(max_examples=50)
@given(st.lists(st.tuples(bodies, st.integers(1, 5)), min_size=1, max_size=3))
def test_a_site_of_one_to_three_pages_loses_nothing_however_often_they_are_stored(pages: list[tuple[str, int]]) -> None:
    template = learned([body for body, times in pages for _ in range(times)])
    assert template.is_empty
    for body, _ in pages:
        assert mask(parsed(body), template).page == parsed(body)


def test_three_pages_with_a_common_frame_lose_nothing_and_four_do() -> None:
    assert learned([article(n) for n in range(3)]).is_empty
    assert not learned([article(n) for n in range(4)]).is_empty


# Slots


def related(numbers: Sequence[int]) -> str:
    links = "".join(f"<li><a href=/{n}>Headline {n} of its own</a></li>" for n in numbers)
    return f"<ul class=related>{links}</ul>"


def test_related_links_that_differ_on_each_page_go_and_the_headline_stays_in_its_article() -> None:
    pages = [article(n, after=related([(n + 1) % 8, (n + 2) % 8, (n + 5) % 8])) for n in range(8)]
    template = learned(pages)
    for number, html in enumerate(pages):
        masked = mask(parsed(html, f"http://a.example/{number}"), template)
        assert "links" in {removed.rule for removed in masked.removed}
        assert keeps(html, template, f"Headline {number} of its own")
        assert loses(html, template, f"Headline {(number + 1) % 8} of", f"Headline {(number + 5) % 8} of")
    (slot,) = template.link_slots.values()
    assert (slot.pages, slot.share) == (8, 1.0)


def test_a_headline_that_other_pages_repeat_in_the_same_place_stays_in_its_own_article() -> None:
    def page(number: int) -> str:
        # The first article is announced on others, by the same line of the template that prints their own headlines.
        def titled(n: int) -> str:
            return f"<div class=title><h1>The long and quite particular headline of story {n}</h1></div>"

        return f"<body>{MENU}{titled(number)}{prose(number)}{titled(0) if 0 < number < 4 else ''}{IMPRINT}</body>"

    pages = [page(n) for n in range(10)]
    template = learned(pages)
    assert any(text.endswith("headline of story 0") for text in texts(template))  # it recurs
    assert keeps(pages[0], template, "headline of story 0")


def test_field_labels_in_a_slot_that_mostly_says_something_new_stay() -> None:
    def page(number: int) -> str:
        fields = "".join(
            f"<div class=row><p>{label}</p></div><div class=row>{prose(10 * number + place, 1)}</div>"
            for place, label in enumerate(["Habitat", "Behaviour", "Distribution"])
        )
        return f"<body>{MENU}{fields}{IMPRINT}</body>"

    pages = [page(n) for n in range(8)]
    template = learned(pages)
    assert {"Habitat", "Behaviour", "Distribution"} <= texts(template)
    assert keeps(pages[3], template, "Habitat", "Behaviour", "Distribution")
    assert loses(pages[3], template, MENU_TEXT, IMPRINT_TEXT)


# Near relatives


def footer(day: int) -> str:
    entries = ["Society of Friends of the Harbour", "Dock Street 5", "Telephone in the mornings only"]
    entries += ["Closed on Mondays", "Donations are welcome", "Printed on paper"]
    listed = "".join(f"<li>{entry}</li>" for entry in [*entries, f"Last changed on day {day}"])
    return f"<div class=foot><ul>{listed}</ul></div>"


def test_a_footer_with_a_date_that_changes_goes_by_edit_distance() -> None:
    pages = [article(n, after=footer(100 + n)) for n in range(8)]
    template = learned(pages)
    for number, html in enumerate([*pages, article(50, after=footer(777))]):
        masked = mask(parsed(html, f"http://a.example/{number}"), template)
        (removed,) = [each for each in masked.removed if each.text.startswith("Society of Friends")]
        assert removed.rule == "similar"
        assert removed.distance == 1  # the date; of 16 nodes: the copy of div, the list, its items and their texts
        assert removed.score == round(1 / 16, 3)
        assert removed.threshold == RULES.tau
        assert removed.match not in {None, f"http://a.example/{number}"}
        assert loses(html, template, "Society of Friends of the Harbour Dock", "Last changed")


def test_the_near_relative_that_is_named_stands_on_another_page() -> None:
    # On every page two footers, whose dates make them nearer to each other than to those of the other pages.
    pages = [
        article(n, after=footer(n).replace("Mondays", f"the {n}th") + footer(1000 + n).replace("Mondays", f"the {n}th"))
        for n in range(8)
    ]
    footers = [block for block in learned(pages).repeated.values() if block.distance]
    assert len(footers) == 16
    assert [len(set(block.examples)) for block in footers] == [2] * 16


# Order


@settings(max_examples=20)
@given(st.randoms(use_true_random=False))
def test_the_order_of_the_sketches_does_not_matter(shuffler: random.Random) -> None:
    pages = [article(n, after=footer(n) + related([(n + 1) % 9, (n + 4) % 9])) for n in range(9)]
    made = sketches([*pages, pages[0], article(0)])
    expected = learn("a.example", made).encode()
    shuffler.shuffle(made)
    assert learn("a.example", iter(made)).encode() == expected


def test_the_order_of_pages_with_one_address_and_one_text_does_not_matter() -> None:
    def made(number: int, html: str) -> Sketch:
        return sketch(parsed(html, f"http://a.example/{number}"))

    # Two other pages have related links: whether the slot is one of three pages, this one says in one of its versions.
    one = article(0, after=related([5, 6]))
    two = [made(0, one), made(0, one.replace("class=related", "class=more"))]
    assert two[0].digest == two[1].digest
    assert not np.array_equal(two[0].slot, two[1].slot)
    others = [made(n, article(n, after=related([n, n + 7]) if n < 3 else "")) for n in range(1, 6)]
    assert learn("a.example", [*two, *others]) == learn("a.example", [*two[::-1], *others])


def test_what_had_no_room_in_the_sketches_is_counted() -> None:
    crowded = [article(n, body="".join(f"<div><p>{n} {k}</p></div>" for k in range(2_100))) for n in range(4)]
    assert learned(crowded).undecided >= 4 * 100
    assert learned([article(n) for n in range(4)]).undecided == 0
