"""Notes to self: rows of ``notes``, word for word."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from sqlalchemy import and_, bindparam, delete, func, insert, or_, select

from lobug.agenda.tables import notes
from lobug.errors import NoteContentError, NoteLimitError
from lobug.settings.skills import SkillSettings
from lobug.storage.columns import Number
from lobug.storage.connection import Connection
from lobug.storage.database import Database
from lobug.storage.statements import among, columns_of, records, run


@dataclass(frozen=True, slots=True)
class Note:
    """A note to self."""

    id: int
    content: str
    """One line, in the user's words."""
    created_at: float
    """Seconds since the epoch."""


NOTES = (
    select(*columns_of(notes, Note))
    .where(
        notes.c.user == bindparam("user"),
        or_(bindparam("since", type_=Number).is_(None), notes.c.created_at >= bindparam("since")),
        or_(bindparam("until", type_=Number).is_(None), notes.c.created_at < bindparam("until")),
    )
    .order_by(notes.c.id.desc())
)
THESE = select(*columns_of(notes, Note)).where(
    notes.c.user == bindparam("user"), among(notes.c.id, "ids")
)
COUNT = select(func.count()).where(notes.c.user == bindparam("user"))
INSERT = insert(notes).returning(notes.c.id)
DELETE = delete(notes).where(and_(notes.c.user == bindparam("of_user"), among(notes.c.id, "ids")))


class Notes:
    """The notes of all users. Every method raises StorageError subclasses."""

    def __init__(
        self, database: Database, settings: SkillSettings, *, clock: Callable[[], float]
    ) -> None:
        """``clock``: seconds since the epoch."""
        self._database = database
        self._settings = settings
        self._clock = clock
        self.changed: Callable[[Set[str]], None] = lambda _: None
        """Called on the event loop after each change, with the users whose notes it changed."""

    async def add(self, user: str, content: str) -> Note:
        """Keep a note. Raises NoteLimitError, NoteContentError."""
        text = self._checked(content)

        def work(connection: Connection) -> Note:
            if run(connection, COUNT, user=user).scalar() >= self._settings.max_notes_per_person:
                raise NoteLimitError("there are as many notes as one person may have")
            now = self._clock()
            note_id = run(connection, INSERT, user=user, content=text, created_at=now).scalar()
            return Note(note_id, text, now)

        note = await self._database.write("notes", work)
        self.changed({user})
        return note

    async def of_user(
        self, user: str, *, since: float | None = None, until: float | None = None
    ) -> list[Note]:
        """Notes of a user, the newest first; ``since`` (inclusive) and ``until`` (exclusive) are
        seconds since the epoch."""

        def work(connection: Connection) -> list[Note]:
            rows = run(connection, NOTES, user=user, since=since, until=until)
            return records(Note, rows)

        return await self._database.read(work)

    async def delete(self, user: str, ids: Sequence[int]) -> list[Note]:
        """Delete notes of a user. Returns those that were there."""

        def work(connection: Connection) -> list[Note]:
            rows = run(connection, THESE, user=user, ids=ids)
            gone = records(Note, rows)
            run(connection, DELETE, of_user=user, ids=ids)
            return gone

        gone = await self._database.write("notes", work)
        self.changed({user})
        await self._database.fold_log()
        return gone

    def _checked(self, content: str) -> str:
        seen = "".join(mark if mark.isprintable() else " " for mark in content)
        line = " ".join(seen.split())
        longest = self._settings.max_note_chars
        if not line or len(line) > longest:
            raise NoteContentError(f"a note has 1 to {longest} characters")
        return line
