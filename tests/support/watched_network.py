"""A network namespace for one program, in which everything that it sends is recorded.

On Linux, with the kernel's namespaces: nothing to install, no privileges but those a user gets in
a namespace of his own. Inside there is loopback and one card, a TUN device with default routes for
IPv4 and IPv6. What leaves by the card is read from it here, packet by packet, and goes nowhere.
That sees native code as well as Python, which patching Python's ``socket`` does not. Loopback
stays inside and is not recorded, but for the one name server of this network: it answers every name
with an address beyond the card, so that whoever asks also tries to connect.

``watch`` is for tests. As a program of its own, started by ``watch`` in the new namespaces:

python watched_network.py RECORD COMMAND ...
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

from zeroconf import DNSIncoming  # type: ignore[attr-defined]  # the documentation names it so

NAMESPACES = ("unshare", "--user", "--map-root-user", "--net", "--mount")

ADDRESS = "10.77.0.2"
ADDRESS_6 = "fd77::2"
EVERY_NAME = "203.0.113.7"
"""What the name server answers (TEST-NET-3, RFC 5737: exists nowhere)."""

MDNS = "224.0.0.251"


@dataclass
class Record:
    """What a program did in its network, in order."""

    questions: list[str] = field(default_factory=list)
    """Names asked of the name server."""
    packets: list[str] = field(default_factory=list)
    """What left by the card, each as ``tcp 203.0.113.7:443``; but for the announcements, and for
    what the kernel sends by itself (router and neighbour discovery, joining of groups)."""
    announced: list[str] = field(default_factory=list)
    """Names in packets of multicast DNS, which no router passes on."""
    code: int | None = None
    """Exit code of the program."""
    output: str = ""
    """What it printed, both streams."""


def unavailable() -> str | None:
    """Why such a network cannot be made here; None: it can."""
    if not sys.platform.startswith("linux"):
        return "namespaces are Linux's"
    if shutil.which("unshare") is None:
        return "there is no unshare (Debian package util-linux)"
    tried = subprocess.run(
        [*NAMESPACES, sys.executable, "-c", "open('/dev/net/tun', 'r+b', buffering=0)"],
        capture_output=True,
        text=True,
        check=False,
    )
    return None if tried.returncode == 0 else f"no namespaces or no TUN: {tried.stderr[-300:]}"


def watch(
    command: Sequence[str], *, environment: Mapping[str, str], cwd: Path, seconds: float = 300.0
) -> Record:
    """Run ``command`` in a network of its own, with this environment and no other variable."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "record.json"
        done = subprocess.run(
            [*NAMESPACES, sys.executable, __file__, str(written), *command],
            env=dict(environment),
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=seconds,
            check=False,
        )
        assert written.exists(), f"the network was not made: {done.stdout[-2000:]}"
        record = Record(**json.loads(written.read_text(encoding="utf-8")))
    record.output = done.stdout
    return record


class Recorder:
    """Records what leaves by the network card, and the queries to the name server."""

    def __init__(self, card: int, names: socket.socket) -> None:
        self.record = Record()
        self._card = card
        self._names = names
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def end(self) -> None:
        """Wait until everything sent so far has been recorded."""
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            ended = self._ended.is_set()
            sources: list[int | socket.socket] = [self._card, self._names]
            ready, _, _ = select.select(sources, [], [], 0.2)
            if self._card in ready:
                self._packet(os.read(self._card, 65_536))
            if self._names in ready:
                self._question(*self._names.recvfrom(65_536))
            if ended and not ready:
                return

    def _packet(self, packet: bytes) -> None:
        described = describe(packet)
        if described is None:
            return
        if described == f"udp {MDNS}:5353":
            message = DNSIncoming(packet[(packet[0] & 15) * 4 + 8 :])
            entries = [*message.questions, *message.answers()]
            self.record.announced += [entry.name for entry in entries]
        else:
            self.record.packets.append(described)

    def _question(self, query: bytes, sender: tuple[str, int]) -> None:
        message = DNSIncoming(query)
        self.record.questions += [question.name for question in message.questions]
        answer = b""
        if message.questions and message.questions[0].type == 1:  # A
            # A pointer to the name of the question, type A, class IN, 60 seconds, 4 bytes.
            answer = struct.pack(">HHHLH", 0xC00C, 1, 1, 60, 4) + IPv4Address(EVERY_NAME).packed
        end = query.index(b"\0", 12) + 5
        head = query[:2] + struct.pack(">HHHHH", 0x8180, 1, bool(answer), 0, 0)
        self._names.sendto(head + query[12:end] + answer, sender)


