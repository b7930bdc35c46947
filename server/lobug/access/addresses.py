"""Network addresses: whether a request comes from this computer or from a trusted network. Pure.

A connection from a loopback address comes from the owner, with two exceptions: a proxy on this
computer acts for others (a header says so), and a web page whose name was made to point here (DNS
rebinding) acts for its author (its ``Host`` header has that name).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

FORWARDING_HEADERS = frozenset(
    {"forwarded", "x-real-ip", "via", "x-client-ip", "true-client-ip", "cf-connecting-ip"}
)
"""Headers that proxies add, in addition to those that begin with ``x-forwarded-``."""

ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - compared, not bound
"""For a server that listens on all addresses: the address at which its own computer reaches it."""

Network = IPv4Network | IPv6Network


def parse_address(address: str | None) -> IPv4Address | IPv6Address | None:
    """Parse a socket's address; an IPv4 address mapped into IPv6 becomes IPv4. None: it is not an
    address (a Unix socket has none)."""
    try:
        parsed = ip_address((address or "").partition("%")[0])
    except ValueError:
        return None
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        return parsed.ipv4_mapped
    return parsed


def is_loopback(address: str | None) -> bool:
    parsed = parse_address(address)
    return parsed is not None and parsed.is_loopback


def is_within(address: str | None, networks: Iterable[Network]) -> bool:
    """Whether an address is in one of these networks."""
    parsed = parse_address(address)
    return parsed is not None and any(parsed in network for network in networks)


def is_own_name(host: str | None, hostnames: Collection[str] = ()) -> bool:
    """Whether a ``Host`` header has a value that no foreign web page can have: an address,
    ``localhost``, or one of ``hostnames`` (lower case). A request without the header passes,
    because it does not come from a browser.

    ``0.0.0.0``, ``::`` and loopback written as ``::ffff:127.0.0.1`` reach this computer too, but
    browsers do not treat them as loopback: they send no ``Sec-Fetch-Site``, so a foreign page could
    not be distinguished from a person.
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
    """Return the name in a ``Host`` header, in lower case, without port, brackets and last
    dot."""
    name = host.strip().lower()
    if name.startswith("["):
        name = name[1:].partition("]")[0]
    elif name.count(":") <= 1:
        name = name.partition(":")[0]
    return name.removesuffix(".")


def source_of(address: str | None) -> str:
    """Return the key by which attempts are counted: an IPv4 address, or a 64-bit IPv6 network,
    because one computer can use any number of addresses in that."""
    parsed = parse_address(address)
    if isinstance(parsed, IPv6Address):
        return str(IPv6Network((int(parsed) >> 64 << 64, 64)))
    return str(parsed) if parsed is not None else "unknown"


def is_forwarded(headers: Iterable[str]) -> bool:
    """Whether a proxy forwarded the request. ``headers``: their names, in lower case."""
    return any(name in FORWARDING_HEADERS or name.startswith("x-forwarded-") for name in headers)


def keeps_session(host: str | None, *, secure: bool) -> bool:
    """Whether a browser keeps a cookie with ``Secure``: over TLS (``secure``), and over plain HTTP
    only at this computer. ``host``: the ``Host`` header."""
    name = host_name(host or "")
    return secure or name == "localhost" or name.endswith(".localhost") or is_loopback(name)


def names_tls(host: str | None, public_url: str) -> bool:
    """Whether ``host`` is the name in a public URL with TLS (``https`` or ``wss``). A proxy with
    TLS may have forwarded such a request even if no header says so."""
    public = urlsplit(public_url)
    name = public.hostname
    if host is None or name is None or public.scheme not in {"https", "wss"}:
        return False
    return host_name(host) == name and name != "localhost" and not is_loopback(name)


@dataclass(frozen=True, slots=True)
class WebAddresses:
    """Where a browser in the local network opens the web pages. Each address ends with ``/``."""

    http_url: str | None = None
    """Of plain HTTP; None: unknown."""
    https_url: str | None = None
    """None: HTTPS does not work now."""
    fingerprint: str | None = None
    """SHA-256 of the certificate that is to be trusted for HTTPS, that of Lo-Bug's authority or the
    owner's own, as ``AB:CD:...``; None: there is none."""

    @property
    def best(self) -> str | None:
        """The address for another computer: a browser keeps no session over plain HTTP."""
        return self.https_url or self.http_url


def local_url(host: str, port: int) -> str:
    """Return the URL at which this computer reaches a server that listens there."""
    reachable = ANY_ADDRESS.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{reachable}:{port}"
