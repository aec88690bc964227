"""A range that was cleaned is not cleaned again: not by an attempt that is repeated, not by a run that goes on."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import archives
import gates
import pytest
from apache_beam.pvalue import TaggedOutput
from archives import archive, contents, lines, member, page, record, response

from bench.flink import eventually
from pipeline import provenance, receipts
from pipeline.clean import Settings
from pipeline.exceptions import UsageError
from pipeline.exit_codes import ExitCode
from pipeline.folders import check, take
from pipeline.guard import Range, Revisit
from pipeline.job import Job, prepare
from pipeline.joins import Digests, Originals
from pipeline.ledger import Account, Tally
from pipeline.outcomes import Entry, in_bins
from pipeline.publish import Close
from pipeline.receipts import Receipt
from pipeline.sinks import ShardFile
from pipeline.sites import SketchRange
from pipeline.source import PlanRanges
from pipeline.warc import Loss
from pipeline.work import LOSSES, CleanRange, CleanRevisits

SUPPORT = str(Path(archives.__file__).parent)
ROOT = Path(__file__).parent.parent.parent
PATIENCE = 600
STEPS = (PlanRanges, SketchRange, Digests, Originals, CleanRange, CleanRevisits, Close)
RANGE = Range(0, 1, "a.warc.gz", 100, 200, 1_000)


def receipt_in(folder: Path) -> Receipt:
    account = Account()
    account.add(Entry("cleaned", "a.example", 7, 0, in_bins(text=7), None))
    with ShardFile(str(folder), "text", RANGE.shard) as file:
        file.write(b"{}\n")
        shard = file.close()
    assert shard
    revisit = Revisit(0, "a.warc.gz", 150, 0, 20, ("ab", "cd"), "a.example")
    tally = Tally(records=1, record_bytes=7, losses=1, lost_bytes=3, documents=1)
    return Receipt((shard,), (("\ud800 \u2028", account),), tally, (Loss(160, 163, "corrupt member"),), (revisit,))


def job_in(folder: Path, key: str = "k") -> Job:
    return Job(files=("a.warc.gz",), output=str(folder), key=key)


def found(folder: Path) -> bytes:
    receipt = receipts.find(job_in(folder), RANGE)
    assert receipt
    return receipts.encode(RANGE, receipt)


def test_a_receipt_is_found_as_it_was_kept(tmp_path: Path) -> None:
    kept = receipt_in(tmp_path)
    assert receipts.find(job_in(tmp_path), RANGE) is None
    receipts.keep(job_in(tmp_path), RANGE, kept)
    assert found(tmp_path) == receipts.encode(RANGE, kept)


def test_a_receipt_is_of_one_range_of_one_file_as_it_was(tmp_path: Path) -> None:
    receipts.keep(job_in(tmp_path), RANGE, receipt_in(tmp_path))
    assert receipts.find(job_in(tmp_path), RANGE._replace(part=2)) is None
    assert receipts.find(job_in(tmp_path), RANGE._replace(size=1_001)) is None
    assert receipts.find(job_in(tmp_path), RANGE._replace(uri="b.warc.gz")) is None


def test_a_receipt_is_of_one_job(tmp_path: Path) -> None:
    receipts.keep(job_in(tmp_path), RANGE, receipt_in(tmp_path))
    assert receipts.find(job_in(tmp_path, "another"), RANGE) is None


@pytest.mark.parametrize(
    "wish",
    [
        {"format": "wet"}, {"dedup": True}, {"settings": Settings("lqf")}, {"split": 7},
        {"settings": Settings(shared="first")}, {"settings": Settings(site_rules="paper")},
    ],
)  # fmt: skip
def test_jobs_that_write_something_else_have_other_keys(tmp_path: Path, wish: dict[str, Any]) -> None:
    path, out = archives.site(tmp_path / "a.warc.gz", 2), str(tmp_path / "out")
    key = prepare([path], output=out).key
    assert prepare([path], output=out, resume=True).key == key
    assert prepare([path], output=out, **wish).key != key
    archives.site(tmp_path / "a.warc.gz", 3)
    assert prepare([path], output=out).key != key


PREPARE = """
import sys
from pipeline.folders import take
from pipeline.job import prepare
job = prepare([sys.argv[1]], output=sys.argv[2], resume=True, imports=tuple(sys.argv[3:]))
take(job.output, job.identity)
print(job.key)
"""


def prepared(code: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run that is to go on, with the packages in a folder of their own."""
    command = [sys.executable, "-c", PREPARE, *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(code), SUPPORT]), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, env=environment, cwd=code, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("changed", ["transforms/render.py", "pipeline/clean.py", "transforms/model.bin", "mine.py"])
