"""Deletes rows, whatever they say: of a session, of a user, or what is old.

Call ``purge`` in one write transaction and within ``TurnPriority.exclusive()``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sqlalchemy import BindParameter, bindparam, delete, exists, or_, select, update

from lobug.errors import MemoryContentError, MemoryNotFoundError
from lobug.memory import entries, timeline
from lobug.memory.claims import tombstones
from lobug.memory.erasure import deletion
from lobug.memory.erasure.deletion import Erasure, rolled_back
from lobug.memory.erasure.report import Cause
from lobug.memory.index import turn_words
from lobug.memory.model import Forgotten, MemoryScope, Purge
from lobug.memory.sessions import refresh_summary
from lobug.storage import compaction
from lobug.storage.connection import Connection
from lobug.storage.statements import Row, among, run
from lobug.storage.tables import (
    background_tasks,
    conversation_focus,
    conversation_log,
    memories,
    project_tasks,
    projects,
    recalls,
    sessions,
    task_sessions,
)

DAY_S = 86_400.0

_log, _entry = conversation_log.c, memories.c
_user: BindParameter[str] = bindparam("user")

SESSION = select(sessions.c.conversation, sessions.c.started_at, sessions.c.last_active_at).where(
    sessions.c.id == bindparam("session_id"), sessions.c.user == _user
)
MESSAGES_OF_SESSION = select(_log.id).where(_log.session_id == bindparam("session_id"))
ENTRIES_OF_SESSION = (
    select(_entry.id)
    .where(
        _entry.user == _user,
        or_(
            _entry.session_id == bindparam("session_id"),
            _entry.source_message_id.in_(MESSAGES_OF_SESSION),
        ),
    )
    .order_by(_entry.id)
)
DELETE_RECALLS_OF_SESSION = delete(recalls).where(
    recalls.c.user == _user,
    recalls.c.conversation == bindparam("conversation"),
    recalls.c.message_id.is_(None),
    recalls.c.created_at.between(bindparam("first"), bindparam("last")),
)
LEAVE_SESSION = (
    update(memories).values(session_id=None).where(_entry.session_id == bindparam("of_session"))
)
DELETE_SESSION = delete(sessions).where(sessions.c.id == bindparam("session_id"))

ENTRIES_OF_USER = select(_entry.id, _entry.key).where(_entry.user == _user).order_by(_entry.id)
MESSAGES_OF_USER = select(_log.id).where(_log.user == _user)
DELETE_TASKS_TO_DO = delete(background_tasks).where(background_tasks.c.user == _user)
DELETE_RECALLS = delete(recalls).where(recalls.c.user == _user)
UNLINK_ARCHIVE = update(project_tasks).values(archived_as=None).where(project_tasks.c.user == _user)
DELETE_TASKS = delete(project_tasks).where(project_tasks.c.user == _user)
DELETE_FOCUS = delete(conversation_focus).where(conversation_focus.c.user == _user)
DELETE_PROJECTS = delete(projects).where(projects.c.user == _user)
LEAVE_SESSIONS = (
    update(memories)
    .values(session_id=None)
    .where(_entry.session_id.in_(select(sessions.c.id).where(sessions.c.user == _user)))
)
DELETE_SESSIONS = delete(sessions).where(sessions.c.user == _user)

OLD_MESSAGES = select(_log.id).where(_log.user == _user, _log.created_at < bindparam("cutoff"))
OLD_TIMELINE = (
    select(
        _entry.id,
        _entry.key,
        _entry.session_id,
        _entry.conversation,
        _entry.from_message_id,
        _entry.to_message_id,
    )
    .where(
        _entry.user == _user,
        _entry.category == "timeline",
        _entry.said_at < bindparam("cutoff"),
    )
    .order_by(_entry.id)
)
DELETE_OLD_RECALLS = DELETE_RECALLS.where(recalls.c.created_at < bindparam("cutoff"))
DELETE_OLD_SESSIONS = DELETE_SESSIONS.where(
    sessions.c.last_active_at < bindparam("cutoff"),
    ~exists(select(1).where(_log.session_id == sessions.c.id)),
)

DELETE_WORK_ON = delete(background_tasks).where(among(background_tasks.c.message_id, "ids"))
CUT_SOURCES = (
    update(memories).values(source_message_id=None).where(among(_entry.source_message_id, "ids"))
)
CUT_REPLIES = update(conversation_log).values(reply_to=None).where(among(_log.reply_to, "ids"))
DELETE_MESSAGES = delete(conversation_log).where(among(_log.id, "ids"))


def cause_of(what: Purge) -> Cause:
    """What a purge is reported as."""
    if what.session is not None:
        return "purge_session"
    return "purge_user" if what.user else "purge_older"


def purge(connection: Connection, scope: MemoryScope, what: Purge, now: float) -> Forgotten:
    """Erase a session, everything of the scope's user, or what is older. What the user told the
    household belongs to the household and stays; it can be forgotten entry by entry.

    Raises MemoryNotFoundError for a session of another user, MemoryContentError unless exactly one
    thing is asked for.
    """
    _check(what)
    if what.session is not None:
        return purge_session(connection, scope, what.session, now)
    if what.older_than_days is not None:
        return purge_older(connection, scope.user, now - what.older_than_days * DAY_S, now)
    return purge_user(connection, scope.user, now)


def _check(what: Purge) -> None:
    asked = (what.session is not None) + what.user + (what.older_than_days is not None)
    if asked != 1:
        raise MemoryContentError("a purge erases a session, a user, or what is older: one of them")
    # NaN too
    if what.older_than_days is not None and not 0.0 <= what.older_than_days < math.inf:
        raise MemoryContentError("older_than_days is a number of days, 0 or more")


def preview(connection: Connection, scope: MemoryScope, what: Purge, now: float) -> Forgotten:
    """What ``purge`` would erase; nothing is changed. Needs a write transaction for a session,
    whose erasure is rolled back. Raises as ``purge`` does."""
    _check(what)
    if what.session is not None:
        with rolled_back(connection):
            return purge(connection, scope, what, now)
    if what.older_than_days is not None:
        bound: dict[str, object] = {
            "user": scope.user,
            "cutoff": now - what.older_than_days * DAY_S,
        }
        messages, found = OLD_MESSAGES, OLD_TIMELINE
    else:
        bound = {"user": scope.user}
        messages, found = MESSAGES_OF_USER, ENTRIES_OF_USER
    rows = run(connection, found, **bound).all()
    return Forgotten(
        entries=tuple(row.id for row in rows),
        keys=tuple(dict.fromkeys(row.key for row in rows)),
        messages=len(run(connection, messages, **bound).scalars()),
    )


def purge_session(
    connection: Connection, scope: MemoryScope, session_id: int, now: float
) -> Forgotten:
    """Erase a session: its messages, the entries made in it, the summaries that cover any of it
    (the rest of those will be summarized again), and what was distilled from these. Raises
    MemoryNotFoundError."""
    row = None
    if 0 < session_id <= entries.MAX_ID:
        row = run(connection, SESSION, session_id=session_id, user=scope.user).first()
    if row is None:
        raise MemoryNotFoundError(f"there is no session {session_id}")
    messages = run(connection, MESSAGES_OF_SESSION, session_id=session_id).scalars()
    erasure = Erasure(connection, scope, now)
    erasure.add_messages(messages)
    made = run(connection, ENTRIES_OF_SESSION, session_id=session_id, user=scope.user).scalars()
    for entry_id in made:
        erasure.erase_entry(entry_id)
    gone = erasure.finish(())
    turn_words.forget_turns(connection, messages)
    delete_messages(connection, messages)
    run(
        connection,
        DELETE_RECALLS_OF_SESSION,
        user=scope.user,
        conversation=row.conversation,
        first=row.started_at,
        last=row.last_active_at,
    )
    _leave_archived_tasks(connection, session_id, row.started_at)
    run(connection, LEAVE_SESSION, of_session=session_id)
    run(connection, DELETE_SESSION, session_id=session_id)
    compaction.note(connection, now)
    return gone


ARCHIVED_TASKS = (
    select(_entry.id, _entry.content)
    .join(project_tasks, project_tasks.c.archived_as == _entry.id)
    .join(task_sessions, task_sessions.c.task_id == project_tasks.c.id)
    .where(task_sessions.c.session_id == bindparam("session_id"))
)


def _leave_archived_tasks(connection: Connection, session_id: int, started_at: float) -> None:
    """Cut what a session has added out of the results of the tasks that it was about. To open
    tasks it adds nothing any more once its row is gone."""
    line = timeline.stamped("", started_at)
    for row in run(connection, ARCHIVED_TASKS, session_id=session_id).all():
        title, *rest = row.content.split("\n")  # the title's line begins with a time too
        left = "\n".join([title, *(part for part in rest if not part.startswith(line))])
        if left != row.content:
            deletion.rewrite(connection, row.id, left)


def purge_user(connection: Connection, user: str, now: float) -> Forgotten:
    """Erase everything of a user."""
    rows = run(connection, ENTRIES_OF_USER, user=user).all()
    messages = run(connection, MESSAGES_OF_USER, user=user).scalars()
    for change in (DELETE_TASKS_TO_DO, DELETE_RECALLS, UNLINK_ARCHIVE):
        run(connection, change, user=user)
    for row in rows:
        entries.delete_row(connection, row.id)
    for change in (DELETE_FOCUS, DELETE_TASKS, DELETE_PROJECTS):
        run(connection, change, user=user)
    tombstones.remove_all(connection, user)
    turn_words.forget_user(connection, user)
    delete_messages(connection, messages)
    for change in (LEAVE_SESSIONS, DELETE_SESSIONS):
        run(connection, change, user=user)
    compaction.note(connection, now)
    return Forgotten(
        entries=tuple(row.id for row in rows),
        keys=tuple(dict.fromkeys(row.key for row in rows)),
        messages=len(messages),
    )


def purge_older(connection: Connection, user: str, cutoff: float, now: float) -> Forgotten:
    """Erase a user's messages, recalls and timeline entries from before ``cutoff`` (seconds since
    the epoch), and the sessions of which nothing is left. What is known stays, without the words
    that it came from. Where a summary reaches over the cutoff, the later messages are summarized
    again."""
    bound = {"user": user, "cutoff": cutoff}
    messages = run(connection, OLD_MESSAGES, **bound).scalars()
    old = run(connection, OLD_TIMELINE, **bound).all()
    run(connection, DELETE_OLD_RECALLS, **bound)
    turn_words.forget_turns(connection, messages)
    delete_messages(connection, messages)
    delete_timeline(connection, old)
    for row in old:
        if None not in (row.conversation, row.from_message_id, row.to_message_id):
            deletion.reopen(
                connection, user, row.conversation, row.from_message_id, row.to_message_id, now
            )
    run(connection, DELETE_OLD_SESSIONS, **bound)
    gone = Forgotten(
        entries=tuple(row.id for row in old),
        keys=tuple(dict.fromkeys(row.key for row in old)),
        messages=len(messages),
    )
    if gone != Forgotten():
        compaction.note(connection, now)
    return gone


def delete_messages(connection: Connection, ids: Sequence[int]) -> None:
    """Delete rows of the log with the work on them. Entries taken from them stay, without a
    source. Take the turns out of the index before (``turn_words.forget_turns``): left to the
    triggers, that is done turn by turn and takes far longer."""
    for change in (DELETE_WORK_ON, CUT_SOURCES, CUT_REPLIES, DELETE_MESSAGES):
        run(connection, change, ids=ids)


def delete_timeline(connection: Connection, rows: Sequence[Row]) -> None:
    """Delete entries of the timeline and rebuild the summaries of their sessions."""
    for row in rows:
        entries.delete_row(connection, row.id)
    for session_id in {row.session_id for row in rows if row.session_id is not None}:
        refresh_summary(connection, session_id)
