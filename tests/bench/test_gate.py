"""When the quality gate opens, and that floors sink only on purpose. The last test is the gate itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import bench.gate
from bench.datasets import load
from bench.exceptions import BenchError
from bench.gate import TOLERANCE, corpus_hash, failures, main, updated
from transforms import extractors

if TYPE_CHECKING:
    from pathlib import Path

ENTRY = {"id": "a", "url": "https://a.example/", "type": "article", "gold": "the river is high but calm today"}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A corpus of one page."""
    folder = tmp_path / "small"
    (folder / "pages").mkdir(parents=True)
    (folder / "gold.jsonl").write_text(json.dumps(ENTRY) + "\n")
    (folder / "pages" / "a.html").write_text(f"<ul><li>home<li>news</ul><p>{ENTRY['gold']}</p><p>imprint</p>")
    return folder


@pytest.fixture
def floors(tmp_path: Path) -> Path:
    return tmp_path / "floors.json"


def pinned(floors: Path) -> dict[str, float]:
    (entry,) = json.loads(floors.read_text()).values()
    return dict(entry["floors"])


def pin(floors: Path, corpus: Path, changed: dict[str, float | None]) -> None:
    """Set floors by hand; None takes one out."""
    entry = {"name": corpus.name, "metric": "bow", "floors": pinned(floors) | changed}
    entry["floors"] = {name: floor for name, floor in entry["floors"].items() if floor is not None}
    floors.write_text(json.dumps({corpus_hash(load(corpus)): entry}))


# The rules


def test_an_extractor_at_its_floor_passes() -> None:
    assert failures({"cetr": 0.7}, {"cetr": 0.7}) == []
    assert failures({"cetr": 0.8}, {"cetr": 0.7}) == []


def test_rounding_a_floor_up_fails_nobody() -> None:
    measured = {"cetr": 0.69951}
    assert failures(measured, updated(measured, {}, lower=False)) == []


def test_an_extractor_below_its_floor_fails_with_its_name_and_both_figures() -> None:
    (failure,) = failures({"cetr": 0.6985, "block": 0.5}, {"cetr": 0.7, "block": 0.5})
    assert failure == "cetr: F1 0.6985 is below its floor 0.700"


def test_an_extractor_without_floor_or_with_nothing_but_a_floor_fails() -> None:
    assert failures({"new": 0.9}, {}) == ["new: F1 0.9000, but no floor yet"]
    assert failures({}, {"gone": 0.9}) == ["gone: has a floor 0.900, but was not measured"]


def test_an_update_raises_and_adds_but_does_not_lower() -> None:
    assert updated({"a": 0.8, "new": 0.12345}, {"a": 0.7}, lower=False) == {"a": 0.8, "new": 0.123}
    with pytest.raises(BenchError, match="refusing to lower the floors of a, gone; --lower does it"):
        updated({"a": 0.6, "b": 0.5}, {"a": 0.7, "b": 0.5, "gone": 0.5}, lower=False)
    assert updated({"a": 0.6}, {"a": 0.7, "gone": 0.5}, lower=True) == {"a": 0.6}


def test_no_floor_creeps_down_within_the_tolerance() -> None:
    floors = {f"extractor {number}": number / 1000 for number in range(1, 1000)}
    # Just not below the floor, but some of these round to the next figure down.
    measured = {name: floor - TOLERANCE for name, floor in floors.items()}
    assert any(round(f1, 3) < floors[name] for name, f1 in measured.items())
    assert failures(measured, floors) == []
    assert updated(measured, floors, lower=False) == floors


# The command


def gate(corpus: Path, floors: Path, *options: str) -> int:
    return main([str(corpus), "--floors", str(floors), *options])


def test_a_corpus_without_floors_is_an_error_until_it_is_pinned(
    corpus: Path, floors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert gate(corpus, floors) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"no floors for small with hash {corpus_hash(load(corpus))[:12]}" in captured.err
    assert "--update pins it" in captured.err
    assert gate(corpus, floors, "--update") == 0
    assert set(pinned(floors)) == set(extractors)
    assert gate(corpus, floors) == 0
    assert f"all {len(extractors)} extractors are at or above their floors on small" in capsys.readouterr().out


@pytest.mark.parametrize("what", ["page", "gold"])
def test_a_changed_corpus_has_no_floors(corpus: Path, floors: Path, what: str) -> None:
    assert gate(corpus, floors, "--update") == 0
    if what == "page":
        (corpus / "pages" / "a.html").write_text(f"<p>{ENTRY['gold']}</p>")
    else:
        (corpus / "gold.jsonl").write_text(json.dumps(ENTRY | {"gold": "home"}))
    assert gate(corpus, floors) == 2
    # The floors of both stand side by side afterwards.
    assert gate(corpus, floors, "--update") == 0
    assert len(json.loads(floors.read_text())) == 2


def test_below_a_floor_the_gate_is_shut(corpus: Path, floors: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gate(corpus, floors, "--update")
    measured = pinned(floors)["baseline"]
    assert 0 < measured < 0.9
    pin(floors, corpus, {"baseline": 0.999})
    before = floors.read_text()
    capsys.readouterr()
    assert gate(corpus, floors) == 1
    assert capsys.readouterr().out == f"baseline: F1 {bench_f1(corpus):.4f} is below its floor 0.999\n"
    assert gate(corpus, floors, "--update") == 2
    assert "refusing to lower the floors of baseline" in capsys.readouterr().err
    assert floors.read_text() == before
    assert gate(corpus, floors, "--update", "--lower") == 0
    assert pinned(floors)["baseline"] == measured
    assert gate(corpus, floors) == 0


def bench_f1(corpus: Path) -> float:
    return bench.gate.measure(load(corpus), ["baseline"])["baseline"]


def test_a_new_extractor_fails_until_it_has_a_floor(
    corpus: Path, floors: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gate(corpus, floors, "--update")
    pin(floors, corpus, {"cetr": None})
    capsys.readouterr()
    assert gate(corpus, floors) == 1
    assert capsys.readouterr().out.startswith("cetr: F1 ")
    assert gate(corpus, floors, "--update") == 0
    assert gate(corpus, floors) == 0


def test_a_data_set_that_is_not_there_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nowhere")]) == 2
    assert "there is no folder or file" in capsys.readouterr().err


# The gate


def test_no_extractor_is_below_its_floor_on_the_shipped_corpus(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus"]) == 0, capsys.readouterr().out
