"""The lease of a database: the right of one server to use it, while others stand ready.

Who holds it has a session of PostgreSQL with an advisory lock, so that the lease is free as soon as
that server is killed. It also renews a row by PostgreSQL's own clock: a server that is alive but
does nothing (frozen, cut off) does not renew, and whoever waits may then end all its sessions and
with them its lock. New sessions of its own are refused (``Lease.require_holder``): so it cannot
write any more, even if it wakes up in the middle of a transaction.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, LiteralString

import psycopg
from psycopg import errors, sql

from lobug.errors import StorageError, StorageHeldError
from lobug.storage.postgres.address import Address
from lobug.storage.postgres.connections import Raw
from lobug.storage.postgres.errors import typed_errors
from lobug.storage.postgres.hosts import Lines
from lobug.storage.postgres.session import milliseconds

log = logging.getLogger(__name__)

SCHEMA = "lobug_lease"

LOCK = (0x10B06, 1)
"""Of the advisory lock: two numbers of 32 bits. Databases of one PostgreSQL have locks of their
own."""

RENEWALS = 4
"""How often at least the row is renewed before it would be too old."""

RETRY_S = 1.0
"""Longest pause between two attempts to take the lease, seconds."""

ENDING_MS = 2000
"""How long to wait for a session of another server to end, milliseconds."""

WAIT_PART = 0.125
"""Of ``Lease.lasts_s``, for how long a lock of another server is waited for: whoever waits for two
of them between two renewals must not be late."""

LONGEST_WAIT_S = 2.0
"""The most of that, seconds."""

WITH_LOCK = " lease"
"""What the name of the session with the lock has after that of the other sessions."""

TABLE = f"""
CREATE TABLE IF NOT EXISTS {SCHEMA}.lease (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    holder text NOT NULL,
    name text NOT NULL,
    renewed_until timestamptz NOT NULL,
    former text[] NOT NULL DEFAULT '{{}}'
)
"""
"""``former``: servers that had it before and whose sessions may not all have ended."""

TAKE = f"""
INSERT INTO {SCHEMA}.lease (holder, name, renewed_until, former)
VALUES (%(holder)s, %(name)s, clock_timestamp() + %(lasts)s * interval '1 second', %(former)s)
ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, name = excluded.name,
    renewed_until = excluded.renewed_until, former = excluded.former
"""

NOBODYS = f"UPDATE {SCHEMA}.lease SET holder = '', former = former || holder WHERE holder <> ''"

TAKEN = f"UPDATE {SCHEMA}.lease SET former = '{{}}' WHERE holder = %(holder)s"

ROW = f"SELECT holder, name, renewed_until < clock_timestamp(), former FROM {SCHEMA}.lease"

RENEW = f"""
UPDATE {SCHEMA}.lease
SET renewed_until = clock_timestamp() + %(lasts)s * interval '1 second' WHERE holder = %(holder)s
AND set_config('synchronous_commit', 'off', true) = 'off'
"""
"""It waits neither for the disk nor for a standby: when those are slow or away, this server is as
alive as before, and another one could not write either. Of a renewal that is lost in a crash
nothing is left to protect: the session with the lock ends as well."""

END_SESSIONS = """
SELECT bool_and(pg_terminate_backend(pid, %s)) FROM pg_stat_activity
WHERE datname = current_database() AND application_name = ANY (%s) AND pid <> pg_backend_pid()
"""
"""False: some are there yet; NULL: there were none."""

STANDING = f"""
WITH running AS (
    SELECT DISTINCT left(application_name, -6) AS server FROM pg_stat_activity
    WHERE datname = current_database() AND application_name ~ '^lobug [0-9a-f]{{16}} lease$'
)
SELECT (SELECT name FROM {SCHEMA}.lease WHERE holder IN (SELECT server FROM running)),
       (SELECT count(*) FROM running)
"""
"""The computer that has it, and how many servers there are, by the names of their sessions."""


MEMBERS = f"{SCHEMA}.servers"
"""The servers that answer at once (``membership``)."""

TOGETHER = f"SELECT count(*) FROM {MEMBERS} WHERE NOT ended"


class LockedError(Exception):
    """Somebody else has a lock on what is renewed: it is not renewed, and not lost either."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The servers of a database."""

    holder: str | None
    """The computer of the one that has it; None: none has it."""
    servers: int
    together: int = 0
    """How many of them answer at once."""


