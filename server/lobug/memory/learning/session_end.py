"""What happens when nobody has said anything for a while: the session is summed up whole, and what
was said plainly in it and is not known yet is asked for once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lobug.engines.base import ChatModel
from lobug.memory.history import log, sessions
from lobug.memory.history.log import Within
from lobug.memory.knowledge import facts
from lobug.memory.learning import gaps, triggers
from lobug.memory.learning.consolidation import Consolidating, condense, consolidate
from lobug.memory.learning.extraction import facts_in
from lobug.memory.learning.guards import NewFact
from lobug.memory.learning.triggers import Backlog
from lobug.memory.storage.database import Checkpoint, Database
from lobug.memory.storage.driver import Connection
from lobug.memory.work import tasks
from lobug.memory.work.scheduling import Scheduler
from lobug.memory.work.tasks import Task

MAX_GAPS = 10
"""Messages of a session that are looked at once more: more would be a second extraction."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A message that says something plainly which no memory cites."""

    message_id: int
    said_at: float
    statements: Sequence[str]


async def end(work: Consolidating, task: Task, scheduler: Scheduler) -> None:
    """End a session if it is over. Safe to cancel and to run again. Raises GarbledAnswerError,
    EngineError, StorageError."""
    session_id = task.session_id or 0

    def begin(connection: Connection) -> Within | None:
        if not tasks.begin_session_end(connection, task, work.now, scheduler.idle_s):
            return None
        sessions.end(connection, session_id)
        backlog = Backlog(
            log.count_unsummarized_of(connection, session_id), idle_s=scheduler.idle_s
        )
        idle = triggers.due(backlog, scheduler.thresholds()) == "idle"
        last = log.last_of(connection, session_id) if idle else 0
        return Within(last, session_id=session_id)

    within = await work.database.write("session_end", begin)
    if within is None:
        return
    await consolidate(work, task.user, within)
    await condense(work, session_id)

    def finish(connection: Connection) -> None:
        if not tasks.complete(connection, task):
            return
        if gaps_of(connection, task.user, session_id):
            tasks.add_for_session(connection, "gap_fill", task.user, session_id, work.now)
        scheduler.timeline(connection, task.user, work.now)

    await work.database.write("session_ended", finish)


def gaps_of(connection: Connection, user: str, session_id: int) -> list[Gap]:
    """The last messages of a session whose plain statements no memory cites, oldest first. Those
    are left out that extraction has yet to look at."""
    rows = connection.execute(
        "SELECT l.id, l.created_at, l.content FROM conversation_log l"
        " WHERE l.session_id = ? AND l.user = ? AND l.role = 'user' AND l.meant = 1"
        " AND l.forgotten = 0"
        " AND NOT EXISTS (SELECT 1 FROM memories m WHERE m.source_message_id = l.id)"
        " AND NOT EXISTS (SELECT 1 FROM background_tasks t"
        "                 WHERE t.kind = 'extract' AND t.message_id = l.id)"
        " ORDER BY l.id DESC",
        (session_id, user),
    )
    found = [
        Gap(message_id, said_at, statements)
        for message_id, said_at, content in rows
        if (statements := gaps.explicit_statements(content))
    ]
    return found[:MAX_GAPS][::-1]


async def fill_gaps(
    database: Database, chat: ChatModel, task: Task, *, now: float, checkpoint: Checkpoint
) -> bool:
    """Ask once more for what was said plainly and is not known. Returns whether it was asked for.

    All of it and the end of the task are one transaction. Safe to cancel and to run again. Raises
    GarbledAnswerError, EngineError, StorageError.
    """
    session_id = task.session_id or 0
    missing = await database.read(lambda connection: gaps_of(connection, task.user, session_id))
    found: list[tuple[Gap, list[NewFact]]] = []
    for gap in missing:
        # Warmer than the first time: asked the same way the model would answer the same.
        told = await facts_in(
            chat, gap.statements, attempts=task.attempts + 1, checkpoint=checkpoint
        )
        found.append((gap, told))

    def store(connection: Connection) -> None:
        if not tasks.complete(connection, task):
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
