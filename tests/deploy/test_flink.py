"""The same graph on a real Flink: the same bytes, also when a machine, a worker or the driver is killed half-way."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import archives
import gates
import pytest
import yaml
from archives import archive, contents, lines, member, page, response

from bench.flink import Cluster, children, eventually, free_port
from bench.web import write_warc
from pipeline.exit_codes import ExitCode
from pipeline.receipts import RECEIPTS

pytestmark = pytest.mark.flink

# Only end a test that hangs.
RUN_SECONDS = 300.0
ROOT = Path(__file__).parents[2]
SUPPORT = str(Path(archives.__file__).parent)
SPLIT = "--split-bytes=16K"


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gate") / "open"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, gate: Path) -> Iterator[Cluster]:
    environment = {"PYTHONPATH": SUPPORT, gates.GATE: str(gate)}
    with Cluster(tmp_path_factory.mktemp("flink"), task_managers=2, environment=environment) as running:
        yield running


@pytest.fixture(autouse=True)
def closed_gate(gate: Path) -> None:
    for file in (gate, gates.reached(gate), gates.seen(gate)):
        file.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The made-up web with all that crawlers meet, and an archive of many sites with a page that waits, and damage."""
    folder = tmp_path_factory.mktemp("crawl")
    pages = [response(f"http://{n % 7}.example/{n}", page(n, "<p>please-wait</p>" * (n == 40))) for n in range(80)]
    many = archive(folder / "many.warc.gz", *pages)
    damaged = bytearray(member(response("http://7.example/bad", page(5) * 4)))
    damaged[200:208] = b"\xff" * 8
    with Path(many).open("ab") as file:
        file.write(bytes(damaged) + member(response("http://7.example/after", page(60))))
    return [many, *map(str, write_warc(folder))]


Here = Callable[..., dict[str, bytes]]


@pytest.fixture(scope="module")
def here(crawl: list[str], tmp_path_factory: pytest.TempPathFactory) -> Here:
    """What the same command writes on this machine."""
    folder = tmp_path_factory.mktemp("here")

    def cleaned(*arguments: str) -> dict[str, bytes]:
        out = folder / "-".join(["out", *(argument.strip("-") for argument in arguments)])
        if not out.exists():
            assert clean(crawl, out, *arguments).wait(RUN_SECONDS) == ExitCode.PARTIAL
        return contents(out)

    return cleaned


started: list[subprocess.Popen[bytes]] = []


@pytest.fixture(autouse=True)
def nothing_stays_behind() -> Iterator[None]:
    """End the runs of a test that failed, with the job servers that they started."""
    yield
    while started:
        run = started.pop()
        if run.poll() is None:
            for pid in (*children(run.pid), run.pid):
                os.kill(pid, signal.SIGKILL)
            run.wait()