def test_a_run_does_not_go_on_with_other_code(tmp_path: Path, changed: str) -> None:
    code = tmp_path / "code"
    for name in provenance.PACKAGES:
        shutil.copytree(ROOT / name, code / name, ignore=shutil.ignore_patterns("__pycache__"))
    (code / "mine.py").write_text("# my extractors\n", encoding="utf-8")
    arguments = archives.site(tmp_path / "a.warc.gz", 2), str(tmp_path / "out"), "mine"
    first = prepared(code, *arguments)
    assert prepared(code, *arguments).stdout == first.stdout != ""
    with (code / changed).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    refused = prepared(code, *arguments)
    assert f"was another one ({'import' if changed == 'mine.py' else 'code'})" in refused.stderr
    shutil.rmtree(tmp_path / "out")
    assert prepared(code, *arguments).stdout not in {"", first.stdout}


def test_code_is_the_same_wherever_it_stands_and_whatever_python_writes_beside_it(tmp_path: Path) -> None:
    for folder in ("here", "there"):
        package = tmp_path / folder / "package"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("a = 1", encoding="utf-8")
    before = provenance.digest([tmp_path / "here" / "package"])
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "x.pyc").write_bytes(b"compiled")
    assert provenance.digest([package]) == before
    (package / "__init__.py").rename(package / "other.py")
    assert provenance.digest([package]) != before


def test_steps_do_not_carry_the_names_of_all_files(tmp_path: Path) -> None:
    sizes = set()
    for count in (1, 1_000):
        job = Job(files=tuple(f"{number}.warc.gz" for number in range(count)), output=str(tmp_path))
        sizes.add(tuple(len(pickle.dumps(step(job))) for step in STEPS))
    assert len(sizes) == 1


def test_a_receipt_without_its_shard_counts_for_nothing_unless_the_shard_has_got_its_name(tmp_path: Path) -> None:
    kept = receipt_in(tmp_path)
    receipts.keep(job_in(tmp_path), RANGE, kept)
    (shard,) = kept.shards
    (tmp_path / "text").mkdir()
    named = Path(shard.temporary).rename(tmp_path / "text" / shard.name)
    assert found(tmp_path) == receipts.encode(RANGE, kept)
    named.unlink()
    assert receipts.find(job_in(tmp_path), RANGE) is None


def test_a_receipt_that_was_cut_short_counts_for_nothing_and_another_one_does(tmp_path: Path) -> None:
    kept = receipt_in(tmp_path)
    receipts.keep(job_in(tmp_path), RANGE, kept)
    (path,) = (tmp_path / "_temporary" / receipts.RECEIPTS).rglob("*.json.gz")
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        assert receipts.find(job_in(tmp_path), RANGE) is None
    receipts.keep(job_in(tmp_path), RANGE, kept)
    assert found(tmp_path) == receipts.encode(RANGE, kept)


@pytest.mark.parametrize("there", [True, False])
def test_a_range_that_could_not_be_read_has_no_receipt(tmp_path: Path, there: bool) -> None:
    path = archives.site(tmp_path / "a.warc.gz", 3)
    job = prepare([path], output=str(tmp_path / "out"))
    size = Path(path).stat().st_size
    step = CleanRange(job)
    step.setup()
    work = Range(0, 0, path if there else str(tmp_path / "gone.warc.gz"), 0, size, size)
    outputs = list(step.process((work, (), ())))
    step.teardown()
    assert any(isinstance(output, TaggedOutput) and output.tag == LOSSES for output in outputs) is not there
    assert (receipts.find(job, work) is not None) is there


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def crawl(tmp_path: Path) -> str:
    """Pages of some sites, a revisit and damage, then a page that waits, and pages after it."""
    pages = [response(f"http://{n % 3}.example/{n}", page(n, "<p>please-wait</p>" * (n == 60))) for n in range(90)]
    revisit = record(b"", "revisit", "http://0.example/3", WARC_Refers_To_Target_URI="http://0.example/3")
    path = archive(tmp_path / "a.warc.gz", *pages[:20], revisit)
    damaged = bytearray(member(response("http://7.example/bad", page(5) * 4)))
    damaged[200:208] = b"\xff" * 8
    with Path(path).open("ab") as file:
        file.write(bytes(damaged))
        file.writelines(map(member, pages[20:]))
    return path


