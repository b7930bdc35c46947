"""``docs/errors.md``: every failure that a caller can see. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from lobug import errors
from lobug.errors import LobugError

HEAD = """\
# Errors

What the HTTP doors answer when something fails. The code never changes once it is released; the
sentence is what a device shows or says. [protocol.md](protocol.md) shows the whole body.

| code | status | meaning | a device says |
|---|---|---|---|"""


def errors_page() -> str:
    """The page, made from the exceptions themselves."""
    rows = [
        f"| `{error.code}` | {error.status} | {_meaning(error)} | {error.spoken} |"
        for error in _with_code_of_their_own(LobugError)
    ]
    return "\n".join([HEAD, *rows, ""])


def _with_code_of_their_own(error: type[LobugError]) -> Iterator[type[LobugError]]:
    if "code" in vars(error) and error.__module__ == errors.__name__:
        yield error
    for child in error.__subclasses__():
        yield from _with_code_of_their_own(child)


def _meaning(error: type[LobugError]) -> str:
    """The first paragraph of the docstring, without what only a programmer wants to know."""
    paragraph = " ".join((error.__doc__ or "").split("\n\n")[0].split())
    return paragraph.split(" Base of ")[0].replace("``", "`").replace("|", "\\|")
