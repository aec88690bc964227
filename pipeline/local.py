"""The runner for one machine: Beam's own, without its download of another one, and with options for its workers.

Its workers are threads of this process, to which data goes through memory; with --direct_running_mode=multi_processing
they are processes, to which it goes through gRPC. See docs/scaling.md for why.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions
from apache_beam.pipeline import Pipeline
from apache_beam.portability.api import beam_provision_api_pb2
from apache_beam.runners.portability.fn_api_runner import worker_handlers
from apache_beam.runners.portability.fn_api_runner.fn_runner import ExtendedProvisionInfo, FnApiRunner
from apache_beam.transforms.environments import SubprocessSDKEnvironment

from pipeline.start import python

# Beam flushes its streams by a second thread while they are written to, and loses what is written meanwhile
# (docs/upstream/beam-timed-flush.md). With 0 a stream is flushed by who writes to it; no option of Beam's says so.
worker_handlers.DATA_BUFFER_TIME_LIMIT_MS = 0
# The option with which a user, or a launcher, would switch that on again for workers.
TIMED_FLUSH = "data_buffer_time_limit_ms"
PROCESSES = "multi_processing"
_WORKER = "from apache_beam.runners.worker.sdk_worker_main import main; main(sys.argv)"
# How often is looked whether threads have ended, when one of them has failed.
LOOK_SECONDS = 0.05

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

    def _execute_bundle(self, context: Any, bundle: Any, given: Any) -> Any:
        """As Beam's; when it has failed in one thread, it has ended in all before that is told."""
        try:
            return super()._execute_bundle(context, bundle, given)
        except BaseException:
            time.sleep(LOOK_SECONDS)
            while any(map(_is_at_work, bundle.worker_handlers)):
                time.sleep(LOOK_SECONDS)
            raise


@contextmanager
def _mode_taken(direct: Any) -> Iterator[str | None]:
    """The running mode, which Beam does not see: it would choose streams and a command line of its own for it."""
    mode, direct.direct_running_mode = direct.direct_running_mode, None
    try:
        yield mode
    finally:
        direct.direct_running_mode = mode


def _is_at_work(worker: Any) -> bool:
    """Whether a thread still runs a bundle; what processes do is not known here."""
    bundles = getattr(worker, "bundle_processor_cache", None)
    return bundles is not None and bool(bundles.active_bundle_processors or bundles.processors_being_created)


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
