"""Rows of memories: one for each version of an entry.

A change never overwrites: it inserts a version and makes the old one inactive, linked to it. What
an owner's call reads or writes goes through ``MemoryScope``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from lobug.errors import MemoryNotFoundError
from lobug.language.facts import FactType
from lobug.memory import keys
from lobug.memory.access import visible
from lobug.memory.index import fact_vectors
from lobug.memory.model import (
    Category,
    Entry,
    EntryScope,
    Filter,
    Layer,
    MemoryScope,
    Reason,
    Source,
    Status,
)
from lobug.storage.driver import Connection

MAX_ID = 2**63 - 1
"""The largest id that SQLite knows."""

COLUMNS = (
    "id, key, content, layer, category, scope, user, conversation, session_id, fact_type, section,"
    " importance, source, status, reason, tags, project, task_id, said_at, created_at, updated_at,"
    " valid_from, valid_until, expired_at, replaced_by, source_message_id, from_message_id,"
    " to_message_id, recall_count, last_recalled_at"
)
SELECT = "SELECT " + ", ".join(f"m.{name.strip()}" for name in COLUMNS.split(","))
TAGS = 15
"""Position of ``tags`` in COLUMNS, and in ``Entry``."""


@dataclass(frozen=True, slots=True)
class NewVersion:
    """What a row is inserted from; what is missing in it the database fills in."""

    user: str
    """Whom it is stored under: ``MemoryScope.stored_under``."""
    told_by: str
    content: str
    key: str
    source: Source
    said_at: float
    now: float
    scope: EntryScope = "user"
    conversation: str | None = None
    session_id: int | None = None
    layer: Layer = "knowledge"
    category: Category = "knowledge"
    fact_type: FactType = "knowledge"
    section: str | None = None
    importance: float = 0.5
    tags: tuple[str, ...] = ()
    project: str | None = None
    task_id: int | None = None
    source_message_id: int | None = None
    from_message_id: int | None = None
    to_message_id: int | None = None
    created_at: float | None = None
    valid_from: float | None = None
    compared: bool = False


def entry_of(row: Sequence[Any]) -> Entry:
    """The entry in a row of ``COLUMNS``."""
    values = list(row)
    values[TAGS] = tuple(json.loads(values[TAGS]))
    return Entry(*values)


def tags_json(tags: Sequence[str]) -> str:
    """Tags as the column holds them."""
    return json.dumps(list(tags), ensure_ascii=False)


def insert(connection: Connection, new: NewVersion) -> int:
    """Insert a version. Returns its id. The key must be free (``free_key``)."""
    cursor = connection.execute(
        "INSERT INTO memories (user, told_by, scope, conversation, session_id, layer, category,"
        " key, content, fact_type, section, importance, source, tags, project, task_id,"
        " source_message_id, from_message_id, to_message_id, said_at, created_at, updated_at,"
        " valid_from, compared)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " RETURNING id",
        (
            new.user,
            new.told_by,
            new.scope,
            new.conversation,
            new.session_id,
            new.layer,
            new.category,
            new.key,
            new.content,
            new.fact_type,
            new.section,
            new.importance,
            new.source,
            tags_json(new.tags),
            new.project,
            new.task_id,
            new.source_message_id,
            new.from_message_id,
            new.to_message_id,
            new.said_at,
            new.now if new.created_at is None else new.created_at,
            new.now,
            new.said_at if new.valid_from is None else new.valid_from,
            int(new.compared),
        ),
    )
    return int(cursor.fetchone()[0])


def free_key(
    connection: Connection, user: str, scope: EntryScope, conversation: str | None, wanted: str
) -> str:
    """``wanted``, or it with the first number that no active entry of the scope has."""
    key, number = wanted, 1
    while active_key(connection, user, scope, conversation, key) is not None:
        number += 1
        key = keys.numbered(wanted, number)
    return key


def active_key(
    connection: Connection, user: str, scope: EntryScope, conversation: str | None, key: str
) -> int | None:
    """The id of the active entry that has a key in a scope."""
    row = connection.execute(
        "SELECT id FROM memories WHERE user = ? AND status = 'active' AND key = ?"
        " AND iif(scope = 'conversation', conversation, '') = ?",
        (user, key, (conversation or "") if scope == "conversation" else ""),
    ).fetchone()
    return None if row is None else int(row[0])


def find(connection: Connection, scope: MemoryScope, entry_id: int) -> Entry:
    """A version that the access may see. Raises MemoryNotFoundError."""
    condition, parameters = visible(scope)
    row = None
    if 0 < entry_id <= MAX_ID:
        row = connection.execute(
            f"{SELECT} FROM memories m WHERE m.id = ? AND {condition}", (entry_id, *parameters)
        ).fetchone()
    if row is None:
        raise MemoryNotFoundError(f"there is no memory {entry_id}")
    return entry_of(row)


def find_key(connection: Connection, scope: MemoryScope, key: str) -> Entry:
    """The active entry of a key, the narrowest scope first. Raises MemoryNotFoundError."""
    condition, parameters = visible(scope)
    row = connection.execute(
        f"{SELECT} FROM memories m WHERE m.key = ? AND m.status = 'active' AND {condition}"
        " ORDER BY CASE m.scope WHEN 'conversation' THEN 0 WHEN 'user' THEN 1 ELSE 2 END LIMIT 1",
        (key, *parameters),
    ).fetchone()
    if row is None:
        raise MemoryNotFoundError(f"there is no memory under the key {key}")
    return entry_of(row)


def condition(scope: MemoryScope, where: Filter) -> tuple[str, list[Any]]:
    """The SQL condition of a filter, the access included, over ``memories m``."""
    sql, bound = visible(scope)
    parts: list[str] = [sql]
    parameters: list[Any] = list(bound)
    for column, value in (
        ("layer", where.layer),
        ("category", where.category),
        ("scope", where.scope),
        ("status", None if where.status == "believed" else where.status),
        ("project", where.project),
    ):
        if value is not None:
            parts.append(f"m.{column} = ?")
            parameters.append(value)
    if where.status == "believed":
        parts.append("m.status <> 'inactive'")
    for tag in where.tags:
        parts.append("EXISTS (SELECT 1 FROM json_each(m.tags) t WHERE t.value = ?)")
        parameters.append(tag)
    if where.since is not None:
        parts.append("m.said_at >= ?")
        parameters.append(where.since)
    if where.until is not None:
        parts.append("m.said_at < ?")
        parameters.append(where.until)
    return " AND ".join(parts), parameters


def listed(
    connection: Connection, scope: MemoryScope, where: Filter, *, limit: int, after_id: int
) -> list[Entry]:
    """Entries in the order of their ids."""
    sql, parameters = condition(scope, where)
    rows = connection.execute(
        f"{SELECT} FROM memories m WHERE m.id > ? AND {sql} ORDER BY m.id LIMIT ?",
        (max(0, min(after_id, MAX_ID)), *parameters, max(0, min(limit, MAX_ID))),
    )
    return [entry_of(row) for row in rows]


EVERYTHING = Filter(status=None)
"""The filter that every version passes."""


def by_ids(
    connection: Connection, scope: MemoryScope, ids: Iterable[int], where: Filter = EVERYTHING
) -> dict[int, Entry]:
    """The entries of these ids that the access may see and the filter lets through."""
    sql, parameters = condition(scope, where)
    rows = connection.execute(
        f"{SELECT} FROM memories m WHERE m.id IN (SELECT value FROM json_each(?)) AND {sql}",
        (json.dumps(list(ids)), *parameters),
    )
    return {entry.id: entry for entry in map(entry_of, rows)}


def versions(connection: Connection, scope: MemoryScope, entry_id: int) -> list[Entry]:
    """All versions of an entry, oldest first: what it replaced and what replaced it, one step after
    the other. Raises MemoryNotFoundError."""
    find(connection, scope, entry_id)
    ids = connection.execute(
        "WITH RECURSIVE chain (id) AS (SELECT ?1 UNION"
        " SELECT m.id FROM memories m JOIN chain c ON m.replaced_by = c.id UNION"
        " SELECT m.replaced_by FROM memories m JOIN chain c ON m.id = c.id"
        "  WHERE m.replaced_by IS NOT NULL)"
        " SELECT id FROM chain",
        (entry_id,),
    ).fetchall()
    found = by_ids(connection, scope, (row[0] for row in ids))
    return [found[known] for known in sorted(found)]


def sources(connection: Connection, entry_id: int) -> tuple[int, ...]:
    """The ids of the entries that one was distilled from."""
    rows = connection.execute(
        "SELECT source_id FROM memory_sources WHERE memory_id = ? ORDER BY source_id", (entry_id,)
    )
    return tuple(row[0] for row in rows)


def remove(connection: Connection, entry_id: int) -> None:
    """Delete a version with its vectors; what it replaced is linked to what replaced it."""
    connection.execute(
        "UPDATE memories SET replaced_by = (SELECT replaced_by FROM memories WHERE id = ?1)"
        " WHERE replaced_by = ?1",
        (entry_id,),
    )
    fact_vectors.remove(connection, entry_id)
    connection.execute("DELETE FROM memories WHERE id = ?", (entry_id,))


def rewrite(connection: Connection, entry_id: int, content: str) -> int:
    """Put a row with another content in a version's place, with all its links, so that whatever was
    made from the old content goes with the old row. Returns the new id."""
    names = [
        row[0]
        for row in connection.execute("SELECT name FROM pragma_table_info('memories')")
        if row[0] not in ("id", "content")
    ]
    columns = ", ".join(names)
    kept = connection.execute(
        f"SELECT {columns} FROM memories WHERE id = ?", (entry_id,)
    ).fetchone()
    links = connection.execute(
        "SELECT memory_id, source_id FROM memory_sources WHERE ? IN (memory_id, source_id)",
        (entry_id,),
    ).fetchall()
    linked = {
        "UPDATE memories SET replaced_by = ? WHERE id = ?": "memories WHERE replaced_by = ?",
        "UPDATE project_tasks SET archived_as = ? WHERE id = ?": "project_tasks WHERE archived_as"
        " = ?",
    }
    known = {
        change: connection.execute(f"SELECT id FROM {where}", (entry_id,)).fetchall()
        for change, where in linked.items()
    }
    fact_vectors.remove(connection, entry_id)
    connection.execute("DELETE FROM memories WHERE id = ?", (entry_id,))
    new_id = int(
        connection.execute(
            f"INSERT INTO memories (content, {columns})"
            f" VALUES (?{', ?' * len(names)}) RETURNING id",
            (content, *kept),
        ).fetchone()[0]
    )
    for change, rows in known.items():
        connection.executemany(change, [(new_id, row[0]) for row in rows])
    connection.executemany(
        "INSERT INTO memory_sources (memory_id, source_id) VALUES (?, ?)",
        [tuple(new_id if known == entry_id else known for known in link) for link in links],
    )
    return new_id


def no_longer_believed(
    connection: Connection, user: str, message_ids: Iterable[int], *, past: bool
) -> set[int]:
    """Which of these messages told a fact that was put right, taken away or said anew since, or
    that is true no more (``past``: those may answer). What else they told has entries of its own.
    """
    rows = connection.execute(
        "SELECT DISTINCT m.source_message_id FROM memories m"
        " LEFT JOIN memories newer ON newer.id = m.replaced_by"
        " WHERE m.user = ? AND m.source_message_id IN (SELECT value FROM json_each(?))"
        " AND (m.reason IN ('corrected', 'edited', 'removed')"
        " OR (NOT ? AND (m.reason = 'superseded'"
        " OR (m.reason = 'duplicate' AND newer.source_message_id > m.source_message_id))))"
        # What the words themselves told is its first version; restored, it is believed again.
        " AND NOT EXISTS (SELECT 1 FROM memories first WHERE first.replaced_by = m.id"
        " AND first.source_message_id = m.source_message_id)"
        " AND NOT EXISTS (SELECT 1 FROM memories a WHERE a.user = m.user AND a.status = 'active'"
        " AND a.source_message_id = m.source_message_id AND a.content = m.content)",
        (user, json.dumps(list(message_ids)), int(past)),
    )
    return {int(row[0]) for row in rows}


def retire(
    connection: Connection,
    entry_id: int,
    *,
    status: Status,
    reason: Reason,
    now: float,
    replaced_by: int | None = None,
    valid_until: float | None = None,
) -> None:
    """Let a version be active no more. What is inactive leaves the vector indexes; what is past
    stays in them, since questions about the past find it."""
    if status == "inactive":
        fact_vectors.remove(connection, entry_id)
    connection.execute(
        "UPDATE memories SET status = ?, reason = ?, expired_at = ?,"
        " replaced_by = coalesce(?, replaced_by), valid_until = coalesce(?, valid_until)"
        " WHERE id = ?",
        (status, reason, now, replaced_by, valid_until, entry_id),
    )


def count(connection: Connection, user: str, layer: Layer) -> int:
    """Active entries of a layer."""
    row = connection.execute(
        "SELECT count(*) FROM memories WHERE user = ? AND layer = ? AND status = 'active'",
        (user, layer),
    ).fetchone()
    return int(row[0])
