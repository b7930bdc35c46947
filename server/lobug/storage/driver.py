"""Chooses the SQLite driver and opens connections; nothing else imports a driver.

Vector search is an extension of SQLite, and Python's own ``sqlite3`` cannot load extensions on
some builds (macOS, several distributions). So, in this order: pysqlite3 (the wheels of
``pysqlite3-binary`` on Linux x64 and of ``pysqlite3`` on Apple silicon have the same module name),
then ``sqlite3`` if it can load extensions, else an error that says what to install.
"""

from __future__ import annotations

import importlib
import sqlite3
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from lobug.errors import StorageDriverError

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
