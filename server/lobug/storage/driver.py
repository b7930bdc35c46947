"""Chooses the SQLite driver, opens connections, types their errors. Nothing else imports a driver.

Vector search is an extension of SQLite, and Python's own ``sqlite3`` cannot load extensions on
some builds (macOS, several distributions). So, in this order: pysqlite3 (the wheels of
``pysqlite3-binary`` on Linux x64 and of ``pysqlite3`` on Apple silicon have the same module name),
then ``sqlite3`` if it can load extensions, else an error that says what to install.
"""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lobug.errors import (
    StorageBusyError,
    StorageCorruptError,
    StorageDriverError,
    StorageError,
    StorageFullError,
    StorageReadOnlyError,
    StorageRefusedError,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

Connection = sqlite3.Connection
"""A connection. pysqlite3's has the same interface as the standard library's and is typed so."""

CANDIDATES = ("pysqlite3.dbapi2", "sqlite3")

ADVICE = (
    "No SQLite driver of this Python can load extensions. Install one that can:"
    " `pip install pysqlite3-binary` (Linux x64) or `pip install pysqlite3` (macOS on Apple"
    " silicon, or built from source elsewhere); or use a Python whose sqlite3 was built with"
    " extension loading (python.org on Linux, `PYTHON_CONFIGURE_OPTS=--enable-loadable-sqlite-"
    "extensions` with pyenv, Homebrew's Python)."
)


@dataclass(frozen=True, slots=True)
class DriverReport:
    """What ``lobug doctor`` shows about the driver."""

    module: str
    """The Python module chosen."""
    sqlite_version: str
    vec_version: str
    """Version of sqlite-vec as the loaded extension itself reports it."""


def can_load_extensions(module: ModuleType) -> bool:
    """Whether connections of this DB-API module can load extensions."""
    connection = module.connect(":memory:")
    try:
        return hasattr(connection, "enable_load_extension")
    finally:
        connection.close()


def choose(candidates: Sequence[str] = CANDIDATES) -> ModuleType:
    """The first module that is installed and can load extensions. Raises StorageDriverError."""
    for name in candidates:
        try:
            module = importlib.import_module(name)
        except ImportError:
            continue
        if can_load_extensions(module):
            return module
    raise StorageDriverError(ADVICE)


@cache
def driver() -> ModuleType:
    """The driver of this process: ``choose()``, looked up once. Raises StorageDriverError."""
    return choose()


def connect(path: str, *, timeout_s: float) -> Connection:
    """Open a database with sqlite-vec loaded, in autocommit mode (transactions are explicit).

    ``timeout_s`` is how long a statement waits for another process's lock. The connection may be
    used from any one thread at a time. Raises StorageDriverError and the driver's own errors.
    """
    module = driver()
    connection: Connection = module.connect(
        path, timeout=timeout_s, isolation_level=None, check_same_thread=False
    )
    try:
        load_vectors(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def load_vectors(connection: Any) -> None:
    """Load sqlite-vec into a connection. Raises StorageDriverError, also where it is not installed:
    it is imported only here, so that the rest of Lo-Bug runs without it and can report that."""
    try:
        import sqlite_vec  # noqa: PLC0415

        connection.enable_load_extension(True)
        sqlite_vec.load(connection)
        connection.enable_load_extension(False)
    except (ImportError, AttributeError, OSError, driver().Error) as error:
        raise StorageDriverError(
            f"sqlite-vec could not be loaded ({error}). Reinstall it: `pip install sqlite-vec`."
        ) from error


def integrity_errors() -> tuple[type[Exception], ...]:
    """What drivers raise for rows that contradict each other; of those that are in use."""
    found: list[type[Exception]] = [driver().IntegrityError]
    postgres = sys.modules.get("psycopg")
    if postgres is not None:
        found.append(postgres.IntegrityError)
    return tuple(found)


def overflow_errors() -> tuple[type[Exception], ...]:
    """What is raised for a number of more than 64 bits."""
    found: list[type[Exception]] = [OverflowError]
    postgres = sys.modules.get("psycopg")
    if postgres is not None:
        found.append(postgres.errors.NumericValueOutOfRange)
    return tuple(found)


def describe() -> DriverReport:
    """The driver of this process and its versions. Raises StorageDriverError."""
    module = driver()
    connection = connect(":memory:", timeout_s=1.0)
    try:
        (vec_version,) = connection.execute("SELECT vec_version()").fetchone()
    finally:
        connection.close()
    return DriverReport(
        module=module.__name__, sqlite_version=module.sqlite_version, vec_version=vec_version
    )


# Primary result codes of SQLite, https://www.sqlite.org/rescode.html (low byte of the extended).
BUSY, LOCKED, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB = 5, 6, 8, 10, 11, 13, 14, 26
TOOBIG, CONSTRAINT, MISMATCH = 18, 19, 20

ROOM_BYTES = 256 * 1024
"""A disk with less free space still counts as full: one more page would fit, but not a turn."""


def require_room(path: Path) -> None:
    """Raises StorageFullError when less than ``ROOM_BYTES`` is free where ``path`` is."""
    free = shutil.disk_usage(path.parent).free
    if free < ROOM_BYTES:
        raise StorageFullError(f"no room to write to {path} ({free} bytes are free)")


def _is_full(path: Path) -> bool:
    try:
        require_room(path)
    except StorageFullError:
        return True
    except OSError:
        return False
    return False


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
    if code == FULL or (code == IOERR and _is_full(path)):
        return StorageFullError(f"no room to write to {path} ({text})")
    if code == READONLY:
        return StorageReadOnlyError(f"{path} cannot be written ({text})")
    if code == CANTOPEN:
        return StorageReadOnlyError(
            f"{path} or its folder cannot be opened for writing ({text}): check its permissions"
        )
    if code in (TOOBIG, CONSTRAINT, MISMATCH):
        return StorageRefusedError(f"{path} does not take what it was given ({text})")
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
