"""Which requests come from the computer that Lo-Bug runs on, or from a trusted network. Pure.

A connection from a loopback address is the owner's own, with two exceptions: a proxy on this
computer speaks for others (it says so in a header), and a web page whose name was made to point
here (DNS rebinding) speaks for whoever made the page (the ``Host`` that it sends is its own).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

FORWARDING_HEADERS = frozenset(
    {"forwarded", "x-real-ip", "via", "x-client-ip", "true-client-ip", "cf-connecting-ip"}
)
"""What proxies add, beside all that begins with ``x-forwarded-``."""

ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - compared, not bound
"""Where a server that listens on all addresses is reached from its own computer."""

Network = IPv4Network | IPv6Network


def parse_address(address: str | None) -> IPv4Address | IPv6Address | None:
    """An address as the socket gave it; an IPv4 address that was mapped into IPv6 as IPv4. None:
    it is none (a Unix socket has no address)."""
    try:
        parsed = ip_address((address or "").partition("%")[0])
    except ValueError:
        return None
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped
    return parsed


def is_loopback(address: str | None) -> bool:
    """Whether a client's address is this computer's own."""
    parsed = parse_address(address)
    return parsed is not None and parsed.is_loopback


def is_within(address: str | None, networks: Iterable[Network]) -> bool:
    """Whether an address belongs to one of these networks."""
    parsed = parse_address(address)
    return parsed is not None and any(parsed in network for network in networks)


def is_own_name(host: str | None, hostnames: Collection[str] = ()) -> bool:
    """Whether a ``Host`` header holds what a foreign web page cannot be called: an address,
    ``localhost``, or one of ``hostnames`` (small letters). Without the header it is no browser.

    ``0.0.0.0``, ``::`` and loopback written as ``::ffff:127.0.0.1`` lead to this computer too, but
    browsers do not count them as loopback: they send no ``Sec-Fetch-Site`` there, and a foreign
    page could not be told from a person.
    """
    if host is None:
        return True
    name = host_name(host)
    if name == "localhost" or name.endswith(".localhost") or name in hostnames:
        return True
    address = parse_address(name)
    mapped = isinstance(address, IPv4Address) and ":" in name
    return address is not None and not address.is_unspecified and not mapped


def host_name(host: str) -> str:
    """The name in a ``Host`` header, in small letters, without port, brackets and last dot."""
    name = host.strip().lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") <= 1:
        name = name.partition(":")[0]
    return name.removesuffix(".")


def source_of(address: str | None) -> str:
    """What attempts are counted by: an address, of IPv6 the network of 64 bits, since one computer
    has as many addresses in that as it likes."""
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(IPv6Network((int(parsed) >> 64 << 64, 64)))
    return str(parsed) if parsed is not None else "unknown"


def is_forwarded(headers: Iterable[str]) -> bool:
    """Whether a proxy passed the request on. ``headers``: names, in small letters."""
    return any(name in FORWARDING_HEADERS or name.startswith("x-forwarded-") for name in headers)


def names_tls(host: str | None, public_url: str) -> bool:
    """Whether a ``Host`` is that of a public address with TLS. This server speaks none: a proxy
    passed such a request on, even if it does not say so."""
    public = urlsplit(public_url)
    name = public.hostname
    if host is None or name is None or public.scheme != "https":
        return False
    return host_name(host) == name and name != "localhost" and not is_loopback(name)


def local_url(host: str, port: int) -> str:
    """How this computer reaches a server that listens there."""
    reachable = ANY_ADDRESS.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{reachable}:{port}"
