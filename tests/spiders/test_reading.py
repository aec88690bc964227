"""Links of pages, and lists of URLs that anybody may have written."""

from __future__ import annotations

import gzip
import tracemalloc
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spiders import links, lists
from spiders.directives import Directives
from spiders.lists import Unreadable
from spiders.options import when
from spiders.visits import Link

BASE = "http://a.example/dir/page"
HTML = "text/html"
NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def found(html: str) -> list[str]:
    return [link.url for link in links.read(html.encode(), BASE, HTML).links]


def test_links_of_all_kinds_are_found_once_and_in_order() -> None:
    html = """<html><head><link rel=next href=p2><link rel=stylesheet href=s.css>
    <meta http-equiv=refresh content="5; url=/soon"></head><body><a href="x">1</a><a href="x#part">2</a>
    <a href="#top">3</a><area href=y><iframe src="//b.example/f"></iframe><img src=i.png>
    <a href="javascript:x()">j</a><a href=" z ">4</a>"""
    assert found(html) == [
        "http://a.example/dir/p2", "http://a.example/soon", "http://a.example/dir/x", "http://a.example/dir/y",
        "http://b.example/f", "http://a.example/dir/z",
    ]  # fmt: skip


def test_links_are_relative_to_the_first_base() -> None:
    html = '<base href="/other/"><base href="/third/"><a href="x">x</a>'
    assert found(html) == ["http://a.example/other/x"]
    assert found('<base href="javascript:alert(1)"><a href="x">x</a>') == ["http://a.example/dir/x"]


def test_nofollow_on_a_link_and_robots_of_the_page_are_seen() -> None:
    html = b'<meta name="Robots" content="noindex,nofollow"><a rel="nofollow ugc" href="x">x</a><a href="y">y</a>'
    read = links.read(html, BASE, HTML)
    assert [link.url for link in read.links] == ["http://a.example/dir/y"]
    assert read.directives == Directives(noindex=True, nofollow=True)


def test_the_charset_of_the_header_decides_about_links() -> None:
    html = '<a href="/straße">x</a>'.encode("latin-1")
    assert links.read(html, BASE, "text/html; charset=latin-1").links[0].url == "http://a.example/stra%C3%9Fe"


def test_a_page_without_end_has_an_end() -> None:
    html = "".join(f'<a href="/{number}">x</a>' for number in range(20_000)).encode()
    assert len(links.read(html, BASE, HTML).links) == links.MAX_LINKS
    assert links.read(b"<div>" * 100_000 + b"<a href=x>", BASE, HTML).links in (
        (),
        (Link("http://a.example/dir/x", "L", "a/@href"),),
    )


@settings(deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_can_be_read(body: bytes) -> None:
    links.read(body, BASE, HTML)
    for read in (lists.sitemap, lists.feed):
        with suppress(Unreadable):
            read(body, BASE)


def test_a_sitemap_and_an_index_are_told_apart() -> None:
    pages = f"<urlset {NS}><url><loc> http://a.example/x?a=1&amp;b=2 </loc></url></urlset>"
    assert lists.sitemap(pages.encode(), BASE) == (Link("http://a.example/x?a=1&b=2", "M", "url/loc"),)
    index = f"<sitemapindex {NS}><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>"
    assert lists.sitemap(gzip.compress(index.encode()), BASE) == (Link("http://a.example/s.xml", "M", "sitemap/loc"),)
    assert lists.sitemap(b"\xef\xbb\xbfhttp://a.example/1\n\n/2\n", BASE) == (
        Link("http://a.example/1", "M", "url/loc"), Link("http://a.example/2", "M", "url/loc"),
    )  # fmt: skip


def test_images_of_a_sitemap_are_no_pages() -> None:
    xml = f'<urlset {NS} xmlns:i="http://x"><url><loc>/p</loc><i:image><i:loc>/i.png</i:loc></i:image></url></urlset>'
    assert [link.url for link in lists.sitemap(xml.encode(), BASE)] == ["http://a.example/p"]


def test_since_leaves_out_what_is_older_and_keeps_what_does_not_say() -> None:
    dates = {"/old": "2019-05-01", "/new": "2024-05-01T10:00:00+02:00", "/odd": "yesterday", "/year": "2024"}
    entries = "".join(f"<url><loc>{path}</loc><lastmod>{date}</lastmod></url>" for path, date in dates.items())
    xml = f"<urlset {NS}>{entries}<url><loc>/none</loc></url></urlset>".encode()
    urls = [link.url.removeprefix("http://a.example") for link in lists.sitemap(xml, BASE, when("2023-01-01"))]
    assert urls == ["/new", "/odd", "/year", "/none"]


def test_feeds_of_three_kinds_give_their_pages() -> None:
    rss = "<rss><channel><link>/front</link><item><link> /1 </link></item><item><link>/2</link></item></channel></rss>"
    rdf = '<rdf:RDF xmlns:rdf="x" xmlns="y"><item><link>/1</link></item><item><link>/2</link></item></rdf:RDF>'
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><link href="/self"/><entry><link rel="edit" href="/e"/>'
        '<link href="/1"/></entry><entry><link rel="alternate" href="/2"/></entry></feed>'
    )
    for written in (rss, rdf, atom):
        assert [link.url for link in lists.feed(written.encode(), BASE)] == ["http://a.example/1", "http://a.example/2"]


@pytest.mark.parametrize(
    "declaration",
    [
        '<!ENTITY e "http://a.example/expanded">',
        '<!ENTITY e SYSTEM "file:///etc/hostname">',
        '<!ENTITY e SYSTEM "http://127.0.0.1:1/x">',
        '<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY e "&b;&b;&b;&b;&b;&b;&b;&b;&b;">',
    ],
)
def test_document_types_and_entities_are_not_read(declaration: str) -> None:
    xml = f'<?xml version="1.0"?><!DOCTYPE urlset [{declaration}]><urlset {NS}><url><loc>/&e;</loc></url></urlset>'
    with pytest.raises(Unreadable, match="document type"):
        lists.sitemap(xml.encode(), BASE)
    with pytest.raises(Unreadable, match="document type"):
        lists.feed(xml.encode("utf-16"), BASE)


def test_a_list_that_inflates_too_far_is_not_read_and_memory_stays_bounded() -> None:
    bomb = gzip.compress(b"<urlset>" + bytes(lists.MAX_BYTES * 4))
    tracemalloc.start()
    with pytest.raises(Unreadable, match="bomb"):
        lists.sitemap(bomb, BASE)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * lists.MAX_BYTES


def test_a_list_has_at_most_so_many_urls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MAX_URLS", 100)
    xml = "<urlset>" + "".join(f"<url><loc>/{n}</loc></url>" for n in range(lists.MAX_URLS + 10)) + "</urlset>"
    assert len(lists.sitemap(xml.encode(), BASE)) == lists.MAX_URLS


def test_what_is_not_xml_is_unreadable() -> None:
    with pytest.raises(Unreadable):
        lists.feed(b"{}", BASE)
