"""The local runner: what its threads and processes say to each other arrives whole, and it ends when it has ended."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import DirectOptions
from apache_beam.runners.portability.fn_api_runner.fn_runner import BundleManager
from apache_beam.runners.portability.fn_api_runner.worker_handlers import EmbeddedWorkerHandler
from apache_beam.runners.worker import data_plane
from apache_beam.testing.util import assert_that, equal_to
from streams import lost, streams_here, written_for_a_while

from pipeline.exceptions import UsageError
from pipeline.job import pipeline_options
from pipeline.local import NAME

MODES = ("in_memory", "multi_threading", "multi_processing")
# Beam's own runner, by the name that it has as a module.
BEAMS = "apache_beam.runners.portability.fn_api_runner.FnApiRunner"
WRITERS = 2


def options(mode: str, *more: str, runner: str = "local") -> Any:
    return pipeline_options(
        [f"--runner={runner}", f"--direct_running_mode={mode}", f"--direct_num_workers={WRITERS}", *more]
    )[0]


@pytest.mark.parametrize(("runner", "mode"), [*(("local", mode) for mode in MODES), (BEAMS, "multi_threading")])
def test_no_stream_is_flushed_by_the_clock(runner: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[data_plane.ClosableOutputStream] = []
    create = data_plane.ClosableOutputStream.create

    def noted(*arguments: Any) -> data_plane.ClosableOutputStream:
        made.append(create(*arguments))
        return made[-1]

    monkeypatch.setattr(data_plane.ClosableOutputStream, "create", staticmethod(noted))
    with beam.Pipeline(options=options(mode, runner=runner)) as pipeline:
        kinds = pipeline | beam.Create(range(4)) | beam.Reshuffle() | beam.FlatMap(streams_here) | beam.Distinct()
        assert_that(kinds, equal_to([data_plane.SizeBasedBufferingClosableOutputStream.__name__]))
    assert {type(stream) for stream in made} == {data_plane.SizeBasedBufferingClosableOutputStream}


@pytest.mark.parametrize("mode", MODES)
def test_all_that_is_written_for_seconds_arrives(mode: str) -> None:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    try:
        with beam.Pipeline(options=options(mode)) as pipeline:
            written = pipeline | beam.Create(range(WRITERS)) | beam.Reshuffle() | beam.FlatMap(written_for_a_while)
            arrived = written | beam.GroupByKey() | beam.MapTuple(lost)
            assert_that(arrived, equal_to([0] * WRITERS))
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.parametrize(
    "asked",
    [
        ["--experiments=data_buffer_time_limit_ms=1000"],
        ["--experiments", "use_runner_v2,data_buffer_time_limit_ms=0", "--runner=DataflowRunner"],
        ["--runner=FlinkRunner", '--environment_config={"data_buffer_time_limit_ms": 500}'],
    ],
)
def test_nobody_switches_the_clock_on_again(asked: list[str]) -> None:
    with pytest.raises(UsageError, match="data_buffer_time_limit_ms makes Beam lose data"):
        pipeline_options(asked)


@pytest.mark.parametrize("bad", [0, 1])
def test_one_thread_fails_and_the_run_ends_when_the_others_have(tmp_path: Path, bad: int) -> None:
    ended = tmp_path / "ended"

    def work(number: int) -> None:
        if number == bad:
            time.sleep(0.2)
            raise ValueError("as asked")
        time.sleep(1.5)
        ended.touch()

    pipeline = beam.Pipeline(options=options("in_memory"))
    _ = pipeline | beam.Create([0, 1]) | beam.Reshuffle() | beam.Map(work)
    with pytest.raises(ValueError, match="as asked"):
        pipeline.run()
    assert ended.exists()


def test_options_are_left_as_they_were() -> None:
    given = options("multi_processing")
    with beam.Pipeline(options=given) as pipeline:
        _ = pipeline | beam.Create([1])
    assert given.view_as(DirectOptions).direct_running_mode == "multi_processing"
    assert given.get_all_options()["runner"] == NAME


def test_parts_of_a_bundle_never_meet_in_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beam deals parts out by the numbers of bundles, and another pipeline of the process takes every second one."""
    used: dict[str, set[EmbeddedWorkerHandler]] = {}
    push = EmbeddedWorkerHandler.push

    def noted(worker: EmbeddedWorkerHandler, request: Any) -> Any:
        used.setdefault(request.process_bundle.process_bundle_descriptor_id, set()).add(worker)
        return push(worker, request)

    class Numbers:
        def __enter__(self) -> None:
            BundleManager._uid_counter += 1

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(EmbeddedWorkerHandler, "push", noted)
    monkeypatch.setattr(BundleManager, "_lock", Numbers())
    with beam.Pipeline(options=options("in_memory")) as pipeline:
        _ = pipeline | beam.Create(range(9)) | beam.Reshuffle() | beam.Map(str)
    assert {len(workers) for workers in used.values()} == {WRITERS}
