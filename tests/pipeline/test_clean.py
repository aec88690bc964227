"""One record in, one outcome out, and every byte of it in a bin."""

from __future__ import annotations

import gzip
import io
import zlib

import brotli
import pytest
import zstandard
from archives import SENTENCES, http, page, record, response
from hypothesis import given
from hypothesis import strategies as st

from pipeline.clean import Settings, Verdict, as_line, judge, judge_revisit
from pipeline.outcomes import BINS, Bin
from pipeline.shares import shares
from pipeline.site_names import site_of
from pipeline.warc import Record, read
from transforms import Page, extract
from transforms.sites import Masked

SETTINGS = Settings()
DENSITY = Settings("density")
CUT = http(gzip.compress(page())[:-40], "200 OK", "text/html", "Content-Encoding: gzip")


def only(data: bytes, **options: int) -> Record:
    (item,) = read(io.BytesIO(data), size=len(data), **options)
    assert isinstance(item, Record)
    return item


def verdict_of(data: bytes, settings: Settings = SETTINGS) -> Verdict:
    verdict = judge(only(data), settings, "test.warc")
    assert_balanced(verdict)
    return verdict


def assert_balanced(verdict: Verdict) -> None:
    entry = verdict.entry
    assert sum(entry.bins) == entry.read + entry.gained
    assert min(entry.bins) >= 0


def bins(verdict: Verdict) -> dict[Bin, int]:
    return {place: amount for place, amount in zip(BINS, verdict.entry.bins, strict=True) if amount}


def test_a_page_becomes_a_document() -> None:
    verdict = verdict_of(response("http://WWW.A.example:8080/x?y", page(), WARC_Record_ID="<urn:uuid:1>"), DENSITY)
    document = verdict.document
    assert verdict.entry.outcome == "cleaned"
    assert SENTENCES[0] in document["text"]
    assert "sport" not in document["text"]
    assert document["title"] == "Day 0"
    assert document["language"] == "en"
    assert document["site"] == "a.example:8080"
    assert document["fetched"] == "2026-01-02T03:04:05Z"
    assert document["extractor"] == "density"
    assert (document["file"], document["offset"], document["record_id"]) == ("test.warc", 0, "<urn:uuid:1>")
    assert document["sizes"]["html"] == len(page())
    assert document["sizes"]["text"] == len(document["text"].encode())
    assert 0 < document["sizes"]["text_gzip"] < document["sizes"]["html_gzip"] < document["sizes"]["html"]


def test_the_bins_of_a_page_are_its_parts() -> None:
    verdict = verdict_of(response("http://a.example/", page()), DENSITY)
    found = bins(verdict)
    assert found[Bin.TEXT] == len(verdict.document["text"].encode())
    assert found[Bin.BOILERPLATE] >= len("homenewssportcontact")
    assert found[Bin.TEXT] + found[Bin.BOILERPLATE] + found[Bin.MARKUP] == len(page())


@pytest.mark.parametrize(
    ("data", "outcome", "place"),
    [
        (record(b"software: x", "warcinfo", None), "archive_record", Bin.OVERHEAD),
        (record(b"GET / HTTP/1.1\r\n\r\n", "request"), "archive_record", Bin.OVERHEAD),
        (record(b"via: x", "metadata"), "archive_record", Bin.OVERHEAD),
        (record(b"whatever", "continuation"), "archive_record", Bin.OVERHEAD),
        (record(b"the text of a page", "conversion"), "derived", Bin.NOT_A_PAGE),
        (record(http(b"gone", "404 Not Found")), "bad_status", Bin.NOT_A_PAGE),
        (record(http(b"", "301 Moved", None, "Location: /x")), "bad_status", Bin.OVERHEAD),
        (record(http(b'{"a": 1}', content_type="application/json")), "not_html", Bin.NOT_A_PAGE),
        (record(http(b"\x89PNG\r\n\x1a\n\0\0\0", content_type="text/html")), "not_html", Bin.NOT_A_PAGE),
        (record(b"\x00\x01 no head of HTTP"), "bad_status", Bin.NOT_A_PAGE),
        (record(http(b""), "revisit"), "revisit_unresolved", Bin.OVERHEAD),
        (record(http(b"\0" * 99, "200 OK", "text/html", "Content-Encoding: lzma")), "encoding_unsupported", Bin.FAILED),
        (record(CUT), "undecodable", Bin.FAILED),
        (record(http(b"<html><body><script>x</script></body></html>")), "empty", Bin.MARKUP),
    ],
)  # fmt: skip
def test_what_is_not_cleaned_has_a_name_and_a_place(data: bytes, outcome: str, place: Bin) -> None:
    verdict = verdict_of(data)
    assert verdict.entry.outcome == outcome == verdict.document["outcome"]
    assert place in bins(verdict)
    assert verdict.document["reason"]
    assert verdict.document["file"] == "test.warc"


def test_a_resource_record_is_a_page_if_it_is_html() -> None:
    assert verdict_of(record(page(), "resource", Content_Type="text/html")).entry.outcome == "cleaned"
    assert verdict_of(record(b"x,y\n1,2", "resource", Content_Type="text/csv")).entry.outcome == "not_html"


def test_a_missing_content_type_is_made_good_by_what_the_page_begins_with() -> None:
    assert verdict_of(record(http(page(), content_type=None))).entry.outcome == "cleaned"


