"""Checks of the SQLite driver, the database, the file of devices and tokens, and their privacy."""

from __future__ import annotations

from pathlib import Path

from lobug.access.service import FILE as ACCESS_FILE
from lobug.access.store import STEPS as ACCESS_STEPS
from lobug.cli.checks.finding import Finding, fail, ok, warn
from lobug.data_folder.permissions import open_paths, path_list, why_not_restrictable
from lobug.errors import (
    StorageBusyError,
    StorageDriverError,
    StorageError,
    StorageReadOnlyError,
)
from lobug.settings import Settings
from lobug.storage import driver, migrations
from lobug.storage.driver import backups_of, typed_errors
from lobug.storage.migrations import version_of


def check_driver() -> Finding:
    """Whether the SQLite driver can load vector search."""
    try:
        report = driver.describe()
    except StorageError as error:
        return fail("sqlite", "vector search cannot be loaded", str(error))
    return ok(
        "sqlite",
        f"{report.module}, SQLite {report.sqlite_version}, sqlite-vec {report.vec_version}",
    )


def check_database(settings: Settings) -> Finding:
    """Whether the database can be read, is intact, and has a version that this program knows."""
    return _check_file(
        "database",
        settings.database_path,
        settings.memory.busy_timeout_s,
        len(migrations.STEPS),
        "it then starts with an empty memory",
    )


def check_access(settings: Settings) -> Finding:
    """The check of ``check_database``, for the file of devices and tokens."""
    return _check_file(
        "access",
        settings.data_dir / ACCESS_FILE,
        settings.memory.busy_timeout_s,
        len(ACCESS_STEPS),
        "every device has then to be paired again",
    )


def _check_file(name: str, path: Path, timeout_s: float, newest: int, without: str) -> Finding:
    """Check a database file. ``newest``: the newest version that this program knows; ``without``:
    what happens when the file is moved away."""
    if not path.exists():
        return ok(name, f"{path} will be made at the first start")
    advice = _advice(path, without)
    try:
        version, verdict = _look_into(path, timeout_s)
    except StorageDriverError:
        return fail(name, "cannot be looked at", "Repair what `sqlite` says above.")
    except StorageBusyError as error:
        return warn(name, str(error), "Run `lobug doctor` again in a moment.")
    except StorageReadOnlyError as error:
        return fail(name, str(error), "Give the folder to the user who runs Lo-Bug.")
    except StorageError as error:
        return fail(name, str(error), advice)
    if verdict != "ok":
        return fail(name, f"{path} is damaged: {verdict}", advice)
    if version > newest:
        return fail(name, f"{path} was written by a newer Lo-Bug", "Update Lo-Bug.")
    state = "is up to date" if version == newest else "will be migrated at the next start"
    size = path.stat().st_size / 1e6
    return ok(name, f"{path}, {size:.1f} MB, whole, version {version}, {state}")


def _look_into(path: Path, timeout_s: float) -> tuple[int, str]:
    """Schema version and the first line of SQLite's quick check. Changes nothing."""
    with typed_errors(path):
        connection = driver.connect(str(path), timeout_s=timeout_s)
        try:
            connection.execute("PRAGMA query_only = 1")
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            return version_of(connection), str(verdict)
        finally:
            connection.close()


def _advice(path: Path, without: str) -> str:
    backups = backups_of(path)
    if backups:
        return f"Stop Lo-Bug, move the file away and copy {backups[-1]} in its place."
    return f"Stop Lo-Bug and move the file away; {without}."


def check_privacy(settings: Settings) -> Finding:
    """Whether other users of this computer can read the data folder."""
    opened = open_paths(settings)
    if not opened:
        return ok("privacy", f"nobody but its owner can read what is in {settings.data_dir}")
    not_ours = [
        f"{path} ({why})" for path in opened if (why := why_not_restrictable(path)) is not None
    ]
    if not_ours:
        return warn(
            "privacy",
            f"others at this computer can read {', '.join(not_ours[:5])}",
            "Give Lo-Bug a data folder of its own that belongs to the user who runs it"
            " (LOBUG_DATA_DIR), or take away the others' rights: chmod -R go= FOLDER.",
        )
    return warn(
        "privacy",
        f"others at this computer can read {path_list(opened)}",
        "Start Lo-Bug: it takes away their rights; or do it yourself: chmod -R go="
        f" {settings.data_dir}.",
    )
