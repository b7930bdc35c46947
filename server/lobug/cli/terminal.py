"""What all commands share at the terminal: failures as sentences, common options, tables, JSON.

Memories, names and addresses are text of unknown origin: ``plain`` keeps them from controlling the
terminal.
"""

from __future__ import annotations

import functools
import inspect
import json
import os
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Annotated, Any, get_type_hints

import typer
from rich.console import Console
from typer.core import TyperGroup

from lobug.cli.sentences import sentence
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
            _print_failure(*error.sentences)
            raise typer.Exit(error.code) from error
        except LobugError as error:
            _print_failure(str(error) or error.spoken)
            raise typer.Exit(EXIT_FAILED) from error
        except BrokenPipeError as error:
            # The reader of our output (head, less) has ended; Python would complain at exit.
            sys.stderr.close()
            raise typer.Exit(EXIT_FAILED) from error
        except UnicodeError as error:
            _print_failure(sentence("terminal.no_text"))
            raise typer.Exit(EXIT_FAILED) from error
        except OSError as error:
            _forget_output()
            _print_failure(_reason(error))
            raise typer.Exit(EXIT_FAILED) from error
        return result


def _reason(error: OSError) -> str:
    """What the operating system says, with the file that it is about."""
    reason = error.strerror or str(error) or type(error).__name__
    return reason if error.filename is None else f"{reason}: {error.filename}"


def _forget_output() -> None:
    """Let nothing more be written to a standard output that is full: Python would try it at exit,
    and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_console(
    *, stderr: bool = False, soft_wrap: bool = False, width: int | None = None
) -> Console:
    """A console that shows what it is given: without emoji for names like ``:CD:``, which stand in
    every other certificate's fingerprint, and without colours of its own for numbers.

    Args:
        stderr: whether to write to standard error.
        soft_wrap: whether to leave the breaking of long lines to the terminal.
        width: columns; None: the terminal's.
    """
    return Console(stderr=stderr, soft_wrap=soft_wrap, width=width, highlight=False, emoji=False)


def _print_failure(*sentences: str) -> None:
    console = open_console(stderr=True, soft_wrap=True)
    for line in sentences:
        console.print(f"lobug: {line}", style="red", markup=False)


def warn(*sentences: str) -> None:
    """Print warnings on standard error."""
    console = open_console(stderr=True, soft_wrap=True)
    for line in sentences:
        console.print(f"warning: {line}", style="yellow", markup=False)


ServerOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Address of the running Lo-Bug server. Default: the server that uses the data"
        " folder of the settings, else this computer at the port of the settings"
        " (http://127.0.0.1:8321).",
        show_default=False,
    ),
]


JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def print_json(document: object) -> None:
    """Print JSON, which escapes control characters itself."""
    typer.echo(json.dumps(document, indent=2, ensure_ascii=_escapes()))


def print_json_line(record: Mapping[str, object]) -> None:
    """Print a JSON object on one line, at once: the reader of a pipe may be waiting for it."""
    sys.stdout.write(json.dumps(record, ensure_ascii=_escapes()) + "\n")
    sys.stdout.flush()


def _escapes() -> bool:
    """Whether JSON has to be written in ASCII: standard output does not take every letter."""
    return (sys.stdout.encoding or "").lower().replace("-", "") != "utf8"


_STEERING = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories of control characters, marks of direction and other invisible characters."""
_JOINERS = {"\u200c", "\u200d"}
"""Of category Cf, but emoji, Persian and Indian scripts need them."""


def plain(text: object) -> str:
    """One line without control characters. Pure."""
    line = " ".join(str(text).split())
    return "".join(
        "\ufffd" if unicodedata.category(c) in _STEERING and c not in _JOINERS else c for c in line
    )


def plain_lines(text: str) -> str:
    """``plain``, line by line. Pure."""
    kept = (line[: len(line) - len(line.lstrip(" "))] + plain(line) for line in text.split("\n"))
    return "\n".join(kept)


def when(text: str | None) -> str:
    """A time of the server in local time, to the minute. Pure but for the time zone."""
    if not text:
        return ""
    try:
        return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError):
        return plain(text)


PIPE_COLUMNS = 16_000
"""Longer than any content."""


def console() -> Console:
    """The console for tables. In a file or a pipe each row is one line."""
    found = open_console()
    return found if found.is_terminal else open_console(width=PIPE_COLUMNS)


def show_table(columns: Sequence[str], rows: Iterable[Sequence[object]], nothing: str) -> None:
    """Print a table, or the sentence ``nothing`` if it has no rows."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns[:-1]:
        # Only wide columns shrink in favour of the content, which is the last one.
        table.add_column(column, no_wrap=column not in WIDE_COLUMNS, overflow="fold")
    table.add_column(columns[-1], overflow="fold")
    for row in rows:
        table.add_row(*(Text(plain("" if cell is None else cell)) for cell in row))
    if table.row_count:
        console().print(table)
    else:
        console().print(nothing)


WIDE_COLUMNS = {"key", "parts", "conversation", "project"}


def show_facts(pairs: Iterable[tuple[str, object]]) -> None:
    """Print names and values, one a line, without empty values."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, value in pairs:
        if value not in (None, "", []):
            table.add_row(name, Text(plain(value)))
    console().print(table)


def with_option_sets(command: Callable[..., None]) -> Callable[..., None]:
    """Let typer see each field of a command's dataclass parameters as an option of its own.

    Every field is annotated as typer wants it and has a default. A parameter that is no dataclass
    stays as it is. The options keep the order of the parameters and their fields.
    """
    hints = get_type_hints(command, include_extras=True)
    sets: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    @functools.wraps(command)
    def flat(**given: Any) -> None:
        for name, kind in sets.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        command(**given)

    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name in sets:
            parameters += _options_of(sets[parameter.name])
        else:
            annotation = hints[parameter.name]
            kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
            parameters.append(parameter.replace(annotation=annotation, kind=kind))
    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return flat


def _options_of(option_set: Any) -> list[inspect.Parameter]:
    hints = get_type_hints(option_set, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(option_set)
    ]
