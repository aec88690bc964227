"""What `warc.read` promises: every record that can be read, every other byte as a loss, from any range of any file."""

from __future__ import annotations

import io
import random
import re
import tracemalloc
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
import zstandard
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from pipeline import warc
from pipeline.members import BOMB, CORRUPT, TRUNCATED
from pipeline.warc import NO_ARCHIVE, NO_HEADER, NO_ZSTD, WRONG_LENGTH, Loss, Record

STORED = 65535  # the longest stored block of deflate


def record(block: bytes, *, number: int = 0, length: int | None = None, extra: bytes = b"") -> bytes:
    head = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/%d\r\n" % number
    size = len(block) if length is None else length
    return head + extra + b"Content-Length: %d\r\n\r\n" % size + block + b"\r\n\r\n"


def gz(data: bytes, level: int = 6) -> bytes:
    deflate = zlib.compressobj(level, wbits=31)
    return deflate.compress(data) + deflate.flush()


def noise(size: int, seed: int) -> bytes:
    """Bytes that do not deflate: zlib stores them as they are."""
    return random.Random(seed).randbytes(size)


def text(size: int, seed: int = 0) -> bytes:
    """Text that deflates to a half or so, as pages do."""
    return noise(size // 2 + 1, seed).hex().encode()[:size]


def archive(seed: int = 0, members: int = 6, size: int = 300) -> bytes:
    return b"".join(gz(record(text(size, seed + n), number=n)) for n in range(members))


def read(data: bytes, *cuts: int, **options: int) -> list[Record | Loss]:
    bounds = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    return [
        item
        for start, stop in pairwise(bounds)
        for item in warc.read(io.BytesIO(data), start, stop, size=len(data), **options)
    ]


def records(items: Sequence[Record | Loss]) -> list[Record]:
    return [item for item in items if isinstance(item, Record)]


def losses(items: Sequence[Record | Loss]) -> list[Loss]:
    """With the pieces joined that a range cut a loss into."""
    joined: list[Loss] = []
    for item in items:
        if isinstance(item, Loss):
            if joined and joined[-1].end == item.start and joined[-1].reason == item.reason:
                item = Loss(joined.pop().start, *item[1:])  # noqa: PLW2901
            joined.append(item)
    return joined


def covered(items: Sequence[Record | Loss]) -> int:
    return sum(item.length if isinstance(item, Record) else item.end - item.start for item in items)


def offsets(members: Sequence[bytes]) -> list[int]:
    at = [0]
    for member in members:
        at.append(at[-1] + len(member))
    return at


class Writer(WARCWriter):  # type: ignore[misc]
    """warcio's writer, which leaves its temporary files open."""

    @staticmethod
    def _create_temp_file() -> io.BytesIO:
        return io.BytesIO()


def five_records() -> bytes:
    """Five responses with a payload of 40,006 bytes, written by warcio."""
    out = io.BytesIO()
    writer = Writer(out, gzip=True)
    for n in range(5):
        head = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], protocol="HTTP/1.1")
        payload = io.BytesIO(text(40006, n))
        writer.write_record(writer.create_warc_record(f"http://a.example/{n}", "response", payload, http_headers=head))
    return out.getvalue()


def test_a_damaged_member_costs_one_record_and_names_its_bytes() -> None:
    data = five_records()
    sound = records(read(data))
    assert len(sound) == 5
    third = sound[2]
    at = third.offset + 12000
    found = read(data[:at] + b"\xff" * 8 + data[at + 8 :])
    assert records(found) == [*sound[:2], *sound[3:]]
    assert losses(found) == [Loss(third.offset, third.offset + third.length, CORRUPT)]


def test_a_cut_file_costs_the_record_that_is_cut() -> None:
    data = five_records()
    sound = records(read(data))
    cut = sound[3].offset + 9000
    found = read(data[:cut])
    assert records(found) == sound[:3]
    assert losses(found) == [Loss(sound[3].offset, cut, TRUNCATED)]


def test_a_sound_record_between_two_damaged_ones_is_read() -> None:
    data = bytearray(five_records())
    sound = records(read(bytes(data)))
    for n in (1, 3):
        data[sound[n].offset + 12000] ^= 0x55
    assert records(read(bytes(data))) == sound[::2]


@pytest.mark.parametrize("at", [0, 3, 12, -8, -4])
def test_damage_anywhere_in_a_member_costs_that_member_only(at: int) -> None:
    members = [gz(record(text(900, n), number=n)) for n in range(5)]
    at_member = offsets(members)
    for n in (1, 3):
        place = at % len(members[n])
        members[n] = members[n][:place] + bytes([members[n][place] ^ 0xA5]) + members[n][place + 1 :]
    found = read(b"".join(members))
    assert [r.offset for r in records(found)] == at_member[:5:2]
    assert [(loss.start, loss.end) for loss in losses(found)] == [(at_member[n], at_member[n + 1]) for n in (1, 3)]


