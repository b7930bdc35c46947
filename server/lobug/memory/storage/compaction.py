"""Rebuilds the database file so that nothing that was erased is left in it, and it shrinks.

``secure_delete`` zeroes what is deleted, but pages keep stale copies of rows that have moved, vec0
keeps half-empty chunks, and the write-ahead log and the backups of migrations keep old pages. So:

1. vec0 tables are repacked and text indexes merged, in small transactions;
2. ``VACUUM INTO`` writes a fresh copy beside the file, while turns go on writing to it;
3. the copy is checked; it then takes the file's place, page by page, in one transaction of SQLite's
   backup interface, unless something was written meanwhile: then 2 begins anew, and where it is
   overdue and writes never stop, they wait for the last attempt;
4. the write-ahead log is folded in and emptied;
5. backups of migrations, and whatever else holds a copy of old content, are deleted.

A turn that arrives stops 2 and 3 at once. A crash at any point leaves the old file or the new one:
the task is a row that is deleted last, so all of it is done again. ``VACUUM`` alone would do too,
but holds the whole file in memory with the usual drivers and lets every write wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from threading import Event

from lobug.errors import StorageError
from lobug.memory.storage import repacking
from lobug.memory.storage.database import Checkpoint, Database, no_checkpoint
from lobug.memory.storage.driver import Connection, connect, driver
from lobug.memory.storage.faults import backups_of, create_private

CHUNKS_AT_ONCE = 16
"""Chunks that are repacked in one transaction: about 20 ms."""

PAGES_AT_ONCE = 2_000
"""Pages that are copied before a turn that waits is noticed: 8 MB, about 10 ms."""

ATTEMPTS = 5
"""How often a copy is made anew because something was written meanwhile."""

AUTOCHECKPOINT_PAGES = 1_000
"""SQLite's own default."""

LOCKED = (5, 6)
"""SQLite's codes for a lock that another process holds."""

WAIT_S, WAITS = 0.05, 100
"""How long, and how often, such a lock is waited for."""

Stamp = tuple[int, int]
"""Changes when anything was written: by this connection, by others."""


class CompactionError(Exception):
    """It could not be done now and is to be tried again. Never leaves the background worker."""


def note(connection: Connection, now: float) -> None:
    """Note that the file is to be rebuilt. A row of its own each time: what works on the one before
    may have seen less than what is erased now."""
    connection.execute("DELETE FROM background_tasks WHERE kind = 'compact'")
    connection.execute(
        "INSERT INTO background_tasks (kind, user, state, next_attempt_at, created_at)"
        " VALUES ('compact', '', 'pending', ?, ?)",
        (now, now),
    )


def noted(connection: Connection) -> int | None:
    """The id of the task, where there is one."""
    row = connection.execute("SELECT id FROM background_tasks WHERE kind = 'compact'").fetchone()
    return None if row is None else int(row[0])


async def compact(
    database: Database,
    *,
    copies: Sequence[Path] = (),
    overdue: Callable[[], bool] = lambda: False,
    checkpoint: Checkpoint = no_checkpoint,
) -> bool:
    """Rebuild the file if that is noted; returns whether it was. ``copies`` are other files that
    hold what was once brought in, and go with the backups. ``overdue``: whether writes may wait
    for it where they never stop. Safe to cancel and to run again.

    Raises CompactionError where there is no room for a copy or the file is never quiet.
    """
    task_id = await database.read(noted)
    if task_id is None:
        return False
    try:
        while await database.write("repack", _repack):
            pass
        for table in await database.read(repacking.text_tables):
            await database.write("merge", partial(_merge, table=table))
        await _rebuild(database, overdue, checkpoint)
    except StorageError as error:
        raise CompactionError(error.code) from error
    finally:
        copy_of(database.path).unlink(missing_ok=True)
    await database.aside(lambda _connection: delete_old_content(database.path, copies))
    checkpoint("compact.copies_deleted")

    def complete(connection: Connection) -> None:
        connection.execute("DELETE FROM background_tasks WHERE id = ?", (task_id,))

    await database.write("compact_done", complete)
    return True


def copy_of(path: Path) -> Path:
    """Where the fresh copy is written."""
    return path.with_name(f"{path.name}.compacting")


