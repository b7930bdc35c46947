"""What a user said so plainly that it must not be missing from memory. Pure.

Two kinds: corrections ("no, I live in Oslo"; "that's wrong, her name is Hanna") and explicit
statements ("remember that ...", "my name is ..."). When a session ends and no memory cites such a
message, extraction is asked once more for these sentences, and for nothing else.

What happens when nobody has said anything for a while: the session is summed up whole, and what
was said plainly in it and is not known yet is asked for once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lobug.engines.base import ChatModel
from lobug.language.en.explicit_statements import explicit_statements
from lobug.language.facts import NewFact
from lobug.memory import facts, log, sessions
from lobug.memory.jobs import queue, triggers
from lobug.memory.jobs.queue import Task
from lobug.memory.jobs.schedule import Scheduler
from lobug.memory.jobs.triggers import Backlog
from lobug.memory.learning.consolidation import Consolidating, condense, consolidate
from lobug.memory.learning.extraction import facts_in
from lobug.memory.log import Within
from lobug.storage.database import Checkpoint, Database
from lobug.storage.driver import Connection

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
        if not queue.begin_session_end(connection, task, work.now, scheduler.idle_s):
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
        if not queue.complete(connection, task):
            return
        if gaps_of(connection, task.user, session_id):
            queue.add_for_session(connection, "gap_fill", task.user, session_id, work.now)
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
        if (statements := explicit_statements(content))
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