def test_other_statuses_are_cleaned_if_asked_for() -> None:
    data = record(http(page(), "404 Not Found"))
    assert verdict_of(data, Settings(statuses=frozenset({404}))).entry.outcome == "cleaned"


@pytest.mark.parametrize(
    ("coding", "encode"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("zstd", zstandard.compress),
        ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
    ],
)
def test_codings_are_undone_and_what_they_gain_is_booked(coding: str, encode: object) -> None:
    body = encode(page())  # type: ignore[operator]
    verdict = verdict_of(record(http(body, "200 OK", "text/html", f"Content-Encoding: {coding}")))
    assert verdict.entry.outcome == "cleaned"
    assert verdict.entry.gained == len(page()) - len(body)
    assert SENTENCES[0] in verdict.document["text"]


def test_chunks_are_joined() -> None:
    html = page()
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(html[n : n + 100]), html[n : n + 100]) for n in range(0, len(html), 100))
    verdict = verdict_of(record(http(chunks + b"0\r\n\r\n", "200 OK", "text/html", "Transfer-Encoding: chunked")))
    assert verdict.document["text"] == verdict_of(response("http://a.example/", html)).document["text"]
    assert verdict.entry.gained < 0


def test_a_bomb_is_capped() -> None:
    bomb = gzip.compress(bytes(300 << 20))
    packed = gzip.compress(bomb)
    for body, coding in ((bomb, "gzip"), (packed, "gzip, gzip")):
        verdict = verdict_of(record(http(body, "200 OK", "text/html", f"Content-Encoding: {coding}")))
        assert verdict.entry.outcome == "bomb_capped"
        assert sum(verdict.entry.bins) <= 33 << 20


def test_a_record_that_is_cut_is_cleaned_as_far_as_it_goes_and_says_so() -> None:
    verdict = verdict_of(response("http://a.example/", page()[:-60], WARC_Truncated="length"))
    assert verdict.entry.outcome == "cleaned"
    assert verdict.document["truncated"] == "length"
    cut = gzip.compress(page(extra="<p>" + SENTENCES[1] * 9))[:-30]
    data = record(http(cut, "200 OK", "text/html", "Content-Encoding: gzip"), WARC_Truncated="time")
    assert verdict_of(data).document["truncated"] == "time"


def test_a_record_over_the_limit_is_too_large() -> None:
    item = only(response("http://a.example/", page()), max_block=300)
    verdict = judge(item, SETTINGS, "test.warc")
    assert_balanced(verdict)
    assert verdict.entry.outcome == "too_large"


def test_a_duplicate_is_booked_as_one() -> None:
    verdict = judge(only(response("http://a.example/", page())), SETTINGS, "x", duplicate=True)
    assert_balanced(verdict)
    assert verdict.entry.outcome == "duplicate"
    assert bins(verdict)[Bin.DUPLICATE] == len(page())


def test_a_revisit_has_the_text_of_its_original_and_its_own_address() -> None:
    revisit = only(record(b"HTTP/1.1 200 OK\r\n\r\n", "revisit", "http://b.example/", WARC_Date="2026-05-05T00:00:00Z"))
    original = only(response("http://a.example/", page()))
    verdict = judge_revisit(revisit, original, SETTINGS, "x", "y:7")
    assert_balanced(verdict)
    assert verdict.entry.outcome == "cleaned"
    assert verdict.document["url"] == "http://b.example/"
    assert verdict.document["fetched"] == "2026-05-05T00:00:00Z"
    assert verdict.document["revisit_of"] == "y:7"
    assert SENTENCES[0] in verdict.document["text"]


def test_a_revisit_of_something_that_is_no_page_is_not_resolved() -> None:
    revisit = only(record(b"", "revisit"))
    original = only(record(http(b"\x89PNG\r\n", content_type="image/png")))
    verdict = judge_revisit(revisit, original, SETTINGS, "x", "y:7")
    assert_balanced(verdict)
    assert verdict.entry.outcome == "revisit_unresolved"
    assert "not_html" in verdict.document["reason"]


def test_what_was_kept_is_counted_in_the_charset_of_the_page() -> None:
    text = "Библиотека на колёсах объединила девять деревень, и никто не хочет её потерять. " * 3
    html = f"<html><meta charset=windows-1251><body><p>{text}</p></body></html>"
    page = Page.parse(html.encode("cp1251"))
    chosen = extract(page, "block")
    assert chosen.text == text.strip()
    parts = shares(Masked(page, page, ()), chosen)
    assert parts == {"text": len(text.strip()), "shared": 0, "template": 0, "boilerplate": 0}


@given(st.binary(max_size=400), st.sampled_from(["utf-8", "windows-1251", "utf-16", "x-none", "shift_jis"]))
def test_any_page_balances(body: bytes, charset: str) -> None:
    head = b"<html><body><p>some words &amp; more &nGt; of them"
    verdict = verdict_of(record(http(head + body, "200 OK", f"text/html; charset={charset}")))
    assert verdict.entry.outcome in ("cleaned", "empty")
    assert as_line(verdict.document).count(b"\n") == 1


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://User@Sub.Example.ORG.:8443/x", "sub.example.org:8443"),
        ("https://User@Sub.Example.ORG.:443/x", "sub.example.org"),
        ("http://[::1]/", "::1"),
        ("http://[broken/", ""),
        ("urn:x", ""),
        (None, ""),
    ],
)
def test_the_site_of_an_address(url: str | None, site: str) -> None:
    assert site_of(url) == site
