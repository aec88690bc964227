"""Text as JSON lines, Parquet and WET, whole or not at all."""

from __future__ import annotations

import gzip
import io
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest
import zstandard
from archives import page, response
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator

from pipeline.clean import Settings, as_line, judge
from pipeline.sinks import FORMATS, SCHEMA, TEMPORARY, ShardFile
from pipeline.warc import Record, read

if TYPE_CHECKING:
    from pathlib import Path


def documents(count: int = 3) -> list[dict[str, Any]]:
    made = []
    for number in range(count):
        data = response(f"http://a.example/{number}", page(number), WARC_Record_ID=f"<urn:uuid:{number}>")
        (item,) = read(io.BytesIO(data), size=len(data))
        assert isinstance(item, Record)
        made.append(judge(item, Settings(), "a.warc").document)
    return made


def written(folder: Path, form: str, rows: list[dict[str, Any]]) -> bytes:
    with ShardFile(str(folder), "text", "00000-0000", form) as file:
        for row in rows:
            file.write(as_line(row))
        shard = file.close()
    assert shard is not None
    assert (shard.rows, shard.name) == (len(rows), "00000-0000" + FORMATS[form].suffix)
    assert shard.temporary.startswith(str(folder / TEMPORARY))
    with open(shard.temporary, "rb") as stream:  # noqa: PTH123  a path as text
        return stream.read()


@pytest.mark.parametrize("form", list(FORMATS))
def test_the_same_documents_give_the_same_bytes(tmp_path: Path, form: str) -> None:
    assert written(tmp_path, form, documents()) == written(tmp_path, form, documents())


def test_lines_are_the_documents(tmp_path: Path) -> None:
    rows = documents()
    plain = written(tmp_path, "jsonl.plain", rows)
    assert [json.loads(line) for line in plain.splitlines()] == rows
    assert gzip.decompress(written(tmp_path, "jsonl", rows)) == plain
    packed = written(tmp_path, "jsonl.zst", rows)
    assert zstandard.ZstdDecompressor().stream_reader(packed).read() == plain


def test_parquet_has_every_field(tmp_path: Path) -> None:
    rows = documents()
    table = pq.read_table(io.BytesIO(written(tmp_path, "parquet", rows)))
    assert table.schema.equals(SCHEMA)
    assert table.to_pylist() == rows
    assert set(rows[0]) == set(SCHEMA.names)


def test_parquet_is_written_in_row_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.sinks.ROW_GROUP_ROWS", 2)
    data = written(tmp_path, "parquet", documents(5))
    assert pq.ParquetFile(io.BytesIO(data)).num_row_groups == 3


def test_wet_is_read_by_warcio(tmp_path: Path) -> None:
    rows = documents()
    data = written(tmp_path, "wet", rows)
    seen = []
    for record in ArchiveIterator(io.BytesIO(data), check_digests=True):
        headers = record.rec_headers
        text = record.content_stream().read().decode()
        assert record.digest_checker.passed
        assert record.rec_type == "conversion"
        seen.append((headers["WARC-Target-URI"], headers["WARC-Refers-To"], headers["WARC-Date"], text))
    assert seen == [(row["url"], row["record_id"], row["fetched"], row["text"] + "\n") for row in rows]


def test_wet_is_read_by_fastwarc(tmp_path: Path) -> None:
    rows = documents()
    records = list(FastIterator(io.BytesIO(written(tmp_path, "wet", rows)), verify_digests=True))
    assert [record.headers["WARC-Target-URI"] for record in records] == [row["url"] for row in rows]


def test_a_header_cannot_be_smuggled_into_wet(tmp_path: Path) -> None:
    row = {**documents(1)[0], "url": "http://a.example/\r\nWARC-Type: response\r\n\r\nWARC/1.1"}
    (record,) = ArchiveIterator(io.BytesIO(written(tmp_path, "wet", [row])))
    assert record.rec_type == "conversion"


def test_nothing_is_left_of_a_shard_that_failed(tmp_path: Path) -> None:
    with suppress(RuntimeError), ShardFile(str(tmp_path), "text", "00000-0000") as file:
        file.write(b"{}\n")
        assert [path for path in tmp_path.rglob("*") if path.is_file()]
        raise RuntimeError
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_shard_without_rows_is_no_file(tmp_path: Path) -> None:
    with ShardFile(str(tmp_path), "text", "00000-0000") as file:
        assert file.close() is None
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
