"""One spelling for a URL, and the sites that URLs belong to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.site_names import SITE_BY, registrable, site_of
from spiders import urls
from spiders.options import Options
from spiders.urls import key, link, parse


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("HTTP://A.Example:80", "http://a.example/"),
        ("https://a.example:443/x#part", "https://a.example/x"),
        ("http://a.example:8080/x", "http://a.example:8080/x"),
        ("http://user:secret@a.example/x", "http://a.example/x"),
        ("http://a.example./a/../b/./c", "http://a.example/b/c"),
        ("http://a.example//evil.example/x", "http://a.example/evil.example/x"),
        ("http://a.example/ä b", "http://a.example/%C3%A4%20b"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://a.example/x;jsessionid=0A1B?y=1", "http://a.example/x?y=1"),
        ("http://a.example/?PHPSESSID=abc&y=1", "http://a.example/?y=1"),
        ("http://a.example/?y=1&sid=0123456789abcdef0123", "http://a.example/?y=1"),
        ("http://a.example/?sid=7", "http://a.example/?sid=7"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
    ],
)
def test_a_url_has_one_spelling(written: str, text: str) -> None:
    url = parse(written)
    assert url is not None
    assert url.text == text
    assert parse(text) == url


@pytest.mark.parametrize(
    "written",
    ["file:///etc/passwd", "ftp://a.example/", "data:text/html,x", "http://", "http://a.example:0/", "http://a.example:99999/",
     "javascript:alert(1)", "http://a.example/" + "x" * 3000, "http://a\r\nb/", "//a.example/", ""],
)  # fmt: skip
def test_what_cannot_be_fetched_is_no_url(written: str) -> None:
    url = parse(written)
    assert url is None or "\r" not in url.text + url.host


def test_a_line_break_never_reaches_a_header() -> None:
    url = link("/x\r\nHost: evil.example", "http://a.example/")
    assert url is None or not set("\r\n ") & set(url.text)


def test_links_are_resolved_and_others_left_out() -> None:
    base = "http://a.example/dir/page?x=1"
    assert [found.text for written in ("y", "/z", "?q=2", "//b.example/w") if (found := link(written, base))] == [
        "http://a.example/dir/y", "http://a.example/z", "http://a.example/dir/page?q=2", "http://b.example/w",
    ]  # fmt: skip
    assert all(
        link(written, base) is None for written in ("mailto:x@y.z", "JavaScript:void(0)", "tel:1", "http://[", "")
    )


def test_the_registrable_domain_comes_from_the_public_suffix_list() -> None:
    assert registrable("www.news.example.co.uk") == "example.co.uk"
    assert registrable("a.b.github.io") == "b.github.io"
    assert registrable("127.0.0.2") == "127.0.0.2"
    assert registrable("localhost") == "localhost"


def test_a_site_is_a_host_or_a_domain() -> None:
    url = parse("http://www.shop.example.com:8080/x")
    assert url is not None
    assert Options(scope="host").site(url) == "shop.example.com:8080"
    assert Options(scope="domain").site(url) == "example.com"


@given(
    st.sampled_from(["http", "https"]),
    st.sampled_from(["www.", "WWW.", "", "blog."]),
    st.sampled_from(["a.example", "a.co.uk", "co.uk", "localhost", "127.0.0.1.", "[2001:db8::1]"]),
    st.sampled_from(["", ":80", ":443", ":8080"]),
    st.sampled_from(SITE_BY),
)
def test_a_site_of_the_crawler_is_a_site_of_the_pipeline(scheme: str, www: str, name: str, end: str, by: str) -> None:
    written = f"{scheme}://{'' if name[0] in '[1' else www}{name}{end}/x?y"
    url = parse(written)
    assert url is not None
    assert Options(scope=by).site(url) == site_of(url.text, by) == site_of(written, by) != ""


LABEL = st.from_regex(r"[a-zA-Z0-9-]{1,12}", fullmatch=True)
PATH = st.text("abz09AZ_~.-/%é;=&?# ", max_size=30)


@settings(deadline=None)
@given(st.sampled_from(["http", "https"]), st.lists(LABEL, min_size=1, max_size=3), PATH)
def test_what_needs_no_mending_is_left_as_mending_would_leave_it(scheme: str, labels: list[str], path: str) -> None:
    written = f"{scheme}://{'.'.join(labels)}/{path}"
    assert parse(written) == urls._mended(written)


def test_keys_tell_urls_apart() -> None:
    assert len({key(f"http://a.example/{number}") for number in range(10_000)}) == 10_000
