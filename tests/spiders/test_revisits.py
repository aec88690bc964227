"""A second crawl stores what has changed, and refers to the first for what has not."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from archives import lines
from crawls import HTML, Ran, Web, assert_sound, crawl, page, pages, records, robots, segments, web

from bench.web.server import Answer, Asked
from pipeline.cli import main as winnow
from pipeline.exit_codes import ExitCode

SEED = "http://a.example/"
WORDS = "The ferry was late again, and the people on the quay had long stopped looking at the clock. " * 6


def tagged(found: Answer, name: str, value: str, condition: str) -> object:
    """Answers 304 to who has it already."""

    def answer(asked: Asked) -> Answer:
        if asked.headers.get(condition) == value:
            return Answer(b"", "304 Not Modified", ((name, value),))
        return Answer(found.body, found.status, (*found.headers, (name, value)))

    return answer


def text(title: str, *links: str) -> Answer:
    made = page(title, *links)
    return Answer(made.body.replace(b"</h1>", f"</h1><p>{title}: {WORDS}</p>".encode()), headers=made.headers)


def chunked(found: Answer, size: int) -> Answer:
    parts = [found.body[start : start + size] for start in range(0, len(found.body), size)]
    body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"
    return Answer(body, headers=(*HTML, ("Transfer-Encoding", "chunked")))


def site(day: int) -> dict[str, object]:
    return {
        "a.example/robots.txt": robots("User-agent: *"),
        "a.example/": tagged(
            text("Front", "/etag", "/date", "/plain", "/chunks", "/changed"), "ETag", '"1"', "if-none-match"
        ),
        "a.example/etag": tagged(text("By tag", "/only-from-etag"), "ETag", 'W/"x"', "if-none-match"),
        "a.example/only-from-etag": text("Only from there"),
        "a.example/date": tagged(
            text("By date"), "Last-Modified", "Tue, 01 Oct 2024 10:00:00 GMT", "if-modified-since"
        ),
        "a.example/plain": text("The same payload"),
        "a.example/chunks": chunked(text("The same payload in other chunks"), 50 + day),
        "a.example/changed": text(f"Day {day}"),
    }


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Ran], list[Web]]:
    """Three crawls, each with the one before as its previous."""
    folder = tmp_path_factory.mktemp("days")
    ran: list[Ran] = []
    webs = []
    for day in range(3):
        previous = ("--previous", str(folder / str(day - 1))) if day else ()
        with web(site(day)) as made:  # type: ignore[arg-type]
            ran.append(crawl(made.port, folder / str(day), SEED, *previous))
        webs.append(made)
    return folder, ran, webs


def test_what_has_not_changed_becomes_a_revisit(three: tuple[Path, list[Ran], list[Web]]) -> None:
    folder, ran, _ = three
    for day in (1, 2):
        assert ran[day].status == ExitCode.OK
        assert_sound(folder / str(day))
        assert set(pages(folder / str(day), ("response",))) == {"http://a.example/changed"}
        assert len(pages(folder / str(day), ("revisit",))) == 6
        assert ran[day].stats["fetches"]["unchanged"] == 6


def test_servers_are_asked_only_for_what_has_changed(three: tuple[Path, list[Ran], list[Web]]) -> None:
    _, _, webs = three
    conditions = {asked.target: asked.headers for asked in webs[1].asked}
    assert conditions["/etag"]["if-none-match"] == 'W/"x"'
    assert conditions["/date"]["if-modified-since"] == "Tue, 01 Oct 2024 10:00:00 GMT"
    assert "if-none-match" not in conditions["/plain"]
    assert conditions["/only-from-etag"]


def test_revisits_refer_to_the_record_that_has_the_payload(three: tuple[Path, list[Ran], list[Web]]) -> None:
    folder, _, _ = three
    originals = {
        record.headers["WARC-Record-ID"]: record for record in records(folder / "0") if record.type == "response"
    }
    for day in (1, 2):
        profiles = Counter()
        for record in records(folder / str(day)):
            if record.type == "revisit":
                # Also on the third day to the first: the second has no payload.
                original = originals[record.headers["WARC-Refers-To"]]
                assert original.url == record.url == record.headers["WARC-Refers-To-Target-URI"]
                assert original.headers["WARC-Date"] == record.headers["WARC-Refers-To-Date"]
                assert original.headers["WARC-Payload-Digest"] == record.headers["WARC-Payload-Digest"]
                assert record.block.endswith(b"\r\n\r\n")
                profiles[record.headers["WARC-Profile"].rpartition("/")[2]] += 1
        assert profiles == {"server-not-modified": 3, "identical-payload-digest": 3}


def test_the_pipeline_resolves_them(three: tuple[Path, list[Ran], list[Web]], tmp_path: Path) -> None:
    folder, _, _ = three
    archives = [str(path) for day in ("0", "1") for path in segments(folder / day)]
    assert winnow(["clean", *archives, "-o", str(tmp_path / "out"), "-q", "--direct_num_workers=1"]) == ExitCode.OK
    outcomes = json.loads((tmp_path / "out" / "stats.json").read_text())["records"]
    assert "revisit_unresolved" not in outcomes
    assert {"Front", "By tag", "Day 0", "Day 1"} <= {str(line["title"]) for line in lines(tmp_path / "out" / "text")}


def test_a_folder_without_a_crawl_cannot_be_the_previous_one(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    ran = crawl(1, tmp_path / "new", SEED, "--previous", str(tmp_path / "empty"))
    assert ran.status == ExitCode.USAGE
    assert "holds no earlier crawl" in ran.err
