"""Checks of the SQLite driver, of the files of memory and access, and of their privacy."""

from __future__ import annotations

from pathlib import Path

from lobug.access.service import FILE as ACCESS_FILE
from lobug.access.store import STEPS as ACCESS_STEPS
from lobug.agenda.service import FILE as AGENDA
from lobug.data_folder.permissions import open_paths, path_list, why_not_restrictable
from lobug.diagnosis.findings import Finding, fail, ok, warn
from lobug.diagnosis.sentences import sentence
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
from lobug.webhooks.outbox import FILE as WEBHOOKS

BACKLOG = (
    "SELECT (SELECT count(*) FROM claim_backlog),"
    " (SELECT count(*) FROM memories WHERE status <> 'inactive')"
)
CLAIMS_SINCE = 5
"""The version of the database that has claims."""


def check_driver() -> Finding:
    """Whether the SQLite driver can load vector search."""
    try:
        report = driver.describe()
    except StorageError as error:
        return fail("sqlite", sentence("doctor.driver_without_vectors"), str(error))
    message = sentence(
        "doctor.driver",
        module=report.module,
        sqlite=report.sqlite_version,
        vec=report.vec_version,
    )
    return ok("sqlite", message)


def check_files_left(settings: Settings) -> list[Finding]:
    """Whether files of databases are left, where everything is kept in PostgreSQL."""
    folder = settings.data_dir
    paths = (settings.database_path, *(folder / name for name in (AGENDA, ACCESS_FILE, WEBHOOKS)))
    left = sorted(one.name for path in paths for one in path.parent.glob(f"{path.name}*"))
    if not left:
        return []
    what = sentence("doctor.files_left", names=", ".join(left))
    return [warn("files", what, sentence("doctor.files_left_advice"))]


def check_database(settings: Settings) -> Finding:
    """Whether the file can be read, is intact, and has a version that this program knows."""
    return _check_file(
        "database",
        settings.database_path,
        settings.memory.busy_timeout_s,
        len(migrations.STEPS),
        sentence("doctor.without_database"),
        refused=migrations.REFUSED,
    )


def check_claims(settings: Settings) -> Finding:
    """Whether what an older version stored has been read for its claims, and how much is left."""
    path = settings.database_path
    if not path.exists():
        return ok("claims", sentence("doctor.claims_read"))
    try:
        with typed_errors(path):
            connection = driver.connect(str(path), timeout_s=settings.memory.busy_timeout_s)
            try:
                connection.execute("PRAGMA query_only = 1")
                if version_of(connection) < CLAIMS_SINCE:
                    return ok("claims", sentence("doctor.claims_later"))
                ((left, total),) = connection.execute(BACKLOG).fetchall()
            finally:
                connection.close()
    except StorageError as error:
        return warn("claims", str(error), sentence("doctor.file_busy_advice"))
    return judge_claims(left, total)


def check_access(settings: Settings) -> Finding:
    """The check of ``check_database``, for the file of devices and tokens."""
    return _check_file(
        "access",
        settings.data_dir / ACCESS_FILE,
        settings.memory.busy_timeout_s,
        len(ACCESS_STEPS),
        sentence("doctor.without_access"),
    )


def _check_file(
    name: str,
    path: Path,
    timeout_s: float,
    newest: int,
    without: str,
    *,
    refused: int | None = None,
) -> Finding:
    """Check a database file. ``newest``: the newest version that this program knows; ``without``:
    what happens when the file is moved away; ``refused``: an older version that is not migrated."""
    if not path.exists():
        return ok(name, sentence("doctor.file_new", path=path))
    advice = _advice(path, without)
    try:
        version, verdict = _look_into(path, timeout_s)
    except StorageDriverError:
        return fail(
            name, sentence("doctor.file_unchecked"), sentence("doctor.file_unchecked_advice")
        )
    except StorageBusyError as error:
        return warn(name, str(error), sentence("doctor.file_busy_advice"))
    except StorageReadOnlyError as error:
        return fail(name, str(error), sentence("doctor.file_read_only_advice"))
    except StorageError as error:
        return fail(name, str(error), advice)
    if verdict != "ok" or version == refused:
        fault = "doctor.file_damaged" if verdict != "ok" else "doctor.file_refused"
        return fail(name, sentence(fault, path=path, verdict=verdict), advice)
    if version > newest:
        return fail(
            name, sentence("doctor.file_newer", path=path), sentence("doctor.file_newer_advice")
        )
    state = sentence("doctor.file_current" if version == newest else "doctor.file_old")
    mb = path.stat().st_size / 1e6
    return ok(name, sentence("doctor.file_ok", path=path, mb=mb, version=version, state=state))


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
        return sentence("doctor.file_backup_advice", backup=backups[-1])
    return sentence("doctor.file_lost_advice", without=without)


def check_privacy(settings: Settings) -> Finding:
    """Whether other users of this computer can read the data folder."""
    opened = open_paths(settings)
    if not opened:
        return ok("privacy", sentence("doctor.privacy_kept", folder=settings.data_dir))
    not_ours = [
        f"{path} ({why})" for path in opened if (why := why_not_restrictable(path)) is not None
    ]
    if not_ours:
        return warn(
            "privacy",
            sentence("doctor.privacy_open", paths=", ".join(not_ours[:5])),
            sentence("doctor.privacy_foreign_advice"),
        )
    return warn(
        "privacy",
        sentence("doctor.privacy_open", paths=path_list(opened)),
        sentence("doctor.privacy_open_advice", folder=settings.data_dir),
    )


def judge_claims(left: int, total: int) -> Finding:
    """What to say of memories that an older version stored, of which ``left`` were not yet read for
    what they claim. Pure."""
    if not left:
        return ok("claims", sentence("doctor.claims_read"))
    what = sentence("doctor.claims_waiting", done=total - left, total=total)
    return warn("claims", what, sentence("doctor.claims_advice"))
