"""Finds out how a server is best reached before a token is sent to it."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import ClientSession

from .api import (
    LobugClient,
    LobugError,
    Unreachable,
    UntrustedCertificate,
    fingerprint_of,
    trust_in,
    url_of,
)


@dataclass(frozen=True, slots=True)
class Found:
    """A server, and how to reach it."""

    url: str
    fingerprint: str | None
    """SHA-256 of its own authority's certificate; None: it has none. It stays the same when the
    server gets another address, so it also says which server it is."""
    authority: str | None
    """The certificate that has to be trusted for ``url``, PEM; None: none of its own."""


async def find(session: ClientSession, url: str) -> Found:
    """Reach the server at an address, with HTTPS where it offers that. Raises Unreachable.

    What comes over plain HTTP, or from an authority that is not known yet, may be forged: the
    person compares the fingerprint before a token is sent.
    """
    try:
        page = await LobugClient(session, url).page()
    except UntrustedCertificate:
        unchecked = LobugClient(session, url, trust=False)
        pem = await unchecked.authority()
        fingerprint = None if pem is None else _fingerprint(pem)
        if pem is None or not await _answers(session, url, pem):
            raise
        return Found(url, fingerprint, pem)
    if urlsplit(url).scheme == "https" or page.fingerprint is None or page.https_url is None:
        return Found(url, page.fingerprint, None)
    pem = await LobugClient(session, url).authority()
    if pem is not None and _fingerprint(pem) == page.fingerprint:
        for secure in _secure_addresses(url, page.https_url):
            if await _answers(session, secure, pem):
                return Found(secure, page.fingerprint, pem)
    return Found(url, page.fingerprint, None)


def _secure_addresses(url: str, https_url: str) -> list[str]:
    """Where HTTPS may be: what the server says, or that port of the host that was reached; a server
    in a container does not know its outer address."""
    try:
        said = urlsplit(https_url)
        if said.scheme != "https" or not said.hostname:
            return []
        host = urlsplit(url).hostname or ""
        found = [url_of("https", host, said.port), url_of("https", said.hostname, said.port)]
    except ValueError:
        return []
    return list(dict.fromkeys(found))


async def _answers(session: ClientSession, url: str, pem: str) -> bool:
    """Whether a Lo-Bug answers there whose certificate this authority vouches for."""
    try:
        trust = await asyncio.to_thread(trust_in, pem)
        await LobugClient(session, url, trust=trust).page()
    except (LobugError, ssl.SSLError, ValueError):
        return False
    return True


def _fingerprint(pem: str) -> str:
    try:
        return fingerprint_of(pem)
    except ValueError as error:
        raise Unreachable("what it gives as its certificate is none") from error
