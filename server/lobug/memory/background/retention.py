"""What is kept only for a time: erased for good once it is old enough.

Layer knowledge, layer identity and what finished tasks left in the archive stay until somebody
forgets them. Of the timeline goes what layer identity has taken in.
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
"""Rows that are erased in one transaction: a turn's own write waits for it."""


@dataclass(frozen=True, slots=True)
class Horizons:
    """Up to when things are old, seconds since the epoch; None: never."""

    timeline: float | None
    recalls: float | None
    messages: float | None


def horizon(now: float, days: float) -> float | None:
    """The time so many days ago; None where they are 0."""
    return now - days * DAY_S if days > 0 else None


def erase_timeline(connection: Connection, before: float, now: float) -> int:
    """Erase entries of the timeline that are older than ``before`` and that layer identity has
    taken in. Returns how many."""
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
    """Erase what is older of the retrieval log. Returns how many searches."""
    return connection.execute(
        "DELETE FROM recalls WHERE id IN"
        " (SELECT id FROM recalls WHERE created_at < ? ORDER BY id LIMIT ?)",
        (before, BATCH),
    ).rowcount


def erase_messages(connection: Connection, before: float, now: float) -> int:
    """Erase messages that are older, with the work that waited for them; what is known from them
    stays, without its source. Returns how many."""
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
    """Erase all that is old and put the task off to ``next_at``. Safe to cancel and to run again.
    Raises StorageError."""
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
    """In batches, each a transaction."""

    def batch(connection: Connection) -> int:
        checkpoint("retention.erasing")
        return erase(connection)

    while await database.write("retention", batch) == BATCH:
        pass
