"""A masked page is the page without exactly the blocks that are named, each with a reason, and nothing is lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kinds.prose import Prose
from site_pages import IMPRINT, MENU, all_text, article, block_texts, bodies, parsed, prose, sketches, squeezed, tree_of

from transforms.arrays import Arrays
from transforms.page import Page
from transforms.registry import extract
from transforms.render import text as rendered
from transforms.sites import FIRST, Masked, Template, learn, mask, outline
from transforms.sites.bounds import MOST_PLAIN
from transforms.sites.reasons import LINKS, REPEATED, SIMILAR, TEASER_ITSELF
from transforms.sites.template import Kind, LinkSlot, Repeated


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
    def words(page: Page, start: list[int], end: list[int]) -> Counter[str]:
        said = [rendered(page.arrays, np.array([a]), np.array([b])) for a, b in zip(start, end, strict=True)]
        return Counter(" ".join(said).split())

    start = [0, *(each.end for each in masked.removed)]
    end = [*(each.start for each in masked.removed), len(masked.whole.source)]
    assert words(masked.page, [0], [len(masked.page.source)]) == words(masked.whole, start, end)


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
        assert (more.rule, more.score, more.threshold, more.distance) == ("links", 1.0, TEASER_ITSELF, None)
        # But for its numbers it is the same.
        assert (foot.rule, foot.score, foot.threshold, foot.distance) == ("similar", 0.0, 0.15, 0)
        assert all_text(masked.page) == squeezed("".join(tree_of(parsed(article_alone(number)).source).itertext()))


def article_alone(number: int) -> str:
    return f"<div><h1>Headline {number} of its own</h1>{prose(number)}</div>"


@pytest.mark.parametrize("number", [0, 7, 50])
def test_masking_twice_removes_no_more(number: int) -> None:
    once = mask(parsed(full(number)), SITE).page
    again = mask(once, SITE)
    assert again.page == once
    assert again.removed == ()


def test_what_recurs_in_a_slot_of_content_stays_unless_it_is_template_anywhere() -> None:
    page = parsed(full(3))
    found = outline(page)
    imprint = next(n for n, text in enumerate(block_texts(found)) if text.startswith("Allrightsreserved"))
    name, slot = int(found.fingerprint[imprint]), int(found.slot[imprint])
    amid = replace(SITE, content_slots=SITE.content_slots | {slot})
    only_there = replace(amid, repeated={**SITE.repeated, name: SITE.repeated[name]._replace(anywhere=False)})
    assert SITE.repeated[name].anywhere
    assert "Allrightsreserved" not in all_text(mask(page, SITE).page)
    assert "Allrightsreserved" not in all_text(mask(page, amid).page)
    assert "Allrightsreserved" in all_text(mask(page, only_there).page)


# What several pages share

QUOTE = "What the Society has done for the harbour cannot be told in the few words that are left to us here."


def quoting(number: int) -> str:
    """The first pages quote the same, the others something else."""
    quote = QUOTE if number in {1, 3, 4, 6} else Prose(200 + number).sentences()
    text, more = (Prose(n).paragraphs(2, 2) for n in (number, 100 + number))
    return article(number, body=f"{text}<blockquote><p>{quote}</p></blockquote>{more}")


QUOTING = learn("a.example", sketches([quoting(n) for n in range(12)]))


def test_what_pages_share_stays_on_all_of_them_and_is_named() -> None:
    for number in range(12):
        masked = mask(parsed(quoting(number), f"http://a.example/{number}"), QUOTING)
        shares = number in {1, 3, 4, 6}
        assert (squeezed(QUOTE) in all_text(masked.page)) == shares
        assert {removed.rule for removed in masked.removed} == {"repeated"}
        assert [(each.rule, each.score, each.text) for each in masked.shared] == [("shared", 4.0, QUOTE[:60])] * shares
        assert all(each.match not in {None, f"http://a.example/{number}"} for each in masked.shared)


def test_what_pages_share_stays_on_the_first_alone_if_that_is_wanted() -> None:
    for number in range(12):
        masked = mask(parsed(quoting(number), f"http://a.example/{number}"), QUOTING, FIRST)
        assert (squeezed(QUOTE) in all_text(masked.page)) == (number == 1)
        assert [each.rule for each in masked.shared] == ["shared"] * (number == 1)
        gone = [each for each in masked.removed if each.rule == "shared"]
        assert [each.text for each in gone] == [QUOTE[:60]] * (number in {3, 4, 6})


# How much of a page may go


@st.composite
def pages_with_templates(draw: st.DrawFn) -> tuple[Page, Template]:
    """Any page, of whose blocks some are known, some have near relatives, and some stand where links do."""
    page = parsed(draw(bodies) + draw(bodies))
    found = outline(page)
    some = draw(st.lists(st.sampled_from(["", REPEATED, SIMILAR, LINKS]), min_size=1, max_size=4))
    repeated, kinds, slots = {}, [], {}
    for name, blanked, slot in zip(*(n.tolist() for n in (found.fingerprint, found.blanked, found.slot)), strict=True):
        rule = draw(st.sampled_from(some))
        if rule == REPEATED:
            repeated[name] = Repeated(draw(st.integers(3, 10)), slot, "", ())
        if rule == SIMILAR:
            kinds.append(Kind(9, slot, "", (), blanked, "", None, {}))
        if rule == LINKS:
            slots[slot] = LinkSlot(9, 1.0, "", (), usual=draw(st.sampled_from([0, 5, 100])))
    return page, Template("a.example", 10, 10, repeated, tuple(kinds), link_slots=slots)


@settings(max_examples=200)
@given(pages_with_templates())
def test_places_and_relatives_alone_never_take_more_than_nine_tenths_of_what_a_page_says(
    known: tuple[Page, Template],
) -> None:
    page, template = known
    masked, found = mask(page, template), outline(page)
    plain = dict(zip(found.blocks.start.tolist(), (found.characters - found.linked).tolist(), strict=True))
    likely = sum(plain[each.start] for each in masked.removed if each.rule in {SIMILAR, LINKS})
    assert likely <= MOST_PLAIN * sum(plain.values())


@settings(max_examples=200)
@given(pages_with_templates())
def test_a_page_loses_all_only_if_all_that_it_says_recurs_on_half_of_the_pages(
    known: tuple[Page, Template],
) -> None:
    page, template = known
    masked, found = mask(page, template), outline(page)
    if masked.page.is_empty and not page.is_empty:
        assert {removed.rule for removed in masked.removed} == {REPEATED}
        for block in range(len(found)):
            if found.characters[block] > found.linked[block]:
                assert 2 * template.repeated[int(found.fingerprint[block])].pages >= template.contents


def listing(number: int, entries: int) -> str:
    """A directory: names that lead elsewhere, and no other text of its own."""
    links = "".join(f"<li><a href=/{number}-{n}>{Prose((number, n)).title(4, 8)}</a></li>" for n in range(entries))
    return f"<body>{MENU}<ul class=related>{links}</ul>{IMPRINT}</body>"


def test_a_page_that_is_a_list_of_links_keeps_its_list_though_links_go_elsewhere() -> None:
    other = parsed(article(20, after=related(20)), "http://a.example/20")
    assert "Moreonsubject20" not in all_text(mask(other, SITE).page)
    masked = mask(parsed(listing(30, 9), "http://a.example/30"), SITE)
    assert {removed.rule for removed in masked.removed} == {"repeated"}
    assert all(squeezed(Prose((30, n)).title(4, 8)) in all_text(masked.page) for n in range(9))


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
