"""The lease of a database: the right of one server to use it, while others stand ready.

Who holds it has a session of PostgreSQL with an advisory lock, so that the lease is free as soon as
that server is killed. It also renews a row by PostgreSQL's own clock: a server that is alive but
does nothing (frozen, cut off) does not renew, and whoever waits may then end all its sessions and
with them its lock. New sessions of its own are refused (``Lease.require``): so it cannot write any
more, even if it wakes up in the middle of a transaction.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import errors, sql

from lobug.errors import StorageError, StorageHeldError
from lobug.storage.postgres.address import Address
from lobug.storage.postgres.connections import Raw
from lobug.storage.postgres.errors import typed_errors

log = logging.getLogger(__name__)

SCHEMA = "lobug_lease"

LOCK = (0x10B06, 1)
"""Of the advisory lock: two numbers of 32 bits. Databases of one PostgreSQL have locks of their
own."""

RENEWALS = 4
"""How often the row is renewed before it would be too old."""

RETRY_S = 1.0
"""Longest pause between two attempts to take the lease, seconds."""

ENDING_MS = 2000
"""How long to wait for a session of another server to end, milliseconds."""

TABLE = f"""
CREATE TABLE IF NOT EXISTS {SCHEMA}.lease (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    holder text NOT NULL,
    name text NOT NULL,
    renewed_until timestamptz NOT NULL
)
"""

TAKE = f"""
INSERT INTO {SCHEMA}.lease (holder, name, renewed_until)
VALUES (%(holder)s, %(name)s, clock_timestamp() + %(lasts)s * interval '1 second')
ON CONFLICT (one) DO UPDATE SET
    holder = excluded.holder, name = excluded.name, renewed_until = excluded.renewed_until
"""

FORMER = f"SELECT holder, name, renewed_until < clock_timestamp() FROM {SCHEMA}.lease"

RENEW = f"""
UPDATE {SCHEMA}.lease
SET renewed_until = clock_timestamp() + %(lasts)s * interval '1 second' WHERE holder = %(holder)s
"""

END_SESSIONS = """
SELECT pg_terminate_backend(pid, %s) FROM pg_stat_activity
WHERE datname = current_database() AND usename = current_user AND application_name = %s
  AND pid <> pg_backend_pid()
"""

STANDING = f"""
WITH running AS (
    SELECT DISTINCT application_name AS server FROM pg_stat_activity
    WHERE datname = current_database() AND application_name ~ '^lobug [0-9a-f]{{16}}$'
)
SELECT (SELECT name FROM {SCHEMA}.lease WHERE holder IN (SELECT server FROM running)),
       (SELECT count(*) FROM running)
"""
"""The computer that has it, and how many servers there are, by the names of their sessions."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The servers of a database."""

    holder: str | None
    """The computer of the one that has it; None: none has it."""
    servers: int


NOBODY = Standing(None, 0)


@dataclass(frozen=True, slots=True)
class LeaseOptions:
    """Who takes the lease, and for how long."""

    holder: str
    """The name of all its sessions (``application_name``), new at every start of a server."""
    lasts_s: float
    """How long a server may do nothing until another one takes over, seconds."""
    name: str = field(default_factory=socket.gethostname)
    """The computer, for people."""


