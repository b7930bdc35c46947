"""``webhooks.db``: events that wait until the receiver has taken them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import (
    Column,
    MetaData,
    Table,
    Text,
    and_,
    bindparam,
    delete,
    func,
    or_,
    select,
    update,
)

from lobug.errors import StorageError
from lobug.storage.columns import NUMBERED, Number, add_index, count, required, row_id
from lobug.storage.connection import Connection
from lobug.storage.database import Checkpoint, no_checkpoint
from lobug.storage.driver import backups_of
from lobug.storage.migrations import Step
from lobug.storage.migrations.m002_create_tables import statements
from lobug.storage.places import FILES, DatabasePlace
from lobug.storage.sqlite_database import DatabaseOptions, SqliteDatabase
from lobug.storage.statements import columns_of, insert_once, records, run
from lobug.webhooks.events import QueuedEvent

log = logging.getLogger(__name__)

FILE = "webhooks.db"
"""In ``data_dir``."""

TABLES = """
CREATE TABLE outbox (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id   TEXT NOT NULL,
    user       TEXT,
    body       TEXT NOT NULL,
    content    TEXT,
    created_at REAL NOT NULL,
    due_at     REAL NOT NULL,
    attempts   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX outbox_by_event ON outbox (event_id);
CREATE INDEX outbox_by_due ON outbox (due_at, id);
"""


def m001_create_outbox(connection: Connection, _legacy_user: str) -> None:
    """Events that wait for their delivery."""
    for statement in statements(TABLES):
        connection.execute(statement)


STEPS: tuple[Step, ...] = (m001_create_outbox,)
"""Step n, counted from 1, turns a file of version n - 1 into one of version n. Released ones are
never edited."""

metadata = MetaData()

outbox = Table(
    "outbox",
    metadata,
    row_id(),
    required("event_id", Text, "the same in every attempt"),
    Column("user", Text, comment="whose it is; null: nobody's"),
    required("body", Text, "JSON without words"),
    Column("content", Text, comment="the words; null: there are none, or they were erased"),
    required("created_at", Number),
    required("due_at", Number, "when it is tried next"),
    count("attempts", "that have failed"),
    comment="webhooks that wait for their delivery",
    **NUMBERED,
)
add_index("outbox_by_event", outbox, "event_id", unique=True)
add_index("outbox_by_due", outbox, "due_at id")


@dataclass(frozen=True, slots=True)
class WaitingEvent:
    """A row of the outbox."""

    id: int
    event_id: str
    user: str | None
    body: str
    content: str | None
    created_at: float
    attempts: int


_ADD = insert_once(outbox)
_WAITING = select(func.count()).select_from(outbox)
_OLDEST = select(outbox.c.id).order_by(outbox.c.id).limit(bindparam("surplus"))
_DROP = delete(outbox).where(outbox.c.id.in_(_OLDEST))
_DUE = (
    select(*columns_of(outbox, WaitingEvent))
    # A row that is due later than any pause lasts was written before the clock was set back.
    .where(or_(outbox.c.due_at <= bindparam("now"), outbox.c.due_at > bindparam("latest")))
    .order_by(outbox.c.due_at, outbox.c.id)
    .limit(bindparam("most"))
)
_NEXT = select(func.min(outbox.c.due_at))
_REMOVE = delete(outbox).where(outbox.c.id == bindparam("of_id"))
_PUT_OFF = (
    update(outbox)
    .where(outbox.c.id == bindparam("of_id"))
    .values(due_at=bindparam("until"), attempts=outbox.c.attempts + 1)
)
_EXPIRE = delete(outbox).where(outbox.c.created_at < bindparam("before"))
_CONCERNS = or_(bindparam("of_user", type_=Text).is_(None), outbox.c.user == bindparam("of_user"))
_ERASE = update(outbox).where(and_(_CONCERNS, outbox.c.content.is_not(None))).values(content=None)
_DELETE_USER = delete(outbox).where(outbox.c.user == bindparam("of_user"))
_DELETE_ALL = delete(outbox)


class Outbox:
    """The waiting events. ``start`` first, ``close`` last. Every method raises StorageError."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float],
        checkpoint: Checkpoint = no_checkpoint,
        place: DatabasePlace = FILES,
    ) -> None:
        """``clock``: seconds since the epoch; ``path``: of the file, where ``place`` has files."""
        self._database = place.database(
            "webhooks",
            DatabaseOptions(path, steps=STEPS),
            clock=clock,
            checkpoint=checkpoint,
        )

    @property
    def fault(self) -> StorageError | None:
        """Why the file cannot be opened, read or written; None: it can."""
        return self._database.fault

    @property
    def is_open(self) -> bool:
        """Whether it can be used."""
        return self._database.is_open

    async def start(self) -> None:
        """Open the file, creating it where needed."""
        await self._database.open(self._drop_backups)

    def _drop_backups(self, _: Connection) -> None:
        """Delete the copy that a migration has made: nothing would erase words from it."""
        if isinstance(self._database, SqliteDatabase):
            for backup in backups_of(self._database.path):
                backup.unlink(missing_ok=True)

    async def close(self) -> None:
        """Finish what is being written and close. Safe to call twice."""
        await self._database.close()

    async def discard(self) -> None:
        """Delete the file, and what else is called like it: its log and its backups. In PostgreSQL,
        delete every event, and leave it open, so that forgetting need not open it each time."""
        if not isinstance(self._database, SqliteDatabase):
            await self.start()
            await self._database.write("webhooks_discard", lambda c: run(c, _DELETE_ALL))
            return
        await self.close()
        path = self._database.path
        try:
            for one in sorted(path.parent.glob(f"{path.name}*")):
                one.unlink(missing_ok=True)
        except OSError as error:
            raise StorageError(f"{path} cannot be deleted: {error.strerror}") from error

    async def add(self, events: Sequence[QueuedEvent], most: int) -> int:
        """Keep events; one whose id waits already is left out. Returns how many of the oldest were
        dropped because more than ``most`` were waiting."""

        def work(connection: Connection) -> int:
            for event in events:
                run(
                    connection,
                    _ADD,
                    event_id=event.event_id,
                    user=event.user,
                    body=event.body,
                    content=event.content,
                    created_at=event.created_at,
                    due_at=event.created_at,
                )
            surplus = run(connection, _WAITING).scalar() - most
            return run(connection, _DROP, surplus=surplus).rowcount if surplus > 0 else 0

        return await self._database.write("webhooks_add", work)

    async def due(self, now: float, most: int, *, longest_pause_s: float) -> list[WaitingEvent]:
        """Events that may be sent now, the one that is due longest first."""
        latest = now + longest_pause_s
        return await self._database.read(
            lambda c: records(WaitingEvent, run(c, _DUE, now=now, latest=latest, most=most))
        )

    async def next_due_at(self) -> float | None:
        """When the next event is due; None: none waits."""
        return await self._database.read(lambda c: run(c, _NEXT).scalar())

    async def waiting(self) -> int:
        """Number of events that wait."""
        return int(await self._database.read(lambda c: run(c, _WAITING).scalar()))

    async def remove(self, row_id: int) -> None:
        """Delete an event that was delivered, or never will be."""
        await self._database.write("webhooks_remove", lambda c: run(c, _REMOVE, of_id=row_id))

    async def put_off(self, row_id: int, until: float) -> None:
        """Count a failed attempt."""
        await self._database.write(
            "webhooks_put_off", lambda c: run(c, _PUT_OFF, of_id=row_id, until=until)
        )

    async def expire(self, before: float) -> int:
        """Delete events that are older. Returns how many."""
        return await self._database.write(
            "webhooks_expire", lambda c: run(c, _EXPIRE, before=before).rowcount
        )

    async def erase(self, user: str | None) -> None:
        """Erase the words of a user's events, or of all (None), durably: the events stay. A file
        that cannot be written is deleted, words and events, because keeping words would be
        worse; a PostgreSQL that cannot be written raises StorageError."""
        await self._forget(lambda c: run(c, _ERASE, of_user=user))

    async def delete_user(self, user: str) -> None:
        """Delete all events of a user, as ``erase`` does."""
        await self._forget(lambda c: run(c, _DELETE_USER, of_user=user))

    async def _forget(self, work: Callable[[Connection], object]) -> None:
        """Change a file that may be closed, if there is one."""
        opened_here = not self.is_open
        if opened_here and not self._database.is_made:
            return
        try:
            if opened_here:
                await self.start()
            await self._database.write("webhooks_forget", work)
            await self._database.fold_log()
        except StorageError as error:
            if not isinstance(self._database, SqliteDatabase):
                raise
            log.error(  # noqa: TRY400 - a full disk needs no traceback
                "webhooks that wait are deleted, because words in them could not be erased: %s",
                error,
            )
            await self.discard()
            if not opened_here:
                await self.start()
        finally:
            if opened_here:
                await self.close()
