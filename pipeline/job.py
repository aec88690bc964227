"""One run of the pipeline: what it is asked, what it checks before it begins, and how it ends."""

from __future__ import annotations

import hashlib
import json
import logging
import signal
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, cast

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems
from apache_beam.options.pipeline_options import (
    DebugOptions,
    FlinkRunnerOptions,
    GoogleCloudOptions,
    PipelineOptions,
    SetupOptions,
    StandardOptions,
    WorkerOptions,
)

from pipeline import files, flink, folders, guard, local, provenance
from pipeline.clean import Settings
from pipeline.exceptions import AccountsDoNotBalance, CannotStart, PipelineError, UsageError
from pipeline.graph import build
from pipeline.guard import Bounds
from pipeline.publish import STATS, SUCCESS, UNBALANCED, remove
from pipeline.sinks import TEMPORARY
from pipeline.source import split_size
from pipeline.template_files import templates_in
from transforms import extractors


@dataclass(frozen=True)
class Job:
    """What a run is to do. Travels to the workers."""

    files: tuple[str, ...]  # sorted: their order on the command line changes nothing
    output: str
    settings: Settings = field(default_factory=Settings)
    bounds: Bounds = field(default_factory=Bounds)
    imports: tuple[str, ...] = ()  # modules with extractors of the user's own
    format: str = "jsonl"
    dedup: bool = False
    split: int = 0  # bytes of a range; 0 for whole files
    progress: str | None = None  # a folder on this machine
    learn: bool = True  # the templates of sites
    templates: str | None = None  # a file of them, to be used instead
    claim: str = ""  # under which the run holds its output folder
    identity: dict[str, Any] = field(default_factory=dict)  # `identity_of` it; stays with the driver
    key: str = ""  # of its identity: what is kept for another run is kept for one with the same key
    resume: bool = False  # what an earlier run of the same job has left is used, and what this one leaves is kept

    @property
    def knows_sites(self) -> bool:
        """Whether what sites repeat is removed."""
        return self.learn or self.templates is not None

    def without_files(self) -> Job:
        """The same for a step that needs no names of files: there may be a hundred thousand, and steps are sent out."""
        return replace(self, files=(), identity={})


def identity_of(job: Job) -> dict[str, Any]:
    """All that the output of a job depends on, inputs and code as they are now: the same identity, the same bytes."""
    return {
        "code": provenance.of_code(),
        "inputs": [files.stamp(uri) for uri in job.files],
        "settings": job.settings.as_dict(),
        "bounds": list(astuple(job.bounds)),
        "import": provenance.of_modules(job.imports),
        "format": job.format,
        "dedup": job.dedup,
        "split-bytes": job.split,
        "site-templates": files.stamp(job.templates) if job.templates else job.learn,
    }


def prepare(inputs: Sequence[str], *, prefix: str | None = None, split: int | None = None, **wishes: Any) -> Job:
    """A job that can run; raises UsageError or InputError, before any work, with what to do."""
    names = tuple(sorted(files.expand(inputs, prefix)))
    job = Job(files=names, split=split_size(len(names)) if split is None else split, **wishes)
    try:
        list(map(import_module, job.imports))
    except ImportError as error:
        raise UsageError(f"cannot import the extractors: {error}") from None
    extractors.named(job.settings.extractor).check(job.settings.parameters)
    if job.templates:
        for _ in templates_in(job.templates):
            pass  # each is read, so that none of them ends a run that has begun
        job = replace(job, learn=False)
    identity = identity_of(job)
    folders.check(job.output, identity if job.resume else None)
    key = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]
    return replace(job, identity=identity, key=key)


def pipeline_options(beam_arguments: Sequence[str]) -> tuple[PipelineOptions, bool]:
    """Beam's options as given, and whether the run is on this machine."""
    if any(local.TIMED_FLUSH in argument for argument in beam_arguments):
        raise UsageError(f"{local.TIMED_FLUSH} makes Beam lose data: leave it out")
    options = PipelineOptions(list(beam_arguments))
    standard = options.view_as(StandardOptions)
    here = standard.runner is None or standard.runner.lower() in local.ALIASES
    given = {argument.partition("=")[0].lstrip("-") for argument in beam_arguments if argument.startswith("--")}
    if here:
        standard.runner = local.NAME
        local.all_cores(options, given)
    else:
        _installed(options, given)
    return options, here


