"""clang-tidy over many files; what it has found clean it does not read again.

A file is known by all that clang-tidy can see of it: its words and those of every header that it
includes, the flags, the rules, clang-tidy's version. Only that a file was clean is kept, never a
finding.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from support.cpp_build import ROOT, run

TIDY = "clang-tidy-22"
SCANNER = "clang-scan-deps-22"
KEPT = 2_000
"""Files that are known to be clean; the oldest are forgotten."""


def kept_folder() -> Path:
    """Where it is kept which files were clean."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "lobug-clang-tidy"


@dataclass(frozen=True, slots=True)
class Unit:
    """A file, the headers that it includes, and the command that compiles it."""

    file: Path
    includes: Sequence[Path]
    command: str

    def key(self, rules: Path) -> str:
        """The same for the same words, wherever the checkout is."""
        digest = hashlib.sha256(_version().encode())
        digest.update(rules.read_bytes())
        digest.update(self.command.replace(str(ROOT), "").encode())
        for path in (self.file, *sorted(self.includes)):
            digest.update(f"\n{str(path).replace(str(ROOT), '')} {_digest(path)}".encode())
        return digest.hexdigest()


def units(database: Path) -> list[Unit]:
    """All files of a compile_commands.json. Headers are found as the compiler finds them."""
    entries = json.loads(database.read_text(encoding="utf-8"))
    included = _included(database)
    return [
        Unit(Path(entry["file"]), included[Path(entry["file"])], entry["command"])
        for entry in entries
    ]


def check(database: Path, rules: Path, *, within: Sequence[Path], kept: Path) -> int:
    """Let clang-tidy read the files under ``within`` that ``kept`` does not know as clean. Fails
    the test with all that it finds. Returns how many files it read."""
    keys = {
        unit.file: kept / unit.key(rules)
        for unit in units(database)
        if any(unit.file.is_relative_to(folder) for folder in within)
    }
    assert keys, f"no files under {within}"
    unread = [file for file, key in keys.items() if not key.exists()]

    def fault(file: Path) -> str | None:
        try:
            output = run(TIDY, "-p", database.parent, f"--config-file={rules}", "--quiet", file)
        except pytest.fail.Exception as failed:
            return str(failed)
        return output if "warning:" in output else None

    with ThreadPoolExecutor(2) as pool:
        faults = dict(zip(unread, pool.map(fault, unread), strict=True))
    kept.mkdir(parents=True, exist_ok=True)
    for file, key in keys.items():
        if not faults.get(file):
            key.touch()
    oldest_first = sorted(kept.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in oldest_first[:-KEPT]:
        path.unlink(missing_ok=True)
    found = [text for text in faults.values() if text]
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
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _version() -> str:
    return run(TIDY, "--version")
