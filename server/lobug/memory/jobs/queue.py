"""Rows of background work: what is still to be done, so that a crash forgets nothing.

A row lives until its work is done and is deleted in the transaction that stores the result.
``waiting``: the user's words are logged, the turn is still under way. ``pending``: to be done at
``next_attempt_at``. ``parked``: failed too often; tried once a day and at the next start.
``scheduled``: nothing is to be done before ``next_attempt_at``, the end of a session for instance;
not counted as work that is left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from lobug.storage.driver import Connection

Kind = Literal["extract", "summarize", "distill", "end_session", "gap_fill", "retention", "compact"]

ERASING: tuple[Kind, ...] = ("retention", "compact")
"""Kinds that take away what must not be there any more; done also where memory is switched off."""

ENGINE_PREFIX = "engine:"
"""Begins ``last_error`` where the engine failed and not the work itself."""

PARKED_S = 86_400.0
"""How long a parked task rests, seconds: a server that runs for months must not forget it, and one
that can never be done must not cost more than one attempt a day."""


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of background work."""

    id: int
    kind: Kind
    user: str
    message_id: int | None
    """extract: the message with the user's words."""
    up_to_id: int | None
    """summarize: the last message to take in; distill: the last summary."""
    attempts: int
    """Failed ones so far."""
    session_id: int | None = None
    """end_session, gap_fill, and summarize where it is of one conversation: the session."""
    due: float = 0.0
    """When it was or is to be done, seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How much is to be done."""

    pending: int
    """Waiting ones included."""
    parked: int


COLUMNS = "id, kind, user, message_id, up_to_id, attempts, session_id, next_attempt_at"

DEADLINE = (
    "next_attempt_at"
    " + CASE WHEN kind IN ('retention', 'compact') THEN :erasure_s ELSE :learning_s END"
)
"""When a task is overdue, seconds since the epoch; the limits are the settings' deferrals."""


def wait_for_reply(
    connection: Connection, user: str, message_id: int, now: float, deadline: float
) -> None:
    """Note that facts are to be extracted from a message once its turn is over.

    Due at ``deadline`` even if no reply is ever logged.
    """
    connection.execute(
        "INSERT INTO background_tasks (kind, user, message_id, state, next_attempt_at, created_at)"
        " VALUES ('extract', ?, ?, 'waiting', ?, ?)",
        (user, message_id, deadline, now),
    )


def release(connection: Connection, message_id: int, now: float) -> None:
    """The turn of a message is over: its facts may be extracted now."""
    connection.execute(
        "UPDATE background_tasks SET state = 'pending', next_attempt_at = ?"
        " WHERE kind = 'extract' AND message_id = ? AND state = 'waiting'",
        (now, message_id),
    )


def drop_extraction(connection: Connection, message_id: int) -> int:
    """Nothing is extracted from a message. Returns how many tasks are gone by that."""
    return connection.execute(
        "DELETE FROM background_tasks WHERE kind = 'extract' AND message_id = ?", (message_id,)
    ).rowcount


def add_cascade(connection: Connection, kind: Kind, user: str, up_to_id: int, now: float) -> int:
    """Note a cascade; nothing happens where one of this kind is noted for the user already. Returns
    how many tasks that made."""
    return connection.execute(
        "INSERT INTO background_tasks (kind, user, up_to_id, state, next_attempt_at, created_at)"
        " VALUES (?, ?, ?, 'pending', ?, ?) ON CONFLICT DO NOTHING",
        (kind, user, up_to_id, now, now),
    ).rowcount


def add_for_session(
    connection: Connection,
    kind: Kind,
    user: str,
    session_id: int,
    now: float,
    *,
    up_to_id: int | None = None,
) -> int:
    """Note work on a session; nothing happens where this kind is noted for it already. Returns how
    many tasks that made."""
    return connection.execute(
        "INSERT INTO background_tasks"
        " (kind, user, session_id, up_to_id, state, next_attempt_at, created_at)"
        " VALUES (?, ?, ?, ?, 'pending', ?, ?) ON CONFLICT DO NOTHING",
        (kind, user, session_id, up_to_id, now, now),
    ).rowcount


