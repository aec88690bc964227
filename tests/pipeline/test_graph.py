"""Whole runs: order, workers and repeats change no byte of what comes out, and every record is accounted for."""

from __future__ import annotations

import gzip
import http.server
import json
import sys
import threading
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import apache_beam as beam
import archives
import pytest
from archives import archive, clean, contents, lines, member, page, record, response, site
from archives import http as http_response

from pipeline import codings, graph, work
from pipeline.clean import Settings
from pipeline.exceptions import AccountsDoNotBalance
from pipeline.folders import take
from pipeline.guard import Bounds
from pipeline.job import pipeline_options, prepare, run
from pipeline.ledger import Account, Tally
from pipeline.members import Members
from pipeline.publish import Close
from transforms import extractors

THREADS = ("--direct_num_workers=2", "--direct_running_mode=multi_threading")
PROCESSES = ("--direct_num_workers=2", "--direct_running_mode=multi_processing")


@pytest.fixture
def crawl(tmp_path: Path) -> list[str]:
    """Three archives with some of everything."""
    twice = page(77)
    digest = {"WARC_Payload_Digest": "sha1:ABC"}
    first = archive(
        tmp_path / "1.warc.gz",
        record(b"software: x", "warcinfo", None),
        *(response(f"http://a.example/{n}", page(n)) for n in range(8)),
        response("http://a.example/twice", twice),
        record(http_response(b"no", "404 Not Found"), url="http://a.example/no"),
    )
    second = archive(
        tmp_path / "2.warc.gz",
        *(response(f"http://b.example/{n}", page(100 + n)) for n in range(8)),
        response("http://b.example/twice", twice, **digest),
        record(http_response(b"\x89PNG\r\n", content_type="image/png"), url="http://b.example/i.png"),
    )
    third = archive(
        tmp_path / "3.warc.gz",
        record(b"HTTP/1.1 200 OK\r\n\r\n", "revisit", "http://c.example/r", **digest),
        record(b"HTTP/1.1 200 OK\r\n\r\n", "revisit", "http://c.example/s", WARC_Payload_Digest="sha1:NONE"),
        response("http://c.example/twice", twice),
    )
    damaged = bytearray(member(response("http://c.example/bad", page(5) * 4)))
    damaged[200:208] = b"\xff" * 8
    with Path(third).open("ab") as file:
        file.write(bytes(damaged) + member(response("http://c.example/after", page(60))))
    return [first, second, third]


def test_every_record_has_an_outcome_and_every_byte_a_place(tmp_path: Path, crawl: list[str]) -> None:
    out = tmp_path / "out"
    stats = clean(out, *crawl)
    assert stats["records"] == {
        "cleaned": 21,
        "archive_record": 1,
        "not_html": 1,
        "bad_status": 1,
        "revisit_unresolved": 1,
    }
    assert stats["archive"]["losses"] == 1
    assert stats["archive"]["file_bytes"] == sum(Path(path).stat().st_size for path in crawl)
    assert stats["bytes_total"] == stats["read"]["records"] + stats["read"]["gained"]
    assert not stats["imbalances"]
    assert json.loads((out / "stats.json").read_bytes()) == stats
    documents, letters = lines(out / "text"), lines(out / "dead-letters")
    assert len(documents) == 21
    assert Counter(letter["outcome"] for letter in letters) == Counter(
        archive_record=1, not_html=1, bad_status=1, revisit_unresolved=1
    )
    (lost,) = [json.loads(line) for line in (out / "losses.jsonl").read_bytes().splitlines()]
    assert lost["file"] == crawl[2]
    assert lost["reason"] == "corrupt member"
    sites = [json.loads(line) for line in (out / "sites.jsonl").read_bytes().splitlines()]
    assert [entry["site"] for entry in sites] == ["", "a.example", "b.example", "c.example"]
    assert sum(entry["bytes_total"] for entry in sites) == stats["bytes_total"]
    assert sum(entry["sizes"]["html"]["total"] for entry in sites) == sum(row["sizes"]["html"] for row in documents)
    assert (out / "_SUCCESS").exists()
    assert not (out / "_temporary").exists()


