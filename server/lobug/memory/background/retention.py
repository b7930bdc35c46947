"""Erases what has reached the end of its retention time.

Layer knowledge, layer identity and the archived states of tasks stay until they are forgotten.
Timeline entries are erased only after layer identity has taken them in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from lobug.memory import entries, session_summary, timeline
from lobug.memory.jobs import queue
from lobug.memory.jobs.queue import Task
from lobug.storage import compaction
from lobug.storage.database import Checkpoint, Database
from lobug.storage.driver import Connection

DAY_S = 86_400.0

BATCH = 200
"""Rows erased in one transaction, for which a turn's own write has to wait."""


@dataclass(frozen=True, slots=True)
class Horizons:
    """Times before which rows are old, seconds since the epoch; None: never."""

    timeline: float | None
    recalls: float | None
    messages: float | None


def horizon(now: float, days: float) -> float | None:
    """The time ``days`` ago; None if ``days`` is 0."""
    return now - days * DAY_S if days > 0 else None


def erase_timeline(connection: Connection, before: float, now: float) -> int:
    """Erase timeline entries from before ``before`` that layer identity has taken in. Returns
    their number."""
    rows = connection.execute(
        f"SELECT id, session_id FROM memories WHERE {timeline.WHERE} AND layer = 'archive'"
        " AND source = 'system' AND task_id IS NULL AND incorporated = 1 AND said_at < ?"
        " ORDER BY id LIMIT ?",
        (before, BATCH),
    ).fetchall()
    for entry_id, _ in rows:
        entries.remove(connection, entry_id)
    for session_id in {row[1] for row in rows if row[1] is not None}:
        session_summary.refresh(connection, session_id)
    if rows:
        compaction.note(connection, now)
    return len(rows)


def erase_recalls(connection: Connection, before: float, now: float) -> int:
    """Erase searches of the retrieval log from before ``before``. Returns their number."""
    return connection.execute(
        "DELETE FROM recalls WHERE id IN"
        " (SELECT id FROM recalls WHERE created_at < ? ORDER BY id LIMIT ?)",
        (before, BATCH),
    ).rowcount


def erase_messages(connection: Connection, before: float, now: float) -> int:
    """Erase messages from before ``before`` with the tasks that waited for them. Entries made
    from them stay, without their source. Returns the number of messages."""
    rows = connection.execute(
        "SELECT id FROM conversation_log WHERE created_at < ? ORDER BY id LIMIT ?", (before, BATCH)
    ).fetchall()
    for (message_id,) in rows:
        queue.drop_extraction(connection, message_id)
        connection.execute(
            "UPDATE memories SET source_message_id = NULL WHERE source_message_id = ?",
            (message_id,),
        )
        connection.execute(
            "UPDATE conversation_log SET reply_to = NULL WHERE reply_to = ?", (message_id,)
        )
        connection.execute("DELETE FROM conversation_log WHERE id = ?", (message_id,))
    if rows:
        compaction.note(connection, now)
    return len(rows)


async def retain(
    database: Database,
    task: Task,
    horizons: Horizons,
    *,
    now: float,
    next_at: float,
    checkpoint: Checkpoint,
) -> None:
    """Erase everything that is old and schedule the task again at ``next_at``. Safe to cancel
    and to run again. Raises StorageError."""
    old = (
        (horizons.timeline, erase_timeline),
        (horizons.recalls, erase_recalls),
        (horizons.messages, erase_messages),
    )
    for before, erase in old:
        if before is not None:
            await _erase_all(database, partial(erase, before=before, now=now), checkpoint)
    await database.write(
        "retention_done", lambda connection: queue.put_off(connection, task, next_at, now)
    )


async def _erase_all(
    database: Database, erase: Callable[[Connection], int], checkpoint: Checkpoint
) -> None:
    """Erase in batches, each in its own transaction."""

    def batch(connection: Connection) -> int:
        checkpoint("retention.erasing")
        return erase(connection)

    while await database.write("retention", batch) == BATCH:
        pass
