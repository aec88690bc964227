"""`winnow clean` as a user runs it: in a process of its own, with real archives, signals and terminals."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import archives
import pytest
from apache_beam.options.pipeline_options import DirectOptions, SetupOptions, StandardOptions
from archives import archive, contents, lines, member, page, response, site

from pipeline.cli import main
from pipeline.command import divide
from pipeline.exceptions import UsageError
from pipeline.exit_codes import ExitCode
from pipeline.job import pipeline_options

PATIENCE = 600  # seconds after which a test that hangs is ended


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pipeline.cli", "clean", *arguments]


def winnow(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(command(*arguments), capture_output=True, check=False, timeout=PATIENCE)


@pytest.fixture
def warc(tmp_path: Path) -> str:
    return site(tmp_path / "a.warc.gz", 6)


def test_an_archive_becomes_text_and_a_table(tmp_path: Path, warc: str) -> None:
    run = winnow(warc, "-o", str(tmp_path / "out"))
    assert run.returncode == ExitCode.OK
    assert all(b" MB read, " in line for line in run.stderr.splitlines())  # progress, on a slow machine
    printed = run.stdout.decode()
    assert "cleaned                            6" in printed
    assert "the accounts balance" in printed
    assert len(lines(tmp_path / "out" / "text")) == 6


def test_machines_get_json_and_nothing_else(tmp_path: Path, warc: str) -> None:
    run = winnow(warc, "-o", str(tmp_path / "out"), "--json")
    stats = json.loads(run.stdout)
    assert stats["records"] == {"cleaned": 6}
    assert stats["output"] == str(tmp_path / "out")
    stored = json.loads((tmp_path / "out" / "stats.json").read_bytes())
    assert {name: stats[name] for name in stored} == stored


def test_quiet_is_silent(tmp_path: Path, warc: str) -> None:
    run = winnow(warc, "-o", str(tmp_path / "out"), "-q")
    assert (run.returncode, run.stdout, run.stderr) == (ExitCode.OK, b"", b"")


def test_the_command_chooses_extractor_format_and_status(tmp_path: Path) -> None:
    path = archive(
        tmp_path / "a.warc.gz",
        response("http://a.example/1", page(1)),
        archives.record(archives.http(page(2), "404 Not Found"), url="http://a.example/2"),
    )
    out = tmp_path / "out"
    options = ("-e", "block", "-p", "threshold=0", "--status", "200,404", "--compression", "none")
    assert winnow(path, "-o", str(out), *options).returncode == ExitCode.OK
    (text,) = (out / "text").iterdir()
    assert text.name == "00000-0000.jsonl"
    rows = [json.loads(line) for line in text.read_bytes().splitlines()]
    assert [row["extractor"] for row in rows] == ["block", "block"]
    assert json.loads((out / "stats.json").read_bytes())["parameters"] == {"threshold": 0}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("missing.warc.gz", "-o", "out"), "missing.warc.gz"),
        (("*.nothing", "-o", "out"), "*.nothing"),
        (("{warc}", "-o", "{full}"), "is not empty"),
        (("{warc}", "-o", "{warc}"), "is a file"),
        (("{warc}", "-o", "{warc}/out"), "cannot write"),
        (("{warc}",), "--output"),
        (("{warc}", "-o", "out", "-e", "cter-km"), "Did you mean 'cetr-km'?"),
        (("{warc}", "-o", "out", "-p", "k=1"), "a whole number from 2 to 20"),
        (("{warc}", "-o", "out", "--status", "2xx"), "status codes are written"),
        (("{warc}", "-o", "out", "--max-failed", "120"), "from 0 to 100"),
        (("{warc}", "-o", "out", "--split-bytes", "many"), "a number of bytes"),
        (("{warc}", "-o", "out", "-f", "wet", "--compression", "gz"), "wet has its own"),
        (("{warc}", "-o", "out", "--extracter", "cetr"), "did you mean --extractor?"),
        (("{warc}", "-o", "out", "--import", "no_such_module"), "no_such_module"),
    ],
)
def test_a_wrong_call_is_answered_before_any_work(  # noqa: PLR0917  fixtures
    tmp_path: Path, warc: str, arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").touch()
    before = set(tmp_path.rglob("*"))
    filled = [argument.format(warc=warc, full=full) for argument in arguments]
    try:
        status = main(["clean", *filled])
    except SystemExit as ended:  # argparse's own way
        status = ended.code
    printed = capsys.readouterr()
    assert status == ExitCode.USAGE
    assert says in printed.err
    assert printed.out == ""
    assert set(tmp_path.rglob("*")) == before


def test_beam_s_options_are_told_from_the_command_s_own() -> None:
    own, beams = divide(
        ["a.warc.gz", "--direct_num_workers", "3", "-o", "out", "--experiments=x", "--runner", "FlinkRunner", "-q"]
    )
    assert own == ["a.warc.gz", "-o", "out", "-q"]
    assert beams == ["--direct_num_workers", "3", "--experiments=x", "--runner", "FlinkRunner"]


def test_a_value_of_beam_s_is_not_taken_for_an_input() -> None:
    own, beams = divide(["--temp_location", "gs://b/t", "a.warc.gz", "-o", "gs://b/out", "--save_main_session"])
    assert own == ["a.warc.gz", "-o", "gs://b/out"]
    assert beams == ["--temp_location", "gs://b/t", "--save_main_session"]


def test_beam_s_options_reach_beam_untouched() -> None:
    options, here = pipeline_options(["--direct_num_workers=7", "--runner=direct", "--requirements_file=r.txt"])
    assert here
    assert options.view_as(DirectOptions).direct_num_workers == 7
    assert options.view_as(SetupOptions).requirements_file == "r.txt"
    flink, here = pipeline_options(["--runner=FlinkRunner", "--flink_master=localhost:1", "--parallelism=4"])
    assert not here
    assert flink.view_as(StandardOptions).runner == "FlinkRunner"
    assert flink.get_all_options()["flink_master"] == "localhost:1"


def test_a_value_that_beam_cannot_read_is_a_wrong_call() -> None:
    with pytest.raises(UsageError, match="direct_num_workers"):
        divide(["a.warc.gz", "-o", "out", "--direct_num_workers", "many"])


def test_a_run_with_beam_s_options_gives_the_same_bytes(tmp_path: Path, warc: str) -> None:
    winnow(warc, "-o", str(tmp_path / "one"), "-q")
    run = winnow(
        "--direct_num_workers", "2", "--direct_running_mode", "multi_processing",
        warc, "-o", str(tmp_path / "two"), "-q",
    )  # fmt: skip
    assert run.returncode == ExitCode.OK, run.stderr.decode()
    assert contents(tmp_path / "one") == contents(tmp_path / "two")


def test_a_damaged_archive_ends_as_partial(tmp_path: Path) -> None:
    damaged = bytearray(member(response("http://a.example/bad", page(5) * 4)))
    damaged[200:208] = b"\xff" * 8
    path = tmp_path / "a.warc.gz"
    path.write_bytes(bytes(damaged) + member(response("http://a.example/after", page(6))))
    run = winnow(str(path), "-o", str(tmp_path / "out"))
    assert run.returncode == ExitCode.PARTIAL
    assert f"{len(damaged):,} bytes could not be read" in run.stderr.decode()
    assert len(lines(tmp_path / "out" / "text")) == 1


@pytest.mark.parametrize(("allowed", "code"), [("9", ExitCode.PARTIAL), ("10", ExitCode.OK)])
def test_failed_pages_count_from_the_share_that_is_allowed(tmp_path: Path, allowed: str, code: ExitCode) -> None:
    broken = archives.record(archives.http(b"\0" * 99, "200 OK", "text/html", "Content-Encoding: lzma"))
    pages = (response(f"http://a.example/{n}", page(n)) for n in range(9))
    run = winnow(archive(tmp_path / "a.warc.gz", broken, *pages), "-o", str(tmp_path / "out"), "--max-failed", allowed)
    assert run.returncode == code
    assert ("1 of 10 pages could not be cleaned" in run.stderr.decode()) is (code == ExitCode.PARTIAL)


@pytest.fixture
def hanging(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[bytes]]:
    """A run that is in the middle of a page that never ends, with other pages already written."""
    monkeypatch.setenv("PYTHONPATH", str(Path(archives.__file__).parent))
    path = archive(
        tmp_path / "a.warc.gz",
        *(response(f"http://a.example/{n}", page(n)) for n in range(600)),
        response("http://a.example/hang", page(99, "<p>please-hang</p>")),
    )
    arguments = (path, "-o", str(tmp_path / "out"), "-e", "misbehaving", "--import", "misbehaving")
    run = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = monotonic() + PATIENCE
    while not _busy_children(run.pid) and monotonic() < deadline:
        sleep(0.1)
    assert _busy_children(run.pid)
    yield run
    with suppress(ProcessLookupError):
        run.kill()
    run.communicate()


def _busy_children(parent: int) -> list[int]:
    """Child processes that clean pages and have used a second of CPU time: they are in the page that hangs."""
    busy = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError, IndexError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            command_line = (folder / "cmdline").read_bytes()
            if int(fields[1]) == parent and b"pipeline.child" in command_line and seconds > 1.5:
                busy.append(int(folder.name))
    return busy


def _ended(processes: list[int]) -> bool:
    deadline = monotonic() + PATIENCE
    while any(Path(f"/proc/{process}").exists() for process in processes) and monotonic() < deadline:
        sleep(0.1)
    return not any(Path(f"/proc/{process}").exists() for process in processes)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_nothing(tmp_path: Path, hanging: subprocess.Popen[bytes], number: int) -> None:
    children = _busy_children(hanging.pid)
    hanging.send_signal(number)
    _, errors = hanging.communicate(timeout=PATIENCE)
    assert hanging.returncode == ExitCode.INTERRUPTED
    assert b"Traceback" not in errors
    assert not (tmp_path / "out").exists()
    assert _ended(children)


def test_a_killed_run_shows_no_half_of_itself_and_can_be_run_again(
    tmp_path: Path, hanging: subprocess.Popen[bytes]
) -> None:
    children = _busy_children(hanging.pid)
    hanging.kill()
    hanging.communicate()
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} <= {"_temporary"}
    assert _ended(children)
    again = winnow(str(tmp_path / "a.warc.gz"), "-o", str(out), "-q")
    assert again.returncode == ExitCode.OK
    assert len(lines(out / "text")) == 601
    assert not (out / "_temporary").exists()


def test_a_terminal_shows_a_bar(tmp_path: Path) -> None:
    path = site(tmp_path / "a.warc.gz", 1_500)
    ours, theirs = pty.openpty()
    run = subprocess.Popen(command(path, "-o", str(tmp_path / "out")), stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    seen = b""
    with suppress(OSError):  # the other end was closed
        while piece := os.read(ours, 1 << 16):
            seen += piece
    printed, _ = run.communicate(timeout=PATIENCE)
    os.close(ours)
    assert run.returncode == ExitCode.OK
    assert b"reading" in seen
    assert b"pages" in seen
    assert b"1,500" in printed


def test_where_there_is_no_terminal_lines_say_how_far_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline import progress, report  # noqa: PLC0415

    monkeypatch.setattr(report, "LINE_SECONDS", 0.05)
    with progress.Reporter(str(tmp_path), "00000-0000") as said, report.watcher(4_000_000, False)(str(tmp_path)):
        said.say(1_000_000, 50)
        sleep(0.3)
    printed = capsys.readouterr().err.splitlines()
    assert any("1.0 of 4.0 MB read, 50 pages" in line for line in printed)
    assert "left" in printed[-1]
