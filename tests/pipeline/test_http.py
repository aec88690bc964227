"""What a record's block says over HTTP: heads of all kinds, and bodies undone under limits."""

from __future__ import annotations

import gzip
import subprocess
import sys
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.codings import BOMB_CAPPED, UNDECODABLE, UNSUPPORTED
from pipeline.http import HEAD_CUT, NO_HEAD, NO_STATUS, HttpMessage, decode_body, parse_response

PAGE = "<html><p>Straße und Brücke, immer wieder.</p></html>\n".encode() * 40


def raw_deflate(data: bytes) -> bytes:
    deflate = zlib.compressobj(9, wbits=-15)
    return deflate.compress(data) + deflate.flush()


def encode(data: bytes, *names: str) -> bytes:
    for name in names:
        data = CODINGS[name](data)
    return data


CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=5),
    "zstd": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
}


def message(body: bytes, **headers: str) -> HttpMessage:
    return HttpMessage(200, tuple((name.replace("_", "-"), value) for name, value in headers.items()), body, None)


def decode(body: bytes, coding: str, max_bytes: int = 1 << 20, **options: int) -> tuple[bytes, str | None]:
    return decode_body(message(body, Content_Encoding=coding), max_bytes=max_bytes, max_ratio=1000, **options)


def unchunk(body: bytes) -> tuple[bytes, str | None]:
    return decode_body(message(body, Transfer_Encoding="chunked"), max_bytes=1 << 20, max_ratio=1000)


# ---- heads


def test_a_response_has_a_status_headers_in_order_and_a_body() -> None:
    found = parse_response(b"HTTP/1.1 404 Not Found\r\nA: 1\r\nSet-Cookie: x\r\nset-cookie: y\r\n\r\nbody\r\n\r\n")
    headers = (("A", "1"), ("Set-Cookie", "x"), ("set-cookie", "y"))
    assert found == HttpMessage(404, headers, b"body\r\n\r\n", None)
    assert found.all("SET-COOKIE") == ["x", "y"]


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"HTTP/2 200", 200),
        (b"HTTP/1.0 301 Moved: elsewhere", 301),
        (b"HTTP/1.1  200   OK", 200),
        (b"HTTP/1.1\t204", 204),
        (b"http/1.1 200 ok", 200),
        (b"HTTP 200 OK", 200),
        (b"ICY 200 OK", 200),
        (b"HTTP/1.1 OK", None),
        (b"HTTP/1.1 2000", None),
        (b"HTTP/1.1", None),
    ],
)
def test_odd_status_lines_are_tolerated(line: bytes, status: int | None) -> None:
    found = parse_response(line + b"\r\nA: 1\r\n\r\nbody")
    assert found == HttpMessage(status, (("A", "1"),), b"body", None if status else NO_STATUS)


def test_headers_without_a_status_line_are_read() -> None:
    found = parse_response(b"Content-Type: text/html\r\nA: 1\r\n\r\nbody")
    assert found == HttpMessage(None, (("Content-Type", "text/html"), ("A", "1")), b"body", NO_STATUS)


@pytest.mark.parametrize("block", [b"", b"<html>\r\n\r\n<p>x: y</p>", b"\x89PNG\r\n", b"200 OK\r\n\r\n"])
def test_a_block_without_a_head_is_all_body(block: bytes) -> None:
    assert parse_response(block) == HttpMessage(None, (), block, NO_HEAD)


def test_a_head_that_is_cut_leaves_no_body() -> None:
    assert parse_response(b"HTTP/1.1 200 OK\r\nA: 1\r\nB") == HttpMessage(200, (("A", "1"),), b"", HEAD_CUT)
    assert parse_response(b"HTTP/1.1 200 OK") == HttpMessage(200, (), b"", HEAD_CUT)


def test_bare_newlines_folded_lines_and_lines_without_a_colon_are_tolerated() -> None:
    found = parse_response(b"\r\nHTTP/1.1 200 OK\nA: 1\n  2\n\t3\nnonsense\nB: \xe9\n\nbody")
    assert found == HttpMessage(200, (("A", "1 2 3"), ("B", "é")), b"body", None)


def test_interim_responses_are_skipped() -> None:
    found = parse_response(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\n\r\nx")
    assert found == HttpMessage(200, (), b"x", None)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.from_regex(rb"HTTP/1\.1 200[^x]{0,60}\r\n\r\n.*")))