def test_a_revisit_is_resolved_within_the_run(tmp_path: Path, crawl: list[str]) -> None:
    clean(tmp_path / "out", *crawl, learn=False)
    (resolved,) = [row for row in lines(tmp_path / "out" / "text") if row["revisit_of"]]
    (original,) = [row for row in lines(tmp_path / "out" / "text") if row["url"] == "http://b.example/twice"]
    assert resolved["url"] == "http://c.example/r"
    assert resolved["text"] == original["text"]
    assert resolved["revisit_of"] == f"{original['file']}:{original['offset']}"


@pytest.mark.parametrize(
    "keys",
    [
        {"WARC_Refers_To": "<urn:uuid:7>"},
        {"WARC_Refers_To_Target_URI": "http://a.example/7", "WARC_Refers_To_Date": "2026-01-02T03:04:05Z"},
        {"WARC_Payload_Digest": "SHA1:abc"},
    ],
)
def test_a_revisit_is_found_by_any_of_its_keys(tmp_path: Path, keys: dict[str, str]) -> None:
    original = response("http://a.example/7", page(7), WARC_Record_ID="<urn:uuid:7>", WARC_Payload_Digest="sha1:ABC")
    revisit = archive(tmp_path / "1.warc.gz", record(b"", "revisit", "http://a.example/7", **keys))
    stats = clean(tmp_path / "out", revisit, archive(tmp_path / "2.warc.gz", original))
    assert stats["records"] == {"cleaned": 2}


@pytest.mark.parametrize("dedup", [False, True])
@pytest.mark.parametrize("beam", [THREADS, PROCESSES], ids=["threads", "processes"])
def test_order_workers_and_repeats_change_no_byte(
    tmp_path: Path, crawl: list[str], beam: tuple[str, ...], dedup: bool
) -> None:
    clean(tmp_path / "one", *crawl, dedup=dedup, split=2_000)
    clean(tmp_path / "many", *reversed(crawl), dedup=dedup, split=2_000, beam=beam)
    once = contents(tmp_path / "one")
    assert once == contents(tmp_path / "many")
    assert len([name for name in once if name.startswith("text/")]) > 3


def test_a_bundle_that_is_repeated_counts_once(tmp_path: Path, crawl: list[str]) -> None:
    clean(tmp_path / "one", *crawl)
    clean(tmp_path / "again", *crawl, beam=("--direct_num_workers=1", "--direct_runner_bundle_repeat=1"))
    assert contents(tmp_path / "one") == contents(tmp_path / "again")


def test_how_a_file_is_cut_changes_no_document(tmp_path: Path, crawl: list[str]) -> None:
    clean(tmp_path / "whole", *crawl, split=0)
    stats = clean(tmp_path / "cut", *crawl, split=500)
    assert lines(tmp_path / "whole" / "text") == lines(tmp_path / "cut" / "text")
    assert lines(tmp_path / "whole" / "dead-letters") == lines(tmp_path / "cut" / "dead-letters")
    assert stats["bytes"] == json.loads((tmp_path / "whole" / "stats.json").read_bytes())["bytes"]


def test_pages_with_the_same_payload_are_cleaned_once_if_asked(tmp_path: Path, crawl: list[str]) -> None:
    stats = clean(tmp_path / "out", *crawl, dedup=True)
    assert stats["records"]["duplicate"] == 2
    assert stats["bytes"]["duplicate"] == 2 * len(page(77))
    kept = [row["url"] for row in lines(tmp_path / "out" / "text") if row["url"].endswith("twice")]
    assert kept == ["http://a.example/twice"]
    duplicates = [row for row in lines(tmp_path / "out" / "dead-letters") if row["outcome"] == "duplicate"]
    assert {row["url"] for row in duplicates} == {"http://b.example/twice", "http://c.example/twice"}
    assert len({row["reason"] for row in duplicates}) == 1


