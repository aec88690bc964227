"""The papers' experiments: the numbers that are printed, against the same computed here from their definitions."""

from __future__ import annotations

import gzip
import json
import statistics
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from bench import cli
from bench.datasets import load
from bench.exceptions import BenchError
from bench.papers import PAPERS, experiment
from bench.papers.tables import AVERAGE, Table
from transforms import Page, extract
from transforms.clusters import moving_average
from transforms.tagratio import lines

if TYPE_CHECKING:
    from pathlib import Path

LIMIT = 6
SAMPLES = load("corpus").with_gold().spread(LIMIT).samples


# The metrics, in another way than bench.metrics


def subsequence(a: Sequence[Any], b: Sequence[Any]) -> int:
    """The length of the longest common subsequence: rows of the table as bits of one number (Crochemore et al.)."""
    places: dict[Any, int] = {}
    for place, item in enumerate(a):
        places[item] = places.get(item, 0) | 1 << place
    row = everything = (1 << len(a)) - 1
    for item in b:
        match = row & places.get(item, 0)
        row = ((row + match) | (row - match)) & everything
    return len(a) - row.bit_count()


def substring(a: str, b: str) -> int:
    """The length of the longest common substring, by halving."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        size = (low + high + 1) // 2
        runs = {a[place : place + size] for place in range(len(a) - size + 1)}
        found = any(b[place : place + size] in runs for place in range(len(b) - size + 1))
        low, high = (size, high) if found else (low, size - 1)
    return low


def edits(a: str, b: str) -> int:
    """Levenshtein's distance, row by row."""
    other = np.array([ord(letter) for letter in b])
    place = np.arange(len(b) + 1)
    row = place.copy()
    for number, letter in enumerate(a, 1):
        step = np.concatenate(([number], np.minimum(row[1:] + 1, row[:-1] + (other != ord(letter)))))
        row = np.minimum.accumulate(step - place) + place
    return int(row[-1])


def squeezed(text: str) -> str:
    return "".join(text.split())


def texts(name: str, **parameters: Any) -> list[tuple[str, str]]:
    """What an extractor makes of each page of the corpus, and its gold text."""
    return [(extract(Page.parse(s.html()), name, **parameters).text, s.gold or "") for s in SAMPLES]


def by_type(values: Sequence[float]) -> dict[str, float]:
    """The mean of each type of page, and the mean of these."""
    groups: dict[str, list[float]] = {}
    for sample, value in zip(SAMPLES, values, strict=True):
        groups.setdefault(sample.type, []).append(value)
    means = {name: sum(group) / len(group) for name, group in groups.items()}
    return {**means, AVERAGE: sum(means.values()) / len(means)}


def tables(paper: str) -> dict[str, Table]:
    return {table.title: table for table in experiment(paper, load("corpus"), LIMIT)}


def titled(found: dict[str, Table], begins: str) -> Table:
    return next(table for title, table in found.items() if title.startswith(begins))


def column(table: Table, name: str) -> dict[str, float]:
    place = table.columns.index(name)
    return {str(row[0]): float(row[place]) for row in table.rows}


# Each paper


def test_density_is_measured_by_longest_common_strings_and_sequences() -> None:
    found = tables("density")
    for name in ("baseline", "density"):
        pairs = [(squeezed(text), squeezed(gold)) for text, gold in texts(name)]
        sequence = [200 * subsequence(a, b) / (len(a) + len(b)) for a, b in pairs]
        string = [200 * substring(a, b) / (len(a) + len(b)) for a, b in pairs]
        assert column(titled(found, "Table 2"), f"{name} LCSequence") == pytest.approx(by_type(sequence))
        assert column(titled(found, "Table 2"), f"{name} LCString") == pytest.approx(by_type(string))
        precision = [100 * subsequence(a, b) / len(a) for a, b in pairs]
        recall = [100 * subsequence(a, b) / len(b) for a, b in pairs]
        assert column(titled(found, "Precision and recall of LCSe"), f"{name} P") == pytest.approx(by_type(precision))
        assert column(titled(found, "Precision and recall of LCSe"), f"{name} R") == pytest.approx(by_type(recall))
    accb = [(squeezed(text), squeezed(gold)) for text, gold in texts("accb")]
    f1 = [200 * subsequence(a, b) / (len(a) + len(b)) for a, b in accb]
    assert column(titled(found, "Table 3"), "accb") == pytest.approx(by_type(f1))


def test_ttr_has_mean_median_deviation_and_matches_of_both_metrics() -> None:
    found = tables("ttr")
    for name in ("ttr-threshold", "ttr-em", "ttr-prediction"):
        pairs = [(squeezed(text), squeezed(gold)) for text, gold in texts(name)]
        lcs = [subsequence(a, b) / len(b) for a, b in pairs]
        edr = [1 - edits(a, b) / max(len(a), len(b)) for a, b in pairs]
        for begins, values in (("Longest", lcs), ("Edit", edr)):
            expected = {
                "mean, %": 100 * statistics.fmean(values),
                "median, %": 100 * statistics.median(values),
                "standard deviation": 100 * statistics.pstdev(values),
                "pages with 100 %": float(values.count(1)),
            }
            assert column(titled(found, begins), name) == pytest.approx(expected)


