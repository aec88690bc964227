"""robots.txt by RFC 9309, and what pages ask for themselves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from spiders.directives import Directives, of_content, of_header
from spiders.exceptions import FetchError
from spiders.outcomes import Outcome
from spiders.politeness import Politeness, seconds
from spiders.robots import MAX_BYTES, Robots, RobotsAnswer, Rules, parse

ORIGIN = "http://a.example"
DENY = b"User-agent: *\nDisallow: /private\n"


class Server:
    """What is answered when robots.txt is asked for; an outcome is a failure."""

    def __init__(self, answers: dict[str, Sequence[RobotsAnswer | Outcome]]) -> None:
        self._answers = {url: list(found) for url, found in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, url: str) -> RobotsAnswer:
        self.asked.append(url)
        found = self._answers[url].pop(0)
        await asyncio.sleep(0)
        if isinstance(found, Outcome):
            raise FetchError(found, "no")
        return found


def rules(*answers: RobotsAnswer | Outcome) -> Rules:
    return asyncio.run(Robots(Server({f"{ORIGIN}/robots.txt": answers})).rules(ORIGIN))


def test_200_gives_the_rules() -> None:
    found = rules(RobotsAnswer(200, None, DENY + b"Crawl-delay: 2.5\nSitemap: http://a.example/s.xml\n"))
    assert found.allows(f"{ORIGIN}/public")
    assert not found.allows(f"{ORIGIN}/private/x")
    assert found.delay == 2.5
    assert found.sitemaps == ("http://a.example/s.xml",)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_4xx_allows_everything(status: int) -> None:
    assert rules(RobotsAnswer(status, None, DENY)).allows(f"{ORIGIN}/private")


@pytest.mark.parametrize(
    "answer",
    [*(RobotsAnswer(status, None, b"") for status in (500, 503, 429)), Outcome.TIMED_OUT, Outcome.UNREACHABLE],
)
def test_5xx_and_silence_disallow_everything(answer: RobotsAnswer | Outcome) -> None:
    found = rules(answer)
    assert not found.allows(f"{ORIGIN}/public")
    assert not found.final


def test_what_cannot_be_reached_is_asked_again_and_in_the_end_left_alone() -> None:
    now = [0.0]
    server = Server(
        {f"{ORIGIN}/robots.txt": [Outcome.TIMED_OUT, RobotsAnswer(503, None, b""), RobotsAnswer(500, None, b"")]}
    )
    robots = Robots(server, (10.0, 60.0), lambda: now[0])

    def ask() -> Rules:
        return asyncio.run(robots.rules(ORIGIN))

    assert (ask().retry_in, ask().retry_in, len(server.asked)) == (10.0, 10.0, 1)
    now[0] = 11
    assert (ask().retry_in, len(server.asked)) == (60.0, 2)
    now[0] = 72
    assert ask().final
    now[0] = 200
    assert ask().final
    assert len(server.asked) == 3


def test_a_host_that_may_not_be_connected_to_is_called_so_at_once() -> None:
    found = rules(Outcome.REFUSED_ADDRESS)
    assert (found.outcome, found.final) == (Outcome.REFUSED_ADDRESS, True)
    server = Server(
        {
            f"{ORIGIN}/robots.txt": [RobotsAnswer(302, "http://10.0.0.1/", b"")],
            "http://10.0.0.1/": [Outcome.REFUSED_ADDRESS],
        }
    )
    found = asyncio.run(Robots(server).rules(ORIGIN))
    assert (found.outcome, found.final) == (Outcome.ROBOTS_UNREACHABLE, True)
    assert not found.allows(f"{ORIGIN}/public")


def test_a_host_that_comes_back_is_believed() -> None:
    now = [0.0]
    server = Server({f"{ORIGIN}/robots.txt": [Outcome.TIMED_OUT, RobotsAnswer(200, None, DENY)]})
    robots = Robots(server, (10.0,), lambda: now[0])
    assert not asyncio.run(robots.rules(ORIGIN)).allows(f"{ORIGIN}/public")
    now[0] = 11
    assert asyncio.run(robots.rules(ORIGIN)).allows(f"{ORIGIN}/public")


def test_redirections_are_followed_to_other_hosts_but_not_for_ever() -> None:
    moved = {f"{ORIGIN}/robots.txt": [RobotsAnswer(301, "//b.example/robots.txt", b"")],
             "http://b.example/robots.txt": [RobotsAnswer(302, "/real", b"")],
             "http://b.example/real": [RobotsAnswer(200, None, DENY)]}  # fmt: skip
    assert not asyncio.run(Robots(Server(moved)).rules(ORIGIN)).allows(f"{ORIGIN}/private")
    circle = {f"{ORIGIN}/robots.txt": [RobotsAnswer(302, "/robots.txt", b"")] * 20}
    server = Server(circle)
    assert asyncio.run(Robots(server).rules(ORIGIN)).allows(f"{ORIGIN}/private")
    assert len(server.asked) == 6


def test_many_who_wait_ask_once() -> None:
    server = Server({f"{ORIGIN}/robots.txt": [RobotsAnswer(200, None, DENY)]})
    robots = Robots(server)

    async def together() -> list[Rules]:
        return await asyncio.gather(*(robots.rules(ORIGIN) for _ in range(10)))

    assert len(asyncio.run(together())) == 10
    assert len(server.asked) == 1


def test_the_first_500_kib_count() -> None:
    filler = b"# nothing\n" * (MAX_BYTES // 10)
    assert parse(filler[: MAX_BYTES - 100] + b"\nUser-agent: *\nDisallow: /x\n").can_fetch("/x", "winnow") is False
    assert parse(filler + b"User-agent: *\nDisallow: /x\n").can_fetch("/x", "winnow") is True
    # A rule that the limit cuts is not read as a shorter, broader one.
    cut = b"User-agent: *\n" + filler[: MAX_BYTES - 14 - 12] + b"\nDisallow: /private/deep"
    assert parse(cut).can_fetch("/private", "winnow") is True


def test_a_group_for_us_counts_and_not_that_of_others() -> None:
    text = b"User-agent: winnow\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n"
    found = Rules(parse(text))
    assert found.allows(f"{ORIGIN}/b")
    assert not found.allows(f"{ORIGIN}/a")


def test_directives_of_headers_and_pages() -> None:
    assert of_content("NoIndex, follow") == Directives(noindex=True)
    assert of_content("none") == Directives(noindex=True, nofollow=True)
    assert of_content("index, follow, max-snippet:-1") == Directives()
    assert of_header(["otherbot: noindex", "nofollow"]) == Directives(nofollow=True)
    assert of_header(["winnow: noindex"]) == Directives(noindex=True)
    assert of_header(["unavailable_after: 25 Jun 2010 15:00:00 PST", "max-snippet: 5, noindex"]) == Directives(
        noindex=True
    )


def test_retry_after_is_a_number_or_a_date() -> None:
    assert seconds("120") == 120
    assert seconds("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert 3e9 < (seconds("Fri, 31 Dec 2199 23:59:59 GMT") or 0) < 1e10
    assert seconds("soon") is None
    assert seconds("9" * 400) == 999_999_999


def test_pauses_double_obey_retry_after_and_end_in_giving_up() -> None:
    host = Politeness(pause=10, longest=100, most=5)
    assert [host.refused("a", None), host.refused("a", "35"), host.refused("a", "1")] == [10, 35, 40]
    host.answered("a")
    assert host.refused("a", None) == 10
    assert host.refused("b", "101") is None
    assert [host.refused("c", None) for _ in range(5)] == [10, 20, 40, 80, None]
