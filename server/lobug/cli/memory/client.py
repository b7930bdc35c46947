"""The connection of ``lobug memory`` to the memory: through the running server, else directly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lobug.cli.connection import TIMEOUT_S, RefusedError, ask, client_arguments
from lobug.cli.sentences import sentence
from lobug.cli.terminal import EXIT_UNREACHABLE, EXIT_USAGE, CommandError
from lobug.memory.model import Category, EntryScope, Layer, Status

if TYPE_CHECKING:
    import httpx

LONG_TIMEOUT_S = 600.0
"""Timeout of an export and an import, seconds."""

Params = Mapping[str, str | int | float | bool | Sequence[str] | None]


class MemoryClient:
    """The routes under ``/memory``, for one user."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self.user: str | None = None
        """The user of the requests; None: the caller."""

    def get(self, path: str, params: Params | None = None) -> Any:
        """Send GET; returns the JSON answer. Raises CommandError."""
        return self.send("GET", path, params=params)

    def post(self, path: str, body: object, params: Params | None = None) -> Any:
        """Send POST; returns the JSON answer. Raises CommandError."""
        return self.send("POST", path, params=params, body=body)

    def send(
        self, method: str, path: str, *, params: Params | None = None, body: object = None
    ) -> Any:
        """One request with a JSON answer. Raises CommandError."""
        return self.raw(method, path, params=params, json=body).json()

    def raw(
        self,
        method: str,
        path: str,
        *,
        params: Params | None = None,
        timeout_s: float = TIMEOUT_S,
        **content: Any,
    ) -> httpx.Response:
        """One request. Raises CommandError unless it succeeds."""
        query = {"user": self.user, **(params or {})}
        given = {name: value for name, value in query.items() if value is not None}
        return ask(
            self._http, method, f"/memory{path}", params=given, timeout_s=timeout_s, **content
        )


@contextmanager
def open_memory(
    server: str | None, user: str | None, *, creates: bool = False, any_user: bool = False
) -> Iterator[MemoryClient]:
    """The memory of a user. ``creates``: the user, and without a server the database, may be new.
    ``any_user``: the command is not about one user.

    Without a running server the database is opened in this process. Raises CommandError,
    StorageError.
    """
    import httpx

    with httpx.Client(**client_arguments(server, lambda: _direct(creates=creates))) as http:
        memory = MemoryClient(http)
        if not any_user:
            memory.user = user_meant(memory, user, creates=creates)
        yield memory


def _direct(*, creates: bool) -> httpx.BaseTransport:
    from lobug.cli.effective_settings import load_settings

    settings = load_settings().settings
    path = settings.database_path
    in_file = not settings.database.url.get_secret_value()
    if in_file and not creates and not path.is_file():
        raise CommandError(sentence("memory.no_memory", path=path), code=EXIT_UNREACHABLE)
    from lobug.cli.direct import DirectMemoryTransport  # imports the application

    return DirectMemoryTransport(settings)


_OWN_ONLY = {"memory_forbidden", "token_scope"}
"""Errors of a caller who may not name a user: only its own memory is open to it."""


def user_meant(memory: MemoryClient, named: str | None, *, creates: bool) -> str | None:
    """The user of a command; None: the caller's own. Raises CommandError."""
    try:
        found = memory.get("/users")
    except RefusedError as refusal:
        if refusal.error_code not in _OWN_ONLY or named is not None:
            raise
        return None
    return choose_user([row["user"] for row in found["users"]], found["you"], named, creates)


def choose_user(known: Sequence[str], you: str, named: str | None, creates: bool) -> str:
    """The user that is meant. ``you``: the caller at this computer. Raises CommandError. Pure."""
    everybody = ", ".join(known[:10])
    if named is not None:
        if creates or named in known:
            return named
        if known:
            raise CommandError(sentence("memory.unknown_user_known", user=named, known=everybody))
        raise CommandError(sentence("memory.unknown_user", user=named))
    if you in known or not known:
        return you
    if len(known) == 1:
        return known[0]
    raise CommandError(sentence("memory.which_user", known=everybody), code=EXIT_USAGE)


def entry_id(memory: MemoryClient, what: str) -> int:
    """The id of an entry given by id or key. Raises CommandError."""
    from urllib.parse import quote

    if what.isdecimal() and what.isascii():
        return int(what)
    found: int = memory.get(f"/keys/{quote(what, safe='')}")["id"]
    return found


UserOption = Annotated[
    str | None,
    typer.Option(
        "--user",
        metavar="NAME",
        help="Whose memory (`lobug memory users` lists all users). Default: yours on this"
        " computer, or that of the only user.",
        show_default=False,
    ),
]


WhatArgument = Annotated[
    str, typer.Argument(metavar="ENTRY", help="Id or key of a memory.", show_default=False)
]


ProjectOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only this project.", show_default=False)
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
            sentence("memory.bad_time", option=option, text=repr(text)), code=EXIT_USAGE
        ) from error


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """Which entries a command looks at."""

    layer: Annotated[Layer | None, typer.Option(help="Only this layer.", show_default=False)] = None
    category: Annotated[
        Category | None, typer.Option(help="Only this category.", show_default=False)
    ] = None
    scope: Annotated[
        EntryScope | None, typer.Option(help="Only this scope.", show_default=False)
    ] = None
    status: Annotated[
        Literal[Status, "all"],
        typer.Option(
            help="Believed now (active), true in the past, or no longer believed (inactive)."
        ),
    ] = "active"
    project: ProjectOption = None
    tags: Annotated[
        list[str] | None,
        typer.Option("--tag", metavar="TAG", help="Only with this tag; may be given again."),
    ] = None
    since: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Said at this time or later: 2026-03-01, 2026-03-01T12:00, with an offset, or"
            " seconds since the epoch. Local time if there is no offset.",
            show_default=False,
        ),
    ] = None
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Said before this time.", show_default=False)
    ] = None

    def parameters(self) -> dict[str, Any]:
        """The options as parameters of a request. Raises CommandError."""
        times = {
            "since": moment("--since", self.since),
            "until": moment("--until", self.until),
        }
        return {**asdict(self), "tags": self.tags or None, **times}
