"""`winnow doctor`: what each runner needs, what of it is missing here, and how to get it.

Looks only at this machine and at the addresses that it is given. Whether credentials are there is looked up; they are
neither read nor tried.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from pipeline.clean import Settings
from pipeline.exceptions import CannotStart
from pipeline.exit_codes import ExitCode
from pipeline.guard import Cleaner

RUNNERS = ("local", "flink", "dataflow")
# Flink 1.19 and 2.x run on these; 8 is gone, and newer ones close what Flink opens.
JAVA_VERSIONS = (11, 17, 21)
DEFAULT_POOL = "127.0.0.1:50000"
CONNECT_SECONDS = 3.0
# A parser, its page and the text, in one process for each core.
WORKER_BYTES = 512 << 20
CREDENTIALS = Path(".config") / "gcloud" / "application_default_credentials.json"


@dataclass(frozen=True)
class Finding:
    """One thing that a runner needs."""

    what: str
    ready: bool
    says: str
    remedy: str = ""

    def __str__(self) -> str:
        line = f"  {'ok' if self.ready else 'missing':8} {self.what:16} {self.says}"
        return line if self.ready or not self.remedy else f"{line}\n{'':27}{self.remedy}"


@dataclass(frozen=True)
class Surroundings:
    """What a finding depends on beside this machine."""

    jar: str | None = None
    master: str | None = None
    pool: str | None = None
    home: Path = field(default_factory=Path.home)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Of the command."""
    parser.add_argument("--runner", choices=RUNNERS, help="look at this one only; exit status 1 if it is not ready")
    parser.add_argument("--flink_job_server_jar", metavar="JAR", help="as for winnow clean")
    parser.add_argument("--flink_master", metavar="HOST:PORT", help="as for winnow clean: is it there?")
    parser.add_argument("--environment_config", metavar="HOST:PORT", help="of the worker pool: is it there?")
    parser.add_argument("--json", action="store_true", help="for machines")


def run(options: argparse.Namespace) -> ExitCode:
    """Look, and say what was found."""
    around = Surroundings(options.flink_job_server_jar, options.flink_master, options.environment_config)
    asked = (options.runner,) if options.runner else RUNNERS
    found = {runner: list(CHECKS[runner](around)) for runner in asked}
    if options.json:
        told = {runner: [asdict(finding) for finding in findings] for runner, findings in found.items()}
        sys.stdout.write(json.dumps(told, indent=2) + "\n")
    else:
        for runner, findings in found.items():
            state = "ready" if _ready(findings) else "not ready"
            sys.stdout.write("\n".join([f"{runner}: {state}", *map(str, findings), ""]))
    needed = options.runner or "local"
    return ExitCode.OK if _ready(found[needed]) else ExitCode.FAILED


def _ready(findings: list[Finding]) -> bool:
    return all(finding.ready for finding in findings)


def local(_: Surroundings) -> Iterator[Finding]:
    """This machine."""
    yield Finding("packages", True, f"winnow {version('winnow')}, apache-beam {version('apache-beam')}")
    yield _child()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    yield Finding(
        "memory", memory >= cores * WORKER_BYTES, f"{memory >> 20:,} MB for {cores} cores",
        f"use fewer workers: --direct_num_workers {max(memory // WORKER_BYTES, 1)}",
    )  # fmt: skip
    try:
        with tempfile.TemporaryFile() as file:
            file.write(b"?")
        yield Finding("scratch", True, tempfile.gettempdir())
    except OSError as error:
        yield Finding("scratch", False, str(error), "set TMPDIR to a folder that can be written")


def _child() -> Finding:
    """Whether the process that cleans pages comes up."""
    cleaner = Cleaner(Settings())
    try:
        cleaner.start()
    except CannotStart as error:
        return Finding("cleaning process", False, str(error), "install Winnow again, into an environment of its own")
    finally:
        cleaner.close()
    return Finding("cleaning process", True, f"starts ({sys.executable})")


def flink(around: Surroundings) -> Iterator[Finding]:
    """A cluster, Beam's job server for it, and a pool of workers."""
    yield _java()
    yield _job_server(around)
    if around.master:
        yield _listening("cluster", around.master, "start Flink, or name its REST address: --flink_master HOST:PORT")
    else:
        yield Finding("cluster", True, "not asked for: --flink_master HOST:PORT")
    yield _listening(
        "worker pool", around.pool or DEFAULT_POOL,
        "beside every TaskManager: winnow pool; for `clean` --environment_type EXTERNAL "
        f"--environment_config {around.pool or DEFAULT_POOL}",
    )  # fmt: skip


def dataflow(around: Surroundings) -> Iterator[Finding]:
    """Google's clients and credentials; the rest is the service's."""
    clients = all(find_spec(name) is not None for name in ("apitools", "google.cloud")) if _has_google() else False
    yield Finding("packages", clients, "apache-beam[gcp]", "pip install 'winnow[dataflow]'")
    named = around.environment.get("GOOGLE_APPLICATION_CREDENTIALS")
    path = Path(named) if named else around.home / CREDENTIALS
    yield Finding(
        "credentials", path.is_file(), str(path),
        "gcloud auth application-default login; a machine of Google's has a service account instead",
    )  # fmt: skip
    project = around.environment.get("GOOGLE_CLOUD_PROJECT")
    yield Finding("project", True, project or "to be named: --project, --region, --temp_location gs://...")


CHECKS: dict[str, Callable[[Surroundings], Iterator[Finding]]] = {"local": local, "flink": flink, "dataflow": dataflow}


def _has_google() -> bool:
    return find_spec("google") is not None


def _java() -> Finding:
    remedy = f"install a Java runtime ({', '.join(map(str, JAVA_VERSIONS))}), such as openjdk-17-jre-headless"
    java = shutil.which("java")
    if not java:
        return Finding("Java", False, "no java in PATH", remedy)
    told = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60)  # noqa: S603
    match = re.search(r'version "(?:1\.)?(\d+)', told.stderr)
    found = int(match[1]) if match else 0
    return Finding("Java", found in JAVA_VERSIONS, f"{found or 'unknown version'} ({java})", remedy)


def _job_server(around: Surroundings) -> Finding:
    """The jar that was named, the one that `make flink` builds, or the one that Beam has fetched."""
    built = Path(".flink") / "target" / "flink-job-server.jar"
    cached = sorted((around.home / ".apache_beam" / "cache" / "jars").glob("beam-runners-flink-*-job-server-*.jar"))
    candidates = [Path(around.jar)] if around.jar else [built, *cached]
    there = next((path for path in candidates if path.is_file()), None)
    return Finding(
        "job server", there is not None, str(there or around.jar or "no jar"),
        "`make flink` builds one (it needs Maven); then --flink_job_server_jar .flink/target/flink-job-server.jar",
    )  # fmt: skip


def _listening(what: str, address: str, remedy: str) -> Finding:
    host, _, port = re.sub(r"^https?://", "", address).rstrip("/").rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS):
            return Finding(what, True, f"listens on {address}")
    except (OSError, ValueError, OverflowError) as error:
        return Finding(what, False, f"nobody listens on {address}: {error}", remedy)
