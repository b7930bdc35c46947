"""A database in PostgreSQL that several servers may share (a ``Database``).

A write holds an advisory lock while it lasts: of the person that it names, or of everybody where it
names none. So work that was written for a file with one writer finds what it expects: nothing that
it reads changes under it, on whichever server. Writes of different people are committed side by
side, on several threads, so that they wait for the disk together.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import secrets
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

import psycopg
from psycopg import sql
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from lobug.errors import (
    StorageCorruptError,
    StorageError,
    StorageHeldError,
    StorageReadOnlyError,
    StorageUnfinishedError,
)
from lobug.storage.connection import Connection, PostgresConnection
from lobug.storage.database import Checkpoint, no_checkpoint
from lobug.storage.foreign_writes import ForeignWrites
from lobug.storage.postgres.address import PROGRAM, Address
from lobug.storage.postgres.connections import Connections, Raw, run_plain
from lobug.storage.postgres.errors import AGAIN, typed_errors
from lobug.storage.postgres.lease import Lease
from lobug.storage.postgres.locks import EVERYBODY, lock_class, number_of_person
from lobug.storage.postgres.membership import CHANNEL, Membership
from lobug.storage.postgres.migration import Migration, unfinished_move
from lobug.storage.postgres.schemas import STEPS, Step
from lobug.storage.postgres.session import configure, milliseconds
from lobug.storage.postgres.writers import Gate, PersonalWriters, WriteCount

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

T = TypeVar("T")

IDLE_PART = 0.5
"""Of ``Lease.lasts_s``, for how long a write may ask nothing more, unless it is one of
``LONG_WRITES``. It is long for what computes a few milliseconds between two statements, and shorter
than others wait for its lock."""

RETRYING = Retrying(
    retry=retry_if_exception_type(AGAIN),
    stop=stop_after_attempt(6),
    wait=wait_random_exponential(multiplier=0.01, max=0.5),
    reraise=True,
)
"""For a transaction that conflicts with another one."""

SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

COUNT_WRITE = sql.SQL(
    "INSERT INTO written (server, writes) VALUES ({}, 1)"
    " ON CONFLICT (server) DO UPDATE SET writes = written.writes + 1"
)
TELL_OTHERS = sql.SQL("SELECT pg_notify({}, {})")

DERIVED_WRITES = frozenset({"settle", "facts", "gaps", "embed", "analyse_turns", "embed_turns"})
"""Transactions whose result is made again where it is missing: they do not wait for the disk, while
others wait for them. What is committed later is on the disk only after them."""

QUIET_WRITES = frozenset({"resume", "check", "seen"})
"""Transactions that change nothing which another server acts by."""

LONG_WRITES = frozenset({"forget", "purge", "retention", "import", "snapshot"})
"""Transactions that may compute for seconds between two statements: they compare all that somebody
has said with what is to be forgotten or is there already."""

ANEW = "another server has had the database; it is opened anew"

ALL_WRITES = (
    "SELECT coalesce(sum(writes) FILTER (WHERE server = ANY(%(own)s)), 0),"
    " coalesce(sum(writes) FILTER (WHERE server <> ALL(%(own)s)), 0) FROM written"
)
"""How many are counted as writes of this object, and how many as those of others."""
WRITES_OF_PROGRAMS = (
    f"{ALL_WRITES} WHERE server = ANY(%(own)s) OR server = ANY(%(former)s)"
    " OR server NOT LIKE %(servers)s"
)
"""Without those of other servers that answer at the same time."""


@dataclass(frozen=True, slots=True)
class PostgresOptions:
    """Where the database is and how it is used."""

    url: str = field(repr=False)
    """``postgresql://user:password@host:port/name``."""
    schema: str = "lobug_memory"
    steps: Sequence[Step] = STEPS["lobug_memory"]
    """The numbered migrations of the schema."""
    vectors: bool = True
    """Whether they need pgvector."""
    connections: int = 8
    """The most that this process has open at once."""
    patience_s: float = 5.0
    """How long a write waits for another server's lock; how long it may take to connect."""
    rewrite_bytes: int = 500_000_000
    """Largest table that ``vacuum`` rewrites."""
    lease: Lease | None = field(default=None, repr=False)
    """Only while it is held is there any connection; None: for programs beside a server."""
    news: str = ""
    """Where several servers answer at once: what the others are told after each write. Empty: they
    are told nothing, and ``changed_by_others`` leaves them out, because each of them writes only
    what concerns its own people."""


