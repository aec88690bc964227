"""The runner for one machine: Beam's own, without its download of another one, and with options for its workers.

Its workers are threads of this process, to which data goes through memory; with --direct_running_mode=multi_processing
they are processes, to which it goes through gRPC. See docs/scaling.md for why.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from typing import Any

from apache_beam.metrics.monitoring_infos import consolidate
from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions
from apache_beam.pipeline import Pipeline
from apache_beam.portability.api import beam_fn_api_pb2, beam_provision_api_pb2
from apache_beam.runners.portability.fn_api_runner import worker_handlers
from apache_beam.runners.portability.fn_api_runner.fn_runner import (
    BundleManager,
    ExtendedProvisionInfo,
    FnApiRunner,
    ParallelBundleManager,
)
from apache_beam.runners.portability.fn_api_runner.worker_handlers import EmbeddedWorkerHandler
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from pipeline.start import python

# Beam flushes its streams by a second thread while they are written to, and loses what is written meanwhile
# (docs/upstream/beam-timed-flush.md). With 0 a stream is flushed by who writes to it; no option of Beam's says so.
worker_handlers.DATA_BUFFER_TIME_LIMIT_MS = 0
# The option with which a user, or a launcher, would switch that on again for workers.
TIMED_FLUSH = "data_buffer_time_limit_ms"
PROCESSES = "multi_processing"
_WORKER = "from apache_beam.runners.worker.sdk_worker_main import main; main(sys.argv)"

NAME = f"{__name__}.LocalRunner"
# Names that people give to it. Beam's DirectRunner would look for another runner on the network at every start.
ALIASES = frozenset({"local", "localrunner", "direct", "directrunner", "fnapirunner", NAME.lower()})


class LocalRunner(FnApiRunner):  # type: ignore[misc]
    """Runs a pipeline on this machine, in threads or processes of its own."""

    def run_pipeline(self, pipeline: Pipeline, options: PipelineOptions) -> Any:
        """Run it; returns when it is done."""
        # Plain FnApiRunner gives worker processes no options at all.
        info = beam_provision_api_pb2.ProvisionInfo(pipeline_options=_written(options))
        self._provision_info = ExtendedProvisionInfo(info)
        with _mode_taken(options.view_as(DirectOptions)) as mode:
            if mode == PROCESSES:
                command = shlex.join(python(_WORKER))
                self._default_environment = SubprocessSDKEnvironment.from_command_string(command)
            return super().run_pipeline(pipeline, options)

    def _get_bundle_manager(self, bundle_context_manager: Any) -> Any:
        """Beam's; where it would deal bundles out to workers that share a process, ours."""
        manager = super()._get_bundle_manager(bundle_context_manager)
        here = all(isinstance(worker, EmbeddedWorkerHandler) for worker in bundle_context_manager.worker_handlers)
        return _Threads(manager) if here and isinstance(manager, ParallelBundleManager) else manager


class _Threads(BundleManager):  # type: ignore[misc]
    """Runs a bundle in parts, one for each worker, in threads that have all ended when it has, well or not.

    Beam deals the parts out by a number that all pipelines of a process share. So two parts may meet in one worker, and
    its channel keeps what it holds in a list that is nobody's alone.
    """

    def __init__(self, manager: BundleManager) -> None:
        super().__init__(manager.bundle_context_manager, manager._progress_frequency, manager._cache_token_generator)

    def process_bundle(
        self, inputs: Any, expected_outputs: Any, fired_timers: Any, expected_output_timers: Any, dry_run: bool = False
    ) -> Any:
        """All of it."""
        context = self.bundle_context_manager
        workers = context.worker_handlers
        parts: list[dict[str, Any]] = [{} for _ in workers]
        for name, elements in inputs.items():
            for part, share in zip(parts, elements.partition(len(workers)), strict=True):
                part[name] = share
        timers = [fired_timers, *({} for _ in workers[1:])]

        def run(worker: Any, part: dict[str, Any], fired: Any) -> Any:
            alone = BundleManager(_Alone(context, worker), self._progress_frequency, self._cache_token_generator)
            return alone.process_bundle(part, expected_outputs, fired, expected_output_timers, dry_run)

        with ThreadPoolExecutor(len(workers)) as threads:
            futures = [threads.submit(run, *each) for each in zip(workers, parts, timers, strict=True)]
            done = [future.result() for future in futures]
        infos = consolidate(chain.from_iterable(result.process_bundle.monitoring_infos for result, _ in done))
        answer = beam_fn_api_pb2.ProcessBundleResponse(monitoring_infos=infos)
        splits = list(chain.from_iterable(splits for _, splits in done))
        return beam_fn_api_pb2.InstructionResponse(process_bundle=answer), splits


class _Alone:
    """What a bundle knows of its stage, with one worker."""

    def __init__(self, context: Any, worker: Any) -> None:
        self._context, self.worker_handlers = context, [worker]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)


@contextmanager
def _mode_taken(direct: Any) -> Iterator[str | None]:
    """The running mode, which Beam does not see: it would choose streams and a command line of its own for it."""
    mode, direct.direct_running_mode = direct.direct_running_mode, None
    try:
        yield mode
    finally:
        direct.direct_running_mode = mode


def _written(options: PipelineOptions) -> Any:
    """The options as a worker process can read them: a number would arrive there as 2.0, which no option takes.

    A worker that cannot read its options dies before it has said a word, and the runner waits for it for ever.
    """
    written = options.to_runner_api()
    for name, value in list(written.items()):
        if isinstance(value, float):
            written[name] = f"{value:g}" if not value.is_integer() else str(int(value))
    return written


def all_cores(options: PipelineOptions, given: set[str]) -> None:
    """Use every core unless the caller says otherwise.

    Threads are enough: pages are cleaned by child processes, one for each thread, so that nothing waits for Python.
    """
    direct = options.view_as(DirectOptions)
    if "direct_num_workers" not in given:
        direct.direct_num_workers = 0