def test_duplicates_inside_one_member_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "whole.warc.gz"
    path.write_bytes(gzip.compress(b"".join(response(f"http://a.example/{n}", page(n % 2)) for n in range(4))))
    stats = clean(tmp_path / "out", str(path), dedup=True)
    assert stats["records"] == {"cleaned": 2, "duplicate": 2}
    assert [row["url"][-1] for row in lines(tmp_path / "out" / "text")] == ["0", "1"]


def test_the_workers_of_the_graph_leave_every_record_to_their_children(
    tmp_path: Path, crawl: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("not in this process")

    clean(tmp_path / "expected", *crawl, dedup=True, split=2_000)
    monkeypatch.setattr(Members, "open", refuse)
    monkeypatch.setattr(codings, "decode", refuse)
    clean(tmp_path / "out", *crawl, dedup=True, split=2_000)
    assert contents(tmp_path / "out") == contents(tmp_path / "expected")


def test_a_body_that_kills_the_decoder_is_booked_once_and_as_it_would_be_without_dedup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(archives.__file__).parent))
    monkeypatch.setattr(codings, "decode", codings.decode)  # the run imports the decoder here, too
    monkeypatch.delitem(sys.modules, "deadly_decoder", raising=False)
    wishes = {1: b"please-segfault", 2: b"please-hang", 3: b"please-eat-memory", 5: b"please-segfault"}
    coded = [gzip.compress(page(n % 2)) + wishes.get(n, b"") for n in range(8)]
    coded[4] = gzip.compress(b"<html>" + bytes(1 << 28))  # a bomb
    bodies = [http_response(body, "200 OK", "text/html", "Content-Encoding: gzip") for body in coded]
    path = archive(
        tmp_path / "a.warc.gz", *(record(body, url=f"http://a.example/{n}") for n, body in enumerate(bodies))
    )
    wishes_of_run: dict[str, Any] = {"imports": ("deadly_decoder",), "bounds": Bounds(seconds=1.0), "learn": False}
    without = clean(tmp_path / "without", path, **wishes_of_run)
    stats = clean(tmp_path / "with", path, dedup=True, **wishes_of_run)
    bad = {"crashed": 2, "timeout": 1, "out_of_memory": 1, "bomb_capped": 1}
    assert without["records"] == {"cleaned": 3, **bad}
    assert stats["records"] == {"cleaned": 2, "duplicate": 1, **bad}
    letters = [row for row in lines(tmp_path / "with" / "dead-letters") if row["outcome"] != "duplicate"]
    assert letters == lines(tmp_path / "without" / "dead-letters")


@pytest.mark.parametrize("form", ["jsonl.zst", "parquet", "wet"])
def test_every_format_is_the_same_with_many_workers(tmp_path: Path, crawl: list[str], form: str) -> None:
    clean(tmp_path / "one", *crawl, format=form)
    clean(tmp_path / "two", *crawl, format=form, beam=THREADS)
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_bad_pages_end_as_dead_letters_in_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(archives.__file__).parent))
    monkeypatch.setattr(extractors, "_by_name", dict(extractors))  # the run imports its extractor here, too
    monkeypatch.delitem(sys.modules, "misbehaving", raising=False)
    wishes = {2: "please-segfault", 4: "please-hang"}
    path = archive(
        tmp_path / "a.warc.gz",
        *(response(f"http://a.example/{n}", page(n, f"<p>{wishes.get(n, '')}</p>")) for n in range(6)),
    )
    stats = clean(
        tmp_path / "out", path, settings=Settings("misbehaving"), imports=("misbehaving",), bounds=Bounds(seconds=1.0)
    )
    assert stats["records"] == {"cleaned": 4, "timeout": 1, "crashed": 1}
    assert stats["failures"] == 2
    assert [row["url"][-1] for row in lines(tmp_path / "out" / "dead-letters")] == ["2", "4"]


