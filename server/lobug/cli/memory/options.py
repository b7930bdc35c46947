"""Options that the commands of ``lobug memory`` share."""

from __future__ import annotations

import json
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import typer

from lobug.cli.faults import EXIT_USAGE, CommandError
from lobug.cli.terminal import ServerOption as ServerOption  # noqa: PLC0414 - given on


class Layer(StrEnum):
    """Where an entry lives."""

    identity = "identity"
    knowledge = "knowledge"
    archive = "archive"


class Category(StrEnum):
    """What kind of entry it is."""

    knowledge = "knowledge"
    timeline = "timeline"


class Scope(StrEnum):
    """Whom an entry belongs to."""

    conversation = "conversation"
    user = "user"
    household = "household"


class Status(StrEnum):
    """Whether an entry is believed."""

    active = "active"
    past = "past"
    inactive = "inactive"
    all = "all"


UserOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="NAME",
        help="Whose memory (`lobug memory users` lists all). Default: yours at this computer, or"
        " that of the only user.",
        show_default=False,
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
YesOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
WhatArgument = Annotated[
    str, typer.Argument(metavar="ENTRY", help="Id or key of a memory.", show_default=False)
]
LayerOption = Annotated[Layer | None, typer.Option(help="Only this layer.", show_default=False)]
CategoryOption = Annotated[
    Category | None, typer.Option(help="Only this category.", show_default=False)
]
ScopeOption = Annotated[Scope | None, typer.Option(help="Only this scope.", show_default=False)]
StatusOption = Annotated[Status, typer.Option(help="Believed now, once, or not any more.")]
ProjectOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only of this project.", show_default=False)
]
TagOption = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="TAG", help="Only with this tag; may be given again."),
]
SinceOption = Annotated[
    str | None,
    typer.Option(
        metavar="TIME",
        help="Said at this time or later: 2026-03-01, 2026-03-01T12:00, with an offset, or seconds"
        " since the epoch. Local time, unless it says otherwise.",
        show_default=False,
    ),
]
UntilOption = Annotated[
    str | None, typer.Option(metavar="TIME", help="Said before this time.", show_default=False)
]


def moment(option: str, text: str | None) -> str | None:
    """A time for the server; local if it names no offset. Raises CommandError."""
    if text is None:
        return None
    try:
        return str(float(text))
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).astimezone().isoformat()
    except (ValueError, OverflowError) as error:
        raise CommandError(
            f"{option}: {text!r} is not a time like 2026-03-01 or 2026-03-01T12:00", code=EXIT_USAGE
        ) from error


def filters(
    *,
    layer: Layer | None,
    category: Category | None,
    scope: Scope | None,
    status: Status,
    project: str | None,
    tags: list[str] | None,
    since: str | None,
    until: str | None,
) -> dict[str, Any]:
    """The options as parameters of a request. Raises CommandError."""
    return {
        "layer": layer.value if layer else None,
        "category": category.value if category else None,
        "scope": scope.value if scope else None,
        "status": status.value,
        "project": project,
        "tags": tags or None,
        "since": moment("--since", since),
        "until": moment("--until", until),
    }


def print_json(document: object) -> None:
    """Print JSON, which escapes control characters itself."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))
