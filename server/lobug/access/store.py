"""``access.db``: its migrations, its rows, and the register of devices, pairings, API tokens,
browsers, invitations and satellites.

The register is held in memory as a whole; a change is durable before it is known there. Uses of
tokens are noted at once and written now and then.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Integer, Table, bindparam, delete, func, select, update

from lobug.access.callers import Caller
from lobug.access.records import (
    ApiToken,
    Browser,
    Device,
    DeviceDetails,
    Invitation,
    Pairing,
    Register,
    Satellite,
)
from lobug.access.tables import (
    api_tokens,
    browsers,
    device_details,
    devices,
    invitations,
    pairings,
    satellites,
)
from lobug.errors import AccessFullError, AccessUnavailableError, StorageError
from lobug.settings.access import AccessSettings
from lobug.storage.connection import Connection
from lobug.storage.database import Checkpoint, no_checkpoint
from lobug.storage.migrations import Step
from lobug.storage.places import FILES, DatabasePlace
from lobug.storage.sqlite_database import DatabaseOptions
from lobug.storage.statements import (
    insert_or_replace,
    insertion_order,
    records,
    run,
    run_many,
)


def m001_create_tables(connection: Connection, _legacy_user: str) -> None:
    """Devices, those that wait, API tokens. Of a token only the SHA-256 is here."""
    for statement in (
        """
        CREATE TABLE devices (
          device_id TEXT PRIMARY KEY,
          client_id TEXT NOT NULL,
          name TEXT NOT NULL,
          user TEXT,
          token_hash TEXT UNIQUE,
          created_at REAL NOT NULL,
          last_seen_at REAL,
          token_given_at REAL,
          token_used_at REAL,
          revoked_at REAL
        ) STRICT
        """,
        """
        CREATE TABLE pairings (
          device_id TEXT NOT NULL,
          client_id TEXT NOT NULL,
          code TEXT NOT NULL UNIQUE,
          challenge TEXT NOT NULL,
          description TEXT NOT NULL,
          address TEXT NOT NULL,
          created_at REAL NOT NULL,
          expires_at REAL NOT NULL,
          PRIMARY KEY (device_id, client_id)
        ) STRICT
        """,
        """
        CREATE TABLE api_tokens (
          token_id TEXT PRIMARY KEY,
          name TEXT NOT NULL,
          token_hash TEXT NOT NULL UNIQUE,
          user TEXT,
          conversation TEXT,
          owner INTEGER NOT NULL,
          created_at REAL NOT NULL,
          last_used_at REAL,
          revoked_at REAL
        ) STRICT
        """,
    ):
        connection.execute(statement)


def m002_add_scope(connection: Connection, _legacy_user: str) -> None:
    """An API token may be good for one purpose alone."""
    connection.execute("ALTER TABLE api_tokens ADD COLUMN scope TEXT")


def m003_add_browsers(connection: Connection, _legacy_user: str) -> None:
    """Web browsers that were let in, and the invitations that let one in."""
    for statement in (
        """
        CREATE TABLE browsers (
          browser_id TEXT PRIMARY KEY,
          name TEXT NOT NULL,
          user TEXT NOT NULL,
          owner INTEGER NOT NULL,
          token_hash TEXT NOT NULL UNIQUE,
          created_at REAL NOT NULL,
          last_used_at REAL,
          revoked_at REAL
        ) STRICT
        """,
        """
        CREATE TABLE invitations (
          invitation_id TEXT PRIMARY KEY,
          code TEXT NOT NULL UNIQUE,
          user TEXT NOT NULL,
          owner INTEGER NOT NULL,
          name TEXT NOT NULL,
          created_at REAL NOT NULL,
          expires_at REAL NOT NULL,
          wrong_guesses INTEGER NOT NULL
        ) STRICT
        """,
    ):
        connection.execute(statement)


def m004_add_device_details(connection: Connection, _legacy_user: str) -> None:
    """What devices say of themselves survives a restart."""
    connection.execute(
        """
        CREATE TABLE device_details (
          device_id TEXT PRIMARY KEY,
          introduction TEXT,
          report TEXT,
          reported_at REAL
        ) STRICT
        """
    )


def m005_add_satellites(connection: Connection, _legacy_user: str) -> None:
    """Voice satellites that talk over Wyoming, and whose words come from them."""
    connection.execute(
        """
        CREATE TABLE satellites (
          satellite_id TEXT PRIMARY KEY,
          entity TEXT NOT NULL,
          address TEXT NOT NULL,
          user TEXT,
          created_at REAL NOT NULL,
          last_seen_at REAL NOT NULL
        ) STRICT
        """
    )


STEPS: tuple[Step, ...] = (
    m001_create_tables,
    m002_add_scope,
    m003_add_browsers,
    m004_add_device_details,
    m005_add_satellites,
)
"""Step n, counted from 1, turns a file of version n - 1 into one of version n."""


_TABLES: Mapping[type[Any], Table] = {
    Device: devices,
    Pairing: pairings,
    ApiToken: api_tokens,
    Browser: browsers,
    Invitation: invitations,
    DeviceDetails: device_details,
    Satellite: satellites,
}
_ALL = {
    kind: select(*(table.c[field.name] for field in fields(kind))).order_by(
        *([table.c.created_at] if "created_at" in table.c else []), insertion_order(table)
    )
    for kind, table in _TABLES.items()
}
"""Everything, by the names of the records' fields, oldest first."""

