"""Computers of our own: network namespaces of Linux, with a router between them that can drop what
it should forward. Needs root and ``ip`` (iproute2).

Nobody's end of a connection is touched: the packets go out and nothing comes back, as with a cable
that is pulled behind the next switch. No connection is closed or reset.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

NAMESPACES = Path("/run/netns")
OWN = Path("/proc/thread-self/ns/net")
CLONE_NEWNET = 0x40000000
FORWARDING = Path("/proc/sys/net/ipv4/ip_forward")

_libc = ctypes.CDLL(None, use_errno=True)


class Network:
    """Computers by their names. ``close`` takes them away; what runs in one lives on without a
    network."""

    def __init__(self, *names: str) -> None:
        prefix = f"lobug-{os.getpid()}"
        self._router = f"{prefix}-router"
        self._spaces = {name: f"{prefix}-{name}" for name in names}
        self._addresses = {name: f"10.77.{n}.2" for n, name in enumerate(names)}
        try:
            self._make(self._router)
            with _entered(self._router):
                FORWARDING.write_text("1")
            for number, name in enumerate(names):
                self._connect(number, name)
        except BaseException:
            self.close()
            raise

    def address(self, name: str) -> str:
        """Where a computer is reached."""
        return self._addresses[name]

    @contextmanager
    def inside(self, name: str) -> Iterator[None]:
        """Be at that computer: this thread alone, with the sockets that it makes and the programs
        that it starts meanwhile."""
        with _entered(self._spaces[name]):
            yield

    def cut(self, one: str, other: str) -> None:
        """Let the router drop everything between two of them."""
        self._rule("add", one, other)

    def heal(self, one: str, other: str) -> None:
        """Let it forward again."""
        self._rule("del", one, other)

    def close(self) -> None:
        """Take the computers away. Safe to call twice."""
        for space in (*self._spaces.values(), self._router):
            if (NAMESPACES / space).exists():
                with suppress(subprocess.CalledProcessError):
                    _ip("netns", "del", space)

    def _rule(self, what: str, one: str, other: str) -> None:
        for source, target in ((one, other), (other, one)):
            addresses = ("from", self.address(source), "to", self.address(target))
            _ip("-n", self._router, "rule", what, *addresses, "blackhole")

    def _make(self, space: str) -> None:
        _ip("netns", "add", space)
        _ip("-n", space, "link", "set", "lo", "up")

    def _connect(self, number: int, name: str) -> None:
        space, port, gateway = self._spaces[name], f"port{number}", f"10.77.{number}.1"
        self._make(space)
        _ip(
            *("link", "add", port, "netns", self._router),
            *("type", "veth", "peer", "name", "eth0", "netns", space),
        )
        for where, link, address in (
            (self._router, port, gateway),
            (space, "eth0", self.address(name)),
        ):
            _ip("-n", where, "address", "add", f"{address}/24", "dev", link)
            _ip("-n", where, "link", "set", link, "up")
        _ip("-n", space, "route", "add", "default", "via", gateway)


@contextmanager
def _entered(space: str) -> Iterator[None]:
    with OWN.open() as before, (NAMESPACES / space).open() as there:
        _set_namespace(there.fileno())
        try:
            yield
        finally:
            _set_namespace(before.fileno())


def _set_namespace(descriptor: int) -> None:
    if _libc.setns(descriptor, CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