class PostgresDatabase:
    """A schema of an open database."""

    def __init__(
        self,
        options: PostgresOptions,
        *,
        clock: Callable[[], float],
        checkpoint: Checkpoint = no_checkpoint,
    ) -> None:
        self._options = options
        self._address = Address.of(options.url)
        self._clock = clock
        self._checkpoint = checkpoint
        self._connections: Connections | None = None
        self._readers: ThreadPoolExecutor | None = None
        self._writers: ThreadPoolExecutor | None = None
        """One thread, for writes that concern everybody."""
        self._personal_writers: PersonalWriters | None = None
        """For those that name a person; None: there is no connection for them."""
        self._server = secrets.token_hex(8)
        """Begins what this object is called in ``written``."""
        self._idle_limit: str | None = None
        """How long a write may ask nothing more: a server that is frozen or cut off in the middle
        of one keeps those of all others waiting. None: there are no others, or no such limit."""
        news = None
        if isinstance(options.lease, Membership):
            self._idle_limit = milliseconds(options.lease.lasts_s * IDLE_PART)
            self._server = f"{options.lease.holder} {self._server}"
            if options.news:
                news = json.dumps({"kind": options.news, "from": options.lease.holder})
        self._news = news
        self._thread = threading.local()
        """``number``: which of the writers' threads this is."""
        self._writes = WriteCount(self._server, 1 + self._most_personal)
        self._gate = Gate()
        self._foreign = ForeignWrites((0, 0))
        """By ``_count_foreign``."""
        self._committed = threading.Lock()
        self._changing = asyncio.Lock()
        """Held while it is opened or closed."""
        self._open = False
        self._taken = 0
        """``Lease.times_taken`` when it was opened."""
        self._closed_by: StorageError | None = None
        self._write_fault: StorageError | None = None
        self._read_fault: StorageError | None = None

    @property
    def is_open(self) -> bool:
        """Whether the database can be used."""
        return self._open

    @property
    def fault(self) -> StorageError | None:
        """Why it could not be opened, or why the last write or read failed; None: nothing."""
        return self._closed_by or self._write_fault or self._read_fault

    @property
    def place(self) -> str:
        """Its host and name, without user and password; less where the address is no good."""
        return self._address.place

    @property
    def is_made(self) -> bool:
        """Always True: only opening it tells."""
        return True

    async def open(self, first: Callable[[Connection], T]) -> T | None:
        """Open, and migrate where needed; ``first`` is the first transaction, named resume."""
        async with self._changing:
            return None if self._open else await self._open_now(first)

    async def close(self) -> None:
        """Finish what is being written and close. Safe to call twice."""
        async with self._changing:
            await self._close_now()

    async def _open_now(self, first: Callable[[Connection], T]) -> T:
        # Writes of one server that concern everybody queue up as those of a file do; for those of a
        # person, and for another server's, they wait no longer than patience_s.
        readers = max(1, self._options.connections - 1 - self._most_personal)
        if self._options.lease is not None:
            self._taken = self._options.lease.times_taken
        self._readers = ThreadPoolExecutor(
            readers, thread_name_prefix=f"{self._options.schema}-reader"
        )
        self._writers = self._numbered(0, 1)
        if self._most_personal:
            self._personal_writers = PersonalWriters(self._numbered(1, self._most_personal))
        try:
            await self._in(self._writers, self._connect)
            self._foreign.begin(await self._in(self._writers, lambda: self._count_foreign(0)))
            result = await self._in(
                self._writers, lambda: self._transaction("resume", first, None, None, 0)
            )
        except BaseException as error:
            await self._close_now()
            if isinstance(error, StorageError):
                self._closed_by = error
            raise
        self._closed_by = self._write_fault = self._read_fault = None
        self._open = True
        return result

    async def _close_now(self) -> None:
        self._open = False
        for threads in (self._readers, self._writers, self._personal_writers):
            if threads is not None:
                await asyncio.to_thread(threads.shutdown)
        self._readers = self._writers = self._personal_writers = None
        connections, self._connections = self._connections, None
        if connections is not None:
            await asyncio.to_thread(connections.close)

    async def write(
        self,
        name: str,
        work: Callable[[Connection], T],
        committed: Callable[[T], None] | None = None,
        *,
        of: str | None = None,
        everybody: bool = False,
    ) -> T:
        """As ``Database.write``. ``work`` may run more than once, where it met another one."""

        self._require_open()
        failures = self._failures
        person = None if everybody else of

        def run() -> T:
            return self._transaction(name, work, committed, person, failures)

        try:
            if of is None or self._personal_writers is None:
                result = await self._in(self._writers, run)
            else:
                queued = self._personal_writers.submit(of, lambda: self._typed(run))
                result = await asyncio.wrap_future(queued)
        except StorageError as error:
            self._write_fault = error
            raise
        self._write_fault = None
        return result

    async def read(self, work: Callable[[Connection], T]) -> T:
        """Run ``work`` on one consistent state of the database."""
        self._require_open()
        failures = self._failures
        try:
            result = await self._in(self._readers, lambda: self._snapshot(work, failures))
        except StorageError as error:
            self._read_fault = error
            raise
        self._read_fault = None
        return result

    async def aside(self, work: Callable[[Connection], T]) -> T:
        """Run long ``work`` on a connection of its own, on one state of the database that it cannot
        change."""

        def run(raw: Raw, _: threading.Event) -> T:
            connection = PostgresConnection(raw)
            connection.execute(SNAPSHOT)
            return work(connection)

        return await self._alone(run)

    async def _alone(self, work: Callable[[Raw, threading.Event], T]) -> T:
        """Run long ``work`` on a thread and a connection of its own. When the caller is cancelled
        the event is set, the statement under way is broken off, and the end is awaited."""
        self._require_open()
        raw = await self._in(self._readers, self._own_connection)
        thread = ThreadPoolExecutor(1, thread_name_prefix=f"{self._options.schema}-aside")
        stop = threading.Event()
        task = asyncio.ensure_future(self._in(thread, lambda: work(raw, stop)))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            stop.set()
            with suppress(psycopg.Error):  # of a server that is gone: the work fails by itself
                await asyncio.to_thread(raw.cancel_safe)
            await asyncio.wait([task])
            task.exception()
            raise
        finally:
            await asyncio.to_thread(thread.shutdown)
            raw.close()

    @asynccontextmanager
    async def changed_by_others(self) -> AsyncIterator[bool]:
        """As ``Database.changed_by_others``: whether there is a write that this object does not
        know to be its own."""
        failures = self._failures

        async def ask() -> tuple[int, int]:
            self._require_open()
            try:
                now = await self._in(self._writers, lambda: self._count_foreign(failures))
            except StorageError as error:
                self._read_fault = error
                raise
            self._read_fault = None
            return now

        async with self._foreign.look(ask) as changed:
            yield changed

    def _count_foreign(self, failures: int) -> tuple[int, int]:
        """How many writes the database counts of others, among them own ones whose commit was not
        answered; and how many more it counts of this object than there can be. After a restore, or
        a crash that has lost some, there are fewer."""

        names, former, before = self._writes.known()
        named = {"own": names, "former": former, "servers": f"{PROGRAM} %"}
        shared = isinstance(self._options.lease, Membership) and not self._options.news

        def count(connection: Connection) -> tuple[int, int]:
            row = connection.execute(WRITES_OF_PROGRAMS if shared else ALL_WRITES, named).fetchone()
            return int(row[0]), int(row[1])

        own, others = self._snapshot(count, failures)
        return others, self._writes.unexplained(names, before, own)

    async def fold_log(self) -> None:
        """Nothing: PostgreSQL overwrites its write-ahead log by itself
        (docs/decisions/one-schema-two-databases.md)."""

    async def check(self) -> None:
        """Find out whether an open database can be read and written."""
        if isinstance(self.fault, StorageCorruptError):
            raise self.fault.with_traceback(None)
        await self.read(lambda connection: connection.execute("SELECT 1").fetchone())

        def work(connection: Connection) -> None:
            connection.execute("UPDATE schema_version SET checked_at = %s", (self._clock(),))

        await self.write("check", work)

    async def vacuum(self) -> None:
        """Rewrite every table without the rows that were deleted; of one above ``rewrite_bytes``
        free the room that they had, in which PostgreSQL writes something else later. A table cannot
        be used while it is rewritten; whoever needs it waits for ``patience_s`` at most. When the
        caller is cancelled it stops, and the table under way stays as it was. Raises
        StorageReadOnlyError after all others where the user may not rewrite some tables.

        What a transaction that is still under way can see stays, and so do samples of values that
        PostgreSQL keeps for its planner, but for columns that hold words (``schemas``).
        """

        def work(raw: Raw, stop: threading.Event) -> list[str]:
            raw.execute("SET statement_timeout = 0")
            tables = raw.execute(
                "SELECT relname, has_table_privilege(oid, 'MAINTAIN'), pg_table_size(oid)"
                " FROM pg_class"
                " WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace"
                " ORDER BY relname"
            ).fetchall()
            for name, allowed, size in tables:
                if stop.is_set():
                    break
                if allowed:
                    how = "VACUUM FULL {}" if size <= self._options.rewrite_bytes else "VACUUM {}"
                    raw.execute(sql.SQL(how).format(sql.Identifier(name)))
            return [name for name, allowed, _ in tables if not allowed]

        refused = await self._alone(work)
        if refused:
            raise StorageReadOnlyError(
                f"{self.place}: its user may not rewrite {', '.join(refused)}, which others own"
            )

    def _require_open(self) -> None:
        """Raises StorageError, also where another server has had the database meanwhile: this one
        opens it anew before it acts again."""
        lease = self._options.lease
        if lease is not None:
            lease.require()
            if self._open:
                self._require_unchanged(lease)
        if self._open:
            return
        if self._closed_by is not None:
            raise type(self._closed_by)(str(self._closed_by))
        raise StorageError(f"{self.place} is not open")

    def _require_unchanged(self, lease: Lease) -> None:
        """Raises StorageHeldError where another server may have written since it was opened."""
        if lease.times_taken != self._taken:
            raise StorageHeldError(ANEW)

    async def _in(self, threads: ThreadPoolExecutor | None, work: Callable[[], T]) -> T:
        if threads is None:
            raise StorageError(f"{self.place} is not open")
        return await asyncio.wrap_future(threads.submit(self._typed, work))

    @property
    def _most_personal(self) -> int:
        """How many threads write for one person each: as many as leave some for reading."""
        return (self._options.connections - 1) // 2

    def _numbered(self, first: int, count: int) -> ThreadPoolExecutor:
        """Threads of writers, numbered from ``first``."""
        numbers = itertools.count(first)

        def begin() -> None:
            self._thread.number = next(numbers)

        return ThreadPoolExecutor(
            count, thread_name_prefix=f"{self._options.schema}-writer", initializer=begin
        )

    def _typed(self, work: Callable[[], T]) -> T:
        with typed_errors(self.place):
            return work()

    def _connect(self) -> None:
        with self._own_connection() as raw:
            if unfinished_move(raw, self._options.schema) is not None:
                raise StorageUnfinishedError(
                    f"{self.place} does not hold everything yet: a move to it is under way or was"
                    " broken off. `lobug database move` goes on with it."
                )
            self.prepare(raw)
        self._connections = Connections(self._own_connection)

    def prepare(self, raw: Raw) -> None:
        """Make the schema on a connection that works on it, or migrate it where needed. Raises
        StorageError where the server or its user lack something, else what psycopg raises."""
        options = self._options
        Migration(
            schema=options.schema,
            steps=options.steps,
            place=self.place,
            vectors=options.vectors,
            membership=options.lease if isinstance(options.lease, Membership) else None,
            checkpoint=self._checkpoint,
        ).run(raw)

    def _own_connection(self) -> Raw:
        lease, patience_s = self._options.lease, self._options.patience_s
        raw = self._address.connect(patience_s) if lease is None else lease.connect(patience_s)
        try:
            if lease is not None:
                self._require_unchanged(lease)
            configure(raw, self._options.schema, self._options.patience_s)
        except BaseException:
            raw.close()
            raise
        return raw

    @property
    def _lock_class(self) -> int:
        """A number for the locks of this schema."""
        return lock_class(self._options.schema)

    def _transaction(
        self,
        name: str,
        work: Callable[[Connection], T],
        committed: Callable[[T], None] | None,
        of: str | None,
        failures: int,
    ) -> T:
        def attempt() -> T:
            with self._connection(failures, self._begin(name, of)) as connection:
                return self._once(connection, name, work)

        with self._gate.passing(alone=of is None):
            result = RETRYING.copy()(attempt)
        if committed is not None:
            with self._committed:
                committed(result)
        return result

    def _once(
        self, connection: PostgresConnection, name: str, work: Callable[[Connection], T]
    ) -> T:
        raw = connection.raw
        try:
            result = work(connection)
            self._checkpoint(f"{name}.before_commit")
            number = self._thread.number
            news = None if name in QUIET_WRITES else self._news
            end = _end_of_write(self._writes.name(number), news)
            with self._writes.committing(number):
                run_plain(raw, end)
        except BaseException:
            _roll_back(raw)
            raise
        self._checkpoint(f"{name}.after_commit")
        return result

    def _begin(self, name: str, of: str | None) -> bytes:
        """What begins a write that concerns a person, or everybody, and takes its lock."""
        space = self._lock_class
        steps = [f"pg_advisory_xact_lock({space}, {EVERYBODY})"]
        if of is not None:
            steps = [
                f"pg_advisory_xact_lock_shared({space}, {EVERYBODY})",
                f"pg_advisory_xact_lock({space}, {number_of_person(of)})",
            ]
        if name in DERIVED_WRITES:
            steps.insert(0, "set_config('synchronous_commit', 'off', true)")
        if self._idle_limit is not None and name not in LONG_WRITES:
            limit = f"set_config('idle_in_transaction_session_timeout', '{self._idle_limit}', true)"
            steps.insert(0, limit)
        return f"BEGIN ISOLATION LEVEL READ COMMITTED; SELECT {', '.join(steps)}".encode()

    def _snapshot(self, work: Callable[[Connection], T], failures: int) -> T:
        with self._connection(failures, SNAPSHOT.encode()) as connection:
            try:
                return work(connection)
            finally:
                _roll_back(connection.raw)

    @property
    def _failures(self) -> int:
        """How often PostgreSQL could not be reached: what is asked for now may try again."""
        return 0 if self._connections is None else self._connections.failures

    @contextmanager
    def _connection(self, failures: int, begin: bytes) -> Iterator[PostgresConnection]:
        """A connection on which a transaction has been begun with the statements ``begin``."""
        if self._connections is None:
            raise StorageError(f"{self.place} is not open")
        with self._connections.lend(failures, begin) as raw:
            yield PostgresConnection(raw)


@lru_cache(maxsize=256)
def _end_of_write(server: str, news: str | None) -> bytes:
    """The statements that count a write as a server's and commit it; ``news``: what the other
    servers are told of it, None: nothing."""
    end: list[sql.Composable] = [COUNT_WRITE.format(server)]
    if news is not None:
        end.append(TELL_OTHERS.format(CHANNEL, news))
    return sql.SQL("; ").join([*end, sql.SQL("COMMIT")]).as_bytes(None)


def _roll_back(raw: Raw) -> None:
    if raw.info.transaction_status and not raw.closed:
        run_plain(raw, b"ROLLBACK")
