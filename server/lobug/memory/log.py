"""Marks rows as processed, all or none: what both cascades rest on.

Rows of the conversation log: what was said, for good.

Functions on a connection, called on the database's own threads. Each names the user."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lobug.errors import StorageError
from lobug.memory.index import turn_words
from lobug.memory.model import HOUSEHOLD, ConversationKey, LoggedMessage, Role
from lobug.storage.driver import Connection

Table = Literal["conversation_log", "memories"]
Column = Literal["summarized", "incorporated"]


def mark_once(
    connection: Connection, table: Table, column: Column, user: str, ids: Sequence[int]
) -> bool:
    """Set ``column`` to 1 in the user's rows ``ids``. False, and nothing is set, when some had it
    already or are not the user's."""
    wanted = json.dumps(list(ids))
    # Table and column are the program's own words, as their types say; the rest is bound.
    changed = connection.execute(
        f"UPDATE {table} SET {column} = 1 WHERE user = ?1 AND {column} = 0"
        " AND id IN (SELECT value FROM json_each(?2))"
        f" AND ?3 = (SELECT count(*) FROM {table} WHERE user = ?1 AND {column} = 0"
        " AND id IN (SELECT value FROM json_each(?2)))",
        (user, wanted, len(ids)),
    )
    return int(changed.rowcount) == len(ids)


@dataclass(frozen=True, slots=True)
class Stretch:
    """Messages of one session that wait to be summarized, oldest first."""

    conversation: str
    session_id: int | None
    messages: Sequence[LoggedMessage]


def append(
    connection: Connection,
    conversation_key: ConversationKey,
    role: Role,
    content: str,
    now: float,
    *,
    session_id: int,
    reply_to: int | None = None,
    speaker: str | None = None,
) -> int:
    """Insert a message; it can be found by its words at once. Returns its id."""
    cursor = connection.execute(
        "INSERT INTO conversation_log"
        " (user, conversation, role, content, created_at, session_id, reply_to, speaker)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
        (
            conversation_key.user,
            conversation_key.conversation,
            role,
            content,
            now,
            session_id,
            reply_to,
            speaker,
        ),
    )
    message_id = int(cursor.fetchone()[0])
    turn_words.analyse(connection, [message_id])
    return message_id


def require(connection: Connection, conversation_key: ConversationKey, message_id: int) -> None:
    """Raises StorageError unless the message is this owner's own words."""
    row = connection.execute(
        "SELECT 1 FROM conversation_log"
        " WHERE id = ? AND user = ? AND conversation = ? AND role = 'user'",
        (message_id, conversation_key.user, conversation_key.conversation),
    ).fetchone()
    if row is None:
        raise StorageError(f"message {message_id} is not in this conversation")


def session_of(connection: Connection, message_id: int) -> tuple[int | None, float]:
    """The session of a message, and when it was said, seconds since the epoch."""
    row = connection.execute(
        "SELECT session_id, created_at FROM conversation_log WHERE id = ?", (message_id,)
    ).fetchone()
    return row[0], float(row[1])


def reply_to(connection: Connection, message_id: int) -> int | None:
    """The id of the reply to a message, if it has one."""
    row = connection.execute(
        "SELECT id FROM conversation_log WHERE reply_to = ?", (message_id,)
    ).fetchone()
    return None if row is None else int(row[0])


def recent(
    connection: Connection, conversation_key: ConversationKey, limit: int
) -> list[LoggedMessage]:
    """The last messages of a conversation, oldest first."""
    rows = connection.execute(
        "SELECT id, role, content, created_at FROM conversation_log"
        " WHERE user = ? AND conversation = ? AND forgotten = 0 ORDER BY id DESC LIMIT ?",
        (conversation_key.user, conversation_key.conversation, limit),
    ).fetchall()
    return [LoggedMessage(*row) for row in reversed(rows)]


def not_extracted(connection: Connection, user: str, limit: int) -> list[LoggedMessage]:
    """The user's last words that still wait for their facts to be extracted, newest first."""
    rows = connection.execute(
        "SELECT l.id, l.role, l.content, l.created_at FROM background_tasks t"
        " JOIN conversation_log l ON l.id = t.message_id WHERE t.kind = 'extract'"
        " AND t.user = ? ORDER BY l.id DESC LIMIT ?",
        (user, limit),
    )
    return [LoggedMessage(*row) for row in rows]


def is_forgotten(connection: Connection, message_id: int) -> bool:
    """Whether the words of a message were erased."""
    row = connection.execute(
        "SELECT forgotten FROM conversation_log WHERE id = ?", (message_id,)
    ).fetchone()
    return row is not None and bool(row[0])


