"""A page that kills, hangs or floods the process that reads it is booked, and its neighbours are cleaned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
    broken[len(broken) // 2 :][:8] = b"\xff" * 8
    broken[len(broken) // 2 : len(broken) // 2 + 8] = b"\xff" * 8
    data = member(response("http://a.example/1", page(1))) + bytes(broken) + member(shared)
    data += member(response("http://a.example/2", page(2, "<p>please-vanish</p>"))) + member(
        response("http://a.example/3", page())
    )
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data)
    items = list(cleaner.clean(whole(str(path))))
    assert outcomes(items) == ["cleaned", "Loss", "cleaned", "crashed", "cleaned", "crashed", "cleaned"]
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
