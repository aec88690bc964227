"""What may be connected to. What opens connections is replaced here, and asserted not to be called."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from ipaddress import ip_network
from typing import Any

import pytest

from bench.web.server import LOOPBACK, Answer, serve
from spiders.addresses import AddressPolicy
from spiders.client import Client, FetchLimits
from spiders.connect import Connector
from spiders.exceptions import FetchError
from spiders.outcomes import Outcome
from spiders.urls import parse

PUBLIC = "93.184.216.34"

FORBIDDEN = [
    "127.0.0.1", "127.8.9.10", "0.0.0.0",  # noqa: S104  an address like others
    "10.0.0.1", "172.16.0.1", "172.31.255.254", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "198.18.0.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1", "2001:db8::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::7f00:1", "not an address",
]  # fmt: skip


class Opened:
    """Stands for the socket: notes where it would lead, and opens nothing."""

    def __init__(self) -> None:
        self.to: list[str] = []

    async def __call__(self, factory: Any, address: str, port: int, **_: Any) -> tuple[None, Any]:
        self.to.append(f"{address}:{port}")
        return None, factory()


def connect(name: str, *answers: Sequence[str], policy: AddressPolicy | None = None, port: int = 80) -> list[str]:
    """Where connections to a name would go, one after another, given the answers of its name server."""
    opened = Opened()
    waiting = iter(answers)

    async def resolve(_: str) -> Sequence[str]:
        return next(waiting)

    async def run() -> None:
        for _ in range(max(1, len(answers))):
            connector = Connector(policy or AddressPolicy(), resolve=resolve, open_connection=opened)
            await connector.connect("http", name, port, asyncio.Protocol)

    try:
        asyncio.run(run())
    except FetchError as error:
        opened.to.append(error.outcome.value)
    return opened.to


@pytest.mark.parametrize("address", FORBIDDEN)
def test_addresses_that_are_not_public_are_refused_before_anything_is_opened(address: str) -> None:
    assert AddressPolicy().refuses(address)
    assert connect("innocent.example", [address]) == ["refused_address"]


@pytest.mark.parametrize(
    "address", [PUBLIC, "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.32.0.1", "2606:2800:220:1::1"]
)
def test_public_addresses_are_not_refused(address: str) -> None:
    assert AddressPolicy().refuses(address) is None


@pytest.mark.parametrize("name", ["127.0.0.1", "169.254.169.254", "::1", "::ffff:a00:1"])
def test_addresses_written_as_hosts_are_refused_as_well(name: str) -> None:
    assert connect(name) == ["refused_address"]


def test_the_address_that_was_looked_at_is_the_one_that_is_connected_to() -> None:
    # A name server that answers differently the second time gets the second answer looked at, too.
    assert connect("rebinding.example", [PUBLIC], ["127.0.0.1"]) == [f"{PUBLIC}:80", "refused_address"]


def test_of_several_addresses_only_public_ones_are_connected_to() -> None:
    assert connect("mixed.example", ["10.0.0.1", PUBLIC, "::1"]) == [f"{PUBLIC}:80"]


def test_only_the_usual_ports_are_connected_to() -> None:
    assert connect("a.example", [PUBLIC], port=22) == ["refused_port"]
    assert connect("a.example", [PUBLIC], port=6379) == ["refused_port"]
    assert connect("a.example", [PUBLIC], port=443) == [f"{PUBLIC}:443"]
    policy = AddressPolicy(ports=frozenset({80, 443, 8080}))
    assert connect("a.example", [PUBLIC], port=8080, policy=policy) == [f"{PUBLIC}:8080"]


def test_one_network_may_be_allowed_without_the_others() -> None:
    policy = AddressPolicy(networks=(ip_network("10.1.0.0/16"),))
    assert policy.refuses("10.1.2.3") is None
    assert policy.refuses("10.2.0.1") == "private"
    assert policy.refuses("::ffff:10.1.2.3") is None
    assert policy.refuses("127.0.0.1") == "loopback"


def test_a_name_without_an_address_is_unresolved() -> None:
    assert connect("nowhere.example", []) == ["unresolved"]


def test_sending_connections_elsewhere_does_not_go_around_the_policy() -> None:
    opened = Opened()
    connector = Connector(AddressPolicy(), {"*": ("127.0.0.1", 80)}, open_connection=opened)
    with pytest.raises(FetchError) as error:
        asyncio.run(connector.connect("http", "a.example", 80, asyncio.Protocol))
    assert error.value.outcome is Outcome.REFUSED_ADDRESS
    assert opened.to == []


def test_a_server_on_loopback_is_not_asked_unless_it_is_allowed() -> None:
    asked = []

    def answers(request: Any) -> Answer:
        asked.append(request.target)
        return Answer(b"hello")

    async def fetch(policy: AddressPolicy, port: int) -> int:
        url = parse(f"http://{LOOPBACK}:{port}/x")
        assert url is not None
        client = Client(Connector(policy), FetchLimits(), 1)
        try:
            exchange = await client.fetch(url, b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n")
        finally:
            client.close()
        return exchange.status

    with serve(answers) as port:
        ports = frozenset({port})
        with pytest.raises(FetchError, match="loopback"):
            asyncio.run(fetch(AddressPolicy(ports=ports), port))
        assert asked == []
        assert asyncio.run(fetch(AddressPolicy(allow_private=True, ports=ports), port)) == 200
        assert asked == ["/x"]
