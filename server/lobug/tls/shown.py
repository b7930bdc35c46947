"""What the HTTPS port shows: the owner's own certificate, or one of Lo-Bug's authority, which is
made and renewed here. Except for reading and writing its files, all of it is pure."""

from __future__ import annotations

import logging
import re
import ssl
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from urllib.parse import urlsplit

from cryptography import x509

from lobug.access.addresses import WebAddresses, is_loopback, parse_address
from lobug.errors import TlsError
from lobug.settings import Settings
from lobug.tls.certificates import (
    DAY,
    EARLIEST,
    RENEW_BEFORE,
    Identity,
    covers,
    facts_of,
    fingerprint,
    issue,
    make_authority,
    names_of,
    needs_renewal,
    pem_of,
    permitted,
)
from lobug.tls.folder import TlsFolder, read_identity

log = logging.getLogger(__name__)

Renewal = Literal["server", "authority"]
"""What is made anew although it need not be."""

ALWAYS = ("localhost", "127.0.0.1", "::1")
"""Names of every certificate of Lo-Bug's."""

OWN_WARNING = 7 * DAY
"""The owner is warned when their own certificate has less than this left. Programs that renew them
do so earlier."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the HTTPS port shows."""

    certificate: x509.Certificate
    """The server's."""
    authority: x509.Certificate | None = None
    """Lo-Bug's authority; None: the certificate is the owner's own."""
    left_out: Sequence[str] = ()
    """Names that are wanted, but for which the authority may not vouch."""
    chain: bytes = field(default=b"", repr=False)
    """PEM of all certificates that are shown."""

    @property
    def trusted(self) -> x509.Certificate:
        """The certificate whose fingerprint people compare."""
        return self.authority or self.certificate


def wanted_names(settings: Settings, addresses: Sequence[str]) -> list[str]:
    """The host names and addresses of the server's certificate, the usual ones first. Pure.

    ``addresses``: of this computer, as far as other computers reach it there.
    """
    public = urlsplit(settings.access.public_url).hostname
    names = [
        *ALWAYS,
        *addresses,
        *settings.access.hostnames,
        *([public] if public else []),
        *settings.tls.names,
    ]
    return list(dict.fromkeys(_as_named(name) for name in names))


def _as_named(name: str) -> str:
    """A host name or an address as ``names_of`` returns it: an address in its shortest form."""
    address = parse_address(name)
    return name.rstrip(".") if address is None else str(address)


def open_certificate(
    settings: Settings,
    addresses: Sequence[str],
    folder: TlsFolder,
    now: datetime,
    renewal: Renewal | None = None,
) -> Shown:
    """Return what to show now, after making and renewing what has to be. Blocks.

    Raises:
        TlsError: a file is damaged or cannot be read or written, or the owner's certificate cannot
            be used. The authority is the former one then.
    """
    if settings.tls.certificate is not None and settings.tls.key is not None:
        if renewal is not None:
            raise TlsError(
                "HTTPS uses your own certificate (tls.certificate); renew it where it is from"
            )
        return _own(settings, now)
    if now < EARLIEST:
        raise TlsError(
            f"the clock of this computer shows {now.date()}, so no certificate can be made"
        )
    folder.remove_unfinished()
    wanted = wanted_names(settings, addresses)
    known = None if renewal == "authority" else folder.authority()
    authority = known or make_authority(wanted, now)
    # The first authority is written before the rest, which without it would mean that it is lost.
    # Another one is written last: until then everything fails in favour of the one that is trusted.
    replaces = renewal == "authority" and folder.server_path.exists()
    if known is None and not replaces:
        _save_authority(authority, folder)
    require_valid(authority.certificate, now)
    names, left_out = permitted(authority.certificate, wanted)
    server = None if renewal else folder.server()
    why = "there is none"
    if server is not None:
        facts = facts_of(server.certificate, authority.certificate)
        why = needs_renewal(facts, names, now) or ""
    if server is None or why:
        server = _issue(authority, names, now, folder, renewal or why)
    folder.publish(authority.certificate)
    if replaces:
        _save_authority(authority, folder)
    return Shown(
        server.certificate, authority.certificate, tuple(left_out), pem_of(server.certificate)
    )