def describe(packet: bytes) -> str | None:
    """Protocol, address and port that an IP packet is for; None for what the kernel sends."""
    version = packet[0] >> 4
    address: IPv4Address | IPv6Address
    if version == 4:
        address, protocol, start = IPv4Address(packet[16:20]), packet[9], (packet[0] & 15) * 4
    else:
        address, protocol, start = IPv6Address(packet[24:40]), packet[6], 40
        if protocol == 0:  # hop-by-hop options, of multicast listener reports
            protocol, start = packet[40], 40 + (packet[41] + 1) * 8
    if protocol == 2 or (protocol == 58 and packet[start] in {*range(130, 137), 143}):
        return None
    name = {6: "tcp", 17: "udp"}.get(protocol)
    if name is None:
        return f"protocol {protocol} {address}"
    port = int.from_bytes(packet[start + 2 : start + 4], "big")
    return f"{name} {address}:{port}"


@contextlib.contextmanager
def network() -> Iterator[Recorder]:
    """Set up the network of this process's namespaces."""
    up, multicast = 0x1, 0x1000
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        _set_flags(control, "lo", up)
        card = os.open("/dev/net/tun", os.O_RDWR)
        tun, no_extra_header = 0x0001, 0x1000
        fcntl.ioctl(card, 0x400454CA, _request("card0", struct.pack("H", tun | no_extra_header)))
        for command, address in ((0x8916, ADDRESS), (0x891C, "255.255.255.0")):
            fcntl.ioctl(control, command, _request("card0", _sockaddr(address)))
        _set_flags(control, "card0", up | multicast)
        _default_route(control)
        with contextlib.suppress(OSError):  # a kernel without IPv6
            _ipv6(fcntl.ioctl(control, 0x8933, _request("card0", bytes(4))))
    with (
        tempfile.TemporaryDirectory() as folder,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as names,
    ):
        names.bind(("127.0.0.1", 53))
        _replace_file(Path(folder), "/etc/resolv.conf", "nameserver 127.0.0.1\n")
        _replace_file(Path(folder), "/etc/nsswitch.conf", "hosts: files dns\n")
        recorder = Recorder(card, names)
        try:
            yield recorder
        finally:
            recorder.end()
            os.close(card)


def _request(interface: str, argument: bytes) -> bytes:
    """``struct ifreq``."""
    return struct.pack("16s24s", interface.encode(), argument)


def _sockaddr(address: str) -> bytes:
    return struct.pack("=HH4s8x", socket.AF_INET, 0, ip_address(address).packed)


def _set_flags(control: socket.socket, interface: str, flags: int) -> None:
    answer = fcntl.ioctl(control, 0x8913, _request(interface, bytes(2)))
    known = int(struct.unpack_from("H", answer, 16)[0])
    fcntl.ioctl(control, 0x8914, _request(interface, struct.pack("H", known | flags)))


def _default_route(control: socket.socket) -> None:
    """``struct rtentry``: everything else goes to a gateway behind the card."""
    up, gateway = 0x1, 0x2
    addresses = (_sockaddr(a) for a in ("0.0.0.0", "10.77.0.1", "0.0.0.0"))
    entry = struct.pack("@L16s16s16sHhLPhPLLH", 0, *addresses, up | gateway, 0, 0, 0, 0, 0, 0, 0, 0)
    fcntl.ioctl(control, 0x890B, entry.ljust(128, b"\0"))


def _ipv6(answer: bytes) -> None:
    """An address (``in6_ifreq``) and a default route (``in6_rtmsg``) for IPv6."""
    (index,) = struct.unpack_from("i", answer, 16)
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as control:
        own = struct.pack("16sIi", ip_address(ADDRESS_6).packed, 64, index)
        fcntl.ioctl(control, 0x8916, own)
        up = 0x1
        route = struct.pack("@16s16s16sIHHILIi", b"", b"", b"", 0, 0, 0, 1, 0, up, index)
        fcntl.ioctl(control, 0x890B, route)


def _replace_file(folder: Path, path: str, content: str) -> None:
    """Replace a system file by ``content`` in this namespace."""
    new = folder / Path(path).name
    new.write_text(content, encoding="utf-8")
    bind = 4096
    libc = ctypes.CDLL(None, use_errno=True)
    target = os.path.realpath(path).encode()
    if libc.mount(str(new).encode(), target, None, bind, None) != 0:
        raise OSError(ctypes.get_errno(), f"cannot be replaced: {path}")


def main() -> None:
    """Run a command in the network and write the record."""
    written, *command = sys.argv[1:]
    with network() as recorder:
        code = subprocess.run(command, check=False).returncode
    recorder.record.code = code
    Path(written).write_text(json.dumps(asdict(recorder.record)), encoding="utf-8")


if __name__ == "__main__":
    main()
