"""The three forms of a table of results, read back."""

from __future__ import annotations

import json

import pytest

from bench.datasets import Dataset, Sample
from bench.metrics import Score
from bench.run import PageResult, Result
from bench.table import HEADINGS, as_json, as_markdown, as_record, as_text, group_rows, rows

TYPES = ("forum", "article", "article")


def result(name: str, *f1: float, words: float = 0.5, seconds: float = 0.002) -> Result:
    """A contestant with these F1 scores on as many pages."""
    return Result(
        name,
        tuple(
            PageResult(
                Sample(str(number), bytes, "gold", type=TYPES[number], site=f"{TYPES[number]}.example"),
                {"bow": Score(0.25, 0.75, value), "words": Score(words, words, words)},
                seconds,
                0.0005,
            )
            for number, value in enumerate(f1)
        ),
    )


WORSE = result("worse", 0.1, 0.2, 0.3, words=0.9)
BETTER = result("better", 0.9, 0.8, 0.4, words=0.1, seconds=0.004)
DATA = Dataset("three pages", tuple(page.sample for page in WORSE.pages))


def test_the_best_comes_first_within_each_metric() -> None:
    made = rows([WORSE, BETTER], ["bow", "words"])
    assert [row[:2] for row in made] == [
        ("better", "bow"), ("worse", "bow"), ("worse", "words"), ("better", "words")
    ]  # fmt: skip


def test_a_row_has_scores_interval_and_costs() -> None:
    (row,) = rows([BETTER], ["bow"])
    cells = dict(zip(HEADINGS, row, strict=True))
    low, high = BETTER.interval("bow")
    assert cells == {
        "extractor": "better",
        "metric": "bow",
        "P": "0.250",
        "R": "0.750",
        "F1": "0.700",
        "95 % interval": f"{low:.3f}-{high:.3f}",
        "ms/page": "4.00",
        "x lxml": "8.00",
        "pages/s": "250",
    }


def test_a_group_table_has_a_column_a_group_their_mean_and_the_numbers_of_pages() -> None:
    assert group_rows([WORSE, BETTER], "bow", "type") == [
        ("extractor", "article", "forum", "mean of 2"),
        ("better", "0.600", "0.900", "0.750"),
        ("worse", "0.250", "0.100", "0.175"),
        ("pages", "2", "1", ""),
    ]
    assert group_rows([WORSE], "bow", "site")[0] == ("extractor", "article.example", "forum.example", "mean of 2")


def test_the_text_form_has_aligned_columns() -> None:
    written = as_text([HEADINGS, *rows([WORSE, BETTER], ["bow"])])
    heading, first, second = written.split("\n")
    assert [line.split()[0] for line in (heading, first, second)] == ["extractor", "better", "worse"]
    end_of_f1 = heading.index("F1") + 2
    assert first[:end_of_f1].endswith(" 0.700")
    assert second[:end_of_f1].endswith(" 0.200")
    assert all(line == line.rstrip() for line in written.split("\n"))


def markdown_cells(written: str) -> list[list[str]]:
    """What a reader of GitHub's tables sees: cells between bars that are not escaped."""
    parsed = []
    for line in written.split("\n"):
        assert line.startswith("| ")
        assert line.endswith(" |")
        cells = line[1:-1].replace("\\|", "\0").split("|")
        parsed.append([cell.strip().replace("\0", "|") for cell in cells])
    return parsed


def test_the_markdown_form_is_a_github_table() -> None:
    lines = [HEADINGS, *rows([WORSE, BETTER], ["bow"])]
    head, rule, *body = markdown_cells(as_markdown(lines))
    assert head == list(HEADINGS)
    assert rule == ["---"] + ["---:"] * (len(HEADINGS) - 1)
    assert body == [list(row) for row in lines[1:]]


def test_a_bar_in_a_name_does_not_break_the_markdown_table() -> None:
    head, rule, row = markdown_cells(as_markdown([("extractor", "a|b"), ("x", "1")]))
    assert (head, row) == (["extractor", "a|b"], ["x", "1"])
    assert len(rule) == 2


def test_the_json_form_holds_everything_unrounded() -> None:
    written = as_json(as_record(DATA, [WORSE, BETTER], ["bow", "words"], "type"))
    assert written.endswith("}\n")
    record = json.loads(written)
    assert (record["dataset"], record["pages"]) == ("three pages", 3)
    worse, better = record["contestants"]
    assert (worse["name"], better["name"]) == ("worse", "better")
    assert better["seconds_per_page"] == pytest.approx(0.004)
    assert better["ratio_to_lxml"] == pytest.approx(8)
    assert worse["metrics"]["bow"]["f1"] == WORSE.mean("bow").f1
    assert worse["metrics"]["bow"]["f1_interval_95"] == list(WORSE.interval("bow"))
    assert worse["metrics"]["words"]["precision"] == pytest.approx(0.9)
    assert list(worse["by_type"]) == ["article", "forum"]
    assert worse["by_type"]["article"]["bow"]["f1"] == pytest.approx(0.25)


def test_the_json_form_has_groups_only_if_asked_for() -> None:
    record = as_record(DATA, [WORSE], ["bow"], None)
    assert set(record["contestants"][0]) == {"name", "seconds_per_page", "ratio_to_lxml", "metrics"}
