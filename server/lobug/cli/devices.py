"""``lobug devices``: which devices may talk."""

from __future__ import annotations

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

devices_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Which devices may talk: see, approve, name, alert, reboot, revoke.\n\nAsks the"
    " running server. If none runs at the address of the settings, the file is"
    " opened directly.",
)

DeviceArgument = Annotated[
    str, typer.Argument(metavar="DEVICE", help="Id or name of a device.", show_default=False)
]
UserOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="USER",
        help="The user who talks with it: its memories belong to that user.",
        show_default=False,
    ),
]


@devices_app.command("list")
def list_devices(server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Show the devices that wait for approval, and those that were approved."""
    with open_access_client(server) as client:
        found = client.send("GET", "/devices")
    if as_json:
        print_json(found)
        return
    if found["waiting"]:
        show_table(
            ("code", "device", "from", "until", "says it is"),
            (
                (
                    row["code"],
                    row["id"],
                    row["address"],
                    when(row["expires_at"]),
                    _description(row),
                )
                for row in found["waiting"]
            ),
            "",
        )
        console().print(sentence("access.how_to_approve") + "\n", markup=False)
    show_table(
        ("device", "state", "connected", "user", "last seen", "name"),
        (
            (
                row["id"],
                row["state"],
                {True: "yes", False: "no", None: ""}[row["connected"]],
                row["user"],
                when(row["last_seen_at"]),
                row["name"],
            )
            for row in found["devices"]
        ),
        sentence("access.no_devices"),
    )


@devices_app.command()
def approve(
    code: Annotated[
        list[str],
        typer.Argument(metavar="CODE", help="The code that the device shows.", show_default=False),
    ],
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What to call it.", show_default=False)
    ] = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Approve the device that shows CODE. It connects by itself within a minute."""
    with open_access_client(server) as client:
        body = {"code": "".join(code), "name": name, "user": user}
        device = client.send("POST", "/devices/approve", body)
    _show_change(device, "access.device_approved", as_json=as_json)


@devices_app.command("name")
def name_device(
    device: DeviceArgument,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="What to call it.", show_default=False),
    ] = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give a device a name, or with --user another user ('' for that of the settings)."""
    if name is None and user is None:
        raise CommandError(sentence("access.name_or_user"))
    with open_access_client(server) as client:
        body = {"name": name, "user": user}
        changed = client.send("PATCH", _device_path(client, device), body)
    _show_change(changed, "access.device_changed", as_json=as_json)


@devices_app.command()
def revoke(
    device: DeviceArgument, server: ServerOption = None, as_json: JsonOption = False
) -> None:
    """Revoke a device's approval, at once. It must be approved again before it may talk."""
    with open_access_client(server) as client:
        ended = client.send("DELETE", _device_path(client, device))
    _show_change(ended, "access.device_revoked", as_json=as_json)


@devices_app.command()
def alert(
    device: DeviceArgument,
    message: Annotated[
        str, typer.Argument(metavar="MESSAGE", help="Text that it shows.", show_default=False)
    ],
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title above the text.")] = "Lo-Bug",
    server: ServerOption = None,
) -> None:
    """Make a connected device show MESSAGE and play a sound."""
    with open_access_client(server) as client:
        client.send(
            "POST", f"{_device_path(client, device)}/alert", {"message": message, "status": title}
        )
    console().print(sentence("access.sent"), markup=False)


@devices_app.command()
def reboot(device: DeviceArgument, server: ServerOption = None) -> None:
    """Restart a connected device."""
    with open_access_client(server) as client:
        client.send("POST", f"{_device_path(client, device)}/reboot")
    console().print(sentence("access.sent"), markup=False)


def device_id(known: list[dict[str, Any]], what: str) -> str:
    """The id of the device meant by an id or a name. Raises CommandError. Pure."""
    if any(row["id"] == what.lower() for row in known):
        return what.lower()
    named = [row["id"] for row in known if row["name"] and row["name"] == what]
    if len(named) == 1:
        return str(named[0])
    if named:
        raise CommandError(sentence("access.several_devices", name=what, ids=", ".join(named)))
    raise CommandError(sentence("access.unknown_device", name=what))


def _device_path(client: AccessClient, what: str) -> str:
    found = device_id(client.send("GET", "/devices")["devices"], what)
    return f"/devices/{quote(found, safe='')}"


def _description(row: dict[str, Any]) -> str:
    text: str = row["description"]
    return sentence("access.paired_already", description=text) if row["replaces"] else text


def _show_change(device: dict[str, Any], key: str, *, as_json: bool) -> None:
    if as_json:
        print_json(device)
        return
    called = f" ({device['name']})" if device["name"] else ""
    line = sentence(key, device=f"{device['id']}{called}")
    console().print(plain(line), markup=False, soft_wrap=True)
