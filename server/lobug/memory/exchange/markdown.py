"""Turns an export into readable Markdown. Pure.

Words of the user are quoted unchanged; Markdown characters in them are escaped, so that no content
can look like a heading.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from lobug.language.protocol import FACT_TYPES

MARKS = re.compile(
    r"([\\`*_\[\]<>|~])|^([^\S\n]*+)(#{1,6}(?=\s)|[-+](?=\s)|\d+[.)](?=\s)|=+$|-+$)", re.M
)

Row = Mapping[str, Any]


def export_markdown(document: Mapping[str, Any]) -> str:
    """The document of ``export.export`` as Markdown: who the user is, what is known, the
    timeline by month, projects and tasks, and how the known things have changed."""
    entries: list[Row] = document["entries"]
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


def _identity(entries: Sequence[Row]) -> Iterator[str]:
    yield from ("", "## Who this is", "")
    if not entries:
        yield "Nothing yet."
    for section, rows in _by(entries, lambda entry: entry["section"] or "User Profile"):
        yield from (f"### {escaped(section)}", "", *(_item(row) for row in rows), "")


def _knowledge(entries: Sequence[Row]) -> Iterator[str]:
    yield from ("", "## What is known", "")
    if not entries:
        yield "Nothing yet."
    for kind in FACT_TYPES:
        rows = [entry for entry in entries if entry["fact_type"] == kind]
        if rows:
            yield from (f"### {kind.capitalize()}", "", *(_item(row) for row in rows), "")


def _timeline(entries: Sequence[Row]) -> Iterator[str]:
    yield from ("", "## Timeline", "")
    if not entries:
        yield "Nothing yet."
    ordered = sorted(entries, key=lambda entry: (entry["said_at"], entry["id"]))
    for month, rows in groupby(ordered, key=lambda entry: _day(entry["said_at"])[:7]):
        yield from (f"### {month}", "", *(f"- {escaped(row['content'])}" for row in rows), "")


def _projects(projects: Sequence[Row], tasks: Sequence[Row]) -> Iterator[str]:
    yield from ("", "## Projects and tasks", "")
    if not projects and not tasks:
        yield "None."
    for project in projects:
        done = " (archived)" if project["status"] == "archived" else ""
        yield from (f"### {escaped(project['name'])}{done}", "")
        if project["description"]:
            yield from (escaped(project["description"]), "")
        yield from _tasks(task for task in tasks if task["project"] == project["name"])
    named = {project["name"] for project in projects}
    other = [task for task in tasks if task["project"] not in named]
    if other:
        yield from ("### Without a project", "")
        yield from _tasks(other)


def _tasks(tasks: Iterable[Row]) -> Iterator[str]:
    any_of_them = False
    for task in tasks:
        any_of_them = True
        mark = "x" if task["status"] == "done" else " "
        state = f": {escaped(task['state'])}" if task["state"] else ""
        ended = f" (done {_day(task['completed_at'])})" if task["completed_at"] else ""
        yield f"- [{mark}] {escaped(task['title'])}{ended}{state}"
    if any_of_them:
        yield ""


def _changes(entries: Sequence[Row]) -> Iterator[str]:
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


def _item(entry: Row) -> str:
    notes = [f"`{entry['key']}`", f"since {_day(entry['said_at'])}"]
    notes += [f"project {escaped(entry['project'])}"] if entry["project"] else []
    notes += [f"tags {', '.join(map(escaped, entry['tags']))}"] if entry["tags"] else []
    notes += [f"for the {entry['scope']}"] if entry["scope"] != "user" else []
    return f"- {escaped(entry['content'])} ({'; '.join(notes)})"


def _by(rows: Sequence[Row], name: Any) -> list[tuple[str, list[Row]]]:
    groups: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[name(row)].append(row)
    return list(groups.items())


def _day(at: float) -> str:
    try:
        return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
    except (OverflowError, ValueError, OSError):  # a wrong clock
        return "unknown"
