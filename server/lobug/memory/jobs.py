"""Rows of ``background_tasks``: what is still to be done, so that a crash loses nothing.

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

from sqlalchemy import (
    Integer,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)

from lobug.concurrency import Backoff
from lobug.storage.columns import Number
from lobug.storage.connection import Connection
from lobug.storage.people import SERVER_PEOPLE
from lobug.storage.statements import columns_of, insert_once, run, smaller_of
from lobug.storage.tables import background_tasks, sessions

Kind = Literal["extract", "summarize", "distill", "end_session", "gap_fill", "retention", "compact"]

ERASING: tuple[Kind, ...] = ("retention", "compact")
"""Kinds that take away what must not be there any more; done also where memory is switched off."""

LEARNING: tuple[Kind, ...] = ("extract", "gap_fill", "distill")
"""Kinds that learn about a user."""

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
    """Numbers of tasks."""

    pending: int
    """Waiting ones included."""
    parked: int


_task = background_tasks.c
TASK = select(*columns_of(background_tasks, Task), _task.next_attempt_at.label("due"))

BY_ID = _task.id == bindparam("task_id")
OF_MESSAGE = and_(_task.kind == "extract", _task.message_id == bindparam("of_message"))
OF_SESSION = _task.session_id == bindparam("of_session")
ERASES = _task.kind.in_(ERASING)
INSERT = insert(background_tasks)
INSERT_ONCE = insert_once(background_tasks)
UPDATE = update(background_tasks).where(BY_ID)
DELETE = delete(background_tasks).where(BY_ID)

DEADLINE = _task.next_attempt_at + case(
    (ERASES, bindparam("erasure_s", type_=Number)), else_=bindparam("learning_s", type_=Number)
)
"""When a task is overdue, seconds since the epoch; the limits are the settings' deferrals."""

ALLOWED = or_(bindparam("enabled", type_=Integer) == 1, ERASES)
"""Where memory is switched off only what erases is done."""


OF_NOBODY = ~exists(select(1).where(SERVER_PEOPLE.c.person == _task.user))
NOT_ELSEWHERE = ~exists(
    select(1).where(
        SERVER_PEOPLE.c.person == _task.user, SERVER_PEOPLE.c.server != bindparam("server")
    )
)
"""Where several servers answer at once: the work for a person is done by the one that has them."""


def wait_for_reply(
    connection: Connection, user: str, message_id: int, now: float, deadline: float
) -> None:
    """Note that facts are to be extracted from a message once its turn is over.

    Due at ``deadline`` even if no reply is ever logged.
    """
    run(
        connection,
        INSERT,
        kind="extract",
        user=user,
        message_id=message_id,
        state="waiting",
        next_attempt_at=deadline,
        created_at=now,
    )


RELEASE = (
    update(background_tasks).values(state="pending").where(OF_MESSAGE, _task.state == "waiting")
)


def release(connection: Connection, message_id: int, now: float) -> None:
    """Make the extraction of a message due: its turn is over."""
    run(connection, RELEASE, of_message=message_id, next_attempt_at=now)


DROP_EXTRACTION = delete(background_tasks).where(OF_MESSAGE)


def drop_extraction(connection: Connection, message_id: int) -> int:
    """Delete the extraction of a message. Returns the number of tasks that were deleted."""
    return run(connection, DROP_EXTRACTION, of_message=message_id).rowcount


_carried = [
    _task[name] for name in "kind user message_id state attempts next_attempt_at created_at".split()
]
CARRIED = select(*_carried).where(OF_MESSAGE)


def renew_extraction(connection: Connection, message_id: int) -> None:
    """Replace the extraction of a message whose words have changed: one that has read the old words
    stores nothing, since its row is gone."""
    task = run(connection, CARRIED, of_message=message_id).first()
    if task is not None and drop_extraction(connection, message_id):
        run(connection, INSERT, **task._asdict())


def add(
    connection: Connection,
    kind: Kind,
    user: str,
    now: float,
    *,
    session_id: int | None = None,
    up_to_id: int | None = None,
    state: Literal["pending", "scheduled"] = "pending",
    due: float | None = None,
) -> int:
    """Add a task, due now unless ``due`` is given. Nothing happens where there is one of this kind
    for the session already, or without a session for the user. Returns the number of tasks that
    were added."""
    return run(
        connection,
        INSERT_ONCE,
        kind=kind,
        user=user,
        session_id=session_id,
        up_to_id=up_to_id,
        state=state,
        next_attempt_at=now if due is None else due,
        created_at=now,
    ).rowcount


