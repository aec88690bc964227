"""Measuring growth: the crawls are what they claim to be, and the ratios follow from the rows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bench.scaling import FILES, Row, a_page, ratios, write_crawl
from pipeline.clean import site_of, url_of
from pipeline.warc import Record, read


def sites_of(path: str) -> Counter[str]:
    with Path(path).open("rb") as file:
        items = list(read(file, 0, Path(path).stat().st_size, size=Path(path).stat().st_size))
    return Counter(site_of(url_of(item)) for item in items if isinstance(item, Record))


@pytest.mark.parametrize(("hot", "share"), [(True, 0.5), (False, 0.05)])
def test_half_of_a_hot_crawl_is_of_one_site_in_every_file(tmp_path: Path, hot: bool, share: float) -> None:
    files = write_crawl(tmp_path / "crawl", 640, hot=hot)
    assert len(files) == FILES
    every = Counter[str]()
    for file in files:
        sites = sites_of(file)
        every += sites
        if hot:
            assert sites["0.example"] == sites.total() / 2
    assert every.total() == 640
    assert max(every.values()) / 640 <= share


def test_the_ratios_follow_from_the_rows() -> None:
    rows = [Row("local", 1, pages, "even", 5 + pages * 0.01) for pages in (100, 300, 1000)]
    rows += [Row("local", 2, pages, "even", 5 + pages * 0.005) for pages in (100, 300, 1000)]
    rows += [Row("local", 2, 300, "hot", 9.75), Row("local", 2, 300, "hot", 7.8)]
    assert a_page(rows, "local", 1) == pytest.approx(0.01)
    gain, growth, hot = ratios(rows).values()
    assert gain == pytest.approx(2.0)
    assert growth == pytest.approx(1.0)
    assert hot == pytest.approx(7.8 / 6.5)
