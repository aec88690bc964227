"""Measuring growth: the crawls are what they claim to be, and the ratios follow from the rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bench.scaling import EVEN, FILES, HOT, ONE_FILE, SITES, Row, a_page, main, ratios, write_crawl
from pipeline.clean import site_of, url_of
from pipeline.warc import Record, read

PAGES = 2 * FILES * SITES
HOT_SITE = "site0.example"


def sites_of(path: str) -> Counter[str]:
    with Path(path).open("rb") as file:
        items = list(read(file, 0, Path(path).stat().st_size, size=Path(path).stat().st_size))
    return Counter(site_of(url_of(item)) for item in items if isinstance(item, Record))


@pytest.mark.parametrize("shape", [EVEN, HOT, ONE_FILE])
def test_crawls_of_every_shape_have_as_many_pages_and_sites(tmp_path: Path, shape: str) -> None:
    files = [sites_of(file) for file in write_crawl(tmp_path / "crawl", PAGES, shape)]
    every = sum(files, Counter[str]())
    assert len(files) == FILES
    assert every.total() == PAGES
    hot = every.pop(HOT_SITE, 0)
    assert hot == (0 if shape == EVEN else PAGES / 2)
    assert len(every) == SITES
    assert max(every.values()) - min(every.values()) <= 1
    if shape == HOT:
        assert all(file[HOT_SITE] == file.total() / 2 for file in files)
    if shape == ONE_FILE:
        assert files[0] == {HOT_SITE: hot}
        assert not any(file[HOT_SITE] for file in files[1:])


def test_no_two_pages_are_alike(tmp_path: Path) -> None:
    digests = set()
    for name in write_crawl(tmp_path / "crawl", 80, HOT):
        with Path(name).open("rb") as file:
            for item in read(file, 0, Path(name).stat().st_size, size=Path(name).stat().st_size):
                assert isinstance(item, Record)
                digests.add(item.block)
    assert len(digests) == 80


def test_the_ratios_follow_from_the_rows() -> None:
    rows = [Row("local", 1, pages, EVEN, 1.0, 5 + pages * 0.01) for pages in (100, 300, 1000)]
    rows += [Row("local", 2, pages, EVEN, 1.0, 5 + pages * 0.005) for pages in (100, 300, 1000)]
    rows += [Row("local", 2, 1000, EVEN, 1.0, 12.0)]  # a slower one of the same: the best counts
    rows += [Row("local", 2, 1000, HOT, 1.0, 15.0), Row("local", 2, 1000, HOT, 1.0, 11.0)]
    rows += [Row("local", 2, 1000, ONE_FILE, 1.0, 13.0)]
    assert a_page(rows[:3], 100, 1000) == pytest.approx(0.01)
    gain, growth, hot, one_file = ratios(rows).values()
    assert gain == pytest.approx(2.0)
    assert growth == pytest.approx(1.0)
    assert hot == pytest.approx(11 / 10)
    assert one_file == pytest.approx(13 / 10)


def test_a_run_that_fails_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--pages", "0", "--json", str(tmp_path / "figures.json")]) == 2
    assert "--pages" in capsys.readouterr().err
    assert not (tmp_path / "figures.json").exists()
