"""Ends idle sessions: summarizes the whole session and extracts again what was stated plainly.

Plain statements are corrections ("no, I live in Oslo"; "that's wrong, her name is Hanna") and
explicit statements ("remember that ...", "my name is ..."). If no memory cites such a message when
its session ends, extraction is run once more for these sentences only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import bindparam, exists, false, select, true

from lobug.engines.base import ChatModel
from lobug.language.en.speech_acts import explicit_statements
from lobug.language.protocol import NewFact
from lobug.memory import facts, log, sessions
from lobug.memory.jobs import queue, schedule
from lobug.memory.jobs.queue import Task
from lobug.memory.jobs.schedule import Backlog, Scheduler
from lobug.memory.learning.consolidation import ConsolidationContext, condense, consolidate
from lobug.memory.learning.extraction import facts_in
from lobug.memory.log import Within
from lobug.storage.database import Checkpoint, Database
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import background_tasks, conversation_log, memories

MAX_GAPS = 10
"""Most gaps of a session: more would be a second extraction."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A message with plain statements that no memory cites."""

    message_id: int
    said_at: float
    statements: Sequence[str]


async def end(work: ConsolidationContext, task: Task, scheduler: Scheduler) -> None:
    """End a session if it is over. Safe to cancel and to run again. Raises GarbledAnswerError,
    EngineError, StorageError."""
    session_id = task.session_id or 0

    def begin(connection: Connection) -> Within | None:
        if not queue.begin_session_end(connection, task, work.now, scheduler.idle_s):
            return None
        sessions.end(connection, session_id)
        backlog = Backlog(
            log.count_unsummarized_of(connection, session_id), idle_s=scheduler.idle_s
        )
        idle = schedule.trigger_of(backlog, scheduler.thresholds()) == "idle"
        last = log.last_of(connection, session_id) if idle else 0
        return Within(last, session_id=session_id)

    within = await work.database.write("session_end", begin)
    if within is None:
        return
    await consolidate(work, task.user, within)
    await condense(work, session_id)

    def finish(connection: Connection) -> None:
        if not queue.complete(connection, task):
            return
        if gaps_of(connection, task.user, session_id):
            queue.add_for_session(connection, "gap_fill", task.user, session_id, work.now)
        scheduler.schedule_distillation(connection, task.user, work.now)

    await work.database.write("session_ended", finish)


_log = conversation_log.c
UNCITED = (
    select(_log.id, _log.created_at, _log.content)
    .where(
        _log.session_id == bindparam("session_id"),
        _log.user == bindparam("user"),
        _log.role == "user",
        _log.meant == true(),
        _log.forgotten == false(),
        ~exists(select(1).where(memories.c.source_message_id == _log.id)),
        ~exists(
            select(1).where(
                background_tasks.c.kind == "extract", background_tasks.c.message_id == _log.id
            )
        ),
    )
    .order_by(_log.id.desc())
)


def gaps_of(connection: Connection, user: str, session_id: int) -> list[Gap]:
    """The last messages of a session whose plain statements no memory cites, oldest first. Those
    are left out that extraction has yet to look at."""
    found = [
        Gap(row.id, row.created_at, statements)
        for row in run(connection, UNCITED, session_id=session_id, user=user)
        if (statements := explicit_statements(row.content))
    ]
    return found[:MAX_GAPS][::-1]


async def fill_gaps(
    database: Database, chat: ChatModel, task: Task, *, now: float, checkpoint: Checkpoint
) -> bool:
    """Extract facts from the gaps of a session. Returns whether the model was asked.

    All facts and the end of the task are one transaction. Safe to cancel and to run again. Raises
    GarbledAnswerError, EngineError, StorageError.
    """
    session_id = task.session_id or 0
    missing = await database.read(lambda connection: gaps_of(connection, task.user, session_id))
    found: list[tuple[Gap, list[NewFact]]] = []
    for gap in missing:
        # One attempt more raises the temperature: the same request would get the same answer.
        told = await facts_in(
            chat, gap.statements, attempts=task.attempts + 1, checkpoint=checkpoint
        )
        found.append((gap, told))

    def store(connection: Connection) -> None:
        if not queue.complete(connection, task):
            return
        left = {gap.message_id: gap for gap in gaps_of(connection, task.user, session_id)}
        for gap, told in found:
            if left.get(gap.message_id) == gap:  # not forgotten, nor stored meanwhile
                checkpoint("gaps.inserting")
                facts.insert(
                    connection,
                    task.user,
                    told,
                    message_id=gap.message_id,
                    said_at=gap.said_at,
                    now=now,
                )

    await database.write("gaps", store)
    return bool(missing)
