"""Erases what repeats erased words in other texts: summaries of sessions, tasks and projects, tags
and keys of entries, queries of the retrieval log."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import bindparam, delete, select, true, update

from lobug.language.en import mentions
from lobug.language.en.mentions import Mention
from lobug.memory import entries
from lobug.memory.sessions import refresh_summary
from lobug.storage.connection import Connection
from lobug.storage.statements import among, run
from lobug.storage.tables import (
    conversation_focus,
    conversation_log,
    memories,
    project_tasks,
    projects,
    recall_hits,
    recalls,
    sessions,
)

FORGOTTEN = "(forgotten)"
"""The name of a task or project whose own name was erased."""


_log = conversation_log.c
SUMMARIES = select(
    sessions.c.id,
    sessions.c.summary,
    sessions.c.id.in_(select(_log.session_id).where(among(_log.id, "ids"))).label("touched"),
).where(sessions.c.user == bindparam("user"), sessions.c.summary != "")

QUERIES = select(recalls.c.id, recalls.c.query, recalls.c.message_id).where(
    recalls.c.user == bindparam("user"), recalls.c.query.is_not(None)
)
UPDATE_RECALL = update(recalls).where(recalls.c.id == bindparam("recall_id"))
DELETE_HITS = delete(recall_hits).where(
    recall_hits.c.message_id.in_(
        select(_log.id).where(among(_log.id, "ids"), _log.forgotten == true())
    )
)

TASKS = select(project_tasks.c.id, project_tasks.c.title, project_tasks.c.state).where(
    project_tasks.c.user == bindparam("user")
)
UPDATE_TASK = update(project_tasks).where(project_tasks.c.id == bindparam("task_id"))

PROJECTS = (
    select(projects.c.name, projects.c.description)
    .where(projects.c.user == bindparam("user"))
    .order_by(projects.c.name)
)
UPDATE_PROJECT = update(projects).where(
    projects.c.user == bindparam("owner"), projects.c.name == bindparam("old")
)
RENAME_IN_TASKS = update(project_tasks).where(
    project_tasks.c.user == bindparam("owner"), project_tasks.c.project == bindparam("old")
)
RENAME_IN_ENTRIES = update(memories).where(
    memories.c.user == bindparam("owner"), memories.c.project == bindparam("old")
)

RENAME_IN_FOCUS = update(conversation_focus).where(
    conversation_focus.c.user == bindparam("owner"),
    conversation_focus.c.project == bindparam("old"),
)
FOCUS = select(conversation_focus.c.conversation, conversation_focus.c.tags).where(
    conversation_focus.c.user == bindparam("user")
)
UPDATE_FOCUS = update(conversation_focus).where(
    conversation_focus.c.user == bindparam("owner"),
    conversation_focus.c.conversation == bindparam("here"),
)

NAMES = select(
    memories.c.id,
    memories.c.key,
    memories.c.tags,
    memories.c.content,
    memories.c.scope,
    memories.c.conversation,
    memories.c.status,
).where(memories.c.user == bindparam("user"))


def erase(
    connection: Connection,
    user: str,
    said: Sequence[Mention],
    messages: Collection[int],
) -> int:
    """Erase what repeats erased messages, or what matches ``said``, in a user's texts. Returns
    the number of changed texts."""
    changed = _sessions(connection, user, said, messages)
    _recalls(connection, user, said, messages)
    if said:
        changed += _tasks(connection, user, said) + _projects(connection, user, said)
        changed += _names_of_entries(connection, user, said)
        changed += _focus(connection, user, said)
    return changed


def _sessions(
    connection: Connection, user: str, said: Sequence[Mention], messages: Collection[int]
) -> int:
    """Rebuild a session's summary from the timeline entries that are left where it repeats what is
    erased or any of the session's messages was erased."""
    rows = run(connection, SUMMARIES, user=user, ids=sorted(messages)).all()
    changed = 0
    for row in rows:
        if row.touched or mentions.contains_any(row.summary, said):
            refresh_summary(connection, row.id)
            changed += 1
    return changed


def _recalls(
    connection: Connection, user: str, said: Sequence[Mention], messages: Collection[int]
) -> None:
    """A query that was erased reads as the words of its message, which are gone."""
    for row in run(connection, QUERIES, user=user).all():
        if row.message_id in messages:
            run(connection, UPDATE_RECALL, recall_id=row.id, query=None)
        elif (left := mentions.without(row.query, said)) is not row.query:
            run(connection, UPDATE_RECALL, recall_id=row.id, query=left)
    run(connection, DELETE_HITS, ids=sorted(messages))


def _tasks(connection: Connection, user: str, said: Sequence[Mention]) -> int:
    changed = 0
    for row in run(connection, TASKS, user=user).all():
        title = FORGOTTEN if mentions.contains_any(row.title, said) else row.title
        state = mentions.without(row.state, said)
        if (title, state) != (row.title, row.state):
            run(connection, UPDATE_TASK, task_id=row.id, title=title, state=state)
            changed += 1
    return changed


def _projects(connection: Connection, user: str, said: Sequence[Mention]) -> int:
    rows = run(connection, PROJECTS, user=user).all()
    names = {row.name for row in rows}
    changed = 0
    for row in rows:
        name, description = row.name, mentions.without(row.description, said)
        if mentions.contains_any(row.name, said):
            name = FORGOTTEN
            while name in names:
                name = f"{FORGOTTEN} {len(names)}" if name == FORGOTTEN else f"{name}'"
            names.add(name)
            for change in (RENAME_IN_TASKS, RENAME_IN_ENTRIES, RENAME_IN_FOCUS):
                run(connection, change, owner=user, old=row.name, project=name)
        if (name, description) != (row.name, row.description):
            run(
                connection,
                UPDATE_PROJECT,
                owner=user,
                old=row.name,
                name=name,
                description=description,
            )
            changed += 1
    return changed


def _names_of_entries(connection: Connection, user: str, said: Sequence[Mention]) -> int:
    """Tags and keys of entries that stay."""
    changed = 0
    for row in run(connection, NAMES, user=user).all():
        kept = [tag for tag in row.tags if not mentions.contains_any(tag, said)]
        key = row.key
        if mentions.contains_any(_spoken(key), said):
            key = entries.key_for(row.content)
            if mentions.contains_any(_spoken(key), said):
                key = f"memory_{row.id}"
            if row.status == "active":
                key = entries.free_key(connection, user, row.scope, row.conversation, key)
        if len(kept) < len(row.tags) or key != row.key:
            entries.change(connection, row.id, key=key, tags=kept)
            changed += 1
    return changed


def _focus(connection: Connection, user: str, said: Sequence[Mention]) -> int:
    """Tags that a conversation is about."""
    changed = 0
    for row in run(connection, FOCUS, user=user).all():
        kept = [tag for tag in row.tags if not mentions.contains_any(tag, said)]
        if len(kept) < len(row.tags):
            run(connection, UPDATE_FOCUS, owner=user, here=row.conversation, tags=kept)
            changed += 1
    return changed


def _spoken(key: str) -> str:
    return key.replace("_", " ")
