"""The soak tells equal runs from others, says what differed, and leaves no busy process behind."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench import soak
from bench.flink import children

SMALL = ["--runs=2", "--together=2", "--pages=40", "--loops=1"]


def test_equal_runs_are_equal(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.main(SMALL) == 0
    *runs, _, last = capsys.readouterr().out.splitlines()
    assert [line.split()[-1] for line in runs] == ["equal", "equal"]
    assert last == "2 of 2 runs equal, 40 pages, 1 busy loops"


def test_a_run_that_writes_something_else_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folders: list[Path] = []
    write = soak.write_archive

    def noted(path: Path, pages: int) -> None:
        folders.append(path)
        write(path, pages)

    @contextmanager
    def meanwhile(_: int) -> Iterator[None]:
        write(folders[0], 80)
        yield

    monkeypatch.setattr(soak, "write_archive", noted)
    monkeypatch.setattr(soak, "contention", meanwhile)
    assert soak.main([*SMALL, "--runs=3", "--together=1", "--until-failure"]) == 1
    first, _, last = capsys.readouterr().out.splitlines()
    assert "files differ: sites.jsonl, stats.json" in first
    assert "from byte" in first
    assert last.startswith("0 of 1 runs equal")


def test_without_a_right_run_there_is_nothing_to_compare_with(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(soak, "SPLIT", "--no-such-option")
    assert soak.main(SMALL) == 2
    assert "the first run failed: exit status 2" in capsys.readouterr().err


def test_what_differs() -> None:
    right = {"a": b"one", "b": b"two"}
    assert soak.difference(right, dict(right)) == ""
    assert soak.difference(right, {"a": b"one"}) == "1 files differ; b is missing"
    assert soak.difference(right, {**right, "c": b""}) == "1 files differ; c is new"
    assert soak.difference(right, {"a": b"one", "b": b"tw"}).endswith("b (3 and 2 bytes) from byte 2")


def test_busy_processes_end_with_what_they_are_for() -> None:
    before = children(os.getpid())
    with soak.contention(2):
        assert len(children(os.getpid())) == len(before) + 2
    assert children(os.getpid()) == before
