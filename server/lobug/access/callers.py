"""Callers: who sent a request, and the keys by which callers are known. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from lobug.access import tokens
from lobug.errors import InvalidRequestError

CallerKind = Literal["loopback", "network", "device", "api", "stranger"]

_DEVICE_ID = re.compile(r"[\w.:@+\-]{1,128}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Caller:
    """A caller that has been authenticated. Nothing else in a request identifies its sender."""

    kind: CallerKind
    """``loopback``: at this computer, without a token of Lo-Bug's. ``network``: from a trusted
    network, without one. ``device`` and ``api``: by their token. ``stranger``: unknown, at a route
    that needs no authentication."""
    key: str
    """Its stable name: ``device:ID``, ``token:DIGEST`` or ``address:IP``."""
    user: str | None = None
    """The user that its token names; None: the token names none."""
    conversation: str | None = None
    """The conversation that its token names; None: the token names none."""
    owner: bool = False
    """Whether it may approve devices and create tokens."""
    device_id: str | None = None
    """The device, in small letters; None: it is not a device."""
    token_hash: str | None = None
    """SHA-256 of its token; None: it sent no token of Lo-Bug's."""
    scope: str | None = None
    """The only purpose of its token; None: it may talk."""

    @property
    def privileged(self) -> bool:
        """Whether it is the owner or a paired device, for which part of every queue is reserved."""
        return self.owner or self.kind == "device"

    @property
    def at_this_computer(self) -> bool:
        """Whether it is the owner, at the computer that Lo-Bug runs on."""
        return self.kind == "loopback"

    @property
    def may_watch(self) -> bool:
        """Whether it may read the server's metrics and state: the owner, and a token with that
        scope."""
        return self.owner or self.scope == "metrics"


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
    """Return a ``Device-Id`` in small letters.

    Raises InvalidRequestError when it is not 1 to 128 letters, digits or ``. : @ + - _``.
    """
    if not _DEVICE_ID.fullmatch(device_id):
        raise InvalidRequestError("Device-Id must be 1 to 128 of: letters digits . : @ + - _")
    return device_id.lower()


def token_key(digest: str) -> str:
    """Return the key of a caller with a token. ``digest``: the token's SHA-256, hexadecimal."""
    return f"token:{digest[:32]}"
