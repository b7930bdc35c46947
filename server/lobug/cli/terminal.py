"""The ``--server`` option, and what to type to start this program again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lobug.access.addresses import local_url
from lobug.cli.faults import EXIT_USAGE, CommandError

if TYPE_CHECKING:
    from lobug.simulator.requests import ServerAddress

ServerOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Address of the running Lo-Bug server. Default: the one that uses the data folder of"
        " the settings, else this computer at their port (http://127.0.0.1:8321).",
        show_default=False,
    ),
]


def server_address(server: str | None) -> ServerAddress:
    """The server named by ``--server``; without it the one that holds the data folder, else the one
    at the address of the settings. Raises CommandError."""
    from lobug.simulator.requests import parse_server

    if server is None:
        from lobug.cli.load import load_settings  # loads pydantic
        from lobug.data_folder.claim import holder_of

        settings = load_settings().settings
        holder = holder_of(settings)
        if holder is not None and holder.url is not None:
            server = holder.url
        else:
            server = local_url(settings.host, settings.port)
    try:
        return parse_server(server)
    except ValueError as error:
        raise CommandError(str(error), code=EXIT_USAGE) from error


def program_name(found: str | None, started: Path, folder: Path) -> str:
    """The command that starts this program again in ``folder``. Pure.

    ``found``: where the shell finds ``lobug``; None: nowhere, as after ``make run``, which puts the
    program in an environment outside the shell's path. ``started``: the path of this program.
    """
    if found is not None or started.name != "lobug":
        return "lobug"
    try:
        return str(started.absolute().relative_to(folder))
    except ValueError:
        return str(started)
