"""Projects and tasks of the user: rows of ``projects`` and ``project_tasks``."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from sqlalchemy import Text, and_, bindparam, delete, func, insert, or_, select, update

from lobug.errors import MemoryContentError, MemoryNotFoundError
from lobug.memory import entries, timeline
from lobug.memory.entries import MAX_ID, NewVersion
from lobug.memory.model import MemoryScope, Project, ProjectTask
from lobug.storage.connection import Connection
from lobug.storage.database import Database
from lobug.storage.statements import Row, columns_of, insert_once, run
from lobug.storage.tables import (
    conversation_focus,
    project_tasks,
    projects,
    sessions,
    task_sessions,
)

MAX_NAME_CHARS = 100
MAX_STATE_CHARS = 8_000

PROJECT = select(*columns_of(projects, Project)).where(projects.c.user == bindparam("user"))
TASK = select(*columns_of(project_tasks, ProjectTask)).where(
    project_tasks.c.user == bindparam("user")
)

INSERT_PROJECT = insert_once(projects)
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
    or_(bindparam("project", type_=Text).is_(None), project_tasks.c.project == bindparam("project"))
).order_by(project_tasks.c.id)
ONE_TASK = TASK.where(project_tasks.c.id == bindparam("task_id"))
INSERT_TASK = insert(project_tasks).returning(project_tasks.c.id)
UPDATE_TASK = update(project_tasks).where(project_tasks.c.id == bindparam("task_id"))

OWN_STATE = select(project_tasks.c.state).where(project_tasks.c.id == bindparam("task_id"))
SUMMARIES = (
    select(sessions.c.summary, sessions.c.started_at)
    .join(task_sessions, task_sessions.c.session_id == sessions.c.id)
    .where(task_sessions.c.task_id == bindparam("task_id"), sessions.c.summary != "")
    .order_by(sessions.c.id.desc())
)
LEAVE_SESSIONS = delete(task_sessions).where(task_sessions.c.task_id == bindparam("task_id"))
LEAVE_FOCUS = (
    update(conversation_focus)
    .values(task_id=None)
    .where(conversation_focus.c.task_id == bindparam("of_task"))
)


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
    return project(connection, scope, name)


def archive(connection: Connection, scope: MemoryScope, name: str) -> Project:
    """Archive a project. Raises MemoryNotFoundError."""
    run(connection, ARCHIVE, owner=scope.user, project=name)
    return project(connection, scope, name)


def project(connection: Connection, scope: MemoryScope, name: str) -> Project:
    """One project. Raises MemoryNotFoundError."""
    row = run(connection, ONE_PROJECT, user=scope.user, name=name).first()
    if row is None:
        raise MemoryNotFoundError("there is no such project")
    return Project(**row._asdict())


def tasks(connection: Connection, scope: MemoryScope, project: str | None) -> Sequence[ProjectTask]:
    """Tasks of the user, oldest first; of one project where it is given."""
    rows = run(connection, TASKS, user=scope.user, project=project).all()
    return [_task(connection, row) for row in rows]


def task(connection: Connection, scope: MemoryScope, task_id: int) -> ProjectTask:
    """One task. Raises MemoryNotFoundError."""
    row = None
    if 0 < task_id <= MAX_ID:
        row = run(connection, ONE_TASK, user=scope.user, task_id=task_id).first()
    if row is None:
        raise MemoryNotFoundError(f"there is no task {task_id}")
    return _task(connection, row)


def _task(connection: Connection, row: Row) -> ProjectTask:
    found = ProjectTask(**row._asdict())
    if found.status == "done":
        return found
    return replace(found, state=working_state(connection, found.id))


def working_state(connection: Connection, task_id: int) -> str:
    """What was noted of a task, then the summaries of the sessions in which it was worked on, each
    on a line that begins with its time: as many of the newest as fit."""
    own = str(run(connection, OWN_STATE, task_id=task_id).scalar() or "").strip()
    left = MAX_STATE_CHARS - len(own)
    lines: list[str] = []
    for row in run(connection, SUMMARIES, task_id=task_id):
        line = timeline.stamped(" ".join(row.summary.split()), row.started_at)
        left -= len(line) + 1
        if left < 0:
            break
        lines.insert(0, line)
    return "\n".join([own, *lines] if own else lines)


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
    """Set an open task's working state; what sessions have added to it is replaced too. Raises
    MemoryNotFoundError, MemoryContentError."""
    if len(state) > MAX_STATE_CHARS:
        raise MemoryContentError(f"a working state has at most {MAX_STATE_CHARS} characters")
    known = task(connection, scope, task_id)
    if known.status == "done":
        raise MemoryContentError(f"task {task_id} is done; its state is in the archive")
    run(connection, UPDATE_TASK, task_id=task_id, state=state)
    run(connection, LEAVE_SESSIONS, task_id=task_id)
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
    # What a session has added keeps its line, so that it can be told apart and purged.
    between = "\n" if "\n" in known.state else " "
    content = between.join(part for part in parts if part)
    key = entries.free_key(
        connection, scope.user, "user", None, entries.key_for(f"task {known.title}")
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
    run(connection, LEAVE_FOCUS, of_task=task_id)
    return task(connection, scope, task_id)


T = TypeVar("T")


class Change(Protocol):
    """One transaction that changes memory. Raises MemoryDisabledError while memory is off."""

    def __call__(
        self, name: str, scope: MemoryScope, work: Callable[[Connection, float], T], /
    ) -> Awaitable[T]:
        """Run ``work`` on a connection and the present time; ``name`` is for the log."""


class ProjectList:
    """Projects and tasks of all users: ``Memory.projects``. All calls raise StorageError."""

    def __init__(self, database: Database, change: Change) -> None:
        self._database = database
        self._change = change

    async def listed(self, scope: MemoryScope) -> Sequence[Project]:
        """Projects of the user, by name."""
        return await self._database.read(lambda c: listed(c, scope))

    async def add(self, scope: MemoryScope, name: str, description: str = "") -> Project:
        """Add or describe a project; an archived one becomes active. Raises MemoryContentError."""
        return await self._change(
            "project", scope, lambda c, now: add(c, scope, name, description, now)
        )

    async def archive(self, scope: MemoryScope, name: str) -> Project:
        """Archive a project. Raises MemoryNotFoundError."""
        return await self._change("project", scope, lambda c, _now: archive(c, scope, name))

    async def tasks(
        self, scope: MemoryScope, *, project: str | None = None
    ) -> Sequence[ProjectTask]:
        """Tasks of the user, oldest first; of one project where it is given."""
        return await self._database.read(lambda c: tasks(c, scope, project))

    async def add_task(
        self, scope: MemoryScope, title: str, *, project: str | None = None
    ) -> ProjectTask:
        """Open a task. Raises MemoryContentError."""
        return await self._change(
            "task", scope, lambda c, now: add_task(c, scope, title, project, now)
        )

    async def note_task(self, scope: MemoryScope, task_id: int, state: str) -> ProjectTask:
        """Set a task's working state. Raises MemoryNotFoundError, MemoryContentError."""
        return await self._change("task", scope, lambda c, _now: note(c, scope, task_id, state))

    async def complete_task(
        self, scope: MemoryScope, task_id: int, result: str = ""
    ) -> ProjectTask:
        """Complete a task: its working state goes to the archive. Raises MemoryNotFoundError,
        MemoryContentError."""
        return await self._change(
            "task", scope, lambda c, now: complete(c, scope, task_id, result, now)
        )
