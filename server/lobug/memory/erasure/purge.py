"""Purges a session, a user, or what is old: the rows are deleted, whatever they say.

Call each function in one write transaction and within ``TurnPriority.exclusive()``.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence

from lobug.errors import MemoryContentError, MemoryNotFoundError
from lobug.memory import entries, session_summary
from lobug.memory.erasure import deletion
from lobug.memory.erasure.deletion import Erasure
from lobug.memory.model import Forgotten, MemoryScope, Purge
from lobug.storage import compaction
from lobug.storage.driver import Connection

DAY_S = 86_400.0


def purge(connection: Connection, scope: MemoryScope, what: Purge, now: float) -> Forgotten:
    """Erase a session, everything of the scope's user, or what is older. What the user told the
    household belongs to the household and stays; it can be forgotten entry by entry.

    Raises MemoryNotFoundError for a session of another user, MemoryContentError unless exactly one
    thing is asked for.
    """
    asked = (what.session is not None) + what.user + (what.older_than_days is not None)
    if asked != 1:
        raise MemoryContentError("a purge erases a session, a user, or what is older: one of them")
    if what.session is not None:
        return purge_session(connection, scope, what.session, now)
    if what.older_than_days is not None:
        if not 0.0 <= what.older_than_days < math.inf:  # NaN too
            raise MemoryContentError("older_than_days is a number of days, 0 or more")
        return purge_older(connection, scope.user, now - what.older_than_days * DAY_S, now)
    return purge_user(connection, scope.user, now)


def purge_session(
    connection: Connection, scope: MemoryScope, session_id: int, now: float
) -> Forgotten:
    """Erase a session: its messages, the entries made in it, the summaries that cover any of it
    (the rest of those will be summarized again), and what was distilled from these. Raises
    MemoryNotFoundError."""
    row = None
    if 0 < session_id <= entries.MAX_ID:
        row = connection.execute(
            "SELECT conversation, started_at, last_active_at FROM sessions"
            " WHERE id = ? AND user = ?",
            (session_id, scope.user),
        ).fetchone()
    if row is None:
        raise MemoryNotFoundError(f"there is no session {session_id}")
    messages = _ids(connection, "SELECT id FROM conversation_log WHERE session_id = ?", session_id)
    erasure = Erasure(connection, scope, now)
    erasure.add_messages(messages)
    for entry_id in _ids(
        connection,
        "SELECT id FROM memories WHERE user = ?2 AND (session_id = ?1 OR source_message_id IN"
        " (SELECT id FROM conversation_log WHERE session_id = ?1)) ORDER BY id",
        session_id,
        scope.user,
    ):
        erasure.entry(entry_id)
    gone = erasure.finish(())
    _delete_messages(connection, messages)
    connection.execute(
        "DELETE FROM recalls WHERE user = ? AND conversation = ? AND message_id IS NULL"
        " AND created_at BETWEEN ? AND ?",
        (scope.user, *row),
    )
    connection.execute("UPDATE memories SET session_id = NULL WHERE session_id = ?", (session_id,))
    connection.execute("DELETE FROM sessions WHERE id = ?", (session_id,))
    compaction.note(connection, now)
    return gone


def purge_user(connection: Connection, user: str, now: float) -> Forgotten:
    """Erase everything of a user."""
    rows = connection.execute(
        "SELECT id, key FROM memories WHERE user = ? ORDER BY id", (user,)
    ).fetchall()
    messages = _ids(connection, "SELECT id FROM conversation_log WHERE user = ?", user)
    connection.execute("DELETE FROM background_tasks WHERE user = ?", (user,))
    connection.execute("DELETE FROM recalls WHERE user = ?", (user,))
    connection.execute("UPDATE project_tasks SET archived_as = NULL WHERE user = ?", (user,))
    for entry_id, _ in rows:
        entries.remove(connection, entry_id)
    connection.execute("DELETE FROM project_tasks WHERE user = ?", (user,))
    connection.execute("DELETE FROM projects WHERE user = ?", (user,))
    _delete_messages(connection, messages)
    connection.execute(
        "UPDATE memories SET session_id = NULL WHERE session_id IN"
        " (SELECT id FROM sessions WHERE user = ?)",
        (user,),
    )
    connection.execute("DELETE FROM sessions WHERE user = ?", (user,))
    compaction.note(connection, now)
    return Forgotten(
        entries=tuple(row[0] for row in rows),
        keys=tuple(dict.fromkeys(row[1] for row in rows)),
        messages=len(messages),
    )


def purge_older(connection: Connection, user: str, cutoff: float, now: float) -> Forgotten:
    """Erase a user's messages, recalls and timeline entries from before ``cutoff`` (seconds
    since the epoch), and the sessions that are then empty. Facts stay, without the words they
    came from. If a summary reaches over the cutoff, its later messages will be summarized again."""
    messages = _ids(
        connection,
        "SELECT id FROM conversation_log WHERE user = ? AND created_at < ?",
        user,
        cutoff,
    )
    old = connection.execute(
        "SELECT id, key, session_id, conversation, from_message_id, to_message_id FROM memories"
        " WHERE user = ? AND category = 'timeline' AND said_at < ? ORDER BY id",
        (user, cutoff),
    ).fetchall()
    for entry_id, *_ in old:
        entries.remove(connection, entry_id)
    connection.execute("DELETE FROM recalls WHERE user = ? AND created_at < ?", (user, cutoff))
    _delete_messages(connection, messages)
    for session_id in {row[2] for row in old if row[2] is not None}:
        session_summary.refresh(connection, session_id)
    for *_, conversation, first, last in old:
        if conversation is not None and first is not None and last is not None:
            deletion.reopen(connection, user, conversation, first, last, now)
    connection.execute(
        "DELETE FROM sessions WHERE user = ? AND last_active_at < ? AND NOT EXISTS"
        " (SELECT 1 FROM conversation_log l WHERE l.session_id = sessions.id)",
        (user, cutoff),
    )
    gone = Forgotten(
        entries=tuple(row[0] for row in old),
        keys=tuple(dict.fromkeys(row[1] for row in old)),
        messages=len(messages),
    )
    if gone != Forgotten():
        compaction.note(connection, now)
    return gone


def _ids(connection: Connection, query: str, *parameters: object) -> list[int]:
    rows: Iterable[Sequence[int]] = connection.execute(query, parameters)
    return [row[0] for row in rows]


def _delete_messages(connection: Connection, ids: Sequence[int]) -> None:
    """Delete messages and the rows that depend on them. Entries made from them lose their
    source."""
    wanted = (json.dumps(list(ids)),)
    for change in (
        "DELETE FROM background_tasks WHERE message_id IN",
        "UPDATE memories SET source_message_id = NULL WHERE source_message_id IN",
        "UPDATE conversation_log SET reply_to = NULL WHERE reply_to IN",
        "DELETE FROM conversation_log WHERE id IN",
    ):
        connection.execute(f"{change} (SELECT value FROM json_each(?))", wanted)
