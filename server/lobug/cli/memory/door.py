"""The connection of ``lobug memory`` to the memory: through the running server, else directly."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lobug.cli.connection import TIMEOUT_S, ask, client_arguments
from lobug.cli.connection import RefusedError as RefusedError  # noqa: PLC0414 - given on
from lobug.cli.faults import EXIT_UNREACHABLE, EXIT_USAGE, CommandError

if TYPE_CHECKING:
    import httpx

LONG_TIMEOUT_S = 600.0
"""Timeout of an export and an import, seconds."""

Params = Mapping[str, str | int | float | bool | Sequence[str] | None]


class Door:
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
def open_door(
    server: str | None, user: str | None, *, creates: bool = False, any_user: bool = False
) -> Iterator[Door]:
    """The memory of a user. ``creates``: the user, and without a server the database, may be new.
    ``any_user``: the command is not about one user.

    Without a running server the database is opened in this process. Raises CommandError,
    StorageError.
    """
    import httpx

    with httpx.Client(**client_arguments(server, lambda: _direct(creates=creates))) as http:
        door = Door(http)
        if not any_user:
            door.user = _user(door, user, creates=creates)
        yield door


def _direct(*, creates: bool) -> httpx.BaseTransport:
    from lobug.cli.load import load_settings

    settings = load_settings().settings
    path = settings.database_path
    if not creates and not path.is_file():
        raise CommandError(
            f"no Lo-Bug server runs here, and there is no memory yet: {path} does not exist",
            code=EXIT_UNREACHABLE,
        )
    from lobug.cli.direct import DirectMemoryTransport  # imports the application

    return DirectMemoryTransport(settings)


def _user(door: Door, named: str | None, *, creates: bool) -> str | None:
    try:
        found = door.get("/users")
    except RefusedError as refusal:
        if refusal.error_code != "memory_forbidden" or named is not None:
            raise
        return None  # from another computer only the caller's own memory is open
    return choose_user([row["user"] for row in found["users"]], found["you"], named, creates)


def choose_user(known: Sequence[str], you: str, named: str | None, creates: bool) -> str:
    """The user that is meant. ``you``: the caller at this computer. Raises CommandError. Pure."""
    everybody = ", ".join(known[:10])
    if named is not None:
        if creates or named in known:
            return named
        rest = f"; remembered are: {everybody}" if known else ""
        raise CommandError(f"nothing is remembered of {named}{rest}")
    if you in known or not known:
        return you
    if len(known) == 1:
        return known[0]
    raise CommandError(
        f"several people are remembered; name one with --user: {everybody}", code=EXIT_USAGE
    )


def entry_id(door: Door, what: str) -> int:
    """The id of an entry given by id or key. Raises CommandError."""
    from urllib.parse import quote

    if what.isdecimal() and what.isascii():
        return int(what)
    found: int = door.get(f"/keys/{quote(what, safe='')}")["id"]
    return found


def confirm(question: str, *, yes: bool) -> None:
    """Return only if the person at the terminal, or ``--yes``, agrees. Raises CommandError."""
    import typer

    if yes:
        return
    if not sys.stdin.isatty():
        raise CommandError(
            "nothing was erased: there is no terminal to ask at; give --yes if you mean it",
            code=EXIT_USAGE,
        )
    if not typer.confirm(question, default=False, err=True):
        raise CommandError("nothing was erased")