def schedule_session_end(
    connection: Connection, user: str, session_id: int, now: float, due: float
) -> bool:
    """Note that a session ends at ``due`` unless something is said before: each message moves it
    on. Returns whether it was noted for the first time."""
    moved = connection.execute(
        "UPDATE background_tasks SET next_attempt_at = ?, created_at = ?"
        " WHERE kind = 'end_session' AND session_id = ? AND state = 'scheduled'",
        (due, now, session_id),
    ).rowcount
    if moved:
        return False
    return bool(
        connection.execute(
            "INSERT INTO background_tasks"
            " (kind, user, session_id, state, next_attempt_at, created_at)"
            " VALUES ('end_session', ?, ?, 'scheduled', ?, ?) ON CONFLICT DO NOTHING",
            (user, session_id, due, now),
        ).rowcount
    )


def end_former_sessions(
    connection: Connection, user: str, conversation: str, session_id: int, now: float
) -> int:
    """A session has begun: those before it in the conversation are over now. Returns how many."""
    return connection.execute(
        "UPDATE background_tasks SET state = 'pending', next_attempt_at = ?, created_at = ?"
        " WHERE kind = 'end_session' AND state = 'scheduled' AND session_id IN"
        " (SELECT id FROM sessions WHERE user = ? AND conversation = ? AND id < ?)",
        (now, now, user, conversation, session_id),
    ).rowcount


def begin_session_end(connection: Connection, task: Task, now: float, idle_s: float) -> bool:
    """Whether a session is over that a task says may be. False: something was said meanwhile, or
    the clock was put back, so that nobody knows how long it has been quiet; it then ends after
    another ``idle_s``."""
    row = connection.execute(
        "SELECT state, next_attempt_at, created_at FROM background_tasks WHERE id = ?", (task.id,)
    ).fetchone()
    if row is None:
        return False
    state, due, noted = row
    if state == "scheduled" and noted > now:
        connection.execute(
            "UPDATE background_tasks SET next_attempt_at = ?, created_at = ? WHERE id = ?",
            (now + idle_s, now, task.id),
        )
        return False
    if state == "scheduled" and due > now:
        return False
    connection.execute(
        "UPDATE background_tasks SET state = 'pending' WHERE id = ? AND state = 'scheduled'",
        (task.id,),
    )
    return True


def schedule_retention(connection: Connection, due: float, now: float) -> None:
    """Note when old things are erased next; the task is there for ever."""
    connection.execute(
        "INSERT INTO background_tasks (kind, user, state, next_attempt_at, created_at)"
        " VALUES ('retention', '', 'scheduled', ?, ?) ON CONFLICT DO NOTHING",
        (due, now),
    )


def put_off(connection: Connection, task: Task, due: float, now: float) -> None:
    """A task that is done and comes again at ``due``."""
    connection.execute(
        "UPDATE background_tasks SET state = 'scheduled', attempts = 0, last_error = NULL,"
        " next_attempt_at = ?, created_at = ? WHERE id = ?",
        (due, now, task.id),
    )


def next_due(
    connection: Connection,
    now: float,
    *,
    enabled: bool = True,
    erasure_s: float = math.inf,
    learning_s: float = math.inf,
) -> Task | None:
    """The task that is to be done next. What is overdue comes first, in the order of its deadlines:
    an endless row of extractions must not keep anything from being erased. Else the one that has
    been due for longest, extractions first, so that facts never wait for a cascade that turns keep
    interrupting. ``enabled`` False: of those that erase. ``erasure_s``, ``learning_s``:
    after how many seconds the kinds are overdue.
    """
    row = connection.execute(
        f"SELECT {COLUMNS} FROM background_tasks"
        # The latter: the clock was put back.
        " WHERE (next_attempt_at <= :now OR created_at > :now)"
        " AND (:enabled OR kind IN ('retention', 'compact'))"
        f" ORDER BY iif({DEADLINE} <= :now, {DEADLINE}, :never),"
        " kind <> 'extract', next_attempt_at, id LIMIT 1",
        {
            "now": now,
            "enabled": enabled,
            "erasure_s": erasure_s,
            "learning_s": learning_s,
            "never": math.inf,
        },
    ).fetchone()
    return None if row is None else Task(*row)


