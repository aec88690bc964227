"""The pipeline's benchmark: its archives, its measuring, and its arithmetic. What it finds is not for tests."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from bench import contestants
from bench.archive import address, write_parts, write_warc
from bench.datasets import Sample, load
from bench.exceptions import BenchError
from bench.measure import measure
from bench.throughput import (
    DATATROVE,
    LOOP,
    PIPELINE,
    WITH_SITES,
    Failure,
    Inputs,
    Ratio,
    Row,
    main,
    peers,
    ratio_table,
    ratios,
    run,
    steady_rate,
    table,
    texts,
)
from pipeline.warc import Record, read

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="measures by way of /proc")
MB = 1_000_000


def records(file: Path) -> list[Record]:
    with file.open("rb") as stream:
        items = list(read(stream, size=file.stat().st_size))
    assert all(isinstance(item, Record) for item in items)
    return [item for item in items if isinstance(item, Record)]


def test_copies_hold_the_same_pages_under_addresses_of_their_own(tmp_path: Path) -> None:
    samples = load("corpus").samples[:3]
    file = tmp_path / "pages.warc.gz"
    assert write_warc(file, samples, copies=2) == 6
    found = records(file)
    assert [record.block.partition(b"\r\n\r\n")[2] for record in found] == [s.html() for s in samples] * 2
    urls = [record.header("WARC-Target-URI") for record in found]
    assert urls[:3] == [sample.url for sample in samples]
    assert len(set(urls)) == 6
    assert len({record.header("WARC-Record-ID") for record in found}) == 6
    # One member a record, one after the other.
    assert [record.offset for record in found[1:]] == [record.offset + record.length for record in found[:-1]]


def test_another_reader_agrees(tmp_path: Path) -> None:
    sample = load("corpus").samples[0]
    file = tmp_path / "pages.warc.gz"
    write_warc(file, [sample])
    with file.open("rb") as stream:
        record = next(iter(ArchiveIterator(stream)))
        assert record.rec_type == "response"
        assert record.http_headers.get_header("Content-Type") == "text/html"
        assert record.rec_headers.get_header("WARC-Date")
        assert record.content_stream().read() == sample.html()


def test_pages_without_an_address_get_one() -> None:
    nameless = Sample("x", lambda: b"")
    addresses = {address(nameless, place, copy) for place in range(2) for copy in range(2)}
    assert len(addresses) == 4
    assert address(Sample("x", lambda: b"", url="http://a/?q=1"), 0, 2) == "http://a/?q=1&copy=2"
    assert address(Sample("x", lambda: b"", url="http://a/b c\r\n"), 0, 0) == "http://a/bc"


def test_parts_hold_every_page_once(tmp_path: Path) -> None:
    samples = load("corpus").samples[:5]
    assert write_parts(tmp_path / "parts", samples, 2) == 5
    files = sorted((tmp_path / "parts").iterdir())
    urls = [record.header("WARC-Target-URI") for file in files for record in records(file)]
    assert len(files) == 2
    assert sorted(map(str, urls)) == sorted(str(sample.url) for sample in samples)


BURN = """
import sys, time
held = bytearray({size})
while time.process_time() < {seconds}:
    pass
