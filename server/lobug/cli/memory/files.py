"""``lobug memory export`` and ``lobug memory import``."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lobug.cli.memory.client import LONG_TIMEOUT_S, UserOption, open_memory
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    CommandError,
    JsonOption,
    ServerOption,
    console,
    open_console,
    plain_lines,
    print_json,
)

ONE = {
    "sessions": "session",
    "messages": "message",
    "entries": "entry",
    "projects": "project",
    "tasks": "task",
}
"""Singular of the counts of an import."""


class FileFormat(StrEnum):
    """Format of an export."""

    json = "json"
    markdown = "markdown"


ExportArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FILE]", help="File to write. Default, and -: standard output.", show_default=False
    ),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]


def export(
    file: ExportArgument = None,
    as_format: Annotated[
        FileFormat,
        typer.Option(
            "--format", help="json is complete and can be imported; markdown is for reading."
        ),
    ] = FileFormat.json,
    force: ForceOption = False,
    user: UserOption = None,
    server: ServerOption = None,
) -> None:
    """Write all of a user's memory to a file that only you may read, or to standard output."""
    target = export_target(file, force=force)
    with open_memory(server, user) as memory:
        answer = memory.raw(
            "GET", "/export", params={"format": as_format.value}, timeout_s=LONG_TIMEOUT_S
        )
        content = answer.content
    write_export(target, content)


def export_target(file: Path | None, *, force: bool) -> Path | None:
    """The file of an export; None: standard output. Raises CommandError: it exists already, and
    ``force`` is not given."""
    if file is None or str(file) == "-":
        return None
    if file.exists() and not force:
        raise CommandError(sentence("memory.file_exists", path=file))
    return file


def write_export(target: Path | None, content: bytes) -> None:
    """Write an export in UTF-8 where ``export_target`` says. Raises CommandError."""
    if target is not None:
        write_private(target, content)
        line = sentence("memory.file_written", path=target, bytes=len(content))
        console().print(line, markup=False, soft_wrap=True)
    elif sys.stdout.isatty():
        typer.echo(plain_lines(content.decode()).rstrip("\n"))
    else:
        sys.stdout.buffer.write(content)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all. Raises CommandError."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            part.replace(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise CommandError(
            sentence("memory.file_not_written", path=path, reason=error.strerror)
        ) from error


def import_file(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="An export in JSON or a `sessions.json` snapshot; - for standard input.",
            show_default=False,
        ),
    ],
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Import an export, whole or not at all. What exists already is skipped."""

    try:
        content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
    except OSError as error:
        raise CommandError(
            sentence("memory.file_not_read", path=file, reason=error.strerror)
        ) from error
    # On standard error: what is printed stays clean for programs.
    status = open_console(stderr=True).status(sentence("memory.importing", mb=len(content) / 1e6))
    with open_memory(server, user, creates=True) as memory, status:
        brought = memory.raw("POST", "/import", timeout_s=LONG_TIMEOUT_S, content=content).json()
    if as_json:
        print_json(brought)
        return
    counts = ", ".join(
        f"{count} {ONE.get(name, name) if count == 1 else name}"
        for name, count in brought.items()
        if count
    )
    line = sentence("memory.imported", counts=counts or sentence("memory.nothing"))
    console().print(line, markup=False)
