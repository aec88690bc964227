"""Where text goes: a shard of JSON lines, Parquet or WET for each range of the input, written under a temporary name.

A shard is a function of its range alone, so that the number of workers, their order and repeats change none of its
bytes. It gets its name when the accounts of the run are settled (pipeline/publish.py).
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple, Protocol, cast

import pyarrow as pa
import pyarrow.parquet as pq
import zstandard
from apache_beam.io.filesystem import CompressionTypes
from apache_beam.io.filesystems import FileSystems

from pipeline.outcomes import Sizes

TEXT, LETTERS, EXPLAINED = "text", "dead-letters", "explained"
TEMPORARY = "_temporary"
GZIP_LEVEL, ZSTD_LEVEL = 6, 6
# Of a row group: what a reader must hold, and what a writer does.
ROW_GROUP_ROWS, ROW_GROUP_BYTES = 5_000, 16 << 20


class Shard(NamedTuple):
    """A file that was written whole, still under its temporary name."""

    kind: str  # the folder that it belongs into
    name: str
    temporary: str  # its path
    rows: int


def final_path(folder: str, shard: Shard) -> str:
    """The path that a shard gets when the run is settled."""
    return str(FileSystems.join(folder, *filter(None, (shard.kind, shard.name))))


class Writer(Protocol):
    """Writes documents, one line of JSON each, in a format."""

    def write(self, line: bytes) -> None:
        """Add one document."""

    def close(self) -> None:
        """Write what is left; the stream is not closed."""


class _Unclosed:
    """A stream that its owner closes: libraries that wrap it do not."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, data: bytes) -> int:
        self._stream.write(data)
        return len(data)

    def flush(self) -> None:
        """Nothing: Beam's compressed streams end when they are flushed."""


class Lines:
    """JSON lines, compressed as a whole."""

    def __init__(self, stream: BinaryIO, compression: str) -> None:
        out = cast("BinaryIO", _Unclosed(stream))
        self._out: Any = out
        if compression == "gz":
            # Neither name nor time: the same lines give the same bytes.
            self._out = gzip.GzipFile(filename="", mode="wb", compresslevel=GZIP_LEVEL, fileobj=out, mtime=0)
        elif compression == "zst":
            self._out = zstandard.ZstdCompressor(level=ZSTD_LEVEL).stream_writer(out, closefd=False)
        self._compressed = compression != "none"

    def write(self, line: bytes) -> None:
        self._out.write(line)

    def close(self) -> None:
        if self._compressed:
            self._out.close()


_STRINGS = ("url", "site", "fetched", "title", "author", "published", "language", "text", "extractor")
_MORE_STRINGS = ("sha256", "charset", "truncated", "file")
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in _STRINGS),
        ("sizes", pa.struct([(name, pa.int64()) for name in Sizes._fields])),
        *((name, pa.string()) for name in _MORE_STRINGS),
        ("offset", pa.int64()),
        ("record_id", pa.string()),
        ("revisit_of", pa.string()),
    ]
)


class Parquet:
    """Parquet, compressed with zstd, in row groups of bounded size."""

    def __init__(self, stream: BinaryIO) -> None:
        self._out = pq.ParquetWriter(cast("Any", pa.PythonFile(stream, mode="w")), SCHEMA, compression="zstd")
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def write(self, line: bytes) -> None:
        self._rows.append(json.loads(line))
        self._bytes += len(line)
        if len(self._rows) >= ROW_GROUP_ROWS or self._bytes >= ROW_GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        self._flush()
        self._out.close()

    def _flush(self) -> None:
        if self._rows:
            self._out.write_table(pa.Table.from_pylist(self._rows, schema=SCHEMA))
        self._rows, self._bytes = [], 0


class Wet:
    """WET, as Common Crawl calls it: `conversion` records of plain text, one gzip member each."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, line: bytes) -> None:
        self._stream.write(gzip.compress(conversion(json.loads(line)), GZIP_LEVEL, mtime=0))

    def close(self) -> None:
        """Nothing is left: every record is a member of its own."""


def conversion(document: dict[str, Any]) -> bytes:
    """The document as a WARC record (WARC 1.1, section 6.8). Its id follows from its source and its text."""
    block: bytes = document["text"].encode("utf-8", "replace") + b"\n"
    identity = f"{document['file']} {document['offset']} {document['record_id']} {document['sha256']}"
    digest = base64.b32encode(hashlib.sha1(block, usedforsecurity=False).digest()).decode()
    headers = {
        "WARC-Type": "conversion",
        "WARC-Target-URI": document["url"],
        "WARC-Date": document["fetched"],
        "WARC-Record-ID": f"<urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, identity)}>",
        "WARC-Refers-To": document["record_id"],
        "WARC-Block-Digest": f"sha1:{digest}",
        "WARC-Truncated": document["truncated"],
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Length": str(len(block)),
    }
    # No value can begin a line of its own: what comes from a page or an archive names no headers.
    lines = [f"{name}: {' '.join(value.split())}" for name, value in headers.items() if value]
    head = "\r\n".join(["WARC/1.1", *lines, "", ""]).encode("utf-8", "replace")
    return head + block + b"\r\n\r\n"


class Format(NamedTuple):
    """A way to write text."""

    suffix: str
    open: Callable[[BinaryIO], Writer]


FORMATS: dict[str, Format] = {
    "jsonl": Format(".jsonl.gz", lambda stream: Lines(stream, "gz")),
    "jsonl.zst": Format(".jsonl.zst", lambda stream: Lines(stream, "zst")),
    "jsonl.plain": Format(".jsonl", lambda stream: Lines(stream, "none")),
    "parquet": Format(".parquet", Parquet),
    "wet": Format(".warc.wet.gz", Wet),
}


class ShardFile:
    """A shard in the making: a context that leaves nothing behind if it fails, not even an empty file."""

    def __init__(self, folder: str, kind: str, shard: str, form: str = "jsonl") -> None:
        chosen = FORMATS[form]
        self.kind, self.name = kind, shard + chosen.suffix
        self.rows = 0
        # An attempt that is repeated elsewhere writes beside this one; only the one that counts gets its name.
        self._path = FileSystems.join(folder, TEMPORARY, f"{kind}-{self.name}.{uuid.uuid4().hex}")
        self._open = chosen.open
        self._stream: BinaryIO | None = None
        self._writer: Writer | None = None

    def write(self, line: bytes) -> None:
        """Add one line of JSON."""
        if self._writer is None:
            self._stream = cast(
                "BinaryIO", FileSystems.create(self._path, compression_type=CompressionTypes.UNCOMPRESSED)
            )
            self._writer = self._open(self._stream)
        self._writer.write(line)
        self.rows += 1

    def close(self) -> Shard | None:
        """The shard, durable on its file system; None if nothing was written."""
        if self._writer is None or self._stream is None:
            return None
        self._writer.close()
        self._stream.close()
        return Shard(self.kind, self.name, self._path, self.rows)

    def __enter__(self) -> ShardFile:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self._stream is not None:
            with suppress(Exception):
                self._stream.close()
            with suppress(Exception):
                FileSystems.delete([self._path])
