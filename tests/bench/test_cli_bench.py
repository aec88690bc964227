"""`winnow bench` as a user runs it: in a process of its own, in a folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from lxml import etree

from bench import peers
from bench.metrics import METRICS
from bench.table import HEADINGS
from pipeline.exit_codes import ExitCode
from transforms import extractors

if TYPE_CHECKING:
    from pathlib import Path

CACHE = ".winnow-bench.sqlite"
FAST = ("--limit", "2", "-e", "baseline,lqf")


def bench(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pipeline.cli", "bench", *arguments],
        cwd=folder, env=os.environ | environment, capture_output=True, encoding="utf-8", check=False, timeout=600,
    )  # fmt: skip


def test_without_options_all_extractors_are_measured_on_the_shipped_corpus(tmp_path: Path) -> None:
    run = bench(tmp_path)
    assert (run.returncode, run.stderr) == (ExitCode.OK, "")
    title, blank, heading, *rows = run.stdout.splitlines()
    assert (title, blank) == ("30 pages of corpus", "")
    assert heading.split() == " ".join(HEADINGS).split()
    assert {row.split()[0] for row in rows} == set(extractors)
    f1 = [float(row.split()[4]) for row in rows]
    assert f1 == sorted(f1, reverse=True)
    assert f1[0] > 0.7
    assert (tmp_path / CACHE).is_file()


def test_a_second_run_takes_its_figures_from_the_cache(tmp_path: Path) -> None:
    first = bench(tmp_path, *FAST, "--cache", "deep/results.sqlite")
    # Times differ from run to run, unless they are remembered.
    assert bench(tmp_path, *FAST, "--cache", "deep/results.sqlite").stdout == first.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]


def test_no_cache_writes_none(tmp_path: Path) -> None:
    run = bench(tmp_path, *FAST, "--no-cache")
    assert run.returncode == ExitCode.OK
    assert list(tmp_path.iterdir()) == []


def test_json_has_groups_metrics_and_parameters(tmp_path: Path) -> None:
    run = bench(
        tmp_path, "-f", "json", "--by", "type", "--limit", "10", "-m", "bow,edr,bow",
        "-e", "cetr-tm:threshold=0.5,sigma=1,baseline",
    )  # fmt: skip
    record = json.loads(run.stdout)
    assert (record["dataset"], record["pages"]) == ("corpus", 10)
    assert [entry["name"] for entry in record["contestants"]] == ["cetr-tm:threshold=0.5,sigma=1", "baseline"]
    assert [list(entry["metrics"]) for entry in record["contestants"]] == [["bow", "edr"]] * 2
    assert "article" in record["contestants"][0]["by_type"]


def test_markdown_by_type_is_two_tables(tmp_path: Path) -> None:
    run = bench(tmp_path, *FAST, "-f", "markdown", "--by", "type", "-m", "bow,bow")
    lines = run.stdout.splitlines()
    assert lines[0] == "2 pages of corpus"
    # A metric that is named twice is shown once.
    assert sum(line.startswith("| lqf | bow |") for line in lines) == 1
    assert "bow F1 by type" in lines
    assert sum(line.startswith("| --- |") for line in lines) == 2
    assert any(line.startswith("| extractor | ") and line.endswith("mean of 2 |") for line in lines)


def test_a_data_set_of_ones_own_is_measured_by_site_and_reported(tmp_path: Path) -> None:
    folder = tmp_path / "sites"
    folder.mkdir()
    for site in ("forum", "wiki"):
        entry = {"url": f"https://{site}.example/", "html": f"<p>All about the {site}</p>", "gold": f"about {site}"}
        (folder / f"{site}.jsonl").write_text(json.dumps(entry))
    run = bench(tmp_path, "--data", str(tmp_path), "sites", "-e", "baseline", "--by", "site", "--html", "out/r.html")
    assert run.returncode == ExitCode.OK
    assert run.stdout.startswith("2 pages of sites\n")
    assert [line.split() for line in run.stdout.splitlines()][-1] == ["pages", "1", "1"]
    assert run.stderr == "\nwritten to out/r.html\n"
    root = etree.fromstring((tmp_path / "out" / "r.html").read_bytes(), etree.HTMLParser())
    assert root.findtext(".//h1") == "sites: 2 pages"
    # The folder alone is a name too.
    assert bench(tmp_path, "--data", "sites", "-e", "baseline", "-q").stdout.startswith("2 pages of sites\n")


def test_installed_peers_run_beside_the_extractors(tmp_path: Path) -> None:
    run = bench(tmp_path, "--limit", "1", "-e", "baseline", "--peer", "all", "-f", "json")
    names = [entry["name"] for entry in json.loads(run.stdout)["contestants"]]
    assert names == ["baseline", *peers.installed()]
    missing = [name for name in peers.PEERS if name not in peers.installed()]
    assert all(name in run.stderr for name in missing)
    assert ("pip install 'winnow[bench]'" in run.stderr) == bool(missing)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("wcxb",), ["there is no folder or file wcxb", "notes.txt", "`corpus`"]),
        (("--data", ".", "wcxb"), ["there is no folder or file wcxb", "notes.txt"]),
        (("notes.txt",), ["none of the layouts", "WCXB: ", "CleanEval: "]),
        (("-m", "bleu"), ["there is no metric 'bleu'", *METRICS]),
        (("-e", "baseline,cter"), ["there is no extractor 'cter'", *extractors]),
        (("-e", "cetr-tm:treshold=1"), ["no parameter 'treshold'", "threshold=1"]),
        (("--peer", "firefox"), ["there is no peer 'firefox'", *peers.PEERS]),
        (("--limit", "0"), ["at least one page"]),
        (("-e", ","), ["nothing to measure"]),
        (("--cache", "notes.txt"), ["notes.txt is no cache of results"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_wrong_call_says_what_is_right(tmp_path: Path, arguments: tuple[str, ...], says: list[str]) -> None:
    (tmp_path / "notes.txt").write_text("no data set, no cache " * 100)
    run = bench(tmp_path, *arguments)
    assert (run.returncode, run.stdout) == (ExitCode.USAGE, "")
    assert run.stderr.startswith("winnow: ")
    for part in says:
        assert part in run.stderr


def test_a_report_that_cannot_be_written_is_no_crash(tmp_path: Path) -> None:
    run = bench(tmp_path, *FAST, "--html", ".")
    assert run.returncode == ExitCode.USAGE
    assert run.stderr.startswith("winnow: cannot write .: ")
