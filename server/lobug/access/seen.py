"""When tokens were used last: noted at once, written now and then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from lobug.access import rows
from lobug.access.caller import Caller
from lobug.access.records import Device
from lobug.access.store import AccessStore


class Seen:
    """Uses of tokens that are not in the file yet: a write for every request would be too many."""

    def __init__(self, store: AccessStore, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self.devices: dict[str, float] = {}
        """By the SHA-256 of the token: seconds since the epoch."""
        self.api_tokens: dict[str, float] = {}
        """The same."""
        self.urgent = asyncio.Event()
        """Set when a device uses its token for the first time: from then on no other is given, and
        that must outlive this process."""

    def note(self, caller: Caller) -> None:
        """A request came from there."""
        if caller.token_hash is None:
            return
        by_hash = self.devices if caller.kind == "device" else self.api_tokens
        by_hash[caller.token_hash] = self._clock()
        register = self._store.register
        device = register.device_by_hash.get(caller.token_hash) if register else None
        if device is not None and device.token_used_at is None:
            self.urgent.set()

    def uses(self, device: Device) -> bool:
        """Whether a use of the device's token is noted here."""
        return device.token_hash in self.devices

    async def write(self) -> None:
        """Write what is noted. Raises StorageError; it stays noted then."""
        devices, api_tokens = dict(self.devices), dict(self.api_tokens)
        if not devices and not api_tokens:
            return
        await self._store.change(
            "seen", lambda connection: rows.note_seen(connection, devices, api_tokens)
        )
        _drop(self.devices, devices)
        _drop(self.api_tokens, api_tokens)


def _drop(noted: dict[str, float], written: dict[str, float]) -> None:
    """Of what is noted, keep what came while the rest was written."""
    for token_hash, at in written.items():
        if noted.get(token_hash) == at:
            del noted[token_hash]
