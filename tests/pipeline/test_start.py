"""No code but Winnow's own runs, wherever the command is given; and where its processes cannot start, it says so."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import hostile
import pytest
from archives import contents, site
from crawls import CONTACT, page, web

from bench.flink import children, eventually, free_port
from bench.web.server import LOOPBACK
from pipeline import cli
from pipeline.exit_codes import ExitCode
from pipeline.start import python

WINNOW = str(Path(sys.executable).parent / "winnow")
PATIENCE = 600
RIGHT = "the right module"
# A module of a user's own that the command can import, and the process that cleans cannot.
ONLY_HERE = "import sys\nif sys.argv[0] == '-c': {fault}\n"

# Where the command is given, and what the environment says; -E is how Python is told not to listen to that.
BESIDE, ON_PATH = SURROUNDINGS = ("in the current folder", "in PYTHONPATH")


@pytest.fixture(params=SURROUNDINGS)
def surroundings(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, list[str], dict[str, str]]:
    """The hostile folder, how to call the command, and the environment."""
    folder = hostile.make(tmp_path / "hostile")
    if request.param == BESIDE:
        return folder, [WINNOW], dict(os.environ)
    return folder, [sys.executable, "-E", WINNOW], {**os.environ, "PYTHONPATH": str(folder)}


@contextmanager
def pool(*command: str, **how: object) -> Iterator[int]:
    """A worker pool that listens on the port."""
    port = free_port()
    process = subprocess.Popen([*command, "pool", f"--port={port}"], **how)  # type: ignore[call-overload]
    try:
        eventually("the pool", lambda: _listens(port) or process.poll() is not None)
        yield port
        workers = children(process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
    assert not [worker for worker in workers if Path(f"/proc/{worker}/exe").exists()]


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def by_pool(port: int) -> tuple[str, ...]:
    """Beam's options for a run without a cluster by workers of the pool."""
    return (
        "--runner=PortableRunner", "--job_endpoint=embed", "--environment_type=EXTERNAL",
        f"--environment_config=127.0.0.1:{port}",
    )  # fmt: skip


@pytest.mark.parametrize("mode", ["in_memory", "multi_processing"])
def test_cleaning_runs_nothing_that_lies_about(
    tmp_path: Path, surroundings: tuple[Path, list[str], dict[str, str]], mode: str
) -> None:
    folder, command, environment = surroundings
    own = ["clean", site(tmp_path / "a.warc.gz", 12), "-q", f"--direct_running_mode={mode}"]
    done = subprocess.run(
        [*command, *own, "-o", str(tmp_path / "out")], cwd=folder, env=environment, check=False, timeout=PATIENCE
    )
    assert hostile.ran(folder) == []
    assert done.returncode == ExitCode.OK
    assert cli.main([*own, "-o", str(tmp_path / "right")]) == ExitCode.OK
    assert contents(tmp_path / "out") == contents(tmp_path / "right")


def test_a_pool_and_its_workers_run_nothing_that_lies_about(
    tmp_path: Path, surroundings: tuple[Path, list[str], dict[str, str]]
) -> None:
    folder, command, environment = surroundings
    own = ["clean", site(tmp_path / "a.warc.gz", 12), "-q"]
    with pool(*command, cwd=folder, env=environment) as port:
        done = subprocess.run(
            [*command, *own, "-o", str(tmp_path / "out"), *by_pool(port)],
            cwd=folder, env=environment, check=False, timeout=PATIENCE,
        )  # fmt: skip
        assert hostile.ran(folder) == []
        assert done.returncode == ExitCode.OK
    assert cli.main([*own, "-o", str(tmp_path / "right")]) == ExitCode.OK
    assert contents(tmp_path / "out") == contents(tmp_path / "right")


def test_crawling_runs_nothing_that_lies_about(
    tmp_path: Path, surroundings: tuple[Path, list[str], dict[str, str]]
) -> None:
    folder, command, environment = surroundings
    with web({"a.example/": page("front", "/1"), "a.example/1": page("one")}) as made:
        own = ["crawl", "http://a.example/", "-o", str(tmp_path / "crawl"), "--contact", CONTACT, "--delay=0", "-q"]
        elsewhere = ["--allow-private", "--connect-to", f"*={LOOPBACK}:{made.port}"]
        done = subprocess.run([*command, *own, *elsewhere], cwd=folder, env=environment, check=False, timeout=PATIENCE)
    assert hostile.ran(folder) == []
    assert done.returncode == ExitCode.OK
    assert made.targets()["/1"] == 1


