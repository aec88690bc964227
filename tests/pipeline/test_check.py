"""`winnow check` on real archives, whole and damaged."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

from pipeline.check import examine
from pipeline.exit_codes import ExitCode

if TYPE_CHECKING:
    from pathlib import Path

DAMAGE_AT = 12_000  # bytes into the third member


def record(number: int) -> bytes:
    """A response whose page hardly compresses, with the digest of its block."""
    page = b"".join(hashlib.sha256(b"%d %d" % (number, part)).hexdigest().encode() for part in range(600))
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>" + page + b"</p>"
    digest = base64.b32encode(hashlib.sha1(block, usedforsecurity=False).digest())
    head = (
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://site.example/%d\r\n"
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-%012d>\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n"
        b"WARC-Block-Digest: sha1:%b\r\nContent-Length: %d\r\n\r\n"
    )
    return head % (number, number, digest, len(block)) + block + b"\r\n\r\n"


def archive(*, gzipped: bool = True) -> tuple[bytes, list[int]]:
    """Five records, and where each begins."""
    members = [gzip.compress(record(number)) if gzipped else record(number) for number in range(5)]
    return b"".join(members), [sum(map(len, members[:number])) for number in range(5)]


def winnow_check(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pipeline.cli", "check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def test_a_whole_archive_is_ok_and_all_its_bytes_are_in_records(tmp_path: Path) -> None:
    whole, _ = archive()
    path = tmp_path / "whole.warc.gz"
    path.write_bytes(whole)
    health = examine(str(path))
    assert health.healthy
    assert health.records == {"response": 5}
    assert health.record_bytes == health.size == len(whole)
    assert health.digests == 5
    run = winnow_check(str(path))
    assert run.returncode == ExitCode.OK
    assert run.stdout.endswith(f": ok, {len(whole):,} bytes, 5 response\n")


def test_a_damaged_member_is_named_with_its_bytes_and_the_rest_is_read(tmp_path: Path) -> None:
    whole, offsets = archive()
    damaged = bytearray(whole)
    damaged[offsets[2] + DAMAGE_AT : offsets[2] + DAMAGE_AT + 8] = b"\xff" * 8
    path = tmp_path / "damaged-member-3.warc.gz"
    path.write_bytes(damaged)
    run = winnow_check(str(path), "--json")
    assert run.returncode == ExitCode.PARTIAL
    report = json.loads(run.stdout)
    assert report["records"] == {"response": 4}
    assert [(loss["start"], loss["end"]) for loss in report["losses"]] == [(offsets[2], offsets[3])]
    assert report["record_bytes"] + report["lost_bytes"] == report["size"]


def test_a_block_that_is_not_what_its_digest_says_is_damage(tmp_path: Path) -> None:
    whole, offsets = archive(gzipped=False)
    changed = whole[: offsets[1] - 100] + bytes([whole[offsets[1] - 100] ^ 1]) + whole[offsets[1] - 99 :]
    path = tmp_path / "changed-byte.warc"
    path.write_bytes(changed)
    health = examine(str(path))
    assert health.bad_digests == (0,)
    assert not health.healthy
    assert "wrong digest: record at byte 0" in str(health)


def test_a_missing_archive_is_a_usage_error() -> None:
    run = winnow_check("nowhere.warc.gz")
    assert run.returncode == ExitCode.USAGE
    assert "nowhere.warc.gz" in run.stderr
    assert run.stdout == ""


def test_a_file_that_a_server_does_not_give_is_lost_and_the_others_are_examined(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(archive()[0])
    with socket.socket() as closed:  # bound, but nobody listens
        closed.bind(("127.0.0.1", 0))
        uri = f"http://127.0.0.1:{closed.getsockname()[1]}/gone.warc.gz"
        command = [sys.executable, "-m", "pipeline.cli", "check", "--json", uri, str(path)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == ExitCode.PARTIAL
    gone, there = map(json.loads, run.stdout.splitlines())
    assert (gone["uri"], gone["healthy"], there["uri"], there["healthy"]) == (uri, False, str(path), True)
    assert gone["losses"][0]["reason"].startswith(f"cannot read {uri}")
