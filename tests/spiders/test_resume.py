"""A crawl that is killed, interrupted or cannot write goes on where it was, and fetches nothing twice."""

from __future__ import annotations

import json
import os
import pty
import resource
import signal
import subprocess
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest
from crawls import ROOT, Web, arguments, assert_sound, crawl, page, pages, robots, segments, web

from bench.web.server import Answer, Asked
from pipeline.exit_codes import ExitCode

PAGES = 60
SEED = "http://a.example/p/0"


def site() -> dict[str, object]:
    """Pages that lead to others, ahead and back, with an error, a redirection and a page that is not to be kept."""
    answers: dict[str, object] = {"a.example/robots.txt": robots("User-agent: *", "Disallow: /private")}
    for number in range(PAGES):
        links = [f"/p/{(number * step + step) % PAGES}" for step in (1, 2, 3)] + ["/private"]
        answers[f"a.example/p/{number}"] = page(f"Page {number}", *links)
    answers["a.example/p/7"] = Answer(b"", "301 Moved", (("Location", "/p/8"),))
    answers["a.example/p/9"] = Answer(b"oh", "404 Not Found")
    answers["a.example/p/11"] = page("Not to be kept", "/p/50", "/p/51", head='<meta name="robots" content="noindex">')
    return answers


def slowly(answers: dict[str, object]) -> dict[str, object]:
    """As they are, but a little later each, so that there is time to kill somebody."""

    def later(found: Answer) -> object:
        return lambda _: Answer(found.body, found.status, found.headers, wait=0.02)

    return {name: later(found) for name, found in answers.items()}  # type: ignore[arg-type]


def in_archive(folder: Path) -> Counter[str]:
    return pages(folder) + Counter(url for url in pages(folder, ("metadata",)) if url.endswith("/p/11"))


