"""The counts of ``/health``, kept in the process so that reading them costs nothing."""

from __future__ import annotations

from dataclasses import replace

from lobug.memory.base import MemoryStats
from lobug.memory.history import log
from lobug.memory.knowledge import facts, timeline
from lobug.memory.knowledge.vectors import VectorIndex
from lobug.memory.storage.driver import Connection
from lobug.memory.work import tasks


class Counter:
    """Counts as last known. Changed by whoever changes the database, on the writer's thread."""

    def __init__(self) -> None:
        self.stats = MemoryStats()
        self._users: set[str] = set()

    def count_all(self, connection: Connection, index: VectorIndex | None) -> MemoryStats:
        """Count everything anew; ``index`` is that of the present embedding model."""
        self._users = log.users(connection)
        self.stats = replace(self.stats, messages=log.count(connection), users=len(self._users))
        return self.count_entries(connection, index)

    def count_entries(self, connection: Connection, index: VectorIndex | None) -> MemoryStats:
        """Count anew what background work changes."""
        counted = tasks.counts(connection)
        return replace(
            self.stats,
            facts=facts.count(connection),
            summaries=timeline.count(connection),
            pending_tasks=counted.pending,
            parked_tasks=counted.parked,
            embedding_backlog=facts.count_unembedded(connection, index),
        )

    def take(self, stats: MemoryStats) -> None:
        """These are the counts, now that what was counted is committed."""
        self.stats = stats

    def said(self, user: str, *, messages: int, tasks: int) -> None:
        """A turn has logged so many messages and noted so many tasks. Counting the tasks each time
        would cost more the more there are."""
        self._users.add(user)
        self.stats = replace(
            self.stats,
            messages=self.stats.messages + messages,
            users=len(self._users),
            pending_tasks=max(0, self.stats.pending_tasks + tasks),
        )
