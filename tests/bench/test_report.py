"""The report is one page that needs nothing else, and its plots stay inside their frames."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bench import report
from bench.datasets import Dataset, Sample
from bench.plots import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, bars, cloud, curves, scatter, series
from bench.run import Contestant, run

if TYPE_CHECKING:
    from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("x")</script>&'
GOLD = "the river is high but calm today said the warden who has watched it from the bridge"
PAGE = f"<ul><li>home<li>news</ul><p>{GOLD}</p><p>imprint</p>".encode()

SHARES = st.floats(0, 1)
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), max_size=8)
RATIOS = st.floats(0, 1e6)
NUMBERS = st.floats(-1e6, 1e6)


def html() -> bytes:
    return PAGE


def small(name: str) -> Dataset:
    types = ("article", HOSTILE, "article")
    return Dataset(name, tuple(Sample(str(n), html, GOLD, type=kind) for n, kind in enumerate(types)))


def written(path: Path, data: Dataset, **options: object) -> str:
    contestants = [
        Contestant("right", lambda _: GOLD, "1"),
        Contestant(HOSTILE, lambda _: GOLD[:30], "1"),
    ]
    results = list(run(data, contestants, ["bow"]))
    report.write(path, data, results, ["bow"], **({"by": "type", "cache": None} | options))  # type: ignore[arg-type]
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report on a data set whose names are hostile."""
    return written(tmp_path_factory.mktemp("report") / "deep" / "report.html", small(HOSTILE))


