"""Satellites: where somebody talked from over Wyoming, and whose words those are."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from lobug.access import store
from lobug.access.records import Satellite
from lobug.access.store import AccessStore
from lobug.errors import SatelliteUnknownError, StorageError
from lobug.settings.access import AccessSettings
from lobug.storage.connection import Connection

log = logging.getLogger(__name__)

_SEEN_EVERY_S = 3600.0
"""Seconds between two uses that are written."""


class Satellites:
    """The satellites. Nothing is proved about them: Wyoming has no authentication."""

    def __init__(
        self, store: AccessStore, settings: AccessSettings, clock: Callable[[], float]
    ) -> None:
        self._store = store
        self._settings = settings
        self._clock = clock

    def all(self) -> list[Satellite]:
        """Return all satellites, oldest first. Raises AccessUnavailableError."""
        return list(self._store.opened().satellites.values())

    def user_of(self, satellite_id: str) -> str | None:
        """The user that the owner named; None: none, or that cannot be looked up."""
        register = self._store.register
        known = register.satellites.get(satellite_id) if register is not None else None
        return known.user if known is not None else None

    async def note(self, satellite_id: str, *, entity: str, address: str) -> None:
        """Note that somebody talks from there. Does nothing, in silence, beyond
        ``access.max_devices``, or when it cannot be written: talking goes on."""
        register = self._store.register
        if register is None:
            return
        now = self._clock()
        known = register.satellites.get(satellite_id)
        if known is None and len(register.satellites) >= self._settings.max_devices:
            return
        if known is not None and (
            (known.entity, known.address) == (entity, address)
            and now - known.last_seen_at < _SEEN_EVERY_S
        ):
            return

        def work(connection: Connection) -> None:
            held = store.load(connection).satellites.get(satellite_id)
            made = Satellite(satellite_id, entity, address, None, now, now)
            if held is not None:
                made = replace(made, user=held.user, created_at=held.created_at)
            store.put(connection, made)

        try:
            await self._store.change("note_satellite", work)
        except StorageError as error:
            log.warning("a satellite could not be noted: %s", error)
            return
        if known is None:
            log.info("a new satellite talks over Wyoming: %s %s", satellite_id, entity)

    async def assign(self, satellite_id: str, user: str | None) -> Satellite:
        """Say whose words come from a satellite; None: those of a user of its own, unless the
        settings name one. Durable when it returns. Raises SatelliteUnknownError,
        AccessUnavailableError, StorageError."""

        def work(connection: Connection) -> Satellite:
            held = store.load(connection).satellites.get(satellite_id.lower())
            if held is None:
                raise SatelliteUnknownError(f"there is no satellite {satellite_id}")
            made = replace(held, user=user)
            store.put(connection, made)
            return made

        self._store.opened()
        return await self._store.change("assign_satellite", work)