def make_context(settings: Settings, folder: TlsFolder) -> ssl.SSLContext:
    """The server's side of TLS, with the files of ``open_certificate``. Blocks. Raises TlsError."""
    own = settings.tls
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    try:
        if own.certificate is not None:
            context.load_cert_chain(own.certificate, own.key)
        else:
            context.load_cert_chain(folder.server_path)
    except (OSError, ssl.SSLError) as error:
        raise TlsError(f"the certificate for HTTPS cannot be used: {error}") from error
    return context


def warning(shown: Shown, now: datetime) -> str | None:
    """What the owner should do about HTTPS although it works; None: nothing. Pure."""
    if shown.authority is not None and _left(shown.authority, now) < RENEW_BEFORE:
        return (
            f"the authority of HTTPS expires on {shown.authority.not_valid_after_utc.date()}; make"
            " a new one with `lobug tls renew --authority`, which every phone and device has to"
            " trust anew"
        )
    if shown.authority is None and _left(shown.certificate, now) < OWN_WARNING:
        until = shown.certificate.not_valid_after_utc.date()
        return f"your own certificate for HTTPS expires on {until}; replace its files"
    if shown.left_out:
        return (
            f"the certificate for HTTPS does not name {', '.join(shown.left_out)}: its authority"
            " may vouch only for computers in local networks and for the names that were in the"
            " settings when it was made; `lobug tls renew --authority` makes one that may, and"
            " every phone and device has to trust that anew"
        )
    return None


def web_addresses(
    settings: Settings,
    addresses: Sequence[str],
    http_port: int | None,
    https_port: int | None,
    shown: Shown | None,
) -> WebAddresses:
    """Where people open the pages: where other computers can reach it too, if there is such a
    place, and for HTTPS where the certificate is valid. Pure.

    Ports are None where nothing listens.
    """
    public = re.sub(r"^ws", "http", settings.access.public_url)  # a device is told the same place
    hosts = [*addresses, *settings.access.hostnames, *settings.tls.names]
    http = https = None
    if public.startswith("http://"):
        http = public.rstrip("/") + "/"
    elif http_port is not None:
        http = _url("http", [*hosts, "127.0.0.1"], http_port)
    if public.startswith("https://"):
        https = public.rstrip("/") + "/"
    elif https_port is not None and shown is not None:
        named = [name for name in names_of(shown.certificate) if "*" not in name]
        outside = [name for name in named if name != "localhost" and not is_loopback(name)]
        valid = [host for host in hosts if covers(shown.certificate, host)]
        # Addresses of earlier networks may be in Lo-Bug's own certificate; the owner's has none.
        own = outside if shown.authority is None else []
        https = _url("https", [*valid, *own, "localhost"], https_port)
    return WebAddresses(http, https, None if shown is None else fingerprint(shown.trusted))


def _own(settings: Settings, now: datetime) -> Shown:
    path, key = settings.tls.certificate, settings.tls.key
    if path is None or key is None:
        raise TlsError("tls.certificate and tls.key belong together")
    identity, chain = read_identity(path, key)
    certificate = identity.certificate
    require_valid(certificate, now, str(path))
    if not names_of(certificate):
        raise TlsError(f"the certificate in {path} has no subjectAltName, so no browser accepts it")
    return Shown(certificate, chain=chain)


def require_valid(certificate: x509.Certificate, now: datetime, path: str = "") -> None:
    """Raise TlsError when a certificate is not valid now. ``path``: of the owner's own; empty: it
    is that of Lo-Bug's authority."""
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    what = f"the certificate in {path}" if path else "the authority of HTTPS"
    if now < begin:
        raise TlsError(
            f"{what} is valid from {begin.date()}, and the clock of this computer shows"
            f" {now.date()}"
        )
    if now >= end:
        advice = (
            ""
            if path
            else "; make a new one with `lobug tls renew --authority`, which every phone"
            " and device has to trust anew"
        )
        raise TlsError(f"{what} expired on {end.date()}{advice}")


def _save_authority(authority: Identity, folder: TlsFolder) -> None:
    folder.save_authority(authority)
    log.info("made a new authority for HTTPS: %s", fingerprint(authority.certificate))


def _issue(
    authority: Identity, names: Sequence[str], now: datetime, folder: TlsFolder, why: str
) -> Identity:
    server = issue(authority, names, now)
    folder.save_server(server)
    log.info("made a new certificate for HTTPS (%s): %s", why, ", ".join(names))
    return server


def _left(certificate: x509.Certificate, now: datetime) -> timedelta:
    return certificate.not_valid_after_utc - now


def _url(scheme: str, hosts: Sequence[str], port: int) -> str:
    host = hosts[0]
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}/"
