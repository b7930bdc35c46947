"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lobug.cli.faults import EXIT_USAGE, CommandError

if TYPE_CHECKING:
    from lobug.simulator.wire import ServerAddress

ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}  # noqa: S104 - compared, not bound
"""Where a server that listens on all addresses is reached from its own computer."""

ServerOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Address of the running Lo-Bug server. Default: this computer, at the port of the"
        " settings (http://127.0.0.1:8321).",
        show_default=False,
    ),
]


def server_address(server: str | None) -> ServerAddress:
    """The server meant by ``--server``. Raises CommandError."""
    from lobug.simulator.wire import parse_server

    if server is None:
        from lobug.cli.load import load_settings  # loads pydantic

        settings = load_settings().settings
        server = local_url(settings.host, settings.port)
    try:
        return parse_server(server)
    except ValueError as error:
        raise CommandError(str(error), code=EXIT_USAGE) from error


def local_url(host: str, port: int) -> str:
    """How this computer reaches a server that listens there. Pure."""
    reachable = ANY_ADDRESS.get(host, f"[{host}]" if ":" in host else host)
    return f"http://{reachable}:{port}"


def program_name(found: str | None, started: Path, folder: Path) -> str:
    """What to type in ``folder`` to start this program again. Pure.

    ``found``: where the shell finds ``lobug``, if it does; ``started``: what was started. After
    ``make run`` the program is in an environment that the shell knows nothing of.
    """
    if found is not None or started.name != "lobug":
        return "lobug"
    try:
        return str(started.absolute().relative_to(folder))
    except ValueError:
        return str(started)
