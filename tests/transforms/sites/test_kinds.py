"""On generated sites of many kinds content stays and template goes.

On each of `KINDS`, which the rules were chosen on (all but `LEFT_OUT`), the goal is reached. `OTHERS` were written by
someone who had not read the rules, and nothing was tuned on them: eleven of these 28 kinds miss the goal, and the mean
recall does, because of one of them (`league`, whose rows of tables look like near relatives). What holds for them is
pinned: a floor a kind, which is what is measured now, rounded down.
"""

from __future__ import annotations

import random
from collections import defaultdict
from functools import cache
from statistics import mean

import pytest
from kinds import KINDS, OTHERS, Found, measure
from kinds.measure import by_mark, learned, masked_page, plain, sketched
from kinds.prose import Prose

from transforms import Page
from transforms.sites import FIRST, Template, learn, mask, outline
from transforms.sites.sample import PAGES, key
from transforms.sites.template import PAPER

GOAL = (0.99, 0.95)  # recall of content, removal of template
FLOORS = {
    "blog_with_listings": (0.96, 0.98),
    "russian_diary": (0.97, 1.00),
    "podcast": (0.98, 0.94),
    "recipes_with_nutrition": (0.96, 0.98),
    "songs": (1.00, 0.96),
    "phpbb_board": (1.00, 1.00),
    "questions_and_answers": (1.00, 0.93),
    "mailing_list": (1.00, 0.98),
    "reviews": (0.95, 0.87),
    "classified_ads": (1.00, 0.98),
    "court_decisions": (0.99, 1.00),
    "chinese_office": (1.00, 0.95),
    "weather": (0.91, 0.94),
    "league": (0.92, 1.00),
    "staff_pages": (0.99, 1.00),
    "press_releases": (1.00, 0.90),
    "api_manual": (1.00, 0.96),
    "changelog": (0.97, 1.00),
    "glossary": (1.00, 1.00),
    "help_centre": (1.00, 1.00),
    "job_board": (1.00, 1.00),
    "flats": (1.00, 1.00),
    "club_with_five_pages": (1.00, 1.00),
    "encyclopedia": (1.00, 0.96),
    "newspaper_with_fronts": (0.98, 1.00),
    "museum": (1.00, 1.00),
    "old_homepage": (1.00, 1.00),
    "office_for_forms": (1.00, 1.00),
}
MISSES = 11  # kinds among these that do not reach the goal
ORDERED = ("press_quotes", "two_generations", "shop_with_variants", "forum_with_quotes", "publication_lists", "league")


@cache
def site(name: str) -> dict[str, str]:
    return (KINDS | OTHERS)[name]()


@cache
def template_of(name: str) -> Template:
    return learned(site(name))


@cache
def measured(name: str) -> Found:
    return measure(site(name), template=template_of(name))


@pytest.mark.parametrize("name", KINDS)
def test_content_stays_and_template_goes(name: str) -> None:
    found = measured(name)
    recall, removal = GOAL
    assert found.recall >= recall, found.lost
    assert found.removal >= removal


@pytest.mark.parametrize("name", OTHERS)
def test_nothing_falls_on_kinds_that_nobody_tuned_the_rules_on(name: str) -> None:
    found = measured(name)
    recall, removal = FLOORS[name]
    assert found.recall >= recall, found.lost
    assert found.removal >= removal


def test_kinds_that_nobody_tuned_the_rules_on_are_measured_as_a_whole() -> None:
    assert FLOORS.keys() == OTHERS.keys()
    found = [measured(name) for name in OTHERS]
    assert mean(each.recall for each in found) >= 0.98
    assert mean(each.removal for each in found) >= 0.975
    recall, removal = GOAL
    assert sum(each.recall < recall or each.removal < removal for each in found) <= MISSES


@pytest.mark.parametrize("name", KINDS | OTHERS)
def test_no_page_loses_all_its_text(name: str) -> None:
    assert not measured(name).emptied


# Lists and footers


@pytest.mark.parametrize("name", ["directory", "link_blog", "round_up"])
def test_pages_that_are_lists_of_links_keep_their_lists(name: str) -> None:
    kept = linked = 0
    for url, html in site(name).items():
        masked = masked_page(url, html, template_of(name))
        assert by_mark(masked.page.source)["content"] == by_mark(masked.whole.source)["content"], url
        kept += masked.page.source.count(b"<a ")
        linked += masked.whole.source.count(b"<a ")
    assert 0 < kept < linked  # the others are those of menus


def test_a_footer_with_a_counter_goes_from_all_of_twenty_pages() -> None:
    pages = {}
    for number in range(20):
        prose = Prose(f"counter {number}")
        text = f"<div class=story><h1>{prose.title()}</h1>{prose.paragraphs(2, 3)}</div>"
        foot = f"<div class=foot><p>You are visitor {prose.number(1_000, 99_999)} of this site.</p></div>"
        pages[f"http://counted.example/{number}"] = f"<body>{text}{foot}</body>"
    template = learned(pages)
    for url, html in pages.items():
        masked = masked_page(url, html, template)
        assert [(each.rule, each.text[:15]) for each in masked.removed] == [("similar", "You are visitor")]


# Shared texts


@pytest.mark.parametrize("name", ["press_quotes", "shop_with_variants"])
def test_a_shared_text_is_kept_on_the_page_with_the_least_address_if_one_is_enough(name: str) -> None:
    template = template_of(name)
    sample = set(sorted(site(name), key=key)[:PAGES])
    on, kept, gone = defaultdict(set), defaultdict(set), defaultdict(set)
    for url, html in site(name).items():
        page = Page.parse(plain(html).encode(), url=url)
        found = outline(page)
        names = dict(zip(found.blocks.start.tolist(), found.fingerprint.tolist(), strict=True))
        for each in mask(page, template).shared:
            on[names[each.start]].add(url)
        masked = mask(page, template, shared=FIRST)
        for each in masked.shared:
            kept[names[each.start]].add(url)
        for each in masked.removed:
            if each.rule == "shared":
                gone[names[each.start]].add(url)
    assert on.keys() == template.shared.keys()
    for text, urls in on.items():
        assert len(urls) > 1
        assert kept[text] == {min(urls & sample)}
        assert gone[text] == urls - kept[text]


def test_a_quotation_stays_by_our_rules_and_goes_by_those_as_published() -> None:
    ours, published = measured("press_quotes"), measure(site("press_quotes"), PAPER)
    assert ours.before["shared"] == published.before["shared"] > 0
    assert ours.after["shared"] == ours.before["shared"]
    assert published.after["shared"] == 0
    assert published.after["content"] == published.before["content"]


# Order


@pytest.mark.parametrize("name", ORDERED)
def test_the_order_of_the_sketches_does_not_change_the_template(name: str) -> None:
    sketches = sketched(site(name))
    expected = learn("site", sketches).encode()
    shuffler = random.Random(name)
    for _ in range(2):
        shuffler.shuffle(sketches)
        assert learn("site", sketches).encode() == expected
