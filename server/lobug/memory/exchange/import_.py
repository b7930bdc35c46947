"""Inserts the rows of a checked document into the database, under one user.

A row is known already if one of the same kind says the same at the same time. Of two equal rows of
a document the second is matched with the second one in the database, and so on.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from lobug.memory import entries, identity
from lobug.memory.exchange.document_format import Document, EntryRow
from lobug.memory.jobs import queue
from lobug.memory.model import HOUSEHOLD, EntryScope, Imported, MemoryScope
from lobug.storage.driver import Connection

Places = dict[int | None, int | None]
"""Ids in the database by positions in the document; None by None."""


def insert_document(
    connection: Connection,
    scope: MemoryScope,
    document: Document,
    now: float,
    *,
    identity_chars: int | None,
) -> Imported:
    """Insert the unknown rows. Returns their numbers."""
    bringing = _Import(connection, scope, document, now)
    bringing.projects()
    bringing.sessions()
    bringing.messages()
    bringing.entries()
    bringing.tasks()
    bringing.recalls()
    if identity_chars is not None:
        bringing.fit_identity(identity_chars)
    return bringing.done


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
        self._taken = {
            row[0]
            for row in connection.execute(
                "SELECT DISTINCT conversation FROM conversation_log WHERE user = ?", (self._user,)
            )
        }

    def projects(self) -> None:
        new = 0
        for row in self._document.projects:
            new += self._connection.execute(
                "INSERT INTO projects (user, name, description, status, created_at)"
                " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (self._user, row.name, row.description, row.status, row.created_at),
            ).rowcount
        self._count("projects", new, len(self._document.projects))

    def sessions(self) -> None:
        known = _Known(
            self._select("SELECT id, channel, started_at, external_id FROM sessions WHERE user = ?")
        )
        named = dict(
            self._select(
                "SELECT external_id, id FROM sessions WHERE user = ? AND external_id IS NOT NULL"
            )
        )
        new = 0
        for row in self._document.sessions:
            session_id = known.take(row.channel, row.started_at, row.external_id)
            if session_id is None and row.external_id is not None:
                session_id = named.get(row.external_id)
            if session_id is None:
                session_id = self._insert(
                    "sessions",
                    user=self._user,
                    conversation=self._conversation(row.conversation),
                    channel=row.channel,
                    external_id=row.external_id,
                    started_at=row.started_at,
                    last_active_at=row.last_active_at,
                    # If the conversation goes on here, this is not its open session.
                    ended_at=row.last_active_at
                    if row.ended_at is None and self._own_name(row.conversation) in self._taken
                    else row.ended_at,
                    last_consolidated_at=row.last_consolidated_at,
                    failures=row.failures,
                    summary=row.summary,
                )
                if row.external_id is not None:
                    named[row.external_id] = session_id
                new += 1
            self._session_at[row.id] = session_id
        self._count("sessions", new, len(self._document.sessions))

    def messages(self) -> None:
        known = _Known(
            self._select(
                "SELECT id, role, created_at, content, speaker FROM conversation_log"
                " WHERE user = ? ORDER BY id"
            )
        )
        replied = {
            row[0]
            for row in self._select(
                "SELECT reply_to FROM conversation_log WHERE user = ? AND reply_to IS NOT NULL"
            )
        }
        new = 0
        for row in self._document.messages:
            message_id = known.take(row.role, row.created_at, row.content, row.speaker)
            if message_id is None:
                reply_to = self._message_at[row.reply_to]
                message_id = self._insert(
                    "conversation_log",
                    user=self._user,
                    conversation=self._conversation(row.conversation),
                    role=row.role,
                    content=row.content,
                    created_at=row.created_at,
                    summarized=int(row.summarized),
                    reply_to=None if reply_to in replied else reply_to,
                    session_id=self._session_at[row.session],
                    speaker=row.speaker,
                    forgotten=int(row.forgotten),
                    meant=int(row.meant),
                )
                replied.add(reply_to)
                if row.to_extract and row.role == "user" and row.content:
                    queue.wait_for_reply(
                        self._connection, self._user, message_id, self._now, self._now
                    )
                    queue.release(self._connection, message_id, self._now)
                new += 1
            self._message_at[row.id] = message_id
        self._count("messages", new, len(self._document.messages))

    def entries(self) -> None:
        """Where two are active that say the same, the one that is here stays alone; what was put
        right or removed here since it was said stays so."""
        said = "scope, layer, category, content"
        users = (self._user, HOUSEHOLD, self._user)
        theirs = "(user = ? OR (user = ? AND told_by = ?))"
        known = _Known(
            self._connection.execute(
                f"SELECT id, {said}, said_at, created_at, updated_at FROM memories"
                f" WHERE {theirs} ORDER BY id",
                users,
            )
        )
        held = {
            tuple(row[1:]): row[0]
            for row in self._connection.execute(
                f"SELECT id, {said} FROM memories WHERE {theirs} AND status = 'active'", users
            )
        }
        wrong: dict[tuple[Any, ...], tuple[int, float]] = {
            tuple(row[2:]): (row[0], row[1])
            for row in self._connection.execute(
                f"SELECT id, expired_at, {said} FROM memories WHERE {theirs}"
                " AND reason IN ('corrected', 'removed') ORDER BY expired_at",
                users,
            )
            if row[1] is not None
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
        known = _Known(
            self._select(
                "SELECT id, title, created_at FROM project_tasks WHERE user = ? ORDER BY id"
            )
        )
        new = 0
        task_at: Places = {None: None}
        for row in self._document.tasks:
            task_id = known.take(row.title, row.created_at)
            if task_id is None:
                task_id = self._insert(
                    "project_tasks",
                    user=self._user,
                    project=row.project,
                    title=row.title,
                    status=row.status,
                    state=row.state,
                    created_at=row.created_at,
                    completed_at=row.completed_at,
                    archived_as=self._entry_at[row.archived_as],
                )
                new += 1
            task_at[row.id] = task_id
        self._connection.executemany(
            "UPDATE memories SET task_id = ? WHERE id = ?",
            [(task_at[place], entry_id) for entry_id, place in self._task_entries],
        )
        self._count("tasks", new, len(self._document.tasks))

    def recalls(self) -> None:
        """The retrieval log, which is counted nowhere."""
        known = _Known(
            self._select("SELECT id, created_at, took_ms, query FROM recalls WHERE user = ?")
        )
        for row in self._document.recalls:
            if known.take(row.created_at, row.took_ms, row.query) is not None:
                continue
            recall_id = self._insert(
                "recalls",
                user=self._user,
                conversation=self._conversation(row.conversation),
                message_id=self._message_at[row.message],
                query=row.query,
                created_at=row.created_at,
                took_ms=row.took_ms,
            )
            self._connection.executemany(
                "INSERT INTO recall_hits (recall_id, rank, memory_id, message_id, score,"
                " confidence, parts, injected) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        recall_id,
                        hit.rank,
                        self._entry_at[hit.entry],
                        self._message_at[hit.message],
                        hit.score,
                        hit.confidence,
                        json.dumps(hit.parts, ensure_ascii=False),
                        int(hit.injected),
                    )
                    for hit in row.hits
                ],
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
            self._connection.execute(
                "UPDATE memories SET layer = 'knowledge', section = NULL WHERE id = ?",
                (spare.pop().id,),
            )

    def _insert_entry(self, row: EntryRow, scope: EntryScope) -> int:
        user = self._scope.stored_under(scope)
        key, conversation = row.key, self._conversation_of(row)
        if row.status == "active":
            key = entries.free_key(self._connection, user, scope, conversation, key)
        source = self._message_at[row.source_message]
        if source is not None and self._is_extracted_twice(source, row):
            source = None
        entry_id = self._insert(
            "memories",
            user=user,
            scope=scope,
            conversation=conversation,
            session_id=self._session_at[row.session],
            told_by=self._user,
            layer=row.layer,
            category=row.category,
            key=key,
            content=row.content,
            fact_type=row.fact_type,
            section=row.section,
            importance=row.importance,
            source=row.source,
            status=row.status,
            reason=row.reason,
            tags=json.dumps(row.tags, ensure_ascii=False),
            project=row.project,
            source_message_id=source,
            from_message_id=self._message_at[row.from_message],
            to_message_id=self._message_at[row.to_message],
            incorporated=int(row.incorporated),
            said_at=row.said_at,
            created_at=row.created_at,
            updated_at=row.updated_at,
            valid_from=row.valid_from,
            valid_until=row.valid_until,
            expired_at=row.expired_at,
            compared=int(row.compared),
            recall_count=row.recall_count,
            last_recalled_at=row.last_recalled_at,
        )
        if row.task is not None:
            self._task_entries.append((entry_id, row.task))
        return entry_id

    def _is_extracted_twice(self, source: int, row: EntryRow) -> bool:
        """Whether the same fact from the same message is stored already. Only one of both may
        name the message."""
        found = self._connection.execute(
            "SELECT 1 FROM memories WHERE source_message_id = ? AND content = ?",
            (source, row.content),
        ).fetchone()
        return found is not None and row.source == "system" and row.layer == "knowledge"

    def _link(self, row: EntryRow) -> None:
        entry_id = self._entry_at[row.id]
        successor = self._entry_at[row.replaced_by]
        if successor is not None and successor != entry_id:
            self._connection.execute(
                "UPDATE memories SET replaced_by = ? WHERE id = ?", (successor, entry_id)
            )
        self._connection.executemany(
            "INSERT INTO memory_sources (memory_id, source_id) VALUES (?, ?)"
            " ON CONFLICT DO NOTHING",
            [(entry_id, self._entry_at[source]) for source in row.distilled_from],
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
        found = self._connection.execute(
            "SELECT conversation FROM conversation_log WHERE id = ?",
            (self._message_at[row.from_message],),
        ).fetchone()
        return f"{own}#import" if found == (f"{own}#import",) else own

    def _own_name(self, name: str) -> str:
        """A conversation of the document's user as one of the importing user."""
        prefix = f"{self._document.user}/"
        if self._document.user != self._user and name.startswith(prefix):
            return f"{self._user}/{name.removeprefix(prefix)}"
        return name

    def _select(self, query: str) -> list[Any]:
        return self._connection.execute(query, (self._user,)).fetchall()

    def _insert(self, table: str, **values: Any) -> int:
        """Insert a row. ``table`` and the names of ``values`` are constants of this module."""
        columns = ", ".join(values)
        cursor = self._connection.execute(
            f"INSERT INTO {table} ({columns}) VALUES (?{', ?' * (len(values) - 1)}) RETURNING id",
            tuple(values.values()),
        )
        return int(cursor.fetchone()[0])

    def _count(self, what: str, new: int, all_of: int) -> None:
        counted = {what: new, "skipped": self.done.skipped + all_of - new}
        self.done = replace(self.done, **counted)
