"""Announcement of the server in its local network: as ``_lobug._tcp``, so that devices find it, and
as ``_wyoming._tcp``, so that Home Assistant does."""

from __future__ import annotations

import asyncio
import logging
import secrets
import socket
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path

import ifaddr
from zeroconf import Error as ZeroconfError
from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf

from lobug import __version__
from lobug.access.addresses import is_loopback, parse_address
from lobug.settings.server import DiscoverySettings

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


log = logging.getLogger(__name__)

SERVICE = "_lobug._tcp.local."
WYOMING_SERVICE = "_wyoming._tcp.local."
PATH = "/xiaozhi/ota/"
"""The path at which a device asks for everything else."""

LOOK_S = 30.0
"""Seconds between two checks of the addresses: a laptop changes its network."""

RETRY_S = 300.0
"""Seconds after which a failed announcement is tried again."""

_FAREWELL_S = 3.0
"""Longest time for withdrawing the announcement, seconds."""

FAULTS = (OSError, ZeroconfError, RuntimeError, ValueError)
"""What an announcement may raise: no network, no multicast, or a program that does not share the
port. The server runs without it."""


@dataclass(frozen=True, slots=True)
class Service:
    """What is announced under the server's name."""

    kind: str
    """Such as ``_wyoming._tcp.local.``."""
    port: int
    properties: Mapping[str, str] = field(default_factory=dict)


def open_zeroconf(addresses: Sequence[str]) -> AsyncZeroconf:
    """Return a responder on the interfaces of these IPv4 addresses."""
    return AsyncZeroconf(interfaces=list(addresses), ip_version=IPVersion.V4Only)


def announcer_for(
    settings: DiscoverySettings, listens_at: tuple[str, int] | None, also: Sequence[Service] = ()
) -> Announcer | None:
    """Return the announcer of a server that listens at this host and port; None: the place is
    unknown, the settings switch announcing off, or only this computer can reach the server.
    ``also``: what else it serves at this host."""
    if listens_at is None or not settings.announce or is_loopback(listens_at[0]):
        return None
    return Announcer(settings.name, *listens_at, also=also)


class Announcer:
    """Announces one server. ``start`` first, ``close`` last; neither raises or waits for the
    network longer than ``_FAREWELL_S``. No router forwards the packets (224.0.0.251), so they stay
    in the local network."""

    def __init__(
        self,
        name: str,
        host: str,
        port: int,
        *,
        also: Sequence[Service] = (),
        addresses: Callable[[str], Sequence[str]] = lan_addresses,
        open_responder: Callable[[Sequence[str]], AsyncZeroconf] = open_zeroconf,
        look_s: float = LOOK_S,
        retry_s: float = RETRY_S,
    ) -> None:
        self._name = name
        self._host = host
        # "https" is 0 since this port speaks plain HTTP, whatever a proxy before it does.
        properties = {"version": __version__, "path": PATH, "https": "0", "name": name}
        self._services = (Service(SERVICE, port, properties), *also)
        self._addresses = addresses
        self._open = open_responder
        self._look_s = look_s
        self._retry_s = retry_s
        # A random host name: it does not reveal this computer's name, and is unique.
        self._server = f"lobug-{secrets.token_hex(4)}.local."
        self._task: asyncio.Task[None] | None = None
        self._responder: AsyncZeroconf | None = None
        self._announced: list[str] = []
        self._fault = ""

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        await self._withdraw()

    async def _run(self) -> None:
        while True:
            pause = self._look_s
            try:
                addresses = list(await asyncio.to_thread(self._addresses, self._host))
                if addresses != self._announced:
                    await self._withdraw()
                    if addresses:
                        await self._announce(addresses)
                self._fault = ""
            except FAULTS as error:
                await self._withdraw()
                pause = self._retry_s
                fault = f"{type(error).__name__}: {error}"
                if fault != self._fault:
                    log.warning("the server could not be announced to devices: %s", fault)
                self._fault = fault
            await asyncio.sleep(pause)

    async def _announce(self, addresses: list[str]) -> None:
        self._responder = responder = self._open(addresses)
        sendings = []
        for service in self._services:
            info = AsyncServiceInfo(
                service.kind,
                f"{self._name}.{service.kind}",
                port=service.port,
                addresses=[IPv4Address(address).packed for address in addresses],
                server=self._server,
                properties=dict(service.properties),
            )
            # If another server in the network has this name, this one becomes "Lo-Bug-2".
            sendings.append(await responder.async_register_service(info, allow_name_change=True))
            self._announced = addresses
            log.info(
                "announced to the local network as %r (%s) at %s, port %d",
                info.name.removesuffix(f".{service.kind}"),
                service.kind.removesuffix(".local."),
                ", ".join(addresses),
                service.port,
            )
        for sending in sendings:
            await sending

    async def _withdraw(self) -> None:
        responder, self._responder = self._responder, None
        self._announced = []
        if responder is None:
            return
        try:
            async with asyncio.timeout(_FAREWELL_S):
                await responder.async_close()
        except (TimeoutError, *FAULTS) as error:
            log.debug("the announcement did not end cleanly: %s", type(error).__name__)
