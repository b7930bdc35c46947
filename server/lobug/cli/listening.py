"""The port that `lobug serve` listens on, and `lobug doctor` tries."""

from __future__ import annotations

import socket

from lobug.cli.faults import CommandError


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that is bound but does not listen yet: whoever connects before the engines are
    ready is refused at once instead of left waiting. Raises CommandError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise CommandError(f"{host!r} is not an address of this computer: {error}") from error
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Inherited by connections: those of devices that left without a word end by themselves.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    try:
        listener.bind(address)
    except PermissionError as error:
        listener.close()
        raise CommandError(
            f"port {port} needs more rights than you have; choose one above 1023 with --port or"
            " LOBUG_PORT"
        ) from error
    except OSError as error:
        listener.close()
        raise CommandError(
            f"cannot listen on {host}:{port}: {error.strerror}. If another Lo-Bug runs there, use"
            " it or stop it; else choose another port with --port or LOBUG_PORT."
        ) from error
    return listener
