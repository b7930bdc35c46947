"""Follows the lease of a PostgreSQL: a server acts only while it has it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from lobug.errors import StorageError, StorageHeldError

if TYPE_CHECKING:
    from lobug.storage.postgres.lease import Lease

log = logging.getLogger(__name__)


class LeaseFollower:
    """``start`` first, ``close`` last.

    When another server has or had the database, everything that was read from it is given up, so
    that nothing is done or said by what holds no more; it is opened anew when the lease is back.
    """

    def __init__(
        self,
        lease: Lease,
        *,
        give_up: Callable[[], Awaitable[None]],
        look_again: Callable[[], None],
        send_away: Callable[[], None],
    ) -> None:
        """``give_up`` closes all databases; may raise StorageError. ``look_again`` opens them as
        soon as that is possible. ``send_away`` lets devices connect to whichever server answers."""
        self._lease = lease
        self._give_up = give_up
        self._look_again = look_again
        self._send_away = send_away
        self._news = asyncio.Event()
        self._times_taken = 0
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Try to take the lease, and follow it from now on. Safe to call again."""
        if self._task is not None:
            return
        loop = asyncio.get_running_loop()

        def tell() -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._news.set)

        await asyncio.to_thread(self._lease.start)
        self._times_taken = self._lease.times_taken
        self._lease.changed = tell
        self._news.set()  # it may have changed in between
        self._task = asyncio.create_task(self._follow(), name="lease-follower")

    async def close(self) -> None:
        """Give the lease back. Everything is closed before. Safe to call twice."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await asyncio.to_thread(self._lease.close)

    async def _follow(self) -> None:
        while True:
            # A PostgreSQL that is away for all keeps nobody's devices; one that is away for this
            # server alone must not keep them from the others.
            left_s = self._lease.left_s
            if left_s <= 0.0 and not isinstance(self._lease.fault, StorageHeldError):
                self._send_away()  # again and again: some come back before a proxy has noticed
            try:
                async with asyncio.timeout(left_s if left_s > 0.0 else self._lease.lasts_s):
                    await self._news.wait()
            except TimeoutError:
                continue
            self._news.clear()
            await self._take_note()

    async def _take_note(self) -> None:
        times = self._lease.times_taken
        if isinstance(self._lease.fault, StorageHeldError) or times != self._times_taken:
            self._times_taken = times
            self._send_away()
            try:
                await self._give_up()
            except StorageError as error:
                log.warning("what was read from the database was not closed cleanly: %s", error)
            except Exception:
                log.exception("what was read from the database was not closed cleanly")
        self._look_again()
