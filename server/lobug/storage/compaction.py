"""Rebuilds the database file so that nothing that was erased is left in it, and the file shrinks.

``secure_delete`` zeroes what is deleted, but pages keep stale copies of rows that have moved, vec0
keeps half-empty chunks, and the write-ahead log and the backups of migrations keep old pages. So:

1. vec0 tables are repacked and text indexes merged, in small transactions;
2. ``VACUUM INTO`` writes a fresh copy next to the file, while turns go on writing to it;
3. the copy is checked; it then takes the file's place, page by page, in one transaction of SQLite's
   backup interface, unless something was written in the meantime: then 2 begins again. Where the
   rebuild is overdue and writes never stop, they wait for the last attempt;
4. the write-ahead log is folded in and emptied;
5. backups of migrations, and whatever else holds a copy of old content, are deleted.

A turn that arrives stops 2 and 3 at once. A crash at any point leaves the old file or the new one:
the task is a row that is deleted last, so all of it is done again. ``VACUUM`` alone would do the
same, but it holds the whole file in memory with the usual drivers and makes every write wait.

Repacking: vec0 stores vectors in chunks of a fixed size and frees a chunk only when all of it is
empty. After every second row was deleted a table is as large as before. So the rows of a chunk that
is at most three quarters full are deleted and inserted again: they fill the newest chunk of their
partition, and the old chunk is freed. (A deleted row leaves zeros in a chunk that stays.)
"""

from __future__ import annotations

import asyncio
import re
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event

from sqlalchemy import bindparam, delete, insert, select

from lobug.errors import StorageError
from lobug.storage.connection import Connection as AnyConnection
from lobug.storage.database import Checkpoint, Database, Vacuumed, no_checkpoint
from lobug.storage.driver import Connection, backups_of, connect, create_private, driver
from lobug.storage.sqlite_database import SqliteDatabase
from lobug.storage.statements import run
from lobug.storage.tables import background_tasks

FULL_ENOUGH = 0.75
"""Chunks with a larger share of live rows stay as they are."""

KEY = re.compile(r"\b(\w+)\s+integer\s+primary\s+key\b", re.IGNORECASE)
ENCODED = re.compile(r"\b(\w+)\s+(int8|bit)\s*\[", re.IGNORECASE)
"""Vector columns whose blobs are floats unless a function says otherwise."""


@dataclass(frozen=True, slots=True)
class VectorTable:
    """A vec0 table and how a row is read from it and put back."""

    name: str
    key: str
    columns: tuple[str, ...]
    values: tuple[str, ...]
    """The SQL expression of each column's value in an INSERT."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk and the ids of its live rows."""

    id: int
    rows: tuple[int, ...]


def vector_tables(connection: Connection) -> list[VectorTable]:
    """All vec0 tables of the file that have an integer primary key."""
    found = connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
        " AND sql LIKE 'CREATE VIRTUAL TABLE%USING vec0%' ORDER BY name"
    ).fetchall()
    return [
        _table(connection, name, key[1], sql)
        for name, sql in found
        if (key := KEY.search(sql)) is not None
    ]


def text_tables(connection: Connection) -> list[str]:
    """All FTS5 tables of the file."""
    rows = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        " AND sql LIKE 'CREATE VIRTUAL TABLE%USING fts5%' AND sql NOT LIKE '%fts5vocab%'"
        " ORDER BY name"
    )
    return [row[0] for row in rows]


def repack(connection: Connection, limit: int) -> bool:
    """Free at most ``limit`` sparse chunks. Returns whether there may be more."""
    for table in vector_tables(connection):
        chunks = list(_sparse(connection, table.name))[:limit]
        for chunk in chunks:
            _move(connection, table, chunk)
        if chunks:
            return True
    return False


def _table(connection: Connection, name: str, key: str, sql: str) -> VectorTable:
    encoded = {column.lower(): kind.lower() for column, kind in ENCODED.findall(sql)}
    columns = tuple(
        row[0]
        for row in connection.execute(
            "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0 ORDER BY cid", (name,)
        )
    )
    values = tuple(
        f"vec_{encoded[column.lower()]}(?)" if column.lower() in encoded else "?"
        for column in columns
    )
    return VectorTable(name, key, tuple(f'"{column}"' for column in columns), values)


