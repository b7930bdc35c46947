"""Tasks: work that survives the cancellation of its caller, and periodic work."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work``, which is not left half done.

    A cancellation of the caller takes effect once ``work`` has ended; what ``work`` then raises is
    dropped.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


PROBE_INTERVAL_S = 30.0
"""Seconds between two checks whether an engine on another server answers."""


class Periodic:
    """Runs ``work`` every ``interval_s`` seconds between ``start`` and ``close``.

    Several engines can share one: it stops when the last user has closed it. ``work`` must not
    raise.
    """

    def __init__(self, work: Callable[[], Awaitable[object]], interval_s: float) -> None:
        self._work = work
        self._interval_s = interval_s
        self._users = 0
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin, one interval from now, unless it runs already. Counts a user."""
        self._users += 1
        if self._task is None:
            self._task = asyncio.ensure_future(self._run())

    async def close(self) -> None:
        """Stop, when it was called as often as ``start``."""
        self._users = max(0, self._users - 1)
        if self._users == 0 and self._task is not None:
            task, self._task = self._task, None
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(self._interval_s)
            await self._work()