def test_ttr_has_four_file_sizes_of_each_method_and_of_all() -> None:
    table = titled(tables("ttr"), "Mean file sizes")
    methods = ("ttr-threshold", "ttr-em", "ttr-kmeans", "ttr-farthest-first", "ttr-prediction")
    html = [sample.html() for sample in SAMPLES]
    written = {name: [text.encode() for text, _ in texts(name)] for name in methods}
    rows = {str(row[0]): row[1:] for row in table.rows}
    assert list(rows) == [*methods, "all methods"]
    expected = [
        [sum(map(size, files)) / LIMIT / 1000 for size in (len, lambda file: len(gzip.compress(file, 6)))]
        for files in (html, *written.values())
    ]
    for name, (plain, packed) in zip(methods, expected[1:], strict=True):
        assert rows[name] == pytest.approx((expected[0][0], plain, expected[0][1], packed))
    assert rows["all methods"][1] == pytest.approx(sum(plain for plain, _ in expected[1:]) / 5)


def test_ttr_has_the_centroids_for_one_to_three_clusters() -> None:
    table = titled(tables("ttr"), "Centroids")
    ratios = [np.sort(moving_average(lines(Page.parse(s.html()).arrays).ratio, 2)) for s in SAMPLES]
    one = float(np.mean([ratio.mean() for ratio in ratios]))
    pairs = []
    for ratio in ratios:  # the cut that leaves the least variance on both sides
        cuts = range(1, len(ratio))
        cut = min(cuts, key=lambda at, ratio=ratio: ratio[:at].var() * at + ratio[at:].var() * (len(ratio) - at))
        pairs.append((ratio[:cut].mean(), ratio[cut:].mean()))
    low, high = np.mean(pairs, axis=0).tolist()
    assert table.rows[0][1:3] == pytest.approx((one, low))
    assert table.rows[1][1] == "-"
    assert table.rows[1][2] == pytest.approx(high)
    assert table.rows[2][1:3] == ("-", "-")
    assert float(table.rows[0][3]) < float(table.rows[1][3]) < float(table.rows[2][3])


def test_cetr_has_word_scores_cleanevals_score_and_the_sweep_over_lambda() -> None:
    found = tables("cetr")
    for begins, name in (("Table 1", "cetr-tm"), ("Table 2", "cetr-km"), ("Table 3", "cetr")):
        pairs = [(text.split(), gold.split()) for text, gold in texts(name)]
        same = [subsequence(a, b) for a, b in pairs]
        f1 = [200 * n / (len(a) + len(b)) for n, (a, b) in zip(same, pairs, strict=True)]
        recall = [100 * n / len(b) for n, (_, b) in zip(same, pairs, strict=True)]
        precision = [100 * n / len(a) for n, (a, _) in zip(same, pairs, strict=True)]
        table = titled(found, begins)
        for letter, values in (("F1", f1), ("R", recall), ("P", precision)):
            assert column(table, letter) == pytest.approx(by_type(values))
        in_table4 = next(row for row in titled(found, "Table 4").rows if row[0] == name)
        assert dict(zip(titled(found, "Table 4").columns[1:], in_table4[1:], strict=True)) == pytest.approx(by_type(f1))
        distance = [100 * n / (len(a) + len(b) - n) for n, (a, b) in zip(same, pairs, strict=True)]
        assert column(titled(found, "CleanEval"), name) == pytest.approx(by_type(distance))
    sweep = titled(found, "Figure 6")
    assert [row[0] for row in sweep.rows] == [f"{step / 10:.1f}" for step in range(21)]
    for value in (0.0, 0.5, 2.0):
        pairs = [(text.split(), gold.split()) for text, gold in texts("cetr-tm", threshold=value)]
        recall = [100 * subsequence(a, b) / len(b) for a, b in pairs]
        assert column(sweep, "R")[f"{value:.1f}"] == pytest.approx(sum(recall) / LIMIT)


def test_block_has_tables_1_and_2_and_the_curves_over_the_threshold() -> None:
    found = tables("block")
    for name in ("zhou", "cetd-ds", "alexjc", "block"):
        pairs = [(squeezed(text), squeezed(gold)) for text, gold in texts(name)]
        f1 = by_type([2 * subsequence(a, b) / (len(a) + len(b)) for a, b in pairs])
        table2 = column(titled(found, "Table 2"), "F1")
        assert {group: table2[f"{group}, {name}"] for group in f1} == pytest.approx(f1)
    assert column(titled(found, "Table 1"), "F1") == pytest.approx(f1)
    curve = titled(found, "Figures 4 and 5")
    assert [row[0] for row in curve.rows[:3]] == ["0.0", "0.1", "0.2"]
    assert [row[0] for row in curve.rows[-5:]] == ["2.0", "2.5", "3.0", "3.5", "4.0"]
    pairs = [(squeezed(text), squeezed(gold)) for text, gold in texts("block", threshold=0.3)]
    precision = by_type([subsequence(a, b) / len(a) for a, b in pairs])
    assert column(curve, "P")["0.3"] == pytest.approx(precision[AVERAGE])


