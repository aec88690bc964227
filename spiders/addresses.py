"""Which addresses a crawl may connect to: those of the public internet, unless it is told otherwise."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# IANA's special-purpose registries, and the addresses at which clouds answer their own machines.
_REFUSED = {
    "this network": "0.0.0.0/8",
    "private": "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10",
    "carrier-grade NAT": "100.64.0.0/10",
    "loopback": "127.0.0.0/8 ::1/128",
    "link-local": "169.254.0.0/16 fe80::/10",
    "metadata service": "168.63.129.16/32",
    "reserved": "192.0.0.0/24 240.0.0.0/4 255.255.255.255/32 ::/128 100::/64 2001::/23 5f00::/16",
    "documentation": "192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20",
    "benchmarking": "198.18.0.0/15",
    "6to4 relay": "192.88.99.0/24",
    "multicast": "224.0.0.0/4 ff00::/8",
}
REFUSED: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(network), name) for name, networks in _REFUSED.items() for network in networks.split()
)
_NAT64 = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))


@dataclass(frozen=True)
class AddressPolicy:
    """What may be connected to."""

    allow_private: bool = False  # anything
    networks: tuple[Network, ...] = ()  # these, although they are not public
    ports: frozenset[int] = frozenset({80, 443})

    def refuses(self, address: str) -> str | None:
        """Why an address is not connected to, or None."""
        return None if self.allow_private else _refused(address, self.networks)


@lru_cache(maxsize=4096)
def _refused(written: str, allowed: tuple[Network, ...]) -> str | None:
    try:
        address = ip_address(written.partition("%")[0])
    except ValueError:
        return "not an address"
    for inner in (address, *_embedded(address)):
        if any(inner in network for network in allowed):
            continue
        for network, name in REFUSED:
            if inner in network:
                return name
    return None


def _embedded(address: Address) -> Iterable[IPv4Address]:
    """The IPv4 addresses that an IPv6 address leads to."""
    if isinstance(address, IPv4Address):
        return
    if address.ipv4_mapped:
        yield address.ipv4_mapped
    if address.sixtofour:
        yield address.sixtofour
    if address.teredo:
        yield from address.teredo
    if any(address in network for network in _NAT64):
        yield IPv4Address(int(address) & 0xFFFFFFFF)
    if int(address) >> 32 == 0 and int(address) > 1:  # ::a.b.c.d, long out of use
        yield IPv4Address(int(address))
