"""`/memory/projects`, `/memory/tasks` and `/memory/focus`: what the user works on."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from pydantic import BaseModel, Field

from lobug.errors import InvalidRequestError
from lobug.http.dependencies import documented
from lobug.http.formats import Answer
from lobug.http.memory.entries import (
    shown_fields,
)
from lobug.http.memory.requests import (
    EVERYWHERE,
    MAX_ID,
    WITH_BODY,
    WITH_ID,
    Body,
    MemoryDep,
    ScopeDep,
    Tag,
    memory_body,
)
from lobug.http.problems import error_responses
from lobug.memory.model import (
    Project,
    ProjectTask,
)


class MemoryProject(Answer):
    """Something that the user works on."""

    __annotations__ = shown_fields(Project)


class MemoryProjects(BaseModel):
    """The projects of the user."""

    projects: list[MemoryProject]


class MemoryTask(Answer):
    """A task of the user."""

    __annotations__ = shown_fields(ProjectTask)


class MemoryTasks(BaseModel):
    """The tasks of the user."""

    tasks: list[MemoryTask]


TaskId = Annotated[int, Path(ge=1, le=MAX_ID, description="Id of a task.")]


class MemoryFocus(Answer):
    """What a conversation is about."""

    conversation: str = Field(description="The conversation.")
    project: str | None = Field(
        description="Only memories of this project, and of none, are recalled; null: of the task's"
        " project, if it has one."
    )
    tags: list[str] = Field(
        description="Only memories with one of these tags, and without any, are recalled."
    )
    task: MemoryTask | None = Field(
        description="Its title and working state stand in the prompt; each session that ends adds"
        " its summary to the state."
    )


class FocusRequest(Body):
    """What a conversation is about from now on; what is left out is cleared."""

    project: str | None = Field(None, max_length=200, description="One of the user's projects.")
    tags: list[Tag] = Field(default_factory=list, max_length=32, description="Any of these tags.")
    task: int | None = Field(None, ge=1, le=MAX_ID, description="Id of an open task.")


class ProjectRequest(Body):
    """A new project, or a new description of one."""

    name: str = Field(min_length=1, max_length=200, description="Its name.")
    description: str = Field("", description="What it is about.")


class TaskRequest(Body):
    """A task to be opened."""

    title: str = Field(min_length=1, max_length=500, description="What is to be done.")
    project: str | None = Field(None, max_length=200, description="Project it belongs to.")


class TaskStateRequest(Body):
    """The working state of a task."""

    state: str = Field(description="What has been done and decided so far.")


class CompleteRequest(Body):
    """How a task ended."""

    result: str = Field("", description="Goes to the archive with the working state.")


router = APIRouter()


@router.get("/projects", responses=error_responses(*EVERYWHERE))
async def projects(scope: ScopeDep, memory: MemoryDep) -> MemoryProjects:
    """List the user's projects."""
    found = await memory.projects.listed(scope)
    return MemoryProjects(projects=[MemoryProject.of(project) for project in found])


@router.post(
    "/projects",
    openapi_extra=documented(ProjectRequest),
    responses=error_responses(*WITH_BODY),
)
async def add_project(
    body: Annotated[ProjectRequest, Depends(memory_body(ProjectRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryProject:
    """Add a project, or change its description; an archived one becomes active."""
    return MemoryProject.of(await memory.projects.add(scope, body.name, body.description))


@router.post("/projects/{name:path}/archive", responses=error_responses(*WITH_ID))
async def archive_project(
    name: Annotated[str, Path(max_length=200, description="The project's name.")],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryProject:
    """Archive a project."""
    return MemoryProject.of(await memory.projects.archive(scope, name))


async def get_conversation(
    scope: ScopeDep,
    conversation: Annotated[
        str | None,
        Query(
            min_length=1,
            max_length=400,
            description="Name of one of the user's conversations, as in `GET /memory/sessions`;"
            " without it the caller's own.",
        ),
    ] = None,
) -> str:
    """The conversation that a request is about. Raises InvalidRequestError."""
    named = conversation or scope.conversation
    if named is None:
        raise InvalidRequestError("with user, name a conversation too: GET /memory/sessions")
    return named


@router.get("/focus", responses=error_responses(*WITH_ID))
async def focus(
    scope: ScopeDep, memory: MemoryDep, conversation: Annotated[str, Depends(get_conversation)]
) -> MemoryFocus:
    """Show what a conversation is about: project, tags and task."""
    return MemoryFocus.of(await memory.focus(scope, conversation), conversation=conversation)


@router.put("/focus", openapi_extra=documented(FocusRequest), responses=error_responses(*WITH_BODY))
async def set_focus(
    body: Annotated[FocusRequest, Depends(memory_body(FocusRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
    conversation: Annotated[str, Depends(get_conversation)],
) -> MemoryFocus:
    """Say what a conversation is about from now on. An empty object clears it."""
    tags = tuple(dict.fromkeys(body.tags))
    found = await memory.set_focus(
        scope, conversation, project=body.project, tags=tags, task_id=body.task
    )
    return MemoryFocus.of(found, conversation=conversation)


@router.get("/tasks", responses=error_responses(*EVERYWHERE))
async def tasks(
    scope: ScopeDep,
    memory: MemoryDep,
    project: Annotated[
        str | None, Query(max_length=200, description="Only of this project.")
    ] = None,
) -> MemoryTasks:
    """List the user's tasks."""
    found = await memory.projects.tasks(scope, project=project)
    return MemoryTasks(tasks=[MemoryTask.of(task) for task in found])


@router.post(
    "/tasks",
    openapi_extra=documented(TaskRequest),
    responses=error_responses(*WITH_BODY),
)
async def add_task(
    body: Annotated[TaskRequest, Depends(memory_body(TaskRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryTask:
    """Open a task."""
    return MemoryTask.of(await memory.projects.add_task(scope, body.title, project=body.project))


@router.patch(
    "/tasks/{task_id}",
    openapi_extra=documented(TaskStateRequest),
    responses=error_responses(*WITH_BODY),
)
async def note_task(
    task_id: TaskId,
    body: Annotated[TaskStateRequest, Depends(memory_body(TaskStateRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryTask:
    """Set the working state of a task."""
    return MemoryTask.of(await memory.projects.note_task(scope, task_id, body.state))


@router.post(
    "/tasks/{task_id}/complete",
    openapi_extra=documented(CompleteRequest),
    responses=error_responses(*WITH_BODY),
)
async def complete_task(
    task_id: TaskId,
    body: Annotated[CompleteRequest, Depends(memory_body(CompleteRequest))],
    scope: ScopeDep,
    memory: MemoryDep,
) -> MemoryTask:
    """Complete a task: its working state goes to the archive."""
    return MemoryTask.of(await memory.projects.complete_task(scope, task_id, body.result))
