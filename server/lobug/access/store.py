"""``access.db`` and what is in it: always at hand in memory, every change durable first."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from lobug.access import migrations, rows
from lobug.access.records import Register
from lobug.errors import AccessFullError, AccessUnavailableError, StorageError
from lobug.memory.storage.database import Checkpoint, Database, DatabaseOptions, no_checkpoint
from lobug.memory.storage.driver import Connection
from lobug.settings.access import AccessSettings

T = TypeVar("T")
Listener = Callable[[Register, Register], None]
"""Called with what was known before a change and what is known now."""


class AccessStore:
    """The file and the register in it. Methods raise StorageError subclasses, nothing else."""

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float],
        checkpoint: Checkpoint = no_checkpoint,
        changed: Listener,
    ) -> None:
        self._database = Database(
            DatabaseOptions(path, steps=migrations.STEPS), clock=clock, checkpoint=checkpoint
        )
        self._changed = changed
        self._changing = asyncio.Lock()
        self._register = Register()
        self._data_version = 0

    @property
    def register(self) -> Register | None:
        """What is known; None: the file is not open."""
        return self._register if self._database.is_open else None

    def opened(self) -> Register:
        """What is known. Raises AccessUnavailableError while the file is not open."""
        if not self._database.is_open:
            raise AccessUnavailableError(
                f"the file of devices and tokens cannot be used: {self.fault or 'it is not open'}"
            )
        return self._register

    @property
    def fault(self) -> StorageError | None:
        """Why the file cannot be opened, read or written; None: it can."""
        return self._database.fault

    async def open(self) -> None:
        """Open the file, creating or migrating it where needed."""
        async with self._changing:
            register = await self._database.open(rows.load)
            self._data_version = await self._database.read(_data_version)
            if register is not None:
                self._take(register)

    async def close(self) -> None:
        """Close the file. Safe to call twice."""
        async with self._changing:
            await self._database.close()

    async def change(self, name: str, work: Callable[[Connection], T]) -> T:
        """Run ``work`` in one transaction; it is durable, and known, when this returns."""

        def run(connection: Connection) -> tuple[T, Register]:
            result = work(connection)
            return result, rows.load(connection)

        # Shielded: what was written must be known even if the caller has gone in the meantime.
        return await asyncio.shield(self._change(name, run))

    async def _change(self, name: str, run: Callable[[Connection], tuple[T, Register]]) -> T:
        async with self._changing:
            result, register = await self._database.write(name, run)
            self._take(register)
            return result

    async def refresh(self) -> None:
        """Notice what another program has changed, and open a file that could not be used."""
        if not self._database.is_open:
            await self.open()
            return
        async with self._changing:
            if self._database.fault is not None:
                await self._database.check()
            data_version = await self._database.read(_data_version)
            if data_version != self._data_version:
                self._take(await self._database.read(rows.load))
                self._data_version = data_version

    def _take(self, register: Register) -> None:
        before, self._register = self._register, register
        self._changed(before, register)


def _data_version(connection: Connection) -> int:
    """A number that changes with every transaction of any other connection."""
    (version,) = connection.execute("PRAGMA data_version").fetchone()
    return int(version)


def require_room(settings: AccessSettings, known: int, *, new: bool) -> None:
    """Raises AccessFullError when a new one would be one too many."""
    if new and known >= settings.max_devices:
        raise AccessFullError(f"{known} are known already (access.max_devices)")
