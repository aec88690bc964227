"""The end of a run: the accounts are settled, then every file gets its name, and the marker of success comes last."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import apache_beam as beam
from apache_beam.io.filesystem import BeamIOError, CompressionTypes
from apache_beam.io.filesystems import FileSystems

from pipeline.exceptions import AccountsDoNotBalance, PipelineError
from pipeline.ledger import Account, MostlyRemovedSites, Tally, imbalances
from pipeline.sinks import TEMPORARY, Shard, ShardFile, final_path
from pipeline.warc import Loss

if TYPE_CHECKING:
    from pipeline.job import Job

STATS, SITES, LOSSES, SUCCESS, UNBALANCED = "stats.json", "sites", "losses", "_SUCCESS", "unbalanced.json"
NOTHING_REMOVED = MostlyRemovedSites()
# So many files a bucket of sites, to be sorted and written by one worker.
FILES_A_BUCKET = 1_000
# Of a call that renames; object stores take this many at once.
RENAMED_AT_ONCE = 100


class WriteSorted(beam.PTransform):  # type: ignore[misc]
    """(name, line) -> a shard of these lines in the order of the names; in large runs several, by hash."""

    def __init__(self, job: Job, name: str, form: str, header: bytes | None = None) -> None:
        super().__init__()
        self._output, self._name, self._form, self._header = job.output, name, form, header
        self._buckets = 1 + len(job.files) // FILES_A_BUCKET

    def expand(self, lines: beam.PCollection[tuple[str, bytes]]) -> beam.PCollection[Shard]:
        """The branch of the graph."""
        buckets = self._buckets
        return (
            lines
            | "Bucket" >> beam.Map(lambda line: (zlib.crc32(line[0].encode("utf-8", "replace")) % buckets, line))
            | "By bucket" >> beam.GroupByKey()
            | "Write" >> beam.FlatMap(self._write)
        )

    def _write(self, element: tuple[int, Iterable[tuple[str, bytes]]]) -> Iterator[Shard]:
        bucket, lines = element
        name = self._name if self._buckets == 1 else f"{self._name}-{bucket:05}-of-{self._buckets:05}"
        with ShardFile(self._output, "", name, self._form) as file:
            if self._header:
                file.write(self._header)
            for _, line in sorted(lines):
                file.write(line)
            shard = file.close()
        if shard:
            yield shard


class Close(beam.DoFn):  # type: ignore[misc]
    """Settles a run, names its files, and marks it as done. May be repeated: what was done stays done."""

    def __init__(self, job: Job) -> None:
        self._job = job.without_files()

    def process(
        self,
        _: object,
        shards: list[Shard],
        account: Account,
        tally: Tally,
        losses: list[tuple[str, Loss]],
        removed: MostlyRemovedSites = NOTHING_REMOVED,
    ) -> Iterator[dict[str, Any]]:
        """Settle; raises AccountsDoNotBalance, and names nothing, if they do not."""
        folder = self._job.output
        stats = summary(self._job, account, tally, removed)
        if not FileSystems.exists(claim_path(folder, self._job.claim)):
            # An attempt before this one has done it all, or the folder was given to another run.
            if not FileSystems.exists(FileSystems.join(folder, SUCCESS)):
                raise PipelineError(f"{folder} has been taken by a run that was started after this one")
            yield stats
            return
        if stats["imbalances"]:
            _write(FileSystems.join(folder, UNBALANCED), as_json(stats, indent=2))
            raise AccountsDoNotBalance("; ".join(stats["imbalances"]))
        with ShardFile(folder, "", LOSSES, "jsonl.plain") as file:
            for uri, loss in sorted(losses):
                file.write(as_json({"file": uri, **loss._asdict()}))
            lost = file.close()
        name_shards(folder, [*shards, *([lost] if lost else [])])
        _write(FileSystems.join(folder, STATS), as_json(stats, indent=2))
        _write(FileSystems.join(folder, SUCCESS), b"")
        remove(FileSystems.join(folder, TEMPORARY))
        yield stats


def claim_path(folder: str, claim: str) -> str:
    """The file by which a run holds its folder; it goes when the run is done, or another one takes the folder."""
    return str(FileSystems.join(folder, TEMPORARY, f"claim-{claim}"))


def summary(job: Job, account: Account, tally: Tally, removed: MostlyRemovedSites) -> dict[str, Any]:
    """What stats.json says. The same input gives the same bytes: it has no times in it."""
    return {
        "winnow": version("winnow"),
        "extractor": job.settings.extractor,
        "parameters": dict(job.settings.parameters),
        "statuses": sorted(job.settings.statuses),
        "dedup": job.dedup,
        "site_by": job.settings.site_by,
        "site_templates": job.templates or job.learn,
        "site_rules": job.settings.site_rules if job.learn else None,  # a file of templates says for each site
        "shared": job.settings.shared,
        "archive": tally._asdict(),
        "read": {"records": account.read, "gained": account.gained},
        **account.as_dict(),
        "mostly_removed": removed.as_dict(),
        "failures": account.failures,
        "imbalances": list(imbalances(account, tally)),
    }


def name_shards(folder: str, shards: Sequence[Shard]) -> None:
    """Give the shards their names; those that have them already, from an attempt before this one, are left alone."""
    for kind in sorted({shard.kind for shard in shards if shard.kind}):
        with suppress(BeamIOError, OSError):  # it is there already
            FileSystems.mkdirs(FileSystems.join(folder, kind))
    for start in range(0, len(shards), RENAMED_AT_ONCE):
        part = shards[start : start + RENAMED_AT_ONCE]
        pairs = [(shard.temporary, final_path(folder, shard)) for shard in part]
        waiting = [(old, new) for old, new in pairs if FileSystems.exists(old)]
        for old, new in pairs:
            if (old, new) not in waiting and not FileSystems.exists(new):
                raise FileNotFoundError(f"{old} has gone, and there is no {new}")
        if waiting:
            FileSystems.rename(*map(list, zip(*waiting, strict=True)))


def remove(folder: str) -> None:
    """Remove a folder with all that is in it, if it is there."""
    with suppress(BeamIOError, OSError):
        FileSystems.delete([folder])


def as_json(value: object, indent: int | None = None) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=indent).encode("utf-8", "replace") + b"\n"


def _write(path: str, content: bytes) -> None:
    with FileSystems.create(path, compression_type=CompressionTypes.UNCOMPRESSED) as file:
        file.write(content)
