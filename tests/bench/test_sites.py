"""The measurement of the site step, on a small collection of sites made here."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pytest

from bench import known_sites, sites, zipf
from bench.measure import Usage
from bench.zipf import Row, Writer, records
from transforms import extractors

if TYPE_CHECKING:
    from pathlib import Path

PAGES = 8


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two sites whose pages are half menu; the gold text is what stands in `main`."""
    folder = tmp_path_factory.mktemp("collection")
    names = ("one", "two")
    for name in names:
        lines = []
        for number in range(PAGES):
            said = [
                f"{name} says sentence {number} {part} of its own, which is long enough to count." for part in "abc"
            ]
            menu = "".join(f"<li><a href='/{n}'>{name} menu entry number {n} of all</a></li>" for n in range(20))
            html = f"<html><body><ul>{menu}</ul><main>{''.join(f'<p>{each}</p>' for each in said)}</main></body></html>"
            lines.append(json.dumps({"url": f"http://{name}.example/{number}", "html": html, "gold": "\n".join(said)}))
        (folder / f"{name}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    described = [{"name": name, "file": f"{name}.jsonl.gz"} for name in names]
    (folder / "sites.json").write_text(json.dumps({"sites": described}), encoding="utf-8")
    return str(folder)


def test_what_the_site_adds_is_shown_for_every_extractor(
    collection: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "sites.json"
    assert sites.main([collection, "-e", "baseline,lqf", "--peer", "", "--json", str(file)]) == 0
    figures = json.loads(file.read_text())
    assert figures["baseline + site"] == {"one": 1.0, "two": 1.0}
    assert all(score < 0.7 for score in figures["baseline"].values())
    rows = capsys.readouterr().out.splitlines()
    assert [row.split("  ")[0] for row in rows] == ["", "baseline", "baseline + site", "lqf", "lqf + site"]


def test_no_extractor_is_worse_than_all_text_once_the_site_is_known(collection: str, tmp_path: Path) -> None:
    file = tmp_path / "sites.json"
    assert sites.main([collection, "-e", "all", "--peer", "", "--json", str(file)]) == 0
    figures = json.loads(file.read_text())
    assert len(figures) == 2 * len(extractors)
    for name in extractors:
        assert figures[f"{name} + site"] == {"one": 1.0, "two": 1.0}


def test_what_may_be_left_out_is_chosen_on_half_of_the_sites(
    collection: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = known_sites.measure(collection, 4)
    assert known_sites.halves(found) == (["one"], ["two"])
    kept = found["that, if it keeps 100% of the text"]
    assert all(scores == {"one": 1.0, "two": 1.0} for scores in kept.values())
    alone = found[known_sites.AS_IT_IS]
    assert alone["baseline"] == {"one": 1.0, "two": 1.0}
    assert alone["ttr-em"]["one"] < 0.5
    assert known_sites.gains(alone, ["one"])["ttr-em"] == alone["ttr-em"]["one"] - 1.0
    rows = known_sites.table(found)
    assert [row[0] for row in rows if row[0].endswith("*")] == ["that, if it keeps 90% of the text *"]
    assert known_sites.main(["corpus"]) == 2
    assert "no sites" in capsys.readouterr().err


def test_rules_are_tried_one_at_a_time_and_chosen_on_other_sites(
    collection: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sites, "TRIED", {"min_pages": (3, 9)})
    monkeypatch.setattr(sites, "SITE_THRESHOLDS", (0.3,))
    assert sites.main([collection, "--rules"]) == 0
    printed = capsys.readouterr().out
    assert "min_pages=3 *" in printed
    tried = sites.try_rules(collection)
    assert tried["min_pages=3"]["baseline"]["one"] == 1.0
    assert tried["min_pages=9"]["baseline"]["one"] < 0.7  # there are 8 pages: nothing is redundant
    assert sites.held_out(tried)["min_pages"] > 0.9


def test_a_data_set_without_sites_is_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    assert sites.main(["corpus"]) == 2
    assert "no sites" in capsys.readouterr().err


def test_synthetic_sites_are_the_same_every_time_and_their_sizes_fall() -> None:
    assert Writer().page(3, 4) == Writer().page(3, 4)
    assert Writer().page(3, 4) != Writer().page(3, 5)
    found = zipf.sizes(1_000, 10)
    assert found == sorted(found, reverse=True)
    assert found[0] > 3 * found[4]
    assert len(list(records(Writer(), 20, 3))) == sum(zipf.sizes(20, 3))


def test_growth_is_measured_with_the_site_step_and_without(capsys: pytest.CaptureFixture[str]) -> None:
    assert zipf.main(["--pages", "5,10", "--sites", "2"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("with the site step") == 3
    assert "times the cost a page" in printed


def test_a_row_says_what_a_page_costs() -> None:
    row = Row(200, True, Usage(cpu=1.0, wall=2.0, peak=3_000_000, status=0))
    assert row.cells == ("with the site step", "200", "5.00", "2.0", "100", "3")
