"""Sessions: stretches of one conversation without a long pause, each with a summary.

The summary is for a prompt whose history was cut. It is made from the session's timeline entries:
all of them in order; if they are too long, the newest that fit, until the model has condensed them.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import Integer, and_, bindparam, exists, false, func, or_, select, update

from lobug.memory import timeline
from lobug.memory.model import ConversationKey, Session
from lobug.storage.connection import Connection
from lobug.storage.statements import columns_of, larger_of, run
from lobug.storage.tables import background_tasks, conversation_log, sessions

BY_ID = sessions.c.id == bindparam("session_id")
OF_CONVERSATION = and_(
    sessions.c.user == bindparam("user"), sessions.c.conversation == bindparam("conversation")
)


def channel_of(conversation: str) -> str:
    """How a conversation reaches Lo-Bug: the kind of its caller ("device", "browser", "token",
    "address"), or "other"."""
    kind = conversation.rpartition("/")[2].partition(":")[0]
    return kind if kind in ("device", "browser", "token", "address") else "other"


LATEST = (
    select(sessions.c.id, sessions.c.last_active_at, sessions.c.ended_at)
    .where(OF_CONVERSATION)
    .order_by(sessions.c.id.desc())
    .limit(1)
)
NOTE_ACTIVITY = (
    sa.update(sessions)
    .values(last_active_at=larger_of(sessions.c.last_active_at, bindparam("at")))
    .where(BY_ID)
)
END = (
    sa.update(sessions)
    .values(ended_at=func.coalesce(sessions.c.ended_at, sessions.c.last_active_at))
    .where(BY_ID)
)


def continue_or_begin(
    connection: Connection, conversation_key: ConversationKey, now: float, idle_s: float
) -> int:
    """The session that a message said now belongs to; a new one after a pause of ``idle_s``. A
    clock that was put back does not end a session."""
    latest = run(
        connection,
        LATEST,
        user=conversation_key.user,
        conversation=conversation_key.conversation,
    ).first()
    if latest is not None:
        if latest.ended_at is None and now - latest.last_active_at <= idle_s:
            note_activity(connection, latest.id, now)
            return int(latest.id)
        end(connection, latest.id)
    return insert(connection, conversation_key, channel_of(conversation_key.conversation), now)


def current(connection: Connection, user: str, conversation: str) -> int | None:
    """The id of a conversation's newest session; None: it has none."""
    found: int | None = run(connection, LATEST, user=user, conversation=conversation).scalar()
    return found


def note_activity(connection: Connection, session_id: int, at: float) -> None:
    """Note that something was said in a session at a time."""
    run(connection, NOTE_ACTIVITY, session_id=session_id, at=at)


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
    select(*columns_of(sessions, Session), _messages)
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
        last_consolidated_at=larger_of(
            func.coalesce(sessions.c.last_consolidated_at, bindparam("up_to")), bindparam("up_to")
        ),
    )
    .where(BY_ID)
)


def consolidated(connection: Connection, session_id: int, up_to: float) -> None:
    """Note that the session's messages up to a time are summarized, seconds since the epoch."""
    run(connection, CONSOLIDATED, session_id=session_id, up_to=up_to)


FAILED = (
    sa.update(sessions)
    .values(failures=sessions.c.failures + 1)
    .where(BY_ID)
    .returning(sessions.c.failures)
)


def failed(connection: Connection, session_id: int) -> int:
    """Count a failed consolidation. Returns the number of failures in a row."""
    return int(run(connection, FAILED, session_id=session_id).scalar() or 0)


def end(connection: Connection, session_id: int) -> None:
    """End a session: the next message begins another one."""
    run(connection, END, session_id=session_id)


CONVERSATION = select(sessions.c.user, sessions.c.conversation).where(BY_ID)


def conversation_of(connection: Connection, session_id: int) -> ConversationKey | None:
    """The conversation of a session."""
    row = run(connection, CONVERSATION, session_id=session_id).first()
    return None if row is None else ConversationKey(row.user, row.conversation)


NEVER_ENDED = select(sessions.c.id, sessions.c.user, sessions.c.last_active_at).where(
    sessions.c.channel != "import",
    or_(sessions.c.ended_at.is_(None), bindparam("ended", type_=Integer) == 1),
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


def never_ended(connection: Connection, *, ended: bool) -> list[tuple[int, str, float]]:
    """Sessions with unsummarized messages and without a task to end them: id, user, time of the
    last message. Imported ones are left out: their messages are summarized when there are enough.
    ``ended`` False: only those that are not over."""
    rows = run(connection, NEVER_ENDED, ended=int(ended))
    return [(row.id, row.user, row.last_active_at) for row in rows]


MAX_SUMMARY_CHARS = 1_200
"""Longest summary of a session, characters: about 300 tokens of every prompt that has it."""


def joined(entries: Sequence[str]) -> str:
    """Entries as one text, without their time stamps."""
    return " ".join(" ".join(timeline.unstamped(text).split()) for text in entries)


def newest_that_fit(entries: Sequence[str], limit: int = MAX_SUMMARY_CHARS) -> str:
    """The last entries that fit; at least the end of the last one."""
    kept: list[str] = []
    for text in reversed(entries):
        if kept and len(joined([text, *kept])) > limit:
            break
        kept.insert(0, text)
    whole = joined(kept)
    return whole if len(whole) <= limit else "... " + whole[-(limit - 4) :].split(" ", 1)[-1]


STORE_SUMMARY = update(sessions).where(sessions.c.id == bindparam("session_id"))
SUMMARY = select(sessions.c.summary).where(sessions.c.id == bindparam("session_id"))
LATEST_SUMMARY = (
    select(sessions.c.summary, sessions.c.ended_at)
    .where(
        sessions.c.user == bindparam("user"), sessions.c.conversation == bindparam("conversation")
    )
    .order_by(sessions.c.id.desc())
    .limit(1)
)


def refresh_summary(connection: Connection, session_id: int) -> None:
    """Rebuild a session's summary from the entries that it has."""
    summary = newest_that_fit(timeline.of_session(connection, session_id))
    run(connection, STORE_SUMMARY, session_id=session_id, summary=summary)


def put_right(
    connection: Connection, user: str, wrong: str, now: float, *, instead: str = ""
) -> None:
    """Take what the user corrected or removed out of the timeline and out of the summaries of
    sessions; ``wrong`` and ``instead`` are facts."""
    for session_id in timeline.put_right(connection, user, wrong, instead, now):
        refresh_summary(connection, session_id)


def entries_to_condense(connection: Connection, session_id: int) -> list[str]:
    """A session's entries where its summary holds only the newest of them; else an empty list."""
    entries = timeline.of_session(connection, session_id)
    summary = run(connection, SUMMARY, session_id=session_id).scalar()
    cut = len(joined(entries)) > MAX_SUMMARY_CHARS
    return entries if cut and summary == newest_that_fit(entries) else []


def store_condensed(
    connection: Connection, session_id: int, entries: Sequence[str], summary: str
) -> bool:
    """Store the model's summary of a session's entries. False: the entries have changed since."""
    if timeline.of_session(connection, session_id) != list(entries):
        return False
    run(connection, STORE_SUMMARY, session_id=session_id, summary=summary[:MAX_SUMMARY_CHARS])
    return True


def current_summary(connection: Connection, conversation_key: ConversationKey) -> str:
    """The summary of a conversation's current session; empty when it has none."""
    latest = run(
        connection,
        LATEST_SUMMARY,
        user=conversation_key.user,
        conversation=conversation_key.conversation,
    ).first()
    return "" if latest is None or latest.ended_at is not None else str(latest.summary)
