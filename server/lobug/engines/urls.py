"""Addresses of the servers that engines use."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit, urlunsplit


def without_password(url: str) -> str:
    """Return ``url`` without user and password, so that it may be shown and logged."""
    parts = urlsplit(url if "//" in url else f"//{url}")
    shown = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    return shown if "//" in url else shown.removeprefix("//")


def is_loopback(url: str) -> bool:
    """Whether ``url`` points at this machine, so that no proxy must be used."""
    host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
