"""What the speed benchmark writes, and its arithmetic by a clock that the contestants move on themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

import bench.speed
from bench import peers
from bench.datasets import load
from bench.speed import EXTRACTORS, GROWTH, REPEATS, bare_lxml, fastest, growth, main, measure, parser_comparison

if TYPE_CHECKING:
    from pathlib import Path

PAGE = b"<html><head><title>x</title></head><BODY class=a><p>" + b"word " * 200 + b"</body></html>"


class Clock:
    """CPU time that passes only when a contestant says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def costing(self, seconds: Callable[[bytes], float]) -> Callable[[bytes], object]:
        """A contestant that takes this long for a page."""

        def run(html: bytes) -> object:
            self.now += seconds(html)
            return None

        return run


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(bench.speed, "process_time", made)
    return made


def test_the_fastest_of_several_runs_counts(clock: Clock) -> None:
    times = iter([3.0, 1.0, 2.0, 9.0])
    assert fastest(clock.costing(lambda _: next(times)), b"") == 1.0
    assert REPEATS == 3
    assert list(times) == [9.0]


def test_costs_are_sums_over_the_pages_and_ratios_to_the_first_contestant(clock: Clock) -> None:
    entrants = {
        "floor": clock.costing(lambda html: 0.001 * len(html)),
        "four times": clock.costing(lambda html: 0.004 * len(html)),
    }
    floor, other = measure([b"a", b"abc"], entrants)
    assert (floor.name, other.name) == ("floor", "four times")
    assert floor.ratio == pytest.approx(1)
    assert other.ratio == pytest.approx(4)
    assert other.milliseconds == pytest.approx(8)
    assert other.pages_per_second == pytest.approx(125)


def test_a_cost_in_proportion_to_the_size_grows_by_the_factor(clock: Clock) -> None:
    entrants = {
        "linear": clock.costing(len),
        "constant": clock.costing(lambda _: 5.0),
        "quadratic": clock.costing(lambda html: len(html) ** 2),
    }
    pages = [PAGE, PAGE.replace(b"</body></html>", b""), PAGE * 2]
    grown = growth(pages, entrants)
    assert grown["linear"] == pytest.approx(GROWTH)
    assert grown["constant"] == pytest.approx(1, rel=0.1)
    assert grown["quadratic"] > 0.8 * GROWTH**2


def test_a_grown_page_has_its_body_many_times_and_its_head_once(clock: Clock) -> None:
    seen: list[bytes] = []

    def kept(html: bytes) -> object:
        clock.now += 1
        seen.append(html)
        return None

    growth([PAGE], {"kept": kept})
    grown = max(seen, key=len)
    assert grown.count(b"<BODY") == GROWTH
    assert grown.count(b"<title>") == 1
    assert grown.endswith(b"</body></html>")


def test_without_pages_there_is_no_growth() -> None:
    assert growth([], {"lxml": bare_lxml}) == {}


def test_the_parsers_are_compared_on_pages_with_gold() -> None:
    pytest.importorskip("selectolax")
    compared = parser_comparison(load("corpus").spread(2))
    assert compared["pages"] == 2
    assert compared["same_words"] in {0, 1, 2}
    scores = compared["f1"]
    assert isinstance(scores, dict)
    assert set(scores) == {"lxml", "lexbor"}
    assert all(set(by_name) == set(EXTRACTORS) for by_name in scores.values())
    assert all(0 <= f1 <= 1 for by_name in scores.values() for f1 in by_name.values())
    assert scores["lxml"]["baseline"] > 0.3


@pytest.mark.parametrize("pages", [1, 3])
def test_the_command_prints_and_writes_its_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], pages: int
) -> None:
    file = tmp_path / "deep" / "speed.json"
    assert main(["corpus", "--pages", str(pages), "--json", str(file)]) == 0
    record = json.loads(file.read_text())
    assert (record["data"], record["pages"]) == ("corpus", pages)
    assert record["mean_bytes"] > 1000
    names = [cost["name"] for cost in record["costs"]]
    assert names[0] == "lxml, parsing only"
    assert {f"{name} (lxml)" for name in EXTRACTORS} <= set(names)
    assert set(peers.installed()) <= set(names)
    assert all(cost["milliseconds"] > 0 and cost["pages_per_second"] > 0 for cost in record["costs"])
    assert record["costs"][0]["ratio"] == 1
    assert set(record["growth"]) == {name for name in names if name == names[0] or name.endswith("(lxml)")}
    out = capsys.readouterr().out
    assert f"{pages} pages of corpus" in out
    assert all(name in out for name in names)


def test_pages_without_a_body_are_measured_but_not_grown(tmp_path: Path) -> None:
    folder = tmp_path / "fragments"
    folder.mkdir()
    (folder / "a.html").write_text("<p>only a fragment of a page, without any body element</p>")
    file = tmp_path / "speed.json"
    assert main([str(folder), "--json", str(file)]) == 0
    record = json.loads(file.read_text())
    assert record["growth"] == {}
    # Without gold text there is nothing to compare the parsers by.
    assert record["parsers"] is None


def test_a_wrong_call_says_what_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "nowhere")]) == 2
    assert "there is no folder or file" in capsys.readouterr().err
    assert main(["corpus", "--pages", "0"]) == 2
    assert "at least one page" in capsys.readouterr().err


def test_pages_that_were_stripped_are_not_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "html").mkdir()
    (tmp_path / "ground-truth").mkdir()
    (tmp_path / "html" / "4001.html.gz").write_bytes(b"")
    (tmp_path / "ground-truth" / "4001.json").write_text('{"ground_truth": {"main_content": "x"}}')
    assert main([str(tmp_path)]) == 2
    assert "were stripped" in capsys.readouterr().err
