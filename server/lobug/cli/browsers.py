"""``lobug browsers``: which web browsers may open the pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any
from urllib.parse import quote

import typer

from lobug.cli.connection import AccessClient, open_access_client
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

browsers_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Which web browsers may open Lo-Bug's pages: see, invite, revoke.\n\nAsks the running"
    " server. If none runs at the address of the settings, the file is opened directly.",
)


@browsers_app.command("list")
def list_browsers(server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Show the invitations that can be used, and the browsers that were let in."""
    with open_access_client(server) as client:
        found = client.send("GET", "/web/browsers") | client.send("GET", "/web/invitations")
    if as_json:
        print_json(found)
        return
    if found["invitations"]:
        show_table(
            ("code", "user", "role", "until", "name"),
            (
                (row["code"], row["user"], row["role"], when(row["expires_at"]), row["name"])
                for row in found["invitations"]
            ),
            "",
        )
        console().print()
    now = datetime.now(UTC)
    show_table(
        ("id", "state", "user", "last used", "name"),
        (
            (row["id"], state_of(row, now), row["user"], when(row["last_used_at"]), row["name"])
            for row in found["browsers"]
        ),
        sentence("access.no_browsers"),
    )


def state_of(row: dict[str, Any], now: datetime) -> str:
    """What a row of `/web/browsers` is called: its role, or why it is out. Pure."""
    if row["revoked_at"]:
        return "revoked"
    return "expired" if datetime.fromisoformat(row["expires_at"]) <= now else str(row["role"])


@browsers_app.command()
def invite(
    user: Annotated[
        str,
        typer.Argument(
            metavar="USER",
            help="The user who talks with it: its memories belong to that user.",
            show_default=False,
        ),
    ],
    owner: Annotated[
        bool,
        typer.Option(
            "--owner",
            help="The browser may do what the owner may: let devices and browsers in, change"
            " settings. At the computer that Lo-Bug runs on it may see everybody's memories.",
        ),
    ] = False,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="What to call it.", show_default=False)
    ] = "",
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a code with which one browser is let in, once."""
    body = {"user": user, "role": "owner" if owner else "person", "name": name}
    with open_access_client(server) as client:
        made = client.send("POST", "/web/invitations", body)
        here = client.url_at_this_computer
    if as_json:
        print_json(made)
        return
    lines = [sentence("access.invited", code=made["code"], until=when(made["expires_at"]))]
    if made["url"]:
        lines.append(sentence("access.invited_there", url=made["url"]))
    if here is not None:
        place = f"{here}/#/pair/{made['code']}"
        lines.append(sentence("access.invited_here", url=place))
    elif not made["url"]:
        lines.append(sentence("access.invited_without_server"))
    console().print(plain("\n".join(lines)), markup=False, soft_wrap=True)


@browsers_app.command()
def revoke(
    browser: Annotated[
        str,
        typer.Argument(metavar="BROWSER", help="Id or name of a browser.", show_default=False),
    ],
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Sign a browser out, at once. It needs a new invitation before it may come back."""
    with open_access_client(server) as client:
        ended = client.send("DELETE", f"/web/browsers/{quote(_id_of(client, browser), safe='')}")
    if as_json:
        print_json(ended)
        return
    line = sentence("access.browser_revoked", id=ended["id"], name=ended["name"])
    console().print(plain(line), markup=False, soft_wrap=True)


def _id_of(client: AccessClient, what: str) -> str:
    return browser_id(client.send("GET", "/web/browsers")["browsers"], what)


def browser_id(known: list[dict[str, Any]], what: str) -> str:
    """The id of the browser meant by an id or a name; a name means one that is not revoked. Raises
    CommandError. Pure."""
    if any(row["id"] == what for row in known):
        return what
    named = [
        row["id"] for row in known if row["name"] and row["name"] == what and not row["revoked_at"]
    ]
    if len(named) == 1:
        return str(named[0])
    if named:
        raise CommandError(sentence("access.several_browsers", name=what, ids=", ".join(named)))
    raise CommandError(sentence("access.unknown_browser", name=what))
