"""Segments: what is written is whole, what a crash cuts is recovered up to its last whole record."""

from __future__ import annotations

import io
from datetime import datetime, timezone
from pathlib import Path

import pytest
from crawls import assert_sound, records, segments
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.http import HttpMessage
from pipeline.warc import Record, read
from spiders.exceptions import CrawlError
from spiders.exchange import LENGTH, Exchange
from spiders.history import fetches
from spiders.records import NOT_MODIFIED, Original, of_exchange, of_metadata
from spiders.segments import Segments, recover
from spiders.visits import Link, Metadata

ABOUT = {"software": "winnow/test", "robots": "RFC 9309"}
REQUEST = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"


def exchange(number: int, body: bytes = b"hello", truncated: str | None = None) -> Exchange:
    head = b"HTTP/1.1 200 OK\r\nX-A: 1\r\nX-A: 2\r\n\r\n"
    message = HttpMessage(200, (("X-A", "1"), ("X-A", "2")), body, None)
    began = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=timezone.utc)
    return Exchange(f"http://a.example/{number}", began, 0.25, "192.0.2.7", REQUEST, head + body, message, truncated)


def metadata(number: int, *links: str) -> Metadata:
    return Metadata(
        f"http://a.example/{number}", depth=2, hops="LRL", via="http://a.example/", outcome="stored", milliseconds=250,
        links=tuple(Link(url, "L", "a/@href") for url in links),
    )  # fmt: skip


def fill(folder: Path, count: int, **how: float) -> Segments:
    made = Segments(folder, ABOUT, **how)  # type: ignore[arg-type]
    for number in range(count):
        link = f"http://a.example/{number + 1}"
        made.write(lambda info, n=number, to=link: of_exchange(exchange(n, b"body %d" % n * 50), metadata(n, to), info))  # type: ignore[misc]
    return made


def abandon(made: Segments) -> None:
    """Leave everything as a process does that is killed."""
    assert made._stream is not None
    made._stream.close()
    made._lock.close()


def test_a_segment_holds_what_the_standard_asks_for(tmp_path: Path) -> None:
    fill(tmp_path, 1).close()
    assert_sound(tmp_path)
    info, request, about, response = records(tmp_path)
    assert [record.type for record in (info, request, about, response)] == [
        "warcinfo",
        "request",
        "metadata",
        "response",
    ]
    assert info.headers["WARC-Filename"] == segments(tmp_path)[0].name
    assert b"software: winnow/test\r\n" in info.block
    assert request.block == REQUEST
    assert response.block == exchange(0, b"body 0" * 50).block
    assert response.headers["WARC-IP-Address"] == "192.0.2.7"
    assert response.headers["WARC-Date"] == "2026-01-02T03:04:05.678901Z"
    assert {"WARC-Payload-Digest", "WARC-Block-Digest", "WARC-Warcinfo-ID"} <= set(response.headers)
    answered = response.headers["WARC-Record-ID"]
    assert request.headers["WARC-Concurrent-To"] == about.headers["WARC-Concurrent-To"] == answered
    assert b"outlink: http://a.example/1 L a/@href\r\n" in about.block
    assert response.headers["WARC-Warcinfo-ID"] == info.headers["WARC-Record-ID"]


def test_every_record_is_a_gzip_member(tmp_path: Path) -> None:
    fill(tmp_path, 3).close()
    data = segments(tmp_path)[0].read_bytes()
    found = [item for item in read(io.BytesIO(data), size=len(data)) if isinstance(item, Record)]
    assert len({record.offset for record in found}) == len(found) == 10


