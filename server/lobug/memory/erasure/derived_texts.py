"""Erases words from texts besides entries and messages: summaries of sessions, tasks and
projects, tags and keys of entries, queries of the retrieval log."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from lobug.language.en import mentions
from lobug.language.en.mentions import Mention
from lobug.memory import entries, keys, session_summary
from lobug.storage.driver import Connection

FORGOTTEN = "(forgotten)"
"""Name of a task or project whose name was erased."""


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
    return changed


def _sessions(
    connection: Connection, user: str, said: Sequence[Mention], messages: Collection[int]
) -> int:
    """Make the summary of a session again from the remaining timeline entries, if it matches or
    one of its messages was erased."""
    rows = connection.execute(
        "SELECT s.id, s.summary, s.id IN (SELECT l.session_id FROM conversation_log l"
        "  JOIN json_each(?2) e ON e.value = l.id)"
        " FROM sessions s WHERE s.user = ?1 AND s.summary <> ''",
        (user, json.dumps(sorted(messages))),
    ).fetchall()
    changed = 0
    for session_id, summary, touched in rows:
        if touched or mentions.contains_any(summary, said):
            session_summary.refresh(connection, session_id)
            changed += 1
    return changed


def _recalls(
    connection: Connection, user: str, said: Sequence[Mention], messages: Collection[int]
) -> None:
    """Erase a query that matches; it then reads as the words of its message, which are erased."""
    rows = connection.execute(
        "SELECT id, query, message_id FROM recalls WHERE user = ? AND query IS NOT NULL", (user,)
    ).fetchall()
    for recall_id, query, message_id in rows:
        if message_id in messages:
            connection.execute("UPDATE recalls SET query = NULL WHERE id = ?", (recall_id,))
        elif (left := mentions.without(query, said)) is not query:
            connection.execute("UPDATE recalls SET query = ? WHERE id = ?", (left, recall_id))
    connection.execute(
        "DELETE FROM recall_hits WHERE message_id IN (SELECT l.id FROM conversation_log l"
        " JOIN json_each(?) e ON e.value = l.id WHERE l.forgotten = 1)",
        (json.dumps(sorted(messages)),),
    )


def _tasks(connection: Connection, user: str, said: Sequence[Mention]) -> int:
    rows = connection.execute(
        "SELECT id, title, state FROM project_tasks WHERE user = ?", (user,)
    ).fetchall()
    changed = 0
    for task_id, title, state in rows:
        new_title = FORGOTTEN if mentions.contains_any(title, said) else title
        new_state = mentions.without(state, said)
        if (new_title, new_state) != (title, state):
            connection.execute(
                "UPDATE project_tasks SET title = ?, state = ? WHERE id = ?",
                (new_title, new_state, task_id),
            )
            changed += 1
    return changed


def _projects(connection: Connection, user: str, said: Sequence[Mention]) -> int:
    rows = connection.execute(
        "SELECT name, description FROM projects WHERE user = ? ORDER BY name", (user,)
    ).fetchall()
    names = {row[0] for row in rows}
    changed = 0
    for name, description in rows:
        new_name, new_description = name, mentions.without(description, said)
        if mentions.contains_any(name, said):
            new_name = FORGOTTEN
            while new_name in names:
                new_name = f"{FORGOTTEN} {len(names)}" if new_name == FORGOTTEN else f"{new_name}'"
            names.add(new_name)
            for change in (
                "UPDATE project_tasks SET project = ? WHERE user = ? AND project = ?",
                "UPDATE memories SET project = ? WHERE user = ? AND project = ?",
            ):
                connection.execute(change, (new_name, user, name))
        if (new_name, new_description) != (name, description):
            connection.execute(
                "UPDATE projects SET name = ?, description = ? WHERE user = ? AND name = ?",
                (new_name, new_description, user, name),
            )
            changed += 1
    return changed


def _names_of_entries(connection: Connection, user: str, said: Sequence[Mention]) -> int:
    """Erase matching tags and keys of the remaining entries."""
    rows = connection.execute(
        "SELECT id, key, tags, content, scope, conversation, status FROM memories WHERE user = ?",
        (user,),
    ).fetchall()
    changed = 0
    for entry_id, key, tags, content, scope, conversation, status in rows:
        known: list[str] = json.loads(tags)
        kept = [tag for tag in known if not mentions.contains_any(tag, said)]
        new_key = key
        if mentions.contains_any(_spoken(key), said):
            new_key = keys.key_for(content)
            if mentions.contains_any(_spoken(new_key), said):
                new_key = f"memory_{entry_id}"
            if status == "active":
                new_key = entries.free_key(connection, user, scope, conversation, new_key)
        if len(kept) < len(known) or new_key != key:
            connection.execute(
                "UPDATE memories SET key = ?, tags = ? WHERE id = ?",
                (new_key, json.dumps(kept, ensure_ascii=False), entry_id),
            )
            changed += 1
    return changed


def _spoken(key: str) -> str:
    return key.replace("_", " ")