@pytest.mark.parametrize("paper", PAPERS)
def test_every_paper_has_seconds_a_megabyte(paper: str) -> None:
    table = titled(tables(paper), "CPU seconds")
    assert {row[0] for row in table.rows} == {*(sample.type for sample in SAMPLES), AVERAGE}
    assert all(0 < float(value) < 100 for row in table.rows for value in row[1:])


# With whole sites

PAGES = 12


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sites whose pages are half a note that all of them have; the gold text is the rest."""
    folder = tmp_path_factory.mktemp("whole-sites")
    for site in ("one", "two"):
        note = "".join(f"<p>This is what {site} says on all its pages, in sentence {part}.</p>" for part in "abcdefgh")
        made = []
        for number in range(PAGES):
            said = [f"{site} page {number} has this to say in part {part}, and no other page." for part in "abcdef"]
            html = f"<body><div class=n>{note}</div><main>{''.join(f'<p>{each}</p>' for each in said)}</main></body>"
            made.append(json.dumps({"url": f"http://{site}.example/{number}", "html": html, "gold": "\n".join(said)}))
        (folder / f"{site}.jsonl").write_text("\n".join(made))
    return folder


@pytest.mark.parametrize(
    ("paper", "begins", "whole", "left"),
    [
        ("density", "Table 2", "baseline LCSequence", "baseline + site LCSequence"),
        ("density", "Precision and recall of LCSt", "baseline P", "baseline + site P"),
        ("cetr", "Table 1", "P", "P + site"),
        ("block", "Table 1", "P", "P + site"),
    ],
)
def test_on_whole_sites_the_site_step_is_part_of_it(
    sites: Path, paper: str, begins: str, whole: str, left: str
) -> None:
    found = {table.title: table for table in experiment(paper, load(sites))}
    table = titled(found, begins)
    assert [row[0] for row in table.rows] == ["one", "two", AVERAGE]
    perfect = 1.0 if paper == "block" else 100.0
    assert column(table, left) == pytest.approx({"one": perfect, "two": perfect, AVERAGE: perfect})
    assert all(value < 0.9 * perfect for value in column(table, whole).values())
    assert "site step" in titled(found, "CPU seconds").columns


def test_curves_are_drawn_without_step_three_and_with_it(sites: Path) -> None:
    curve = titled({table.title: table for table in experiment("block", load(sites))}, "Figures 4 and 5")
    assert column(curve, "P + site")["0.0"] == pytest.approx(1.0)
    assert column(curve, "P")["0.0"] < 0.7
    assert column(curve, "R + site")["4.0"] == pytest.approx(
        column(curve, "R")["4.0"]
    )  # a threshold that is given counts


def test_a_site_is_learned_from_all_of_its_pages_also_when_few_are_scored(sites: Path) -> None:
    table = titled({t.title: t for t in experiment("density", load(sites), 2)}, "Table 2")
    assert column(table, "baseline + site LCSequence")[AVERAGE] == pytest.approx(100)


def test_one_file_of_pages_from_many_hosts_is_no_site(tmp_path: Path) -> None:
    entries = [{"url": f"http://{n}.example/", "html": f"<p>Page {n} says a word.</p>", "gold": "a"} for n in range(20)]
    (tmp_path / "many.jsonl").write_text("\n".join(map(json.dumps, entries)))
    table = titled({t.title: t for t in experiment("density", load(tmp_path))}, "Table 2")
    assert [row[0] for row in table.rows] == ["pages", AVERAGE]
    assert not any("site" in name for name in table.columns)


# The command


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    parser = ArgumentParser()
    cli.add_arguments(parser)
    cli.run(parser.parse_args(arguments))
    return capsys.readouterr().out


def test_the_command_prints_what_the_experiment_finds(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "--paper", "ttr", "--limit", "2")
    assert text.startswith("2 pages of corpus\n\nLongest common subsequence, as recall\n")
    markdown = printed(capsys, "--paper", "ttr", "--limit", "2", "-f", "markdown")
    assert "|  | ttr-threshold | ttr-em | ttr-kmeans | ttr-farthest-first | ttr-prediction |" in markdown
    record = json.loads(printed(capsys, "--paper", "ttr", "--limit", "2", "-f", "json"))
    assert (record["dataset"], record["paper"]) == ("corpus", "ttr")
    table = experiment("ttr", load("corpus"), 2)[0]
    assert record["tables"][0] == {**table.record(), "rows": [list(row) for row in table.rows]}
    assert [row[1] for row in table.cells()[1:]] == [line.split()[-5] for line in text.splitlines()[5:9]]


def test_options_of_the_other_measurement_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for option in (("--peer", "all"), ("--by", "type"), ("--html", "x.html")):
        with pytest.raises(BenchError, match=option[0]):
            printed(capsys, "--paper", "cetr", *option)


def test_pages_without_gold_text_are_no_experiment(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>text</p>")
    with pytest.raises(BenchError, match="gold"):
        experiment("cetr", load(tmp_path))
