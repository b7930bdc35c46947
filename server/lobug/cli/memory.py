"""``lobug memory``: the owner's sight and control of what Lo-Bug remembers."""

from __future__ import annotations

import typer

from lobug.cli import memory_entries, memory_erasing, memory_files, memory_looking
from lobug.cli.faults import SentenceGroup
from lobug.cli.memory_projects import projects_app, tasks_app

memory_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="What Lo-Bug remembers: see, search, correct, forget, export.\n\nAsks the running server;"
    " when none runs at the address of the settings, the database is opened directly, and searches"
    " then go by words alone.",
)
memory_app.command("list")(memory_entries.list_entries)
memory_app.command()(memory_looking.search)
memory_app.command()(memory_entries.show)
memory_app.command()(memory_entries.add)
memory_app.command()(memory_entries.edit)
memory_app.command()(memory_entries.correct)
memory_app.command()(memory_erasing.forget)
memory_app.command()(memory_entries.restore)
memory_app.command()(memory_entries.history)
memory_app.command()(memory_looking.why)
memory_app.command()(memory_looking.recalls)
memory_app.command()(memory_looking.identity)
memory_app.command()(memory_looking.sessions)
memory_app.command()(memory_looking.stats)
memory_app.command()(memory_looking.users)
memory_app.command()(memory_erasing.purge)
memory_app.command()(memory_files.export)
memory_app.command("import")(memory_files.import_file)
memory_app.add_typer(projects_app, name="projects")
memory_app.add_typer(tasks_app, name="tasks")
