"""A masked page is the page without exactly the blocks that are named, each with a reason, and nothing is lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from site_pages import IMPRINT, MENU, all_text, article, block_texts, bodies, parsed, prose, sketches, squeezed, tree_of

from transforms.arrays import Arrays
from transforms.page import Page
from transforms.registry import extract
from transforms.render import text as rendered
from transforms.selection import everything
from transforms.sites import Masked, Template, learn, mask, outline
from transforms.sites.template import LinkSlot, Repeated


def knowing(page: Page, *blocks: int) -> Template:
    """A template that has these blocks of a page."""
    names = outline(page).fingerprint
    found = {int(names[block]): Repeated(5, 1, "", ("http://a.example/1", "http://a.example/2")) for block in blocks}
    return Template("a.example", 5, 5, found)


@st.composite
def masked_pages(draw: st.DrawFn) -> Masked:
    """Any page, some of whose blocks are known."""
    page = parsed(draw(bodies))
    count = len(outline(page))
    known = draw(st.sets(st.integers(0, count - 1), max_size=4)) if count else set()
    return mask(page, knowing(page, *known))


def names(arrays: Arrays) -> list[bytes]:
    tags = zip(arrays.tag_start.tolist(), arrays.tag_end.tolist(), strict=True)
    return [arrays.source[start:end].strip(b"</>").split()[0] for start, end in tags]


@settings(max_examples=60)
@given(masked_pages())
def test_a_masked_page_is_canonical_source(masked: Masked) -> None:
    arrays = Arrays(masked.page.source)
    called = names(arrays)
    opened: list[bytes] = []
    for tag, name in enumerate(called):
        if arrays.closing[tag]:
            assert opened.pop() == name
        elif not arrays.empty[tag]:
            opened.append(name)
    assert not opened
    assert [called[partner] for partner in arrays.partner.tolist()] == called
    tree_of(masked.page.source)  # an XML parser without leniency reads it


@settings(max_examples=60)
@given(masked_pages())
def test_the_text_that_is_left_is_that_of_the_blocks_that_were_not_removed(masked: Masked) -> None:
    found = outline(masked.whole)
    places = list(zip(found.blocks.start.tolist(), found.blocks.end.tolist(), strict=True))
    removed = {(each.start, each.end) for each in masked.removed}
    assert removed <= set(places)
    left = [text for place, text in zip(places, block_texts(found), strict=True) if place not in removed]
    assert all_text(masked.page) == "".join(left)


@settings(max_examples=60)
@given(masked_pages())
def test_characters_are_left_or_removed(masked: Masked) -> None:
    found = outline(masked.whole)
    places = list(zip(found.blocks.start.tolist(), found.blocks.end.tolist(), strict=True))
    characters = dict(zip(places, found.characters.tolist(), strict=True))
    texts = dict(zip(places, block_texts(found), strict=True))
    assert all(each.characters == characters[each.start, each.end] > 0 for each in masked.removed)
    gone = sum(len(texts[each.start, each.end]) for each in masked.removed)
    assert len(all_text(masked.whole)) == len(all_text(masked.page)) + gone
    visible = masked.whole.arrays.visible.sum(), masked.page.arrays.visible.sum()
    assert visible[0] - visible[1] == gone


@settings(max_examples=60)
@given(masked_pages())
def test_words_on_both_sides_of_what_was_removed_stay_words(masked: Masked) -> None:
    def words(page: Page) -> Counter[str]:
        spans = everything(page.arrays)
        return Counter(rendered(page.arrays, spans.start, spans.end).split())

    assert words(masked.page) <= words(masked.whole)


@pytest.mark.parametrize(
    "html",
    ["<div>before<ul><li>menu</li></ul>after</div>", "<div><b>before</b><ul><li>menu</li></ul><i>after</i></div>"],
)
def test_two_texts_do_not_become_one_word(html: str) -> None:
    page = parsed(html)
    masked = mask(page, knowing(page, 1))
    assert extract(masked.page, "block", site_threshold=0).text.split() == ["before", "after"]


def test_elements_that_are_left_without_text_go_too() -> None:
    page = parsed("<div><div class=side><div><p>known</p></div><img></div><p>own</p><hr></div>")
    assert mask(page, knowing(page, 0)).page.source.split() == b"<body><div> <p>own</p><hr/></div></body>".split()


def test_a_page_of_which_nothing_is_left_is_empty() -> None:
    page = parsed("<p>known</p>")
    masked = mask(page, knowing(page, 0))
    assert masked.page.is_empty
    assert not masked.whole.is_empty


# Templates that have nothing to say


@settings(max_examples=30)
@given(bodies)
def test_without_a_template_and_with_an_empty_one_a_page_stays_as_it_is(html: str) -> None:
    page = parsed(html)
    for template in (None, Template("a.example"), Template("a.example", content_slots=frozenset([1]))):
        assert mask(page, template) == Masked(page, page, ())


@settings(max_examples=30)
@given(bodies)
def test_of_a_page_that_has_nothing_of_the_template_the_source_stays(html: str) -> None:
    template = Template("a.example", 9, 9, {1: Repeated(9, 1, "", ())}, link_slots={1: LinkSlot(9, 1.0, "", ())})
    page = parsed(html)
    masked = mask(page, template)
    assert masked.page.source == page.source
    assert masked.page.site_known
    assert masked.removed == ()


def test_extractors_know_that_what_the_site_repeats_is_gone() -> None:
    page = parsed(article(1))
    assert not page.site_known
    assert mask(page, knowing(page, 0)).page.site_known


# A site


def footer(day: int) -> str:
    items = "".join(f"<li>entry {n} of the footer</li>" for n in range(8))
    return f"<div class=foot><ul>{items}<li>changed on day {day}</li></ul></div>"


def related(number: int) -> str:
    links = "".join(f"<li><a href=/{n}>More on subject {n} and more</a></li>" for n in range(number, number + 3))
    return f"<ul class=related>{links}</ul>"


def full(number: int) -> str:
    return article(number, after=related(number) + footer(number))


SITE = learn("a.example", sketches([full(n) for n in range(10)]))


def test_every_removed_block_has_its_reasons() -> None:
    for number in (0, 3, 9, 50):  # the last one was not there when the template was learned
        url = f"http://a.example/{number}"
        masked = mask(parsed(full(number), url), SITE)
        by_text = {removed.text[:12]: removed for removed in masked.removed}
        assert {removed.rule for removed in masked.removed} == {"repeated", "similar", "links"}
        assert len(masked.removed) == 4
        for removed in masked.removed:
            assert removed.match
            assert removed.match != url
            assert removed.match.startswith("http://a.example/")
            assert removed.characters > 0
            said = masked.whole.source[removed.start : removed.end]
            assert squeezed("".join(tree_of(b"<x>" + said + b"</x>").itertext())).startswith(squeezed(removed.text))
        menu, more, foot = by_text["home news sp"], by_text[f"More on subject {number}"[:12]], by_text["entry 0 of t"]
        assert (menu.rule, menu.score, menu.threshold, menu.distance) == ("repeated", 10.0, 3.0, 0)
        assert (more.rule, more.score, more.threshold, more.distance) == ("links", 1.0, 0.4, None)
        # The date is one of 20 nodes: a copy of div, the list, nine items and their texts.
        assert (foot.rule, foot.score, foot.threshold, foot.distance) == ("similar", 0.05, 0.15, 1)
        assert all_text(masked.page) == squeezed("".join(tree_of(parsed(article_alone(number)).source).itertext()))


def article_alone(number: int) -> str:
    return f"<div><h1>Headline {number} of its own</h1>{prose(number)}</div>"


@pytest.mark.parametrize("number", [0, 7, 50])
def test_masking_twice_removes_no_more(number: int) -> None:
    once = mask(parsed(full(number)), SITE).page
    again = mask(once, SITE)
    assert again.page == once
    assert again.removed == ()


def test_what_recurs_in_a_slot_of_content_stays() -> None:
    page = parsed(full(3))
    found = outline(page)
    menu = block_texts(found).index("homenewssport")
    assert any(removed.text.startswith("home") for removed in mask(page, SITE).removed)
    lenient = replace(SITE, content_slots=SITE.content_slots | {int(found.slot[menu])})
    assert not any(removed.text.startswith("home") for removed in mask(page, lenient).removed)


# A page that is itself what some pages repeat

NOTICE = "<div class=notice><p>The reading room is closed for repairs until the end of the month of November.</p></div>"
NOTICED = learn("a.example", sketches([article(n, before=NOTICE if n < 3 else "") for n in range(8)]))


def test_what_some_pages_repeat_goes_where_other_text_is_left() -> None:
    assert "readingroom" not in all_text(mask(parsed(article(1, before=NOTICE)), NOTICED).page)


def test_a_page_that_says_nothing_else_keeps_what_only_some_pages_repeat() -> None:
    masked = mask(parsed(f"<body>{MENU}{NOTICE}{IMPRINT}</body>"), NOTICED)
    assert "readingroom" in all_text(masked.page)
    assert {removed.text[:4] for removed in masked.removed} == {"home", "All "}  # every page has these


def test_pages_without_blocks_or_text_are_masked() -> None:
    for html in ("", "<img>", "<div><p></p></div>", "<!-- nothing -->"):
        page = parsed(html)
        assert mask(page, SITE).page.source == page.source
