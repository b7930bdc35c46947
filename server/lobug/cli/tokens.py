"""``lobug tokens``: API tokens of people and scripts."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

import typer

from lobug.cli.connection import open_access_client
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    JsonOption,
    SentenceGroup,
    ServerOption,
    console,
    print_json,
    show_table,
    when,
)

tokens_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="API tokens, with which people and scripts on other computers talk to Lo-Bug:"
    " create, see, revoke.\n\nAsks the running server. If none runs at the address"
    " of the settings, the file is opened directly.",
)


@tokens_app.command()
def create(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="What to call it.", show_default=False)
    ],
    user: Annotated[
        str | None,
        typer.Option(
            metavar="USER",
            help="The user who talks with it: its memories belong to that user. Default: a"
            " user of its own.",
            show_default=False,
        ),
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The conversation of the user to which its words belong. Default: one of its own.",
            show_default=False,
        ),
    ] = None,
    owner: Annotated[
        bool, typer.Option("--owner", help="The token may approve devices and create tokens.")
    ] = False,
    scopes: Annotated[
        list[str] | None,
        typer.Option(
            "--scope",
            metavar="SCOPE",
            help="Restrict the token to this purpose; may be given again. metrics: reading /metrics"
            " and all of /health. announce: saying something with POST /announce. For programs that"
            " speak MCP: memory:read, memory:write, devices:speak (on the user's devices),"
            " deeds:read, deeds:write (the user's timers, alarms, reminders and lists).",
            show_default=False,
        ),
    ] = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a token and print it. It is shown only once."""
    body: dict[str, object] = {
        "name": name,
        "user": user,
        "conversation": conversation,
        "owner": owner,
    }
    if scopes:  # a server that is older than scopes knows no such field
        body["scope"] = " ".join(scopes)
    with open_access_client(server) as client:
        made = client.send("POST", "/tokens", body)
    if as_json:
        print_json(made)
        return
    # The token alone on standard output, for a script.
    typer.echo(made["token"])
    typer.echo(sentence("access.token_made", id=made["id"]), err=True)


@tokens_app.command("list")
def list_tokens(server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Show all tokens, without their secrets."""
    with open_access_client(server) as client:
        found = client.send("GET", "/tokens")
    if as_json:
        print_json(found)
        return
    show_table(
        ("id", "state", "user", "conversation", "last used", "name"),
        (
            (
                row["id"],
                _state(row),
                row["user"],
                row["conversation"],
                when(row["last_used_at"]),
                row["name"],
            )
            for row in found["tokens"]
        ),
        sentence("access.no_tokens"),
    )


def _state(row: dict[str, Any]) -> str:
    if row["revoked_at"]:
        return "revoked"
    return "owner" if row["owner"] else row.get("scope") or "good"


@tokens_app.command()
def revoke(
    token_id: Annotated[
        str, typer.Argument(metavar="ID", help="Id of the token.", show_default=False)
    ],
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Revoke a token, at once."""
    with open_access_client(server) as client:
        ended = client.send("DELETE", f"/tokens/{quote(token_id, safe='')}")
    if as_json:
        print_json(ended)
        return
    line = sentence("access.token_revoked", id=ended["id"], name=ended["name"])
    console().print(line, markup=False, soft_wrap=True)
