"""Rows of projects and of the user's tasks: what somebody works on."""

from __future__ import annotations

from collections.abc import Sequence

from lobug.errors import MemoryContentError, MemoryNotFoundError
from lobug.memory import entries, keys, timeline
from lobug.memory.entries import MAX_ID, NewVersion
from lobug.memory.model import MemoryScope, Project, ProjectTask
from lobug.storage.driver import Connection

MAX_NAME_CHARS = 100
MAX_STATE_CHARS = 8_000

TASK = (
    "SELECT id, project, title, status, state, created_at, completed_at, archived_as"
    " FROM project_tasks"
)


def checked_name(name: str) -> str:
    """A project's name or a task's title. Raises MemoryContentError."""
    text = " ".join(name.split())
    if not text or len(text) > MAX_NAME_CHARS or not text.isprintable():
        raise MemoryContentError(f"a name has 1 to {MAX_NAME_CHARS} characters")
    return text


def ensure(connection: Connection, user: str, name: str, now: float) -> None:
    """Make a project that is named for the first time. Raises MemoryContentError."""
    if checked_name(name) != name:
        raise MemoryContentError("a project's name has no spaces around or doubled within it")
    connection.execute(
        "INSERT INTO projects (user, name, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (user, name, now),
    )


def listed(connection: Connection, scope: MemoryScope) -> Sequence[Project]:
    """Projects of the user, by name."""
    rows = connection.execute(
        "SELECT name, description, status, created_at FROM projects WHERE user = ? ORDER BY name",
        (scope.user,),
    )
    return [Project(*row) for row in rows]


def add(
    connection: Connection, scope: MemoryScope, name: str, description: str, now: float
) -> Project:
    """Add or describe a project; an archived one becomes active. Raises MemoryContentError."""
    name = checked_name(name)
    if len(description) > MAX_STATE_CHARS:
        raise MemoryContentError(f"a description has at most {MAX_STATE_CHARS} characters")
    ensure(connection, scope.user, name, now)
    connection.execute(
        "UPDATE projects SET status = 'active',"
        " description = coalesce(nullif(?, ''), description) WHERE user = ? AND name = ?",
        (description, scope.user, name),
    )
    return _project(connection, scope, name)


def archive(connection: Connection, scope: MemoryScope, name: str) -> Project:
    """Archive a project. Raises MemoryNotFoundError."""
    connection.execute(
        "UPDATE projects SET status = 'archived' WHERE user = ? AND name = ?", (scope.user, name)
    )
    return _project(connection, scope, name)


def _project(connection: Connection, scope: MemoryScope, name: str) -> Project:
    row = connection.execute(
        "SELECT name, description, status, created_at FROM projects WHERE user = ? AND name = ?",
        (scope.user, name),
    ).fetchone()
    if row is None:
        raise MemoryNotFoundError("there is no such project")
    return Project(*row)


def tasks(connection: Connection, scope: MemoryScope, project: str | None) -> Sequence[ProjectTask]:
    """Tasks of the user, oldest first; of one project where it is given."""
    rows = connection.execute(
        f"{TASK} WHERE user = ? AND (?2 IS NULL OR project = ?2) ORDER BY id",
        (scope.user, project),
    )
    return [ProjectTask(*row) for row in rows]


def task(connection: Connection, scope: MemoryScope, task_id: int) -> ProjectTask:
    """One task. Raises MemoryNotFoundError."""
    row = None
    if 0 < task_id <= MAX_ID:
        row = connection.execute(
            f"{TASK} WHERE user = ? AND id = ?", (scope.user, task_id)
        ).fetchone()
    if row is None:
        raise MemoryNotFoundError(f"there is no task {task_id}")
    return ProjectTask(*row)


def add_task(
    connection: Connection, scope: MemoryScope, title: str, project: str | None, now: float
) -> ProjectTask:
    """Open a task. Raises MemoryContentError."""
    if project is not None:
        ensure(connection, scope.user, project, now)
    cursor = connection.execute(
        "INSERT INTO project_tasks (user, project, title, created_at) VALUES (?, ?, ?, ?)"
        " RETURNING id",
        (scope.user, project, checked_name(title), now),
    )
    return task(connection, scope, int(cursor.fetchone()[0]))


def note(connection: Connection, scope: MemoryScope, task_id: int, state: str) -> ProjectTask:
    """Set an open task's working state. Raises MemoryNotFoundError, MemoryContentError."""
    if len(state) > MAX_STATE_CHARS:
        raise MemoryContentError(f"a working state has at most {MAX_STATE_CHARS} characters")
    known = task(connection, scope, task_id)
    if known.status == "done":
        raise MemoryContentError(f"task {task_id} is done; its state is in the archive")
    connection.execute("UPDATE project_tasks SET state = ? WHERE id = ?", (state, task_id))
    return task(connection, scope, task_id)


def complete(
    connection: Connection, scope: MemoryScope, task_id: int, result: str, now: float
) -> ProjectTask:
    """Complete a task: what was done goes to the archive, the task keeps its title and times. Done
    twice changes nothing. Raises MemoryNotFoundError, MemoryContentError."""
    known = task(connection, scope, task_id)
    if known.status == "done":
        return known
    if len(result) > MAX_STATE_CHARS:
        raise MemoryContentError(f"a result has at most {MAX_STATE_CHARS} characters")
    parts = [f"Task done: {known.title}.", known.state.strip(), result.strip()]
    content = " ".join(part for part in parts if part)
    key = entries.free_key(
        connection, scope.user, "user", None, keys.key_for(f"task {known.title}")
    )
    archived = entries.insert(
        connection,
        NewVersion(
            user=scope.user,
            told_by=scope.user,
            content=timeline.stamped(content, now),
            key=key,
            source="system",
            said_at=now,
            now=now,
            conversation=scope.conversation,
            layer="archive",
            fact_type="event",
            project=known.project,
            task_id=task_id,
            compared=True,
        ),
    )
    connection.execute(
        "UPDATE project_tasks SET status = 'done', state = '', completed_at = ?, archived_as = ?"
        " WHERE id = ?",
        (now, archived, task_id),
    )
    return task(connection, scope, task_id)
