"""``lobug memory projects`` and ``lobug memory tasks``."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from lobug.cli.memory.client import ProjectOption, UserOption, open_memory
from lobug.cli.sentences import sentence
from lobug.cli.terminal import JsonOption, SentenceGroup, ServerOption, print_json, show_table, when

projects_app = typer.Typer(cls=SentenceGroup, no_args_is_help=True, help="Projects of the user.")
tasks_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Tasks of the user; the working state of a completed task goes to the archive.",
)

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The project's name.", show_default=False)
]
TaskArgument = Annotated[
    int, typer.Argument(metavar="ID", min=1, help="The task's id.", show_default=False)
]


def _show_projects(rows: list[dict[str, str]], *, as_json: bool) -> None:
    if as_json:
        print_json({"projects": rows})
        return
    show_table(
        ("name", "status", "since", "description"),
        ((p["name"], p["status"], when(p["created_at"]), p["description"]) for p in rows),
        sentence("memory.no_projects"),
    )


def _show_tasks(rows: list[dict[str, str]], *, as_json: bool) -> None:
    if as_json:
        print_json({"tasks": rows})
        return
    show_table(
        ("id", "project", "status", "since", "title", "state"),
        (
            (t["id"], t["project"], t["status"], when(t["created_at"]), t["title"], t["state"])
            for t in rows
        ),
        sentence("memory.no_tasks"),
    )


@projects_app.command("list")
def list_projects(
    user: UserOption = None, server: ServerOption = None, as_json: JsonOption = False
) -> None:
    """List projects."""
    with open_memory(server, user) as memory:
        found = memory.get("/projects")["projects"]
    _show_projects(found, as_json=as_json)


@projects_app.command("add")
def add_project(
    name: NameArgument,
    description: Annotated[
        str, typer.Option(metavar="WORDS", help="What it is about.", show_default=False)
    ] = "",
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a project, or give it a new description; an archived one becomes active again."""
    with open_memory(server, user, creates=True) as memory:
        project = memory.post("/projects", {"name": name, "description": description})
    _show_projects([project], as_json=as_json)


@projects_app.command("archive")
def archive_project(
    name: NameArgument,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Archive a project."""
    with open_memory(server, user) as memory:
        project = memory.post(f"/projects/{quote(name, safe='')}/archive", None)
    _show_projects([project], as_json=as_json)


@tasks_app.command("list")
def list_tasks(
    project: ProjectOption = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """List tasks."""
    with open_memory(server, user) as memory:
        found = memory.get("/tasks", {"project": project})["tasks"]
    _show_tasks(found, as_json=as_json)


@tasks_app.command("add")
def add_task(
    title: Annotated[
        str, typer.Argument(metavar="WORDS", help="What has to be done.", show_default=False)
    ],
    project: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Project to which it belongs.", show_default=False),
    ] = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Add a task."""
    with open_memory(server, user, creates=True) as memory:
        task = memory.post("/tasks", {"title": title, "project": project})
    _show_tasks([task], as_json=as_json)


@tasks_app.command("note")
def note_task(
    number: TaskArgument,
    state: Annotated[
        str,
        typer.Argument(
            metavar="WORDS", help="What has been done and decided so far.", show_default=False
        ),
    ],
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Set the working state of a task."""
    with open_memory(server, user) as memory:
        task = memory.send("PATCH", f"/tasks/{number}", body={"state": state})
    _show_tasks([task], as_json=as_json)


@tasks_app.command("complete")
def complete_task(
    number: TaskArgument,
    result: Annotated[
        str, typer.Option(metavar="WORDS", help="How it ended.", show_default=False)
    ] = "",
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Complete a task: its working state goes to the archive."""
    with open_memory(server, user) as memory:
        task = memory.post(f"/tasks/{number}/complete", {"result": result})
    _show_tasks([task], as_json=as_json)
