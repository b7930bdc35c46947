"""``lobug memory identity``: show or edit what Lo-Bug always keeps in mind."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from lobug.cli.memory.client import MemoryClient, UserOption, open_memory
from lobug.cli.sentences import sentence
from lobug.cli.terminal import (
    EXIT_USAGE,
    CommandError,
    JsonOption,
    ServerOption,
    console,
    plain_lines,
    print_json,
    warn,
)
from lobug.language.en.perspective import about_the_user

DEFAULT_EDITOR = "notepad" if sys.platform == "win32" else "vi"


def identity(
    edit: Annotated[
        bool, typer.Option("--edit", help="Open the text in $VISUAL or $EDITOR, then store it.")
    ] = False,
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Replace the text by this Markdown file; - for standard input.",
            show_default=False,
        ),
    ] = None,
    user: UserOption = None,
    server: ServerOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what Lo-Bug always keeps in mind, and how full that is; or edit it as one text.

    The text has headings and one line "- ..." for each entry. Lines that you take out are out of
    use (`lobug memory restore` brings them back), new ones are yours.
    """
    if edit and file is not None:
        raise CommandError(sentence("memory.edit_or_file"), code=EXIT_USAGE)
    text = None if file is None else _read(file)
    with open_memory(server, user, creates=edit or text is not None) as memory:
        if edit:
            found = _edit(memory)
        elif text is not None:
            found = _replace(memory, text, version=None)
        else:
            found = memory.get("/identity")
    if as_json:
        print_json(found)
        return
    shown = plain_lines(found["text"]).strip() or sentence("memory.no_identity")
    console().print(shown, markup=False, soft_wrap=True)
    console().print(
        sentence(
            "memory.identity_size",
            characters=found["characters"],
            limit=found["limit"],
            percent=found["used_percent"],
        ),
        style="dim",
    )


def _read(file: Path) -> str:
    """A text file, or standard input. Raises CommandError."""
    try:
        content = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        return content.decode()
    except OSError as error:
        reason = error.strerror
    except UnicodeDecodeError:
        reason = sentence("memory.not_utf8")
    raise CommandError(sentence("memory.file_not_read", path=file, reason=reason))


def _edit(memory: MemoryClient) -> Any:
    """Let the user edit the text. Returns the document as it is then. When it cannot be stored the
    edited file is kept, and the error names it. Raises CommandError."""
    before = memory.get("/identity")
    original = with_all_headings(before["text"])
    folder = Path(tempfile.mkdtemp(prefix="lobug-"))  # for its owner only
    path = folder / "identity.md"
    try:
        path.write_text(original, encoding="utf-8")
        _open_editor(path)
        text = _read(path)
        unchanged = text == original
        after = before if unchanged else _replace(memory, text, version=before["version"])
    except CommandError as error:
        kept = sentence("memory.identity_kept", path=path)
        raise CommandError(*error.sentences, kept, code=error.code) from error
    except BaseException:  # Ctrl-C among them
        if _is_changed(path, original):
            warn(sentence("memory.identity_kept", path=path))
        else:
            shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.rmtree(folder, ignore_errors=True)
    return after


def _is_changed(path: Path, original: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") != original
    except UnicodeError:
        return True
    except OSError:
        return False


def _open_editor(path: Path) -> None:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or DEFAULT_EDITOR
    try:
        # The user's own choice of a program, as git runs it.
        done = subprocess.run([*shlex.split(editor), str(path)], check=False)  # noqa: S603
    except (OSError, ValueError) as error:
        raise CommandError(sentence("memory.no_editor", editor=editor)) from error
    if done.returncode != 0:
        raise CommandError(sentence("memory.editor_failed", editor=editor, code=done.returncode))


def _replace(memory: MemoryClient, text: str, *, version: str | None) -> Any:
    """Store the text; ``version`` is that of the text which was edited. Raises CommandError."""
    if not text.strip():
        # More likely a failed editor or pipe than a wish to take everything out of use.
        raise CommandError(sentence("memory.identity_empty"))
    headers = {} if version is None else {"If-Match": f'"{version}"'}
    body = {"text": in_third_person(text)}
    return memory.raw("PUT", "/identity", json=body, headers=headers).json()


def with_all_headings(text: str) -> str:
    """The text with all headings, so that an editor shows where a new line may stand. Pure."""
    from lobug.language.en.prompts import SECTIONS  # imports numpy

    by_heading: dict[str, list[str]] = {name: [] for name in SECTIONS}
    heading = SECTIONS[0]
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line.removeprefix("## ")
            by_heading.setdefault(heading, [])
        else:
            by_heading[heading].append(line)
    parts = ("\n".join([f"## {name}", *lines]) for name, lines in by_heading.items())
    return "\n\n".join(parts) + "\n"


def in_third_person(text: str) -> str:
    """The text with "- I have a boat" as "- The user has a boat", as memory keeps it: a chat model
    would take "I" for itself. Other lines stay as they are, since they may quote: Likes "I, Robot".
    Pure."""
    return FIRST_PERSON.sub(lambda line: line[1] + about_the_user(line[2]), text)


FIRST_PERSON = re.compile(
    r"^([ \t]*[-*+][ \t]+)((?:I|My|We|Our)\b.*)$", re.MULTILINE | re.IGNORECASE
)
