"""``lobug skills``: what Lo-Bug can do for somebody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lobug.cli.connection import RefusedError, server_address, token_header
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_UNREACHABLE,
    CommandError,
    JsonOption,
    ServerOption,
    console,
    print_json,
    show_table,
)

if TYPE_CHECKING:
    import httpx

TIMEOUT_S = 10.0
SHOWN_EXAMPLES = 2


def skills(server: ServerOption = None, as_json: JsonOption = False) -> None:
    """Show what Lo-Bug can do for somebody, and what is switched off or lacks something.

    Asks the running server.
    """
    found = _fetch(server_address(server).url)
    if as_json:
        print_json(found)
        return
    show_table(
        ("skill", "state", "say for example"),
        ((row["name"], row["state"], _told(row)) for row in found["skills"]),
        sentence("skills.none"),
    )
    if found["mcp_servers"]:
        console().print()
        show_table(
            ("MCP server", "state", "tools"),
            (
                (row["name"], "connected" if row["connected"] else "not connected", _tools(row))
                for row in found["mcp_servers"]
            ),
            "",
        )


def _told(row: Mapping[str, Any]) -> str:
    """The reason why a skill cannot be used, else its first examples."""
    return row["reason"] or " ".join(row["examples"][:SHOWN_EXAMPLES])


def _tools(row: Mapping[str, Any]) -> str:
    names = (
        name if allowed else sentence("skills.not_allowed", name=name)
        for name, allowed in row["tools"].items()
    )
    return row["fault"] or ", ".join(names)


def _fetch(url: str) -> Mapping[str, Any]:
    """What ``GET /skills`` answers. Raises CommandError."""
    import httpx

    try:
        answer = httpx.get(
            f"{url}/skills", headers=token_header(url), timeout=TIMEOUT_S, trust_env=False
        )
    except httpx.TimeoutException as error:
        raise CommandError(sentence("connection.timeout", seconds=TIMEOUT_S)) from error
    except httpx.TransportError as error:
        raise CommandError(
            sentence("connection.no_server", url=url), code=EXIT_UNREACHABLE
        ) from error
    return _read(answer, url)


def _read(answer: httpx.Response, url: str) -> Mapping[str, Any]:
    from lobug.simulator.contract import read_error

    if answer.status_code != 200:
        code, message = read_error(answer.content)
        raise RefusedError(answer.status_code, code, message)
    try:
        found = answer.json()
        rows = [*found["skills"], *found["mcp_servers"]]
    except (ValueError, KeyError, TypeError):
        rows = [None]
    if not all(isinstance(row, dict) and "name" in row for row in rows):
        raise CommandError(sentence("skills.no_skills", url=url))
    return found  # type: ignore[no-any-return]