def delete_old_content(path: Path, copies: Sequence[Path] = ()) -> None:
    """Delete the files that hold what was in a database: backups of migrations (also one that was
    never finished), the log of a file that was replaced, ``copies``."""
    for file in (
        *backups_of(path),
        path.with_name(f"{path.name}.partial-backup"),
        path.with_name(f"{path.name}-wal.of-replaced"),
        *copies,
    ):
        file.unlink(missing_ok=True)


def _repack(connection: Connection) -> bool:
    return repacking.repack(connection, CHUNKS_AT_ONCE)


def _merge(connection: Connection, table: str) -> None:
    """Merge a text index into one piece: deleted words are gone from it."""
    connection.execute(f'INSERT INTO "{table}" ("{table}") VALUES (\'optimize\')')


async def _rebuild(database: Database, overdue: Callable[[], bool], checkpoint: Checkpoint) -> None:
    copy = copy_of(database.path)
    for _ in range(ATTEMPTS):
        stamp = await database.maintain(lambda connection, _stop: _stamp(connection))
        await database.aside(lambda connection: _copy(connection, copy))
        checkpoint("compact.copied")
        if await database.maintain(partial(_put_in_place, copy=copy, stamp=stamp)):
            checkpoint("compact.in_place")
            break
    else:
        if not overdue() or not await database.maintain(partial(_replace, copy=copy)):
            raise CompactionError("never_quiet")
        checkpoint("compact.in_place")
    # First without holding anybody up: this is where the pages are written to the file itself.
    await database.aside(lambda connection: _fold_in(connection, "PASSIVE"))
    checkpoint("compact.folding")
    if not await database.maintain(lambda connection, _stop: _empty_log(connection)):
        raise CompactionError("log_in_use")
    checkpoint("compact.folded")


def _stamp(connection: Connection) -> Stamp:
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return connection.total_changes, int(version)


def _copy(connection: Connection, copy: Path) -> None:
    """Write a fresh copy and check it."""
    copy.unlink(missing_ok=True)
    create_private(copy)
    connection.execute("VACUUM INTO ?", (str(copy),))
    fresh = connect(str(copy), timeout_s=0.0)
    try:
        (verdict,) = fresh.execute("PRAGMA integrity_check(1)").fetchone()
    finally:
        fresh.close()
    if verdict != "ok":
        raise CompactionError("copy_damaged")


def _put_in_place(connection: Connection, stop: Event, *, copy: Path, stamp: Stamp) -> bool:
    """Copy every page of the fresh copy over the database, all or none. False: somebody has written
    since the copy was made."""

    waits = 0

    def look_up(status: int, _remaining: int, _total: int) -> None:
        nonlocal waits
        waits += status in LOCKED
        if stop.is_set() or waits > WAITS:
            raise InterruptedError

    fresh: Connection = driver().connect(str(copy), timeout=0.0)
    try:
        if _stamp(connection) != stamp:
            return False
        # Otherwise the next message would wait until all of it is written to the file itself. That
        # is done by a connection that holds nobody up, now or when this is tried again.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        fresh.backup(connection, pages=PAGES_AT_ONCE, progress=look_up, sleep=WAIT_S)
    finally:
        fresh.close()
    return True


def _replace(connection: Connection, stop: Event, *, copy: Path) -> bool:
    """Make the fresh copy and put it in place on the writer's thread: nothing is written between,
    unless by another process, which is when this returns False."""
    stamp = _stamp(connection)
    _copy(connection, copy)
    return _put_in_place(connection, stop, copy=copy, stamp=stamp)


def _empty_log(connection: Connection) -> bool:
    """Fold in what is left of the write-ahead log and cut it to nothing. False: it is in use."""
    connection.execute(f"PRAGMA wal_autocheckpoint = {AUTOCHECKPOINT_PAGES}")
    return _fold_in(connection, "TRUNCATE")


def _fold_in(connection: Connection, how: str) -> bool:
    """Whether the whole write-ahead log is in the file now."""
    busy, _, _ = connection.execute(f"PRAGMA wal_checkpoint({how})").fetchone()
    return not busy
