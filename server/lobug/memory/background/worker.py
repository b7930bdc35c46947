"""The asyncio task that runs background work and sleeps while there is none."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable

from lobug.errors import LobugError

logger = logging.getLogger(__name__)

LONGEST_SLEEP_S = 300.0
"""Longest sleep, seconds: the clock may have been set back."""

DELAY_AFTER_FAILURE_S = 5.0
"""Pause after a failure of the storage itself, seconds."""


class Worker:
    """Calls ``step`` while it returns True, then sleeps until ``wake`` or for ``pause()`` seconds.

    ``pause`` returns the time until something is due, seconds; None: until woken.
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
        """Start the task. Safe to call again."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="memory-worker")

    def wake(self) -> None:
        """End the sleep: there may be something to do."""
        self._woken.set()

    async def close(self) -> None:
        """Stop; a step under way is cancelled and run again at the next start."""
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
                # The worker must survive any fault without a restart.
                logger.exception("memory: a fault in background work")
                pause = LONGEST_SLEEP_S
            timeout = LONGEST_SLEEP_S if pause is None else min(max(pause, 0.0), LONGEST_SLEEP_S)
            try:
                async with asyncio.timeout(timeout):
                    await self._woken.wait()
            except TimeoutError:
                continue