MOVE_SESSION_END = update(background_tasks).where(
    _task.kind == "end_session", OF_SESSION, _task.state == "scheduled"
)


def schedule_session_end(
    connection: Connection, user: str, session_id: int, now: float, due: float
) -> bool:
    """Note that a session ends at ``due`` unless something is said before: each message moves it
    on. Returns whether it was noted for the first time."""
    moved = run(
        connection, MOVE_SESSION_END, of_session=session_id, next_attempt_at=due, created_at=now
    )
    if moved.rowcount:
        return False
    return bool(
        add(connection, "end_session", user, now, session_id=session_id, state="scheduled", due=due)
    )


END_FORMER = (
    update(background_tasks)
    .values(state="pending")
    .where(
        _task.kind == "end_session",
        _task.state == "scheduled",
        _task.session_id.in_(
            select(sessions.c.id).where(
                sessions.c.user == bindparam("of_user"),
                sessions.c.conversation == bindparam("of_conversation"),
                sessions.c.id < bindparam("of_session"),
            )
        ),
    )
)


def end_former_sessions(
    connection: Connection, user: str, conversation: str, session_id: int, now: float
) -> int:
    """Make the end of a conversation's earlier sessions due. Returns their number."""
    return run(
        connection,
        END_FORMER,
        of_user=user,
        of_conversation=conversation,
        of_session=session_id,
        next_attempt_at=now,
        created_at=now,
    ).rowcount


WHEN = select(_task.state, _task.next_attempt_at, _task.created_at).where(BY_ID)
BEGIN = update(background_tasks).values(state="pending").where(BY_ID, _task.state == "scheduled")


def begin_session_end(connection: Connection, task: Task, now: float, idle_s: float) -> bool:
    """Whether the session of a task is over. False: something was said meanwhile, or the clock was
    put back, so that it is unknown how long it has been quiet; it then ends after another
    ``idle_s``."""
    row = run(connection, WHEN, task_id=task.id).first()
    if row is None:
        return False
    if row.state == "scheduled" and row.created_at > now:
        run(connection, UPDATE, task_id=task.id, next_attempt_at=now + idle_s, created_at=now)
        return False
    if row.state == "scheduled" and row.next_attempt_at > now:
        return False
    run(connection, BEGIN, task_id=task.id)
    return True


def schedule_retention(connection: Connection, due: float, now: float) -> None:
    """Note when old things are erased next; this task is never deleted."""
    add(connection, "retention", "", now, state="scheduled", due=due)


def put_off(connection: Connection, task: Task, due: float, now: float) -> None:
    """Schedule a task that is done for its next time, ``due``."""
    run(
        connection,
        UPDATE,
        task_id=task.id,
        state="scheduled",
        attempts=0,
        last_error=None,
        next_attempt_at=due,
        created_at=now,
    )


def _people_of(server: str | None) -> dict[str, str]:
    """What a statement wants that asks for the people of a server."""
    return {} if server is None else {"server": server}


NOW = bindparam("now", type_=Number)
NEXT_DUE = (
    # The latter: the clock was put back.
    TASK.where(or_(_task.next_attempt_at <= NOW, _task.created_at > NOW), ALLOWED)
    .order_by(
        case((DEADLINE <= NOW, DEADLINE), else_=bindparam("never", type_=Number)),
        _task.kind != "extract",
        _task.next_attempt_at,
        _task.id,
    )
    .limit(1)
)


NEXT_DUE_HERE = NEXT_DUE.where(NOT_ELSEWHERE)


def next_due(
    connection: Connection,
    now: float,
    *,
    enabled: bool = True,
    erasure_s: float = math.inf,
    learning_s: float = math.inf,
    server: str | None = None,
) -> Task | None:
    """The task that is to be done next.

    What is overdue comes first, in the order of its deadlines: an endless row of extractions must
    not keep anything from being erased. Otherwise the task that has been due for longest comes,
    extractions first, so that facts never wait for a cascade that turns keep interrupting.
    ``enabled`` False: only tasks that erase. ``erasure_s``, ``learning_s``: after how many seconds
    the kinds are overdue. ``server``: without those of people who are with another one.
    """
    row = run(
        connection,
        NEXT_DUE if server is None else NEXT_DUE_HERE,
        **_people_of(server),
        now=now,
        enabled=int(enabled),
        erasure_s=erasure_s,
        learning_s=learning_s,
        never=math.inf,
    ).first()
    return None if row is None else Task(**row._asdict())


FIRST_DEADLINE = select(func.min(DEADLINE)).where(ALLOWED)


