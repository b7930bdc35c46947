"""Brings a database file to the current schema: backup first, all or nothing, never backwards.

A step is a small numbered function that is never edited after its release; a later step corrects
what is wrong with it. ``PRAGMA user_version`` holds the number of the last step that a file has
seen. The steps stay hand-written SQL: they make what ``tables`` declared at their time.

Release 0.1.0 wrote version 3. Versions 1 and 2 are of the days before it: version 2 is opened like
any other, version 1 is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from lobug.errors import StorageNewerError
from lobug.storage.driver import Connection, backups_of, create_private, driver
from lobug.storage.migrations.m002_create_tables import m001_nothing, m002_create_tables
from lobug.storage.migrations.m003_m004_indexes import m003_turn_index, m004_word_statistics
from lobug.storage.migrations.m005_claims import m005_claims
from lobug.storage.migrations.m006_focus import m006_focus
from lobug.storage.migrations.m007_listing_index import m007_listing_index
from lobug.storage.migrations.m008_link_indexes import m008_link_indexes
from lobug.storage.migrations.m009_stem_index import m009_stem_index

Step = Callable[[Connection, str], None]
"""Takes the connection, inside a transaction, and the user who gets what has no owner yet."""

STEPS: tuple[Step, ...] = (
    m001_nothing,
    m002_create_tables,
    m003_turn_index,
    m004_word_statistics,
    m005_claims,
    m006_focus,
    m007_listing_index,
    m008_link_indexes,
    m009_stem_index,
)
"""Step n, counted from 1, turns a file of version n - 1 into one of version n."""

LATEST = len(STEPS)
"""The version that this program reads and writes."""

REFUSED = 1
"""The version whose tables step 2 does not take over."""


def version_of(connection: Connection) -> int:
    """The number of the last migration that the file has seen; 0: none."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def rewrite_version(connection: Connection) -> None:
    """Write the version that the file has."""
    connection.execute(f"PRAGMA user_version = {version_of(connection)}")


def has_tables(connection: Connection) -> bool:
    """Whether anything at all is in the file."""
    return connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None


def back_up(connection: Connection, path: Path, version: int, now: float) -> Path:
    """Copy the database with SQLite's backup interface to ``<db>.backup-v<from>-<timestamp>``.

    Written under another name first, so that a backup that has its name is a whole one.
    """
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    target = path.with_name(f"{path.name}.backup-v{version}-{stamp}")
    partial = path.with_name(f"{path.name}.partial-backup")
    partial.unlink(missing_ok=True)
    create_private(partial)
    copy: Connection = driver().connect(str(partial))
    try:
        connection.backup(copy)
    finally:
        copy.close()
    return partial.replace(target)


def prune_backups(path: Path, keep: int) -> None:
    """Delete all but the newest ``keep`` backups."""
    for old in backups_of(path)[:-keep]:
        old.unlink(missing_ok=True)


def migrate(
    connection: Connection,
    path: Path,
    *,
    legacy_user: str,
    backups_keep: int,
    now: float,
    checkpoint: Callable[[str], None],
    steps: Sequence[Step] = STEPS,
) -> None:
    """Run the steps that the file has not seen, each in one transaction with its version number.

    A crash at any point leaves the version before or after a step, never one between. Raises
    StorageNewerError when the file is newer than this program, and the driver's errors.
    """
    version = version_of(connection)
    if version > len(steps):
        raise StorageNewerError(
            f"{path} was written by a newer Lo-Bug (version {version} of the database, this program"
            f" knows {len(steps)}). Update Lo-Bug, or use another database."
        )
    if version == len(steps):
        return
    backup = None
    if has_tables(connection):
        backup = back_up(connection, path, version, now)
        checkpoint("migrate.backed_up")
    for number, step in enumerate(steps[version:], start=version + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Two programs may have opened the file at once: only the first one migrates it.
            if version_of(connection) < number:
                step(connection, legacy_user)
                checkpoint("migrate.before_commit")
                connection.execute(f"PRAGMA user_version = {number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            if backup is not None and number == version + 1:
                # The file is as it was. It will be tried again and again: one more copy each time
                # would fill the disk.
                backup.unlink(missing_ok=True)
            raise
        checkpoint("migrate.after_commit")
    prune_backups(path, backups_keep)
