"""Retention: erases for good what is older than the settings keep it.

Layer knowledge, layer identity and the results of finished tasks in the archive stay until the user
forgets them. Of the timeline only what layer identity has taken in is erased.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Integer, bindparam, delete, select, true, update

from lobug.memory import entries, session_summary, timeline
from lobug.memory.jobs import queue
from lobug.memory.jobs.queue import Task
from lobug.storage import compaction
from lobug.storage.database import Checkpoint, Database
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import conversation_log, memories, recalls

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
    """The time ``days`` days ago; None where ``days`` is 0."""
    return now - days * DAY_S if days > 0 else None


_entry, _log = memories.c, conversation_log.c
BATCH_SIZE = bindparam("limit", type_=Integer)
OLD_TIMELINE = (
    select(_entry.id, _entry.session_id)
    .where(
        timeline.TIMELINE,
        _entry.layer == "archive",
        _entry.source == "system",
        _entry.task_id.is_(None),
        _entry.incorporated == true(),
        _entry.said_at < bindparam("before"),
    )
    .order_by(_entry.id)
    .limit(BATCH_SIZE)
)


def erase_timeline(connection: Connection, before: float, now: float) -> int:
    """Erase entries of the timeline that are older than ``before`` and that layer identity has
    taken in. Returns how many."""
    rows = run(connection, OLD_TIMELINE, before=before, limit=BATCH).all()
    for row in rows:
        entries.delete_row(connection, row.id)
    for session_id in {row.session_id for row in rows if row.session_id is not None}:
        session_summary.refresh(connection, session_id)
    if rows:
        compaction.note(connection, now)
    return len(rows)


DELETE_RECALLS = delete(recalls).where(
    recalls.c.id.in_(
        select(recalls.c.id)
        .where(recalls.c.created_at < bindparam("before"))
        .order_by(recalls.c.id)
        .limit(BATCH_SIZE)
    )
)


def erase_recalls(connection: Connection, before: float, now: float) -> int:
    """Erase what is older of the retrieval log. Returns how many searches."""
    return run(connection, DELETE_RECALLS, before=before, limit=BATCH).rowcount


OLD_MESSAGES = (
    select(_log.id).where(_log.created_at < bindparam("before")).order_by(_log.id).limit(BATCH_SIZE)
)
CUT_SOURCE = (
    update(memories)
    .values(source_message_id=None)
    .where(_entry.source_message_id == bindparam("message_id"))
)
CUT_REPLY = (
    update(conversation_log).values(reply_to=None).where(_log.reply_to == bindparam("message_id"))
)
DELETE_MESSAGE = delete(conversation_log).where(_log.id == bindparam("message_id"))


def erase_messages(connection: Connection, before: float, now: float) -> int:
    """Erase messages that are older, with the work that waited for them; what is known from them
    stays, without its source. Returns how many."""
    ids = run(connection, OLD_MESSAGES, before=before, limit=BATCH).scalars()
    for message_id in ids:
        queue.drop_extraction(connection, message_id)
        for change in (CUT_SOURCE, CUT_REPLY, DELETE_MESSAGE):
            run(connection, change, message_id=message_id)
    if ids:
        compaction.note(connection, now)
    return len(ids)


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
