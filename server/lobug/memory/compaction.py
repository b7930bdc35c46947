"""Compaction."""

from __future__ import annotations

from lobug.memory.driver import Connection


def note(connection: Connection, now: float) -> None:
    """Note that the file is to be rebuilt. A row of its own each time: what works on the one before
    may have seen less than what is erased now."""
    connection.execute("DELETE FROM background_tasks WHERE kind = 'compact'")
    connection.execute(
        "INSERT INTO background_tasks (kind, user, state, next_attempt_at, created_at)"
        " VALUES ('compact', '', 'pending', ?, ?)",
        (now, now),
    )
