"""Whose right to talk has ended, and who wants to know."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lobug.access.caller import Caller
from lobug.access.records import Register
from lobug.conversation.identity import token_key

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Revoked:
    """What somebody came with is no longer good, or stands for another user or conversation now."""

    key: str
    """The ``Caller.key`` of who came with it: ``device:ID`` or ``token:DIGEST``."""
    device_id: str | None
    """The device, in small letters; None: it was an API token."""
    token_hash: str | None
    """The ``Caller.token_hash`` of who came with it; None: it came without a token from a trusted
    network, under the ``Device-Id`` of a device that has one now."""

    def concerns(self, caller: Caller) -> bool:
        """Whether ``caller`` is who came with it."""
        if self.token_hash is None:
            return caller.kind == "network" and caller.key == self.key
        return caller.token_hash == self.token_hash


def revoked_between(before: Register, now: Register) -> Iterator[Revoked]:
    """Whom an open connection must be taken from, after a change. Pure."""
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
    """Those who hold connections."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[Revoked], None]] = []

    def add(self, listener: Callable[[Revoked], None]) -> Callable[[], None]:
        """Have it called from now on. Returns what ends that."""
        self._listeners.append(listener)

        def remove() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return remove

    def tell(self, revoked: Revoked) -> None:
        """Call all. What one of them raises must not keep the others from hearing it."""
        for listener in tuple(self._listeners):
            try:
                listener(revoked)
            except Exception:
                log.exception("a listener to revocations failed")