@pytest.mark.parametrize("mode", ["in_memory", "multi_processing"])
def test_a_module_that_the_user_names_is_found(tmp_path: Path, mode: str) -> None:
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "helper_of_mine.py").write_text(f"SAYS = {RIGHT!r}\n")
    (modules / "extractor_of_mine.py").write_text(
        "import sys, helper_of_mine\nopen(__file__ + '.ran', 'a').write(helper_of_mine.SAYS)\n"
    )
    (modules / "json.py").write_text("raise SystemExit('not this one')\n")  # beside it, and not meant
    command = [*["-E", "-c"], "import sys; sys.path.append(sys.argv.pop(1)); from pipeline.cli import main; main()"]
    own = ["clean", site(tmp_path / "a.warc.gz", 3), "-o", str(tmp_path / "out"), "-q", "--import=extractor_of_mine"]
    environment = {**os.environ, "PYTHONPATH": ""}
    done = subprocess.run(
        [sys.executable, *command, str(modules), *own, f"--direct_running_mode={mode}", "--direct_num_workers=1"],
        env=environment, cwd=tmp_path, check=False, timeout=PATIENCE,
    )  # fmt: skip
    assert done.returncode == 0
    assert (tmp_path / "out" / "_SUCCESS").exists()
    times = (modules / "extractor_of_mine.py.ran").read_text()
    assert times.startswith(RIGHT * 2)  # here, and in each process that cleans


def test_what_is_started_finds_the_packages_of_who_starts_it(tmp_path: Path) -> None:
    hostile.make(tmp_path)
    code = "import json, pipeline.child, transforms; print(json.__file__, pipeline.child.__file__, sys.argv[1:])"
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:"}
    said = subprocess.run(python(code, "a b", "'"), cwd=tmp_path, env=environment, capture_output=True, check=True)
    import json  # noqa: PLC0415

    from pipeline import child  # noqa: PLC0415

    assert said.stdout.decode() == f"{json.__file__} {child.__file__} {['a b', chr(39)]}\n"
    assert hostile.ran(tmp_path) == []


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("raise OSError('no such model')", "OSError: no such model"),
        ("import os; os._exit(7)", "status 7 before it was"),
    ],
)
@pytest.mark.parametrize("mode", ["in_memory", "multi_processing", "pool"])
def test_a_run_whose_processes_cannot_start_fails_with_a_status_of_its_own(
    tmp_path: Path, fault: str, says: str, mode: str
) -> None:
    modules = tmp_path / "modules"
    modules.mkdir()
    (modules / "only_here.py").write_text(ONLY_HERE.format(fault=fault))
    environment = {**os.environ, "PYTHONPATH": str(modules)}
    out = tmp_path / "out"
    own = ["clean", site(tmp_path / "a.warc.gz", 3), "-o", str(out), "-q", "--import=only_here"]

    def run(*more: str) -> None:
        done = subprocess.run(
            [WINNOW, *own, *more], env=environment, capture_output=True, text=True, check=False, timeout=PATIENCE
        )
        assert done.returncode == ExitCode.CANNOT_START, done.stderr
        complaint = done.stderr.strip().splitlines()[-1]
        assert complaint.startswith("winnow: the process that cleans pages cannot start: ")
        assert says in complaint
        assert "while running" not in complaint
        assert contents(out) == {}

    if mode == "pool":
        with pool(WINNOW, env=environment) as port:
            run(*by_pool(port))
    else:
        run(f"--direct_running_mode={mode}")


def test_learning_where_processes_cannot_start_fails_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.executable", str(tmp_path / "gone"))
    made = tmp_path / "templates.jsonl.gz"
    arguments = ["templates", "learn", site(tmp_path / "a.warc.gz", 3), "-o", str(made)]
    assert cli.main(arguments) == ExitCode.CANNOT_START
    assert "the process that cleans pages cannot start" in capsys.readouterr().err
    assert not made.exists()
