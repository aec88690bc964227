"""Files are cut into ranges that, read one by one, give every record once."""

from __future__ import annotations

import gzip
from contextlib import closing
from pathlib import Path

import pytest
from archives import page, response, site

from pipeline.clean import Settings
from pipeline.guard import Cleaner, Range
from pipeline.source import FEW_FILES, LARGE_BYTES, SPLIT_BYTES, ranges, split_size
from pipeline.warc import Record, read


def cut(path: str, split: int) -> list[Range]:
    with closing(Cleaner(Settings())) as cleaner:
        return list(ranges(3, path, Path(path).stat().st_size, split, cleaner.can_be_split))


def offsets(found: list[Range]) -> list[int]:
    items = []
    for part in found:
        with open(part.uri, "rb") as stream:  # noqa: PTH123  a path as text
            items += [
                item.offset for item in read(stream, part.start, part.stop, size=part.size) if isinstance(item, Record)
            ]
    return items


@pytest.mark.parametrize("split", [1, 7, 100, 1_000, 5_000, 10**9])
def test_any_split_gives_every_record_once(tmp_path: Path, split: int) -> None:
    path = site(tmp_path / "a.warc.gz", 25)
    found = cut(path, split)
    assert offsets(found) == offsets(cut(path, 0))
    assert [part.part for part in found] == list(range(len(found)))
    assert len({part.shard for part in found}) == len(found)
    assert [part.start for part in found[1:]] == [part.stop for part in found[:-1]]
    assert max(part.stop - part.start for part in found) <= max(split, 1) or len(found) == 1


def test_a_plain_file_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(response(f"http://a.example/{n}", page(n)) for n in range(9)))
    assert len(cut(str(path), 100)) == 1


def test_a_file_gzipped_as_a_whole_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(b"".join(response(f"http://a.example/{n}", page(n)) for n in range(9))))
    assert len(cut(str(path), 100)) == 1


def test_few_files_are_cut_small_and_of_many_only_large_ones() -> None:
    assert split_size(1) == split_size(FEW_FILES - 1) == SPLIT_BYTES
    assert split_size(FEW_FILES) == split_size(90_000) == LARGE_BYTES
