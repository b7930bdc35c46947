"""Whose certificate is taken for Home Assistant's. Blocks: not for the event loop."""

from __future__ import annotations

import hashlib
import socket
import ssl
from urllib.parse import urlsplit

from lobug.settings.home import HomeSettings

CONNECT_S = 5.0
"""Longest wait for the certificate itself, seconds."""


class UntrustedError(Exception):
    """The certificate is not the one that the settings name, or they name one that cannot be read.
    The text is a sentence for the owner."""


def seen_certificate(url: str) -> bytes:
    """The certificate that a server shows, DER, without trusting it. Raises OSError."""
    parts = urlsplit(url)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    host = parts.hostname or ""
    with (
        socket.create_connection((host, parts.port or 443), CONNECT_S) as plain,
        context.wrap_socket(plain, server_hostname=host) as wrapped,
    ):
        return wrapped.getpeercert(binary_form=True) or b""


def fingerprint_of(certificate: bytes) -> str:
    """SHA-256 of a certificate (DER), in upper case with colons."""
    return hashlib.sha256(certificate).digest().hex(":").upper()


def context_of(settings: HomeSettings) -> ssl.SSLContext:
    """What checks Home Assistant's certificate. Raises UntrustedError, and OSError where the
    certificate has to be looked at and no server answers."""
    if settings.fingerprint:
        return _pinned(settings)
    try:
        context = ssl.create_default_context(cafile=settings.certificate)
    except (OSError, ssl.SSLError) as error:
        raise UntrustedError(
            f"the certificate in {settings.certificate} cannot be read; check"
            " LOBUG_HOME__CERTIFICATE"
        ) from error
    if settings.certificate is not None:
        _trust_what_is_named(context)
    return context


def _pinned(settings: HomeSettings) -> ssl.SSLContext:
    """Trusts exactly the certificate with the fingerprint, whatever its name: it is looked at
    first, and then nothing else is accepted on the connection that carries the token."""
    seen = seen_certificate(settings.url)
    if fingerprint_of(seen).replace(":", "") != settings.fingerprint.replace(":", "").upper():
        raise UntrustedError(
            f"its certificate has the fingerprint {fingerprint_of(seen)}, which is not that of"
            " LOBUG_HOME__FINGERPRINT"
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.load_verify_locations(cadata=ssl.DER_cert_to_PEM_cert(seen))
    _trust_what_is_named(context)
    return context


def _trust_what_is_named(context: ssl.SSLContext) -> None:
    """Trust the named certificate itself, also where no authority signed it, and where it lacks
    what newer rules want of authorities: most home-made ones do."""
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
