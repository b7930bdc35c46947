"""Under which addresses devices of the local network reach this computer."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from pathlib import Path

import ifaddr

from lobug.access.addresses import parse_address

Interface = tuple[str, str]
"""Name and IPv4 address."""


def lan_addresses(host: str) -> list[str]:
    """The IPv4 addresses, none of them loopback, of a server that listens to ``host``: an address
    as its socket has it. Empty when devices cannot reach it, or by IPv6 alone."""
    listening = parse_address(host)
    if listening is None or listening.is_loopback:
        return []
    if not listening.is_unspecified:
        return [str(listening)] if listening.version == 4 else []
    return choose(_interfaces(), network_address(), is_hardware)


def choose(
    interfaces: Iterable[Interface], default: str | None, hardware: Callable[[str], bool]
) -> list[str]:
    """Of all interfaces the addresses of those that lead to devices: the one that the default route
    goes through (``default``, first), and whatever is hardware. Bridges of containers and virtual
    machines are left out, since a device would take their address for a way here. Pure."""
    good = {
        address
        for name, address in interfaces
        if (address == default or hardware(name)) and _is_outside(address)
    }
    return sorted(good, key=lambda address: (address != default, address))


def network_address() -> str | None:
    """This computer's address on its network, or None. Sends nothing: connecting a UDP socket only
    asks the routing table, and the address asked for (TEST-NET-1, RFC 5737) exists nowhere."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def is_hardware(name: str) -> bool:
    """Whether an interface is a card, as far as the system tells."""
    known = Path("/sys/class/net")
    if known.is_dir():
        return (known / name / "device").exists()
    return name.startswith("en")  # macOS


def _interfaces() -> list[Interface]:
    return [
        (adapter.name, str(address.ip))
        for adapter in ifaddr.get_adapters()
        for address in adapter.ips
        if address.is_IPv4
    ]


def _is_outside(address: str) -> bool:
    parsed = parse_address(address)
    return parsed is not None and not parsed.is_loopback and not parsed.is_unspecified