def mark_forgotten(connection: Connection, message_id: int) -> None:
    """Mark a message without words as one whose words were erased."""
    connection.execute(
        "UPDATE conversation_log SET forgotten = 1, summarized = 1 WHERE id = ? AND content = ''",
        (message_id,),
    )


def latest_conversations(connection: Connection, limit: int) -> list[ConversationKey]:
    """Whose conversations went on last, latest first."""
    rows = connection.execute(
        "SELECT user, conversation FROM conversation_log"
        " GROUP BY user, conversation ORDER BY max(id) DESC LIMIT ?",
        (limit,),
    )
    return [ConversationKey(user, conversation) for user, conversation in rows]


def message(connection: Connection, user: str, message_id: int) -> LoggedMessage | None:
    """One message of a user."""
    row = connection.execute(
        "SELECT id, role, content, created_at FROM conversation_log WHERE id = ? AND user = ?",
        (message_id, user),
    ).fetchone()
    return None if row is None else LoggedMessage(*row)


def count_unsummarized(connection: Connection, user: str) -> int:
    """Messages of a user that no entry of the timeline sums up."""
    row = connection.execute(
        "SELECT count(*) FROM conversation_log WHERE user = ? AND summarized = 0", (user,)
    ).fetchone()
    return int(row[0])


def unsummarized_in(connection: Connection, conversation_key: ConversationKey) -> tuple[int, int]:
    """Messages of a conversation that no entry of the timeline sums up, and their tokens, estimated
    as for prompts."""
    row = connection.execute(
        "SELECT count(*), coalesce(sum(length(CAST(content AS BLOB)) / 3 + 8), 0)"
        " FROM conversation_log WHERE user = ? AND conversation = ? AND summarized = 0",
        (conversation_key.user, conversation_key.conversation),
    ).fetchone()
    return int(row[0]), int(row[1])


def count_unsummarized_of(connection: Connection, session_id: int) -> int:
    """Messages of a session that no entry of the timeline sums up."""
    row = connection.execute(
        "SELECT count(*) FROM conversation_log WHERE session_id = ? AND summarized = 0",
        (session_id,),
    ).fetchone()
    return int(row[0])


def last_of(connection: Connection, session_id: int) -> int:
    """The id of a session's last message; 0: it has none."""
    row = connection.execute(
        "SELECT coalesce(max(id), 0) FROM conversation_log WHERE session_id = ?", (session_id,)
    ).fetchone()
    return int(row[0])


def last_to_summarize(
    connection: Connection, user: str, keep: int, *, conversation: str | None = None
) -> int | None:
    """The id of the newest unsummarized message but ``keep``, of the user or of one conversation;
    None: there are no more than that."""
    row = connection.execute(
        "SELECT id FROM conversation_log WHERE user = ?1 AND summarized = 0"
        " AND (?2 IS NULL OR conversation = ?2) ORDER BY id DESC LIMIT 1 OFFSET ?3",
        (user, conversation, keep),
    ).fetchone()
    return None if row is None else int(row[0])


STRETCH_MESSAGES = 400
"""Messages that are looked at for one summary: more than fit into any prompt."""


@dataclass(frozen=True, slots=True)
class Within:
    """Of which messages a stretch may be: up to an id, of one conversation or session."""

    up_to_id: int
    conversation: str | None = None
    session_id: int | None = None


def next_stretch(connection: Connection, user: str, within: Within) -> Stretch | None:
    """The unsummarized messages of the session that has the oldest of them."""
    chosen = (
        "user = :user AND summarized = 0 AND id <= :up_to"
        " AND (:conversation IS NULL OR conversation = :conversation)"
        " AND (:session IS NULL OR session_id = :session)"
    )
    bound = {
        "user": user,
        "up_to": within.up_to_id,
        "conversation": within.conversation,
        "session": within.session_id,
    }
    first = connection.execute(
        f"SELECT conversation, session_id FROM conversation_log WHERE {chosen} ORDER BY id LIMIT 1",
        bound,
    ).fetchone()
    if first is None:
        return None
    rows = connection.execute(
        f"SELECT id, role, content, created_at FROM conversation_log WHERE {chosen}"
        " AND conversation = :of AND session_id IS :of_session ORDER BY id LIMIT :limit",
        {**bound, "of": first[0], "of_session": first[1], "limit": STRETCH_MESSAGES},
    ).fetchall()
    return Stretch(first[0], first[1], [LoggedMessage(*row) for row in rows])


def unchanged(connection: Connection, user: str, messages: Sequence[LoggedMessage]) -> bool:
    """Whether messages still say what they said when they were read: nothing was forgotten."""
    rows = connection.execute(
        "SELECT id, content FROM conversation_log"
        " WHERE user = ? AND id IN (SELECT value FROM json_each(?))",
        (user, json.dumps([message.id for message in messages])),
    )
    return dict(rows.fetchall()) == {message.id: message.content for message in messages}


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
