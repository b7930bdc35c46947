"""clang-tidy over many files; what it has found clean it does not read again.

A file is known by all that clang-tidy can see of it: its words and those of every header that it
includes, the flags, the rules, clang-tidy's version. Nearly all of its time goes into analysing
functions, path by path; reading the same headers for each file takes a twentieth.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from support import clean_files
from support.cpp_build import run

TIDY = "clang-tidy-22"
SCANNER = "clang-scan-deps-22"


def kept_folder() -> Path:
    """Where it is kept which files were clean."""
    return clean_files.kept_folder("clang-tidy")


@dataclass(frozen=True, slots=True)
class Unit:
    """A file, the headers that it includes, and the command that compiles it."""

    file: Path
    includes: Sequence[Path]
    command: str

    def key(self, rules: Path) -> str:
        """The same for the same words, wherever the checkout is."""
        return clean_files.key(
            _version(), rules.read_bytes(), self.command, self.file, self.includes
        )


def units(database: Path) -> list[Unit]:
    """All files of a compile_commands.json. Headers are found as the compiler finds them."""
    entries = json.loads(database.read_text(encoding="utf-8"))
    included = _included(database)
    return [
        Unit(Path(entry["file"]), included[Path(entry["file"])], entry["command"])
        for entry in entries
    ]


def write_database(folder: Path, files: Sequence[Path], flags: Sequence[str]) -> Path:
    """Write and return a compile_commands.json with these flags of clang for each file."""
    database = folder / "compile_commands.json"
    folder.mkdir(parents=True, exist_ok=True)
    entries = [
        {
            "directory": str(folder),
            "file": str(file),
            "command": shlex.join(["clang++-22", *flags, "-c", str(file), "-o", f"{file.stem}.o"]),
        }
        for file in files
    ]
    database.write_text(json.dumps(entries), encoding="utf-8")
    return database


def check(database: Path, rules: Path, *, within: Sequence[Path], kept: Path) -> int:
    """Let clang-tidy read the files under ``within`` that ``kept`` does not know as clean. Fails
    the test with all that it finds. Returns how many files it read."""
    keys = {
        unit.file: unit.key(rules)
        for unit in units(database)
        if any(unit.file.is_relative_to(folder) for folder in within)
    }
    assert keys, f"no files under {within}"
    unread = [file for file, known in keys.items() if not clean_files.is_clean(kept, known)]

    def fault(file: Path) -> str | None:
        try:
            output = run(TIDY, "-p", database.parent, f"--config-file={rules}", "--quiet", file)
        except pytest.fail.Exception as failed:
            return str(failed)
        if "warning:" in output:
            return output
        clean_files.keep(kept, [keys[file]])
        return None

    with ThreadPoolExecutor(2) as pool:
        faults = list(pool.map(fault, unread))
    clean_files.keep(kept, (known for file, known in keys.items() if file not in unread))
    found = [text for text in faults if text]
    if found:
        pytest.fail("\n\n".join(found))
    return len(unread)


def _included(database: Path) -> Mapping[Path, Sequence[Path]]:
    """Each file's headers: rules as make reads them, `object: file header header ...`."""
    rules = run(SCANNER, "-compilation-database", database, "-j", "2").replace("\\\n", " ")
    included = {}
    for rule in rules.splitlines():
        file, *headers = (Path(path) for path in shlex.split(rule.partition(": ")[2]))
        included[file] = headers
    return included


@cache
def _version() -> str:
    return run(TIDY, "--version")
