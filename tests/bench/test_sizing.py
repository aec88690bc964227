"""What a page more costs: real runs over a few pages and over all, and the difference between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.archive import write_parts
from bench.datasets import load
from bench.sizing import WITHOUT_SITES, Crawl, cost, main, size


def test_the_cost_of_a_page_is_that_of_the_pages_between(tmp_path: Path) -> None:
    corpus = load("corpus")
    few = Crawl(tmp_path / "few", write_parts(tmp_path / "few", corpus.spread(4).samples, 2))
    every = Crawl(tmp_path / "every", write_parts(tmp_path / "every", corpus.samples, 2))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    found = cost("corpus", few, every, scratch, WITHOUT_SITES)
    assert (few.pages, every.pages, found.pages) == (4, 30, 30)
    assert found.archive == (size(every.folder) - size(few.folder)) / 26
    assert max(size(output) for output in scratch.iterdir()) > 26 * found.written > 0
    assert found.shuffled is None
    assert found.cells[0] == "corpus"


def test_data_that_is_not_there_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nothing")]) == 2
    assert "nothing" in capsys.readouterr().err
