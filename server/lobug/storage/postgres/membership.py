"""The membership of a server among those that answer at once, on one database.

Every member has a row that it renews by PostgreSQL's clock, and a session that is named after it.
A member whose session has ended or whose row is too old is ended by any other one: first it is
marked, so that no new session of its own is accepted, then all its sessions are ended, then its
people are free. So it cannot write any more, even if it was only frozen and wakes up.
"""

from __future__ import annotations

import logging
from contextlib import suppress

import psycopg
from psycopg import errors, sql

from lobug.errors import StorageError, StorageHeldError
from lobug.storage.postgres.connections import Raw
from lobug.storage.postgres.lease import (
    LOCK,
    MEMBERS,
    SCHEMA,
    WITH_LOCK,
    Lease,
    end_former,
    end_sessions,
    held_by,
    sessions_of,
)
from lobug.storage.postgres.schemas import STEPS

log = logging.getLogger(__name__)

PEOPLE = f"{SCHEMA}.people"
"""Which person is with which server."""

DEVICES = f"{SCHEMA}.devices"
"""Which device is connected to which server."""

CHANNEL = "lobug"
"""On which the servers of a database tell each other things (``LISTEN``)."""

TABLES = (
    f"""
    CREATE TABLE IF NOT EXISTS {MEMBERS} (
        name text PRIMARY KEY,
        computer text NOT NULL,
        knows text NOT NULL,
        renewed_until timestamptz NOT NULL,
        ended boolean NOT NULL DEFAULT false
    )
    """,
    f"""
    CREATE TABLE IF NOT EXISTS {PEOPLE} (
        person text PRIMARY KEY,
        server text NOT NULL
    )
    """,
    f"CREATE INDEX IF NOT EXISTS people_by_server ON {PEOPLE} (server)",
    f"""
    CREATE TABLE IF NOT EXISTS {DEVICES} (
        device text PRIMARY KEY,
        server text NOT NULL
    )
    """,
    f"CREATE INDEX IF NOT EXISTS devices_by_server ON {DEVICES} (server)",
)
"""``knows``: the newest schemas that a server knows; ``ended``: the sessions of a server are being
ended, and new ones are refused."""

SHARE = "SELECT pg_try_advisory_lock_shared(%s, %s)"
"""The lock that a server which answers alone holds alone."""

KNOWS = " ".join(f"{name} {len(steps)}" for name, steps in sorted(STEPS.items()))
"""The schemas as this program wants them."""

OTHERS = f"SELECT computer FROM {MEMBERS} WHERE NOT ended AND knows <> %s LIMIT 1"

JOIN = f"""
INSERT INTO {MEMBERS} (name, computer, knows, renewed_until)
VALUES (%(holder)s, %(name)s, %(knows)s, clock_timestamp() + %(lasts)s * interval '1 second')
"""

AT_ONCE = "set_config('synchronous_commit', 'off', true) = 'off'"
"""A condition that is always true: the statement waits neither for the disk nor for a standby. Else
whoever ends another server renews nothing meanwhile, and all end one another afterwards. What is
lost in a crash is lost with all that was written later, by whoever counted on it."""

RENEW = f"""
UPDATE {MEMBERS}
SET renewed_until = clock_timestamp() + %(lasts)s * interval '1 second'
WHERE name = %(holder)s AND NOT ended AND {AT_ONCE}
"""

IS_MEMBER = f"SELECT 1 FROM {MEMBERS} WHERE name = %s AND NOT ended"

GRACE_S = 3.0
"""How long a server may be without its session before it is taken for killed, seconds."""

GONE = f"""
SELECT s.name, s.computer FROM {MEMBERS} s
WHERE s.name <> %(holder)s AND (s.ended OR (
    -- As long as PostgreSQL itself was away all others are missed, too: by whoever has come back
    -- first. How long that is back its own session says.
    s.renewed_until < clock_timestamp()
    AND %(since)s + %(lasts)s * interval '1 second' < clock_timestamp()
    OR s.renewed_until < clock_timestamp() + (%(lasts)s - {GRACE_S}) * interval '1 second'
    AND %(since)s + {GRACE_S} * interval '1 second' < clock_timestamp()
    AND NOT EXISTS (
        SELECT 1 FROM pg_stat_activity a WHERE a.datname = current_database()
        AND a.application_name = s.name || '{WITH_LOCK}')))
"""

SINCE = "SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"

MARK = f"UPDATE {MEMBERS} SET ended = true WHERE name = %s AND NOT ended AND {AT_ONCE}"

LEAVE = f"""
WITH people AS (DELETE FROM {PEOPLE} WHERE server = %(name)s),
    devices AS (DELETE FROM {DEVICES} WHERE server = %(name)s)
DELETE FROM {MEMBERS} WHERE name = %(name)s AND {AT_ONCE}
"""
"""One statement, as all that these sessions do: a server that is frozen between two of a
transaction would keep its locks, and with them all others from going on."""

