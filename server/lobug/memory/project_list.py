"""The user's projects and tasks, as the doors use them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from lobug.memory import projects
from lobug.memory.model import MemoryScope, Project, ProjectTask
from lobug.storage.database import Database
from lobug.storage.driver import Connection

T = TypeVar("T")


class Change(Protocol):
    """One transaction that changes memory."""

    def __call__(self, name: str, work: Callable[[Connection], T], /) -> Awaitable[T]:
        """Run ``work`` in a transaction; ``name`` is for the log."""


class ProjectList:
    """Projects and tasks of all users: ``Memory.projects``.

    ``change`` runs a transaction; it raises MemoryDisabledError while memory is switched off.
    ``clock`` returns seconds since the epoch. All calls raise StorageError."""

    def __init__(self, database: Database, change: Change, clock: Callable[[], float]) -> None:
        self._database = database
        self._change = change
        self._clock = clock

    async def listed(self, scope: MemoryScope) -> Sequence[Project]:
        """Projects of the user."""
        return await self._database.read(lambda c: projects.listed(c, scope))

    async def add(self, scope: MemoryScope, name: str, description: str = "") -> Project:
        """Add or describe a project; an archived one becomes active. Raises MemoryContentError."""
        now = self._clock()
        return await self._change(
            "project", lambda c: projects.add(c, scope, name, description, now)
        )

    async def archive(self, scope: MemoryScope, name: str) -> Project:
        """Archive a project. Raises MemoryNotFoundError."""
        return await self._change("project", lambda c: projects.archive(c, scope, name))

    async def tasks(
        self, scope: MemoryScope, *, project: str | None = None
    ) -> Sequence[ProjectTask]:
        """Tasks of the user; ``project`` names the one that they belong to."""
        return await self._database.read(lambda c: projects.tasks(c, scope, project))

    async def add_task(
        self, scope: MemoryScope, title: str, *, project: str | None = None
    ) -> ProjectTask:
        """Open a task."""
        now = self._clock()
        return await self._change(
            "task", lambda c: projects.add_task(c, scope, title, project, now)
        )

    async def note_task(self, scope: MemoryScope, task_id: int, state: str) -> ProjectTask:
        """Set a task's working state. Raises MemoryNotFoundError."""
        return await self._change("task", lambda c: projects.note(c, scope, task_id, state))

    async def complete_task(
        self, scope: MemoryScope, task_id: int, result: str = ""
    ) -> ProjectTask:
        """Complete a task: its working state goes to the archive. Raises MemoryNotFoundError."""
        now = self._clock()
        return await self._change(
            "task", lambda c: projects.complete(c, scope, task_id, result, now)
        )
