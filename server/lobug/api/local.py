"""Which requests come from the computer that Lo-Bug runs on. Pure.

A connection from a loopback address is the owner's own, with two exceptions: a proxy on this
computer speaks for others (it says so in a header), and a web page whose name was made to point
here (DNS rebinding) speaks for whoever made the page (the ``Host`` that it sends is its own).
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv6Address, ip_address

FORWARDING_HEADERS = frozenset({"forwarded", "x-forwarded-for", "x-real-ip", "via"})
"""What proxies add."""

PRIVATE_SUFFIXES = (".localhost", ".local", ".lan", ".home", ".internal", ".home.arpa")
"""Ends of names that nobody can register and let point here."""


def is_loopback(address: str | None) -> bool:
    """Whether a client's address is this computer's own."""
    try:
        parsed = ip_address((address or "").partition("%")[0])
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped.is_loopback
    return parsed.is_loopback


def is_private_name(host: str | None) -> bool:
    """Whether a ``Host`` header holds an address or a name that a foreign page cannot have."""
    name = (host or "").strip().lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") <= 1:
        name = name.partition(":")[0]
    name = name.rstrip(".")
    try:
        ip_address(name)
    except ValueError:
        return "." not in name or name.endswith(PRIVATE_SUFFIXES)
    return True


def is_forwarded(headers: Iterable[str]) -> bool:
    """Whether a proxy passed the request on. ``headers``: names, in small letters."""
    return not FORWARDING_HEADERS.isdisjoint(headers)
