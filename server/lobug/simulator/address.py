"""Where a Lo-Bug server is, as the command line names it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """The address of a server, with the token for it."""

    url: str
    """Scheme, host, port and path prefix, without a slash at the end."""
    host_header: str
    """The ``Host`` header as the firmware writes it: without the port when it is 80 or 443."""
    token: str = field(default="", repr=False)
    """Bearer token that a server may ask of programs on its own computer (``access.loopback``);
    empty: none is sent."""


def parse_server(address: str) -> ServerAddress:
    """Read ``http://host:port`` (the scheme may be left out). Raises ValueError."""
    text = address.strip()
    if "://" not in text:
        text = f"http://{text}"
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"{address!r} is not an address like http://127.0.0.1:8321")
    port = parts.port  # raises ValueError when it is not a number up to 65535
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    host_header = host if port in {None, 80, 443} else f"{host}:{port}"
    netloc = host if port is None else f"{host}:{port}"
    return ServerAddress(
        url=f"{parts.scheme}://{netloc}{parts.path.rstrip('/')}", host_header=host_header
    )
