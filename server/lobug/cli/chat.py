"""``lobug chat``: a conversation with a running server, in the terminal."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from lobug.access.callers import valid_device_id
from lobug.cli.connection import server_address, server_client
from lobug.cli.sentences import sentence
from lobug.cli.terminal import EXIT_UNREACHABLE, CommandError, ServerOption, open_console

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 120.0
"""Seconds. Longer than any time-out of the server: the terminal shows that it is thinking."""


def chat(
    server: ServerOption = None,
    device_id: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="Who is talking: each device has its own conversation and, unless the"
            " settings name a common user, its own memory. Default: this computer's"
            " address, as for curl and `lobug simulate`.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Talk with a running Lo-Bug server by typing.

    With standard input from a pipe, each line is a turn and only the replies are printed.
    """
    import httpx

    address = server_address(server)
    headers = {"Device-Id": valid_device_id(device_id)} if device_id else {}
    interactive = sys.stdin.isatty() and sys.stdout.isatty()
    # A new connection for each turn: people pause for longer than a server keeps an idle one.
    limits = httpx.Limits(max_keepalive_connections=0)
    with server_client(address.url, headers=headers, timeout=TIMEOUT_S, limits=limits) as http:
        _check_server(http, address.url)
        if interactive:
            _converse(http)
        else:
            _answer_lines(http, sys.stdin)


def _check_server(http: httpx.Client, url: str) -> None:
    from lobug.simulator.contract import check_health

    status, body = _call(http, "GET", "/health", None)
    if status != 200 or check_health(body):
        raise CommandError(sentence("connection.not_lobug", url=url))


def _converse(http: httpx.Client) -> None:
    with contextlib.suppress(ImportError):
        # Importing it is what gives input() its history and editing.
        import readline  # noqa: F401

    console = open_console()
    console.print(sentence("chat.greeting", help=sentence("chat.help")), style="dim")
    for line in _typed_lines():
        try:
            with console.status(sentence("chat.thinking")):
                reply = _ask(http, line)
        except KeyboardInterrupt:
            console.print(sentence("chat.no_longer_waiting"), style="dim")
            continue
        except CommandError as error:
            if error.code == EXIT_UNREACHABLE:
                raise
            console.print(str(error), style="red", markup=False)
            continue
        console.print("[bold]lo-bug>[/bold] ", end="")
        console.print(reply or sentence("chat.says_nothing"), markup=False)


def _typed_lines() -> Iterator[str]:
    while True:
        try:
            line = input("you> ").strip()
        except EOFError:
            print()  # noqa: T201 - the shell's prompt belongs on a line of its own
            return
        except KeyboardInterrupt:
            print()  # noqa: T201 - as above
            return
        if line in {"/quit", "/exit"}:
            return
        if line.startswith("/"):
            print(sentence("chat.help"))  # noqa: T201 - answers at the prompt
        elif line:
            yield line


def _answer_lines(http: httpx.Client, lines: Iterable[str]) -> None:
    for raw in lines:
        line = raw.strip()
        if line in {"/quit", "/exit"}:
            return
        if line:
            typer.echo(_ask(http, line))
            sys.stdout.flush()


def _ask(http: httpx.Client, text: str) -> str:
    """One turn. Raises CommandError."""
    from lobug.simulator.contract import check_text, read_error

    status, body = _call(http, "POST", "/chat/text", {"text": text})
    if status != 200:
        code, message = read_error(body)
        raise CommandError(
            sentence("connection.refused", message=message, code=code or f"HTTP {status}")
        )
    reply = check_text(body)
    if reply.problems:
        raise CommandError(*reply.problems)
    return reply.response


def _call(
    http: httpx.Client, method: str, path: str, payload: dict[str, str] | None
) -> tuple[int, bytes]:
    import httpx

    try:
        answer = http.request(method, path, json=payload)
    except httpx.TimeoutException as error:
        raise CommandError(sentence("connection.timeout", seconds=TIMEOUT_S)) from error
    except httpx.HTTPError as error:
        raise CommandError(
            sentence("connection.no_server_start", url=http.base_url),
            code=EXIT_UNREACHABLE,
        ) from error
    return answer.status_code, answer.content
