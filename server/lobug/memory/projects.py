"""Rows of ``projects`` and ``project_tasks``: what the user works on."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import and_, bindparam, func, or_, select, update
from sqlalchemy.dialects.sqlite import insert

from lobug.errors import MemoryContentError, MemoryNotFoundError
from lobug.memory import entries, keys, timeline
from lobug.memory.entries import MAX_ID, NewVersion
from lobug.memory.model import MemoryScope, Project, ProjectTask
from lobug.storage.driver import Connection
from lobug.storage.statements import run
from lobug.storage.tables import project_tasks, projects

MAX_NAME_CHARS = 100
MAX_STATE_CHARS = 8_000

PROJECT = select(
    projects.c.name, projects.c.description, projects.c.status, projects.c.created_at
).where(projects.c.user == bindparam("user"))
TASK = select(
    project_tasks.c.id,
    project_tasks.c.project,
    project_tasks.c.title,
    project_tasks.c.status,
    project_tasks.c.state,
    project_tasks.c.created_at,
    project_tasks.c.completed_at,
    project_tasks.c.archived_as,
).where(project_tasks.c.user == bindparam("user"))

INSERT_PROJECT = insert(projects).on_conflict_do_nothing()
LISTED = PROJECT.order_by(projects.c.name)
ONE_PROJECT = PROJECT.where(projects.c.name == bindparam("name"))
THIS_PROJECT = and_(projects.c.user == bindparam("owner"), projects.c.name == bindparam("project"))
ACTIVATE = (
    update(projects)
    .values(
        status="active",
        description=func.coalesce(func.nullif(bindparam("text"), ""), projects.c.description),
    )
    .where(THIS_PROJECT)
)
ARCHIVE = update(projects).values(status="archived").where(THIS_PROJECT)

TASKS = TASK.where(
    or_(bindparam("project").is_(None), project_tasks.c.project == bindparam("project"))
).order_by(project_tasks.c.id)
ONE_TASK = TASK.where(project_tasks.c.id == bindparam("task_id"))
INSERT_TASK = insert(project_tasks).returning(project_tasks.c.id)
UPDATE_TASK = update(project_tasks).where(project_tasks.c.id == bindparam("task_id"))


def checked_name(name: str) -> str:
    """A project's name or a task's title. Raises MemoryContentError."""
    text = " ".join(name.split())
    if not text or len(text) > MAX_NAME_CHARS or not text.isprintable():
        raise MemoryContentError(f"a name has 1 to {MAX_NAME_CHARS} characters")
    return text


def ensure(connection: Connection, user: str, name: str, now: float) -> None:
    """Add a project unless there is one of this name. Raises MemoryContentError."""
    if checked_name(name) != name:
        raise MemoryContentError("a project's name has no spaces around or doubled within it")
    run(connection, INSERT_PROJECT, user=user, name=name, created_at=now)


def listed(connection: Connection, scope: MemoryScope) -> Sequence[Project]:
    """Projects of the user, by name."""
    return [Project(**row._asdict()) for row in run(connection, LISTED, user=scope.user)]


def add(
    connection: Connection, scope: MemoryScope, name: str, description: str, now: float
) -> Project:
    """Add or describe a project; an archived one becomes active. Raises MemoryContentError."""
    name = checked_name(name)
    if len(description) > MAX_STATE_CHARS:
        raise MemoryContentError(f"a description has at most {MAX_STATE_CHARS} characters")
    ensure(connection, scope.user, name, now)
    run(connection, ACTIVATE, owner=scope.user, project=name, text=description)
    return _project(connection, scope, name)


def archive(connection: Connection, scope: MemoryScope, name: str) -> Project:
    """Archive a project. Raises MemoryNotFoundError."""
    run(connection, ARCHIVE, owner=scope.user, project=name)
    return _project(connection, scope, name)


def _project(connection: Connection, scope: MemoryScope, name: str) -> Project:
    row = run(connection, ONE_PROJECT, user=scope.user, name=name).first()
    if row is None:
        raise MemoryNotFoundError("there is no such project")
    return Project(**row._asdict())


def tasks(connection: Connection, scope: MemoryScope, project: str | None) -> Sequence[ProjectTask]:
    """Tasks of the user, oldest first; of one project where it is given."""
    rows = run(connection, TASKS, user=scope.user, project=project)
    return [ProjectTask(**row._asdict()) for row in rows]


def task(connection: Connection, scope: MemoryScope, task_id: int) -> ProjectTask:
    """One task. Raises MemoryNotFoundError."""
    row = None
    if 0 < task_id <= MAX_ID:
        row = run(connection, ONE_TASK, user=scope.user, task_id=task_id).first()
    if row is None:
        raise MemoryNotFoundError(f"there is no task {task_id}")
    return ProjectTask(**row._asdict())


def add_task(
    connection: Connection, scope: MemoryScope, title: str, project: str | None, now: float
) -> ProjectTask:
    """Open a task. Raises MemoryContentError."""
    if project is not None:
        ensure(connection, scope.user, project, now)
    task_id = run(
        connection,
        INSERT_TASK,
        user=scope.user,
        project=project,
        title=checked_name(title),
        created_at=now,
    ).scalar()
    return task(connection, scope, task_id)


def note(connection: Connection, scope: MemoryScope, task_id: int, state: str) -> ProjectTask:
    """Set an open task's working state. Raises MemoryNotFoundError, MemoryContentError."""
    if len(state) > MAX_STATE_CHARS:
        raise MemoryContentError(f"a working state has at most {MAX_STATE_CHARS} characters")
    known = task(connection, scope, task_id)
    if known.status == "done":
        raise MemoryContentError(f"task {task_id} is done; its state is in the archive")
    run(connection, UPDATE_TASK, task_id=task_id, state=state)
    return task(connection, scope, task_id)


def complete(
    connection: Connection, scope: MemoryScope, task_id: int, result: str, now: float
) -> ProjectTask:
    """Complete a task: what was done goes to the archive, the task keeps its title and times. A
    second call changes nothing. Raises MemoryNotFoundError, MemoryContentError."""
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
    run(
        connection,
        UPDATE_TASK,
        task_id=task_id,
        status="done",
        state="",
        completed_at=now,
        archived_as=archived,
    )
    return task(connection, scope, task_id)
