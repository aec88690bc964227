"""Crawls as a user runs them, against servers in the test; and what is in the archives that they leave."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from bench.web.server import LOOPBACK, Answer, Asked, serve
from pipeline.check import examine

ROOT = Path(__file__).parents[2]
CONTACT = "crawl@winnow.example"
HTML = (("Content-Type", "text/html; charset=utf-8"),)
TEXT = (("Content-Type", "text/plain"),)


def page(title: str, *links: str, head: str = "") -> Answer:
    """A small page."""
    anchors = " ".join(f'<a href="{escape(link)}">link</a>' for link in links)
    html = (
        f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body><h1>{title}</h1><p>{anchors}</p></body>"
    )
    return Answer(html.encode(), headers=HTML)


def redirect(target: str, status: str = "302 Found") -> Answer:
    """To another address."""
    return Answer(b"", status, (*HTML, ("Location", target)))


def robots(*lines: str) -> Answer:
    """A robots.txt."""
    return Answer("\n".join(lines).encode(), headers=TEXT)


NOT_FOUND = Answer(b"no", "404 Not Found", TEXT)


@dataclass
class Web:
    """A served web: what it answers, by host and target, and what it was asked."""

    answers: dict[str, Answer | Callable[[Asked], Answer]]
    asked: list[Asked] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    port: int = 0

    def __call__(self, asked: Asked) -> Answer:
        """The answer of the server."""
        self.asked.append(asked)
        self.times.append(monotonic())
        found = self.answers.get(asked.host + asked.target, NOT_FOUND)
        return found(asked) if callable(found) else found

    def gaps(self, host: str) -> list[float]:
        """Seconds between what a host was asked."""
        times = [time for time, asked in zip(self.times, self.asked, strict=True) if asked.host == host]
        return [later - earlier for earlier, later in pairwise(times)]

    def targets(self, host: str = "a.example") -> Counter[str]:
        """What a host was asked for, and how often."""
        return Counter(asked.target for asked in self.asked if asked.host == host)


@contextmanager
def web(answers: dict[str, Answer | Callable[[Asked], Answer]]) -> Iterator[Web]:
    """Serve answers by host and target, such as `a.example/x?y=1`; everything else is not found."""
    made = Web(answers)
    with serve(made) as made.port:
        yield made


@dataclass(frozen=True)
class Ran:
    """A crawl that has ended."""

    status: int
    out: str
    err: str
    folder: Path

    @property
    def notes(self) -> dict[str, str]:
        """What was not fetched, with its outcome."""
        lines = (self.folder / "not-fetched.jsonl").read_text().splitlines()
        return {note["url"]: note["outcome"] for note in map(json.loads, lines)}

    @property
    def stats(self) -> dict[str, Any]:
        """The statistics that it has left."""
        return dict(json.loads((self.folder / "stats.json").read_text()))


def arguments(port: int, folder: Path, *more: str) -> list[str]:
    """A command line without delays that sends everything to one server."""
    elsewhere = ("--allow-private", "--connect-to", f"*={LOOPBACK}:{port}")
    return [
        sys.executable, "-m", "pipeline.cli", "crawl", "-o", str(folder), "--contact", CONTACT, "--delay", "0",
        "--no-throttle", *elsewhere, *more,
    ]  # fmt: skip


def crawl(port: int, folder: Path, *more: str, stdin: str = "", **how: Any) -> Ran:
    """Run `winnow crawl` to its end."""
    command = arguments(port, folder, *more)
    ran = subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=ROOT, check=False, timeout=600, **how
    )
    return Ran(ran.returncode, ran.stdout, ran.stderr, folder)


@dataclass(frozen=True)
class Stored:
    """A record, as warcio reads it."""

    type: str
    url: str
    headers: dict[str, str]
    block: bytes  # all of it: HTTP head and body


def records(folder: Path) -> list[Stored]:
    """All records of the closed segments, in order."""
    found = []
    for path in segments(folder):
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, no_record_parse=True):
                headers = dict(record.rec_headers.headers)
                found.append(
                    Stored(record.rec_type, headers.get("WARC-Target-URI", ""), headers, record.raw_stream.read())
                )
    return found


def pages(folder: Path, types: Sequence[str] = ("response", "revisit")) -> Counter[str]:
    """The URLs in the segments, robots.txt apart, and how often each is there."""
    return Counter(
        record.url for record in records(folder) if record.type in types and not record.url.endswith("/robots.txt")
    )


def segments(folder: Path) -> list[Path]:
    """The closed segments."""
    return sorted(folder.glob("*.warc.gz"))


def assert_sound(folder: Path) -> None:
    """Every segment passes `winnow check` and `warcio check`, and none is open."""
    assert segments(folder)
    assert not list(folder.glob("*.open"))
    for path in segments(folder):
        assert examine(str(path)).healthy
        checker = Checker(_Quietly(str(path)))
        checker.process_one(str(path))
        assert checker.exit_value == 0


class _Quietly:
    verbose = False

    def __init__(self, path: str) -> None:
        self.inputs = [path]