FREE = f"""
WITH devices AS (DELETE FROM {DEVICES} WHERE server NOT IN (SELECT name FROM {MEMBERS}))
DELETE FROM {PEOPLE} WHERE server NOT IN (SELECT name FROM {MEMBERS})
"""
"""Nobody is with a server that is no member: one that answered alone has ended it meanwhile."""

TELL = "SELECT pg_notify(%s, %s)"

TELL_PATIENTLY = f"{TELL}, set_config('lock_timeout', '0', true)"
"""Who tells something waits for all that do so at that moment to be committed. No server that is
frozen lengthens that, but a slow disk does; what is told must not be lost."""

LEFT = '{"kind": "left"}'

IN_THE_WAY = (errors.LockNotAvailable, errors.DeadlockDetected)
"""Another server, or somebody else, has a lock on what was wanted."""


class Membership(Lease):
    """``start`` first, ``close`` last; as ``Lease``, but every server that asks has it at once."""

    _untold = False
    """Whether the others have yet to be told that a server has left."""

    def require_holder(self, raw: Raw) -> None:
        """Raises StorageHeldError if a session that this server has just made is no member's:
        another one has ended its membership, and did not see this session when it ended the others.
        """
        if raw.execute(IS_MEMBER, (self.holder,)).fetchone() is None:
            raise StorageHeldError("another server has taken over what this one had under way")

    def require_same_program(self, raw: Raw) -> None:
        """Raises StorageError where a member may write that knows the schemas in another form: it
        must stop before they are migrated."""
        row = raw.execute(OTHERS, (KNOWS,)).fetchone()
        if row is not None:
            raise StorageError(
                f"the server on {row[0]} is of another version, for which the database cannot be"
                " migrated: stop it first"
            )

    def _renewed(self, raw: Raw) -> bool:
        if self._fault is not None or not self._renew(raw, RENEW):
            return False
        self._end_those_gone(raw)
        return True

    def _taken(self, raw: Raw) -> StorageError | None:
        """Become a member, unless a server has the database for itself. Returns why not."""
        if not _shares(raw):
            name = self._end_holder(raw)
            if not _shares(raw):
                return held_by(name)
        _require_tables(raw)
        here = self._here(raw)
        if here == self._taken_at and self._renew(raw, RENEW):
            return None  # it is one still: only this session is new
        if not end_former(raw):
            return StorageError("the former server's sessions do not end")
        # Sessions of its own from before, when it was a member already, must not count again.
        raw.execute(MARK, (self.holder,))
        if not end_sessions(raw, [self.holder]):
            return StorageError("this server's former sessions do not end")
        self.times_taken += 1  # before new sessions are accepted
        raw.execute(LEAVE, {"name": self.holder})
        raw.execute(FREE)
        raw.execute(JOIN, {**self._parameters, "knows": KNOWS})
        self._taken_at = here
        self._end_those_gone(raw)
        return None

    def _end_those_gone(self, raw: Raw) -> None:
        """End the membership of servers that are killed, frozen or cut off; what a lock is in the
        way of is done with the next renewal, which must not wait for it."""
        with suppress(*IN_THE_WAY):
            row = raw.execute(SINCE).fetchone()
            values = {**self._parameters, "since": None if row is None else row[0]}
            gone = raw.execute(GONE, values).fetchall()
            for name, computer in gone:
                log.warning(
                    "the server on %s does not answer PostgreSQL; others take over", computer
                )
                raw.execute(MARK, (name,))
            # All of them first: one may have a lock on what another one leaves.
            ended = [name for name, _ in gone if end_sessions(raw, sessions_of([name]))]
            for name in ended:
                raw.execute(LEAVE, {"name": name})
                self._untold = True
        if self._untold:
            with suppress(*IN_THE_WAY):
                raw.execute(TELL, (CHANNEL, LEFT))
                self._untold = False

    def _give_back(self, raw: Raw) -> None:
        with suppress(psycopg.Error):  # then the others find out
            raw.execute(LEAVE, {"name": self.holder})
            raw.execute(TELL_PATIENTLY, (CHANNEL, LEFT))
        super()._give_back(raw)


def _shares(raw: Raw) -> bool:
    """Whether no server has the database for itself."""
    return bool(raw.execute(SHARE, LOCK).fetchone() == (True,))


def _require_tables(raw: Raw) -> None:
    there = raw.execute(
        "SELECT to_regclass('lobug_lease.devices_by_server') IS NOT NULL"
    ).fetchone()
    if there == (True,):
        return
    with suppress(errors.UniqueViolation, errors.DuplicateTable):  # another one was quicker
        raw.execute(sql.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(sql.Identifier(SCHEMA)))
    for statement in TABLES:
        with suppress(errors.UniqueViolation, errors.DuplicateTable):
            raw.execute(statement.encode())
