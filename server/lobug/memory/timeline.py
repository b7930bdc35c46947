"""The timeline: entries of the archive, each the summary of a stretch of one conversation."""

from __future__ import annotations

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Integer, and_, bindparam, false, func, select, update

from lobug.language.en import summaries
from lobug.memory import entries
from lobug.memory.entries import NewVersion
from lobug.memory.log import mark_once
from lobug.memory.model import Entry
from lobug.memory.settled_words import Teller, tellers
from lobug.storage.connection import Connection
from lobug.storage.statements import among, columns_of, run
from lobug.storage.tables import conversation_log, memories

_entry = memories.c
TIMELINE = and_(_entry.category == "timeline", _entry.status == "active")
"""The entries of the timeline that count."""

WAITING = and_(
    TIMELINE,
    _entry.scope == "user",
    _entry.incorporated == false(),
    _entry.user == bindparam("user"),
)
"""Entries that layer identity does not hold yet; only those that all conversations of the user may
see."""


@dataclass(frozen=True, slots=True)
class Summary:
    """A stretch of one conversation in a few sentences, beginning with when it was."""

    id: int
    content: str


def stamped(content: str, at: float) -> str:
    """A timeline entry's text: "[YYYY-MM-DD HH:MM] ...", in the computer's own time zone."""
    return f"[{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M}] {content}"


STAMP = re.compile(r"^\[\d{4}-\d\d-\d\d \d\d:\d\d\] ")
RAW = "[RAW] "
"""Follows the time in an entry that could not be summarized and keeps the words themselves."""


def is_raw(content: str) -> bool:
    """Whether an entry keeps the words themselves."""
    return STAMP.sub("", content).startswith(RAW)


def unstamped(content: str) -> str:
    """An entry's text without its time and without ``RAW``."""
    return STAMP.sub("", content).removeprefix(RAW)


FIRST_MESSAGE = select(conversation_log.c.session_id, conversation_log.c.created_at).where(
    conversation_log.c.id == bindparam("message_id")
)


def insert(
    connection: Connection,
    user: str,
    conversation: str,
    content: str,
    *,
    first_message_id: int,
    last_message_id: int,
    now: float,
) -> int:
    """Insert the summary of a stretch of messages, dated by the first of them. Returns its id."""
    first = run(connection, FIRST_MESSAGE, message_id=first_message_id).first()
    session_id, said_at = (None, now) if first is None else (first.session_id, first.created_at)
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
            from_message_id=first_message_id,
            to_message_id=last_message_id,
            compared=True,
        ),
    )


OF_SESSION = (
    select(_entry.content)
    .where(TIMELINE, _entry.session_id == bindparam("session_id"), _entry.source == "system")
    .order_by(_entry.from_message_id, _entry.id)
)


def of_session(connection: Connection, session_id: int) -> list[str]:
    """The summaries of a session's stretches, oldest first."""
    return run(connection, OF_SESSION, session_id=session_id).scalars()


WRITTEN = entries.ENTRY.where(
    TIMELINE,
    _entry.user == bindparam("user"),
    _entry.source == "system",
    _entry.content.contains(bindparam("part"), autoescape=False),
).order_by(_entry.id)


COVERING = entries.ENTRY.where(
    TIMELINE,
    _entry.user == bindparam("user"),
    _entry.source == "system",
    _entry.conversation == bindparam("conversation"),
    _entry.from_message_id <= bindparam("message_id"),
    _entry.to_message_id >= bindparam("message_id"),
)
"""The summaries of the stretch that a message stands in."""


def _covers(entry: Entry, teller: Teller) -> bool:
    first, last = entry.from_message_id, entry.to_message_id
    covers = first is not None and last is not None and first <= teller.id <= last
    return covers and entry.conversation == teller.conversation


