"""Failures of commands: sentences on standard error and an exit code, never a stack trace."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import typer
from rich.console import Console
from typer.core import TyperGroup

from lobug.errors import LobugError

EXIT_FAILED = 1
"""What was asked for did not work."""

EXIT_USAGE = 2
"""The command line itself is wrong; typer's own code for it."""

EXIT_UNREACHABLE = 3
"""No server answers."""

EXIT_INTERRUPTED = 130
"""Ctrl-C, as a shell reports it."""


class CommandError(Exception):
    """A failure that a person can act on. Its arguments are whole sentences."""

    def __init__(self, *sentences: str, code: int = EXIT_FAILED) -> None:
        super().__init__("\n".join(sentences))
        self.sentences: Sequence[str] = sentences
        self.code = code


class SentenceGroup(TyperGroup):
    """A group of commands whose failures end as sentences."""

    def invoke(self, ctx: Any) -> object:  # its class is private to typer
        """Run the command that was chosen."""
        try:
            result: object = super().invoke(ctx)
        except CommandError as error:
            _say(*error.sentences)
            raise typer.Exit(error.code) from error
        except LobugError as error:
            _say(str(error) or error.spoken)
            raise typer.Exit(EXIT_FAILED) from error
        except BrokenPipeError as error:
            # The reader of our output (head, less) has ended; Python would complain at exit.
            sys.stderr.close()
            raise typer.Exit(EXIT_FAILED) from error
        return result


def _say(*sentences: str) -> None:
    console = Console(stderr=True, soft_wrap=True)
    for sentence in sentences:
        console.print(f"lobug: {sentence}", style="red", markup=False, highlight=False)


def warn(*sentences: str) -> None:
    """Print warnings on standard error."""
    console = Console(stderr=True, soft_wrap=True)
    for sentence in sentences:
        console.print(f"warning: {sentence}", style="yellow", markup=False, highlight=False)
