"""Exports the whole memory of one user: in the format of ``document_format``, or as Markdown.

Vectors and text indexes are left out, since they can be made again. In Markdown the words of the
user are quoted unchanged; Markdown characters in them are escaped, so that no content can look like
a heading.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Label, Select, Table, bindparam, exists, or_, select

from lobug.language.protocol import FACT_TYPES
from lobug.memory import entries
from lobug.memory.entries import VISIBLE, seen_by
from lobug.memory.exchange import document_format
from lobug.memory.exchange.document_format import (
    EntryRow,
    HitRow,
    MessageRow,
    ProjectRow,
    RecallRow,
    Row,
    SessionRow,
    TaskRow,
)
from lobug.memory.model import HOUSEHOLD, MemoryScope
from lobug.memory.projects import working_state
from lobug.storage.connection import Connection
from lobug.storage.statements import run
from lobug.storage.tables import (
    background_tasks,
    conversation_log,
    memories,
    project_tasks,
    projects,
    recall_hits,
    recalls,
    sessions,
)

COLUMNS = {
    "session": "session_id",
    "message": "message_id",
    "source_message": "source_message_id",
    "from_message": "from_message_id",
    "to_message": "to_message_id",
    "entry": "memory_id",
    "task": "task_id",
}
"""Columns that have another name in a document, by that name."""


def _columns(table: Table, row: type[Row]) -> list[Label[Any]]:
    """The columns of a table that a row of the document has, under the document's names."""
    names = ((name, COLUMNS.get(name, name)) for name in row.model_fields)
    return [table.c[column].label(name) for name, column in names if column in table.c]


def _of_user(table: Table, row: type[Row], *more: ColumnElement[Any]) -> Select[*tuple[Any, ...]]:
    return select(*_columns(table, row), *more).where(table.c.user == bindparam("seen_user"))


_to_extract = exists(
    select(1).where(
        background_tasks.c.kind == "extract",
        background_tasks.c.message_id == conversation_log.c.id,
    )
).label("to_extract")
SESSIONS = _of_user(sessions, SessionRow).order_by(sessions.c.id)
MESSAGES = _of_user(conversation_log, MessageRow, _to_extract).order_by(conversation_log.c.id)
ENTRIES = (
    select(*_columns(memories, EntryRow))
    .where(VISIBLE, or_(memories.c.user != HOUSEHOLD, memories.c.told_by == bindparam("seen_user")))
    .order_by(memories.c.id)
)
PROJECTS = _of_user(projects, ProjectRow).order_by(projects.c.name)
TASKS = _of_user(project_tasks, TaskRow).order_by(project_tasks.c.id)
RECALLS = _of_user(recalls, RecallRow).order_by(recalls.c.id)
HITS = (
    select(recall_hits.c.recall_id, *_columns(recall_hits, HitRow))
    .join(recalls, recalls.c.id == recall_hits.c.recall_id)
    .where(recalls.c.user == bindparam("seen_user"))
    .order_by(recall_hits.c.recall_id, recall_hits.c.rank)
)


def export(connection: Connection, scope: MemoryScope, now: float) -> dict[str, Any]:
    """The whole memory of the scope's user. Imported into an empty database it exports as the same
    document, except for ``exported_at``. Of the household's memories it holds those that the user
    told, if the scope may see the household's.

    Reads one state of the database, even while others write.
    """
    own = not connection.in_transaction
    if own:
        connection.execute("BEGIN")
    try:
        exported = _Export(connection, scope)
        return {
            "format": document_format.FORMAT,
            "version": document_format.VERSION,
            "exported_at": now,
            "user": scope.user,
            "sessions": exported.sessions(),
            "messages": exported.messages(),
            "entries": exported.entries(),
            "projects": exported.projects(),
            "tasks": exported.tasks(),
            "recalls": exported.recalls(),
        }
    finally:
        if own:
            connection.execute("COMMIT")


