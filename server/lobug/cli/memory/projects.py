"""``lobug memory projects``, ``lobug memory tasks`` and ``lobug memory focus``."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

import typer

from lobug.cli.memory.client import MemoryClient, ProjectOption, UserOption, open_memory
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_USAGE,
    CommandError,
    JsonOption,
    SentenceGroup,
    ServerOption,
    console,
    plain,
    print_json,
    show_facts,
    show_table,
    when,
)

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


def focus(
    project: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Recall only memories of this project, and of none.",
            show_default=False,
        ),
    ] = None,
    tags: Annotated[
        list[str] | None,
        typer.Option(
            "--tag",
            metavar="TAG",
            help="Recall only memories with this tag, and without any; may be given again.",
        ),
    ] = None,
    task: Annotated[
        int | None,
        typer.Option(
            metavar="ID",
            min=1,
            help="Keep the state of this open task in mind; each session that ends adds its"
            " summary to it.",
            show_default=False,
        ),
    ] = None,
    clear: Annotated[bool, typer.Option("--clear", help="It is about nothing any more.")] = False,
    conversation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The conversation (`lobug memory sessions`). Default: the only one.",
            show_default=False,
        ),
    ] = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a conversation is about, or say what it is about from now on.

    What is not given is cleared."""
    given = project is not None or bool(tags) or task is not None
    if clear and given:
        raise CommandError(sentence("memory.clear_or_set"), code=EXIT_USAGE)
    with open_memory(server, user) as memory:
        named = {"conversation": conversation or _only_conversation(memory)}
        if given or clear:
            body = {"project": project, "tags": tags or [], "task": task}
            found = memory.send("PUT", "/focus", params=named, body=body)
        else:
            found = memory.get("/focus", named)
    if as_json:
        print_json(found)
        return
    about = found["task"]
    facts = [
        ("conversation", found["conversation"]),
        ("project", found["project"]),
        ("tags", ", ".join(found["tags"])),
        ("task", about and f"{about['id']}: {about['title']}"),
        ("state", about and about["state"]),
    ]
    show_facts(facts)
    if not any(value for _, value in facts[1:]):
        console().print(sentence("memory.no_focus"), style="dim")


def _only_conversation(memory: MemoryClient) -> str | None:
    """The user's conversation, if there is one; None: the caller's own. Raises CommandError."""
    if memory.user is None:
        return None
    sessions = memory.get("/sessions", {"limit": MOST_SESSIONS})["sessions"]
    names = list(dict.fromkeys(session["conversation"] for session in sessions))
    if len(names) == 1:
        return str(names[0])
    if not names:
        raise CommandError(sentence("memory.no_sessions"))
    known = ", ".join(plain(name) for name in names)
    raise CommandError(sentence("memory.which_conversation", known=known), code=EXIT_USAGE)


MOST_SESSIONS = 200
"""Newest sessions among which conversations are looked for: the most that the server gives."""