def svgs(page: str) -> list[etree._Element]:
    """Each plot of a page, read as XML: a plot that is not well-formed raises."""
    return [etree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


# The report


def test_the_report_is_well_formed_html(page: str) -> None:
    parser = etree.HTMLParser()
    etree.fromstring(page.encode(), parser)
    # libxml2 knows no SVG; whatever else it has to say is an error of the page.
    unknown = etree.ErrorTypes.HTML_UNKNOWN_TAG
    assert [str(error) for error in parser.error_log if error.type != unknown] == []
    assert page.startswith("<!doctype html>")


def test_the_report_has_the_tables_and_four_plots(page: str) -> None:
    root = etree.fromstring(page.encode(), etree.HTMLParser())
    assert [heading.text for heading in root.iter("h2")] == [
        "Results",
        "F1 against cost",
        "F1 by type",
        "F1 by type, figures",
        "cetr-tm over its threshold",
        "block over its threshold",
    ]
    assert len(svgs(page)) == 4
    results, groups = root.findall(".//table")
    assert [cell.text for cell in results.findall("./tbody/tr/td[1]")] == ["right", HOSTILE]
    assert "1.000" in [cell.text for cell in results.findall("./tbody/tr[1]/td")]
    assert [cell.text for cell in groups.findall("./thead/tr/th")] == ["extractor", HOSTILE, "article", "mean of 2"]


def test_a_threshold_curve_has_a_point_for_every_threshold(page: str) -> None:
    for plot, thresholds in zip(svgs(page)[2:], report.SWEEPS.values(), strict=True):
        lines = plot.findall(f"{SVG}polyline")
        assert len(lines) == 3
        assert {len(line.get("points", "").split()) for line in lines} == {len(thresholds)}


def test_the_report_runs_nothing_and_fetches_nothing(page: str) -> None:
    root = etree.fromstring(page.encode(), etree.HTMLParser())
    assert not {"script", "link", "iframe", "img", "object", "embed", "base"} & {
        str(element.tag) for element in root.iter()
    }
    attributes = [(str(name), value) for element in root.iter() for name, value in element.items()]
    assert [name for name, _ in attributes if name.startswith("on") or name.split(":")[-1] in {"src", "href"}] == []
    assert "url(" not in page
    assert "@import" not in page
    (policy,) = root.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")  # type: ignore[misc, union-attr]
    assert "default-src 'none'" in str(policy)


def test_names_are_text_and_never_markup(page: str) -> None:
    assert "<script" not in page
    root = etree.fromstring(page.encode(), etree.HTMLParser())
    assert root.findtext(".//title") == f"{HOSTILE}: 3 pages"
    assert root.findtext(".//h1") == f"{HOSTILE}: 3 pages"
    labels = [text.text for plot in svgs(page) for text in plot.iter(f"{SVG}text")]
    assert labels.count(HOSTILE) >= 2


def test_a_report_by_site_says_so(tmp_path: Path) -> None:
    assert "<h2>F1 by site</h2>" in written(tmp_path / "report.html", small("plain"), by="site")


def test_a_sweep_takes_pages_from_the_whole_data_set() -> None:
    read: list[int] = []

    def noted(number: int) -> bytes:
        read.append(number)
        return PAGE

    count = report.SWEEP_PAGES + 100
    data = Dataset("large", tuple(Sample(str(n), partial(noted, n), GOLD) for n in range(count)))
    points = report.sweep(data, "block", [0.0], "bow", cache=None)
    assert len(read) == report.SWEEP_PAGES
    assert max(read) >= count - 2
    assert points["recall"] == [(0.0, 1.0)]


# The plots


def coordinates(element: etree._Element) -> list[tuple[float, float]]:
    """The corners or centre of a mark."""
    if element.tag == f"{SVG}polyline":
        pairs = (point.split(",") for point in element.get("points", "").split())
        return [(float(x), float(y)) for x, y in pairs]
    if element.tag == f"{SVG}circle":
        return [(float(element.get("cx", "nan")), float(element.get("cy", "nan")))]
    x, y, width, height = (float(element.get(name, "nan")) for name in ("x", "y", "width", "height"))
    assert width > 0
    assert height >= 0
    return [(x, y), (x + width, y + height)]


def marks(plot: str, kind: str) -> list[tuple[float, float]]:
    """Coordinates of all marks of a kind, each checked to be inside the frame."""
    assert "nan" not in re.sub(r"<(text|title)[^>]*>[^<]*", "", plot)
    assert "inf" not in re.sub(r"<(text|title)[^>]*>[^<]*", "", plot)
    found = [
        place
        for element in etree.fromstring(plot).iter(f"{SVG}{kind}")
        # Not the background, nor the keys of a legend right of the frame.
        if element.get("width") not in {"100%", "11"}
        for place in coordinates(element)
    ]
    rounding = 1.0
    for x, y in found:
        assert LEFT - rounding <= x <= WIDTH - RIGHT + rounding
        assert TOP - rounding <= y <= HEIGHT - BOTTOM + rounding
    return found


@given(st.lists(st.tuples(NAMES, RATIOS, SHARES), min_size=1, max_size=8))
def test_a_scatter_plot_has_every_point_inside(points: list[tuple[str, float, float]]) -> None:
    plot = scatter(points, "cost", "F1")
    assert len(marks(plot, "circle")) == len(points)
    assert plot == scatter(points, "cost", "F1")


@given(st.dictionaries(NAMES, st.lists(st.tuples(NUMBERS, SHARES), min_size=1, max_size=8), min_size=1, max_size=9))
def test_curves_have_every_point_inside(lines: dict[str, list[tuple[float, float]]]) -> None:
    plot = curves(lines, "threshold", "F1")
    assert len(marks(plot, "polyline")) == sum(map(len, lines.values()))
    assert plot == curves(lines, "threshold", "F1")


@given(st.data(), st.lists(NAMES, min_size=1, max_size=9, unique=True))
def test_bars_are_inside(data: st.DataObject, names: list[str]) -> None:
    values = st.fixed_dictionaries(dict.fromkeys(names, SHARES))
    groups = data.draw(st.dictionaries(NAMES, values, min_size=1, max_size=8))
    plot = bars(groups)
    assert len(marks(plot, "rect")) == 2 * len(groups) * len(names)
    assert plot == bars(groups)


@given(st.lists(st.tuples(st.floats(0, 1e9), st.booleans()), max_size=30))
def test_a_series_has_a_bar_for_every_number_that_is_not_nought(values: list[tuple[float, bool]]) -> None:
    plot = series([value for value, _ in values], [chosen for _, chosen in values], "line", "ratio")
    assert len(marks(plot, "rect")) == 2 * sum(value > 0 for value, _ in values)


@given(st.lists(st.tuples(st.tuples(st.floats(0, 1e9), st.floats(0, 1e9)), st.booleans()), max_size=30))
def test_a_cloud_has_every_point_inside(values: list[tuple[tuple[float, float], bool]]) -> None:
    plot = cloud([point for point, _ in values], [chosen for _, chosen in values], "slope", "ratio")
    assert len(marks(plot, "circle")) == len(values)


def test_a_better_score_stands_higher_and_a_higher_cost_further_right() -> None:
    (cheap_x, cheap_y), (dear_x, dear_y) = marks(scatter([("a", 2, 0.9), ("b", 20, 0.5)], "cost", "F1"), "circle")
    assert cheap_x < dear_x
    assert cheap_y < dear_y
