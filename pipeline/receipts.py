"""Receipts: what a range came to, written when its shards are, so that no fault makes anybody clean it again.

A step that an engine starts again, or a run that goes on where another one was killed (`--resume`), finds the receipt
of a range and hands on what it says. So a fault costs the ranges that were at work, whatever the engine repeats.

Receipts are kept by the key of the job: another one that still works at the same folder, on a cluster that lost its
driver, leaves its own.
"""

from __future__ import annotations

import gzip
import json
import uuid
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from apache_beam.io.filesystem import BeamIOError, CompressionTypes
from apache_beam.io.filesystems import FileSystems

from pipeline.guard import Range, Revisit
from pipeline.ledger import Account, Tally
from pipeline.sinks import TEMPORARY, Shard, final_path
from pipeline.warc import Loss

if TYPE_CHECKING:
    from pipeline.job import Job

RECEIPTS = "receipts"
GZIP_LEVEL = 1


class Receipt(NamedTuple):
    """All that the graph needs to know of what was cleaned."""

    shards: tuple[Shard, ...]
    accounts: tuple[tuple[str, Account], ...]  # by site
    tally: Tally
    losses: tuple[Loss, ...] = ()
    revisits: tuple[Revisit, ...] = ()  # yet to be resolved


def encode(work: Range, receipt: Receipt) -> bytes:
    """The receipt of a range as bytes; one that is cut short is known by that."""
    accounts = [(site, account.encode().decode("ascii")) for site, account in receipt.accounts]
    written = json.dumps([work, [receipt.shards, accounts, receipt.tally, receipt.losses, receipt.revisits]])
    return gzip.compress(written.encode("ascii"), GZIP_LEVEL, mtime=0)


def decode(encoded: bytes) -> tuple[Range, Receipt]:
    """What `encode` wrote; raises ValueError if it is not whole."""
    try:
        work, (shards, accounts, tally, losses, revisits) = json.loads(gzip.decompress(encoded))
        return Range(*work), Receipt(
            tuple(Shard(*shard) for shard in shards),
            tuple((site, Account.decode(account)) for site, account in accounts),
            Tally(*tally),
            tuple(Loss(*loss) for loss in losses),
            tuple(_revisit(*revisit) for revisit in revisits),
        )
    except (OSError, EOFError, zlib.error, TypeError) as error:
        raise ValueError(f"these bytes are no receipt: {error}") from error


def _revisit(*values: Any) -> Revisit:
    revisit = Revisit(*values)
    return revisit._replace(keys=tuple(revisit.keys))  # JSON has no tuples


def keep(job: Job, work: Range, receipt: Receipt) -> None:
    """Write the receipt of a range, beside those of other attempts: no two ever write the same file."""
    path = FileSystems.join(_folder(job, work), f"{uuid.uuid4().hex}.json.gz")
    with FileSystems.create(path, compression_type=CompressionTypes.UNCOMPRESSED) as file:
        file.write(encode(work, receipt))


def find(job: Job, work: Range) -> Receipt | None:
    """The receipt of a range, this very one, if there is one whose shards are all there."""
    found = FileSystems.match([FileSystems.join(_folder(job, work), "*")])[0].metadata_list
    for path in sorted(entry.path for entry in found):
        try:
            with FileSystems.open(path, compression_type=CompressionTypes.UNCOMPRESSED) as file:
                cleaned, receipt = decode(file.read())
        except (OSError, BeamIOError, ValueError):
            continue  # cut short by a kill, or removed by another run that took the folder
        if cleaned == work and all(_is_there(job.output, shard) for shard in receipt.shards):
            return receipt
    return None


def _folder(job: Job, work: Range) -> str:
    return str(FileSystems.join(job.output, TEMPORARY, RECEIPTS, job.key or "run", work.shard))


def _is_there(folder: str, shard: Shard) -> bool:
    """Whether a shard has its temporary name, or already the one that it keeps."""
    return bool(FileSystems.exists(shard.temporary) or FileSystems.exists(final_path(folder, shard)))
