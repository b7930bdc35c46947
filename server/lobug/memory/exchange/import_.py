"""Imports a document into the memory of one user: an export, or a snapshot of sessions.

Whatever user a document names, everything is stored under the scope's own user. Call it in one
write transaction: if it raises, nothing is imported.

A row is known already if one of the same kind says the same at the same time. Of two equal rows of
a document the second is matched with the second one in the database, and so on.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Select, Table, and_, bindparam, insert, or_, select

from lobug.errors import ImportInvalidError
from lobug.memory import entries, identity, jobs
from lobug.memory.exchange import document_format, snapshot
from lobug.memory.exchange.document_format import Document, EntryRow, Row
from lobug.memory.exchange.snapshot import SnapshotSession
from lobug.memory.model import HOUSEHOLD, EntryScope, Imported, MemoryScope
from lobug.storage import tables
from lobug.storage.connection import Connection
from lobug.storage.driver import integrity_errors, overflow_errors
from lobug.storage.statements import Result, insert_once, run, run_many

Places = dict[int | None, int | None]
"""Ids in the database by positions in the document; None by None."""


_log, _entry = tables.conversation_log.c, tables.memories.c
CONVERSATIONS = select(_log.conversation).distinct().where(_log.user == bindparam("user"))
SESSIONS = select(
    tables.sessions.c.id,
    tables.sessions.c.channel,
    tables.sessions.c.started_at,
    tables.sessions.c.external_id,
).where(tables.sessions.c.user == bindparam("user"))
MESSAGES = (
    select(_log.id, _log.role, _log.created_at, _log.content, _log.speaker)
    .where(_log.user == bindparam("user"))
    .order_by(_log.id)
)
REPLIED = select(_log.reply_to).where(_log.user == bindparam("user"), _log.reply_to.is_not(None))
CONVERSATION_OF = select(_log.conversation).where(_log.id == bindparam("message_id"))
TASKS = (
    select(
        tables.project_tasks.c.id, tables.project_tasks.c.title, tables.project_tasks.c.created_at
    )
    .where(tables.project_tasks.c.user == bindparam("user"))
    .order_by(tables.project_tasks.c.id)
)
RECALLS = select(
    tables.recalls.c.id,
    tables.recalls.c.created_at,
    tables.recalls.c.took_ms,
    tables.recalls.c.query,
).where(tables.recalls.c.user == bindparam("user"))

_theirs = or_(
    _entry.user == bindparam("user"),
    and_(_entry.user == HOUSEHOLD, _entry.told_by == bindparam("user")),
)
_said = (_entry.scope, _entry.layer, _entry.category, _entry.content)
ENTRIES = (
    select(_entry.id, *_said, _entry.said_at, _entry.created_at, _entry.updated_at)
    .where(_theirs)
    .order_by(_entry.id)
)
ACTIVE_ENTRIES = select(_entry.id, *_said).where(_theirs, _entry.status == "active")
TAKEN_BACK = (
    select(_entry.id, _entry.expired_at, *_said)
    .where(
        _theirs,
        _entry.reason.in_(("corrected", "removed")),
        _entry.expired_at.is_not(None),
    )
    .order_by(_entry.expired_at, _entry.id)
)
FROM_MESSAGE = select(_entry.id).where(
    _entry.source_message_id == bindparam("message_id"), _entry.content == bindparam("content")
)

INSERTS = {
    table.name: insert(table).returning(table.c.id)
    for table in (
        tables.sessions,
        tables.conversation_log,
        tables.memories,
        tables.project_tasks,
        tables.recalls,
    )
}
INSERT_PROJECT = insert_once(tables.projects)
INSERT_SOURCE = insert_once(tables.memory_sources)
INSERT_HIT = insert(tables.recall_hits)


Parsed = Document | Sequence[SnapshotSession]
"""The content of a document, checked."""


def parse(document: object) -> Parsed:
    """The content of a document, checked without a database. Raises ImportInvalidError."""
    if snapshot.is_snapshot(document):
        return snapshot.parse(document)
    return document_format.checked(document)


def import_parsed(
    connection: Connection,
    scope: MemoryScope,
    parsed: Parsed,
    now: float,
    *,
    identity_chars: int | None = None,
) -> Imported:
    """Import the result of ``parse``. What is there already is skipped, so a second import changes
    nothing. Imported lines of layer identity that do not fit into ``identity_chars`` go to layer
    knowledge. Raises ImportInvalidError."""
    try:
        if isinstance(parsed, Document):
            return _insert_document(connection, scope, parsed, now, identity_chars=identity_chars)
        return snapshot.insert_sessions(connection, scope.user, parsed, now)
    except integrity_errors() as error:
        raise ImportInvalidError("the document contradicts itself") from error
    except overflow_errors() as error:
        raise ImportInvalidError("a number of the document is too large") from error


def _insert_document(
    connection: Connection,
    scope: MemoryScope,
    document: Document,
    now: float,
    *,
    identity_chars: int | None,
) -> Imported:
    """Insert the unknown rows. Returns their numbers."""
    importing = _Import(connection, scope, document, now)
    importing.projects()
    importing.sessions()
    importing.messages()
    importing.entries()
    importing.tasks()
    importing.recalls()
    if identity_chars is not None:
        importing.fit_identity(identity_chars)
    return importing.done


class _Known:
    """Rows of the database by their content; each is matched once."""

    def __init__(self, rows: Iterable[Sequence[Any]]) -> None:
        """``rows`` are pairs of an id and a content."""
        self._ids: defaultdict[Hashable, list[int]] = defaultdict(list)
        for row in rows:
            self._ids[tuple(row[1:])].append(row[0])
        for ids in self._ids.values():
            ids.reverse()

    def take(self, *said: Hashable) -> int | None:
        """The id of the next row with this content; None: there is none."""
        ids = self._ids.get(said)
        return ids.pop() if ids else None


class _Import:
    def __init__(
        self, connection: Connection, scope: MemoryScope, document: Document, now: float
    ) -> None:
        self._connection = connection
        self._scope = scope
        self._user = scope.user
        self._document = document
        self._now = now
        self._session_at: Places = {None: None}
        self._message_at: Places = {None: None}
        self._entry_at: Places = {None: None}
        self._new_entries: list[int] = []
        self._task_entries: list[tuple[int, int]] = []
        self.done = Imported()
        self._taken = set(self._select(CONVERSATIONS).scalars())

    def projects(self) -> None:
        new = 0
        for row in self._document.projects:
            new += run(
                self._connection,
                INSERT_PROJECT,
                user=self._user,
                name=row.name,
                description=row.description,
                status=row.status,
                created_at=row.created_at,
            ).rowcount
        self._count("projects", new, len(self._document.projects))

    def sessions(self) -> None:
        sessions = self._select(SESSIONS).all()
        known = _Known(sessions)
        named = {row.external_id: row.id for row in sessions if row.external_id is not None}
        new = 0
        for row in self._document.sessions:
            session_id = known.take(row.channel, row.started_at, row.external_id)
            if session_id is None and row.external_id is not None:
                session_id = named.get(row.external_id)
            if session_id is None:
                session_id = self._insert(
                    tables.sessions,
                    row,
                    conversation=self._conversation(row.conversation),
                    # If the conversation goes on here, this is not its open session.
                    ended_at=row.last_active_at
                    if row.ended_at is None and self._own_name(row.conversation) in self._taken
                    else row.ended_at,
                )
                if row.external_id is not None:
                    named[row.external_id] = session_id
                new += 1
            self._session_at[row.id] = session_id
        self._count("sessions", new, len(self._document.sessions))

    def messages(self) -> None:
        known = _Known(self._select(MESSAGES))
        replied = set(self._select(REPLIED).scalars())
        new = 0
        for row in self._document.messages:
            message_id = known.take(row.role, row.created_at, row.content, row.speaker)
            if message_id is None:
                reply_to = self._message_at[row.reply_to]
                message_id = self._insert(
                    tables.conversation_log,
                    row,
                    conversation=self._conversation(row.conversation),
                    reply_to=None if reply_to in replied else reply_to,
                    session_id=self._session_at[row.session],
                )
                replied.add(reply_to)
                if row.to_extract and row.role == "user" and row.content:
                    jobs.wait_for_reply(
                        self._connection, self._user, message_id, self._now, self._now
                    )
                    jobs.release(self._connection, message_id, self._now)
                new += 1
            self._message_at[row.id] = message_id
        self._count("messages", new, len(self._document.messages))

    def entries(self) -> None:
        """Where two are active that say the same, the one that is here stays alone; what was put
        right or removed here since it was said stays so."""
        known = _Known(self._select(ENTRIES))
        held = {
            (row.scope, row.layer, row.category, row.content): row.id
            for row in self._select(ACTIVE_ENTRIES)
        }
        wrong: dict[tuple[Any, ...], tuple[int, float]] = {
            (row.scope, row.layer, row.category, row.content): (row.id, row.expired_at)
            for row in self._select(TAKEN_BACK)
        }
        new: list[EntryRow] = []
        for row in self._document.entries:
            scope = self._scope_of(row)
            what = (scope, row.layer, row.category, row.content)
            entry_id = known.take(*what, row.said_at, row.created_at, row.updated_at)
            if entry_id is None and row.status == "active":
                entry_id = held.get(what)
            if entry_id is None and row.status == "active" and what in wrong:
                entry_id = wrong[what][0] if row.said_at < wrong[what][1] else None
            if entry_id is None:
                entry_id = self._insert_entry(row, scope)
                new.append(row)
                self._new_entries.append(entry_id)
            self._entry_at[row.id] = entry_id
        for row in new:
            self._link(row)
        self._count("entries", len(new), len(self._document.entries))

    def tasks(self) -> None:
        known = _Known(self._select(TASKS))
        new = 0
        task_at: Places = {None: None}
        for row in self._document.tasks:
            task_id = known.take(row.title, row.created_at)
            if task_id is None:
                task_id = self._insert(
                    tables.project_tasks,
                    row,
                    archived_as=self._entry_at[row.archived_as],
                )
                new += 1
            task_at[row.id] = task_id
        for entry_id, place in self._task_entries:
            entries.change(self._connection, entry_id, task_id=task_at[place])
        self._count("tasks", new, len(self._document.tasks))

    def recalls(self) -> None:
        """The retrieval log, which is counted nowhere."""
        known = _Known(self._select(RECALLS))
        for row in self._document.recalls:
            if known.take(row.created_at, row.took_ms, row.query) is not None:
                continue
            recall_id = self._insert(
                tables.recalls,
                row,
                conversation=self._conversation(row.conversation),
                message_id=self._message_at[row.message],
            )
            run_many(
                self._connection,
                INSERT_HIT,
                (
                    {
                        "recall_id": recall_id,
                        "rank": hit.rank,
                        "memory_id": self._entry_at[hit.entry],
                        "message_id": self._message_at[hit.message],
                        "score": hit.score,
                        "confidence": hit.confidence,
                        "parts": json.dumps(hit.parts, ensure_ascii=False),
                        "injected": hit.injected,
                    }
                    for hit in row.hits
                ),
            )

    def fit_identity(self, limit: int) -> None:
        """Move imported lines that do not fit to layer knowledge, the least important first."""
        imported = set(self._new_entries)
        spare = sorted(
            (e for e in identity.lines_of(self._connection, self._user) if e.id in imported),
            key=lambda entry: (entry.importance, entry.updated_at, entry.id),
            reverse=True,
        )
        while spare and len(identity.document(self._connection, self._user)) > limit:
            entries.change(self._connection, spare.pop().id, layer="knowledge", section=None)

    def _insert_entry(self, row: EntryRow, scope: EntryScope) -> int:
        user = self._scope.stored_under(scope)
        key, conversation = row.key, self._conversation_of(row)
        if row.status == "active":
            key = entries.free_key(self._connection, user, scope, conversation, key)
        source = self._message_at[row.source_message]
        if source is not None and self._is_extracted_twice(source, row):
            source = None
        entry_id = self._insert(
            tables.memories,
            row,
            user=user,
            told_by=self._user,
            scope=scope,
            conversation=conversation,
            session_id=self._session_at[row.session],
            key=key,
            source_message_id=source,
            from_message_id=self._message_at[row.from_message],
            to_message_id=self._message_at[row.to_message],
            replaced_by=None,
        )
        if row.task is not None:
            self._task_entries.append((entry_id, row.task))
        return entry_id

    def _is_extracted_twice(self, source: int, row: EntryRow) -> bool:
        """The same fact was taken from the same message before: one of both has to do without."""
        found = run(self._connection, FROM_MESSAGE, message_id=source, content=row.content)
        return found.first() is not None and row.source == "system" and row.layer == "knowledge"

    def _link(self, row: EntryRow) -> None:
        entry_id = self._entry_at[row.id]
        successor = self._entry_at[row.replaced_by]
        if entry_id is not None and successor not in (None, entry_id):
            entries.change(self._connection, entry_id, replaced_by=successor)
        run_many(
            self._connection,
            INSERT_SOURCE,
            (
                {"memory_id": entry_id, "source_id": self._entry_at[source]}
                for source in row.distilled_from
            ),
        )

    def _scope_of(self, row: EntryRow) -> EntryScope:
        """The scope of an imported entry: the household's becomes the user's if the importing
        scope may not write there."""
        if row.scope == "household" and self._scope.household != "write":
            return "user"
        return row.scope

    def _conversation(self, name: str) -> str:
        """The conversation of imported messages. One that exists here keeps its own, since
        imported ones would follow them."""
        name = self._own_name(name)
        return f"{name}#import" if name in self._taken else name

    def _conversation_of(self, row: EntryRow) -> str | None:
        """The conversation of an entry; of a summary that of its messages."""
        if row.conversation is None:
            return None
        own = self._own_name(row.conversation)
        found = run(
            self._connection, CONVERSATION_OF, message_id=self._message_at[row.from_message]
        ).scalar()
        return f"{own}#import" if found == f"{own}#import" else own

    def _own_name(self, name: str) -> str:
        """A conversation of the document's user as one of the importing user."""
        prefix = f"{self._document.user}/"
        if self._document.user != self._user and name.startswith(prefix):
            return f"{self._user}/{name.removeprefix(prefix)}"
        return name

    def _select(self, statement: Select[*tuple[Any, ...]]) -> Result:
        return run(self._connection, statement, user=self._user)

    def _insert(self, table: Table, row: Row, **changes: Any) -> int:
        """Insert a row of the document: its fields that are columns, and ``changes``."""
        values = {name: value for name, value in row if name in table.c and name != "id"}
        values = {"user": self._user, **values, **changes}
        return int(run(self._connection, INSERTS[table.name], **values).scalar())

    def _count(self, what: str, new: int, all_of: int) -> None:
        counted = {what: new, "skipped": self.done.skipped + all_of - new}
        self.done = replace(self.done, **counted)
