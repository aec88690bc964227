"""What a run of contestants over a data set gives, and when it is computed anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import pytest

import bench.run
from bench import peers
from bench.datasets import Dataset, Sample, load
from bench.exceptions import BenchError
from bench.metrics import METRICS, Score
from bench.run import Cache, Contestant, PageResult, Result, contestant, peer, run
from transforms import BadParameter, Page, UnknownExtractor, extract, extractors

if TYPE_CHECKING:
    from pathlib import Path

GOLD = "the river is high but calm"
PAGE = f"<nav>home news</nav><p>{GOLD}</p>"


def same(html: bytes) -> bytes:
    return html


def sample(name: str, html: str = PAGE, gold: str | None = GOLD, **other: str) -> Sample:
    return Sample(name, partial(same, html.encode()), gold, **other)


def pages(*samples: Sample) -> Dataset:
    return Dataset("made here", samples)


@dataclass
class Counted:
    """A contestant that keeps the pages it was given."""

    text: str = GOLD
    read: list[bytes] = field(default_factory=list)

    def __call__(self, html: bytes) -> str:
        self.read.append(html)
        return self.text

    def named(self, name: str = "counted", version: str = "1") -> Contestant:
        return Contestant(name, self, version)


def page_result(
    f1: float, name: str = "p", *, seconds: float = 0.002, floor: float = 0.001, **other: str
) -> PageResult:
    return PageResult(sample(name, **other), {"bow": Score(f1, f1, f1)}, seconds, floor)


# Scores and costs


def test_scores_are_means_over_the_pages_that_have_gold() -> None:
    data = pages(
        sample("right"),
        sample("half", gold=f"{GOLD} and six words more for today"),
        sample("wrong", gold="nothing in common"),
        sample("no gold", gold=None),
    )
    (result,) = run(data, [Counted().named()], ["bow"])
    assert [page.sample.id for page in result.pages] == ["right", "half", "wrong"]
    assert [page.scores["bow"].f1 for page in result.pages] == pytest.approx([1, 2 / 3, 0])
    mean = result.mean("bow")
    assert mean.precision == pytest.approx((1 + 1 + 0) / 3)
    assert mean.recall == pytest.approx((1 + 0.5 + 0) / 3)
    assert mean.f1 == pytest.approx((1 + 2 / 3) / 3)


def test_a_real_extractor_gets_scores_costs_and_a_ratio_by_every_metric() -> None:
    data = load("corpus").spread(4)
    (result,) = run(data, [contestant("baseline")], list(METRICS))
    assert len(result.pages) == 4
    for metric in METRICS:
        mean = result.mean(metric)
        assert 0 < mean.precision <= 1
        assert 0 < mean.recall <= 1
        assert 0 < mean.f1 <= 1
    # All text of a page holds all of its gold.
    assert result.mean("bow").recall > 0.95
    assert all(page.seconds > 0 and page.floor > 0 for page in result.pages)
    assert result.seconds == pytest.approx(sum(page.seconds for page in result.pages) / 4)
    # The baseline parses too, and then does more.
    assert result.ratio > 1


def test_several_contestants_come_in_the_order_given_and_once_each() -> None:
    one, other = Counted(), Counted("other")
    results = list(run(pages(sample("a")), [other.named("z"), one.named("a"), one.named("a")], ["bow"]))
    assert [(result.contestant, len(result.pages)) for result in results] == [("z", 1), ("a", 1)]


def test_stripped_pages_do_not_count_for_the_ratio() -> None:
    whole = page_result(1, seconds=0.004, floor=0.001)
    stripped = PageResult(Sample("s", bytes, GOLD, stripped=True), {}, 0.5, 0.001)
    assert Result("x", (whole, stripped)).ratio == pytest.approx(4)
    assert Result("x", (stripped,)).ratio == pytest.approx(500)


# The interval


def test_the_interval_holds_the_mean_and_is_the_same_every_time() -> None:
    scores = [0.1, 0.9, 0.5, 0.7, 0.3, 1.0, 0.0, 0.8]
    result = Result("x", tuple(page_result(score) for score in scores))
    low, high = result.interval("bow")
    assert 0 <= low < result.mean("bow").f1 < high <= 1
    assert Result("x", result.pages).interval("bow") == (low, high)


def test_equal_pages_have_an_interval_without_width() -> None:
    low, high = Result("x", tuple(page_result(0.6) for _ in range(9))).interval("bow")
    assert low == pytest.approx(0.6)
    assert high == pytest.approx(0.6)


def test_more_pages_of_the_same_kind_give_a_narrower_interval() -> None:
    few = tuple(page_result(score) for score in (0.2, 0.8, 0.5, 0.9))
    low, high = Result("x", few).interval("bow")
    many_low, many_high = Result("x", few * 25).interval("bow")
    assert many_high - many_low < (high - low) / 3


# Groups


def test_results_are_grouped_by_type_and_by_site() -> None:
    result = Result(
        "x",
        (
            page_result(0.2, "1", type="forum", site="b.example"),
            page_result(0.4, "2", type="article", site="a.example"),
            page_result(0.8, "3", type="forum", site="a.example"),
            page_result(0.6, "4"),
        ),
    )
    by_type = result.groups("type")
    assert list(by_type) == ["(none)", "article", "forum"]
    assert by_type["forum"].mean("bow").f1 == pytest.approx(0.5)
    assert [page.sample.id for page in by_type["forum"].pages] == ["1", "3"]
    assert {name: len(group.pages) for name, group in result.groups("site").items()} == {
        "(none)": 1, "a.example": 2, "b.example": 1
    }  # fmt: skip


# The cache


def cached(data: Dataset, counted: Counted, cache: Path | None, *metrics: str, version: str = "1") -> Result:
    (result,) = run(data, [counted.named(version=version)], metrics or ["bow"], cache)
    return result


def test_a_second_run_computes_nothing_and_gives_the_same(tmp_path: Path) -> None:
    counted, cache = Counted(), tmp_path / "deep" / "cache.sqlite"
    data = pages(sample("a"), sample("b", html="<p>other page"))
    first = cached(data, counted, cache, "bow", "words")
    assert len(counted.read) == 2
    second = cached(data, counted, cache, "words", "bow")
    assert len(counted.read) == 2
    assert [(page.scores, page.seconds, page.floor) for page in second.pages] == [
        (page.scores, page.seconds, page.floor) for page in first.pages
    ]


def test_without_a_cache_everything_is_computed_again() -> None:
    counted, data = Counted(), pages(sample("a"))
    cached(data, counted, None)
    cached(data, counted, None)
    assert len(counted.read) == 2


def test_only_a_changed_page_or_gold_is_computed_anew(tmp_path: Path) -> None:
    counted, cache = Counted(), tmp_path / "cache"
    kept = sample("kept", html="<p>kept")
    cached(pages(kept, sample("a")), counted, cache)
    counted.read.clear()
    cached(pages(kept, sample("a", html="<p>changed")), counted, cache)
    assert counted.read == [b"<p>changed"]
    counted.read.clear()
    result = cached(pages(kept, sample("a", gold="changed")), counted, cache)
    assert counted.read == [PAGE.encode()]
    assert result.pages[1].scores["bow"].f1 == 0


def test_the_name_of_a_page_does_not_matter_to_the_cache(tmp_path: Path) -> None:
    counted = Counted()
    cached(pages(sample("a")), counted, tmp_path / "cache")
    cached(pages(sample("renamed")), counted, tmp_path / "cache")
    assert len(counted.read) == 1


def test_another_version_of_a_contestant_is_computed_anew(tmp_path: Path) -> None:
    counted, data, cache = Counted(), pages(sample("a")), tmp_path / "cache"
    cached(data, counted, cache)
    better = Counted("not the same text")
    assert cached(data, better, cache).mean("bow").f1 == 1
    assert better.read == []
    assert cached(data, better, cache, version="2").mean("bow").f1 < 1
    assert len(better.read) == 1


def test_another_parameter_is_computed_anew(tmp_path: Path) -> None:
    data, cache = pages(sample("a")), tmp_path / "cache"
    everything, nothing = contestant("block:threshold=0"), contestant("block:threshold=1000")
    (lax,) = run(data, [everything], ["bow"], cache)
    (strict,) = run(data, [nothing], ["bow"], cache)
    assert lax.mean("bow").recall == 1
    assert strict.mean("bow").recall == 0


def test_another_metric_or_definition_of_metrics_is_computed_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted, data, cache = Counted(), pages(sample("a")), tmp_path / "cache"
    cached(data, counted, cache)
    cached(data, counted, cache, "bow", "edr")
    assert len(counted.read) == 2
    cached(data, counted, cache, "edr")
    assert len(counted.read) == 2
    monkeypatch.setattr(bench.run, "METRICS_HASH", "another")
    cached(data, counted, cache)
    assert len(counted.read) == 3


def test_what_was_computed_before_an_interruption_is_kept(tmp_path: Path) -> None:
    counted, cache = Counted(), tmp_path / "cache"

    def interrupted() -> bytes:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached(pages(sample("a"), Sample("b", interrupted, GOLD)), counted, cache)
    cached(pages(sample("a")), counted, cache)
    assert len(counted.read) == 1


@pytest.mark.parametrize("code", ["transforms", "peers"])
def test_the_version_of_a_contestant_follows_the_code_it_runs(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def made() -> str:
        return contestant("cetr").version if code == "transforms" else peer("made up").version

    made_up = peers.Peer("lxml", "lxml", lambda: lambda _: "")
    monkeypatch.setitem(peers.PEERS, "made up", made_up)
    before = made()
    assert made() == before
    monkeypatch.setattr(bench.run, "_code_hash", lambda _: "changed")
    assert made() != before


def test_the_version_of_a_contestant_follows_the_version_of_lxml(monkeypatch: pytest.MonkeyPatch) -> None:
    before = contestant("cetr").version
    monkeypatch.setattr(bench.run, "version", lambda _: "999")
    assert contestant("cetr").version != before


def test_a_file_that_is_no_cache_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "thesis.txt"
    file.write_text("years of work " * 1000)
    with pytest.raises(BenchError, match=r"thesis\.txt is no cache of results"):
        Cache(file)
    assert file.read_text() == "years of work " * 1000
    with pytest.raises(BenchError, match="cannot open the cache"):
        Cache(tmp_path)


# Names


def test_parameters_follow_the_name_of_an_extractor() -> None:
    html = load("corpus").samples[0].html()
    named = contestant("cetr-tm:threshold=0.5,sigma=1")
    assert named.name == "cetr-tm:threshold=0.5,sigma=1"
    page = Page.parse(html)
    assert named.text(html) == extract(page, "cetr-tm", threshold=0.5, sigma=1).text
    assert named.text(html) != extract(page, "cetr-tm").text


def test_words_are_parameters_too() -> None:
    html = load("corpus").samples[0].html()
    default = extract(Page.parse(html), "cetr-tm").text
    assert contestant("cetr-tm:sigma=std").text(html) == default


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("cter", UnknownExtractor, ["there is no extractor 'cter'", *extractors]),
        ("cetr-tm:treshold=1", BadParameter, ["no parameter 'treshold'", "threshold=", "sigma="]),
        ("cetr-tm:threshold=-1", BadParameter, ["threshold=-1 is not allowed", "a number"]),
        ("cetr-tm:threshold=high", BadParameter, ["threshold='high' is not allowed", "a number"]),
        ("cetr-tm:threshold", BenchError, ["NAME=VALUE", "'threshold'"]),
    ],
)
def test_a_wrong_extractor_or_parameter_is_refused_with_those_there_are(
    name: str, error: type[Exception], says: list[str]
) -> None:
    with pytest.raises(error) as raised:
        contestant(name)
    for part in says:
        assert part in str(raised.value)


def test_an_unknown_metric_is_refused_with_those_there_are() -> None:
    counted = Counted()
    with pytest.raises(BenchError) as raised:
        run(pages(sample("a")), [counted.named()], ["bow", "bleu"])
    assert str(raised.value) == f"there is no metric 'bleu'; there are: {', '.join(METRICS)}"
    with pytest.raises(BenchError, match="name a metric; there are: lcstring"):
        run(pages(sample("a")), [counted.named()], [])
    assert counted.read == []


def test_pages_without_any_gold_are_refused() -> None:
    with pytest.raises(BenchError, match="no page of made here has gold text"):
        run(pages(sample("a", gold=None)), [Counted().named()], ["bow"])


def test_an_unknown_peer_is_refused_with_those_there_are() -> None:
    with pytest.raises(BenchError) as raised:
        peer("cetr")
    assert str(raised.value) == f"there is no peer 'cetr'; there are: {', '.join(peers.PEERS)}"


def test_a_peer_that_is_not_installed_is_refused_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = peers.Peer("no_such_package_here", "no-such", lambda: lambda _: "")
    monkeypatch.setitem(peers.PEERS, "absent", absent)
    with pytest.raises(BenchError, match=r"absent is not installed: pip install 'winnow\[bench\]'"):
        contestant("absent")
    assert "absent" not in peers.installed()


def test_a_peer_takes_no_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(peers.PEERS, "made up", peers.Peer("lxml", "lxml", lambda: lambda _: ""))
    with pytest.raises(BenchError, match="made up:fast=1: a peer takes no parameters"):
        contestant("made up:fast=1")


# Peers


def test_a_peer_that_fails_on_a_page_has_found_nothing_there(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails_on_the_other(html: bytes) -> str:
        if b"other" in html:
            raise RecursionError
        return GOLD

    monkeypatch.setitem(peers.PEERS, "made up", peers.Peer("lxml", "lxml", lambda: fails_on_the_other))
    data = pages(sample("a"), sample("b", html="<p>other"))
    (result,) = run(data, [peer("made up")], ["bow"])
    assert [page.scores["bow"].f1 for page in result.pages] == [1, 0]


@pytest.mark.parametrize("name", peers.PEERS)
def test_every_peer_finds_the_text_of_an_article(name: str) -> None:
    pytest.importorskip(peers.PEERS[name].package)
    article = load("corpus").samples[0]
    (result,) = run(pages(article), [contestant(name)], ["bow"])
    assert result.mean("bow").f1 > 0.5
    assert result.ratio > 0