NOBODY = Standing(None, 0)


@dataclass(frozen=True, slots=True)
class LeaseOptions:
    """Who takes the lease, and for how long."""

    holder: str
    """The name of its sessions (``application_name``), new at every start of a server. The session
    with the lock has `` lease`` after it."""
    lasts_s: float
    """How long a server may do nothing until another one takes over, seconds."""
    name: str = field(default_factory=socket.gethostname)
    """The computer, for people."""


class Lease:
    """``start`` first, ``close`` last; all methods block, and may be called in any thread. Only
    ``attempt``, which the lease's own thread calls again and again, takes it."""

    def __init__(self, options: LeaseOptions, address: Address, patience_s: float) -> None:
        """``patience_s``: how long it may take to connect."""
        self._options = options
        self._address = address
        self._patience_s = patience_s
        self._at = address
        self._taken_at: tuple[Address, str] | None = None
        """Where it was taken last, and the timeline there: of a standby that was promoted it is
        another one."""
        self._lines = Lines()
        """The other sessions of this server."""
        self._raw: Raw | None = None
        """The session that has the lock, or tries to get it."""
        self._using = threading.Lock()
        """Held by the thread that uses the session."""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._fault: StorageError | None = StorageError("the lease of the database was not taken")
        """What came of the last attempt to renew or to take it."""
        self._renewed_at = time.monotonic()
        """When the last attempt that succeeded began."""
        self.times_taken = 0
        """Grows when it is taken from nobody, from another server or at another PostgreSQL (a
        standby that was promoted may lack something): what this server knew of the database before
        may be wrong."""
        self.changed: Callable[[], None] = lambda: None
        """Called when ``fault`` or ``times_taken`` may have changed, in any thread."""

    @property
    def holder(self) -> str:
        """The name of this server's sessions."""
        return self._options.holder

    @property
    def lasts_s(self) -> float:
        """How long a server may do nothing until another one takes over, seconds."""
        return self._options.lasts_s

    @property
    def lock_timeout(self) -> str:
        """How long a session that all others of this server depend on waits for a lock, as
        PostgreSQL has it: who has that may be frozen."""
        return milliseconds(min(self.lasts_s * WAIT_PART, LONGEST_WAIT_S))

    @property
    def left_s(self) -> float:
        """For how long no other server takes over what this one has, seconds; 0 or less: one may
        have done so. No I/O."""
        return self._renewed_at + self._options.lasts_s - time.monotonic()

    @property
    def fault(self) -> StorageError | None:
        """Why it is not held: another server has it (StorageHeldError), or PostgreSQL is away;
        None: it is held, as far as is known. No I/O."""
        if self._fault is None and self.left_s <= 0.0:  # it is asked still
            return StorageError(f"the database has not answered for {self._options.lasts_s:g} s")
        return self._fault

    def start(self) -> None:
        """Try to take it, and go on to renew it, or to try, until ``close``. Safe to call again."""
        if self._thread is None:
            self.attempt()
            self._thread = threading.Thread(target=self._run, name="lobug-lease", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Give it back, so that another server has it at once. Safe to call twice."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        with self._using:
            self._fault = StorageError("the lease of the database was given back")
            if self._raw is not None:
                self._give_back(self._raw)
            self._drop()

    def require(self) -> None:
        """Raises StorageError if it is not held. No I/O."""
        fault = self.fault
        if fault is not None:
            raise type(fault)(*fault.args)

    def connect(self, patience_s: float) -> Raw:
        """Another session of this server, at the PostgreSQL where its lease is: of several hosts an
        old primary that comes back would let it in as well. When the lease is lost or taken anew it
        is cut off: whoever waited longer for a computer that has vanished would keep this server
        from going on. Raises StorageError, else what psycopg raises."""
        self.require()
        raw = self._at.connect(
            patience_s,
            program=self.holder,
            silence_s=self._options.lasts_s,
            lines=self._lines,
        )
        try:
            self.require_holder(raw)
        except BaseException:
            raw.close()
            raise
        return raw

    def require_holder(self, raw: Raw) -> None:
        """Raises StorageHeldError if a session that this server has just made is not the holder's:
        another one has taken over, and did not see this session when it ended the others."""
        row = _row(raw)
        if row.holder != self.holder:
            raise held_by(row.name)

    def attempt(self) -> None:
        """Renew it, or try to take it; note what came of it in ``fault``."""
        with self._using:
            before, times, began = self._fault, self.times_taken, time.monotonic()
            try:
                now = self._found()
            except LockedError:
                return  # it lasts as long as it did, and is tried again soon
            if isinstance(now, StorageHeldError) or times != self.times_taken:
                self._lines.cut()  # whatever is under way there counts no more
            seen = self.fault
            if now is None:
                self._renewed_at = began
            self._fault = now
        same = type(before) is type(seen) is type(now) and times == self.times_taken
        if same:
            return
        if now is None:
            log.info("this server has the database now")
        elif before is None:
            log.warning("this server does not have the database any more: %s", now)
        self.changed()

    def _run(self) -> None:
        pause_s = min(self._options.lasts_s / RENEWALS, RETRY_S)
        while not self._stop.wait(pause_s):
            try:
                self.attempt()
            except Exception:
                # Without this thread the lease would end, though everything else works.
                log.exception("a fault with the lease of the database; it is tried again")

    def _found(self) -> StorageError | None:
        """Renew it, or take it, in a new session if need be. Returns why it is not held."""
        if self._raw is not None:
            with suppress(psycopg.Error):  # the session has ended
                if self._renewed(self._raw):
                    return None
                return self._taken(self._raw)
            self._drop()
        try:
            with typed_errors(self._address.place):
                # A server that is cut off must know when the others may have given it up.
                raw = self._raw = self._address.connect(
                    self._patience_s,
                    program=self.holder + WITH_LOCK,
                    silence_s=self._options.lasts_s,
                )
                raw.execute(
                    "SELECT set_config('statement_timeout', '0', false),"
                    " set_config('idle_session_timeout', '0', false),"
                    " set_config('lock_timeout', %s, false)",
                    (self.lock_timeout,),
                )
                self._at = self._address.at(raw)
                _require_table(raw)
                return self._taken(raw)
        except StorageError as error:
            self._drop()
            return error

    def _renewed(self, raw: Raw) -> bool:
        return self._fault is None and self._renew(raw, RENEW)

    def _renew(self, raw: Raw, statement: LiteralString) -> bool:
        """Returns whether there was something to renew. Raises LockedError."""
        try:
            return bool(raw.execute(statement, self._parameters).rowcount)
        except errors.LockNotAvailable:
            raise LockedError from None

    def _taken(self, raw: Raw) -> StorageError | None:
        """Take it if it is free, or if its holder does nothing. Returns why it was not taken."""
        if not _locked(raw):
            name = self._end_holder(raw)
            if not _locked(raw):
                return held_by(name)
        row = _row(raw)
        others = {row.holder, *row.former, *_members(raw)} - {"", self.holder}
        # Twice: what had begun ends before, what did not yet know of this server ends after. Their
        # names stay until both are done, whatever happens to this server in between.
        if not end_sessions(raw, sessions_of(others)):
            return StorageError("the former server's sessions do not end")
        raw.execute(TAKE, {**self._parameters, "former": sorted(others)})
        if not end_sessions(raw, sessions_of(others)):
            return StorageError("the former server's sessions do not end")
        raw.execute(TAKEN, self._parameters)
        before, self._taken_at = self._taken_at, self._here(raw)
        if before != self._taken_at or others:
            self.times_taken += 1
        return None

    def _here(self, raw: Raw) -> tuple[Address, str]:
        """Which PostgreSQL the session is at (``_taken_at``)."""
        return self._at, timeline_of(raw)

    def _end_holder(self, raw: Raw) -> str:
        """End the sessions of whoever has the lock, if it does nothing. Returns its computer."""
        row = _row(raw)
        if row.holder == self.holder:  # a session of before, cut off without PostgreSQL knowing
            end_sessions(raw, [self.holder + WITH_LOCK])
        elif row.expired:
            log.warning(
                "the server on %s does not answer PostgreSQL; this one takes over", row.name
            )
            end_sessions(raw, sessions_of([row.holder]))
        return row.name

    @property
    def _parameters(self) -> dict[str, Any]:
        options = self._options
        return {"holder": options.holder, "name": options.name, "lasts": options.lasts_s}

    def _give_back(self, raw: Raw) -> None:
        """Let others have it at once: a session ends only a moment after it was closed."""
        with suppress(psycopg.Error):
            raw.execute("SELECT pg_advisory_unlock_all()")

    def _drop(self) -> None:
        raw, self._raw = self._raw, None
        if raw is not None:
            with suppress(psycopg.Error):
                raw.close()


@dataclass(frozen=True, slots=True)
class _Row:
    holder: str = ""
    """Who has it or had it last."""
    name: str = ""
    """The name of that computer."""
    expired: bool = False
    """Whether it was renewed too long ago."""
    former: tuple[str, ...] = ()


def _row(raw: Raw) -> _Row:
    found = raw.execute(ROW).fetchone()
    if found is None:
        return _Row()
    holder, name, expired, former = found
    return _Row(holder, name, expired, tuple(former))


def end_former(raw: Raw) -> bool:
    """End the sessions of servers that had the lease alone, which nobody has now. Returns whether
    none is left."""
    row = _row(raw)
    raw.execute(NOBODYS)  # so that new ones are refused
    return end_sessions(raw, sessions_of({row.holder, *row.former} - {""}))


def timeline_of(raw: Raw) -> str:
    """The timeline of a PostgreSQL; every promotion of a standby begins a new one."""
    row = raw.execute("SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)").fetchone()
    return "" if row is None else str(row[0])


def _members(raw: Raw) -> list[str]:
    """The servers that answered at once, and have all stopped: this one has the lock alone."""
    if raw.execute("SELECT to_regclass(%s) IS NULL", (MEMBERS,)).fetchone() == (True,):
        return []
    return [name for (name,) in raw.execute(f"DELETE FROM {MEMBERS} RETURNING name".encode())]


def _locked(raw: Raw) -> bool:
    """Whether a session has the lock now; it may ask again for what it has."""
    return bool(raw.execute("SELECT pg_try_advisory_lock(%s, %s)", LOCK).fetchone() == (True,))


def sessions_of(holders: Collection[str]) -> list[str]:
    """The names of all sessions of these servers."""
    return [*holders, *(holder + WITH_LOCK for holder in holders)]


def end_sessions(raw: Raw, names: Sequence[str]) -> bool:
    """End the sessions of these names. Returns whether none is left."""
    row = raw.execute(END_SESSIONS, (ENDING_MS, list(names))).fetchone() if names else None
    return row is None or row[0] is not False


def held_by(name: str) -> StorageHeldError:
    """The error where another server has the lease; ``name``: its computer."""
    who = f"the server on {name}" if name else "another server"
    return StorageHeldError(f"{who} has the database; this one takes over when that one stops")


def standing(raw: Raw) -> Standing:
    """Which servers a database has now. Raises what psycopg raises."""
    there = raw.execute(
        "SELECT coalesce(has_schema_privilege(to_regnamespace(%s)::oid, 'USAGE'), false)",
        (SCHEMA,),
    ).fetchone()
    if there != (True,):
        return NOBODY
    holder, servers = raw.execute(STANDING).fetchone() or (None, 0)
    answers = raw.execute("SELECT to_regclass(%s) IS NOT NULL", (MEMBERS,)).fetchone()
    row = raw.execute(TOGETHER).fetchone() if answers == (True,) else None
    return Standing(holder, int(servers), 0 if row is None else int(row[0]))


def _require_table(raw: Raw) -> None:
    there = raw.execute("SELECT to_regclass(%s) IS NOT NULL", (f"{SCHEMA}.lease",)).fetchone()
    if there == (True,):
        return
    with suppress(errors.UniqueViolation, errors.DuplicateTable):  # another one was quicker
        raw.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(SCHEMA)))
    with suppress(errors.UniqueViolation, errors.DuplicateTable):
        raw.execute(TABLE)
