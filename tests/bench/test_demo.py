"""The demonstration and the figures of the documentation, which need nothing but the shipped corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lxml import etree

from bench import demo, figures
from bench.datasets import load

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_demonstration_shows_every_page_the_sum_and_one_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.main() == 0
    lines = capsys.readouterr().out.splitlines()
    samples = load("corpus").samples
    assert [line.split()[0] for line in lines[1 : len(samples) + 1]] == [sample.type for sample in samples]
    html_size = sum(len(sample.html()) for sample in samples)
    assert f"{len(samples)} pages, {html_size:,} bytes of HTML" in "\n".join(lines)
    shown = "\n".join(lines[lines.index(f"{samples[1].id}:") :])
    assert (samples[1].gold or "").split("\n")[0] in shown


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
