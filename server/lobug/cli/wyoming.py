"""``lobug wyoming``: where people talk from over Wyoming, and who they are."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from lobug.cli.connection import open_access_client
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    CommandError,
    JsonOption,
    SentenceGroup,
    ServerOption,
    console,
    plain,
    print_json,
    show_table,
    when,
)

wyoming_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Voice satellites of Home Assistant, and whose words come from them.\n\nAsks the running"
    " server. If none runs at the address of the settings, the file is opened directly.",
)


@wyoming_app.command("list")
def list_satellites(server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Show the places from which somebody talked over Wyoming."""
    with open_access_client(server) as client:
        found = client.send("GET", "/wyoming/satellites")
    if as_json:
        print_json(found)
        return
    show_table(
        ("satellite", "entity", "from", "user", "last seen"),
        (
            (row["id"], row["entity"], row["address"], row["user"], when(row["last_seen_at"]))
            for row in found["satellites"]
        ),
        sentence("access.no_satellites"),
    )


@wyoming_app.command("name")
def name_satellite(
    satellite: Annotated[
        str,
        typer.Argument(
            metavar="SATELLITE", help="Id or entity of a satellite.", show_default=False
        ),
    ],
    user: Annotated[
        str,
        typer.Argument(
            metavar="USER",
            help="The user who talks there: its memories belong to that user. '' for that of the"
            " settings, else a user of its own.",
            show_default=False,
        ),
    ],
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say whose words come from a satellite, from the next words on."""
    with open_access_client(server) as client:
        known = client.send("GET", "/wyoming/satellites")["satellites"]
        path = f"/wyoming/satellites/{quote(satellite_id(known, satellite), safe='')}"
        changed = client.send("PATCH", path, {"user": user or None})
    if as_json:
        print_json(changed)
        return
    called = f"{changed['id']} ({changed['entity']})" if changed["entity"] else changed["id"]
    if changed["user"]:
        line = sentence("access.satellite_named", satellite=called, user=changed["user"])
    else:
        line = sentence("access.satellite_own_user", satellite=called)
    console().print(plain(line), markup=False, soft_wrap=True)


def satellite_id(known: list[dict[str, Any]], what: str) -> str:
    """The id of the satellite meant by an id or an entity. Raises CommandError. Pure."""
    wanted = what.lower()
    if any(row["id"] == wanted for row in known):
        return wanted
    called = [str(row["id"]) for row in known if row["entity"].lower() == wanted]
    if len(called) == 1:
        return called[0]
    if called:
        raise CommandError(sentence("access.several_satellites", name=what, ids=", ".join(called)))
    raise CommandError(sentence("access.unknown_satellite", name=what))
