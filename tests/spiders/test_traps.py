"""Places without end have an end."""

from __future__ import annotations

from spiders import traps
from spiders.traps import TrapLimits, Traps
from spiders.urls import Url, parse


def url(target: str) -> Url:
    made = parse(f"http://a.example{target}")
    assert made is not None
    return made


def test_a_path_that_repeats_itself_is_caught() -> None:
    caught = Traps(TrapLimits()).caught
    assert caught(url("/a/b/a/b")) is None
    assert caught(url("/a/b/a/b/a/b")) == traps.REPEATS
    assert caught(url("/x/more/more/more/")) == traps.REPEATS
    assert caught(url("/2024/01/01/a-story")) is None
    assert caught(url("/" + "/".join(f"d{number}x" for number in range(30)))) == traps.DEPTH


def test_a_calendar_ends_when_its_budget_does() -> None:
    caught = Traps(TrapLimits(per_shape=10)).caught
    assert [caught(url(f"/calendar/{2000 + n}/{n % 12}")) for n in range(12)] == [None] * 10 + [traps.SHAPE] * 2
    assert caught(url("/calendar/today")) is None


def test_session_ids_in_paths_are_one_shape() -> None:
    caught = Traps(TrapLimits(per_shape=3)).caught
    tokens = [f"{n}e4f0b8a9c7d6e5f{n}" for n in range(5)]
    assert [caught(url(f"/s/{token}/cart")) for token in tokens] == [None] * 3 + [traps.SHAPE] * 2


def test_words_are_not_taken_for_tokens() -> None:
    caught = Traps(TrapLimits(per_shape=1)).caught
    slugs = ["harbour-wall-to-be-rebuilt", "night-bus-returns-after-petitions", "library-closes-its-top-floor"]
    assert [caught(url(f"/news/{slug}")) for slug in slugs] == [None, None, None]


def test_queries_of_one_path_are_bounded() -> None:
    caught = Traps(TrapLimits(per_path=4)).caught
    names = ["red", "blue", "green", "large", "small", "new"]
    assert [caught(url(f"/shop?{name}=yes")) for name in names] == [None] * 4 + [traps.QUERIES] * 2
    assert caught(url("/shop?" + "&".join(f"{letter}=x" for letter in "abcdefghijklmnop"))) == traps.PARAMETERS


def test_one_host_does_not_use_up_the_budget_of_another() -> None:
    caught = Traps(TrapLimits(per_shape=1)).caught
    other = parse("http://b.example/1")
    assert other is not None
    assert [caught(url("/1")), caught(url("/2")), caught(other)] == [None, traps.SHAPE, None]
