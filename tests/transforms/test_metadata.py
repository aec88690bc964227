"""What a page's metadata is read from, what wins over what, and that no page makes the reading fail."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transforms import Page
from transforms.metadata import LIMITS, Clue, Head, Metadata, clues, read

URL = "https://www.example.com/news/one"


def metadata(head: str = "", body: str = "", html: str = "<html>", url: str | None = URL) -> Metadata:
    """The metadata of a page, read the way the pipeline reads it."""
    raw = f"<!doctype html>{html}<head>{head}</head><body><p>text</p>{body}</body></html>".encode()
    return Page.parse(raw, url).metadata


def ld(block: Any) -> str:
    return f'<script type="application/ld+json">{block if isinstance(block, str) else json.dumps(block)}</script>'


def article(**fields: Any) -> str:
    return ld({"@context": "https://schema.org", "@type": "NewsArticle", **fields})


def meta(name: str, content: str, attribute: str = "name") -> str:
    return f'<meta {attribute}="{name}" content="{content}">'


def test_a_page_that_says_nothing_has_no_metadata() -> None:
    assert metadata() == Metadata(None, None, None, None, None, None, None)
    assert read([], b"", None) == Metadata()


def test_the_fields_come_as_a_dictionary() -> None:
    assert metadata(html='<html lang="fr">').as_dict() == {
        "title": None,
        "author": None,
        "published": None,
        "description": None,
        "site_name": None,
        "language": "fr",
        "canonical": None,
    }


def test_json_ld_gives_every_field() -> None:
    page = article(
        headline="Rain at last",
        author={"@type": "Person", "name": "Ann Field"},
        datePublished="2024-03-01T10:00:00+01:00",
        description="It rained.",
        publisher={"@type": "Organization", "name": "Daily Drop"},
        inLanguage="en-gb",
        url="https://www.example.com/rain",
    )
    assert metadata(page) == Metadata(
        title="Rain at last",
        author="Ann Field",
        published="2024-03-01T10:00:00+01:00",
        description="It rained.",
        site_name="Daily Drop",
        language="en-GB",
        canonical="https://www.example.com/rain",
    )


# --- the clues


def test_clues_keep_the_order_of_the_page_and_leave_out_what_holds_no_metadata() -> None:
    head = (
        b'<head><title>T</title><link rel="stylesheet" href="a.css"/><link rel="canonical" href="/c"/>'
        b'<meta name="author" content="A"/></head>'
    )
    body = [b"<h1>A <b>b</b></h1>", b'<time datetime="2024-01-01">now</time>', b"<p>text</p>"]
    assert clues(Head({"lang": "en"}, head, ("{}",)), body) == [
        Clue("html", {"lang": "en"}, ""),
        Clue("script", {}, "{}"),
        Clue("title", {}, "T"),
        Clue("link", {"rel": "canonical", "href": "/c"}, ""),
        Clue("meta", {"name": "author", "content": "A"}, ""),
        Clue("h1", {}, "A b"),
        Clue("time", {"datetime": "2024-01-01"}, "now"),
    ]


def test_clues_are_bounded_in_number_and_size() -> None:
    body = [b'<meta name="a" content="b"/>'] * 900 + [b"<h1>%b</h1>" % (b"word " * 900)] * 90 + [b"<time>x</time>"] * 90
    found = clues(Head(), body)
    counts = {tag: sum(clue.tag == tag for clue in found) for tag in ("meta", "h1", "time")}
    assert counts == {"meta": 400, "h1": 50, "time": 50}
    assert max(len(clue.text) for clue in found) == 1_000


def test_a_block_of_json_ld_beyond_the_limit_is_passed_over() -> None:
    found = clues(Head(json_ld=("x" * 1_000_001, "{}")))
    assert [clue.text for clue in found if clue.tag == "script"] == ["{}"]


def test_clues_of_a_page_without_a_head_are_those_of_its_body() -> None:
    assert clues(Head()) == [Clue("html", {}, "")]
    assert Page.parse(b"<h1>Rain</h1>").metadata.title == "Rain"
    assert Page.parse(b"").metadata == Metadata()


def test_scripts_and_pictures_of_the_body_give_no_title() -> None:
    assert metadata(body="<svg><title>icon</title></svg><script>'<h1>code</h1>'</script>").title is None


def test_metadata_is_the_same_for_a_page_that_was_read_in_two_attempts() -> None:
    head = "<title>Rain</title>" + article(author="Ann Field")
    body = "<div>" * 3_000 + "</div>" * 3_000 + "<time>March 1, 2024</time>"
    page = Page.parse(f"<html lang=en><head>{head}</head><body>{body}".encode())
    assert page.repaired
    assert page.metadata == Metadata(title="Rain", author="Ann Field", published="2024-03-01", language="en")


@pytest.mark.parametrize("parser", ["lxml", "lexbor"])
def test_every_parser_keeps_what_metadata_is_read_from(parser: str) -> None:
    head = '<link rel="canonical" href="/c">' + meta("author", "Ann &amp; Bo") + article(headline="Rain")
    page = Page.parse(
        f'<html lang="en"><head>{head}</head><body><time>March 1, 2024</time>'.encode(), URL, parser=parser
    )
    assert page.metadata == Metadata(
        title="Rain", author="Ann & Bo", published="2024-03-01", language="en", canonical="https://www.example.com/c"
    )


# --- title


def test_the_title_is_the_headline_before_the_title_element_before_the_heading() -> None:
    heading, title, og = "<h1>Heading</h1>", "<title>Title</title>", meta("og:title", "Open graph", "property")
    assert metadata(body=heading).title == "Heading"
    assert metadata(title, heading).title == "Title"
    assert metadata(title + og, heading).title == "Open graph"
    assert metadata(title + og + article(headline="Headline"), heading).title == "Headline"


@pytest.mark.parametrize("name", ["twitter:title", "dc.title", "DCTERMS.title", "citation_title", "parsely-title"])
def test_the_title_may_stand_in_other_vocabularies(name: str) -> None:
    assert metadata("<title>Other</title>" + meta(name, "Rain")).title == "Rain"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Rain at last | Daily Drop", "Rain at last"),
        ("Rain at last - daily drop", "Rain at last"),
        ("Daily Drop — Rain at last", "Rain at last"),
        ("Rain - at last – Daily Drop", "Rain - at last"),
        ("Rain at last | Example", "Rain at last"),  # the address is www.example.com
        ("Rain at last | Weather", "Rain at last | Weather"),
        ("Semi-Daily Drop", "Semi-Daily Drop"),
        ("Daily Drop", "Daily Drop"),
    ],
)
def test_the_title_loses_the_name_of_the_site_and_nothing_else(title: str, expected: str) -> None:
    assert metadata(f"<title>{title}</title>" + meta("og:site_name", "Daily Drop", "property")).title == expected


def test_the_side_of_the_title_that_the_heading_repeats_is_the_title() -> None:
    assert (
        metadata("<title>Rain at last | Weather | Elsewhere</title>", "<h1>Rain at last</h1>").title == "Rain at last"
    )
    assert metadata("<title>Weather: all - Rain at last</title>", "<h1>RAIN at last</h1>").title == "Rain at last"


def test_a_title_that_only_names_the_site_gives_way_to_another() -> None:
    site = meta("og:site_name", "Daily Drop", "property") + meta("og:title", "Daily Drop", "property")
    assert metadata(site, "<h1>Rain at last</h1>").title == "Rain at last"


# --- author


@pytest.mark.parametrize(
    ("author", "expected"),
    [
        ("Ann Field", "Ann Field"),
        ("By Ann Field", "Ann Field"),
        ({"name": "Ann Field"}, "Ann Field"),
        ([{"name": "Ann Field"}, "Bo Stone"], "Ann Field, Bo Stone"),
        ([{"name": "Ann Field"}, {"name": "ann field"}, {"name": "Bo Stone"}], "Ann Field, Bo Stone"),
        ("https://example.com/ann", None),
        ({"name": None}, None),
        ({"name": ["Ann"]}, None),
        (7, None),
        ([], None),
        ("word " * 100, None),
    ],
)
def test_the_author_in_json_ld_has_many_forms(author: Any, expected: str | None) -> None:
    assert metadata(article(author=author)).author == expected


def test_an_author_may_stand_elsewhere_in_the_graph() -> None:
    graph = [
        {"@type": "WebSite", "name": "Daily Drop"},
        {"@type": ["BlogPosting", "Thing"], "author": {"@id": "#ann"}, "headline": "Rain"},
        {"@type": "Person", "@id": "#ann", "name": "Ann Field"},
    ]
    found = metadata(ld({"@graph": graph}))
    assert (found.author, found.title, found.site_name) == ("Ann Field", "Rain", "Daily Drop")


@pytest.mark.parametrize("name", ["author", "dc.creator", "DCTERMS.creator", "parsely-author", "sailthru.author"])
def test_the_author_may_stand_in_a_meta(name: str) -> None:
    assert metadata(meta(name, "Ann Field")).author == "Ann Field"
    assert metadata(meta(name, "Ann Field", "itemprop")).author == "Ann Field"


def test_repeated_citation_authors_are_all_named_in_spoken_order() -> None:
    head = meta("citation_author", "Field, Ann") + meta("citation_author", "Bo Stone")
    assert metadata(head).author == "Ann Field, Bo Stone"


def test_addresses_and_handles_are_no_authors() -> None:
    head = meta("article:author", "https://facebook.com/ann", "property") + meta("twitter:creator", "@ann")
    assert metadata(head).author is None
    assert metadata(meta("article:author", "Ann Field", "property")).author == "Ann Field"


@pytest.mark.parametrize(
    "body",
    [
        '<a rel="author" href="/ann">Ann Field</a>',
        '<span itemprop="author">Ann Field</span>',
        '<div itemprop="author" itemscope><img src="a.png"><span itemprop="name">Ann Field</span> writes.</div>',
        '<div itemprop="author"><meta itemprop="name" content="Ann Field"></div>',
        '<p class="byline">By <a href="/ann">Ann Field</a> | <span>3 March 2024</span></p>',
        '<p class="byline">By Ann Field, March 3, 2024</p>',
        '<div class="author vcard"><b>Ann Field</b></div>',
        '<div class="entry"><span class="post-author-name">Ann Field</span></div>',
        "<h1>Rain</h1><div><span>By</span> <span>Ann Field</span><span>Weather desk</span></div>",
        "<h1>Rain</h1><p>by Ann Field</p>",
        '<div class="author-bio">Ann has long studied rain</div><p class="author">Ann Field</p>',
    ],
)
def test_the_author_may_stand_in_the_markup(body: str) -> None:
    assert metadata(body=body).author == "Ann Field"


@pytest.mark.parametrize(
    "body",
    [
        "<p>The author of this, by the way, is unknown.</p>",
        "<h1>Rain</h1><p>by collecting rain</p>",
        '<p class="author">' + "long " * 2_000 + "</p>",
        '<p class="author"></p>',
        '<img alt="x" class="author">',
    ],
)
def test_no_author_is_made_of_other_text(body: str) -> None:
    assert metadata(body=body).author is None


def test_authors_of_a_byline_are_all_named() -> None:
    assert (
        metadata(body='<p class="byline">By <a>Ann Field</a> and <a>Bo Stone</a></p>').author == "Ann Field, Bo Stone"
    )


def test_the_author_in_json_ld_wins_over_meta_over_markup() -> None:
    body, head = '<a rel="author">Markup</a>', meta("author", "Meta")
    assert metadata(head, body).author == "Meta"
    assert metadata(head + article(author="Data"), body).author == "Data"


def test_the_name_of_the_site_is_the_author_only_when_nobody_else_is() -> None:
    head = article(author="Daily Drop", publisher={"name": "Daily Drop"})
    assert metadata(head).author == "Daily Drop"
    assert metadata(head, '<a rel="author">Ann Field</a>').author == "Ann Field"


# --- date


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024-03-01T10:00Z", "2024-03-01T10:00:00Z"),
        ("2024-03-01T10:00:05.123+0530", "2024-03-01T10:00:05+05:30"),
        ("2024-03-01 10:00:05", "2024-03-01T10:00:05"),
        ("20240301", "2024-03-01"),
        ("20240301T100005Z", "2024-03-01T10:00:05Z"),
        ("2024/03/01", "2024-03-01"),
        ("2024/3/1", "2024-03-01"),
        ("Fri, 01 Mar 2024 10:00:00 GMT", "2024-03-01T10:00:00Z"),
        ("Fri, 1 Mar 2024 10:00:00 -0500", "2024-03-01T10:00:00-05:00"),
        ("Fri Mar 01 2024 10:00:00 GMT+0100 (CET)", "2024-03-01T10:00:00+01:00"),
        ("March 1, 2024", "2024-03-01"),
        ("Sept. 1st, 2024 at 3:05 pm", "2024-09-01T15:05:00"),
        ("1 March 2024", "2024-03-01"),
        ("31.12.2024", "2024-12-31"),
        ("12/31/2024", "2024-12-31"),
        ("1709287200", "2024-03-01T10:00:00Z"),
        (1709287200, "2024-03-01T10:00:00Z"),
        (1709287200000, "2024-03-01T10:00:00Z"),
        ("2024-03-01T25:00:00Z", "2024-03-01"),
        ("2024-02-29", "2024-02-29"),
        ("2023-02-29", None),
        ("2024-13-01", None),
        ("1989-12-31", None),
        ("2101-01-01", None),
        ("0000-00-00", None),
        ("03/01/2024", None),  # January in half the world
        ("1 Foo 2024", None),
        ("yesterday", None),
        (10**400, None),
        (True, None),
        (-5, None),
        ({"@value": "2024-03-01"}, None),
    ],
)
def test_dates_become_iso_8601_or_nothing(raw: Any, expected: str | None) -> None:
    assert metadata(article(datePublished=raw)).published == expected


@pytest.mark.parametrize(
    "name",
    ["article:published_time", "citation_publication_date", "dc.date", "dcterms.issued", "parsely-pub-date", "pubdate"],
)
def test_the_date_may_stand_in_a_meta(name: str) -> None:
    assert metadata(meta(name, "2024-03-01", "property")).published == "2024-03-01"
    assert metadata(meta("datePublished", "2024-03-01", "itemprop")).published == "2024-03-01"


@pytest.mark.parametrize(
    "body",
    [
        '<time datetime="2020-01-01">x</time><time datetime="2024-03-01" pubdate>x</time>',
        '<time datetime="2020-01-01">x</time><time itemprop="datePublished" datetime="2024-03-01">x</time>',
        '<time class="updated" datetime="2025-01-01">x</time><time datetime="2024-03-01">x</time>',
        "<time>March 1, 2024</time>",
        '<span itemprop="datePublished">March 1, 2024</span>',
        '<span itemprop="datePublished" content="2024-03-01">some day</span>',
        "<h1>Rain</h1><div><span>Published on March 1, 2024</span></div>",
    ],
)
def test_the_date_may_stand_in_the_markup(body: str) -> None:
    assert metadata(body=body).published == "2024-03-01"


def test_a_date_that_makes_no_sense_gives_way_to_the_next_source() -> None:
    head = article(datePublished="soon") + meta("date", "2024-99-99") + meta("dc.date", "2024-03-01")
    assert metadata(head).published == "2024-03-01"


def test_the_date_of_an_update_is_not_that_of_publication() -> None:
    assert metadata(article(dateModified="2024-03-01")).published is None
    assert metadata(body="<h1>Rain</h1><p>Updated March 1, 2024</p>").published is None
    assert metadata(body="<h1>Rain</h1><b>Last updated:</b> <i>March 1, 2024</i>").published is None
    assert metadata(body='<time class="updated" datetime="2024-03-01">March 1</time>').published is None


# --- description, site, language, canonical address


@pytest.mark.parametrize("name", ["description", "og:description", "twitter:description", "dc.description"])
def test_the_description_may_stand_in_a_meta(name: str) -> None:
    assert metadata(meta(name, "It rained.")).description == "It rained."


def test_the_description_in_json_ld_wins_over_open_graph_over_the_plain_one() -> None:
    head = meta("description", "Plain") + meta("og:description", "Open graph", "property")
    assert metadata(head).description == "Open graph"
    assert metadata(head + article(description="Data")).description == "Data"


def test_the_name_of_the_site_is_that_of_open_graph_before_json_ld_before_the_application() -> None:
    head = meta("application-name", "App")
    assert metadata(head).site_name == "App"
    head += article(publisher={"name": "Publisher"})
    assert metadata(head).site_name == "Publisher"
    assert metadata(head + meta("og:site_name", "Open graph", "property")).site_name == "Open graph"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("en", "en"),
        ("EN-gb", "en-GB"),
        ("en_US", "en-US"),
        ("zh-hans", "zh-Hans"),
        ("zh-Hant-TW", "zh-Hant-TW"),
        ("es-419", "es-419"),
        ("gsw", "gsw"),
        ("de, en", "de"),
        ("{{lang}}", None),
        ("none", None),
        ("und", None),
        ("us", None),
        ("English", None),
        ("", None),
    ],
)
def test_languages_become_tags_or_nothing(raw: str, expected: str | None) -> None:
    assert metadata(html=f'<html lang="{raw}">').language == expected


@pytest.mark.parametrize(
    "head",
    [
        meta("og:locale", "pt_BR", "property"),
        meta("Content-Language", "pt-br", "http-equiv"),
        meta("dc.language", "pt-BR"),
        article(inLanguage=["pt-BR", "en"]),
        article(inLanguage={"@type": "Language", "name": "Portuguese", "alternateName": "pt-BR"}),
    ],
)
def test_the_language_may_stand_elsewhere_but_that_of_the_html_element_wins(head: str) -> None:
    assert metadata(head).language == "pt-BR"
    assert metadata(head, html='<html xml:lang="de">').language == "de"
    assert metadata(head, html='<html lang="{{lang}}">').language == "pt-BR"


@pytest.mark.parametrize(
    ("href", "url", "expected"),
    [
        ("https://example.com/a?b=1&copy=2", None, "https://example.com/a?b=1&copy=2"),
        ("/a", URL, "https://www.example.com/a"),
        ("//example.org/a", URL, "https://example.org/a"),
        ("/a", None, None),
        ("javascript:alert(1)", URL, None),
        ("data:text/html,x", URL, None),
        ("http://[bad", URL, None),
        ("/a", "http://[bad", None),
        ("https://example.com/{{slug}}", URL, None),
        ("https://", None, None),
        ("https://example.com/" + "a" * 3_000, URL, None),
    ],
)
def test_the_canonical_address_is_absolute_or_none(href: str, url: str | None, expected: str | None) -> None:
    link = Clue("link", {"rel": "canonical", "href": href}, "")
    assert read([link], b"", url).canonical == expected


def test_the_canonical_link_wins_over_open_graph_over_json_ld() -> None:
    head = article(url="/data")
    assert metadata(head).canonical == "https://www.example.com/data"
    head += meta("og:url", "/graph", "property")
    assert metadata(head).canonical == "https://www.example.com/graph"
    assert metadata(head + '<link rel="Canonical" href="/link">').canonical == "https://www.example.com/link"


# --- values


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Rock &amp; roll", "Rock & roll"),
        ("Rock &amp;amp; roll", "Rock & roll"),
        (" two \n\t lines\u00a0here ", "two lines here"),
        ("a\x00b\u200bc\ud800d\u202e", "abcd"),
        ("a <em>stressed</em> word", "a stressed word"),
        ("1 < 2", "1 < 2"),
        ("x" * 5_000, "x" * 1_000),
        ("  ", None),
        ("undefined", None),
        ("{{title}}", None),
        (["Rain"], None),
        ({"a": 1}, None),
        (None, None),
        (3, None),
    ],
)
def test_values_are_what_a_reader_would_see(raw: Any, expected: str | None) -> None:
    assert read([Clue("script", {}, json.dumps({"@type": "Article", "headline": raw}))], b"").title == expected


# --- JSON-LD that is broken, or meant to break


@pytest.mark.parametrize(
    "block",
    [
        '<!-- {"@type": "Article", "headline": "Rain"} -->',
        '//<![CDATA[\n{"@type": "Article", "headline": "Rain"}\n//]]>',
        '/*<![CDATA[*/{"@type": "Article", "headline": "Rain"}/*]]>*/',
        '{"@type": "Article", "headline": "Rain",}',
        '[{"@type": "Article", "keywords": ["a", "b",], "headline": "Rain"},\n]',
        '{"@type": "Article", "headline": "Rain", "text": "a\nb\tc"}',
        '{"@type": "Article", "headline": "Rain"};',
        '[[[{"@type": "http://schema.org/Article", "headline": "Rain"}]]]',
    ],
)
def test_json_ld_with_common_faults_is_read(block: str) -> None:
    assert metadata(ld(block)).title == "Rain"


def test_a_comma_in_a_string_is_no_trailing_comma() -> None:
    assert metadata(ld('{"@type": "Article", "headline": "a,] \\" ,}",}')).title == 'a,] " ,}'


@pytest.mark.parametrize(
    "block",
    ["", "{", '{"@type": "Article", "headline": "Ra', "null", "7", '"text"', "[null, 7, []]", "<p>", '{"@graph": 7}',
     '{"@type": 7, "headline": "No"}', '{"@type": {"a": 1}}', '{"@type": "Person", "name": "No"}', "1" * 9_000,
     '{"@type": "Article", "datePublished": NaN, "author": {"name": {}}, "publisher": [[]], "inLanguage": {}}'],
)  # fmt: skip
def test_json_ld_beyond_repair_harms_nothing(block: str) -> None:
    good = article(headline="Rain")
    assert metadata(ld(block) + good).title == "Rain"
    assert metadata("<title>Rain</title>" + ld(block)) == Metadata(title="Rain")


@pytest.mark.parametrize(
    "block",
    [
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"@graph":' * 100_000,
        '"' + '\\"' * 400_000,
        "," * 900_000,
        ", " * 400_000 + "]",
        "//" * 450_000,
        json.dumps([{"@type": "Article", "author": [{"@id": "x"}] * 20}] * 1_500),
        json.dumps({"@type": "Article", "headline": "x" * 5_000_000}),
    ],
    ids=lambda block: f"{block[:12]}:{len(block)}",
)
def test_hostile_json_ld_takes_bounded_time(block: str) -> None:
    start = time.process_time()
    found = metadata("<title>Rain</title>" + ld(block))
    assert found.title == "Rain"
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "unit", [b'<a class="author">', b' class="author', b"author", b"<h1>", b'<p itemprop="author" ', b"<", b">"]
)
def test_hostile_markup_takes_bounded_time(unit: bytes) -> None:
    source = unit * (5_000_000 // len(unit))
    start = time.process_time()
    assert read([], source).author is None
    assert time.process_time() - start < 2


names = st.sampled_from(
    ["name", "property", "itemprop", "http-equiv", "content", "rel", "href", "lang", "datetime", "pubdate", "class"]
)
attribute_values = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        ["author", "og:title", "date", "canonical", "citation_author", "og:locale", "http://[", "By ", ", "]
    ),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "@type",
                    "@graph",
                    "@id",
                    "name",
                    "author",
                    "headline",
                    "datePublished",
                    "publisher",
                    "inLanguage",
                    "url",
                ]
            ),
            inner | st.sampled_from(["Article", "WebPage", "WebSite"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)
texts = st.one_of(
    st.text(max_size=60), json_values.map(json.dumps), json_values.map(lambda value: json.dumps(value)[:-1])
)
any_clue = st.builds(
    Clue,
    st.sampled_from([*LIMITS, "p", ""]),
    st.dictionaries(names, attribute_values, max_size=4),
    texts,
)
sources = st.one_of(
    st.binary(max_size=200),
    st.lists(
        st.sampled_from([b"<h1>", b"</h1>", b'<p class="author">', b'<a rel="author" ', b"By ", b"/>", b"<", b">",
                         b"\xff", b' content="', b'<b itemprop="name">', b"</b>", b'itemprop="datePublished"',
                         b"1 May 2024"])
    ).map(b"".join),
)  # fmt: skip


@given(st.lists(any_clue, max_size=8), sources, st.none() | st.text(max_size=30) | st.just("http://[x"))
def test_reading_never_fails_and_gives_one_clean_line_or_none(
    found: list[Clue], source: bytes, url: str | None
) -> None:
    result = read(found, source, url)
    for value in result.as_dict().values():
        if value is not None:
            assert value
            assert value == " ".join(value.split())
            assert len(value.encode()) > 0
    assert read(found, source, url) == result


@given(st.text(max_size=64))
def test_any_text_is_a_date_in_iso_8601_or_none(raw: str) -> None:
    published = read([Clue("meta", {"name": "date", "content": raw}, "")], b"").published
    assert published is None or 1990 <= int(published[:4]) <= 2100


def test_a_closing_quotation_mark_stays_with_the_title() -> None:
    page = Page.parse("<title>Nappe « Rivage » - Tissages</title><h1>Nappe « Rivage »</h1>".encode())
    assert page.metadata.title == "Nappe « Rivage »"
