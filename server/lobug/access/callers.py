"""Callers: who sent a request, by which key a caller is known, and how its right to talk ends."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from lobug.access import tokens
from lobug.access.records import Register
from lobug.errors import InvalidRequestError

CallerKind = Literal["loopback", "network", "device", "api", "browser", "waiting", "stranger"]

_DEVICE_ID = re.compile(r"[\w.:@+\-]{1,128}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller that has been authenticated. Nothing else in a request identifies its sender."""

    kind: CallerKind
    """``loopback``: the owner at this computer, without a token of Lo-Bug's or in a browser with an
    owner's session. ``network``: from a trusted network, without a token. ``device`` and ``api``:
    by their token. ``browser``: by its session. ``waiting``: a device that the owner has not
    approved, or that has no token yet, at the devices' WebSocket, where it is told its code and
    nothing else. ``stranger``: unknown, at a route that needs no authentication."""
    key: str
    """Its stable name: ``device:ID``, ``token:DIGEST``, ``browser:ID`` or ``address:IP``."""
    user: str | None = None
    """The user that its token or session names; None: it names none."""
    conversation: str | None = None
    """The conversation that its token names; None: the token names none."""
    owner: bool = False
    """Whether it may approve devices and create tokens."""
    device_id: str | None = None
    """The device, in lower case; None: it is not a device."""
    token_hash: str | None = None
    """SHA-256 of its token, or of the one in its cookie; None: it sent no token of Lo-Bug's."""
    scope: str | None = None
    """What alone its token is for, separated by spaces; None: it may talk."""
    browser_id: str | None = None
    """The browser whose session it is; None: it came without a session."""

    @property
    def privileged(self) -> bool:
        """Whether it is the owner, a paired device or a paired browser, for which part of every
        queue is reserved."""
        return self.owner or self.kind in {"device", "browser"}

    @property
    def may_be_a_page(self) -> bool:
        """Whether a web page of another site could have made a browser send its request: a page
        knows no token, but a browser adds its cookies by itself."""
        return self.token_hash is None or self.browser_id is not None

    @property
    def at_this_computer(self) -> bool:
        """Whether it is the owner, at the computer that Lo-Bug runs on."""
        return self.kind == "loopback"

    @property
    def may_watch(self) -> bool:
        """Whether it may read the server's metrics and state: the owner, and a token with that
        scope."""
        return self.owner or "metrics" in self.scopes

    @property
    def may_announce(self) -> bool:
        """Whether it may say something on everybody's devices: the owner, and a token with that
        scope."""
        return self.owner or "announce" in self.scopes

    @property
    def scopes(self) -> frozenset[str]:
        """What alone its token is for; empty: it may talk."""
        return frozenset((self.scope or "").split())

    def may_use(self, scope: str) -> bool:
        """Whether it may do what a scope is for: with a token that has it, or that has none and so
        may do whatever its user may."""
        return self.scope is None or scope in self.scopes


def caller_key(device_id: str | None, authorization: str | None, address: str | None) -> str:
    """Return a caller's key: from its ``Device-Id``, else from its token, else from its address.

    The first firmware sends neither header, so its address identifies it. The key is stored with
    every message, so it holds only a digest of the token. Raises InvalidRequestError when the
    ``Device-Id`` is not valid.
    """
    if device_id is not None:
        return device_key(device_id)
    token = tokens.bearer(authorization)
    if token is not None:
        return token_key(tokens.digest(token))
    return f"address:{address or 'unknown'}"


def device_key(device_id: str) -> str:
    """Return the key of a device. Raises InvalidRequestError."""
    return f"device:{valid_device_id(device_id)}"


def valid_device_id(device_id: str) -> str:
    """Return a ``Device-Id`` in lower case.

    Raises InvalidRequestError when it is not 1 to 128 letters, digits or ``. : @ + - _``.
    """
    if not _DEVICE_ID.fullmatch(device_id):
        raise InvalidRequestError("Device-Id must be 1 to 128 of: letters digits . : @ + - _")
    return device_id.lower()


def waiting_caller(device_id: str, client_id: str) -> Caller:
    """Return the caller of a device that waits for its owner's approval. ``device_id``: in lower
    case. Its key is no device's."""
    return Caller("waiting", f"waiting:{device_id} {client_id}", device_id=device_id)


def browser_key(browser_id: str) -> str:
    return f"browser:{browser_id}"


def token_key(digest: str) -> str:
    """Return the key of a caller with a token. ``digest``: the token's SHA-256, hexadecimal."""
    return f"token:{digest[:32]}"


log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Revoked:
    """A caller's token is no longer valid, or belongs to another user or conversation now."""

    key: str
    """``Caller.key``: ``device:ID``, ``browser:ID`` or ``token:DIGEST``."""
    device_id: str | None
    """The device, in lower case; None: it is a browser or an API token."""
    token_hash: str | None
    """``Caller.token_hash``; None: a caller without a token, from a trusted network, that used the
    ``Device-Id`` of a device that has a token now."""

    def concerns(self, caller: Caller) -> bool:
        """Whether ``caller`` is the one whose right has ended."""
        if self.token_hash is None:
            return caller.kind == "network" and caller.key == self.key
        return caller.token_hash == self.token_hash


def revoked_between(before: Register, now: Register) -> Iterator[Revoked]:
    """Yield the callers whose open connections must be closed after a change. Pure."""
    for token_hash, device in before.device_by_hash.items():
        present = now.device_by_hash.get(token_hash)
        if present is None or present.user != device.user:
            yield Revoked(f"device:{device.device_id}", device.device_id, token_hash)
    for device in now.device_by_hash.values():
        if not before.is_paired(device.device_id):
            yield Revoked(f"device:{device.device_id}", device.device_id, None)
    for token_hash in before.api_token_by_hash:
        if token_hash not in now.api_token_by_hash:
            yield Revoked(token_key(token_hash), None, token_hash)
    for token_hash, browser in before.browser_by_hash.items():
        still = now.browser_by_hash.get(token_hash)
        if still is None or (still.user, still.owner) != (browser.user, browser.owner):
            yield Revoked(browser_key(browser.browser_id), None, token_hash)


class RevocationListeners:
    """Functions that are called with each ``Revoked``; holders of connections add theirs."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Revoked], None]] = []

    def add(self, listener: Callable[[Revoked], None]) -> Callable[[], None]:
        """Add a listener. Returns the function that removes it."""
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    def notify(self, revoked: Revoked) -> None:
        """Call every listener, even if one raises; exceptions are logged."""
        for listener in tuple(self._listeners):
            try:
                listener(revoked)
            except Exception:
                log.exception("a revocation listener failed")
