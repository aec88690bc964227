"""The frontier: each URL once, hosts in turn, limits that do not depend on timing."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from spiders.frontier import Frontier, SiteLimits
from spiders.outcomes import Outcome
from spiders.urls import key
from spiders.visits import Visit


def visit(number: int, host: str = "a.example", depth: int = 0, **more: int) -> Visit:
    return Visit(f"http://{host}/{number}", host, host, depth=depth, **more)  # type: ignore[arg-type]


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def frontier(
    per_host: int = 4, clock: Clock | None = None, **limits: int
) -> tuple[Frontier, list[tuple[str, Outcome]]]:
    dropped: list[tuple[str, Outcome]] = []
    made = Frontier(SiteLimits(**limits), per_host, lambda v, o: dropped.append((v.url, o)), clock or Clock())
    return made, dropped


def test_a_url_is_taken_once() -> None:
    made, _ = frontier()
    assert made.add(visit(1))
    assert not made.add(visit(1, depth=3))
    first = made.take()
    assert first == visit(1)
    assert made.take() is None
    assert not made.add(visit(1))


def test_hosts_take_turns_and_none_has_more_than_its_share_under_way() -> None:
    made, _ = frontier(per_host=2)
    for number in range(5):
        made.add(visit(number, "a.example"))
    made.add(visit(9, "b.example"))
    taken = [made.take() for _ in range(4)]
    assert [found.host for found in taken if found] == ["a.example", "b.example", "a.example"]
    assert taken[-1] is None
    assert made.waiting == 3
    assert taken[0] is not None
    made.finish(taken[0], Outcome.STORED)
    again = made.take()
    assert again is not None
    assert again.host == "a.example"


def test_a_paused_host_waits_and_others_do_not() -> None:
    clock = Clock()
    made, _ = frontier(clock=clock)
    made.add(visit(1, "a.example"))
    made.add(visit(2, "b.example"))
    made.pause("a.example", 30)
    assert made.take() == visit(2, "b.example")
    assert made.take() is None
    assert made.paused == 1
    assert made.next_wake() == 30
    clock.now += 31
    assert made.take() == visit(1, "a.example")


def test_a_host_that_is_given_up_loses_all_that_waits() -> None:
    made, dropped = frontier()
    for number in range(3):
        made.add(visit(number))
    made.give_up("a.example")
    made.add(visit(7))
    assert made.take() is None
    assert made.waiting == 0
    assert {outcome for _, outcome in dropped} == {Outcome.HOST_REFUSING}
    assert len(dropped) == 4


def test_a_limit_on_bytes_or_time_ends_a_site_and_no_other() -> None:
    clock = Clock()
    made, dropped = frontier(clock=clock, bytes=1000, seconds=60)
    for host in ("a.example", "b.example"):
        for number in range(3):
            made.add(visit(number, host))
    first = made.take()
    assert first is not None
    made.finish(first, Outcome.STORED, 1000)
    rest = []
    while found := made.take():
        made.finish(found, Outcome.STORED, 10)
        rest.append(found.host)
        clock.now += 100
    assert rest == ["b.example"]
    assert dropped == [("http://a.example/1", Outcome.LIMIT), ("http://a.example/2", Outcome.LIMIT),
                       ("http://b.example/1", Outcome.LIMIT), ("http://b.example/2", Outcome.LIMIT)]  # fmt: skip


def graph(draw: Random, size: int) -> dict[int, list[int]]:
    return {number: [draw.randrange(size) for _ in range(draw.randrange(5))] for number in range(size)}


def walk(
    links: dict[int, list[int]], order: Random, *, failing: set[int], stop: int | None = None, **limits: int
) -> set[int]:
    """Crawl a graph, with answers in any order; with `stop`, be killed after so many of them and begin again."""
    stored: set[int] = set()
    archive: list[tuple[int, int, Outcome]] = []
    while True:
        made, _ = frontier(3, **limits)
        made.add(visit(0))
        done = set()
        for number, depth, outcome in archive:
            made.restore(visit(number, depth=depth), outcome, 1)
            done.add(key(visit(number).url))
            if outcome is Outcome.STORED:
                _expand(made, links[number], depth, limits)
        made.prune(done)
        under_way: list[Visit] = []
        answers = 0
        while True:
            while found := made.take():
                under_way.append(found)
            if not under_way or (stop is not None and answers == stop):
                break
            found = under_way.pop(order.randrange(len(under_way)))
            number = int(found.url.rpartition("/")[2])
            assert number not in stored
            outcome = Outcome.HTTP_ERROR if number in failing else Outcome.STORED
            archive.append((number, found.depth, outcome))
            stored |= {number} if outcome is Outcome.STORED else set()
            if outcome is Outcome.STORED:
                _expand(made, links[number], found.depth, limits)
            made.finish(found, outcome, 1)
            answers += 1
        if not under_way:
            assert made.waiting == 0 or "pages" in limits
            return stored
        stop = None


def _expand(made: Frontier, links: list[int], depth: int, limits: dict[str, int]) -> None:
    for target in links:
        if depth + 1 <= limits.get("depth", depth + 1):
            made.add(visit(target, depth=depth + 1))


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 40), st.integers(1, 30), st.integers(0, 4), st.integers(0, 30))
def test_limits_choose_the_same_pages_whatever_the_timing_and_after_a_kill(
    seed: int, size: int, most: int, depth: int, stop: int
) -> None:
    draw = Random(seed)
    links = graph(draw, size)
    failing = {number for number in range(1, size) if draw.random() < 0.2}
    limits = {"pages": most, "depth": depth}
    once = walk(links, Random(1), failing=failing, **limits)
    assert len(once) <= most
    assert walk(links, Random(2), failing=failing, **limits) == once
    assert walk(links, Random(3), failing=failing, stop=stop, **limits) == once


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 60), st.integers(0, 60))
def test_without_limits_every_page_that_can_be_reached_is_taken_also_after_a_kill(
    seed: int, size: int, stop: int
) -> None:
    links = graph(Random(seed), size)
    reached, waiting = {0}, [0]
    while waiting:
        for target in links[waiting.pop()]:
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    assert walk(links, Random(seed), failing=set()) == reached
    assert walk(links, Random(seed), failing=set(), stop=stop) == reached
