"""Who may use the cores: turns first, background work only while nobody talks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

T = TypeVar("T")


def at_once() -> float:
    """No quiet beyond the usual."""
    return 0.0


class PreemptedError(Exception):
    """A turn arrived; the background work was stopped and should be tried again."""


class TurnPriority:
    """Lets turns through at once and stops background work that is in their way.

    Background work runs as a task that is cancelled when a turn begins, so it must be safe to
    cancel at any await and to run again.
    """

    def __init__(
        self,
        idle_delay_s: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._idle_delay_s = idle_delay_s
        self._sleep = sleep
        self._turns = 0
        self._speaking = 0
        self._begun = 0
        """How often a turn, or somebody's speech, has ever begun."""
        self._idle = asyncio.Event()
        self._idle.set()
        self._background: set[asyncio.Task[object]] = set()

    @property
    def turns(self) -> int:
        """Turns under way."""
        return self._turns

    @property
    def busy(self) -> bool:
        """Whether a turn is under way or somebody speaks. May be asked in any thread."""
        return not self._idle.is_set()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold the cores for a turn; background work is told to stop, and none starts."""
        self._turns += 1
        try:
            with self.speech():
                yield
        finally:
            self._turns -= 1

    @contextmanager
    def speech(self) -> Iterator[None]:
        """Keep the cores free while somebody speaks: their turn is about to come."""
        self._speaking += 1
        self._begun += 1
        self._idle.clear()
        try:
            for task in tuple(self._background):
                task.cancel()
            yield
        finally:
            self._speaking -= 1
            if self._speaking == 0:
                self._idle.set()

    async def wait_idle(self, quiet_s: Callable[[], float] = at_once) -> None:
        """Return once no turn has been under way for ``idle_delay_s`` seconds, and ``quiet_s``,
        which is asked anew after each turn."""
        while True:
            await self._idle.wait()
            begun = self._begun
            await self._sleep(max(self._idle_delay_s, quiet_s()))
            if self._begun == begun:
                return

    async def background(
        self, work: Callable[[], Awaitable[T]], quiet_s: Callable[[], float] = at_once
    ) -> T:
        """Run ``work`` while nobody talks, and nobody has for ``quiet_s`` seconds (``wait_idle``).
        Raises PreemptedError when a turn stopped it."""
        await self.wait_idle(quiet_s)

        async def run() -> T:
            return await work()

        task = asyncio.ensure_future(run())
        self._background.add(task)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if not task.done():
                task.cancel()
            await asyncio.wait([task])
            if current is not None and current.cancelling():
                raise
            raise PreemptedError from None
        finally:
            self._background.discard(task)
