"""Exports and imports the whole memory of one user in the format of ``document_format``. Vectors
and text indexes are left out, since they can be made again.

Whatever user a document names, an import stores everything under the scope's own user. Call it in
one write transaction: if it raises, nothing is imported.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from lobug.errors import ImportInvalidError
from lobug.memory.access import visible
from lobug.memory.exchange import document_format, snapshot
from lobug.memory.exchange.document_format import Document
from lobug.memory.exchange.import_ import insert_document
from lobug.memory.exchange.snapshot import SnapshotSession
from lobug.memory.model import HOUSEHOLD, Imported, MemoryScope
from lobug.storage.driver import Connection, driver

ENTRY_COLUMNS = (
    "id, scope, conversation, session_id, layer, category, key, content, fact_type, section,"
    " importance, source, status, reason, tags, project, task_id, source_message_id,"
    " from_message_id, to_message_id, incorporated, said_at, created_at, updated_at, valid_from,"
    " valid_until, expired_at, replaced_by, compared, recall_count, last_recalled_at"
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
        self._user = scope.user
        condition, bound = visible(scope)
        self._entries = f"{condition} AND (m.user <> ? OR m.told_by = ?)"
        self._bound = [*bound, HOUSEHOLD, scope.user]
        own = "WHERE user = ? ORDER BY id"
        self._session_at = self._places(f"SELECT id FROM sessions {own}", [self._user])
        self._message_at = self._places(f"SELECT id FROM conversation_log {own}", [self._user])
        self._task_at = self._places(f"SELECT id FROM project_tasks {own}", [self._user])
        self._entry_at = self._places(
            f"SELECT m.id FROM memories m WHERE {self._entries} ORDER BY m.id", self._bound
        )

    def sessions(self) -> list[dict[str, Any]]:
        found = self._rows(
            "SELECT id, conversation, channel, external_id, started_at, last_active_at, ended_at,"
            " last_consolidated_at, failures, summary FROM sessions WHERE user = ? ORDER BY id",
            [self._user],
        )
        return [row | {"id": self._session_at[row["id"]]} for row in found]

    def messages(self) -> list[dict[str, Any]]:
        found = self._rows(
            "SELECT l.id, l.session_id AS session, l.conversation, l.role, l.content,"
            " l.created_at, l.reply_to, l.speaker, l.summarized, l.forgotten, l.meant,"
            " EXISTS (SELECT 1 FROM background_tasks t WHERE t.kind = 'extract'"
            " AND t.message_id = l.id) AS to_extract"
            " FROM conversation_log l WHERE l.user = ? ORDER BY l.id",
            [self._user],
        )
        for row in found:
            row["id"] = self._message_at[row["id"]]
            row["session"] = self._session_at.get(row["session"])
            row["reply_to"] = self._message_at.get(row["reply_to"])
            for name in ("summarized", "forgotten", "meant", "to_extract"):
                row[name] = bool(row[name])
        return found

    def entries(self) -> list[dict[str, Any]]:
        columns = ", ".join(f"m.{name.strip()}" for name in ENTRY_COLUMNS.split(","))
        found = self._rows(
            f"SELECT {columns}, (SELECT json_group_array(s.source_id) FROM memory_sources s"
            "  WHERE s.memory_id = m.id) AS distilled_from"
            f" FROM memories m WHERE {self._entries} ORDER BY m.id",
            self._bound,
        )
        for row in found:
            sources = json.loads(row["distilled_from"])
            row["id"] = self._entry_at[row["id"]]
            row["session"] = self._session_at.get(row.pop("session_id"))
            row["task"] = self._task_at.get(row.pop("task_id"))
            for name in ("source_message", "from_message", "to_message"):
                row[name] = self._message_at.get(row.pop(f"{name}_id"))
            row["replaced_by"] = self._entry_at.get(row["replaced_by"])
            row["tags"] = json.loads(row["tags"])
            row["incorporated"] = bool(row["incorporated"])
            row["compared"] = bool(row["compared"])
            row["distilled_from"] = sorted(
                self._entry_at[source] for source in sources if source in self._entry_at
            )
        return found

    def projects(self) -> list[dict[str, Any]]:
        return self._rows(
            "SELECT name, description, status, created_at FROM projects WHERE user = ?"
            " ORDER BY name",
            [self._user],
        )

    def tasks(self) -> list[dict[str, Any]]:
        found = self._rows(
            "SELECT id, project, title, status, state, created_at, completed_at, archived_as"
            " FROM project_tasks WHERE user = ? ORDER BY id",
            [self._user],
        )
        return [
            row
            | {
                "id": self._task_at[row["id"]],
                "archived_as": self._entry_at.get(row["archived_as"]),
            }
            for row in found
        ]

    def recalls(self) -> list[dict[str, Any]]:
        found = self._rows(
            "SELECT id, conversation, message_id AS message, query, created_at, took_ms"
            " FROM recalls WHERE user = ? ORDER BY id",
            [self._user],
        )
        hits: dict[int, list[dict[str, Any]]] = {row["id"]: [] for row in found}
        for hit in self._rows(
            "SELECT h.recall_id, h.rank, h.memory_id AS entry, h.message_id AS message, h.score,"
            " h.confidence, h.parts, h.injected FROM recall_hits h"
            " JOIN recalls r ON r.id = h.recall_id WHERE r.user = ? ORDER BY h.recall_id, h.rank",
            [self._user],
        ):
            recall_id = hit.pop("recall_id")
            hit["entry"] = self._entry_at.get(hit["entry"])
            hit["message"] = self._message_at.get(hit["message"])
            hit["parts"] = json.loads(hit["parts"])
            hit["injected"] = bool(hit["injected"])
            if (hit["entry"], hit["message"]) != (None, None):  # others told it
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

    def _places(self, query: str, bound: list[str]) -> Mapping[int | None, int]:
        rows = self._connection.execute(query, bound)
        return {row[0]: place for place, row in enumerate(rows, start=1)}

    def _rows(self, query: str, bound: list[str]) -> list[dict[str, Any]]:
        cursor = self._connection.execute(query, bound)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]