class _Forgetful(work.CleanRange):
    """Loses the accounts of one site on the way, as a faulty step would."""

    def process(self, element: Any) -> Any:
        for output in super().process(element):
            if getattr(output, "tag", None) == work.ACCOUNTS and output.value[0] == "b.example":
                continue
            yield output


def test_a_run_whose_accounts_do_not_balance_fails_and_names_nothing(
    tmp_path: Path, crawl: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "CleanRange", _Forgetful)
    out = tmp_path / "out"
    job = prepare(crawl, output=str(out))
    with pytest.raises(AccountsDoNotBalance):
        run(job, ["--direct_num_workers=1", "--direct_running_mode=in_memory"])
    assert "records read" in (out / "unbalanced.json").read_text()
    assert not (out / "_SUCCESS").exists()
    assert not (out / "text").exists()


def test_a_run_whose_folder_was_given_to_another_publishes_nothing(tmp_path: Path, crawl: list[str]) -> None:
    out = tmp_path / "out"
    job = prepare(crawl, output=str(out))
    job = replace(job, claim=take(str(out), job.identity))
    take(str(out), job.identity)  # by a second run, while a cluster still works at the first
    options, _ = pipeline_options(["--direct_num_workers=1", "--direct_running_mode=in_memory"])
    pipeline = beam.Pipeline(options=options)
    graph.build(pipeline, job)
    with pytest.raises(Exception, match="has been taken by a run that was started after this one"):
        pipeline.run()
    assert {path.name for path in out.iterdir()} == {"_temporary"}


def test_a_run_that_is_closed_twice_stays_as_it_is(tmp_path: Path, crawl: list[str]) -> None:
    out = tmp_path / "out"
    stats = clean(out, *crawl)
    before = contents(out)
    job = replace(prepare(crawl, output=str(tmp_path / "other")), output=str(out), claim="of the run that is done")
    assert [again["winnow"] for again in Close(job).process(None, [], Account(), Tally(), [])] == [stats["winnow"]]
    assert contents(out) == before


def test_an_empty_archive_and_one_that_is_none_are_accounted_for(tmp_path: Path) -> None:
    (tmp_path / "empty.warc.gz").write_bytes(b"")
    (tmp_path / "none.warc.gz").write_bytes(b"this is no archive" * 100)
    stats = clean(tmp_path / "out", str(tmp_path / "*.warc.gz"))
    assert stats["records"] == {}
    assert stats["archive"]["lost_bytes"] == 1_800
    assert (tmp_path / "out" / "sites.jsonl").exists() is False


def test_archives_are_read_from_a_server_by_a_manifest(tmp_path: Path) -> None:
    served = tmp_path / "served"
    served.mkdir()
    site(served / "a.warc.gz", 5)
    site(served / "b.warc.gz", 4, "b.example")
    (tmp_path / "crawl.paths").write_text("a.warc.gz\nb.warc.gz\ngone.warc.gz\n", encoding="utf-8")
    handler = partial(_Quiet, directory=str(served))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        base = f"http://127.0.0.1:{server.server_port}"
        stats = clean(tmp_path / "out", str(tmp_path / "crawl.paths"), prefix=base)
        server.shutdown()
    assert stats["records"] == {"cleaned": 9}
    assert stats["archive"]["files"] == 3
    (lost,) = [json.loads(line) for line in (tmp_path / "out" / "losses.jsonl").read_bytes().splitlines()]
    assert lost["file"] == f"{base}/gone.warc.gz"


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Say nothing."""


def test_the_same_page_cleaned_many_times_has_the_same_text(tmp_path: Path) -> None:
    path = archive(tmp_path / "a.warc.gz", *(response(f"http://a.example/{n}", page()) for n in range(8)))
    clean(tmp_path / "out", path)
    assert len({row["sha256"] for row in lines(tmp_path / "out" / "text")}) == 1
    assert len(lines(tmp_path / "out" / "text")) == 8