def test_a_cut_body_and_a_revisit_say_what_they_are(tmp_path: Path) -> None:
    made = Segments(tmp_path, ABOUT)
    made.write(lambda info: of_exchange(exchange(0, truncated=LENGTH), metadata(0), info))
    original = Original("<urn:uuid:1>", "http://a.example/0", "2025-01-01T00:00:00Z", "sha1:ABC")
    made.write(lambda info: of_exchange(exchange(1), metadata(1), info, (NOT_MODIFIED, original)))
    made.close()
    assert_sound(tmp_path)
    cut, revisit = (record for record in records(tmp_path) if record.type in ("response", "revisit"))
    assert cut.headers["WARC-Truncated"] == "length"
    assert revisit.type == "revisit"
    assert revisit.block == exchange(1).head
    assert revisit.headers["WARC-Refers-To"] == "<urn:uuid:1>"
    assert revisit.headers["WARC-Refers-To-Target-URI"] == "http://a.example/0"
    assert revisit.headers["WARC-Refers-To-Date"] == "2025-01-01T00:00:00Z"
    assert revisit.headers["WARC-Payload-Digest"] == "sha1:ABC"
    assert revisit.headers["WARC-Profile"] == NOT_MODIFIED


def test_an_open_segment_is_visibly_open(tmp_path: Path) -> None:
    made = fill(tmp_path, 1)
    assert [path.name.endswith(".warc.gz.open") for path in tmp_path.glob("winnow-*")] == [True]
    made.close()
    assert [path.name.endswith(".warc.gz") for path in tmp_path.glob("winnow-*")] == [True]


def test_segments_rotate_by_size_and_by_age(tmp_path: Path) -> None:
    fill(tmp_path / "size", 10, max_bytes=1500).close()
    assert len(segments(tmp_path / "size")) > 3
    fill(tmp_path / "age", 4, max_seconds=0.0).close()
    assert len(segments(tmp_path / "age")) == 4
    for folder in ("size", "age"):
        assert_sound(tmp_path / folder)
    assert [fetch.metadata.url for fetch in fetches(tmp_path / "size")] == [f"http://a.example/{n}" for n in range(10)]


def test_numbers_go_on_where_they_stopped(tmp_path: Path) -> None:
    fill(tmp_path, 1).close()
    fill(tmp_path, 1).close()
    assert [path.name.rpartition("-")[2] for path in segments(tmp_path)] == ["00001.warc.gz", "00002.warc.gz"]


def test_two_crawls_do_not_share_a_folder(tmp_path: Path) -> None:
    made = Segments(tmp_path, ABOUT)
    with pytest.raises(CrawlError, match="another crawl"):
        Segments(tmp_path, ABOUT)
    made.close()
    Segments(tmp_path, ABOUT).close()


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 1))
def test_a_segment_cut_anywhere_is_recovered_up_to_its_last_whole_record(
    tmp_path_factory: pytest.TempPathFactory, share: float
) -> None:
    folder = tmp_path_factory.mktemp("cut")
    abandon(fill(folder, 4))
    [path] = folder.glob("*.open")
    whole = path.read_bytes()
    ends = [item.offset + item.length for item in read(io.BytesIO(whole), size=len(whole)) if isinstance(item, Record)]
    at = round(share * len(whole))
    path.write_bytes(whole[:at])
    recover(folder)
    kept = [end for end in ends if end <= at]
    if len(kept) <= 1:
        assert not list(folder.glob("winnow-*"))
    else:
        assert segments(folder)[0].read_bytes() == whole[: kept[-1]]
        assert_sound(folder)
        # A page counts as fetched with its response, which comes last of its records.
        assert len(list(fetches(folder))) == (len(kept) - 1) // 3


def test_zeros_after_a_power_failure_are_no_records(tmp_path: Path) -> None:
    abandon(fill(tmp_path, 2))
    [path] = tmp_path.glob("*.open")
    whole = path.read_bytes()
    path.write_bytes(whole + bytes(5000))
    again = Segments(tmp_path, ABOUT)
    assert [lost for _, lost in again.recovered] == [5000]
    assert segments(tmp_path)[0].read_bytes() == whole
    again.close()


def test_metadata_says_again_what_it_was_told(tmp_path: Path) -> None:
    made = Segments(tmp_path, ABOUT)
    links = (Link("http://a.example/ä", "M", "url/loc"), Link("http://b.example/", "R", "location"))
    via = "http://a.example/"
    told = Metadata("http://a.example/x", "sitemap", 3, "LLL", via, 1, "noindex", 12, "sha1:X", links)
    made.write(lambda info: of_metadata(told, "2026-01-01T00:00:00Z", info))
    made.close()
    assert [fetch.metadata for fetch in fetches(tmp_path)] == [told]
