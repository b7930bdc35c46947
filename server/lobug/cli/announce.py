"""``lobug announce``: says a text on devices."""

from __future__ import annotations

from typing import Annotated

import typer

from lobug.cli.connection import ask, server_address, server_client
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_FAILED,
    CommandError,
    JsonOption,
    ServerOption,
    console,
    plain,
    print_json,
)

PATIENCE_S = 150.0
"""Seconds to wait for the answer, which comes when the text has been said."""


def announce(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is said.", show_default=False)],
    device: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Only on this device: its name or id.", show_default=False
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(
            metavar="USER", help="Only on the devices of this person.", show_default=False
        ),
    ] = None,
    expires: Annotated[
        float | None,
        typer.Option(
            min=1.0,
            max=31_536_000.0,
            metavar="SECONDS",
            help="Where it has to wait, do not say it any more after this time.",
            show_default=False,
        ),
    ] = None,
    now: Annotated[
        bool, typer.Option("--now", help="Fail if no device can say it now; let it not wait.")
    ] = False,
    silent: Annotated[bool, typer.Option("--no-chime", help="Without a chime before it.")] = False,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say TEXT on devices, on all of them unless one or a person is named. Where nobody can be
    reached, or in quiet hours, it waits and is the first thing that is said later."""
    body = {
        "text": text,
        "device": device,
        "user": user,
        "all": device is None and user is None,
        "chime": not silent,
        "wait": not now,
        "expires_s": expires,
    }
    url = server_address(server).url
    with server_client(url) as http:
        result = ask(http, "POST", "/announce", timeout_s=PATIENCE_S, json=body).json()
    nobody = not result["said_on"] and not result["waits_for"]
    if as_json:
        print_json(result)
        raise typer.Exit(EXIT_FAILED if nobody else 0)
    if nobody:
        raise CommandError(sentence("announce.nobody"), code=EXIT_FAILED)
    for key, name, words in (
        ("announce.said", "devices", result["said_on"]),
        ("announce.waits", "users", result["waits_for"]),
    ):
        if words:
            line = sentence(key, **{name: ", ".join(words)})
            console().print(plain(line), markup=False, soft_wrap=True)
