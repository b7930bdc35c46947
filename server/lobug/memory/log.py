"""Rows of the conversation log: what was said, for good.

Functions on a connection, called on the database's own threads. Each names the user.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from lobug.errors import StorageError
from lobug.memory.access import HOUSEHOLD
from lobug.memory.base import LoggedMessage, Owner, Role
from lobug.memory.driver import Connection
from lobug.memory.marking import mark_once


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages of one conversation that wait to be summarized, oldest first."""

    conversation: str
    messages: Sequence[LoggedMessage]


def append(
    connection: Connection,
    owner: Owner,
    role: Role,
    content: str,
    now: float,
    *,
    session_id: int,
    reply_to: int | None = None,
    speaker: str | None = None,
) -> int:
    """Insert a message. Returns its id."""
    cursor = connection.execute(
        "INSERT INTO conversation_log"
        " (user, conversation, role, content, created_at, session_id, reply_to, speaker)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (owner.user, owner.conversation, role, content, now, session_id, reply_to, speaker),
    )
    return int(cursor.fetchone()[0])


def require(connection: Connection, owner: Owner, message_id: int) -> None:
    """Raises StorageError unless the message is this owner's own words."""
    row = connection.execute(
        "SELECT 1 FROM conversation_log"
        " WHERE id = ? AND user = ? AND conversation = ? AND role = 'user'",
        (message_id, owner.user, owner.conversation),
    ).fetchone()
    if row is None:
        raise StorageError(f"message {message_id} is not in this conversation")


def reply_to(connection: Connection, message_id: int) -> int | None:
    """The id of the reply to a message, if it has one."""
    row = connection.execute(
        "SELECT id FROM conversation_log WHERE reply_to = ?", (message_id,)
    ).fetchone()
    return None if row is None else int(row[0])


def recent(connection: Connection, owner: Owner, limit: int) -> list[LoggedMessage]:
    """The last messages of a conversation, oldest first."""
    rows = connection.execute(
        "SELECT id, role, content, created_at FROM conversation_log"
        " WHERE user = ? AND conversation = ? AND forgotten = 0 ORDER BY id DESC LIMIT ?",
        (owner.user, owner.conversation, limit),
    ).fetchall()
    return [LoggedMessage(*row) for row in reversed(rows)]


def latest_owners(connection: Connection, limit: int) -> list[Owner]:
    """Whose conversations went on last, latest first."""
    rows = connection.execute(
        "SELECT user, conversation FROM conversation_log"
        " GROUP BY user, conversation ORDER BY max(id) DESC LIMIT ?",
        (limit,),
    )
    return [Owner(user, conversation) for user, conversation in rows]


def message(connection: Connection, user: str, message_id: int) -> LoggedMessage | None:
    """One message of a user."""
    row = connection.execute(
        "SELECT id, role, content, created_at FROM conversation_log WHERE id = ? AND user = ?",
        (message_id, user),
    ).fetchone()
    return None if row is None else LoggedMessage(*row)


def count_unsummarized(connection: Connection, user: str) -> int:
    """Messages of a user that no summary covers."""
    row = connection.execute(
        "SELECT count(*) FROM conversation_log WHERE user = ? AND summarized = 0", (user,)
    ).fetchone()
    return int(row[0])


def last_to_summarize(connection: Connection, user: str, keep: int) -> int | None:
    """The id of the newest unsummarized message but ``keep``; None: there are no more than that."""
    row = connection.execute(
        "SELECT id FROM conversation_log WHERE user = ? AND summarized = 0"
        " ORDER BY id DESC LIMIT 1 OFFSET ?",
        (user, keep),
    ).fetchone()
    return None if row is None else int(row[0])


def next_stretch(connection: Connection, user: str, up_to_id: int) -> Stretch | None:
    """The unsummarized messages up to an id, of the conversation that has the oldest of them."""
    first = connection.execute(
        "SELECT conversation FROM conversation_log"
        " WHERE user = ? AND summarized = 0 AND id <= ? ORDER BY id LIMIT 1",
        (user, up_to_id),
    ).fetchone()
    if first is None:
        return None
    rows = connection.execute(
        "SELECT id, role, content, created_at FROM conversation_log"
        " WHERE user = ? AND conversation = ? AND summarized = 0 AND id <= ? ORDER BY id",
        (user, first[0], up_to_id),
    ).fetchall()
    return Stretch(first[0], [LoggedMessage(*row) for row in rows])


def mark_summarized(connection: Connection, user: str, ids: Sequence[int]) -> bool:
    """Mark messages as covered by a summary. False, and nothing is marked, when some were already:
    then nothing must be stored."""
    return mark_once(connection, "conversation_log", "summarized", user, ids)


def mark_not_meant(connection: Connection, user: str, ids: Sequence[int]) -> None:
    """Mark messages as not said to Lo-Bug: no summary will ever cover them."""
    connection.execute(
        "UPDATE conversation_log SET summarized = 1, meant = 0"
        " WHERE user = ? AND id IN (SELECT value FROM json_each(?))",
        (user, json.dumps(list(ids))),
    )


def users_over(connection: Connection, threshold: int) -> list[str]:
    """Users with at least so many unsummarized messages."""
    rows = connection.execute(
        "SELECT user FROM conversation_log WHERE summarized = 0 GROUP BY user HAVING count(*) >= ?",
        (threshold,),
    )
    return [row[0] for row in rows]


def count(connection: Connection) -> int:
    """All messages."""
    return int(connection.execute("SELECT count(*) FROM conversation_log").fetchone()[0])


def users(connection: Connection) -> set[str]:
    """Everybody who has said something or is known."""
    rows = connection.execute(
        "SELECT user FROM conversation_log UNION SELECT user FROM memories WHERE user <> ?",
        (HOUSEHOLD,),
    )
    return {row[0] for row in rows}
