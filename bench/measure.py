"""What a command costs: CPU time, wall time and peak memory of its whole tree of processes. Linux only.

    python -m bench.measure REPORT COMMAND...

Each command runs under a process of its own that adopts whatever the command leaves behind (PR_SET_CHILD_SUBREAPER) and
waits for it, so that no CPU time is lost: a process that nobody waits for is in nobody's resource usage.

Memory is the sum of the proportional set sizes (PSS) of the tree: a page of memory that several processes share counts
once. It is sampled every INTERVAL seconds, so that a shorter peak may be missed. The sampling itself is not counted.
A tree that takes more than CEILING is ended: a machine that runs out of memory harms what else runs there.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic, sleep

from bench.exceptions import BenchError

INTERVAL = 0.1
# What a command has left behind may take so long to end by itself.
GRACE_SECONDS = 5.0
# Ten times what any contestant takes.
CEILING = 4 << 30  # bytes of PSS
PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


@dataclass(frozen=True)
class Usage:
    """What a command cost."""

    cpu: float  # seconds, user and system
    wall: float  # seconds until the command ended
    peak: int  # bytes of PSS
    status: int  # with which it exited; negative: the signal that ended it
    complaint: str = ""  # why it was ended, or the last line of its standard error


def measure(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Usage:
    """Run a command and return what it cost, it and all that it started."""
    if not sys.platform.startswith("linux"):
        raise BenchError("processes are measured by way of /proc, which Linux alone has")
    with tempfile.TemporaryDirectory(prefix="winnow-measure-") as folder:
        report = Path(folder, "usage.json")
        ran = subprocess.run(  # noqa: S603  the caller's own command
            [sys.executable, "-m", "bench.measure", str(report), *command],
            env=None if environment is None else {**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        said = ran.stderr.decode("utf-8", "replace").strip()
        if not report.exists():
            raise BenchError(f"cannot run {command[0]}: {said.rpartition(chr(10))[2]}")
        usage = Usage(**json.loads(report.read_text()))
        return usage if usage.complaint else replace(usage, complaint=said.rpartition("\n")[2])


def tree(root: int) -> list[int]:
    """The processes that descend from `root`, without itself."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                # The name of the command, in parentheses, may hold anything.
                parent = (entry / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1]
                children.setdefault(int(parent), []).append(int(entry.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found[1:]


def memory(process: int) -> int:
    """PSS in bytes; 0 for a process that has ended."""
    with suppress(OSError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


class _Sampler(threading.Thread):
    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self.complaint = ""
        self._ended = threading.Event()

    def run(self) -> None:
        while not self._ended.wait(INTERVAL):
            self.peak = max(self.peak, sum(map(memory, tree(os.getpid()))))
            if self.peak > CEILING:
                self.complaint = f"ended at {self.peak / 1e9:.1f} GB of memory"
                _end_tree()

    def end(self) -> None:
        self._ended.set()
        self.join()


def _end_tree() -> None:
    """Kill all that descends from this process."""
    for process in tree(os.getpid()):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)


def _wait_for_the_rest() -> None:
    """Wait for what the command left behind; what does not end by itself is ended."""
    deadline = monotonic() + GRACE_SECONDS
    with suppress(ChildProcessError):
        while True:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
            if monotonic() > deadline:
                _end_tree()
            sleep(INTERVAL / 2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and write its usage into the report."""
    report, *command = sys.argv[1:] if arguments is None else arguments
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "cannot adopt processes")
    sampler = _Sampler()
    sampler.start()
    began = monotonic()
    status = subprocess.Popen(command).wait()  # noqa: S603
    wall = monotonic() - began
    _wait_for_the_rest()
    sampler.end()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    usage = Usage(used.ru_utime + used.ru_stime, wall, sampler.peak, status, sampler.complaint)
    Path(report).write_text(json.dumps(asdict(usage)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
