"""The agenda: one database file, and what is kept in it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Set
from datetime import datetime
from pathlib import Path

from sqlalchemy import bindparam, delete

from lobug.agenda.alerts import Alerts, all_have_zones, name_zones
from lobug.agenda.lists import Lists
from lobug.agenda.migrations import STEPS
from lobug.agenda.notes import Notes
from lobug.agenda.speech_speeds import SpeechSpeeds
from lobug.agenda.tables import alerts, lists, notes, speech_speeds, waiting_speech
from lobug.agenda.waiting_speech import WaitingSpeeches
from lobug.errors import StorageError
from lobug.language.en.list_words import item_key
from lobug.settings.skills import SkillSettings
from lobug.settings.time_zones import UTC_NAME, system_zone, zone_name, zone_of
from lobug.storage.connection import Connection
from lobug.storage.database import Checkpoint, no_checkpoint
from lobug.storage.places import FILES, DatabasePlace
from lobug.storage.sqlite_database import DatabaseOptions
from lobug.storage.statements import run

log = logging.getLogger(__name__)

FILE = "agenda.db"
"""In ``data_dir``."""


class Agenda:
    """``agenda.db``. ``start`` first, ``close`` last."""

    def __init__(
        self,
        settings: SkillSettings,
        path: Path,
        *,
        time_zone: str = "",
        clock: Callable[[], float],
        checkpoint: Checkpoint = no_checkpoint,
        place: DatabasePlace = FILES,
    ) -> None:
        """``time_zone``: as set; empty: the computer's. ``clock``: seconds since the epoch;
        ``path``: of the file, where ``place`` has files."""
        self._time_zone = time_zone
        self._clock = clock
        self.database = place.database(
            "agenda",
            DatabaseOptions(path, steps=STEPS),
            clock=clock,
            checkpoint=checkpoint,
        )
        self.alerts = Alerts(
            self.database,
            max_per_user=settings.max_alerts_per_person,
            max_label_chars=settings.max_alert_label_chars,
            clock=clock,
        )
        self.waiting = WaitingSpeeches(self.database, clock=clock, changed=self._changed)
        self.lists = Lists(self.database, settings, clock=clock, item_key=item_key)
        self.notes = Notes(self.database, settings, clock=clock)
        self.speeds = SpeechSpeeds(self.database)
        self.changed_elsewhere: Callable[[], None] = lambda: None
        """Called on the event loop when another program has changed the file."""

    def _changed(self, users: Set[str]) -> None:
        self.alerts.changed(users)

    async def delete_user(self, user: str) -> None:
        """Delete all that is kept of a user, in one transaction. Opens a closed file for it. Raises
        StorageError."""
        opened_here = not self.database.is_open
        if opened_here and not self.database.is_made:
            return
        if opened_here:
            await self.start()
        try:
            await self.database.write("delete_user", lambda connection: _delete(connection, user))
            self.speeds.forget(user)
            await self.database.fold_log()
        finally:
            if opened_here:
                await self.close()
        for part in (self.alerts, self.lists, self.notes):
            part.changed({user})

    @property
    def fault(self) -> StorageError | None:
        """Why the file cannot be opened, read or written; None: it can."""
        return self.database.fault

    async def start(self) -> None:
        """Open the file, creating or migrating it where needed. Raises StorageError."""
        await self.database.open(self.speeds.load)
        try:
            await self._name_zones()
        except StorageError as error:  # at the next start, then
            log.warning("the time zones of alerts could not be stored: %s", error.code)

    async def _name_zones(self) -> None:
        if await self.database.read(all_have_zones):
            return
        # Whoever has set UTC means it. Otherwise it was stored instead of the computer's zone.
        meant = self._time_zone in ("UTC", UTC_NAME)
        zone = zone_of(UTC_NAME) if meant else system_zone()
        if zone is None:
            return
        now = self._clock()
        name = zone_name(datetime.fromtimestamp(now, zone))
        await self.database.write("zones", lambda connection: name_zones(connection, name, now))
        self.alerts.changed(frozenset())

    async def give_up(self) -> None:
        """Close the database, because another server has it; ``refresh`` opens it again. Raises
        StorageError."""
        await self.close()

    async def refresh(self) -> None:
        """Open a file that could not be opened, find out whether it works, and notice what another
        program has changed in it. Raises StorageError."""
        if not self.database.is_open:
            await self.start()
            self.alerts.changed(frozenset())
            self.changed_elsewhere()
            return
        if self.database.fault is not None:
            await self.database.check()
        async with self.database.changed_by_others() as changed:
            if changed:
                await self.database.read(self.speeds.load)
                self.alerts.changed(frozenset())
                self.changed_elsewhere()

    async def close(self) -> None:
        """Finish what is being written and close. Safe to call twice."""
        await self.database.close()


_DELETIONS = tuple(
    delete(table).where(table.c.user == bindparam("of_user"))
    for table in (waiting_speech, alerts, lists, notes, speech_speeds)
)
"""What is on lists goes with them."""


def _delete(connection: Connection, user: str) -> None:
    for statement in _DELETIONS:
        run(connection, statement, of_user=user)
