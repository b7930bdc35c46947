"""The addresses at which devices of the local network reach this computer."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable
from pathlib import Path

import ifaddr

from lobug.access.addresses import parse_address

Interface = tuple[str, str]
"""Name and IPv4 address."""


def lan_addresses(host: str) -> list[str]:
    """Return the IPv4 addresses, without loopback, of a server whose socket listens at the address
    ``host``. Empty when devices cannot reach it, or only by IPv6."""
    listening = parse_address(host)
    if listening is None or listening.is_loopback:
        return []
    if not listening.is_unspecified:
        return [str(listening)] if listening.version == 4 else []
    return choose(_interfaces(), network_address(), is_hardware)


def choose(
    interfaces: Iterable[Interface], default: str | None, hardware: Callable[[str], bool]
) -> list[str]:
    """Return the addresses of the interfaces that lead to devices. Pure.

    These are the one of the default route (``default``, first) and those of hardware. Bridges of
    containers and virtual machines are left out, because devices cannot reach their addresses.
    """
    good = {
        address
        for name, address in interfaces
        if (address == default or hardware(name)) and _is_outside(address)
    }
    return sorted(good, key=lambda address: (address != default, address))


def network_address() -> str | None:
    """Return this computer's address on its network, or None. Sends nothing: connecting a UDP
    socket only consults the routing table, and no host has the address (TEST-NET-1, RFC 5737)."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
    except OSError:
        return None


def is_hardware(name: str) -> bool:
    """Whether an interface is hardware, as far as the system says."""
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
