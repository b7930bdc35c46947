"""Rows of ``sessions``: stretches of one conversation without a long pause."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import Integer, and_, bindparam, exists, false, func, select

from lobug.memory.model import ConversationKey, Session
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import background_tasks, conversation_log, sessions

BY_ID = sessions.c.id == bindparam("session_id")
OF_CONVERSATION = and_(
    sessions.c.user == bindparam("user"), sessions.c.conversation == bindparam("conversation")
)


def channel_of(conversation: str) -> str:
    """How a conversation reaches Lo-Bug: the kind of its caller ("device", "token", "address"), or
    "other"."""
    kind = conversation.rpartition("/")[2].partition(":")[0]
    return kind if kind in ("device", "token", "address") else "other"


LATEST = (
    select(sessions.c.id, sessions.c.last_active_at, sessions.c.ended_at)
    .where(OF_CONVERSATION)
    .order_by(sessions.c.id.desc())
    .limit(1)
)
WENT_ON = (
    sa.update(sessions)
    .values(last_active_at=func.max(sessions.c.last_active_at, bindparam("at")))
    .where(BY_ID)
)
END = (
    sa.update(sessions)
    .values(ended_at=func.coalesce(sessions.c.ended_at, sessions.c.last_active_at))
    .where(BY_ID)
)


def touch(
    connection: Connection, conversation_key: ConversationKey, now: float, idle_s: float
) -> int:
    """The session that a message said now belongs to; a new one after a pause of ``idle_s``.

    A clock that was put back does not end a session."""
    latest = run(
        connection,
        LATEST,
        user=conversation_key.user,
        conversation=conversation_key.conversation,
    ).first()
    if latest is not None:
        if latest.ended_at is None and now - latest.last_active_at <= idle_s:
            went_on(connection, latest.id, now)
            return int(latest.id)
        end(connection, latest.id)
    return insert(connection, conversation_key, channel_of(conversation_key.conversation), now)


def current(connection: Connection, user: str, conversation: str) -> int | None:
    """The id of a conversation's newest session; None: it has none."""
    found: int | None = run(connection, LATEST, user=user, conversation=conversation).scalar()
    return found


def went_on(connection: Connection, session_id: int, at: float) -> None:
    """Something more was said in a session."""
    run(connection, WENT_ON, session_id=session_id, at=at)


INSERT = sa.insert(sessions).returning(sessions.c.id)


def insert(
    connection: Connection,
    conversation_key: ConversationKey,
    channel: str,
    now: float,
    *,
    external_id: str | None = None,
) -> int:
    """Begin a session. Returns its id."""
    session_id = run(
        connection,
        INSERT,
        user=conversation_key.user,
        conversation=conversation_key.conversation,
        channel=channel,
        external_id=external_id,
        started_at=now,
        last_active_at=now,
    ).scalar()
    return int(session_id)


_messages = (
    select(func.count())
    .where(conversation_log.c.session_id == sessions.c.id)
    .scalar_subquery()
    .label("messages")
)
LISTED = (
    select(
        sessions.c.id,
        sessions.c.user,
        sessions.c.conversation,
        sessions.c.channel,
        sessions.c.started_at,
        sessions.c.last_active_at,
        sessions.c.ended_at,
        sessions.c.last_consolidated_at,
        _messages,
        sessions.c.summary,
    )
    .where(
        sessions.c.user == bindparam("user"),
        sessions.c.id < func.coalesce(bindparam("before_id"), 2**63 - 1),
    )
    .order_by(sessions.c.id.desc())
    .limit(bindparam("limit", type_=Integer))
)


def listed(
    connection: Connection, user: str, *, limit: int, before_id: int | None
) -> Sequence[Session]:
    """Sessions of a user, newest first."""
    rows = run(connection, LISTED, user=user, before_id=before_id, limit=limit)
    return [Session(**row._asdict()) for row in rows]


CONSOLIDATED = (
    sa.update(sessions)
    .values(
        failures=0,
        last_consolidated_at=func.max(
            func.coalesce(sessions.c.last_consolidated_at, bindparam("up_to")), bindparam("up_to")
        ),
    )
    .where(BY_ID)
)


def consolidated(connection: Connection, session_id: int, up_to: float) -> None:
    """The session's messages up to this time have become memory, seconds since the epoch."""
    run(connection, CONSOLIDATED, session_id=session_id, up_to=up_to)


FAILED = (
    sa.update(sessions)
    .values(failures=sessions.c.failures + 1)
    .where(BY_ID)
    .returning(sessions.c.failures)
)


def failed(connection: Connection, session_id: int) -> int:
    """Consolidating the session has failed. Returns how often in a row by now."""
    return int(run(connection, FAILED, session_id=session_id).scalar() or 0)


def end(connection: Connection, session_id: int) -> None:
    """The session is over: what is said next begins another one."""
    run(connection, END, session_id=session_id)


CONVERSATION = select(sessions.c.user, sessions.c.conversation).where(BY_ID)


def conversation_of(connection: Connection, session_id: int) -> ConversationKey | None:
    """Whose session it is."""
    row = run(connection, CONVERSATION, session_id=session_id).first()
    return None if row is None else ConversationKey(row.user, row.conversation)


NEVER_ENDED = select(sessions.c.id, sessions.c.user, sessions.c.last_active_at).where(
    sessions.c.channel != "import",
    sessions.c.id.in_(
        select(conversation_log.c.session_id).where(conversation_log.c.summarized == false())
    ),
    ~exists(
        select(1).where(
            background_tasks.c.kind == "end_session",
            background_tasks.c.session_id == sessions.c.id,
        )
    ),
)


def never_ended(connection: Connection) -> list[tuple[int, str, float]]:
    """Sessions with messages that no entry sums up and no task will: id, user, time of the last
    message. Imported ones are left out: their messages are summed up as they count."""
    rows = run(connection, NEVER_ENDED)
    return [(row.id, row.user, row.last_active_at) for row in rows]
