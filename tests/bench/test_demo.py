"""The demonstration and the figures of the documentation, which need nothing but what is shipped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from bench import demo, figures
from bench.web import pages, sites
from pipeline.exit_codes import ExitCode

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_demonstration_accounts_for_every_record_and_shows_one_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert demo.main(["--keep", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    of_records = printed.partition("\nbytes")[0]
    counts = {
        name: int(count.replace(",", "")) for name, count in re.findall(r"^ *(\w+) +([\d,]+)\b", of_records, re.M)
    }
    count, of_sites = len(pages()), len(sites())
    # Of every site: a page under two addresses, a revisit, an error and a redirection, three answers that are no pages.
    outcomes = {
        "cleaned": count + of_sites,
        "duplicate": of_sites,
        "bad_status": 2 * of_sites,
        "not_html": 3 * of_sites,
        "revisit_unresolved": 1,
    }
    answers = sum(outcomes.values())
    outcomes["archive_record"] = answers + of_sites  # a request for each, and what an archive says of itself
    assert {name: counts[name] for name in outcomes} == outcomes
    assert counts["records"] == sum(outcomes.values())
    cleaned = list(demo.documents(tmp_path / "cleaned"))
    assert {document["url"] for document in cleaned} == {page.url for page in pages()}
    assert f"{cleaned[0]['text'][: demo.SHOWN]} ..." in printed


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
