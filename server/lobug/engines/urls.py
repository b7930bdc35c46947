"""How engines on a server are addressed."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit, urlunsplit


def without_password(url: str) -> str:
    """``url`` as it may be shown to anybody and logged: without the user and password in it."""
    parts = urlsplit(url if "//" in url else f"//{url}")
    shown = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    return shown if "//" in url else shown.removeprefix("//")


def is_loopback(url: str) -> bool:
    """Whether ``url`` points at this machine; then no proxy of the environment may be asked."""
    host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
