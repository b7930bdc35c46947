"""An SQLite file: one writer thread, one reader thread, whole transactions only.

All writes go through the one connection of the one writer thread, so they can never conflict with
each other. Reads have a connection and a thread of their own: with a write-ahead log they see the
last committed state and never wait for a write.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from lobug.errors import (
    StorageCorruptError,
    StorageError,
    StorageReadOnlyError,
    StorageUnfinishedError,
)
from lobug.storage import migrations
from lobug.storage.database import MOVE_MARK, Checkpoint, no_checkpoint
from lobug.storage.driver import (
    Connection,
    backups_of,
    connect,
    corrupt,
    create_private,
    file_of,
    require_room,
    typed_errors,
)
from lobug.storage.foreign_writes import ForeignWrites

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DatabaseOptions:
    """Where the file is, and how it is opened and migrated."""

    path: Path
    busy_timeout_s: float = 5.0
    backups_keep: int = 3
    legacy_user: str = "owner"
    steps: Sequence[migrations.Step] = migrations.STEPS
    """The migrations of the file; those of ``memory.db`` unless it is another one."""


async def _stoppable(work: Coroutine[Any, Any, T], stop: Callable[[], None]) -> T:
    """Await work of a thread. When cancelled, tell it to stop and wait until it has."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop()
        await asyncio.wait([task])
        task.exception()
        raise


