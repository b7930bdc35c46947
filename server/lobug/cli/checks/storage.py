"""The SQLite driver and the database."""

from __future__ import annotations

from lobug.cli.checks.finding import Finding, fail, ok
from lobug.errors import StorageError
from lobug.memory import driver


def check_driver() -> Finding:
    """Whether a driver can load the vector search."""
    try:
        report = driver.describe()
    except StorageError as error:
        return fail("sqlite", "vector search cannot be loaded", str(error))
    return ok(
        "sqlite",
        f"{report.module}, SQLite {report.sqlite_version}, sqlite-vec {report.vec_version}",
    )
