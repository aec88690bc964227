"""A standalone Flink on this machine: one JobManager, some TaskManagers, and a pool of Beam workers beside them.

    make flink              # Flink and Beam's job server, into .flink
    with Cluster(folder) as cluster:
        run(["winnow", "clean", ..., *cluster.arguments])

Everything listens on 127.0.0.1, on ports that were free. What this has started it ends, by process id; nothing else.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.request import urlopen

from bench.exceptions import BenchError

ROOT = Path(__file__).parent.parent
SETTINGS = ROOT / "deploy" / "flink"
HERE = "127.0.0.1"
# A start takes ten to twenty seconds; this only ends one that hangs.
START_SECONDS = 120.0
STOP_SECONDS = 20.0
# Heap, network, metaspace and managed memory of a process that holds no pages.
PROCESS_MEMORY = {"jobmanager": "1024m", "taskmanager": "1728m"}

Found = TypeVar("Found")


@dataclass(frozen=True)
class Distribution:
    """Flink and the job server of Beam, as `make flink` leaves them."""

    home: Path
    job_server: Path
    version: str

    @classmethod
    def at(cls, folder: Path) -> Distribution:
        """What is in `folder`; raises BenchError if it is not complete."""
        jar = folder / "target" / "flink-job-server.jar"
        homes = sorted(folder.glob("venv/lib/python*/site-packages/pyflink"))
        dist = [path for home in homes for path in home.glob("lib/flink-dist-*.jar")]
        if not jar.exists() or not dist:
            raise BenchError(f"there is no Flink in {folder}; `make flink` puts it there (it needs Java and Maven)")
        version = dist[0].stem.removeprefix("flink-dist-")
        return cls(dist[0].parent.parent, jar, version)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HERE, 0))
        port: int = probe.getsockname()[1]
        return port


def eventually(what: str, look: Callable[[], Found | None], seconds: float = START_SECONDS) -> Found:
    """What `look` finds, as soon as it finds something; raises BenchError if it never does."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if found := look():
            return found
        time.sleep(0.1)
    raise BenchError(f"{what}: not within {seconds:g} s")


