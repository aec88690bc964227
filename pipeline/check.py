"""The health of one WARC file: its records by type, its digests, and every byte that is not part of a record."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import Any

from pipeline.files import InputError, open_binary, size
from pipeline.warc import Loss, Record, read


@dataclass(frozen=True)
class Health:
    """What was found; the bytes of records and of losses add up to the size of the file."""

    uri: str
    size: int
    records: dict[str, int]  # by WARC-Type
    record_bytes: int
    losses: tuple[Loss, ...]
    cut: int  # records that say, or show, that they are not whole
    bad_digests: tuple[int, ...]  # offsets of records whose block is not what its digest says
    digests: int  # how many had one that could be checked

    @property
    def lost_bytes(self) -> int:
        """Bytes of the file that are in no record."""
        return sum(loss.end - loss.start for loss in self.losses)

    @property
    def healthy(self) -> bool:
        """Whether every byte belongs to a record and no digest is wrong."""
        return not self.losses and not self.bad_digests

    def as_dict(self) -> dict[str, Any]:
        """For machines."""
        return {
            "uri": self.uri,
            "healthy": self.healthy,
            "size": self.size,
            "records": self.records,
            "record_bytes": self.record_bytes,
            "lost_bytes": self.lost_bytes,
            "losses": [loss._asdict() for loss in self.losses],
            "cut_records": self.cut,
            "digests_checked": self.digests,
            "bad_digests_at": list(self.bad_digests),
        }

    def __str__(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.records.items()) or "no records"
        lines = [f"{self.uri}: {'ok' if self.healthy else 'DAMAGED'}, {self.size:,} bytes, {kinds}"]
        lines += [f"  lost: bytes {loss.start:,} to {loss.end:,}, {loss.reason}" for loss in self.losses]
        lines += [f"  wrong digest: record at byte {offset:,}" for offset in self.bad_digests]
        if self.cut:
            lines.append(f"  not whole: {self.cut} records (WARC-Truncated, or shorter than their Content-Length)")
        return "\n".join(lines)


def examine(uri: str) -> Health:
    """Read a whole archive; memory is bounded by its largest record. A file that cannot be read is lost."""
    records: Counter[str] = Counter()
    losses: list[Loss] = []
    bad: list[int] = []
    record_bytes = cut = digests = total = position = 0
    try:
        total = size(uri)
        with open_binary(uri) as stream:
            for item in read(stream, size=total):
                if isinstance(item, Loss):
                    losses.append(item)
                    position = item.end
                    continue
                position = item.offset + item.length
                records[item.type or "(none)"] += 1
                record_bytes += item.length
                cut += item.truncated is not None
                right = digest_is_right(item)
                digests += right is not None
                if right is False:
                    bad.append(item.offset)
    except (InputError, OSError) as error:
        losses.append(Loss(position, total, str(error)))
    by_type = dict(sorted(records.items(), key=lambda entry: (-entry[1], entry[0])))
    return Health(uri, total, by_type, record_bytes, tuple(losses), cut, tuple(bad), digests)


def digest_is_right(record: Record) -> bool | None:
    """Whether the block is what WARC-Block-Digest says; None if there is none, or none that can be checked."""
    name, _, value = (record.header("WARC-Block-Digest") or "").partition(":")
    name = name.strip().lower().replace("-", "")
    if name not in ("sha1", "sha256", "sha512", "md5") or record.truncated == "limit":
        return None
    found = hashlib.new(name, record.block, usedforsecurity=False)
    value = value.strip()
    # Base 32 as in the standard's examples, or hexadecimal as some write it.
    return value.upper().rstrip("=") == base64.b32encode(found.digest()).decode().rstrip("=") or (
        value.lower() == found.hexdigest()
    )
