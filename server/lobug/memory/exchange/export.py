"""Exports and imports the whole memory of one user in the format of ``document_format``. Vectors
and text indexes are left out, since they can be made again.

Whatever user a document names, an import stores everything under the scope's own user. Call it in
one write transaction: if it raises, nothing is imported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Select, bindparam, exists, or_, select

from lobug.errors import ImportInvalidError
from lobug.memory import entries
from lobug.memory.access import VISIBLE, seen_by
from lobug.memory.exchange import document_format, snapshot
from lobug.memory.exchange.document_format import Document
from lobug.memory.exchange.import_ import insert_document
from lobug.memory.exchange.snapshot import SnapshotSession
from lobug.memory.model import HOUSEHOLD, Imported, MemoryScope
from lobug.storage.driver import Connection, driver
from lobug.storage.statements import run
from lobug.storage.tables import (
    background_tasks,
    conversation_log,
    memories,
    project_tasks,
    projects,
    recall_hits,
    recalls,
    sessions,
)

ENTRY_COLUMNS = (
    "id scope conversation session_id layer category key content fact_type section importance"
    " source status reason tags project task_id source_message_id from_message_id to_message_id"
    " incorporated said_at created_at updated_at valid_from valid_until expired_at replaced_by"
    " compared recall_count last_recalled_at"
).split()

_log, _tasks, _hits = conversation_log.c, project_tasks.c, recall_hits.c
SESSIONS = (
    select(
        sessions.c.id,
        sessions.c.conversation,
        sessions.c.channel,
        sessions.c.external_id,
        sessions.c.started_at,
        sessions.c.last_active_at,
        sessions.c.ended_at,
        sessions.c.last_consolidated_at,
        sessions.c.failures,
        sessions.c.summary,
    )
    .where(sessions.c.user == bindparam("seen_user"))
    .order_by(sessions.c.id)
)
MESSAGES = (
    select(
        _log.id,
        _log.session_id.label("session"),
        _log.conversation,
        _log.role,
        _log.content,
        _log.created_at,
        _log.reply_to,
        _log.speaker,
        _log.summarized,
        _log.forgotten,
        _log.meant,
        exists(
            select(1).where(
                background_tasks.c.kind == "extract", background_tasks.c.message_id == _log.id
            )
        ).label("to_extract"),
    )
    .where(_log.user == bindparam("seen_user"))
    .order_by(_log.id)
)
ENTRIES = (
    select(*(memories.c[name] for name in ENTRY_COLUMNS))
    .where(VISIBLE, or_(memories.c.user != HOUSEHOLD, memories.c.told_by == bindparam("seen_user")))
    .order_by(memories.c.id)
)
PROJECTS = (
    select(projects.c.name, projects.c.description, projects.c.status, projects.c.created_at)
    .where(projects.c.user == bindparam("seen_user"))
    .order_by(projects.c.name)
)
TASKS = (
    select(
        _tasks.id,
        _tasks.project,
        _tasks.title,
        _tasks.status,
        _tasks.state,
        _tasks.created_at,
        _tasks.completed_at,
        _tasks.archived_as,
    )
    .where(_tasks.user == bindparam("seen_user"))
    .order_by(_tasks.id)
)
RECALLS = (
    select(
        recalls.c.id,
        recalls.c.conversation,
        recalls.c.message_id.label("message"),
        recalls.c.query,
        recalls.c.created_at,
        recalls.c.took_ms,
    )
    .where(recalls.c.user == bindparam("seen_user"))
    .order_by(recalls.c.id)
)
HITS = (
    select(
        _hits.recall_id,
        _hits.rank,
        _hits.memory_id.label("entry"),
        _hits.message_id.label("message"),
        _hits.score,
        _hits.confidence,
        _hits.parts,
        _hits.injected,
    )
    .join(recalls, recalls.c.id == _hits.recall_id)
    .where(recalls.c.user == bindparam("seen_user"))
    .order_by(_hits.recall_id, _hits.rank)
)

Parsed = Document | Sequence[SnapshotSession]


def export(connection: Connection, scope: MemoryScope, now: float) -> dict[str, Any]:
    """The whole memory of the scope's user. Imported into an empty database it exports as the same
    document, except for ``exported_at``. Of the household's memories it holds those that the user
    told, if the scope may see the household's.

    Reads one state of the database, even while others write.
    """
    own = not connection.in_transaction
    if own:
        connection.execute("BEGIN")
    try:
        exporting = _Exporting(connection, scope)
        return {
            "format": document_format.FORMAT,
            "version": document_format.VERSION,
            "exported_at": now,
            "user": scope.user,
            "sessions": exporting.sessions(),
            "messages": exporting.messages(),
            "entries": exporting.entries(),
            "projects": exporting.projects(),
            "tasks": exporting.tasks(),
            "recalls": exporting.recalls(),
        }
    finally:
        if own:
            connection.execute("COMMIT")


def parse(document: object) -> Parsed:
    """The content of a document, checked without a database. Raises ImportInvalidError."""
    if snapshot.is_snapshot(document):
        return snapshot.parse(document)
    return document_format.checked(document)


def import_document(
    connection: Connection,
    scope: MemoryScope,
    document: object,
    now: float,
    *,
    identity_chars: int | None = None,
) -> Imported:
    """Import an export, or a snapshot of sessions. What is there already is skipped, so a second
    import changes nothing. Imported lines of layer identity that do not fit into ``identity_chars``
    go to layer knowledge.

    Raises ImportInvalidError.
    """
    return import_parsed(connection, scope, parse(document), now, identity_chars=identity_chars)


def import_parsed(
    connection: Connection,
    scope: MemoryScope,
    parsed: Parsed,
    now: float,
    *,
    identity_chars: int | None = None,
) -> Imported:
    """``import_document`` for the result of ``parse``."""
    try:
        if isinstance(parsed, Document):
            return insert_document(connection, scope, parsed, now, identity_chars=identity_chars)
        return snapshot.insert_sessions(connection, scope.user, parsed, now)
    except driver().IntegrityError as error:
        raise ImportInvalidError("the document contradicts itself") from error
    except OverflowError as error:
        raise ImportInvalidError("a number of the document is too large") from error


class _Exporting:
    """Collects rows in the order of their ids, with positions instead of ids."""

    def __init__(self, connection: Connection, scope: MemoryScope) -> None:
        self._connection = connection
        self._scope = scope
        self._session_at = self._places(SESSIONS)
        self._message_at = self._places(MESSAGES)
        self._task_at = self._places(TASKS)
        self._entry_at = self._places(ENTRIES)

    def sessions(self) -> list[dict[str, Any]]:
        return [row | {"id": self._session_at[row["id"]]} for row in self._rows(SESSIONS)]

    def messages(self) -> list[dict[str, Any]]:
        found = self._rows(MESSAGES)
        for row in found:
            row["id"] = self._message_at[row["id"]]
            row["session"] = self._session_at.get(row["session"])
            row["reply_to"] = self._message_at.get(row["reply_to"])
            row["to_extract"] = bool(row["to_extract"])
        return found

    def entries(self) -> list[dict[str, Any]]:
        found = self._rows(ENTRIES)
        for row in found:
            sources = entries.sources(self._connection, row["id"])
            row["id"] = self._entry_at[row["id"]]
            row["distilled_from"] = sorted(
                self._entry_at[source] for source in sources if source in self._entry_at
            )
            row["session"] = self._session_at.get(row.pop("session_id"))
            row["task"] = self._task_at.get(row.pop("task_id"))
            for name in ("source_message", "from_message", "to_message"):
                row[name] = self._message_at.get(row.pop(f"{name}_id"))
            row["replaced_by"] = self._entry_at.get(row["replaced_by"])
            row["tags"] = list(row["tags"])
        return found

    def projects(self) -> list[dict[str, Any]]:
        return self._rows(PROJECTS)

    def tasks(self) -> list[dict[str, Any]]:
        found = self._rows(TASKS)
        return [
            row
            | {
                "id": self._task_at[row["id"]],
                "archived_as": self._entry_at.get(row["archived_as"]),
            }
            for row in found
        ]

    def recalls(self) -> list[dict[str, Any]]:
        found = self._rows(RECALLS)
        hits: dict[int, list[dict[str, Any]]] = {row["id"]: [] for row in found}
        for hit in self._rows(HITS):
            recall_id = hit.pop("recall_id")
            hit["entry"] = self._entry_at.get(hit["entry"])
            hit["message"] = self._message_at.get(hit["message"])
            hit["parts"] = json.loads(hit["parts"])
            if (hit["entry"], hit["message"]) != (None, None):  # else: what others told
                hits[recall_id].append(hit)
        return [
            row
            | {
                "id": place,
                "message": self._message_at.get(row["message"]),
                "hits": hits[row["id"]],
            }
            for place, row in enumerate(found, start=1)
        ]

    def _places(self, statement: Select[*tuple[Any, ...]]) -> Mapping[int | None, int]:
        rows = run(self._connection, statement, **seen_by(self._scope))
        return {row.id: place for place, row in enumerate(rows, start=1)}

    def _rows(self, statement: Select[*tuple[Any, ...]]) -> list[dict[str, Any]]:
        rows = run(self._connection, statement, **seen_by(self._scope))
        return [row._asdict() for row in rows]