class SqliteDatabase:
    """An open database file (a ``Database``)."""

    def __init__(
        self,
        options: DatabaseOptions,
        *,
        clock: Callable[[], float],
        checkpoint: Checkpoint = no_checkpoint,
    ) -> None:
        self._options = options
        self._clock = clock
        self._checkpoint = checkpoint
        self._writer_thread: ThreadPoolExecutor | None = None
        self._reader_thread: ThreadPoolExecutor | None = None
        self._writer: Connection | None = None
        self._reader: Connection | None = None
        self._file: tuple[int, int] | None = None
        self._log_file: tuple[int, int] | None = None
        self._foreign = ForeignWrites(0)
        """By ``_data_version``."""
        self._open = False
        self._closed_by: StorageError | None = None
        self._write_fault: StorageError | None = None
        self._read_fault: StorageError | None = None

    @property
    def is_open(self) -> bool:
        """Whether the database can be used."""
        return self._open

    @property
    def fault(self) -> StorageError | None:
        """Why it could not be opened, or why the last write or read failed; None: nothing failed.

        Damage stays a fault until the file is opened again.
        """
        return self._closed_by or self._write_fault or self._read_fault

    @property
    def place(self) -> str:
        """The database file."""
        return str(self._options.path)

    @property
    def path(self) -> Path:
        """The database file."""
        return self._options.path

    @property
    def is_made(self) -> bool:
        """Whether there is a file."""
        return self.path.is_file()

    async def open(self, first: Callable[[Connection], T]) -> T | None:
        """Open, and migrate where needed. A damaged file is left as it is.

        ``first`` is the first transaction, named resume; nothing else is written or read before it
        has succeeded. Returns its result; None: the database was open already.
        """
        if self._open:
            return None
        self._writer_thread = ThreadPoolExecutor(1, thread_name_prefix="memory-writer")
        self._reader_thread = ThreadPoolExecutor(1, thread_name_prefix="memory-reader")
        try:
            await self._in(self._writer_thread, self._open_writer)
            result = await self._in(self._writer_thread, lambda: self._transaction("resume", first))
            await self._in(self._reader_thread, self._open_reader)
        except BaseException as error:
            await self.close()
            if isinstance(error, StorageError):
                self._closed_by = error
            raise
        self._closed_by = self._write_fault = self._read_fault = None
        self._open = True
        return result

    async def close(self) -> None:
        """Finish what is being written and close. Safe to call twice."""
        self._open = False
        reader_thread, self._reader_thread = self._reader_thread, None
        writer_thread, self._writer_thread = self._writer_thread, None
        if reader_thread is not None:
            await self._in(reader_thread, self._close_reader)
            reader_thread.shutdown()
        if writer_thread is not None:
            # After the reader: the last connection to close folds the write-ahead log in.
            await self._in(writer_thread, self._close_writer)
            writer_thread.shutdown()

    async def write(
        self,
        name: str,
        work: Callable[[Connection], T],
        committed: Callable[[T], None] | None = None,
        *,
        of: str | None = None,
        everybody: bool = False,
    ) -> T:
        """Run ``work`` in a transaction on the writer's thread; committed when this returns.
        There is one such thread, so ``of`` and ``everybody`` change nothing.

        Once begun it runs to its end even if the caller is cancelled. ``committed`` is called with
        the result, on the writer's thread, even then: note there what has changed.
        ``name`` names the checkpoints ``<name>.before_commit`` and ``<name>.after_commit``.
        """

        def run() -> T:
            result = self._transaction(name, work)
            if committed is not None:
                committed(result)
            return result

        self._require_open()
        try:
            result = await self._in(self._writer_thread, run)
        except StorageError as error:
            self._write_fault = error
            raise
        if not isinstance(self._write_fault, StorageCorruptError):
            self._write_fault = None
        return result

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` on the reader's thread, on one consistent state of the database."""
        self._require_open()
        try:
            result = await self._in(self._reader_thread, lambda: self._snapshot(work))
        except StorageError as error:
            self._read_fault = error
            raise
        if not isinstance(self._read_fault, StorageCorruptError):
            self._read_fault = None
        return result

    @asynccontextmanager
    async def changed_by_others(self) -> AsyncIterator[bool]:
        """As ``Database.changed_by_others``. The writer's connection is asked: it does not count
        its own writes."""

        def look() -> int:
            connection = self._writer
            if connection is None:
                raise StorageError(f"{self.path} is not open")
            self._require_same_file()
            return _data_version(connection)

        async def ask() -> int:
            self._require_open()
            try:
                return await self._in(self._writer_thread, look)
            except StorageError as error:
                self._write_fault = error
                raise

        async with self._foreign.look(ask) as changed:
            yield changed

    async def maintain(self, work: Callable[[Connection, Event], T]) -> T:
        """Run ``work`` on the writer's thread outside of a transaction. When the caller is
        cancelled the event is set, the work has to stop soon, and its end is awaited."""
        self._require_open()
        stop = Event()

        def run() -> T:
            connection = self._writer
            if connection is None:
                raise StorageError(f"{self.path} is not open")
            self._require_same_file()
            if stop.is_set():
                raise InterruptedError
            return work(connection, stop)

        return await _stoppable(self._in(self._writer_thread, run), stop.set)

    async def fold_log(self) -> None:
        """Fold the write-ahead log into the file and empty it: deleted words would stay readable in
        it for a while."""
        await self.maintain(
            lambda connection, _stop: connection.execute(
                "PRAGMA wal_checkpoint(TRUNCATE)"
            ).fetchone()
        )

    async def aside(self, work: Callable[[Connection], T]) -> T:
        """Run long ``work`` that changes nothing on a thread and a connection of its own, so that
        nothing waits for it. When the caller is cancelled the work is interrupted and awaited."""
        self._require_open()
        self._require_same_file()
        connection = connect(str(self.path), timeout_s=self._options.busy_timeout_s)
        thread = ThreadPoolExecutor(1, thread_name_prefix="memory-aside")
        try:
            return await _stoppable(
                self._in(thread, lambda: work(connection)), connection.interrupt
            )
        finally:
            connection.close()
            thread.shutdown()

    async def check(self) -> None:
        """Find out whether an open database can be read and written. It is closed when its file is
        no longer where it was, so that ``open`` finds what is there now."""
        try:
            self._require_same_file()
        except StorageError as error:
            await self.close()
            self._closed_by = error
            await asyncio.to_thread(self._set_old_log_aside)
            raise
        if isinstance(self.fault, StorageCorruptError):
            raise self.fault.with_traceback(None)
        await self.read(lambda connection: connection.execute("SELECT 1").fetchone())

        def work(connection: Connection) -> None:
            require_room(self.path)
            # Although nothing changes: an empty transaction would not touch the file at all.
            migrations.rewrite_version(connection)

        await self.write("check", work)

    def _require_open(self) -> None:
        if self._open:
            return
        if self._closed_by is not None:
            raise type(self._closed_by)(str(self._closed_by))
        raise StorageError(f"{self.path} is not open")

    async def _in(self, thread: ThreadPoolExecutor | None, work: Callable[[], T]) -> T:
        if thread is None:
            raise StorageError(f"{self.path} is not open")

        def run() -> T:
            with typed_errors(self.path):
                return work()

        future: Future[T] = thread.submit(run)
        return await asyncio.wrap_future(future)

    def _open_writer(self) -> None:
        self._require_whole()
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            empty = self.path.exists() and self.path.stat().st_size == 0
        except OSError as error:
            raise StorageReadOnlyError(
                f"the folder of {self.path} cannot be used ({error})"
            ) from error
        if empty and backups_of(self.path):
            # SQLite takes an empty file for a new database: that would hide a loss.
            raise corrupt(self.path, "the file is empty although there are backups of it")
        create_private(self.path)
        connection = connect(str(self.path), timeout_s=self._options.busy_timeout_s)
        self._writer = connection
        connection.execute("PRAGMA journal_mode = WAL")
        # FULL: an acknowledged message survives a power cut, not only a crash of the process.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        # What is deleted is zeroed: what was forgotten must not be readable in free pages.
        connection.execute("PRAGMA secure_delete = ON")
        migrations.migrate(
            connection,
            self.path,
            legacy_user=self._options.legacy_user,
            backups_keep=self._options.backups_keep,
            now=self._clock(),
            checkpoint=self._checkpoint,
            steps=self._options.steps,
        )

        self._file = file_of(self.path)
        self._foreign.begin(_data_version(connection))

    def _require_whole(self) -> None:
        """Raises StorageUnfinishedError where the files of the folder are being moved to it: of
        four files some may be there, and a new one would be made in place of the others."""
        mark = self.path.with_name(MOVE_MARK)
        if mark.exists():
            raise StorageUnfinishedError(
                f"{mark.parent} does not hold everything yet: a move to it is under way or was"
                " broken off. `lobug database move` goes on with it."
            )

    @property
    def _log(self) -> Path:
        """The write-ahead log, as SQLite names it."""
        return self.path.with_name(f"{self.path.name}-wal")

    def _set_old_log_aside(self) -> None:
        """Keep SQLite from applying the log of a file that is gone to the one in its place."""
        log = self._log
        if self._log_file is None or file_of(log) != self._log_file:
            return
        with typed_errors(self.path):
            log.replace(log.with_name(f"{log.name}.of-replaced"))

    def _require_same_file(self) -> None:
        """Raises StorageError when the file was moved, replaced or deleted: what is written to the
        old one would be lost with the process."""
        if file_of(self.path) != self._file:
            raise StorageError(f"{self.path} was moved, replaced or deleted while it was in use")

    def _open_reader(self) -> None:
        connection = connect(str(self.path), timeout_s=self._options.busy_timeout_s)
        self._reader = connection
        connection.execute("PRAGMA query_only = ON")
        self._log_file = file_of(self._log)

    def _close_writer(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _transaction(self, name: str, work: Callable[[Connection], T]) -> T:
        connection = self._writer
        if connection is None:
            raise StorageError(f"{self.path} is not open")
        self._require_same_file()
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(connection)
            self._checkpoint(f"{name}.before_commit")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        self._checkpoint(f"{name}.after_commit")
        return result

    def _snapshot(self, work: Callable[[Connection], T]) -> T:
        connection = self._reader
        if connection is None:
            raise StorageError(f"{self.path} is not open")
        connection.execute("BEGIN")
        try:
            return work(connection)
        finally:
            if connection.in_transaction:
                connection.execute("COMMIT")


def _data_version(connection: Connection) -> int:
    """A number that changes with every transaction of any other connection."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)
