"""Rows of sessions: stretches of one conversation without a long pause."""

from __future__ import annotations

from collections.abc import Sequence

from lobug.memory.model import ConversationKey, Session
from lobug.storage.driver import Connection

SELECT = (
    "SELECT s.id, s.user, s.conversation, s.channel, s.started_at, s.last_active_at, s.ended_at,"
    " s.last_consolidated_at,"
    " (SELECT count(*) FROM conversation_log l WHERE l.session_id = s.id), s.summary"
    " FROM sessions s"
)


def channel_of(conversation: str) -> str:
    """How a conversation reaches Lo-Bug: the kind of its caller ("device", "token", "address"), or
    "other"."""
    kind = conversation.rpartition("/")[2].partition(":")[0]
    return kind if kind in ("device", "token", "address") else "other"


def touch(
    connection: Connection, conversation_key: ConversationKey, now: float, idle_s: float
) -> int:
    """The session that a message said now belongs to; a new one after a pause of ``idle_s``.

    A clock that was put back does not end a session."""
    row = connection.execute(
        "SELECT id, last_active_at, ended_at FROM sessions WHERE user = ? AND conversation = ?"
        " ORDER BY id DESC LIMIT 1",
        (conversation_key.user, conversation_key.conversation),
    ).fetchone()
    if row is not None and row[2] is None and now - row[1] <= idle_s:
        connection.execute(
            "UPDATE sessions SET last_active_at = max(last_active_at, ?) WHERE id = ?",
            (now, row[0]),
        )
        return int(row[0])
    if row is not None:
        connection.execute(
            "UPDATE sessions SET ended_at = coalesce(ended_at, last_active_at) WHERE id = ?",
            (row[0],),
        )
    return insert(connection, conversation_key, channel_of(conversation_key.conversation), now)


def went_on(connection: Connection, session_id: int, at: float) -> None:
    """Something more was said in a session."""
    connection.execute(
        "UPDATE sessions SET last_active_at = max(last_active_at, ?) WHERE id = ?", (at, session_id)
    )


def insert(
    connection: Connection,
    conversation_key: ConversationKey,
    channel: str,
    now: float,
    *,
    external_id: str | None = None,
) -> int:
    """Begin a session. Returns its id."""
    cursor = connection.execute(
        "INSERT INTO sessions (user, conversation, channel, external_id, started_at,"
        " last_active_at) VALUES (?, ?, ?, ?, ?, ?) RETURNING id",
        (conversation_key.user, conversation_key.conversation, channel, external_id, now, now),
    )
    return int(cursor.fetchone()[0])


def listed(
    connection: Connection, user: str, *, limit: int, before_id: int | None
) -> Sequence[Session]:
    """Sessions of a user, newest first."""
    rows = connection.execute(
        f"{SELECT} WHERE s.user = ? AND s.id < coalesce(?, 9223372036854775807)"
        " ORDER BY s.id DESC LIMIT ?",
        (user, before_id, limit),
    )
    return [Session(*row) for row in rows]


def consolidated(connection: Connection, session_id: int, up_to: float) -> None:
    """The session's messages up to this time have become memory, seconds since the epoch."""
    connection.execute(
        "UPDATE sessions SET failures = 0,"
        " last_consolidated_at = max(coalesce(last_consolidated_at, ?1), ?1) WHERE id = ?2",
        (up_to, session_id),
    )


def failed(connection: Connection, session_id: int) -> int:
    """Consolidating the session has failed. Returns how often in a row by now."""
    row = connection.execute(
        "UPDATE sessions SET failures = failures + 1 WHERE id = ? RETURNING failures", (session_id,)
    ).fetchone()
    return 0 if row is None else int(row[0])


def end(connection: Connection, session_id: int) -> None:
    """The session is over: what is said next begins another one."""
    connection.execute(
        "UPDATE sessions SET ended_at = coalesce(ended_at, last_active_at) WHERE id = ?",
        (session_id,),
    )


def conversation_of(connection: Connection, session_id: int) -> ConversationKey | None:
    """Whose session it is."""
    row = connection.execute(
        "SELECT user, conversation FROM sessions WHERE id = ?", (session_id,)
    ).fetchone()
    return None if row is None else ConversationKey(*row)


def never_ended(connection: Connection) -> list[tuple[int, str, float]]:
    """Sessions with messages that nothing sums up and no task that will: id, user, time of the last
    message. Without imported ones, which the count of messages takes in by and by."""
    rows = connection.execute(
        "SELECT s.id, s.user, s.last_active_at FROM sessions s WHERE s.channel <> 'import'"
        " AND s.id IN (SELECT session_id FROM conversation_log WHERE summarized = 0)"
        " AND NOT EXISTS (SELECT 1 FROM background_tasks t WHERE t.kind = 'end_session'"
        "                 AND t.session_id = s.id)"
    )
    return [(row[0], row[1], row[2]) for row in rows]
