"""cppcheck over many files; what it has found clean it does not read again.

Each file is checked by itself: with several processes and no build folder cppcheck compares no
files with each other. So a file is known by its words, those of all headers that it may include,
the flags and cppcheck's version.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from support import clean_files
from support.cpp_build import run

COMMAND = (
    "cppcheck",
    "--std=c++17",
    "--language=c++",
    "--enable=warning,performance,portability",
    "--inline-suppr",
    "--suppress=missingInclude",
    "--suppress=containerOutOfBounds",  # 2.10 takes std::array<T, N + 1> for N long; ASan does not
    "--error-exitcode=1",
    "--quiet",
    "-j2",
)
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def kept_folder() -> Path:
    """Where it is kept which files were clean."""
    return clean_files.kept_folder("cppcheck")


def check(files: Sequence[Path], includes: Sequence[Path], *, kept: Path) -> int:
    """Let cppcheck read the files that ``kept`` does not know as clean; headers are looked for in
    the folders ``includes``. Fails the test with all that it finds. Returns how many it read."""
    assert files
    command = [*COMMAND, *(f"-I{folder}" for folder in includes)]
    keys = {
        file: clean_files.key(_version(), b"", " ".join(command), file, _headers(file, includes))
        for file in files
    }
    unread = [file for file, known in keys.items() if not clean_files.is_clean(kept, known)]
    if unread and (said := run(*command, *unread).strip()):
        pytest.fail(said)
    clean_files.keep(kept, keys.values())
    return len(unread)


def _headers(file: Path, includes: Sequence[Path]) -> set[Path]:
    """All headers that a file may include, whatever is defined."""
    found: set[Path] = set()
    unread = [file]
    while unread:
        path = unread.pop()
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            for folder in (path.parent, *includes):
                header = (folder / name).resolve()
                if header not in found and header.is_file():
                    found.add(header)
                    unread.append(header)
    return found


@cache
def _version() -> str:
    return run("cppcheck", "--version")