time.sleep(0.5)
"""


def burning(seconds: float, size: int) -> list[str]:
    return [sys.executable, "-c", BURN.format(seconds=seconds, size=size)]


@linux
def test_the_cost_of_a_command_is_that_of_all_its_processes() -> None:
    inner = burning(0.5, 60 * MB)
    outer = f"import subprocess\nchildren = [subprocess.Popen({inner!r}) for _ in range(2)]\n"
    used = measure([sys.executable, "-c", outer + "[child.wait() for child in children]"])
    assert used.status == 0
    assert used.cpu >= 1
    assert used.wall >= 0.5
    assert used.peak >= 120 * MB  # both at once


@linux
def test_a_process_that_nobody_waits_for_counts_too() -> None:
    orphan = f"import subprocess\nsubprocess.Popen({burning(0.5, MB)!r})"
    assert measure([sys.executable, "-c", orphan]).cpu >= 0.5


@linux
def test_memory_that_processes_share_counts_once() -> None:
    forking = (
        "import os, time\nheld = b'x' * 100_000_000\n"
        "if os.fork():\n    os.wait()\nelse:\n    time.sleep(1)\n    os._exit(0)"
    )
    assert 100 * MB <= measure([sys.executable, "-c", forking]).peak < 180 * MB


@linux
def test_a_command_that_fails_is_no_measurement_and_says_why() -> None:
    used = measure([sys.executable, "-c", "import sys; sys.exit('no such thing')"])
    assert (used.status, used.complaint) == (1, "no such thing")
    with pytest.raises(BenchError, match="cannot run"):
        measure(["/nowhere/at/all"])


@linux
def test_a_command_that_takes_all_memory_is_ended_before_the_machine_is() -> None:
    greedy = "import time\nheld = []\nwhile True:\n    held.append(b'x' * 100_000_000)\n    time.sleep(0.02)"
    launcher = "import sys, bench.measure as m\nm.CEILING = 300_000_000\nsys.exit(m.main())"
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "usage.json")
        subprocess.run([sys.executable, "-c", launcher, str(report), sys.executable, "-c", greedy], check=True)
        used = json.loads(report.read_text())
    assert used["status"] == -signal.SIGKILL
    assert used["complaint"].startswith("ended at ")


@linux
def test_the_environment_reaches_the_command() -> None:
    asks = [sys.executable, "-c", "import os, sys; sys.exit(os.environ['WINNOW_TEST'])"]
    assert measure(asks, {"WINNOW_TEST": "as told"}).complaint == "as told"


def row(name: str, label: str, workers: int = 1, **values: float) -> Row:
    base = Row(name, label, workers, pages=100, texts=90, cpu=10.0, wall=10.0, peak=100 * MB)
    return replace(base, **values)  # type: ignore[arg-type]


ROWS = [
    row(LOOP, "once"),
    row(LOOP, "10x", pages=1000, cpu=100.0),
    row(PIPELINE, "once"),
    row(PIPELINE, "10x", pages=1000, cpu=120.0, wall=100.0, peak=140 * MB),
    row(PIPELINE, "10x", 2, pages=1000, cpu=130.0, wall=50.0),
    row(DATATROVE, "start", pages=2, wall=1.0),
    row(DATATROVE, "part", pages=102, wall=101.0),
    row(DATATROVE, "start", 2, pages=2, wall=1.0),
    row(DATATROVE, "part", 2, pages=102, wall=11.0),
]


def test_ratios_are_taken_where_the_start_weighs_least() -> None:
    values = [(ratio.value, ratio.goal, ratio.is_met) for ratio in ratios(ROWS, 10, 2)]
    assert values == [
        (pytest.approx(1.2), 1.35, True),
        (pytest.approx(1.4), 1.3, False),
        (pytest.approx(2), 1.6, True),
        (pytest.approx(10), 10, True),  # 10 pages a second to 1
        (pytest.approx(2), 10, False),  # 20 to 10
    ]


def test_without_datatrove_the_other_ratios_stand() -> None:
    assert ratios(ROWS[:5], 10, 2) == ratios(ROWS, 10, 2)[:3]


def test_one_core_is_not_compared_with_itself() -> None:
    names = [ratio.name for ratio in ratios([each for each in ROWS if each.workers == 1], 10, 1)]
    assert len(names) == 3
    assert not any("wall" in name for name in names)


def test_the_start_of_a_peer_is_not_held_against_it() -> None:
    start, part = ROWS[5:7]
    assert steady_rate(start, part) == pytest.approx(1)
    # Too small an input to tell them apart.
    assert steady_rate(part, part) == part.rate


def test_the_table_has_every_contestant_and_every_goal() -> None:
    lines = table(ROWS).splitlines()
    assert len(lines) == 1 + len(ROWS)
    assert all(line.startswith(each.label) for line, each in zip(lines[1:], ROWS, strict=True))
    assert len({len(line) for line in lines}) == 1
    text = ratio_table([Ratio("a", 1.0, 1.35, at_most=True), Ratio("b", 1.0, 1.6, at_most=False)])
    assert "at most 1.35     met" in text
    assert "at least 1.6  missed" in text


@linux
def test_the_command_measures_every_contestant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contestants, "missing", lambda: ["datatrove", "orjson"])
    file = tmp_path / "deep" / "pipeline.json"
    assert main(["corpus", "--pages", "3", "--copies", "2", "--json", str(file)]) == 0
    found = json.loads(file.read_text())
    ours = [row for row in found["rows"] if row["name"] != DATATROVE]
    assert [(row["name"], row["input"], row["pages"]) for row in ours] == [
        (LOOP, "once", 3),
        (LOOP, "2x", 6),
        (PIPELINE, "once", 3),
        (PIPELINE, "2x", 6),
        (PIPELINE, "2x", 6),
        (WITH_SITES, "once", 3),
    ]
    assert all(row["texts"] == row["pages"] for row in ours)
    assert all(row["cpu"] > 0 and row["wall"] > 0 and row["peak"] > 10 * MB for row in ours)
    assert len(found["rows"]) == len(ours)
    said = capsys.readouterr().out
    assert f"{DATATROVE}: not installed here: datatrove, orjson (winnow[bench] has them)" in said
    assert [failure["name"] for failure in found["left_out"]] == [DATATROVE]


def inputs(folder: Path) -> Inputs:
    samples = load("corpus").samples[:2]
    write_parts(folder / "part", samples, 1)
    write_parts(folder / "first", samples[:1], 1)
    return Inputs(folder, 2, 1, folder, folder / "part", 2, folder / "first", 1)


@linux
def test_datatrove_reads_the_same_archives(tmp_path: Path) -> None:
    if absent := contestants.missing():
        pytest.skip(f"not installed: {', '.join(absent)}")
    started, part = peers(inputs(tmp_path), tmp_path)
    assert isinstance(started, Row)
    assert isinstance(part, Row)
    assert (started.pages, part.pages) == (1, 2)
    assert part.texts == 2


@linux
def test_a_contestant_that_fails_is_named_and_costs_nobody_else_their_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ("bench.contestants", "loop", str(tmp_path / "no.warc.gz"), str(tmp_path / "output"))
    failure = run(PIPELINE, "10x", broken, tmp_path, workers=2, pages=1)
    assert isinstance(failure, Failure)
    assert "10x, workers: 2: exit status 1" in failure.why
    assert "No such file" in failure.why

    monkeypatch.setattr("bench.throughput.own", lambda *_: iter([*ROWS[:4], failure]))
    monkeypatch.setattr("bench.throughput.os.cpu_count", lambda: 2)
    monkeypatch.setattr(contestants, "missing", lambda: ["datatrove"])
    assert main(["corpus", "--pages", "2"]) == 1
    said = capsys.readouterr().out
    assert all(each.label in said for each in ROWS[:4])
    assert failure.why in said
    assert "CPU time, one worker to the bare loop" in said
    assert "wall time" not in said


def test_only_documents_with_text_count(tmp_path: Path) -> None:
    warc = tmp_path / "pages.warc.gz"
    write_warc(warc, [load("corpus").samples[0], Sample("empty", lambda: b"<html><body></body></html>")])
    contestants.loop(str(warc), str(tmp_path / "output"))
    assert texts(tmp_path / "output") == 1


def test_a_wrong_call_says_what_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nowhere")]) == 2
    assert "there is no folder or file" in capsys.readouterr().err
    for option in ("--copies", "--pages", "--peer-pages"):
        assert main(["corpus", option, "0"]) == 2
        assert f"{option} 0: at least one is needed" in capsys.readouterr().err