def test_no_block_makes_parsing_or_decoding_fail(block: bytes) -> None:
    found = parse_response(block)
    assert block.endswith(found.body)
    for coding in (*CODINGS, "chunked"):
        decoded, _ = decode_body(message(found.body, TE=coding, Content_Encoding=coding), max_bytes=100, max_ratio=9)
        assert len(decoded) <= 100
    assert len(unchunk(found.body)[0]) <= len(found.body)


# ---- codings


@pytest.mark.parametrize("coding", CODINGS)
def test_a_body_comes_out_of_its_coding(coding: str) -> None:
    assert decode(encode(PAGE, coding), coding) == (PAGE, None)
    assert decode(encode(PAGE, coding), f" {coding.upper()} ,identity") == (PAGE, None)
    assert decode(b"", coding) == (b"", None)


def test_deflate_without_the_zlib_wrapper_comes_out_too() -> None:
    assert decode(raw_deflate(PAGE), "deflate") == (PAGE, None)


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_members_in_a_row_are_one_body_and_padding_is_dropped(coding: str) -> None:
    assert decode(encode(b"one ", coding) + encode(b"two", coding) + bytes(9), coding) == (b"one two", None)


def test_layers_are_undone_from_the_last_to_the_first() -> None:
    body = encode(PAGE, "br", "gzip", "zstd")
    assert decode(body, "br, gzip, zstd") == (PAGE, None)
    three = HttpMessage(200, tuple(("Content-Encoding", name) for name in ("br", "gzip", "zstd")), body, None)
    assert decode_body(three, max_bytes=9999, max_ratio=100) == (PAGE, None)


def test_more_layers_than_allowed_are_left_alone() -> None:
    body = encode(PAGE, "gzip", "gzip", "gzip", "gzip")
    assert decode(body, "gzip,gzip,gzip,gzip") == (body, BOMB_CAPPED)
    assert decode(body, "gzip,gzip,gzip,gzip", max_layers=4) == (PAGE, None)


@pytest.mark.parametrize("coding", [*CODINGS, "compress", "something"])
def test_a_page_that_claims_a_coding_but_is_plain_is_passed_through(coding: str) -> None:
    assert decode(PAGE, coding) == (PAGE, None)


@pytest.mark.parametrize("coding", ["utf-8", "none", "identity", ""])
def test_what_is_no_coding_is_ignored(coding: str) -> None:
    assert decode(b"\0\1\2", coding) == (b"\0\1\2", None)


def test_an_unknown_coding_is_named_and_never_taken_for_content() -> None:
    body = b"\x1f\x9d\x90" + bytes(50)
    assert decode(body, "compress") == (body, UNSUPPORTED)
    assert decode(gzip.compress(body), "compress, gzip") == (body, UNSUPPORTED)


