"""Rows of the timeline: entries of the archive that each sum up a stretch of one conversation."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from lobug.memory import entries
from lobug.memory.entries import NewVersion
from lobug.memory.log import mark_once
from lobug.storage.driver import Connection

WHERE = "category = 'timeline' AND status = 'active'"
WAITING = f"{WHERE} AND scope = 'user' AND incorporated = 0"
"""What layer identity has yet to take in: it is seen in every conversation of the user."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A stretch of one conversation in a few sentences, beginning with when it was."""

    id: int
    conversation: str
    content: str
    source_from_id: int
    source_to_id: int
    """First and last message of the stretch."""
    created_at: float


def stamped(content: str, at: float) -> str:
    """A timeline entry's text: "[YYYY-MM-DD HH:MM] ...", in the computer's own time zone."""
    return f"[{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M}] {content}"


STAMP = re.compile(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d\] ")
RAW = "[RAW] "
"""Begins, after the time, what could not be summed up and is kept as it was said."""


def unstamped(content: str) -> str:
    """An entry's text without when it was and without the mark of raw ones."""
    return STAMP.sub("", content).removeprefix(RAW)


def insert(
    connection: Connection,
    user: str,
    conversation: str,
    content: str,
    *,
    source_from_id: int,
    source_to_id: int,
    now: float,
) -> int:
    """Store what sums up a stretch of messages, dated by the first of them. Returns its id."""
    row = connection.execute(
        "SELECT session_id, created_at FROM conversation_log WHERE id = ?", (source_from_id,)
    ).fetchone()
    session_id, said_at = (row[0], row[1]) if row is not None else (None, now)
    return entries.insert(
        connection,
        NewVersion(
            user=user,
            told_by=user,
            content=stamped(content, said_at),
            key=f"ctx_{session_id or 0}_{uuid.uuid4().hex[:12]}",
            source="system",
            said_at=said_at,
            now=now,
            conversation=conversation,
            session_id=session_id,
            layer="archive",
            category="timeline",
            fact_type="event",
            from_message_id=source_from_id,
            to_message_id=source_to_id,
            compared=True,
        ),
    )


def of_session(connection: Connection, session_id: int) -> list[str]:
    """The texts that sum up a session, oldest first."""
    rows = connection.execute(
        f"SELECT content FROM memories WHERE {WHERE} AND session_id = ? AND source = 'system'"
        " ORDER BY from_message_id, id",
        (session_id,),
    )
    return [row[0] for row in rows]


def count(connection: Connection) -> int:
    """All entries of the timeline."""
    return int(connection.execute(f"SELECT count(*) FROM memories WHERE {WHERE}").fetchone()[0])


def count_unincorporated(connection: Connection, user: str) -> int:
    """Timeline entries of a user that layer identity does not hold yet."""
    row = connection.execute(
        f"SELECT count(*) FROM memories WHERE {WAITING} AND user = ?", (user,)
    ).fetchone()
    return int(row[0])


def last_to_incorporate(connection: Connection, user: str, keep: int) -> int | None:
    """The id of the newest unincorporated entry but ``keep``; None: there are no more."""
    row = connection.execute(
        f"SELECT id FROM memories WHERE {WAITING} AND user = ? ORDER BY id DESC LIMIT 1 OFFSET ?",
        (user, keep),
    ).fetchone()
    return None if row is None else int(row[0])


def unincorporated(connection: Connection, user: str, up_to_id: int) -> list[Summary]:
    """The unincorporated entries of a user up to an id, oldest first."""
    rows = connection.execute(
        "SELECT id, coalesce(conversation, ''), content, coalesce(from_message_id, 0),"
        f" coalesce(to_message_id, 0), created_at FROM memories WHERE {WAITING}"
        " AND user = ? AND id <= ? ORDER BY id",
        (user, up_to_id),
    )
    return [Summary(*row) for row in rows]


def mark_incorporated(connection: Connection, user: str, ids: Sequence[int]) -> bool:
    """Mark entries as taken into layer identity. False, and nothing is marked, when some were
    already: then nothing must be stored."""
    return mark_once(connection, "memories", "incorporated", user, ids)


def users_over(connection: Connection, threshold: int) -> list[str]:
    """Users with at least so many unincorporated entries."""
    rows = connection.execute(
        f"SELECT user FROM memories WHERE {WAITING} GROUP BY user HAVING count(*) >= ?",
        (threshold,),
    )
    return [row[0] for row in rows]
