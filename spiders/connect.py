"""Connections to addresses that were looked at: the address that is checked is the one that is connected to.

A name is resolved once for a connection, every address of the answer is held against the policy, and the socket is
opened to one that passed, by its number. So no second answer of a name server (DNS rebinding) can lead elsewhere.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable, Mapping, Sequence
from ipaddress import ip_address
from time import monotonic
from typing import Any, TypeVar, cast

from spiders.addresses import AddressPolicy
from spiders.exceptions import FetchError
from spiders.outcomes import Outcome

CONNECT_SECONDS = 20.0
# How long the addresses of a name are believed. Name servers say so themselves, but getaddrinfo does not pass it on.
NAME_SECONDS = 300.0
NAMES = 10_000
ANY_HOST = "*"
TRIED = 3  # addresses of a host

Resolve = Callable[[str], Awaitable[Sequence[str]]]
ProtocolT = TypeVar("ProtocolT", bound=asyncio.Protocol)


class Connector:
    """Opens connections under an AddressPolicy.

    `connect_to` sends what is meant for a host to another address and port, as curl's option does; the policy holds
    for that address as well.
    """

    def __init__(
        self,
        policy: AddressPolicy,
        connect_to: Mapping[str, tuple[str, int]] | None = None,
        *,
        verify: bool = True,
        resolve: Resolve | None = None,
        open_connection: Callable[..., Awaitable[tuple[Any, Any]]] | None = None,
    ) -> None:
        self.policy = policy
        self._connect_to = dict(connect_to or {})
        self._resolve = resolve or _getaddrinfo
        self._open = open_connection
        self._names: dict[str, tuple[float, Sequence[str]]] = {}
        self._tls = ssl.create_default_context()
        if not verify:
            self._tls.check_hostname = False
            self._tls.verify_mode = ssl.CERT_NONE
        self._tls.set_alpn_protocols(["http/1.1"])

    async def connect(self, scheme: str, name: str, port: int, factory: Callable[[], ProtocolT]) -> ProtocolT:
        """A connection to a host, or a FetchError; nothing is sent before its address has passed."""
        if port not in self.policy.ports:
            allowed = ", ".join(map(str, sorted(self.policy.ports)))
            raise FetchError(Outcome.REFUSED_PORT, f"port {port}; allowed: {allowed} (--allow-port)")
        addresses, port = await self._addresses(name, port)
        refused = [(address, why) for address in addresses if (why := self.policy.refuses(address))]
        allowed_addresses = [address for address in addresses if not self.policy.refuses(address)]
        if not allowed_addresses:
            address, why = refused[0]
            raise FetchError(Outcome.REFUSED_ADDRESS, f"{name} is at {address}: {why}")
        failure: FetchError | None = None
        for address in allowed_addresses[:TRIED]:
            opened = await self._opened(scheme, name, address, port, factory)
            if not isinstance(opened, FetchError):
                return opened
            failure = opened
        assert failure is not None  # noqa: S101  there was at least one address
        raise failure

    async def _opened(
        self, scheme: str, name: str, address: str, port: int, factory: Callable[[], ProtocolT]
    ) -> ProtocolT | FetchError:
        tls: dict[str, Any] = {"ssl": self._tls, "server_hostname": name} if scheme == "https" else {}
        open_connection = self._open or asyncio.get_running_loop().create_connection
        try:
            _, protocol = await asyncio.wait_for(open_connection(factory, address, port, **tls), CONNECT_SECONDS)
        except ssl.SSLError as error:
            return FetchError(Outcome.TLS_FAILED, _said(error))
        except (TimeoutError, asyncio.TimeoutError):  # two classes before Python 3.11
            return FetchError(Outcome.TIMED_OUT, f"no connection to {address} within {CONNECT_SECONDS:.0f} s")
        except OSError as error:
            return FetchError(Outcome.UNREACHABLE, f"{address} port {port}: {_said(error)}")
        return cast("ProtocolT", protocol)

    async def _addresses(self, name: str, port: int) -> tuple[Sequence[str], int]:
        sent_to = self._connect_to.get(name) or self._connect_to.get(ANY_HOST)
        if sent_to:
            return (sent_to[0],), sent_to[1]
        try:
            ip_address(name)
        except ValueError:
            return await self._resolved(name), port
        return (name,), port

    async def _resolved(self, name: str) -> Sequence[str]:
        known = self._names.get(name)
        if known and monotonic() - known[0] < NAME_SECONDS:
            return known[1]
        try:
            addresses = await self._resolve(name)
        except (OSError, UnicodeError) as error:
            raise FetchError(Outcome.UNRESOLVED, f"{name}: {_said(error)}") from None
        if not addresses:
            raise FetchError(Outcome.UNRESOLVED, f"{name} has no address")
        if len(self._names) >= NAMES:
            self._names.clear()
        self._names[name] = (monotonic(), addresses)
        return addresses


async def _getaddrinfo(name: str) -> Sequence[str]:
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(name, None, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    # IPv4 first: a machine without IPv6 would wait for every AAAA.
    ordered = sorted(found, key=lambda entry: entry[0] != socket.AF_INET)
    return list(dict.fromkeys(str(entry[4][0]) for entry in ordered))


def _said(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