def put_right(connection: Connection, user: str, wrong: str, instead: str, now: float) -> set[int]:
    """Take the sentences that say what the user corrected or removed out of the user's summaries.
    A sentence that also says ``instead`` tells of the change, and stays. Returns the sessions
    whose summaries have changed."""
    changed = set[int]()
    told = tellers(connection, user, wrong)
    # A correction waits for this: entries without the beginning of its longest word are read only
    # if they sum up a message that told it.
    part = summaries.part_of(wrong)
    rows = {row.id: row for row in run(connection, WRITTEN, user=user, part=part).all()}
    for teller in told:
        covering = run(
            connection,
            COVERING,
            user=user,
            conversation=teller.conversation,
            message_id=teller.id,
        )
        rows |= {row.id: row for row in covering.all()}
    for _, row in sorted(rows.items()):
        entry = entries.entry_of(row)
        if is_raw(entry.content):
            continue
        text = unstamped(entry.content)
        kept, gone = summaries.without(text, wrong, instead)
        found = [one for teller in told if _covers(entry, teller) for one in teller.tellings]
        if found:
            left = [one for one in summaries.sentences_of(kept) if one not in found]
            kept, gone = " ".join(left), gone or kept != " ".join(left)
        if not gone:
            continue
        entries.retire(connection, entry.id, status="inactive", reason="corrected", now=now)
        if kept:
            content = stamped(kept, entry.said_at)
            new = entries.next_version(entry, told_by=user, now=now, content=content)
            entries.change(connection, entry.id, replaced_by=entries.insert(connection, new))
        if entry.session_id is not None:
            changed.add(entry.session_id)
    return changed


COUNT = select(func.count()).where(TIMELINE)


def count(connection: Connection) -> int:
    """All entries of the timeline."""
    return int(run(connection, COUNT).scalar())


COUNT_UNINCORPORATED = select(func.count()).where(WAITING)


def count_unincorporated(connection: Connection, user: str) -> int:
    """Timeline entries of a user that layer identity does not hold yet."""
    return int(run(connection, COUNT_UNINCORPORATED, user=user).scalar())


LAST_TO_INCORPORATE = (
    select(_entry.id)
    .where(WAITING)
    .order_by(_entry.id.desc())
    .limit(1)
    .offset(bindparam("keep", type_=Integer))
)


def last_to_incorporate(connection: Connection, user: str, keep: int) -> int | None:
    """The id of the newest unincorporated entry but ``keep``; None: there are no more."""
    found: int | None = run(connection, LAST_TO_INCORPORATE, user=user, keep=keep).scalar()
    return found


UNINCORPORATED = (
    select(*columns_of(memories, Summary))
    .where(WAITING, _entry.id <= bindparam("up_to_id"))
    .order_by(_entry.id)
)


def unincorporated(connection: Connection, user: str, up_to_id: int) -> list[Summary]:
    """The unincorporated entries of a user up to an id, oldest first."""
    rows = run(connection, UNINCORPORATED, user=user, up_to_id=up_to_id)
    return [Summary(**row._asdict()) for row in rows]


THESE = and_(
    _entry.user == bindparam("user"), among(_entry.id, "ids"), _entry.incorporated == false()
)
COUNT_TO_MARK = select(func.count()).where(THESE)
MARK_INCORPORATED = update(memories).values(incorporated=True).where(THESE)


def mark_incorporated(connection: Connection, user: str, ids: Sequence[int]) -> bool:
    """Mark entries as incorporated into layer identity. False, and nothing is marked, when some
    were already: then nothing must be stored."""
    return mark_once(connection, COUNT_TO_MARK, MARK_INCORPORATED, user, ids)


USERS_OVER = (
    select(_entry.user)
    .where(TIMELINE, _entry.scope == "user", _entry.incorporated == false())
    .group_by(_entry.user)
    .having(func.count() >= bindparam("threshold"))
)


def users_over(connection: Connection, threshold: int) -> list[str]:
    """Users with at least ``threshold`` unincorporated entries."""
    return run(connection, USERS_OVER, threshold=threshold).scalars()
