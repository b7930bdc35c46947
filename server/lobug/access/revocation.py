"""Revocations: which callers lose their right to talk after a change, and who is told."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lobug.access.callers import Caller, token_key
from lobug.access.records import Register

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Revoked:
    """A caller's token is no longer valid, or belongs to another user or conversation now."""

    key: str
    """``Caller.key``: ``device:ID`` or ``token:DIGEST``."""
    device_id: str | None
    """The device, in small letters; None: it is an API token."""
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