class _Export:
    """Collects rows in the order of their ids, with positions instead of ids."""

    def __init__(self, connection: Connection, scope: MemoryScope) -> None:
        self._connection = connection
        self._scope = scope
        self._session_at = self._places(SESSIONS)
        self._message_at = self._places(MESSAGES)
        self._task_at = self._places(TASKS)
        self._entry_at = self._places(ENTRIES)

    def sessions(self) -> list[dict[str, Any]]:
        return [row | {"id": self._session_at[row["id"]]} for row in self._rows(SESSIONS)]

    def messages(self) -> list[dict[str, Any]]:
        found = self._rows(MESSAGES)
        for row in found:
            row["id"] = self._message_at[row["id"]]
            row["session"] = self._session_at.get(row["session"])
            row["reply_to"] = self._message_at.get(row["reply_to"])
            row["to_extract"] = bool(row["to_extract"])
        return found

    def entries(self) -> list[dict[str, Any]]:
        found = self._rows(ENTRIES)
        for row in found:
            sources = entries.sources(self._connection, row["id"])
            row["id"] = self._entry_at[row["id"]]
            row["distilled_from"] = sorted(
                self._entry_at[source] for source in sources if source in self._entry_at
            )
            row["session"] = self._session_at.get(row.pop("session"))
            row["task"] = self._task_at.get(row.pop("task"))
            for name in ("source_message", "from_message", "to_message"):
                row[name] = self._message_at.get(row.pop(name))
            row["replaced_by"] = self._entry_at.get(row["replaced_by"])
            row["tags"] = list(row["tags"])
        return found

    def projects(self) -> list[dict[str, Any]]:
        return self._rows(PROJECTS)

    def tasks(self) -> list[dict[str, Any]]:
        found = self._rows(TASKS)
        return [
            row
            | {
                "id": self._task_at[row["id"]],
                "archived_as": self._entry_at.get(row["archived_as"]),
                "state": self._state(row),
            }
            for row in found
        ]

    def _state(self, task: dict[str, Any]) -> str:
        """An open task's working state, with what sessions have added to it."""
        if task["status"] != "open":
            return str(task["state"])
        return working_state(self._connection, task["id"])

    def recalls(self) -> list[dict[str, Any]]:
        found = self._rows(RECALLS)
        hits: dict[int, list[dict[str, Any]]] = {row["id"]: [] for row in found}
        for hit in self._rows(HITS):
            recall_id = hit.pop("recall_id")
            hit["entry"] = self._entry_at.get(hit["entry"])
            hit["message"] = self._message_at.get(hit["message"])
            hit["parts"] = json.loads(hit["parts"])
            if (hit["entry"], hit["message"]) != (None, None):  # else: what others told
                hits[recall_id].append(hit)
        return [
            row
            | {
                "id": place,
                "message": self._message_at.get(row["message"]),
                "hits": hits[row["id"]],
            }
            for place, row in enumerate(found, start=1)
        ]

    def _places(self, statement: Select[*tuple[Any, ...]]) -> Mapping[int | None, int]:
        rows = run(self._connection, statement, **seen_by(self._scope))
        return {row.id: place for place, row in enumerate(rows, start=1)}

    def _rows(self, statement: Select[*tuple[Any, ...]]) -> list[dict[str, Any]]:
        rows = run(self._connection, statement, **seen_by(self._scope))
        return [row._asdict() for row in rows]


MARKS = re.compile(
    r"([\\`*_\[\]<>|~])|^([^\S\n]*+)(#{1,6}(?=\s)|[-+](?=\s)|\d+[.)](?=\s)|=+$|-+$)", re.M
)

Shown = Mapping[str, Any]
"""A row of a document, as a JSON object."""


def export_markdown(document: Mapping[str, Any]) -> str:
    """The document of ``export.export`` as Markdown: who the user is, what is known, the
    timeline by month, projects and tasks, and how the known things have changed."""
    entries: list[Shown] = document["entries"]
    active = [entry for entry in entries if entry["status"] == "active"]
    sections = (
        _identity([entry for entry in active if entry["layer"] == "identity"]),
        _knowledge([entry for entry in active if entry["layer"] == "knowledge"]),
        _timeline([entry for entry in active if entry["layer"] == "archive"]),
        _projects(document["projects"], document["tasks"]),
        _changes(entries),
    )
    counts = f"{len(active)} memories, {len(document['messages'])} messages"
    lines = [
        f"# What Lo-Bug remembers of {escaped(document['user'])}",
        "",
        f"As of {_day(document['exported_at'])}: {counts}. Times are UTC.",
    ]
    for section in sections:
        lines += section
    return "\n".join(lines) + "\n"