def test_damage_just_after_a_split_point_leaves_both_neighbours_in_agreement() -> None:
    # 40 members of some 4 KB: the chain of members after the split point breaks long before it proves anything.
    data = bytearray(archive(members=40, size=8000))
    starts = [item.offset for item in records(read(bytes(data)))]
    data[starts[20] + 500] ^= 0xFF
    whole = read(bytes(data))
    assert [item.offset for item in records(whole)] == starts[:20] + starts[21:]
    for n in range(14, 24):
        for cut in (starts[n] - 1, starts[n], starts[n] + 1):
            parts = read(bytes(data), cut)
            assert records(parts) == records(whole)
            assert losses(parts) == losses(whole)


def test_an_archive_inside_a_record_is_not_taken_for_records_of_the_file() -> None:
    inner = archive(members=300, size=700)
    assert len(inner) > STORED
    members = [gz(record(inner, number=n), level=0) for n in range(3)]
    data = b"".join(members)
    for cut in range(0, len(data), 4999):
        assert [item.offset for item in records(read(data, cut))] == offsets(members)[:3]


def test_an_archive_inside_a_damaged_record_is_lost_with_it() -> None:
    members = [gz(record(archive(members=12), number=n), level=0) for n in range(3)]
    at = offsets(members)
    data = bytearray(b"".join(members))
    data[at[1] - 8] ^= 0xFF  # the checksum of the first
    data[at[3] - 8] ^= 0xFF  # so that no chain reaches the end of the file
    found = read(bytes(data))
    assert [item.offset for item in records(found)] == [at[1]]
    assert [(loss.start, loss.end) for loss in losses(found)] == [(0, at[1]), (at[2], at[3])]


def test_a_record_after_the_length_that_ends_a_damaged_member_is_read_whatever_the_damaged_one_holds() -> None:
    # The payload looks like the head of a stored block that would hold the next member as well.
    members = [gz(record(noise(500, n) + b"\0\xff\xff\0\0" + noise(90, n), number=n), level=0) for n in range(3)]
    at = offsets(members)
    data = bytearray(b"".join(members))
    for n in (0, 2):
        data[at[n] + 300] ^= 0xFF
    assert [item.offset for item in records(read(bytes(data)))] == [at[1]]


def test_a_file_gzipped_as_a_whole_is_read_by_the_range_that_holds_its_first_byte() -> None:
    data = gz(b"".join(record(text(30000, n), number=n) for n in range(9)))
    found = read(data)
    assert [item.header("warc-target-uri") for item in records(found)] == [f"http://a.example/{n}" for n in range(9)]
    assert {item.offset for item in records(found)} == {0}
    assert covered(found) == len(data)
    size = len(data)
    assert list(warc.read(io.BytesIO(data), 0, 100, size=size)) == found
    assert list(warc.read(io.BytesIO(data), 100, None, size=size)) == []


