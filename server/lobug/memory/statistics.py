"""Counts: those of one user for the owner, and those of ``/health``, which are kept in the process
so that reading them does no I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from lobug.memory import facts, identity, log, timeline
from lobug.memory.index.fact_vectors import VectorIndex
from lobug.memory.jobs import queue
from lobug.memory.model import HOUSEHOLD, MemoryScope, MemoryStats, RememberedUser
from lobug.storage.driver import Connection

USER_COUNTS = """
SELECT (SELECT count(*) FROM conversation_log WHERE user = ?1 AND forgotten = 0),
       (SELECT count(*) FROM sessions WHERE user = ?1),
       (SELECT count(*) FROM projects WHERE user = ?1),
       (SELECT count(*) FROM project_tasks WHERE user = ?1),
       (SELECT count(*) FROM recalls WHERE user = ?1),
       (SELECT count(*) FROM background_tasks WHERE user = ?1)
"""


USERS = """
WITH everybody (user) AS (SELECT user FROM conversation_log UNION
                          SELECT user FROM memories WHERE user <> ?)
SELECT e.user,
       (SELECT count(*) FROM memories m WHERE m.user = e.user AND m.status <> 'inactive'),
       (SELECT count(*) FROM conversation_log l WHERE l.user = e.user AND l.forgotten = 0),
       (SELECT count(*) FROM sessions s WHERE s.user = e.user),
       (SELECT max(at) FROM (SELECT max(created_at) AS at FROM conversation_log l
                             WHERE l.user = e.user UNION ALL
                             SELECT max(updated_at) FROM memories m WHERE m.user = e.user))
           AS last_active_at
FROM everybody e ORDER BY last_active_at DESC, e.user
"""


def of_user(
    connection: Connection, scope: MemoryScope, identity_limit: int, path: Path
) -> Mapping[str, Any]:
    """Counts of what is kept of a user, and the size of the whole file, bytes."""
    counts = connection.execute(USER_COUNTS, (scope.user,)).fetchone()
    names = ("messages", "sessions", "projects", "tasks", "recalls", "background_tasks")
    by_layer = connection.execute(
        "SELECT layer, status, count(*) FROM memories WHERE user = ? GROUP BY layer, status",
        (scope.user,),
    ).fetchall()
    entries: dict[str, dict[str, int]] = {}
    for layer, status, number in by_layer:
        entries.setdefault(layer, {})[status] = number
    known = identity.identity(connection, scope, identity_limit)
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_size,) = connection.execute("PRAGMA page_size").fetchone()
    return {
        "user": scope.user,
        **dict(zip(names, counts, strict=True)),
        "entries": entries,
        "identity": {
            "characters": known.characters,
            "limit": known.limit,
            "used_percent": known.used_percent,
        },
        "database": {"path": str(path), "bytes": pages * page_size},
    }


def users(connection: Connection) -> Sequence[RememberedUser]:
    """All users of whom anything is kept, last active first; without the household."""
    rows = connection.execute(USERS, (HOUSEHOLD,))
    return [RememberedUser(*row) for row in rows]


class Counter:
    """The counts of ``/health``. Changed on the database's writer thread."""

    def __init__(self) -> None:
        self.stats = MemoryStats()
        self._users: set[str] = set()

    def count_all(self, connection: Connection, index: VectorIndex | None) -> MemoryStats:
        """Count everything; ``index`` is that of the present embedding model."""
        self._users = log.users(connection)
        self.stats = replace(self.stats, messages=log.count(connection), users=len(self._users))
        return self.count_entries(connection, index)

    def count_entries(self, connection: Connection, index: VectorIndex | None) -> MemoryStats:
        """Count what background work changes."""
        counted = queue.counts(connection)
        return replace(
            self.stats,
            facts=facts.count(connection),
            summaries=timeline.count(connection),
            pending_tasks=counted.pending,
            parked_tasks=counted.parked,
            embedding_backlog=facts.count_unembedded(connection, index),
        )

    def publish(self, stats: MemoryStats) -> None:
        """Set the counts, after the counted transaction was committed."""
        self.stats = stats

    def count_turn(self, user: str, *, messages: int, tasks: int) -> None:
        """Add the messages and background tasks of a turn. Counting the tasks in the database each
        time would cost more the more there are."""
        self._users.add(user)
        self.stats = replace(
            self.stats,
            messages=self.stats.messages + messages,
            users=len(self._users),
            pending_tasks=max(0, self.stats.pending_tasks + tasks),
        )