def first_deadline(
    connection: Connection, *, enabled: bool = True, erasure_s: float, learning_s: float
) -> float:
    """When the first of all tasks is overdue, seconds since the epoch; infinite: there is none."""
    row = connection.execute(
        f"SELECT min({DEADLINE}) FROM background_tasks"
        " WHERE :enabled OR kind IN ('retention', 'compact')",
        {"enabled": enabled, "erasure_s": erasure_s, "learning_s": learning_s},
    ).fetchone()
    return math.inf if row[0] is None else float(row[0])


def next_time(connection: Connection, *, enabled: bool = True) -> float | None:
    """When the next task is due, seconds since the epoch; None: there is none."""
    row = connection.execute(
        "SELECT min(next_attempt_at) FROM background_tasks"
        " WHERE ? OR kind IN ('retention', 'compact')",
        (enabled,),
    ).fetchone()
    return None if row[0] is None else float(row[0])


def is_noted(connection: Connection, kind: Kind, user: str, session_id: int | None = None) -> bool:
    """Whether work of a kind is noted, of a user as a whole or of a session."""
    if session_id is None:
        query = (
            "SELECT 1 FROM background_tasks WHERE kind = ? AND user = ?"
            " AND message_id IS NULL AND session_id IS NULL"
        )
        return connection.execute(query, (kind, user)).fetchone() is not None
    query = "SELECT 1 FROM background_tasks WHERE kind = ? AND session_id = ?"
    return connection.execute(query, (kind, session_id)).fetchone() is not None


def complete(connection: Connection, task: Task) -> bool:
    """Delete a task that is done. False: it was done already, so nothing must be stored."""
    return bool(
        connection.execute("DELETE FROM background_tasks WHERE id = ?", (task.id,)).rowcount
    )


def exists(connection: Connection, task: Task) -> bool:
    """Whether a task is still to be done."""
    query = "SELECT 1 FROM background_tasks WHERE id = ?"
    return connection.execute(query, (task.id,)).fetchone() is not None


def fail(
    connection: Connection,
    task: Task,
    *,
    error: str,
    now: float,
    max_attempts: int,
    retry_delay_s: float,
) -> None:
    """Note a failed attempt: tried again later (the delay doubles), or parked after the last."""
    attempts = task.attempts + 1
    parked = attempts >= max_attempts
    connection.execute(
        "UPDATE background_tasks SET attempts = ?, state = ?, next_attempt_at = ?, last_error = ?,"
        " created_at = min(created_at, ?) WHERE id = ?",
        (
            attempts,
            "parked" if parked else "pending",
            now + (PARKED_S if parked else retry_delay_s * 2.0 ** (attempts - 1)),
            error,
            now,
            task.id,
        ),
    )


def resume_all(connection: Connection, now: float) -> None:
    """At the start: everything that is left is due now, with fresh attempts.

    Waiting tasks belong to turns that the last process did not finish. Times are set anew because
    the clock may have been put back since. What is scheduled keeps its time.
    """
    connection.execute(
        "UPDATE background_tasks SET state = 'pending', attempts = 0, next_attempt_at = ?"
        " WHERE state <> 'scheduled'",
        (now,),
    )


def resume_after_engine_failure(connection: Connection, now: float) -> None:
    """The chat model works again: what was parked because it did not is due now."""
    connection.execute(
        "UPDATE background_tasks SET state = 'pending', attempts = 0, next_attempt_at = ?"
        " WHERE state = 'parked' AND substr(last_error, 1, ?) = ?",
        (now, len(ENGINE_PREFIX), ENGINE_PREFIX),
    )


def counts(connection: Connection) -> Counts:
    """How much is to be done."""
    row = connection.execute(
        "SELECT count(*) FILTER (WHERE state IN ('waiting', 'pending')),"
        " count(*) FILTER (WHERE state = 'parked') FROM background_tasks"
    ).fetchone()
    return Counts(pending=int(row[0]), parked=int(row[1]))
