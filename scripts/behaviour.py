"""Records how Lo-Bug behaves, seen from outside, and compares two recordings.

    python scripts/behaviour.py record before.json
    python scripts/behaviour.py record after.json --source ../other-checkout
    python scripts/behaviour.py compare before.json after.json

It starts Lo-Bug as a person would, uses its commands and routes, and reads the files it writes. A
change that nobody outside notices leaves the recording as it was. The embedded speech models must
be installed (``lobug models pull``); the language model is scripted.
"""

from __future__ import annotations

import argparse
import json
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx

import behaviour_answers
import behaviour_databases
from behaviour_comparison import Normaliser, differences
from behaviour_ollama import fake_ollama
from behaviour_server import EMBEDDED, Checkout, Finished, RecordingError, served, with_ollama

LEFT_OUT = "left_out"
"""Key in a recording: what could not be recorded, and why."""

FAILURES = (RecordingError, httpx.HTTPError, OSError, ValueError, KeyError, sqlite3.Error)
"""Errors that make one section fail; the other sections are still recorded."""

Section = Callable[[Checkout, Path, Normaliser], Any]

EVALUATION_S = 3 * 3600.0
"""Longest evaluation, seconds."""

_BORDER = "│"
_PANEL = "╭─ Commands"
_PANEL_END = "╰"


def main() -> int:
    """Run the command line and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    commands = parser.add_subparsers(required=True, dest="command")
    recording = commands.add_parser("record", help="record how Lo-Bug behaves into a file")
    recording.add_argument("out", type=Path)
    recording.add_argument(
        "--source",
        type=Path,
        default=Path(__file__).parents[1],
        help="checkout whose code runs (this one)",
    )
    recording.add_argument("--locomo", type=Path, help="data of the LoCoMo benchmark")
    recording.add_argument(
        "--only", action="append", metavar="SECTION", help="only this section; repeatable"
    )
    writing = commands.add_parser("database", help="write a database of invented people as SQL")
    writing.add_argument("out", type=Path, help="folder, such as tests/data/databases/NAME")
    writing.add_argument("--source", type=Path, default=Path(__file__).parents[1])
    comparing = commands.add_parser("compare", help="print each difference between two recordings")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "compare":
        return compare(options.before, options.after)
    if options.command == "database":
        with tempfile.TemporaryDirectory(prefix="behaviour-") as folder:
            checkout = Checkout(options.source.resolve())
            checkout.require_own_code()
            behaviour_databases.write_database(checkout, Path(folder), options.out)
        return 0
    return record(options.out, Checkout(options.source.resolve()), options.locomo, options.only)


def sections(locomo: Path | None) -> dict[str, Section]:
    """Each section's name and the function that records it; the quick ones first."""
    return {
        "openapi": openapi,
        "settings": settings,
        "errors": errors,
        "help": help_pages,
        "export": behaviour_databases.export,
        "answers": behaviour_answers.answers,
        "evaluation": partial(evaluation, locomo=locomo),
    }


def record(out: Path, checkout: Checkout, locomo: Path | None, only: list[str] | None) -> int:
    """Record the sections into a file. A section that fails is reported and left out, and the exit
    code is 1."""
    known = sections(locomo)
    unknown = set(only or ()) - set(known)
    if unknown:
        print(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
        return 2
    checkout.require_own_code()
    version = checkout.version()
    document: dict[str, Any] = {}
    left_out: dict[str, str] = {}
    failed = []
    for name in only or known:
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="behaviour-") as folder:
            normal = Normaliser(
                {folder: "<folder>", str(checkout.root): "<checkout>", str(Path.home()): "<home>"},
                version,
            )
            try:
                document[name] = known[name](checkout, Path(folder), normal)
            except FAILURES as error:
                failed.append(name)
                print(f"{name} FAILED: {type(error).__name__}: {error}", file=sys.stderr)
        print(f"{name}: {time.monotonic() - started:.0f} s", file=sys.stderr)
    if isinstance(document.get("answers"), dict):
        left_out |= document["answers"].pop(LEFT_OUT, {})
    if locomo is None and "evaluation" in document:
        left_out["evaluation > locomo"] = "no --locomo was given"
    document[LEFT_OUT] = left_out
    out.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    for what, why in left_out.items():
        print(f"LEFT OUT: {what}: {why}", file=sys.stderr)
    return 1 if failed else 0


def compare(before: Path, after: Path) -> int:
    """Print each difference between two recordings on a line; return 1 if there are any."""
    first, second = json.loads(before.read_text()), json.loads(after.read_text())
    for path, document in ((before, first), (after, second)):
        for what, why in document.get(LEFT_OUT, {}).items():
            print(f"NOT COMPARED: {path} has no {what}: {why}")
    found = 0
    for line in differences(first, second):
        print(line)
        found += 1
    print(f"{found} differences" if found else "no differences")
    return 1 if found else 0


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
    """The names of the commands that a help page lists."""
    _, _, panel = page.partition(_PANEL)
    for line in panel.splitlines()[1:]:
        if line.startswith(_PANEL_END):
            return
        # Lines that continue a description are indented further.
        if found := re.match(rf"{_BORDER} ([a-z][a-z-]*) ", line):
            yield found[1]


def settings(checkout: Checkout, folder: Path, normal: Normaliser) -> dict[str, Any]:
    """Record every setting (type, default, meaning), the settings in effect, the example file and
    how wrong settings are refused."""
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
    )  # exits with 1, but prints its figures, when it recalls something that it must not
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
    with tempfile.TemporaryDirectory(dir=folder) as root:
        Path(root, "docs").mkdir()
        Path(root, "pyproject.toml").touch()
        checkout.must_run("config", "--docs", "--root", root, data=folder)
        found = [path for path in Path(root).rglob("*") if path.is_file()]
        return {str(path.relative_to(root)): path.read_text() for path in found}


def _table(page: str, columns: int) -> list[list[str]]:
    """The rows of all tables of a page, without the headings."""
    rows = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == columns and cells[0].startswith("`"):
            rows.append([cells[0].strip("`"), *cells[1:]])
    return rows


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


if __name__ == "__main__":
    sys.exit(main())