def _installed(options: PipelineOptions, given: set[str]) -> None:
    """Workers elsewhere have Winnow installed: nothing of this process is sent to them, and nothing installed there."""
    # Beam would run `python -m pip freeze` to tell them what is installed here: any pip of the current folder.
    options.view_as(DebugOptions).add_experiment("disable_logging_submission_environment")
    setup = options.view_as(SetupOptions)
    if setup.save_main_session is None:
        setup.save_main_session = False
    if options.view_as(WorkerOptions).sdk_container_image and "sdk_location" not in given:
        setup.sdk_location = "container"


def run(job: Job, beam_arguments: Sequence[str] = (), watch: Any = None) -> dict[str, Any] | None:
    """Run a job to its end and return what stats.json says; None if it was handed to a cluster that goes on alone.

    `watch` is called with the folder in which a run on this machine says how far it is, and returns a context.
    Raises AccountsDoNotBalance, or PipelineError for any other failure. Ctrl-C leaves no trace of the run, and ends it
    on a cluster.
    """
    options, here = pipeline_options(beam_arguments)
    with tempfile.TemporaryDirectory(prefix="winnow-") as progress, _interruptible(job) as listen:
        job = replace(job, progress=progress if here else None, claim=folders.take(job.output, job.identity))
        try:
            with watch(progress) if watch and here else _unwatched():
                graph = beam.Pipeline(options=options)
                build(graph, job)
                result = graph.run()
                listen()  # Beam's runner for Flink has put a handler of its own before ours
                if options.view_as(GoogleCloudOptions).template_location:
                    return None  # written down for a service to start; there is nothing to wait for
                _wait(result, options, here)
        except Exception as error:
            if guard.is_stopped():  # a worker that lost its child may be faster than the interrupt itself
                raise KeyboardInterrupt from None
            raise _explained(job, error) from error
    return finished(job.output)


def finished(folder: str) -> dict[str, Any] | None:
    """What stats.json of a finished run says."""
    if not FileSystems.exists(FileSystems.join(folder, SUCCESS)):
        return None
    with FileSystems.open(FileSystems.join(folder, STATS)) as file:
        return cast("dict[str, Any]", json.loads(file.read()))


def _wait(result: Any, options: PipelineOptions, here: bool) -> None:
    """Return when a run has ended; if we are told to end, it is ended first."""
    try:
        result.wait_until_finish()
    except KeyboardInterrupt:
        if not here:
            with suppress(Exception):  # whatever the cluster answers, we were told to end
                result.cancel()
            if job := getattr(result, "_job_id", ""):  # its name, and what makes it unique to the job server
                flink.cancel(options.view_as(FlinkRunnerOptions).flink_master, job.rpartition("_")[0])
        raise


@contextmanager
def _unwatched() -> Iterator[None]:
    yield


def _explained(job: Job, error: Exception) -> PipelineError:
    if FileSystems.exists(FileSystems.join(job.output, UNBALANCED)):
        return AccountsDoNotBalance(
            f"the accounts of this run do not balance, its output is not to be trusted and was not published; see "
            f"{FileSystems.join(job.output, UNBALANCED)}"
        )
    first = str(error).strip().partition("\n")[0] or type(error).__name__
    if not job.resume:
        remove(FileSystems.join(job.output, TEMPORARY))
    _, said, why = str(error).rpartition(f"{CannotStart.SAYS}: ")  # from a worker it comes as text, among other text
    if said:
        return CannotStart(why.partition("\n")[0].partition(" [while running ")[0])
    if job.resume:
        return PipelineError(f"the run failed: {first[:500]}\nwinnow: the same command goes on where it ended")
    return PipelineError(f"the run failed: {first[:500]}")


@contextmanager
def _interruptible(job: Job) -> Iterator[Callable[[], None]]:
    """On Ctrl-C or SIGTERM end the child processes first, so that no worker waits for one, then undo the run.

    A run that can be resumed keeps what it has, all under TEMPORARY.

    Gives a function that listens for them again.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    output = job.output
    existed = "://" in output or Path(output).exists()

    def stop(_: int, __: FrameType | None) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a second Ctrl-C ends everything at once
        logging.disable(logging.CRITICAL)  # the workers' complaints about the children that are ended here
        guard.stop_all()
        raise KeyboardInterrupt

    def listen() -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, stop)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    listen()
    try:
        yield listen
    except KeyboardInterrupt:
        if not job.resume:
            remove(FileSystems.join(output, TEMPORARY))
        if not existed and "://" not in output:
            with suppress(OSError):
                Path(output).rmdir()  # only if it is empty
        raise
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
