"""Erases what is older than the settings keep it, as a background task. It leaves layer knowledge,
layer identity and the results of finished tasks, and of the timeline what layer identity has not
taken in and what is part of the working state of an open task.

Finding what is old may mean reading everybody's rows, so it is done before the writes, for which
turns wait.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy import Integer, Select, Table, bindparam, delete, exists, select, true

from lobug.memory import jobs, timeline
from lobug.memory.erasure.purge import DAY_S, delete_messages, delete_timeline
from lobug.memory.erasure.report import ErasureReport
from lobug.memory.index import turn_words
from lobug.memory.jobs import Task
from lobug.settings import MemorySettings
from lobug.storage import compaction
from lobug.storage.connection import Connection
from lobug.storage.database import Checkpoint, Database
from lobug.storage.statements import among, run
from lobug.storage.tables import (
    conversation_log,
    memories,
    project_tasks,
    recalls,
    task_sessions,
)

BATCH = 200
"""Rows that are erased in one transaction: a turn's own write waits for it."""

AT_ONCE = 10 * BATCH
"""Rows that are looked for together, since finding them may mean reading every row."""


@dataclass(frozen=True, slots=True)
class _Expired:
    """Rows that are older than they are kept."""

    ids: Select[int]
    """The first of their ids, ascending, that are greater than ``after``. ``before``: seconds since
    the epoch."""
    erase: Callable[[Connection, Sequence[int], float, float], int]
    """Takes ids, ``before`` and the time; erases those that are still there and older than that;
    returns how many there were."""


LIMIT, AFTER = bindparam("limit", type_=Integer), bindparam("after", type_=Integer)
EXPIRED_TIMELINE = (
    select(memories.c.id, memories.c.session_id)
    .where(
        timeline.TIMELINE,
        memories.c.layer == "archive",
        memories.c.source == "system",
        memories.c.task_id.is_(None),
        memories.c.incorporated == true(),
        memories.c.said_at < bindparam("before"),
        ~exists(
            select(1)
            .where(task_sessions.c.session_id == memories.c.session_id)
            .join(project_tasks, project_tasks.c.id == task_sessions.c.task_id)
            .where(project_tasks.c.status == "open")
        ),
    )
    .order_by(memories.c.id)
)
SOME_EXPIRED_TIMELINE = EXPIRED_TIMELINE.where(among(memories.c.id, "ids"))


def _erase_timeline(connection: Connection, ids: Sequence[int], before: float, now: float) -> int:
    # A task may have been opened again meanwhile.
    rows = run(connection, SOME_EXPIRED_TIMELINE, before=before, ids=ids).all()
    delete_timeline(connection, rows)
    if rows:
        compaction.note(connection, now)
    return len(rows)


DELETE_SOME_RECALLS = delete(recalls).where(
    among(recalls.c.id, "ids"), recalls.c.created_at < bindparam("before")
)


def _erase_recalls(connection: Connection, ids: Sequence[int], before: float, _now: float) -> int:
    return run(connection, DELETE_SOME_RECALLS, ids=ids, before=before).rowcount


SOME_MESSAGES = select(conversation_log.c.id).where(
    among(conversation_log.c.id, "ids"), conversation_log.c.created_at < bindparam("before")
)


def _erase_messages(connection: Connection, ids: Sequence[int], before: float, now: float) -> int:
    there = run(connection, SOME_MESSAGES, ids=ids, before=before).scalars()
    turn_words.forget_turns(connection, there)
    delete_messages(connection, there)
    if there:
        compaction.note(connection, now)
    return len(there)


def _older(table: Table) -> Select[int]:
    return (
        select(table.c.id)
        .where(table.c.id > AFTER, table.c.created_at < bindparam("before"))
        .order_by(table.c.id)
        .limit(LIMIT)
    )


TIMELINE = _Expired(
    EXPIRED_TIMELINE.with_only_columns(memories.c.id).where(memories.c.id > AFTER).limit(LIMIT),
    _erase_timeline,
)
RECALLS = _Expired(_older(recalls), _erase_recalls)
MESSAGES = _Expired(_older(conversation_log), _erase_messages)


async def retain(
    database: Database,
    task: Task,
    settings: MemorySettings,
    erased: ErasureReport,
    *,
    now: float,
    next_at: float,
    checkpoint: Checkpoint,
) -> None:
    """Erase what is older than the settings keep it, and put the task off to ``next_at``. Safe to
    cancel and to run again. ``erased`` counts what is gone. Raises StorageError."""
    erase_all = partial(_erase_all, database, now=now, checkpoint=checkpoint)
    async for number in erase_all(TIMELINE, settings.timeline_retention_days):
        erased.memories += number
    async for number in erase_all(RECALLS, settings.recall_log_days):
        erased.searches += number
    async for number in erase_all(MESSAGES, settings.log_retention_days):
        erased.messages += number
    await database.write(
        "retention_done", lambda connection: jobs.put_off(connection, task, next_at, now)
    )


async def _erase_all(
    database: Database, expired: _Expired, days: float, *, now: float, checkpoint: Checkpoint
) -> AsyncGenerator[int]:
    """Erase what is older than some days (0: nothing is), in transactions of ``BATCH`` rows. Yields
    how many each has erased."""
    before = now - days * DAY_S

    def find(after: int, connection: Connection) -> list[int]:
        return run(connection, expired.ids, after=after, before=before, limit=AT_ONCE).scalars()

    def erase(connection: Connection, ids: Sequence[int]) -> int:
        checkpoint("retention.erasing")
        return expired.erase(connection, ids, before, now)

    more, last = days > 0, 0
    while more:
        found = await database.read(partial(find, last))
        more, last = len(found) == AT_ONCE, max(found, default=0)
        for first in range(0, len(found), BATCH):
            some = partial(erase, ids=found[first : first + BATCH])
            yield await database.write("retention", some)