def start(crawl: str, out: Path, gate: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """One worker, so that ranges are cleaned one after the other."""
    own = ["--extractor=gated", "--import=gated", "--max-failed=100", "--split-bytes=4K", "--direct_num_workers=1"]
    command = [sys.executable, "-m", "pipeline.cli", "clean", crawl, "-o", str(out), "-q", *own, *arguments]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": SUPPORT, gates.GATE: str(gate)})


def in_the_middle(run: subprocess.Popen[bytes], gate: Path) -> None:
    eventually("a page at the gate", lambda: gates.reached(gate).exists() or run.poll() is not None, PATIENCE)
    assert run.poll() is None


def seen(gate: Path) -> Counter[str]:
    return Counter(gates.seen(gate).read_text(encoding="utf-8").split())


def done_before(out: Path) -> set[str]:
    """The shards that have a receipt."""
    return {path.parent.name for path in (out / "_temporary" / receipts.RECEIPTS).rglob("*.json.gz")}


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda number: number.name)
def test_a_run_that_was_ended_goes_on(tmp_path: Path, crawl: str, gate: Path, ending: signal.Signals) -> None:
    out = tmp_path / "out"
    run = start(crawl, out, gate, "--resume")
    in_the_middle(run, gate)
    run.send_signal(ending)
    assert run.wait(PATIENCE) == (-ending if ending == signal.SIGKILL else ExitCode.INTERRUPTED)
    assert {path.name for path in out.iterdir()} == {"_temporary"}
    before = done_before(out)
    assert len(before) > 2
    gate.touch()
    assert start(crawl, out, gate, "--resume").wait(PATIENCE) == ExitCode.PARTIAL
    came = seen(gate)
    whole = [page["url"] for shard in before for page in lines(out / "text", f"{shard}.jsonl.gz")]
    assert len(whole) > 10
    assert {came[url] for url in whole if came[url]} == {1}  # a revisit has its page from elsewhere
    assert max(came.values()) == 2  # what was at work
    assert start(crawl, tmp_path / "whole", gate).wait(PATIENCE) == ExitCode.PARTIAL
    assert contents(out) == contents(tmp_path / "whole")


def test_a_run_that_failed_goes_on(tmp_path: Path, crawl: str, gate: Path) -> None:
    out = tmp_path / "out"
    run = start(crawl, out, gate, "--resume")
    in_the_middle(run, gate)
    for claim in (out / "_temporary").glob("claim-*"):
        claim.unlink()  # as a run does that takes the folder; this one fails at its end
    gate.touch()
    assert run.wait(PATIENCE) == ExitCode.FAILED
    came = seen(gate)
    assert start(crawl, out, gate, "--resume").wait(PATIENCE) == ExitCode.PARTIAL
    assert {url for url, count in (seen(gate) - came).items() if count} <= {"http://0.example/3"}  # the revisit's page
    assert (out / "_SUCCESS").exists()


def test_without_resume_a_run_begins_anew(tmp_path: Path, crawl: str, gate: Path) -> None:
    out = tmp_path / "out"
    run = start(crawl, out, gate, "--resume")
    in_the_middle(run, gate)
    run.kill()
    run.wait()
    gate.touch()
    first = seen(gate)
    assert start(crawl, out, gate).wait(PATIENCE) == ExitCode.PARTIAL
    assert {seen(gate)[url] for url in first} == {2}


def test_what_another_run_has_left_is_not_resumed(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    take(out, {"format": "jsonl", "inputs": [["a.warc.gz", 1]], "dedup": True})
    check(out, {"format": "jsonl", "inputs": [["a.warc.gz", 1]], "dedup": True})
    with pytest.raises(UsageError, match=r"another one \(format, inputs\)"):
        check(out, {"format": "wet", "inputs": [["a.warc.gz", 2]], "dedup": True})
    check(out, None)
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.parametrize("written", ["", '{"format": "jso', "[1]", "null"])
def test_a_run_of_which_nothing_is_known_is_begun_anew(tmp_path: Path, written: str) -> None:
    left = tmp_path / "out" / "_temporary" / "job.json"
    left.parent.mkdir(parents=True)
    left.write_text(written, encoding="utf-8")
    check(str(tmp_path / "out"), {"format": "jsonl"})
    assert not left.exists()


def test_a_run_that_is_done_is_not_resumed(tmp_path: Path, crawl: str, gate: Path) -> None:
    gate.touch()
    assert start(crawl, tmp_path / "out", gate, "--resume").wait(PATIENCE) == ExitCode.PARTIAL
    assert start(crawl, tmp_path / "out", gate, "--resume").wait(PATIENCE) == ExitCode.USAGE
    with pytest.raises(UsageError, match="is done"):
        check(str(tmp_path / "out"), {})