_PUT = {kind: insert_or_replace(table) for kind, table in _TABLES.items()}

Record = Device | Pairing | ApiToken | Browser | Invitation | DeviceDetails | Satellite
Known = TypeVar("Known", Device, Pairing, ApiToken, Browser, Invitation, DeviceDetails, Satellite)


def load(connection: Connection) -> Register:
    return Register.of(
        _records(connection, Device),
        _records(connection, Pairing),
        _records(connection, ApiToken),
        _records(connection, Browser),
        _records(connection, Invitation),
        _records(connection, DeviceDetails),
        _records(connection, Satellite),
    )


def _records(connection: Connection, kind: type[Known]) -> list[Known]:
    return records(kind, run(connection, _ALL[kind]))


def put(connection: Connection, record: Record) -> None:
    """Write a record in the place of the one with its key."""
    run(connection, _PUT[type(record)], **asdict(record))


_DROP_PAIRINGS = delete(pairings).where(pairings.c.device_id == bindparam("device_id"))


def drop_pairings(connection: Connection, device_id: str) -> None:
    """Delete every code that is shown under this ``Device-Id``."""
    run(connection, _DROP_PAIRINGS, device_id=device_id)


_DROP_BROWSER = delete(browsers).where(browsers.c.browser_id == bindparam("browser_id"))
_DROP_INVITATION = delete(invitations).where(
    invitations.c.invitation_id == bindparam("invitation_id")
)


def drop_browser(connection: Connection, browser_id: str) -> None:
    run(connection, _DROP_BROWSER, browser_id=browser_id)


def drop_invitation(connection: Connection, invitation_id: str) -> None:
    run(connection, _DROP_INVITATION, invitation_id=invitation_id)


_DROP_EXPIRED = delete(pairings).where(pairings.c.expires_at <= bindparam("now"))
_KEEP_NEWEST = delete(pairings).where(
    pairings.c.code.not_in(
        select(pairings.c.code)
        .order_by(pairings.c.created_at.desc(), insertion_order(pairings).desc())
        .limit(bindparam("keep", type_=Integer))
    )
)


def make_room(connection: Connection, now: float, keep: int) -> None:
    """Delete the expired codes, and the oldest of the others beyond ``keep``."""
    run(connection, _DROP_EXPIRED, now=now)
    run(connection, _KEEP_NEWEST, keep=keep)


_NOTE_DEVICE = (
    update(devices)
    .values(
        last_seen_at=bindparam("at"),
        token_used_at=func.coalesce(devices.c.token_used_at, bindparam("at")),
    )
    .where(devices.c.token_hash == bindparam("of_token"))
)
_NOTE_API_TOKEN = (
    update(api_tokens)
    .values(last_used_at=bindparam("at"))
    .where(api_tokens.c.token_hash == bindparam("of_token"))
)
_NOTE_BROWSER = (
    update(browsers)
    .values(last_used_at=bindparam("at"))
    .where(browsers.c.token_hash == bindparam("of_token"))
)


def note_seen(
    connection: Connection,
    devices: Mapping[str, float],
    api_tokens: Mapping[str, float],
    browsers: Mapping[str, float],
) -> None:
    """Write when tokens were used last, by their SHA-256; of a device's also the first use."""
    for statement, uses in (
        (_NOTE_DEVICE, devices),
        (_NOTE_API_TOKEN, api_tokens),
        (_NOTE_BROWSER, browsers),
    ):
        run_many(
            connection,
            statement,
            ({"of_token": token_hash, "at": at} for token_hash, at in uses.items()),
        )


BROWSER_USE_S = 60.0
"""Seconds between two uses of a browser's session that are written: a page asks all the time."""


