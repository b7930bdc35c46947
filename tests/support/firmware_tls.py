"""A certificate authority for tests, as an owner at home makes one, and servers with its
certificates."""

from __future__ import annotations

import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

DAY = timedelta(days=1)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _alternative(host: str) -> x509.GeneralName:
    with suppress(ValueError):
        return x509.IPAddress(ipaddress.ip_address(host))
    return x509.DNSName(host)


@dataclass(frozen=True)
class Certificate:
    """Files of a server's certificate and key, PEM."""

    certificate: Path
    key: Path


@dataclass
class Authority:
    """One CA; its files lie in ``folder``."""

    folder: Path
    name: str = "Home CA"
    _key: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )
    _made: int = 0

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        self._certificate = self._sign(
            _name(self.name),
            self._key,
            (datetime.now(UTC) - DAY, datetime.now(UTC) + DAY),
            (),
            ca=True,
        )
        self.file.write_bytes(self._certificate.public_bytes(serialization.Encoding.PEM))

    @property
    def file(self) -> Path:
        """The CA's own certificate, PEM: what is pinned."""
        return self.folder / "ca.pem"

    def issue(
        self,
        hosts: Sequence[str],
        *,
        common_name: str = "lobug",
        valid_from: timedelta = -DAY,
        valid_for: timedelta = 2 * DAY,
        ca: bool = False,
    ) -> Certificate:
        """Return a certificate for these names and addresses."""
        self._made += 1
        key = ec.generate_private_key(ec.SECP256R1())
        begin = datetime.now(UTC) + valid_from
        signed = self._sign(_name(common_name), key, (begin, begin + valid_for), hosts, ca=ca)
        files = Certificate(
            self.folder / f"server-{self._made}.pem", self.folder / f"server-{self._made}.key"
        )
        files.certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        files.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return files

    def _sign(
        self,
        subject: x509.Name,
        key: ec.EllipticCurvePrivateKey,
        valid: tuple[datetime, datetime],
        hosts: Sequence[str],
        *,
        ca: bool,
    ) -> x509.Certificate:
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(_name(self.name))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(valid[0])
            .not_valid_after(valid[1])
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )
        if hosts:
            names = x509.SubjectAlternativeName([_alternative(host) for host in hosts])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(self._key, hashes.SHA256())


@dataclass
class EchoServer:
    """Sends back what comes, in capitals, and says goodbye after ``bytes_expected``."""

    port: int
    errors: list[str]
    """TLS errors of clients."""
    names: list[str | None]
    """The server names that clients asked for (SNI)."""


@contextmanager
def echo_server(
    certificate: Certificate | None,
    expected: int,
    *,
    newest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3,
    oldest: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2,
    says_goodbye: bool = True,
) -> Iterator[EchoServer]:
    """One client at a time, on 127.0.0.1; ``certificate`` None: without TLS."""
    context = None
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.certificate, certificate.key)
        context.minimum_version, context.maximum_version = oldest, newest
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.1)
    server = EchoServer(listener.getsockname()[1], [], [])
    if context is not None:
        context.sni_callback = lambda _socket, name, _context: server.names.append(name)
    stop = threading.Event()

    def serve_one(plain: socket.socket) -> None:
        plain.settimeout(10)
        stream = context.wrap_socket(plain, server_side=True) if context else plain
        left = expected
        while left > 0 and (piece := stream.recv(16_384)):
            stream.sendall(piece.upper())
            left -= len(piece)
        if isinstance(stream, ssl.SSLSocket) and says_goodbye:
            stream.unwrap()
        stream.close()

    def serve() -> None:
        while not stop.is_set():
            with suppress(TimeoutError):
                plain, _ = listener.accept()
                try:
                    serve_one(plain)
                except (OSError, ssl.SSLError) as fault:
                    server.errors.append(str(fault))
                finally:
                    plain.close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        stop.set()
        thread.join(15)
        listener.close()


@dataclass
class Relay:
    """What came through a ``counting_relay``."""

    port: int
    opened: int = 0
    """Connections so far."""
    most: int = 0
    """Most connections that a client had open at once."""


_ESTABLISHED = 1
"""State of a TCP connection (Linux) that neither side has closed."""


def _is_open(client: socket.socket) -> bool:
    """Whether the other side has not closed it, even if what it sent before is still unread."""
    try:
        info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)
    except OSError:
        return False
    return info[0] == _ESTABLISHED


@contextmanager
def counting_relay(to_port: int) -> Iterator[Relay]:
    """A port on 127.0.0.1 that leads to another one, and counts."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(0.1)
    relay = Relay(listener.getsockname()[1])
    stop = threading.Event()
    clients: list[socket.socket] = []
    servers: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def pass_on(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while piece := source.recv(65_536):
                target.sendall(piece)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def serve() -> None:
        while not stop.is_set():
            with suppress(TimeoutError):
                client, _ = listener.accept()
                relay.opened += 1
                relay.most = max(relay.most, 1 + sum(map(_is_open, clients)))
                clients.append(client)
                server = socket.create_connection(("127.0.0.1", to_port))
                servers.append(server)
                for source, target in ((client, server), (server, client)):
                    thread = threading.Thread(target=pass_on, args=(source, target), daemon=True)
                    thread.start()
                    threads.append(thread)

    accepting = threading.Thread(target=serve, daemon=True)
    accepting.start()
    try:
        yield relay
    finally:
        stop.set()
        accepting.join(15)
        listener.close()
        for one in (*clients, *servers):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(15)
        for one in (*clients, *servers):
            one.close()
