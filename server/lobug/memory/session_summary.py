"""Summaries of sessions, made from their timeline entries, for a prompt whose history was cut.

Kept in ``sessions.summary``: the entries in order; if they are too long, the newest that fit, until
the model has condensed them.
"""

from __future__ import annotations

from collections.abc import Sequence

from lobug.memory import timeline
from lobug.memory.model import ConversationKey
from lobug.storage.driver import Connection

MAX_CHARS = 1_200
"""Longest summary of a session, characters: about 300 tokens of every prompt that has it."""


def joined(entries: Sequence[str]) -> str:
    """Entries as one text, without their time stamps."""
    return " ".join(" ".join(timeline.unstamped(text).split()) for text in entries)


def newest_that_fit(entries: Sequence[str], limit: int = MAX_CHARS) -> str:
    """The last entries that fit; at least the end of the last one."""
    kept: list[str] = []
    for text in reversed(entries):
        if kept and len(joined([text, *kept])) > limit:
            break
        kept.insert(0, text)
    whole = joined(kept)
    return whole if len(whole) <= limit else "... " + whole[-(limit - 4) :].split(" ", 1)[-1]


def refresh(connection: Connection, session_id: int) -> None:
    """Make the summary of a session from its entries."""
    connection.execute(
        "UPDATE sessions SET summary = ? WHERE id = ?",
        (newest_that_fit(timeline.of_session(connection, session_id)), session_id),
    )


def to_condense(connection: Connection, session_id: int) -> list[str]:
    """A session's entries if its summary holds only the newest of them; else empty."""
    entries = timeline.of_session(connection, session_id)
    row = connection.execute("SELECT summary FROM sessions WHERE id = ?", (session_id,)).fetchone()
    cut = len(joined(entries)) > MAX_CHARS and row is not None
    return entries if cut and row[0] == newest_that_fit(entries) else []


def condensed(
    connection: Connection, session_id: int, entries: Sequence[str], summary: str
) -> bool:
    """Store the model's summary of a session. Returns False if its entries have changed
    meanwhile."""
    if timeline.of_session(connection, session_id) != list(entries):
        return False
    connection.execute(
        "UPDATE sessions SET summary = ? WHERE id = ?", (summary[:MAX_CHARS], session_id)
    )
    return True


def current(connection: Connection, conversation_key: ConversationKey) -> str:
    """The summary of a conversation's open session; empty when there is none."""
    row = connection.execute(
        "SELECT summary, ended_at FROM sessions WHERE user = ? AND conversation = ?"
        " ORDER BY id DESC LIMIT 1",
        (conversation_key.user, conversation_key.conversation),
    ).fetchone()
    return "" if row is None or row[1] is not None else str(row[0])
