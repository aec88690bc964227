"""The client keeps every byte as it came, within its limits, whatever the server does."""

from __future__ import annotations

import asyncio
import gzip
from typing import Any

import pytest

from bench.web.server import HANG, LOOPBACK, Answer, Asked, serve
from spiders.addresses import AddressPolicy
from spiders.client import Client, FetchLimits
from spiders.connect import Connector
from spiders.exceptions import FetchError
from spiders.exchange import DISCONNECT, LENGTH, TIME, Exchange
from spiders.outcomes import Outcome
from spiders.urls import parse

REQUEST = b"GET /x HTTP/1.1\r\nHost: a.example\r\n\r\n"


def fetch(answer: Answer, times: int = 1, **limits: Any) -> list[Exchange]:
    """Fetch the answer of a server so many times over one client."""

    async def run(port: int) -> list[Exchange]:
        policy = AddressPolicy(allow_private=True)
        client = Client(Connector(policy, {"*": (LOOPBACK, port)}), FetchLimits(**limits), 2)
        url = parse("http://a.example/x")
        assert url is not None
        try:
            return [await client.fetch(url, REQUEST) for _ in range(times)]
        finally:
            client.close()

    with serve(lambda _: answer) as port:
        return asyncio.run(run(port))


def outcome(answer: Answer, **limits: Any) -> Outcome:
    with pytest.raises(FetchError) as error:
        fetch(answer, **limits)
    return error.value.outcome


def test_head_and_body_are_kept_byte_for_byte() -> None:
    raw = (
        b"HTTP/1.1 200 Quite  fine\r\nX-ODD:  spaced \r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\nFolded: one\r\n  two\r\n"
        b"Content-Length: 5\r\n\r\nhello"
    )
    [exchange] = fetch(Answer(raw=raw))
    assert exchange.block == raw
    assert exchange.head + exchange.message.body == raw
    assert exchange.message.all("set-cookie") == ["a=1", "b=2"]
    assert exchange.request == REQUEST
    assert exchange.address == LOOPBACK
    assert exchange.truncated is None


@pytest.mark.parametrize("end", [b"0\r\n\r\n", b"0;x=y\r\nTrailer: 1\r\n\r\n"])
def test_chunks_are_kept_and_their_end_is_found(end: bytes) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    pieces = [b"5\r", b"\nhel", b"lo\r\n6;name=value\r\n world", b"\r\n", end]
    [exchange] = fetch(Answer(raw=head, pieces=pieces, pause=0.01))
    assert exchange.block == head + b"".join(pieces)
    assert exchange.truncated is None


def test_a_compressed_body_stays_compressed() -> None:
    packed = gzip.compress(b"hello" * 1000)
    [exchange] = fetch(Answer(packed, headers=(("Content-Encoding", "gzip"),)))
    assert exchange.message.body == packed


def test_interim_responses_are_passed_over() -> None:
    final = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    [exchange] = fetch(
        Answer(raw=b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" + final)
    )
    assert exchange.block == final


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
def test_responses_without_a_body_do_not_wait_for_one(status: str) -> None:
    first, second = fetch(Answer(raw=f"HTTP/1.1 {status}\r\nContent-Length: 10\r\n\r\n".encode()), times=2)
    assert first.message.body == second.message.body == b""


def test_a_body_may_last_until_the_connection_ends() -> None:
    [exchange] = fetch(Answer(raw=b"HTTP/1.0 200 OK\r\n\r\nto the end", close=True))
    assert exchange.message.body == b"to the end"
    assert exchange.truncated is None


def test_a_body_over_the_limit_is_cut_there() -> None:
    for answer in (Answer(b"x" * 5000), Answer(raw=b"HTTP/1.0 200 OK\r\n\r\n" + b"x" * 5000, close=True)):
        [exchange] = fetch(answer, body=1000)
        assert exchange.message.body == b"x" * 1000
        assert exchange.truncated == LENGTH


def test_a_body_that_takes_too_long_is_cut_where_it_is() -> None:
    [exchange] = fetch(Answer(headers=(("Content-Length", "100"),), pieces=[b"x"] * 50, pause=0.1), seconds=0.5)
    assert exchange.truncated == TIME
    assert 0 < len(exchange.message.body) < 50


def test_a_server_that_hangs_up_within_a_body_is_noticed() -> None:
    [exchange] = fetch(Answer(b"half", headers=(("Content-Length", "100"),), close=True))
    assert exchange.truncated == DISCONNECT
    assert exchange.message.body == b"half"


def test_what_is_not_http_and_heads_without_end_are_broken() -> None:
    assert outcome(Answer(raw=b"SSH-2.0-OpenSSH_9.6\r\n", pieces=[b"x"] * 5, pause=0.05)) is Outcome.BROKEN
    assert outcome(Answer(raw=b"HTTP/1.1 200 OK\r\nX: " + b"x" * 50_000), head=10_000) is Outcome.BROKEN
    assert outcome(Answer(raw=b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 9_000 + b"\r\n"), head=10_000) is Outcome.BROKEN
    assert outcome(Answer(raw=b"", close=True)) is Outcome.BROKEN


def test_a_server_that_says_nothing_times_out() -> None:
    assert outcome(Answer(wait=HANG), seconds=0.3) is Outcome.TIMED_OUT


def test_connections_are_used_again_and_stale_ones_replaced() -> None:
    ports: list[int] = []

    class Counting:
        def __init__(self) -> None:
            self.count = 0

        def __call__(self, _: Asked) -> Answer:
            self.count += 1
            # After the second answer the server hangs up without saying so.
            return Answer(
                raw=b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + str(self.count).encode(), close=self.count == 2
            )

    async def run(port: int) -> list[bytes]:
        opened: list[int] = []
        loop = asyncio.get_running_loop()

        async def counting(*given: Any, **named: Any) -> Any:
            opened.append(1)
            return await loop.create_connection(*given, **named)

        connector = Connector(AddressPolicy(allow_private=True), {"*": (LOOPBACK, port)}, open_connection=counting)
        client = Client(connector, FetchLimits(), 2)
        url = parse("http://a.example/x")
        assert url is not None
        bodies = [(await client.fetch(url, REQUEST)).message.body for _ in range(4)]
        client.close()
        ports.append(len(opened))
        return bodies

    with serve(Counting()) as port:
        assert asyncio.run(run(port)) == [b"1", b"2", b"3", b"4"]
    assert ports == [2]


def test_more_than_was_announced_does_not_reach_the_next_response() -> None:
    first, second = fetch(
        Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nsmuggled"), times=2
    )
    assert first.message.body == second.message.body == b"ok"
