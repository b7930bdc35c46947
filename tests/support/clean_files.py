"""What a checker has found clean and need not read again, in any checkout of this computer.

Only that something was clean is kept, never a finding.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path

from support.cpp_build import ROOT

KEPT = 2_000
"""Keys that a folder keeps; the oldest are forgotten."""


def kept_folder(checker: str) -> Path:
    """Where it is kept what ``checker`` has found clean."""
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / f"lobug-{checker}"


def key(version: str, rules: bytes, command: str, file: Path, headers: Collection[Path]) -> str:
    """Stands for a checker of this version, its rules, its command and the words of all that it
    reads. It is the same for the same words, wherever the checkout is."""
    digest = hashlib.sha256(version.encode())
    digest.update(rules)
    digest.update(command.replace(str(ROOT), "").encode())
    # Sorted by their names within the checkout: its own path may come before or after /usr.
    names = {path: Path(str(path).replace(str(ROOT), "")) for path in (file, *headers)}
    for path in (file, *sorted(headers, key=names.__getitem__)):
        digest.update(f"\n{names[path]} {_digest(path)}".encode())
    return digest.hexdigest()


def is_clean(kept: Path, known: str) -> bool:
    """Whether what this key stands for was found clean."""
    return (kept / known).exists()


def keep(kept: Path, clean: Iterable[str]) -> None:
    """Remember these keys, and forget the oldest where there are too many."""
    kept.mkdir(parents=True, exist_ok=True)
    for known in clean:
        (kept / known).touch()
    oldest_first = sorted(kept.iterdir(), key=lambda path: path.stat().st_mtime)
    for path in oldest_first[:-KEPT]:
        path.unlink(missing_ok=True)


def forget_digests() -> None:
    """Read files anew: within one run of the tests they are expected not to change."""
    _digest.cache_clear()


@cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