@pytest.mark.parametrize(("coding", "package"), [("br", "brotli"), ("zstd", "zstandard")])
def test_a_coding_whose_package_is_missing_is_named(coding: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    body = encode(PAGE, coding)
    monkeypatch.setitem(sys.modules, package, None)
    assert decode(body, coding) == (body, UNSUPPORTED)


@pytest.mark.parametrize("coding", CODINGS)
def test_a_stream_that_is_cut_or_corrupt_gives_what_came_before(coding: str) -> None:
    page = b"".join(b"<p>%d %d</p>" % (n, n * n * 7919) for n in range(40000))
    body = encode(page, coding)
    cut, problem = decode(body[: len(body) * 3 // 4], coding, max_bytes=9 << 20)
    assert problem == UNDECODABLE
    assert page.startswith(cut)
    assert len(cut) > len(page) // 2
    corrupt = bytearray(body)
    corrupt[len(body) // 2 : len(body) // 2 + 40] = b"\xff" * 40
    assert decode(bytes(corrupt), coding, max_bytes=9 << 20)[1] == UNDECODABLE


@pytest.mark.parametrize("coding", CODINGS)
def test_output_stops_at_the_bytes_allowed(coding: str) -> None:
    body = encode(PAGE, coding)
    assert decode(body, coding, max_bytes=len(PAGE)) == (PAGE, None)
    assert decode(body, coding, max_bytes=len(PAGE) - 1) == (PAGE[:-1], BOMB_CAPPED)
    assert decode(PAGE, "identity", max_bytes=100) == (PAGE[:100], BOMB_CAPPED)


def test_output_stops_at_the_ratio_allowed_but_short_bodies_are_free() -> None:
    body = gzip.compress(bytes(3 << 20))
    options = {"max_bytes": 1 << 30, "max_ratio": 500}
    out, problem = decode_body(message(body, Content_Encoding="gzip"), **options)
    assert (len(out), problem) == (500 * len(body), BOMB_CAPPED)
    short = gzip.compress(bytes(1 << 19))
    assert decode_body(message(short, Content_Encoding="gzip"), **{**options, "max_ratio": 1})[1] is None


BOMB = """
import sys, zlib, brotli, zstandard
from pipeline.http import HttpMessage, decode_body

def deflated():
    deflate = zlib.compressobj(9, wbits=-15)
    return (deflate.compress(bytes(1 << 20)) + deflate.flush(zlib.Z_FULL_FLUSH)) * 300

def streamed(compress, finish):
    # Never whole in memory: what the process once held would hide what decoding takes.
    return b"".join([compress(bytes(1 << 20)) for _ in range(300)] + [finish()])

def brotli_bomb():
    codec = brotli.Compressor(quality=1)
    return streamed(codec.process, codec.finish)

def zstd_bomb():
    codec = zstandard.ZstdCompressor(level=1).compressobj()
    return streamed(codec.compress, codec.flush)

make = {
    "gzip": lambda: b"\\x1f\\x8b\\x08" + bytes(7) + deflated(),
    "deflate": deflated,
    "br": brotli_bomb,
    "zstd": zstd_bomb,
}
def peak():
    # Not ru_maxrss, which a child inherits from the process that started it.
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

names = sys.argv[1].split(",")
body = make[names[0]]()
if len(names) > 1:
    body = zlib.compress(body)
before = peak()
message = HttpMessage(200, (("Content-Encoding", sys.argv[1]),), body, None)
out, problem = decode_body(message, max_bytes=8 << 20, max_ratio=10**6)
assert (len(out), problem) == (8 << 20, "bomb_capped"), (len(out), problem)
assert not any(out)
print(len(body), before, peak() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads its peak memory from /proc")
@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip,deflate"])
def test_a_bomb_of_300_megabytes_takes_no_more_memory_than_allowed(coding: str) -> None:
    ran = subprocess.run([sys.executable, "-c", BOMB, coding], capture_output=True, text=True, check=True, timeout=600)
    size, held_kilobytes, grown_kilobytes = map(int, ran.stdout.split())
    assert held_kilobytes < 100 << 10
    assert size < 400_000
    assert grown_kilobytes < 40 << 10


# ---- chunks


@pytest.mark.parametrize(
    "body",
    [
        b"4\r\nabcd\r\n3\r\nefg\r\n0\r\n\r\n",
        b"0004 \r\nabcd\r\n3;name=value;x\r\nefg\r\n0;last\r\nTrailer: x\r\n\r\n",
        b"4\nabcd\n3\nefg\n0\n\n",
        b"7\r\nabcdefg\r\n",
        b"4\r\nabcd\r\nA\r\nefg",
    ],
)
def test_chunks_are_joined_without_extensions_and_trailers(body: bytes) -> None:
    assert unchunk(body) == (b"abcdefg", None)


@pytest.mark.parametrize("body", [b"<html>4\r\n", b"abc\n" + PAGE, b"12\r\n" + PAGE, b"", b"-4\r\nabcd\r\n"])
def test_a_body_stored_without_its_chunks_is_passed_through(body: bytes) -> None:
    assert unchunk(body) == (body, None)


def test_after_a_wrong_chunk_size_what_was_read_is_kept() -> None:
    assert unchunk(b"4\r\nabcd\r\nzz\r\nefg\r\n0\r\n\r\n") == (b"abcd", UNDECODABLE)
    assert unchunk(b"0\r\n\r\n") == (b"", None)


def test_chunks_are_joined_before_the_content_is_decoded() -> None:
    body = gzip.compress(PAGE)
    chunked = b"%x\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n" % (10, body[:10], len(body) - 10, body[10:])
    both = message(chunked, Transfer_Encoding="chunked", Content_Encoding="gzip")
    assert decode_body(both, max_bytes=1 << 20, max_ratio=100) == (PAGE, None)
    moved = message(chunked, Transfer_Encoding="gzip, chunked")
    assert decode_body(moved, max_bytes=1 << 20, max_ratio=100) == (PAGE, None)