def clean(crawl: list[str], out: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start the command as a user does."""
    command = [sys.executable, "-m", "pipeline.cli", "clean", *crawl, "--output", str(out), SPLIT, "--quiet"]
    own = ["--extractor=gated", "--import=gated", "--max-failed=100", *arguments]
    started.append(subprocess.Popen([*command, *own], env={**os.environ, "PYTHONPATH": SUPPORT}))
    return started[-1]


def in_the_middle(run: subprocess.Popen[bytes], gate: Path, out: Path) -> None:
    """Return when a page of the run waits, so that the run cannot end before the gate is opened."""
    eventually("a page at the gate", lambda: gates.reached(gate).exists() or run.poll() is not None, RUN_SECONDS)
    assert run.poll() is None
    assert not (out / "_SUCCESS").exists()


def done_in(out: Path) -> set[str]:
    """The ranges of a run that are cleaned, as soon as there are some."""
    kept = out / "_temporary" / RECEIPTS
    return eventually("a range that is done", lambda: {path.parent.name for path in kept.rglob("*.json.gz")})


def were_cleaned_once(shards: set[str], out: Path, gate: Path) -> bool:
    """Whether no page of these ranges was cleaned a second time, of those whose address has one text in the run."""
    texts = Counter(line["url"] for line in lines(out / "text"))
    came = Counter(gates.seen(gate).read_text(encoding="utf-8").split())
    pages = [line["url"] for shard in shards for line in lines(out / "text", f"{shard}.jsonl.gz")]
    single = [url for url in pages if texts[url] == 1]
    return bool(single) and {came[url] for url in single} == {1}


def no_worker_is_left(cluster: Cluster, before: Iterable[int] = ()) -> bool:
    """Whether all workers have ended but those that were there before."""
    return set(cluster.workers()) <= set(before)


@pytest.mark.parametrize("wishes", [(), ("--dedup", "--format=wet")], ids=["as-is", "dedup-wet"])
def test_flink_writes_the_same_bytes_as_this_machine(  # noqa: PLR0917  fixtures
    tmp_path: Path,
    cluster: Cluster,
    gate: Path,
    crawl: list[str],
    here: Here,
    wishes: tuple[str, ...],
) -> None:
    gate.touch()
    assert clean(crawl, tmp_path / "out", *wishes, *cluster.arguments).wait(RUN_SECONDS) == ExitCode.PARTIAL
    expected = here(*wishes)
    assert contents(tmp_path / "out") == expected
    assert len([name for name in expected if name.startswith("text/")]) > 6
    assert {"stats.json", "sites.jsonl", "losses.jsonl", "_SUCCESS"} < set(expected)
    eventually("the end of all workers", lambda: no_worker_is_left(cluster))


@pytest.fixture(scope="module")
def compose_s(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """What compose's driver says to compose's job server, which runs: both as they stand there, but for addresses."""
    services = yaml.safe_load((ROOT / "deploy" / "compose" / "compose.yaml").read_text(encoding="utf-8"))["services"]
    ports = {port: str(free_port()) for port in ("8097", "8098", "8099")}
    here = {
        "jobmanager:8081": f"127.0.0.1:{cluster.rest}",
        "127.0.0.1:50000": f"127.0.0.1:{cluster.pool_port}",
        "job-server": "127.0.0.1",
        "/tmp/artifacts": str(tmp_path_factory.mktemp("artifacts")),  # noqa: S108  a folder of the container's
        **ports,
    }

    def moved(argument: str) -> str:
        return re.sub("|".join(map(re.escape, here)), lambda found: here[found[0]], argument)

    cluster.start_job_server([*map(moved, services["job-server"]["command"])], int(ports["8099"]))
    entry: list[str] = services["clean"]["entrypoint"]
    assert entry[:2] == ["winnow", "clean"]
    return tuple(map(moved, entry[2:]))


def test_a_job_server_of_its_own_takes_jobs_one_after_the_other(  # noqa: PLR0917  fixtures
    tmp_path: Path, cluster: Cluster, gate: Path, crawl: list[str], here: Here, compose_s: tuple[str, ...]
) -> None:
    interrupted = clean(crawl, tmp_path / "interrupted", *compose_s)
    in_the_middle(interrupted, gate, tmp_path / "interrupted")
    assert children(interrupted.pid) == []  # it has started none of its own
    interrupted.send_signal(signal.SIGTERM)  # as containers are told to end
    eventually("the cluster to hear of it", lambda: cluster.jobs()[0] in {"CANCELLING", "CANCELED"}, RUN_SECONDS)
    gate.touch()
    assert interrupted.wait(RUN_SECONDS) == ExitCode.INTERRUPTED
    assert contents(tmp_path / "interrupted") == {}
    assert clean(crawl, tmp_path / "out", *compose_s).wait(RUN_SECONDS) == ExitCode.PARTIAL
    assert contents(tmp_path / "out") == here()


def test_a_taskmanager_that_is_killed_costs_nothing(
    tmp_path: Path, cluster: Cluster, gate: Path, crawl: list[str], here: Here
) -> None:
    run = clean(crawl, tmp_path / "out", *cluster.arguments)
    in_the_middle(run, gate, tmp_path / "out")
    done = done_in(tmp_path / "out")
    killed = cluster.task_managers.pop(0)
    killed.kill()
    killed.wait()
    cluster.start_task_manager()  # as a supervisor would
    gate.touch()
    assert run.wait(RUN_SECONDS) == ExitCode.PARTIAL
    assert cluster.restarts() > 0
    assert contents(tmp_path / "out") == here()
    assert were_cleaned_once(done, tmp_path / "out", gate)
    # The TaskManager that lives on keeps a worker of the attempt that failed, idle, until it ends itself: Beam's runner
    # does not let go of it (docs/operations.md).


def test_a_worker_that_is_killed_costs_nothing(
    tmp_path: Path, cluster: Cluster, gate: Path, crawl: list[str], here: Here
) -> None:
    before = cluster.workers()
    run = clean(crawl, tmp_path / "out", *cluster.arguments)
    in_the_middle(run, gate, tmp_path / "out")
    done = done_in(tmp_path / "out")
    # Others may be idle, and nobody would miss them.
    at_work = eventually("the worker at the gate", lambda: int(gates.reached(gate).read_text() or 0))
    assert at_work in cluster.workers()
    os.kill(at_work, signal.SIGKILL)
    gate.touch()
    assert run.wait(RUN_SECONDS) == ExitCode.PARTIAL
    assert cluster.restarts() > 0
    assert contents(tmp_path / "out") == here()
    assert were_cleaned_once(done, tmp_path / "out", gate)
    # What was finished before was not begun again: the archives were read for the samples of their sites once.
    attempts = cluster.attempts()
    assert {
        count for name, count in attempts.items() if re.search(r"\{.*Learn sites.*Mark duplicates|Sample", name)
    } == {1}
    assert max(count for name, count in attempts.items() if "Clean," in name) > 1
    eventually("the end of all workers", lambda: no_worker_is_left(cluster, before))


@pytest.mark.parametrize("resumes", [(), ("--resume",)], ids=["anew", "resumed"])
def test_a_driver_that_is_killed_shows_nothing_and_a_rerun_is_clean(  # noqa: PLR0917  fixtures
    tmp_path: Path, cluster: Cluster, gate: Path, crawl: list[str], here: Here, resumes: tuple[str, ...]
) -> None:
    out = tmp_path / "out"
    run = clean(crawl, out, *cluster.arguments)
    in_the_middle(run, gate, out)
    done = done_in(out)
    job_servers = children(run.pid)
    run.kill()
    run.wait()
    for pid in job_servers:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    assert {path.name for path in out.iterdir()} <= {"_temporary"}
    again = clean(crawl, out, *resumes, *cluster.arguments)  # while the cluster still has the job of the dead driver
    gate.touch()
    assert again.wait(RUN_SECONDS) == ExitCode.PARTIAL
    assert contents(out) == here()
    assert were_cleaned_once(done, out, gate) is bool(resumes)
    eventually("the end of both jobs", lambda: "RUNNING" not in cluster.jobs(), RUN_SECONDS)
    assert contents(out) == here()


def test_ctrl_c_ends_the_job_on_the_cluster(tmp_path: Path, cluster: Cluster, gate: Path, crawl: list[str]) -> None:
    out = tmp_path / "out"
    run = clean(crawl, out, *cluster.arguments)
    in_the_middle(run, gate, out)
    run.send_signal(signal.SIGINT)
    eventually("the cluster to hear of it", lambda: cluster.jobs()[0] in {"CANCELLING", "CANCELED"}, RUN_SECONDS)
    gate.touch()  # no job ends before the page that it is in
    assert run.wait(RUN_SECONDS) == ExitCode.INTERRUPTED
    assert contents(out) == {}
    assert cluster.jobs()[0] == "CANCELED"