def escaped(text: str) -> str:
    """A text on one line, with all Markdown characters escaped."""
    line = " ".join(str(text).split())
    return MARKS.sub(
        lambda m: f"\\{m[1]}" if m[1] else f"{m[2]}{_escaped_opening(m[3])}",
        line,
    )


def _escaped_opening(opening: str) -> str:
    return f"{opening[:-1]}\\{opening[-1]}" if opening[0].isdigit() else f"\\{opening}"


def _identity(entries: Sequence[Shown]) -> Iterator[str]:
    yield from ("", "## Who this is", "")
    if not entries:
        yield "Nothing yet."
    for section, rows in _by(entries, lambda entry: entry["section"] or "User Profile"):
        yield from (f"### {escaped(section)}", "", *(_item(row) for row in rows), "")


def _knowledge(entries: Sequence[Shown]) -> Iterator[str]:
    yield from ("", "## What is known", "")
    if not entries:
        yield "Nothing yet."
    for kind in FACT_TYPES:
        rows = [entry for entry in entries if entry["fact_type"] == kind]
        if rows:
            yield from (f"### {kind.capitalize()}", "", *(_item(row) for row in rows), "")


def _timeline(entries: Sequence[Shown]) -> Iterator[str]:
    yield from ("", "## Timeline", "")
    if not entries:
        yield "Nothing yet."
    ordered = sorted(entries, key=lambda entry: (entry["said_at"], entry["id"]))
    for month, rows in groupby(ordered, key=lambda entry: _day(entry["said_at"])[:7]):
        yield from (f"### {month}", "", *(f"- {escaped(row['content'])}" for row in rows), "")


def _projects(projects: Sequence[Shown], tasks: Sequence[Shown]) -> Iterator[str]:
    yield from ("", "## Projects and tasks", "")
    if not projects and not tasks:
        yield "None."
    for project in projects:
        done = " (archived)" if project["status"] == "archived" else ""
        yield from (f"### {escaped(project['name'])}{done}", "")
        if project["description"]:
            yield from (escaped(project["description"]), "")
        yield from _task_lines(task for task in tasks if task["project"] == project["name"])
    named = {project["name"] for project in projects}
    other = [task for task in tasks if task["project"] not in named]
    if other:
        yield from ("### Without a project", "")
        yield from _task_lines(other)


def _task_lines(tasks: Iterable[Shown]) -> Iterator[str]:
    any_of_them = False
    for task in tasks:
        any_of_them = True
        mark = "x" if task["status"] == "done" else " "
        state = f": {escaped(task['state'])}" if task["state"] else ""
        ended = f" (done {_day(task['completed_at'])})" if task["completed_at"] else ""
        yield f"- [{mark}] {escaped(task['title'])}{ended}{state}"
    if any_of_them:
        yield ""


def _changes(entries: Sequence[Shown]) -> Iterator[str]:
    """Entries that are not believed any more, with their successors."""
    yield from ("", "## History of changes", "")
    by_place = {entry["id"]: entry for entry in entries}
    changed = [entry for entry in entries if entry["status"] != "active"]
    changed.sort(key=lambda entry: (entry["expired_at"] or entry["updated_at"], entry["id"]))
    if not changed:
        yield "None."
    for entry in changed:
        when = _day(entry["expired_at"] or entry["updated_at"])
        successor = by_place.get(entry["replaced_by"])
        then = f"; since then: {escaped(successor['content'])}" if successor else ""
        yield f"- {when}, {entry['reason']}: {escaped(entry['content'])}{then}"


def _item(entry: Shown) -> str:
    notes = [f"`{entry['key']}`", f"since {_day(entry['said_at'])}"]
    notes += [f"project {escaped(entry['project'])}"] if entry["project"] else []
    notes += [f"tags {', '.join(map(escaped, entry['tags']))}"] if entry["tags"] else []
    notes += [f"for the {entry['scope']}"] if entry["scope"] != "user" else []
    return f"- {escaped(entry['content'])} ({'; '.join(notes)})"


def _by(rows: Sequence[Shown], name: Any) -> list[tuple[str, list[Shown]]]:
    groups: defaultdict[str, list[Shown]] = defaultdict(list)
    for row in rows:
        groups[name(row)].append(row)
    return list(groups.items())


def _day(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
    except (OverflowError, ValueError, OSError):  # a wrong clock
        return "unknown"
