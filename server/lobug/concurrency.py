"""Tasks: work that survives the cancellation of its caller, periodic work, and the pauses between
attempts."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

log = logging.getLogger(__name__)


def log_failure(task: asyncio.Future[Any]) -> None:
    """Log what a task has raised that nobody awaits; for ``add_done_callback``.

    asyncio itself tells only when the task is collected as garbage, perhaps never.
    """
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("a task in the background failed: %s", type(fault).__name__, exc_info=fault)


async def uninterrupted(work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work``, which is not left half done.

    A cancellation of the caller takes effect once ``work`` has ended; what ``work`` then raises is
    logged.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        log_failure(task)
        raise


PROBE_INTERVAL_S = 30.0
"""Seconds between two checks whether an engine on another server answers."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """The pauses between attempts at something that fails, doubled after each failure. Pure."""

    first_s: float
    """After the first failure, seconds."""
    longest_s: float = math.inf

    def pause_s(self, failures: int, *, chance: float = 0.0) -> float:
        """Seconds until the next attempt, after ``failures`` in a row; none counts as one.

        ``chance``, from 0 to 1, shortens the pause by up to a half: at random, where many fail
        together and must not come back together.
        """
        whole = min(self.first_s * 2.0 ** min(max(failures - 1, 0), 64), self.longest_s)
        return whole * (1.0 - chance / 2.0)


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