FIRST_DEADLINE_HERE = FIRST_DEADLINE.where(NOT_ELSEWHERE)


def first_deadline(
    connection: Connection,
    *,
    enabled: bool = True,
    erasure_s: float,
    learning_s: float,
    server: str | None = None,
) -> float:
    """When the first of all tasks is overdue, seconds since the epoch; infinite: there is none.
    ``server``: as in ``next_due``."""
    deadline: float | None = run(
        connection,
        FIRST_DEADLINE if server is None else FIRST_DEADLINE_HERE,
        **_people_of(server),
        enabled=int(enabled),
        erasure_s=erasure_s,
        learning_s=learning_s,
    ).scalar()
    return math.inf if deadline is None else deadline


NEXT_TIME = select(func.min(_task.next_attempt_at)).where(ALLOWED)


NEXT_TIME_HERE = NEXT_TIME.where(NOT_ELSEWHERE)


def next_time(
    connection: Connection, *, enabled: bool = True, server: str | None = None
) -> float | None:
    """When the next task is due, seconds since the epoch; None: there is none. ``server``: as in
    ``next_due``."""
    due: float | None = run(
        connection,
        NEXT_TIME if server is None else NEXT_TIME_HERE,
        **_people_of(server),
        enabled=int(enabled),
    ).scalar()
    return due


SUMMARIES = select(_task.session_id).where(
    _task.kind == "summarize",
    or_(
        and_(
            _task.user == bindparam("user"),
            _task.message_id.is_(None),
            _task.session_id.is_(None),
        ),
        OF_SESSION,
    ),
)


def scheduled_summaries(connection: Connection, user: str, session_id: int) -> set[int | None]:
    """Which summaries are noted already: that of a session, and None for that of the user as a
    whole."""
    return set(run(connection, SUMMARIES, user=user, of_session=session_id).scalars())


def complete(connection: Connection, task: Task) -> bool:
    """Delete a task that is done. False: it was done already, so nothing must be stored."""
    return bool(run(connection, DELETE, task_id=task.id).rowcount)


FAIL = (
    update(background_tasks)
    .values(created_at=smaller_of(_task.created_at, bindparam("now")))
    .where(BY_ID)
)


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
    pause_s = PARKED_S if parked else Backoff(retry_delay_s).pause_s(attempts)
    run(
        connection,
        FAIL,
        task_id=task.id,
        attempts=attempts,
        state="parked" if parked else "pending",
        next_attempt_at=now + pause_s,
        last_error=error,
        now=now,
    )


RESUME_ALL = (
    update(background_tasks).values(state="pending", attempts=0).where(_task.state != "scheduled")
)


RESUME_OF_NOBODY = RESUME_ALL.where(OF_NOBODY)


def resume_all(connection: Connection, now: float, *, of_nobody: bool = False) -> None:
    """At the start: everything that is left is due now, with fresh attempts. ``of_nobody``: only of
    people who are with no server, where several answer at once.

    Waiting tasks belong to turns that the last process did not finish. Times are set again because
    the clock may have been put back since. What is scheduled keeps its time.
    """
    run(connection, RESUME_OF_NOBODY if of_nobody else RESUME_ALL, next_attempt_at=now)


RESUME_TURNS = (
    update(background_tasks)
    .values(state="pending")
    .where(
        _task.user == bindparam("of_user"),
        _task.state == "waiting",
        _task.created_at < bindparam("before", type_=Number),
    )
)


def resume_turns(connection: Connection, user: str, now: float) -> None:
    """Make due what waits for turns of a user that began before and have no end."""
    run(connection, RESUME_TURNS, of_user=user, before=now, next_attempt_at=now)


RESUME_AFTER_ENGINE_FAILURE = (
    update(background_tasks)
    .values(state="pending", attempts=0)
    .where(
        _task.state == "parked",
        func.substr(_task.last_error, 1, len(ENGINE_PREFIX)) == ENGINE_PREFIX,
    )
)


def resume_after_engine_failure(connection: Connection, now: float) -> None:
    """Make due what was parked because the chat model did not work: it works again."""
    run(connection, RESUME_AFTER_ENGINE_FAILURE, next_attempt_at=now)


COUNTS = select(
    func.count().filter(_task.state.in_(("waiting", "pending"))).label("pending"),
    func.count().filter(_task.state == "parked").label("parked"),
).select_from(background_tasks)


def counts(connection: Connection) -> Counts:
    """The numbers of tasks."""
    return Counts(**run(connection, COUNTS).one()._asdict())