class Cluster:
    """A context with a running cluster. `folder` holds its configuration, its logs and its scratch files."""

    def __init__(self, folder: Path, *, task_managers: int = 2, environment: Mapping[str, str] | None = None) -> None:
        self.flink = Distribution.at(ROOT / ".flink")
        self.folder = folder
        self.rest, self.pool_port = free_port(), free_port()
        self.pool: subprocess.Popen[bytes] | None = None
        self.task_managers: list[subprocess.Popen[bytes]] = []
        self._wanted = task_managers
        self._environment = {**os.environ, **(environment or {})}
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def arguments(self) -> tuple[str, ...]:
        """What `winnow clean` needs to run here."""
        return (
            "--runner=FlinkRunner",
            f"--flink_master={HERE}:{self.rest}",
            f"--flink_version={'.'.join(self.flink.version.split('.')[:2])}",
            f"--flink_job_server_jar={self.flink.job_server}",
            "--environment_type=EXTERNAL",
            f"--environment_config={HERE}:{self.pool_port}",
            f"--parallelism={self._wanted}",
        )

    def __enter__(self) -> Cluster:
        try:
            self._configure()
            self._java("jobmanager")
            for _ in range(self._wanted):
                self.start_task_manager()
            self.start_pool()
            self.wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait(self) -> None:
        """Return when every TaskManager that lives has registered, and the pool listens."""
        living = [process for process in self.task_managers if process.poll() is None]
        eventually("the TaskManagers", lambda: (self._overview() or {}).get("taskmanagers") == len(living))
        eventually("the worker pool", lambda: _listens(self.pool_port))

    def ask(self, path: str) -> dict[str, Any]:
        """What Flink's REST interface says, such as `/jobs/overview`."""
        with urlopen(f"http://{HERE}:{self.rest}{path}", timeout=10) as answer:
            found: dict[str, Any] = json.load(answer)
            return found

    def jobs(self) -> list[str]:
        """The states of all jobs so far, the newest first."""
        jobs = self.ask("/jobs/overview")["jobs"]
        return [job["state"] for job in sorted(jobs, key=lambda job: -job["start-time"])]

    def restarts(self) -> int:
        """How often the newest job was started again."""
        told = self.ask(f"/jobs/{self._newest()}/exceptions")["exceptionHistory"]
        return len(told["entries"])

    def attempts(self) -> dict[str, int]:
        """The steps of the newest job by name, and how often the task of each that was started most often was."""
        job = f"/jobs/{self._newest()}"
        found: dict[str, int] = {}
        for vertex in self.ask(job)["vertices"]:
            tasks = self.ask(f"{job}/vertices/{vertex['id']}")["subtasks"]
            found[vertex["name"]] = max(found.get(vertex["name"], 0), *(task["attempt"] + 1 for task in tasks))
        return found

    def shuffled(self) -> int:
        """Bytes that the newest job has sent between its tasks other than from one to the next on the same machine."""
        job = f"/jobs/{self._newest()}"
        nodes = self.ask(f"{job}/plan")["plan"]["nodes"]
        moved = {
            node["id"]
            for node in nodes
            if any(source.get("ship_strategy", "").upper() != "FORWARD" for source in node.get("inputs", ()))
        }
        return sum(
            int(vertex["metrics"]["read-bytes"]) for vertex in self.ask(job)["vertices"] if vertex["id"] in moved
        )

    def start_task_manager(self) -> None:
        """One more."""
        self.task_managers.append(self._java("taskmanager"))

    def start_pool(self) -> None:
        """Start the worker pool."""
        command = [sys.executable, "-m", "pipeline.cli", "pool", f"--host={HERE}", f"--port={self.pool_port}"]
        self.pool = self._process("pool", command)

    def start_job_server(self, arguments: Sequence[str], port: int) -> None:
        """Start a job server that outlives its jobs, and return when it listens on `port`."""
        self._process("job-server", ["java", "-jar", str(self.flink.job_server), *arguments])
        eventually("the job server", lambda: _listens(port))

    def workers(self) -> list[int]:
        """The worker processes that the pool has started and that live."""
        return children(self.pool.pid) if self.pool else []

    def stop(self) -> None:
        """End everything: first the pool, whose workers it takes along."""
        for process in reversed(self._processes):
            process.terminate()
        for process in self._processes:
            _wait(process)
        self._processes.clear()

    def _configure(self) -> None:
        conf = self.folder / "conf"
        for part in (conf, self.folder / "log", self.folder / "tmp"):
            part.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.flink.home / "conf" / "log4j-console.properties", conf)
        # Flink's own file has what Java must open to it.
        options = re.search(r"^ +all: (.*)$", (self.flink.home / "conf" / "config.yaml").read_text(), re.MULTILINE)
        own = {
            "jobmanager.rpc.address": HERE,
            "jobmanager.rpc.port": free_port(),
            "jobmanager.bind-host": HERE,
            "taskmanager.host": HERE,
            "taskmanager.bind-host": HERE,
            "rest.address": HERE,
            "rest.bind-address": HERE,
            "rest.port": self.rest,
            "io.tmp.dirs": self.folder / "tmp",
            "env.java.opts.all": options[1] if options else "",
            **{f"{role}.memory.process.size": size for role, size in PROCESS_MEMORY.items()},
        }
        lines = "".join(f"{name}: {value}\n" for name, value in own.items())
        (conf / "config.yaml").write_text((SETTINGS / "config.yaml").read_text() + lines)

    def _java(self, role: str) -> subprocess.Popen[bytes]:
        script = self.flink.home / "bin" / f"{role}.sh"
        folders = {"FLINK_CONF_DIR": str(self.folder / "conf"), "FLINK_LOG_DIR": str(self.folder / "log")}
        return self._process(role, ["bash", str(script), "start-foreground"], **folders)

    def _process(self, name: str, command: list[str], **environment: str) -> subprocess.Popen[bytes]:
        log = self.folder / "log" / f"{name}-{len(self._processes)}.out"
        with log.open("wb") as out:
            process = subprocess.Popen(  # noqa: S603  Flink's scripts and our own pool
                command, stdout=out, stderr=subprocess.STDOUT, env={**self._environment, **environment}
            )
        self._processes.append(process)
        return process

    def _newest(self) -> str:
        jobs = self.ask("/jobs/overview")["jobs"]
        return str(max(jobs, key=lambda job: job["start-time"])["jid"])

    def _overview(self) -> dict[str, Any] | None:
        with suppress(OSError, ValueError):
            return self.ask("/overview")
        return None


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HERE, port)) == 0


def _wait(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def children(pid: int) -> list[int]:
    """The processes that `pid` has started and that live, as Linux tells it."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += [int(child) for child in task.read_text(encoding="ascii").split() if _lives(int(child))]
    return sorted(set(found))


def _lives(pid: int) -> bool:
    """Whether a process is there, and not only waiting for its parent to hear of its end."""
    with suppress(OSError):
        return not re.search(r"^State:\s+Z", Path(f"/proc/{pid}/status").read_text(encoding="ascii"), re.MULTILINE)
    return False
