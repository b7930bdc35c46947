"""``lobug alerts``: timers, alarms and reminders."""

from __future__ import annotations

import re
from typing import Annotated, Literal

import typer

from lobug.cli.connection import open_agenda
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_USAGE,
    CommandError,
    JsonOption,
    SentenceGroup,
    ServerOption,
    plain,
    print_json,
    show_table,
    when,
)

alerts_app = typer.Typer(
    cls=SentenceGroup,
    no_args_is_help=True,
    help="Timers, alarms and reminders: list, add, cancel.\n\nAsks the running server. If none runs"
    " at the address of the settings, the file is opened directly.",
)

PersonOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="NAME",
        help="Whose timers, alarms and reminders. Default: yours on this computer.",
        show_default=False,
    ),
]
_LENGTH = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s?)?", re.ASCII)


@alerts_app.command("list")
def list_alerts(
    user: PersonOption = None, server: ServerOption = None, as_json: JsonOption = False
) -> None:
    """Show what is set, the soonest first."""
    with open_agenda(server, user) as agenda:
        found = agenda.send("GET", "/alerts")
    if as_json:
        print_json(found)
        return
    show_table(
        ("id", "kind", "rings", "state", "repeats", "label"),
        (
            (
                one["id"],
                one["kind"],
                when(one["due_at"]),
                one["state"],
                one["rule"],
                one["label"],
            )
            for one in found["alerts"]
        ),
        sentence("alerts.none"),
    )


@alerts_app.command()
def add(
    kind: Annotated[
        Literal["timer", "alarm", "reminder"],
        typer.Argument(help="What to set.", show_default=False),
    ],
    label: Annotated[
        str,
        typer.Argument(
            metavar="[LABEL]", help="Its name, or what to be reminded of.", show_default=False
        ),
    ] = "",
    in_: Annotated[
        str | None,
        typer.Option(
            "--in", metavar="LENGTH", help="In how long: 90s, 10m, 1h30m.", show_default=False
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="When: 2026-03-01T07:30, on Lo-Bug's clock unless it has an offset.",
            show_default=False,
        ),
    ] = None,
    rule: Annotated[
        str | None,
        typer.Option(
            metavar="RRULE",
            help="How it repeats from then on: FREQ=WEEKLY;BYDAY=MO,TU.",
            show_default=False,
        ),
    ] = None,
    user: PersonOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Set a timer, an alarm or a reminder."""
    if (in_ is None) == (at is None):
        raise CommandError(sentence("alerts.one_time"), code=EXIT_USAGE)
    body = {
        "kind": kind,
        "label": label,
        "at": at,
        "in_s": None if in_ is None else _seconds(in_),
        "rule": rule,
    }
    with open_agenda(server, user) as agenda:
        made = agenda.send(
            "POST", "/alerts", body={key: value for key, value in body.items() if value is not None}
        )
    if as_json:
        print_json(made)
        return
    typer.echo(sentence("alerts.added", kind=kind, id=made["id"], when=when(made["due_at"])))


@alerts_app.command()
def cancel(
    ids: Annotated[
        list[int],
        typer.Argument(metavar="ID...", min=1, help="Ids; `list` shows them.", show_default=False),
    ],
    user: PersonOption = None,
    server: ServerOption = None,
) -> None:
    """Cancel by id; what rings stops."""
    with open_agenda(server, user) as agenda:
        for one in ids:
            gone = agenda.send("DELETE", f"/alerts/{one}")
            label = f": {plain(gone['label'])}" if gone["label"] else ""
            typer.echo(sentence("alerts.cancelled", kind=gone["kind"], id=one, label=label))


def _seconds(text: str) -> float:
    """The seconds of "1h30m", "90s" or "90". Raises CommandError."""
    match = _LENGTH.fullmatch(text.strip().lower())
    if match is None or not any(match.groups()):
        raise CommandError(sentence("alerts.bad_length", text=repr(text)), code=EXIT_USAGE)
    hours, minutes, seconds = match.groups()
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + float(seconds or 0)
