"""The doctor tells what is there from what is not, and says how to get it."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from pipeline import doctor
from pipeline.cli import main
from pipeline.doctor import Finding, Surroundings
from pipeline.exit_codes import ExitCode


def found(runner: str, around: Surroundings) -> dict[str, Finding]:
    return {finding.what: finding for finding in doctor.CHECKS[runner](around)}


def test_the_local_runner_is_ready_where_the_tests_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--runner", "local"]) == ExitCode.OK
    assert capsys.readouterr().out.startswith("local: ready\n")


def test_a_process_that_cannot_start_makes_no_runner_ready(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    assert main(["doctor", "--runner", "local"]) == ExitCode.FAILED
    said = capsys.readouterr().out
    assert said.startswith("local: not ready\n")
    assert "the process that cleans pages cannot start" in said


def test_without_java_it_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not found("flink", Surroundings(home=tmp_path))["Java"].ready
    for said, ready in (("17.0.2", True), ("1.8.0_352", False), ("11.0.1", True)):
        java = tmp_path / "java"
        java.write_text(f"#!/bin/sh\necho 'openjdk version \"{said}\"' >&2\n", encoding="ascii")
        java.chmod(0o755)
        assert found("flink", Surroundings(home=tmp_path))["Java"].ready is ready


def test_a_job_server_is_found_where_beam_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    missing = found("flink", Surroundings(home=tmp_path))["job server"]
    assert not missing.ready
    assert "make flink" in str(missing)
    jars = tmp_path / ".apache_beam" / "cache" / "jars"
    jars.mkdir(parents=True)
    (jars / "beam-runners-flink-1.19-job-server-2.70.0.jar").touch()
    assert found("flink", Surroundings(home=tmp_path))["job server"].ready
    assert not found("flink", Surroundings(jar="/nowhere.jar", home=tmp_path))["job server"].ready


def test_a_cluster_and_a_pool_are_looked_for_where_they_were_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        there = found("flink", Surroundings(master=f"http://{address}", pool=address, home=tmp_path))
    gone = found("flink", Surroundings(master=address, pool="nonsense", home=tmp_path))
    assert there["cluster"].ready
    assert there["worker pool"].ready
    assert not gone["cluster"].ready
    assert not gone["worker pool"].ready
    assert "winnow pool" in gone["worker pool"].remedy


def test_credentials_are_looked_for_and_not_read(tmp_path: Path) -> None:
    key = tmp_path / "key.json"
    around = Surroundings(home=tmp_path, environment={"GOOGLE_APPLICATION_CREDENTIALS": str(key)})
    assert not found("dataflow", around)["credentials"].ready
    key.write_bytes(b"\xff no JSON")
    assert found("dataflow", around)["credentials"].ready


def test_a_runner_that_was_asked_for_and_is_not_ready_is_an_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["doctor", "--runner", "flink", "--json"]) == ExitCode.FAILED
    findings = json.loads(capsys.readouterr().out)["flink"]
    assert {name: findings[0][name] for name in ("what", "ready")} == {"what": "Java", "ready": False}
