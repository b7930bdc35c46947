"""Turns the driver's errors into Lo-Bug's typed storage errors."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path

from lobug.errors import (
    StorageBusyError,
    StorageCorruptError,
    StorageError,
    StorageFullError,
    StorageReadOnlyError,
)
from lobug.storage.driver import driver

# Primary result codes of SQLite, https://www.sqlite.org/rescode.html (low byte of the extended).
BUSY, LOCKED, READONLY, CORRUPT, FULL, CANTOPEN, NOTADB = 5, 6, 8, 11, 13, 14, 26


ROOM_BYTES = 256 * 1024
"""A disk with less free space still counts as full: one more page would fit, but not a turn."""


def require_room(path: Path) -> None:
    """Raises StorageFullError when less than ``ROOM_BYTES`` is free where ``path`` is."""
    free = shutil.disk_usage(path.parent).free
    if free < ROOM_BYTES:
        raise StorageFullError(f"no room to write to {path} ({free} bytes are free)")


def file_of(path: Path) -> tuple[int, int] | None:
    """The device and inode of a file; None: there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def create_private(path: Path) -> None:
    """Make an empty file that only its owner can read, unless something is there. Raises OSError.

    SQLite takes an empty file for a new database, and gives its log the rights of the database.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        return


def backups_of(path: Path) -> list[Path]:
    """The backups that migrations made of a database file, oldest first."""
    return sorted(
        path.parent.glob(f"{escape(path.name)}.backup-v*"),
        key=lambda file: file.name.rsplit("-", 1)[-1],
    )


def corrupt(path: Path, reason: str) -> StorageCorruptError:
    """The error for a damaged file: names it and its backups; the file itself is left alone."""
    backups = backups_of(path)
    names = ", ".join(str(file) for file in backups) if backups else "none"
    return StorageCorruptError(
        f"the database {path} is damaged ({reason}). Lo-Bug leaves it as it is. Move it away and"
        f" put a backup in its place, or start without it. Backups: {names}."
    )


def typed(error: Exception, path: Path) -> StorageError:
    """The storage error that stands for an error of the driver."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    text = str(error)
    if code in (CORRUPT, NOTADB):
        return corrupt(path, text)
    if code in (BUSY, LOCKED):
        return StorageBusyError(f"another process holds the lock of {path} ({text})")
    if code == FULL:
        return StorageFullError(f"no room to write to {path} ({text})")
    if code == READONLY:
        return StorageReadOnlyError(f"{path} cannot be written ({text})")
    if code == CANTOPEN:
        return StorageReadOnlyError(
            f"{path} or its folder cannot be opened for writing ({text}): check its permissions"
        )
    return StorageError(f"{path}: {text}")


def _typed_file_error(error: OSError, path: Path) -> StorageError:
    text = f"{error.filename or path}: {error.strerror}"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StorageFullError(f"no room beside {path} ({text})")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return StorageReadOnlyError(f"the folder of {path} cannot be written ({text})")
    return StorageError(f"the folder of {path} cannot be used ({text})")


@contextmanager
def typed_errors(path: Path) -> Iterator[None]:
    """Raise every error of the driver and of files inside as a StorageError."""
    try:
        yield
    except OSError as error:  # backups are files that this program moves and deletes itself
        raise _typed_file_error(error, path) from error
    except driver().Error as error:
        raise typed(error, path) from error