def run_until(made: Web, folder: Path, requests: int, number: signal.Signals, *more: str) -> subprocess.Popen[str]:
    """Begin a crawl and send it a signal when it has asked for so much."""
    before = len(made.asked)
    process = subprocess.Popen(
        arguments(made.port, folder, SEED, *more), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = monotonic() + 60
    while process.poll() is None and len(made.asked) - before < requests and monotonic() < until:
        sleep(0.002)
    process.send_signal(number)
    return process


@pytest.mark.parametrize("limits", [(), ("--max-pages", "25", "--max-depth", "5")])
def test_kill_9_at_any_moment_changes_nothing_in_the_end(tmp_path: Path, limits: tuple[str, ...]) -> None:
    draw = Random(f"kill {limits}")
    small = ("--segment-size", "6K")  # so that some are closed and one is open
    with web(slowly(site())) as made:  # type: ignore[arg-type]
        once = crawl(made.port, tmp_path / "once", SEED, *limits, *small)
        assert once.status == ExitCode.OK
        assert len(in_archive(once.folder)) >= (25 if limits else PAGES)
        folder = tmp_path / "killed"
        for kill in range(3):
            process = run_until(made, folder, draw.randint(2, 18), signal.SIGKILL, *limits, *small)
            process.communicate()
            archived = {} if not kill and not folder.exists() else dict(in_archive(folder))
            made.asked.clear()
        # Recovery first: what is in a whole record of the open segment counts as well.
        ran = crawl(made.port, folder, SEED, *limits, *small)
        fetched = made.targets()
    assert ran.status == ExitCode.OK, ran.err
    assert_sound(folder)
    assert in_archive(folder) == in_archive(tmp_path / "once")
    assert set(in_archive(folder).values()) == {1}
    assert not {f"http://a.example{target}" for target in fetched} & set(archived)
    assert ran.stats["fetches"] == once.stats["fetches"]
    assert ran.stats["record_bytes"] == pytest.approx(once.stats["record_bytes"], rel=0.05)


def test_what_is_in_the_open_segment_is_not_fetched_again(tmp_path: Path) -> None:
    with web(slowly(site())) as made:  # type: ignore[arg-type]
        run_until(made, tmp_path, 25, signal.SIGKILL).communicate()
        [left] = tmp_path.glob("*.open")
        assert not segments(tmp_path)
        first = made.targets()
        made.asked.clear()
        ran = crawl(made.port, tmp_path, SEED)
        again = {target for target in made.targets() if target in first}
    assert ran.status == ExitCode.OK
    assert not left.exists()
    # Only what was under way when the crawl was killed.
    assert len(again) <= 9
    assert "/robots.txt" not in again
    assert_sound(tmp_path)


def test_a_finished_crawl_fetches_nothing_when_it_is_run_again(tmp_path: Path) -> None:
    with web(site()) as made:  # type: ignore[arg-type]
        first = crawl(made.port, tmp_path, SEED)
        made.asked.clear()
        again = crawl(made.port, tmp_path, SEED)
    assert made.asked == []
    assert again.status == ExitCode.OK
    assert again.stats["fetches"] == first.stats["fetches"]


def test_progress_is_shown_on_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    late = {"a.example/p/0": page("0", "/p/1"), "a.example/p/1": lambda _: Answer(b"<p>late", wait=1.5)}
    with web(late) as made:  # type: ignore[arg-type]
        command = arguments(made.port, tmp_path, SEED)
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # the terminal is gone with the process
            while piece := os.read(ours, 4096):
                shown += piece
        os.close(ours)
        assert process.wait(60) == ExitCode.OK
    assert b"1 pages, 0.0 MB, 0 waiting, 1 under way" in shown
    assert b"pages/s" in shown


def test_another_crawl_is_not_mixed_in(tmp_path: Path) -> None:
    with web(site()) as made:  # type: ignore[arg-type]
        crawl(made.port, tmp_path, SEED)
        made.asked.clear()
        other = crawl(made.port, tmp_path, "http://b.example/")
    assert other.status == ExitCode.USAGE
    assert "holds another crawl" in other.err
    assert made.asked == []


def test_ctrl_c_once_ends_cleanly_and_the_crawl_can_go_on(tmp_path: Path) -> None:
    with web(slowly(site())) as made:  # type: ignore[arg-type]
        process = run_until(made, tmp_path, 15, signal.SIGINT)
        out, err = process.communicate(timeout=600)
        assert process.returncode == ExitCode.INTERRUPTED
        assert "run the same command again" in err
        assert "stored" in out
        assert_sound(tmp_path)
        before = set(in_archive(tmp_path))
        assert json.loads((tmp_path / "stats.json").read_text())["ended"] == "shutdown"
        made.asked.clear()
        ran = crawl(made.port, tmp_path, SEED)
    assert ran.status == ExitCode.OK
    assert not {f"http://a.example{target}" for target in made.targets()} & before
    assert len(in_archive(tmp_path)) == PAGES


def test_ctrl_c_twice_ends_at_once(tmp_path: Path) -> None:
    hanging = threading.Event()

    def never(_: Asked) -> Answer:
        hanging.set()
        return Answer(wait=float("inf"))

    with web({"a.example/p/0": never}) as made:  # type: ignore[dict-item]
        process = subprocess.Popen(
            arguments(made.port, tmp_path, SEED), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert hanging.wait(600)
        process.send_signal(signal.SIGINT)
        sleep(0.5)
        assert process.poll() is None, "it waits for what is under way"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=600)
    assert process.returncode == ExitCode.INTERRUPTED


def test_a_full_disk_ends_the_crawl_and_a_later_run_completes_it(tmp_path: Path) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))

    with web(site()) as made:  # type: ignore[arg-type]
        full = crawl(
            made.port, tmp_path, SEED, preexec_fn=small_files, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        )
        assert full.status == ExitCode.FAILED
        assert "cannot write to" in full.err
        ran = crawl(made.port, tmp_path, SEED)
    assert ran.status == ExitCode.OK
    assert_sound(tmp_path)
    assert len(in_archive(tmp_path)) == PAGES
    assert set(in_archive(tmp_path).values()) == {1}