class Seen:
    """Uses of tokens that are not in the file yet. Writing at every request would cost too much."""

    def __init__(self, store: AccessStore, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self.devices: dict[str, float] = {}
        """By the SHA-256 of the token: seconds since the epoch."""
        self.api_tokens: dict[str, float] = {}
        """The same."""
        self.browsers: dict[str, float] = {}
        """The same, to the minute."""
        self.urgent = asyncio.Event()
        """Set when a device uses its token for the first time: from then on it gets no other token,
        and that must survive this process."""

    def note(self, caller: Caller) -> None:
        if caller.token_hash is None:
            return
        register = self._store.register
        if caller.browser_id is not None:
            known = register.browser_by_hash.get(caller.token_hash) if register else None
            if known is not None and self._clock() - (known.last_used_at or 0.0) >= BROWSER_USE_S:
                self.browsers[caller.token_hash] = self._clock()
            return
        by_hash = self.devices if caller.kind == "device" else self.api_tokens
        by_hash[caller.token_hash] = self._clock()
        device = register.device_by_hash.get(caller.token_hash) if register else None
        if device is not None and device.token_used_at is None:
            self.urgent.set()

    def uses(self, device: Device) -> bool:
        """Whether a use of the device's token is noted and not written yet."""
        return device.token_hash in self.devices

    async def write(self) -> None:
        """Write what is noted. Raises StorageError; what is noted is kept then."""
        noted = (self.devices, self.api_tokens, self.browsers)
        uses = tuple(dict(by_hash) for by_hash in noted)
        if not any(uses):
            return
        await self._store.change("seen", lambda connection: note_seen(connection, *uses))
        for by_hash, written in zip(noted, uses, strict=True):
            _drop(by_hash, written)


def _drop(noted: dict[str, float], written: dict[str, float]) -> None:
    """Delete the uses that were written, unless the token was used again in the meantime."""
    for token_hash, at in written.items():
        if noted.get(token_hash) == at:
            del noted[token_hash]


T = TypeVar("T")
Listener = Callable[[Register, Register], None]
"""Called with the register before a change and the register after it."""


class AccessStore:
    """``access.db`` and its register. Methods raise StorageError subclasses, nothing else."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float],
        checkpoint: Checkpoint = no_checkpoint,
        changed: Listener,
        place: DatabasePlace = FILES,
    ) -> None:
        self._database = place.database(
            "access",
            DatabaseOptions(path, steps=STEPS),
            clock=clock,
            checkpoint=checkpoint,
        )
        self._changed = changed
        self._changing = asyncio.Lock()
        self._register = Register()

    @property
    def register(self) -> Register | None:
        """The register; None: the file is not open."""
        return self._register if self._database.is_open else None

    def opened(self) -> Register:
        """The register. Raises AccessUnavailableError while the file is not open."""
        if not self._database.is_open:
            why = "it is not open" if self.fault is None else self.fault.code
            raise AccessUnavailableError(
                f"the database of devices, browsers and tokens cannot be used: {why}"
            )
        return self._register

    @property
    def fault(self) -> StorageError | None:
        """Why the file cannot be opened, read or written; None: it can."""
        return self._database.fault

    async def open(self) -> None:
        """Open the file, creating or migrating it where needed."""
        async with self._changing:
            register = await self._database.open(load)
            if register is not None:
                self._take(register)

    async def close(self) -> None:
        """Close the file. Safe to call twice."""
        async with self._changing:
            await self._database.close()

    async def change(self, name: str, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction. When this returns, the change is durable and in the
        register."""

        def run(connection: Connection) -> tuple[T, Register]:
            result = work(connection)
            return result, load(connection)

        # Shielded: what was written must be known even if the caller has gone in the meantime.
        return await asyncio.shield(self._change(name, run))

    async def _change(self, name: str, run: Callable[[Connection], tuple[T, Register]]) -> T:
        async with self._changing:
            result, register = await self._database.write(name, run)
            self._take(register)
            return result

    async def refresh(self) -> None:
        """Read again what another program has changed; open a file that could not be opened."""
        if not self._database.is_open:
            await self.open()
            return
        async with self._changing:
            if self._database.fault is not None:
                await self._database.check()
            async with self._database.changed_by_others() as changed:
                if changed:
                    self._take(await self._database.read(load))

    def _take(self, register: Register) -> None:
        before, self._register = self._register, register
        self._changed(before, register)


def require_room(settings: AccessSettings, known: int, *, new: bool) -> None:
    """Raises AccessFullError when a new device, browser or token would exceed the limit."""
    if new and known >= settings.max_devices:
        raise AccessFullError(f"{known} are known already (access.max_devices)")
