"""``lobug notes``: notes to self."""

from __future__ import annotations

from typing import Annotated

import typer

from lobug.cli.connection import open_agenda
from lobug.cli.lists import PersonOption
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    JsonOption,
    SentenceGroup,
    ServerOption,
    console,
    plain,
    print_json,
    show_table,
    when,
)

notes_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Notes to self: show, add, remove.\n\nAsks the running server. If none runs at the"
    " address of the settings, the file is opened directly.",
)


@notes_app.command()
def show(
    about: Annotated[
        str | None,
        typer.Option(
            metavar="WORDS", help="Only notes with all of these words.", show_default=False
        ),
    ] = None,
    user: PersonOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show notes, the newest first."""
    with open_agenda(server, user) as agenda:
        found = agenda.send("GET", "/notes", about=about)
    if as_json:
        print_json(found)
        return
    show_table(
        ("id", "made", "note"),
        ((note["id"], when(note["created_at"]), note["content"]) for note in found["notes"]),
        sentence("notes.none"),
    )


@notes_app.command()
def add(
    words: Annotated[
        str, typer.Argument(metavar="WORDS", help="What is to be noted.", show_default=False)
    ],
    user: PersonOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Keep a note."""
    with open_agenda(server, user) as agenda:
        made = agenda.send("POST", "/notes", body={"content": words})
    if as_json:
        print_json(made)
        return
    console().print(sentence("notes.added", id=made["id"]), markup=False)


@notes_app.command()
def remove(
    note_id: Annotated[
        int, typer.Argument(metavar="ID", min=1, help="The note's id.", show_default=False)
    ],
    user: PersonOption = None,
    server: ServerOption = None,
) -> None:
    """Delete a note."""
    with open_agenda(server, user) as agenda:
        gone = agenda.send("DELETE", f"/notes/{note_id}")
    console().print(sentence("notes.removed", content=plain(gone["content"])), markup=False)
