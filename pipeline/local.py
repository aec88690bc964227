"""The runner for one machine: Beam's own, without its download of another one, and with options for its workers."""

from __future__ import annotations

from typing import Any

from apache_beam.options.pipeline_options import DirectOptions, PipelineOptions
from apache_beam.pipeline import Pipeline
from apache_beam.portability.api import beam_provision_api_pb2
from apache_beam.runners.portability.fn_api_runner.fn_runner import ExtendedProvisionInfo, FnApiRunner

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
        return super().run_pipeline(pipeline, options)


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
    if "direct_running_mode" not in given:
        direct.direct_running_mode = "multi_threading"
