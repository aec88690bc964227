"""What is taken for an HTML page."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.sniff import is_html

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(40))
DOCTYPE = b'<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">'
XHTML = b'<?xml version="1.0"?>\n' + DOCTYPE + b'\n<html xmlns="h"><body/></html>'


@pytest.mark.parametrize(
    ("payload", "content_type"),
    [
        (b"<!doctype html><p>x", "text/html"),
        (b"\n  <!-- a comment --> <HTML lang=en>", None),
        (b"\xef\xbb\xbf<!DOCTYPE HTML PUBLIC 'x'>", "application/octet-stream"),
        ("\ufeff<html><body>x".encode("utf-16-le"), None),
        (XHTML, "application/xhtml+xml"),
        (XHTML, "text/xml"),
        (b"<p>only a fragment</p>", "text/html; charset=iso-8859-1"),
        (b"no tag at all", "text/html"),
        (b"<!doctype html><title>404 in disguise</title>", "image/png"),
        (b"<div class=x>unlabelled</div>", None),
        (b"", "text/html"),
        (b"BMW and others<p>", "text/html"),
    ],
)
def test_pages(payload: bytes, content_type: str | None) -> None:
    assert is_html(payload, content_type)


@pytest.mark.parametrize(
    ("payload", "content_type"),
    [
        (PNG, "text/html"),
        (PNG, "image/png"),
        (b"%PDF-1.7\n", "text/html"),
        (gzip.compress(b"<html>"), "text/html"),
        (b'{"a": 1}', "text/html"),
        (b'<?xml version="1.0"?><rss version="2.0"><channel/></rss>', "text/html"),
        (b'<?xml version="1.0"?><svg xmlns="s"/>', "text/xml"),
        (b"User-agent: *\nDisallow: /", "text/plain"),
        (b"a word and no tag", None),
        (b"<p>named as something else</p>", "application/json"),
        (b"body { color: red }", "text/css"),
        (b"", None),
    ],
)
def test_other_things(payload: bytes, content_type: str | None) -> None:
    assert not is_html(payload, content_type)


@given(st.binary(max_size=3000), st.sampled_from([None, "text/html", "text/plain", "image/png", ";;;"]))
def test_any_bytes_have_an_answer(payload: bytes, content_type: str | None) -> None:
    assert is_html(payload, content_type) in (True, False)


def test_a_long_run_of_comments_is_read_in_linear_time() -> None:
    assert not is_html(b"<!--" * 100_000, "text/plain")
    assert not is_html(b"<?" * 100_000, None)