def _sparse(connection: Connection, table: str) -> Iterator[Chunk]:
    """Chunks worth freeing, without the newest of each partition, which is being filled."""
    partitions = [
        row[0]
        for row in connection.execute(
            "SELECT name FROM pragma_table_info(?) WHERE name GLOB 'partition*'",
            (f"{table}_chunks",),
        )
    ]
    columns = ", ".join(["chunk_id", "size", "validity", "rowids", *partitions])
    newest: set[tuple[object, ...]] = set()
    for chunk_id, size, validity, rowids, *partition in connection.execute(
        f'SELECT {columns} FROM "{table}_chunks" ORDER BY chunk_id DESC'
    ):
        if tuple(partition) not in newest:
            newest.add(tuple(partition))
            continue
        live = [place for place in range(size) if validity[place // 8] >> place % 8 & 1]
        if len(live) <= FULL_ENOUGH * size:
            ids = struct.unpack(f"<{size}q", rowids)
            yield Chunk(chunk_id, tuple(ids[place] for place in live))


def _move(connection: Connection, table: VectorTable, chunk: Chunk) -> None:
    """Delete all rows of a chunk, which frees it, and insert them again."""
    columns = ", ".join(table.columns)
    rows = [
        connection.execute(
            f'SELECT {columns} FROM "{table.name}" WHERE "{table.key}" = ?', (row_id,)
        ).fetchone()
        for row_id in chunk.rows
    ]
    connection.executemany(
        f'DELETE FROM "{table.name}" WHERE "{table.key}" = ?', [(row_id,) for row_id in chunk.rows]
    )
    connection.executemany(
        f'INSERT INTO "{table.name}" ({columns}) VALUES ({", ".join(table.values)})', rows
    )


CHUNKS_AT_ONCE = 16
"""Chunks that are repacked in one transaction: about 20 ms."""

PAGES_AT_ONCE = 2_000
"""Pages that are copied before a turn that waits is noticed: 8 MB, about 10 ms."""

ATTEMPTS = 5
"""Copies that are made at most because something was written in the meantime."""

AUTOCHECKPOINT_PAGES = 1_000
"""SQLite's own default."""

LOCKED = (5, 6)
"""SQLite's codes for a lock that another process holds."""

WAIT_S, WAITS = 0.05, 100
"""Seconds that such a lock is waited for at a time, and how many times."""

Stamp = tuple[int, int]
"""Changes when anything was written: by this connection, by others."""


class CompactionError(Exception):
    """The file could not be rebuilt now; tried again. Never leaves the background worker."""


_tasks = background_tasks.c
DELETE_NOTES = delete(background_tasks).where(_tasks.kind == "compact")
NOTE = insert(background_tasks).values(kind="compact", user="", state="pending")
NOTED = select(_tasks.id).where(_tasks.kind == "compact")
DONE = delete(background_tasks).where(_tasks.id == bindparam("task_id"))


def note(connection: AnyConnection, now: float) -> None:
    """Note that the file is to be rebuilt. Each call replaces the task row: a rebuild that is under
    way may have begun before what is erased now."""
    run(connection, DELETE_NOTES)
    run(connection, NOTE, next_attempt_at=now, created_at=now)


def noted(connection: AnyConnection) -> int | None:
    """The id of the task; None: there is none."""
    task_id: int | None = run(connection, NOTED).scalar()
    return task_id


async def compact(
    database: Database,
    *,
    copies: Sequence[Path] = (),
    overdue: Callable[[], bool] = lambda: False,
    checkpoint: Checkpoint = no_checkpoint,
) -> bool:
    """Rebuild the file if that is noted; returns whether it was. ``copies`` are other files that
    hold what was imported once, and are deleted with the backups. ``overdue``: whether writes may
    wait for the rebuild where they never stop. Safe to cancel and to run again.

    Raises CompactionError where there is no room for a copy or the file is never quiet.
    """
    task_id = await database.read(noted)
    if task_id is None:
        return False
    if isinstance(database, SqliteDatabase):
        await _compact_file(database, copies, overdue, checkpoint)
    elif not isinstance(database, Vacuumed):
        raise CompactionError("not_supported")
    else:
        try:
            await database.vacuum()
        except StorageError as error:
            raise CompactionError(error.code) from error
        for copy in copies:
            await asyncio.to_thread(copy.unlink, missing_ok=True)
    checkpoint("compact.copies_deleted")

    def complete(connection: AnyConnection) -> None:
        run(connection, DONE, task_id=task_id)

    await database.write("compact_done", complete)
    return True


async def _compact_file(
    database: SqliteDatabase,
    copies: Sequence[Path],
    overdue: Callable[[], bool],
    checkpoint: Checkpoint,
) -> None:
    try:
        while await database.write("repack", _repack):
            pass
        for table in await database.read(text_tables):
            await database.write("merge", partial(_merge, table=table))
        await _rebuild(database, overdue, checkpoint)
    except StorageError as error:
        raise CompactionError(error.code) from error
    finally:
        copy_of(database.path).unlink(missing_ok=True)
    await database.aside(lambda _connection: delete_old_content(database.path, copies))


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
    return repack(connection, CHUNKS_AT_ONCE)


def _merge(connection: Connection, table: str) -> None:
    """Merge a text index into one piece: deleted words are gone from it."""
    connection.execute(f'INSERT INTO "{table}" ("{table}") VALUES (\'optimize\')')


async def _rebuild(
    database: SqliteDatabase, overdue: Callable[[], bool], checkpoint: Checkpoint
) -> None:
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
    # First without blocking anyone: this is where the pages are written to the file itself.
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
    """Copy every page of the fresh copy over the database, all or none. False: something was
    written since the copy was made."""

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
        # is done by a connection that blocks nobody, now or when this is tried again.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        fresh.backup(connection, pages=PAGES_AT_ONCE, progress=look_up, sleep=WAIT_S)
    finally:
        fresh.close()
    return True


def _replace(connection: Connection, stop: Event, *, copy: Path) -> bool:
    """Make the fresh copy and put it in place on the writer's thread, so that nothing is written in
    between. False: another process has written."""
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
