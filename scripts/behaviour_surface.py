"""Sections of ``behaviour.py`` that need no conversation: routes, help, settings, errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from behaviour_lobug import Checkout, Finished, RecordingError, served, with_ollama
from behaviour_normal import Normaliser
from behaviour_ollama import fake_ollama

EVALUATION_S = 3 * 3600.0
"""Longest evaluation, seconds."""

EMBEDDED = {"LOBUG_EMBEDDINGS__ENGINE": "embedded", "LOBUG_CHAT__ENGINE": "embedded"}
"""Settings of commands that are to ask nobody."""

_BORDER = "│"
_PANEL = "╭─ Commands"
_PANEL_END = "╰"


def openapi(checkout: Checkout, folder: Path, normal: Normaliser) -> Any:
    """Record every route as the server itself documents it."""
    with (
        fake_ollama() as ollama,
        served(checkout, folder / "d", **with_ollama(ollama.url)) as lobug,
    ):
        document = lobug.client.get("/openapi.json").raise_for_status().json()
    if not document["paths"]:
        raise RecordingError("no routes")
    return normal.value(document)


def help_pages(checkout: Checkout, folder: Path, normal: Normaliser) -> dict[str, list[str]]:
    """Record the help of every command, found by walking from ``lobug --help``."""
    pages: dict[str, list[str]] = {}
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        command = waiting.pop(0)
        page = checkout.must_run(*command, "--help", data=folder).out
        pages[" ".join(("lobug", *command))] = _lines(normal.text(page))
        waiting += [(*command, name) for name in commands_in(page)]
    if len(pages) < 10:
        raise RecordingError(f"only {len(pages)} commands found")
    version = checkout.must_run("--version", data=folder).out
    return pages | {"lobug --version": _lines(version.replace(checkout.version(), "<version>"))}


def commands_in(page: str) -> Iterator[str]:
    """The names of the commands in a page of help."""
    _, _, panel = page.partition(_PANEL)
    for line in panel.splitlines()[1:]:
        if line.startswith(_PANEL_END):
            return
        # What goes on from the line above begins further to the right.
        if found := re.match(rf"{_BORDER} ([a-z][a-z-]*) ", line):
            yield found[1]


def settings(checkout: Checkout, folder: Path, normal: Normaliser) -> dict[str, Any]:
    """Record every setting: type, default, meaning; what is in effect; and the example file."""
    pages = _pages(checkout, folder)
    rows = _table(pages["docs/configuration.md"], 4)
    documented = {row[0]: {"type": row[1], "default": row[2], "meaning": row[3]} for row in rows}
    in_effect = checkout.must_run("config", "--json", data=folder).json()
    if not documented or not in_effect:
        raise RecordingError("no settings")
    refused = {
        wrong: _finished(
            checkout.run("config", data=folder, settings=dict([wrong.split("=")])), normal
        )
        for wrong in ("LOBUG_PORT=many", "LOBUG_CHAT__ENGINE=magic", "LOBUG_NO_SUCH=1")
    }
    return {
        "documented": documented,
        "in_effect": normal.value(in_effect),
        "example": _lines(normal.text(pages[".env.example"])),
        "refused": refused,
    }


def errors(checkout: Checkout, folder: Path, normal: Normaliser) -> dict[str, Any]:
    """Record every error code with its status, meaning and sentence."""
    rows = _table(_pages(checkout, folder)["docs/errors.md"], 4)
    if not rows:
        raise RecordingError("no errors")
    return normal.value(  # type: ignore[no-any-return]  # a dict stays one
        {row[0]: {"status": row[1], "meaning": row[2], "sentence": row[3]} for row in rows}
    )


def evaluation(
    checkout: Checkout, folder: Path, normal: Normaliser, locomo: Path | None
) -> dict[str, Any]:
    """Record the figures of the recall cases, and of LoCoMo where its data are given."""
    figures: dict[str, Any] = {}
    done = checkout.run(
        "eval", "cases", "--json", data=folder, timeout_s=EVALUATION_S, settings=EMBEDDED
    )  # exits with 1 when something was recalled that must not be, with figures all the same
    figures["cases"] = normal.value(done.json())
    if locomo is not None:
        told = checkout.must_run(
            "eval",
            "locomo",
            str(locomo),
            "--json",
            data=folder,
            timeout_s=EVALUATION_S,
            settings=EMBEDDED,
        )
        figures["locomo"] = normal.value(told.json())
    return figures


def _finished(done: Finished, normal: Normaliser) -> dict[str, Any]:
    return {"code": done.code, "err": _lines(normal.text(done.err))}


def _pages(checkout: Checkout, folder: Path) -> dict[str, str]:
    """The generated pages, written to a folder that looks like a source tree."""
    with TemporaryDirectory(dir=folder) as root:
        Path(root, "docs").mkdir()
        Path(root, "pyproject.toml").touch()
        checkout.must_run("config", "--docs", "--root", root, data=folder)
        found = [path for path in Path(root).rglob("*") if path.is_file()]
        return {str(path.relative_to(root)): path.read_text() for path in found}


def _table(page: str, columns: int) -> list[list[str]]:
    """The rows of all tables of a page, without their heads."""
    rows = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == columns and cells[0].startswith("`"):
            rows.append([cells[0].strip("`"), *cells[1:]])
    return rows


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]
