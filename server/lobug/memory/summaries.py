"""Rows of summaries and of base memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lobug.memory.driver import Connection
from lobug.memory.marking import mark_once


@dataclass(frozen=True, slots=True)
class Summary:
    """A stretch of one conversation in a few sentences."""

    id: int
    conversation: str
    content: str
    source_from_id: int
    source_to_id: int
    """First and last message of the stretch."""
    created_at: float


def insert(
    connection: Connection,
    user: str,
    conversation: str,
    content: str,
    *,
    source_from_id: int,
    source_to_id: int,
    now: float,
) -> None:
    """Store a summary."""
    connection.execute(
        "INSERT INTO memory_summaries"
        " (user, conversation, content, source_from_id, source_to_id, created_at)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (user, conversation, content, source_from_id, source_to_id, now),
    )


def count(connection: Connection) -> int:
    """All summaries."""
    return int(connection.execute("SELECT count(*) FROM memory_summaries").fetchone()[0])


def count_unincorporated(connection: Connection, user: str) -> int:
    """Summaries of a user that base memory does not hold yet."""
    row = connection.execute(
        "SELECT count(*) FROM memory_summaries WHERE user = ? AND incorporated = 0", (user,)
    ).fetchone()
    return int(row[0])


def last_to_incorporate(connection: Connection, user: str, keep: int) -> int | None:
    """The id of the newest unincorporated summary but ``keep``; None: there are no more."""
    row = connection.execute(
        "SELECT id FROM memory_summaries WHERE user = ? AND incorporated = 0"
        " ORDER BY id DESC LIMIT 1 OFFSET ?",
        (user, keep),
    ).fetchone()
    return None if row is None else int(row[0])


def unincorporated(connection: Connection, user: str, up_to_id: int) -> list[Summary]:
    """The unincorporated summaries of a user up to an id, oldest first."""
    rows = connection.execute(
        "SELECT id, conversation, content, source_from_id, source_to_id, created_at"
        " FROM memory_summaries WHERE user = ? AND incorporated = 0 AND id <= ? ORDER BY id",
        (user, up_to_id),
    )
    return [Summary(*row) for row in rows]


def mark_incorporated(connection: Connection, user: str, ids: Sequence[int]) -> bool:
    """Mark summaries as taken into base memory. False, and nothing is marked, when some were
    already: then nothing must be stored."""
    return mark_once(connection, "memory_summaries", "incorporated", user, ids)


def users_over(connection: Connection, threshold: int) -> list[str]:
    """Users with at least so many unincorporated summaries."""
    rows = connection.execute(
        "SELECT user FROM memory_summaries WHERE incorporated = 0"
        " GROUP BY user HAVING count(*) >= ?",
        (threshold,),
    )
    return [row[0] for row in rows]


def base_memory(connection: Connection, user: str) -> str:
    """The user's base memory; empty when there is none."""
    row = connection.execute("SELECT content FROM memory_base WHERE user = ?", (user,)).fetchone()
    return "" if row is None else str(row[0])


def set_base_memory(connection: Connection, user: str, content: str, now: float) -> None:
    """Overwrite the user's base memory."""
    connection.execute(
        "INSERT INTO memory_base (user, content, updated_at) VALUES (?, ?, ?)"
        " ON CONFLICT (user) DO UPDATE SET content = excluded.content,"
        " updated_at = excluded.updated_at",
        (user, content, now),
    )
