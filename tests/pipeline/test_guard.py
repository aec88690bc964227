"""A page that kills, hangs or floods the process that reads it is booked, and its neighbours are cleaned."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import archives
import pytest
from archives import archive, member, page, record, response

from pipeline.clean import Settings
from pipeline.exceptions import CannotStart
from pipeline.guard import Bounds, Cleaner, Judged, Original, Range, Revisit
from pipeline.warc import Loss

SUPPORT = str(Path(archives.__file__).parent)


@pytest.fixture(autouse=True)
def _path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", SUPPORT)


@pytest.fixture
def cleaner() -> Iterator[Cleaner]:
    made = Cleaner(Settings("misbehaving"), Bounds(seconds=1.0, memory=1 << 30), ["misbehaving"])
    yield made
    made.close()


def whole(path: str) -> Range:
    size = Path(path).stat().st_size
    return Range(0, 0, path, 0, size, size)


def outcomes(items: Sequence[Judged | Revisit | Loss]) -> list[str]:
    return [item.entry.outcome if isinstance(item, Judged) else type(item).__name__ for item in items]


@pytest.mark.parametrize(
    ("wish", "outcome", "reason"),
    [
        ("please-segfault", "crashed", "SIGSEGV"),
        ("please-hang", "timeout", "more than 1 s of CPU time"),
        ("please-eat-memory", "out_of_memory", "memory"),
        ("please-raise", "crashed", "as asked"),
        ("please-vanish", "crashed", "SIGKILL"),
    ],
)
def test_one_bad_page_costs_only_itself(tmp_path: Path, cleaner: Cleaner, wish: str, outcome: str, reason: str) -> None:
    pages = [page(n, f"<p>{wish}</p>" if n == 5 else "") for n in range(12)]
    path = archive(tmp_path / "a.warc.gz", *(response(f"http://a.example/{n}", html) for n, html in enumerate(pages)))
    items = list(cleaner.clean(whole(path)))
    assert outcomes(items) == ["cleaned"] * 5 + [outcome] + ["cleaned"] * 6
    assert isinstance(items[5], Judged)
    assert reason in items[5].line.decode()
    assert "http://a.example/5" in items[5].line.decode()
    assert sum(item.length for item in items if isinstance(item, Judged)) == whole(path).size


def test_many_bad_pages_in_a_row(tmp_path: Path, cleaner: Cleaner) -> None:
    bad = {0, 1, 2, 7, 8}
    pages = [page(n, "<p>please-segfault</p>" if n in bad else "") for n in range(9)]
    path = archive(tmp_path / "a.warc.gz", *(response(f"http://a.example/{n}", html) for n, html in enumerate(pages)))
    expected = ["crashed" if n in bad else "cleaned" for n in range(9)]
    assert outcomes(list(cleaner.clean(whole(path)))) == expected
    assert outcomes(list(cleaner.clean(whole(path)))) == expected  # and the same child goes on


def test_bad_pages_among_damage_and_records_that_share_a_member(tmp_path: Path, cleaner: Cleaner) -> None:
    shared = b"".join(
        response(f"http://a.example/s{n}", page(n, "<p>please-segfault</p>" * (n == 1))) for n in range(3)
    )
    broken = bytearray(member(response("http://a.example/x", page(9) * 3)))
    broken[len(broken) // 2 : len(broken) // 2 + 8] = b"\xff" * 8
    before = member(response("http://a.example/1", page(1)))
    data = before + bytes(broken) + member(shared)
    data += member(response("http://a.example/2", page(2, "<p>please-vanish</p>"))) + member(
        response("http://a.example/3", page())
    )
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data)
    items = list(cleaner.clean(whole(str(path))))
    assert outcomes(items) == ["cleaned", "Loss", "cleaned", "crashed", "cleaned", "crashed", "cleaned"]
    assert isinstance(items[1], Loss)
    assert (items[1].start, items[1].end) == (len(before), len(before) + len(broken))
    covered = sum(item.end - item.start if isinstance(item, Loss) else item.length for item in items)
    assert covered == len(data)


def test_an_answer_that_nobody_reads_to_its_end_does_not_spoil_the_next_one(tmp_path: Path, cleaner: Cleaner) -> None:
    path = archives.site(tmp_path / "a.warc.gz", 30)
    first = cleaner.clean(whole(path))
    next(first)
    first.close()  # type: ignore[attr-defined]
    assert outcomes(list(cleaner.clean(whole(path)))) == ["cleaned"] * 30


def test_a_file_that_has_gone_is_lost_and_named(tmp_path: Path, cleaner: Cleaner) -> None:
    (item,) = cleaner.clean(Range(0, 0, str(tmp_path / "gone.warc.gz"), 0, 99, 99))
    assert isinstance(item, Loss)
    assert (item.start, item.end) == (0, 99)
    assert "there is no file" in item.reason


def test_a_child_that_cannot_start_says_why_and_nothing_is_lost(tmp_path: Path) -> None:
    path = archives.site(tmp_path / "a.warc.gz", 2)
    cleaner = Cleaner(Settings(), imports=["no_such_module"])
    with pytest.raises(CannotStart, match="cannot start: ModuleNotFoundError: No module named 'no_such_module'"):
        list(cleaner.clean(whole(path)))
    with pytest.raises(CannotStart):
        list(cleaner.sketches(whole(path), 64))
    cleaner.close()


def test_a_child_that_is_ended_before_it_is_ready_is_started_again(tmp_path: Path) -> None:
    path = archives.site(tmp_path / "a.warc.gz", 2)
    tries = tmp_path / "tries"
    (tmp_path / "fragile.py").write_text(
        "import os, signal\n"
        f"tries = open({str(tries)!r}, 'a+b')\n"
        "tries.write(b'.')\n"
        "if tries.tell() < 3: tries.flush(); os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        cleaner = Cleaner(Settings(), imports=["fragile"])
        assert outcomes(list(cleaner.clean(whole(path)))) == ["cleaned"] * 2
        cleaner.close()
    assert tries.stat().st_size == 3


def test_a_revisit_whose_page_kills_is_booked(tmp_path: Path, cleaner: Cleaner) -> None:
    digest = {"WARC_Payload_Digest": "sha1:AAA"}
    original = response("http://a.example/", page(0, "<p>please-segfault</p>"), **digest)
    path = archive(tmp_path / "a.warc.gz", original, record(b"", "revisit", "http://a.example/2", **digest))
    items = list(cleaner.clean(whole(path)))
    assert outcomes(items) == ["crashed", "Revisit"]
    revisit = items[1]
    assert isinstance(revisit, Revisit)
    judged = cleaner.revisit(revisit, Original(path, 0, revisit.keys[-1]))
    assert judged.entry.outcome == "crashed"
    assert "http://a.example/2" in judged.line.decode()


URL = "http://a.example/2"


def _gone(path: Path) -> str:
    path.unlink()
    return "there is no file"


def _a_folder(path: Path) -> str:
    path.unlink()
    path.mkdir()
    return "Is a directory"


def _damaged(path: Path) -> str:
    path.write_bytes(path.read_bytes()[:200] + b"\xff" * 8 + path.read_bytes()[208:])
    return "corrupt member"


def _cut(path: Path) -> str:
    path.write_bytes(b"")
    return "has changed while it was read"


def _another(path: Path) -> str:
    archive(path, response("http://a.example/other", page(7)))
    return "has changed while it was read"


def _deadly(path: Path) -> str:
    archive(path, response("http://a.example/", b"please-kill-the-reader"))
    return "the process ended with SIGSEGV"


@pytest.mark.parametrize("harm", [_gone, _a_folder, _damaged, _cut, _another, _deadly])
def test_a_revisit_whose_original_cannot_be_read_any_more_costs_only_itself(
    tmp_path: Path, harm: Callable[[Path], str]
) -> None:
    digest = {"WARC_Payload_Digest": "sha1:AAA"}
    path = archive(tmp_path / "a.warc.gz", record(b"", "revisit", URL, **digest))
    other = archive(tmp_path / "other.warc.gz", response("http://a.example/", page() * 3, **digest))
    cleaner = Cleaner(Settings(), imports=["deadly_reader"])
    (revisit,) = cleaner.clean(whole(path))
    assert isinstance(revisit, Revisit)
    original = Original(other, 0, revisit.keys[-1])
    assert cleaner.revisit(revisit, original).entry.outcome == "cleaned"
    reason = harm(Path(other))
    judged = cleaner.revisit(revisit, original)
    cleaner.close()
    letter = json.loads(judged.line)
    assert judged.entry.outcome == letter["outcome"] == "revisit_unresolved"
    assert f"{other}:0, cannot be read: " in letter["reason"]
    assert reason in letter["reason"]
    assert (letter["file"], letter["url"], judged.length) == (path, URL, revisit.length)


def test_a_revisit_whose_original_a_server_does_not_give_any_more_costs_only_itself(
    tmp_path: Path, cleaner: Cleaner
) -> None:
    path = archive(tmp_path / "a.warc.gz", record(b"", "revisit", URL, WARC_Payload_Digest="sha1:AAA"))
    (revisit,) = cleaner.clean(whole(path))
    assert isinstance(revisit, Revisit)
    with socket.socket() as closed:  # bound, but nobody listens
        closed.bind(("127.0.0.1", 0))
        uri = f"http://127.0.0.1:{closed.getsockname()[1]}/other.warc.gz"
        letter = json.loads(cleaner.revisit(revisit, Original(uri, 7, revisit.keys[-1])).line)
    assert letter["outcome"] == "revisit_unresolved"
    assert letter["reason"].startswith(f"the record it refers to, {uri}:7, cannot be read: ")


def test_a_revisit_that_cannot_be_read_once_more_is_booked_and_its_length_with_it(
    tmp_path: Path, cleaner: Cleaner
) -> None:
    path = archive(tmp_path / "a.warc.gz", record(b"", "revisit", URL, WARC_Payload_Digest="sha1:AAA"))
    (revisit,) = cleaner.clean(whole(path))
    assert isinstance(revisit, Revisit)
    Path(path).unlink()
    judged = cleaner.revisit(revisit, Original(path, 0, revisit.keys[-1]))
    assert (judged.entry.outcome, judged.length) == ("revisit_unresolved", revisit.length)
    assert f"there is no file {path}" in judged.line.decode()
