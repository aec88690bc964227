"""The demonstration and the figures of the documentation, which need nothing but what is shipped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from crawls import assert_sound
from lxml import etree

from bench import demo, figures
from bench.web import pages
from bench.web.served import addresses
from pipeline.exit_codes import ExitCode
from spiders.outcomes import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_demonstration_crawls_every_article_and_accounts_for_every_record(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert demo.main(["--keep", str(tmp_path)]) == 0
    printed = capfd.readouterr().out
    crawled, _, rest = printed.partition("$ winnow clean")
    fetches, records = counts(crawled), counts(rest.partition("\nbytes")[0])
    assert fetches["fetches"] == sum(fetches[outcome.value] for outcome in Outcome if outcome.value in fetches)
    assert {"stored", "redirected", "http_error", "noindex", "robots_denied"} <= set(fetches)
    # What the crawl has stored is what the pipeline has read.
    stored = fetches["stored"] + fetches["redirected"] + fetches["http_error"]
    assert records["cleaned"] == len(pages())
    assert records["cleaned"] + records["bad_status"] + records["not_html"] == stored
    cleaned = list(demo.documents(tmp_path / "cleaned"))
    assert {document["url"] for document in cleaned} == addresses()
    assert f"{cleaned[0]['text'][: demo.SHOWN]} ..." in printed
    assert_sound(tmp_path / "crawl")


def counts(table: str) -> dict[str, int]:
    """The numbers of a table by their names."""
    return {name: int(count.replace(",", "")) for name, count in re.findall(r"^ *(\w+) +([\d,]+)\b", table, re.M)}


def test_the_demonstration_does_not_write_over_what_it_was_to_keep(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "cleaned" / "mine"
    mine.parent.mkdir()
    mine.touch()
    assert demo.main(["--keep", str(tmp_path)]) == ExitCode.USAGE
    assert "is not empty" in capsys.readouterr().err
    assert list(mine.parent.iterdir()) == [mine]


def test_the_figures_are_written_and_the_same_every_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for folder in ("once", "again"):
        assert figures.main([str(tmp_path / folder)]) == 0
    printed = capsys.readouterr().out.splitlines()
    names = {path.name for path in (tmp_path / "once").iterdir()}
    assert all(str(tmp_path / "once" / name) in printed for name in names)
    assert {"density.svg", "tag-ratio-smoothed.svg", "block.svg"} <= names
    for name in names:
        drawn = (tmp_path / "once" / name).read_bytes()
        assert etree.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
        assert drawn == (tmp_path / "again" / name).read_bytes()
