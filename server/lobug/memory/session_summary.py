"""Summaries of sessions, made from their timeline entries, for a prompt whose history was cut.

Kept in ``sessions.summary``: the entries in order; if they are too long, the newest that fit, until
the model has condensed them.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, select, update

from lobug.memory import timeline
from lobug.memory.model import ConversationKey
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import sessions

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


STORE = update(sessions).where(sessions.c.id == bindparam("session_id"))
SUMMARY = select(sessions.c.summary).where(sessions.c.id == bindparam("session_id"))
LATEST = (
    select(sessions.c.summary, sessions.c.ended_at)
    .where(
        sessions.c.user == bindparam("user"), sessions.c.conversation == bindparam("conversation")
    )
    .order_by(sessions.c.id.desc())
    .limit(1)
)


def refresh(connection: Connection, session_id: int) -> None:
    """Rebuild a session's summary from the entries that it has."""
    summary = newest_that_fit(timeline.of_session(connection, session_id))
    run(connection, STORE, session_id=session_id, summary=summary)


def to_condense(connection: Connection, session_id: int) -> list[str]:
    """A session's entries where its summary holds only the newest of them; else an empty list."""
    entries = timeline.of_session(connection, session_id)
    summary = run(connection, SUMMARY, session_id=session_id).scalar()
    cut = len(joined(entries)) > MAX_CHARS
    return entries if cut and summary == newest_that_fit(entries) else []


def condensed(
    connection: Connection, session_id: int, entries: Sequence[str], summary: str
) -> bool:
    """Store the model's summary of a session's entries. False: the entries have changed since."""
    if timeline.of_session(connection, session_id) != list(entries):
        return False
    run(connection, STORE, session_id=session_id, summary=summary[:MAX_CHARS])
    return True


def current(connection: Connection, conversation_key: ConversationKey) -> str:
    """The summary of a conversation's current session; empty when it has none."""
    latest = run(
        connection,
        LATEST,
        user=conversation_key.user,
        conversation=conversation_key.conversation,
    ).first()
    return "" if latest is None or latest.ended_at is not None else str(latest.summary)
