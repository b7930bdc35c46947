"""The background worker: one task that does what is due, and sleeps until something is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from lobug.errors import LobugError

logger = logging.getLogger(__name__)

LONGEST_SLEEP_S = 300.0
"""The worker looks again after this time at the latest: the clock may have been put back."""

DELAY_AFTER_FAILURE_S = 5.0
"""Pause after a failure of the storage itself, seconds."""


class Worker:
    """Calls ``step`` while it returns True, then sleeps until ``wake`` or ``pause()`` seconds.

    ``pause`` returns how long nothing is due, seconds; None: until woken.
    """

    def __init__(
        self,
        step: Callable[[], Awaitable[bool]],
        pause: Callable[[], Awaitable[float | None]],
    ) -> None:
        self._step = step
        self._pause = pause
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work. Safe to call again."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="memory-worker")

    def wake(self) -> None:
        """There may be something to do."""
        self._woken.set()

    async def close(self) -> None:
        """Stop; a step under way is cancelled and done again at the next start."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            try:
                if await self._step():
                    continue
                pause = await self._pause()
            except LobugError as error:
                logger.warning("memory: background work failed: %s", error)
                pause = DELAY_AFTER_FAILURE_S
            except Exception:
                # Whatever it is, the next start must not be what it takes to remember again.
                logger.exception("memory: a fault in background work")
                pause = LONGEST_SLEEP_S
            timeout = LONGEST_SLEEP_S if pause is None else min(max(pause, 0.0), LONGEST_SLEEP_S)
            try:
                async with asyncio.timeout(timeout):
                    await self._woken.wait()
            except TimeoutError:
                continue