class Lease:
    """``start`` first, ``close`` last; all methods block, and may be called in any thread."""

    def __init__(self, options: LeaseOptions, address: Address, patience_s: float) -> None:
        """``patience_s``: how long it may take to connect."""
        self._options = options
        self._address = address
        self._patience_s = patience_s
        self._raw: Raw | None = None
        """The session that has the lock, or tries to get it."""
        self._using = threading.Lock()
        """Held by the thread that uses the session."""
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._fault: StorageError | None = StorageError("the lease of the database was not taken")
        self.changed: Callable[[StorageError | None], None] = lambda _: None
        """Called when it was taken (None) or lost (why), in the thread that found out."""

    @property
    def holder(self) -> str:
        """The name of all sessions of this server."""
        return self._options.holder

    @property
    def fault(self) -> StorageError | None:
        """Why it is not held: another server has it (StorageHeldError), or PostgreSQL is away;
        None: it is held, as far as is known. No I/O."""
        return self._fault

    def start(self) -> None:
        """Try to take it, and go on to renew it, or to try, until ``close``. Safe to call again."""
        if self._thread is None:
            self._attempt()
            self._thread = threading.Thread(target=self._run, name="lobug-lease", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Give it back, so that another server has it at once. Safe to call twice."""
        self._stop.set()
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.join()
        with self._using:
            self._drop()

    def require(self) -> None:
        """Try to take it if it is not held. Raises StorageError if it is not held then."""
        if self._fault is not None:
            self._attempt()
        if self._fault is not None:
            raise type(self._fault)(*self._fault.args)

    def require_holder(self, raw: Raw) -> None:
        """Raises StorageHeldError if a session that this server has just made is not the holder's:
        another one has taken over, and did not see this session when it ended the others."""
        holder, name, _ = _row(raw)
        if holder != self._options.holder:
            raise _held_by(name)

    def _run(self) -> None:
        pause_s = min(self._options.lasts_s / RENEWALS, RETRY_S)
        while not self._stop.wait(pause_s):
            try:
                self._attempt()
            except Exception:
                # Without this thread the lease would end, though everything else works.
                log.exception("a fault with the lease of the database; it is tried again")

    def _attempt(self) -> None:
        """Renew it, or try to take it, and tell what has changed."""
        with self._using:
            before, self._fault = self._fault, self._found()
            now = self._fault
        if (before is None) == (now is None):
            return
        if now is None:
            log.info("this server has the database now")
        else:
            log.warning("this server does not have the database any more: %s", now)
        self.changed(now)

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
                    self._patience_s, program=self.holder, silence_s=self._options.lasts_s
                )
                _require_table(raw)
                return self._taken(raw)
        except StorageError as error:
            self._drop()
            return error

    def _renewed(self, raw: Raw) -> bool:
        return self._fault is None and bool(raw.execute(RENEW, self._parameters).rowcount)

    def _taken(self, raw: Raw) -> StorageError | None:
        """Take it if it is free, or if its holder does nothing. Returns why it was not taken."""
        if not _locked(raw):
            holder, name, expired = _row(raw)
            if not expired:
                return _held_by(name)
            log.warning("the server on %s has not answered PostgreSQL; this one takes over", name)
            raw.execute(END_SESSIONS, (ENDING_MS, holder))
            if not _locked(raw):
                return _held_by(name)
        former, _, _ = _row(raw)
        raw.execute(TAKE, self._parameters)
        if former not in {"", self.holder}:
            # What it has under way ends before this server reads anything.
            raw.execute(END_SESSIONS, (ENDING_MS, former))
        return None

    @property
    def _parameters(self) -> dict[str, Any]:
        options = self._options
        return {"holder": options.holder, "name": options.name, "lasts": options.lasts_s}

    def _drop(self) -> None:
        raw, self._raw = self._raw, None
        if raw is not None:
            with suppress(psycopg.Error):
                raw.close()


def _row(raw: Raw) -> tuple[str, str, bool]:
    """Who has it or had it last, the name of that computer, and whether that was too long ago."""
    found: tuple[str, str, bool] | None = raw.execute(FORMER).fetchone()
    return found or ("", "", False)


def _locked(raw: Raw) -> bool:
    """Whether a session has the lock now; it may ask again for what it has."""
    return bool(raw.execute("SELECT pg_try_advisory_lock(%s, %s)", LOCK).fetchone() == (True,))


def _held_by(name: str) -> StorageHeldError:
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
    return Standing(holder, int(servers))


def _require_table(raw: Raw) -> None:
    there = raw.execute("SELECT to_regclass(%s) IS NOT NULL", (f"{SCHEMA}.lease",)).fetchone()
    if there == (True,):
        return
    with suppress(errors.UniqueViolation, errors.DuplicateTable):  # another one was quicker
        raw.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(SCHEMA)))
    with suppress(errors.UniqueViolation, errors.DuplicateTable):
        raw.execute(TABLE)
