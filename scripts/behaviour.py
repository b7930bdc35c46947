"""Records what Lo-Bug does, seen from outside, and compares two recordings.

    python scripts/behaviour.py record before.json
    python scripts/behaviour.py record after.json --source ../other-checkout
    python scripts/behaviour.py compare before.json after.json

It starts Lo-Bug as a person would, asks it through its commands and routes, and reads what it
writes: an inner change that nobody notices leaves the recording as it was. The embedded speech
models have to be here (``lobug models pull``); the language model is scripted.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx

import behaviour_answers
import behaviour_databases
import behaviour_surface
from behaviour_lobug import Checkout, RecordingError
from behaviour_normal import Normaliser, differences

LEFT_OUT = "left_out"
"""The key under which a recording says what it could not record, and why."""

FAILURES = (RecordingError, httpx.HTTPError, OSError, ValueError, KeyError, sqlite3.Error)
"""What keeps a section from being recorded; the others go on."""

Section = Callable[[Checkout, Path, Normaliser], Any]


def main() -> int:
    """Do what the command line says; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else "")
    commands = parser.add_subparsers(required=True, dest="command")
    recording = commands.add_parser("record", help="write what Lo-Bug does to a file")
    recording.add_argument("out", type=Path)
    recording.add_argument(
        "--source", type=Path, default=Path(__file__).parents[1], help="checkout whose code runs"
    )
    recording.add_argument("--locomo", type=Path, help="data of the LoCoMo benchmark")
    recording.add_argument(
        "--only", action="append", metavar="SECTION", help="only this section; repeatable"
    )
    writing = commands.add_parser("database", help="write a database of invented people as SQL")
    writing.add_argument("out", type=Path, help="folder, such as tests/data/databases/NAME")
    writing.add_argument("--source", type=Path, default=Path(__file__).parents[1])
    comparing = commands.add_parser("compare", help="print each difference of two recordings")
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
    """Every section and what records it; the quick ones first."""
    return {
        "openapi": behaviour_surface.openapi,
        "settings": behaviour_surface.settings,
        "errors": behaviour_surface.errors,
        "help": behaviour_surface.help_pages,
        "export": behaviour_databases.export,
        "answers": behaviour_answers.answers,
        "evaluation": partial(behaviour_surface.evaluation, locomo=locomo),
    }


def record(out: Path, checkout: Checkout, locomo: Path | None, only: list[str] | None) -> int:
    """Record the sections into a file. One that fails is named, left out, and fails the run."""
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
    """Print the differences of two recordings, a line each; return 1 where there are any."""
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


if __name__ == "__main__":
    sys.exit(main())
