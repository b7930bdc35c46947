"""``lobug memory``: the owner's sight and control of what Lo-Bug remembers."""

from __future__ import annotations

import typer

from lobug.cli.memory import (
    entries,
    erasure,
    files,
    identity,
    queries,
)
from lobug.cli.memory.projects import focus, projects_app, tasks_app
from lobug.cli.terminal import SentenceGroup

memory_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="What Lo-Bug remembers: see, search, correct, forget, export.\n\nAsks the"
    " running server. If none runs at the address of the settings, the database"
    " is opened directly, and searches compare words only.",
)
memory_app.command("list")(entries.list_entries)
memory_app.command()(queries.search)
memory_app.command()(entries.show)
memory_app.command()(entries.add)
memory_app.command()(entries.edit)
memory_app.command()(entries.correct)
memory_app.command()(erasure.forget)
memory_app.command()(entries.restore)
memory_app.command()(entries.history)
memory_app.command()(queries.why)
memory_app.command()(queries.recalls)
memory_app.command()(identity.identity)
memory_app.command()(queries.sessions)
memory_app.command()(queries.stats)
memory_app.command()(queries.users)
memory_app.command()(focus)
memory_app.command()(erasure.purge)
memory_app.command()(files.export)
memory_app.command("import")(files.import_file)
memory_app.add_typer(projects_app, name="projects")
memory_app.add_typer(tasks_app, name="tasks")