def test_a_file_gzipped_as_a_whole_and_cut_gives_the_records_before_the_cut() -> None:
    data = gz(b"".join(record(text(30000, n), number=n) for n in range(9)))
    cut = data[: len(data) // 2]
    found = read(cut)
    assert len(records(found)) == 4
    assert [(loss.end, loss.reason) for loss in losses(found)] == [(len(cut), TRUNCATED)]
    assert covered(found) == len(cut)
    parts = read(cut, 5000, len(cut) - 9000)
    assert records(parts) == records(found)
    assert losses(parts) == losses(found)


def test_a_bad_header_among_the_records_of_one_member_is_reported_and_the_others_are_read() -> None:
    for size in (200, 20000):  # the smaller one has no bytes of the file to itself
        broken = record(text(size)).replace(b"Content-Length", b"Content-Longth")
        data = gz(record(b"first") + broken + record(b"last"))
        for cut in (0, 1, len(data) - 1):
            found = read(data, cut)
            assert [item.block for item in records(found)] == [b"first", b"last"]
            assert {loss.reason for loss in losses(found)} == {NO_HEADER}
            assert covered(found) == len(data)


@pytest.mark.parametrize(
    ("block", "declared", "seen", "flaw"),
    [(b"12345678", 20, b"12345678\r\n\r\n", "length"), (b"12345678", 5, b"12345", "length"), (b"", 0, b"", None)],
)
def test_a_wrong_content_length_in_a_member_is_marked(block: bytes, declared: int, seen: bytes, flaw: str) -> None:
    data = gz(record(block, length=declared)) + gz(record(b"next"))
    first, second = records(read(data))
    assert (first.block, first.declared, first.truncated) == (seen, declared, flaw)
    assert second.block == b"next"
    assert covered([first, second]) == len(data)


@pytest.mark.parametrize("declared", [3, 50, 10**6])
def test_a_wrong_content_length_in_a_plain_file_costs_the_record(declared: int) -> None:
    parts = [record(text(400, 1)), record(text(400, 2), length=declared), record(text(400, 3)), record(text(400, 4))]
    at = offsets(parts)
    found = read(b"".join(parts))
    assert [item.offset for item in records(found)] == [at[0], at[2], at[3]]
    assert losses(found) == [Loss(at[1], at[2], WRONG_LENGTH)]


def test_a_damaged_header_in_a_plain_file_does_not_cost_the_record_before_it() -> None:
    parts = [record(b"one"), record(b"two").replace(b"WARC/1.0", b"\0\0\0\0\0\0\0\0", 1), record(b"three")]
    found = read(b"".join(parts))
    assert [item.block for item in records(found)] == [b"one", b"three"]
    assert losses(found) == [Loss(len(parts[0]), len(parts[0]) + len(parts[1]), NO_HEADER)]


def test_a_plain_file_that_is_cut_gives_its_last_record_as_far_as_it_goes() -> None:
    data = record(b"one") + record(b"abcdefgh")
    (_, last) = records(read(data[:-6]))
    assert (last.block, last.truncated) == (b"abcdef", "length")


def test_a_member_without_a_warc_header_is_a_loss_of_its_own() -> None:
    members = [gz(record(b"one")), gz(b"<html>a page</html>"), gz(b""), gz(record(b"two"))]
    at = offsets(members)
    found = read(b"".join(members))
    assert [item.block for item in records(found)] == [b"one", b"two"]
    assert losses(found) == [Loss(at[1], at[3], NO_HEADER)]


def test_junk_between_members_is_lost_and_nothing_else() -> None:
    members = [gz(record(b"one")), b"\0" * 512, gz(record(b"two")), b"junk", gz(record(b"three")), b"\r\n"]
    found = read(b"".join(members))
    assert [item.block for item in records(found)] == [b"one", b"two", b"three"]
    assert covered(losses(found)) == 512 + 4 + 2


@pytest.mark.parametrize("data", [b"", b"hello", bytes(3000), b"\x1f\x8b", b"WARC/1.0\r\n", text(5000)])
def test_what_is_no_archive_is_lost_whole(data: bytes) -> None:
    found = read(data)
    assert not records(found)
    assert covered(found) == len(data)
    assert all(loss.reason in {NO_ARCHIVE, NO_HEADER, TRUNCATED} for loss in losses(found))


@pytest.mark.parametrize("sound", [archive(), b"".join(record(text(500, n)) for n in range(4))])
def test_a_file_whose_first_bytes_are_damaged_is_read_from_its_second_record(sound: bytes) -> None:
    found = read(b"\xff" * 20 + sound[20:])
    assert records(found) == records(read(sound))[1:]


def test_a_header_longer_than_the_cap_is_a_loss() -> None:
    long = gz(record(b"one", extra=b"X: %s\r\n" % text(70000)))
    found = read(long + gz(record(b"two")))
    assert [item.block for item in records(found)] == [b"two"]
    assert losses(found) == [Loss(0, len(long), NO_HEADER)]


def test_headers_are_kept_as_written_and_found_by_any_case() -> None:
    extra = b"X-A: 1\r\nx-a: 2\r\nLong: a\r\n  b\r\nName: \xc3\xa9\r\nWARC-Truncated: time\r\n"
    (found,) = records(read(gz(record(b"", extra=extra))))
    assert found.headers[2:6] == (("X-A", "1"), ("x-a", "2"), ("Long", "a b"), ("Name", "é"))
    assert (found.header("X-a"), found.header("none"), found.header("none", "x")) == ("1", None, "x")
    assert found.truncated == "time"
    (latin,) = records(read(gz(record(b"", extra=b"Name: \xe9\r\n"))))
    assert latin.header("name") == "é"


def test_lines_that_end_in_a_bare_newline_are_read() -> None:
    (found,) = records(read(gz(record(b"a\r\nb").replace(b"\r\n", b"\n").replace(b"a\nb", b"a\r\nb"))))
    assert (found.block, found.truncated) == (b"a\r\nb", None)


def test_a_block_is_cut_at_the_limit_and_the_next_record_is_read() -> None:
    for data in (gz(record(text(5000))) + gz(record(b"two")), record(text(5000)) + record(b"two")):
        first, second = records(read(data, max_block=1000))
        assert (first.block, first.declared, first.truncated) == (text(5000)[:1000], 5000, "limit")
        assert (second.block, second.truncated) == (b"two", None)
        assert covered([first, second]) == len(data)


def zeros(size: int) -> Iterator[bytes]:
    """A member that inflates to a record of so many zeros."""
    deflate = zlib.compressobj(9, wbits=31)
    yield deflate.compress(record(b"", length=size).removesuffix(b"\r\n\r\n"))
    for _ in range(0, size, 1 << 20):
        yield deflate.compress(bytes(1 << 20))
    yield deflate.flush()


@pytest.mark.parametrize(("size", "bomb"), [(40 << 20, False), (120 << 20, True)])
def test_a_bomb_is_cut_and_held_in_bounded_memory(size: int, bomb: bool) -> None:
    member = b"".join(zeros(size))
    data = member + gz(record(b"two"))
    tracemalloc.start()
    found = read(data, max_block=1 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 << 20
    first, second = records(found)
    assert (len(first.block), first.truncated, second.block) == (1 << 20, "limit", b"two")
    assert losses(found) == ([Loss(first.length, len(member), BOMB)] if bomb else [])
    assert covered(found) == len(data)
    assert records(read(data, 7000, max_block=1 << 20)) == [first, second]


def test_a_record_that_inflates_over_several_pieces_ends_where_it_ends() -> None:
    # zlib reports the bytes after a member twice if it stopped for want of room just before.
    data = gz(record(bytes(3 << 20) + text(100))) + gz(record(b"two"))
    first, second = records(read(data))
    assert (len(first.block), second.block) == ((3 << 20) + 100, b"two")


@pytest.mark.parametrize("dictionary", [None, "plain", "compressed"])
def test_zstd_frames_are_read_with_and_without_a_dictionary(dictionary: str | None) -> None:
    samples = [record(text(600, n), number=n) for n in range(60)]
    trained = zstandard.train_dictionary(4096, samples) if dictionary else None
    codec = zstandard.ZstdCompressor(dict_data=trained, write_checksum=True)
    frames = [codec.compress(sample) for sample in samples]
    if trained:
        content = trained.as_bytes()
        content = zstandard.compress(content) if dictionary == "compressed" else content
        frames[0] = b"\x5d\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content + frames[0]
    data = b"".join(frames)
    found = read(data)
    assert [item.block for item in records(found)] == [text(600, n) for n in range(60)]
    assert [item.offset for item in records(found)] == offsets(frames)[:-1]
    assert covered(found) == len(data)
    for cut in range(1, len(data), 3001):
        assert read(data, cut) == found
    damaged = bytearray(data)
    damaged[offsets(frames)[30] + 100] ^= 0xFF
    assert records(read(bytes(damaged), 5000)) == records(found[:30] + found[31:])


def test_zstd_without_its_package_is_a_loss_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.zstd.find_spec", lambda _: None)
    data = zstandard.compress(record(b"one"))
    assert read(data, 10) == [Loss(0, 10, NO_ZSTD), Loss(10, len(data), NO_ZSTD)]


def test_a_stream_that_gives_less_than_asked_is_read_all_the_same() -> None:
    class Slow(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(size or 0, 700))

    data = archive(members=9)
    assert list(warc.read(Slow(data), size=len(data))) == read(data)


def test_resynchronising_is_linear_where_magic_numbers_abound() -> None:
    junk = b"\x1f\x8b\x08\0" * 250_000
    first, last = gz(record(b"one")), gz(record(b"two"))
    found = read(first + junk + last)
    assert [item.block for item in records(found)] == [b"one", b"two"]
    assert covered(losses(found)) == len(junk)


# ---- any file, any partition


def embedding(n: int) -> bytes:
    return gz(record(archive(n, members=1 + n % 90, size=400 + n * 7 % 2000), number=n), level=0)


MEMBERS = st.one_of(
    st.integers(0, 500).map(lambda n: gz(record(text(n * 37 % 9000, n), number=n))),
    st.integers(0, 500).map(lambda n: gz(record(noise(n * 53 % 30000, n), number=n))),
    st.integers(0, 200).map(embedding),
    st.integers(0, 50).map(lambda n: gz(b"".join(record(text(n * 90, k), number=k) for k in range(2 + n % 5)))),
    st.integers(0, 50).map(lambda n: gz(record(text(300), length=n * 12))),
    st.sampled_from([gz(b"no record"), b"\0" * 100, b"\x1f\x8b\x08\0junk", gz(b"WARC/1.0\r\nX: y\r\n\r\n")]),
)
DAMAGE = st.tuples(st.floats(0, 1), st.binary(min_size=1, max_size=9))
PLACES = st.lists(st.floats(0, 1), max_size=6)
GENEROUS = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def damaged(data: bytes, damage: Sequence[tuple[float, bytes]], kept: float) -> bytes:
    for place, patch in damage:
        at = int(place * len(data))
        data = data[:at] + patch + data[at + len(patch) :]
    return data[: int(kept * len(data))]


def assert_split_safe(data: bytes, places: Sequence[float]) -> None:
    whole = read(data)
    parts = read(data, *(int(place * len(data)) for place in places))
    assert records(parts) == records(whole)
    assert losses(parts) == losses(whole)
    assert covered(parts) == covered(whole) == len(data)


@GENEROUS
@given(st.lists(MEMBERS, max_size=12), st.lists(DAMAGE, max_size=4), st.one_of(st.just(1.0), st.floats(0, 1)), PLACES)
@example([embedding(89), embedding(179), embedding(61)], [(0.5, b"\xff" * 8)], 1.0, [0.1, 0.3, 0.45, 0.55, 0.7, 0.9])
@example([embedding(89), embedding(179), embedding(61)], [], 0.95, [0.1, 0.3, 0.45, 0.55, 0.7, 0.9])
def test_any_partition_of_any_gz_file_gives_what_one_read_gives_and_every_byte_once(
    members: list[bytes], damage: list[tuple[float, bytes]], kept: float, places: list[float]
) -> None:
    assert_split_safe(damaged(b"".join(members), damage, kept), places)


@GENEROUS
@given(st.lists(st.binary(max_size=300), max_size=9), st.lists(DAMAGE, max_size=4), st.floats(0.5, 1), PLACES)
def test_any_partition_of_any_plain_file_gives_what_one_read_gives_and_every_byte_once(
    blocks: list[bytes], damage: list[tuple[float, bytes]], kept: float, places: list[float]
) -> None:
    plain = [record(block) for block in blocks]
    plain.insert(len(plain) // 2, record(b"".join(plain)[:-3]))
    assert_split_safe(damaged(b"".join(plain), damage, kept), places)


@GENEROUS
@given(st.lists(st.integers(0, 4000), min_size=1, max_size=12), st.lists(DAMAGE, max_size=3), PLACES)
def test_every_member_that_no_damage_touched_is_read(
    sizes: list[int], damage: list[tuple[float, bytes]], places: list[float]
) -> None:
    members = [gz(record(text(size, n), number=n)) for n, size in enumerate(sizes)]
    at = offsets(members)
    data = damaged(b"".join(members), damage, 1.0)[: at[-1]]
    untouched = {start for start, member in zip(at, members, strict=False) if data.startswith(member, start)}
    found = {item.offset: item.block for item in records(read(data, *(int(place * len(data)) for place in places)))}
    assert untouched <= found.keys()
    # Some bytes of a gzip header mean nothing: such a member is whole all the same.
    assert found == {at[n]: text(size, n) for n, size in enumerate(sizes) if at[n] in found}


@GENEROUS
@given(st.lists(st.tuples(st.sampled_from(["response", "resource", "metadata"]), st.binary(max_size=900)), max_size=8))
def test_sound_files_read_as_warcio_reads_them(written: list[tuple[str, bytes]]) -> None:
    for compressed in (True, False):
        out = io.BytesIO()
        writer = Writer(out, gzip=compressed)
        for kind, payload in written:
            head = StatusAndHeaders("200 OK", [("X", "y")], protocol="HTTP/1.1") if kind == "response" else None
            made = writer.create_warc_record("http://a.example/é", kind, io.BytesIO(payload), http_headers=head)
            writer.write_record(made)
        ours = records(read(out.getvalue()))
        theirs = [
            (item.rec_type, tuple(item.rec_headers.headers), item.raw_stream.read(), item.length)
            for item in ArchiveIterator(io.BytesIO(out.getvalue()), no_record_parse=True)
        ]
        assert [(item.type, item.headers, item.block, item.declared) for item in ours] == theirs


def test_reasons_are_words_that_a_report_can_print() -> None:
    assert all(re.fullmatch(r"[\w ,-]+", reason) for reason in (CORRUPT, TRUNCATED, BOMB, NO_HEADER, WRONG_LENGTH))
