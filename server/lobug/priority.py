"""Who may use the cores: turns first, background work while nobody talks or once it is overdue."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

T = TypeVar("T")


def at_once() -> float:
    """No quiet beyond the usual."""
    return 0.0


def unlimited() -> float:
    """Work that may be put off for ever."""
    return math.inf


def never() -> bool:
    """Work than which nothing ever becomes more urgent."""
    return False


class PreemptedError(Exception):
    """A turn arrived, or other work became more urgent; the background work was stopped, or not
    begun, and should be tried again."""


class Deferral:
    """For how long a piece of background work may still be put off while somebody talks.

    ``longest_s``: from when it is due until it is overdue, seconds. ``clock`` returns seconds since
    the epoch; ``due`` None: there is nothing to do until ``begin``."""

    def __init__(
        self, longest_s: float, clock: Callable[[], float], due: float | None = None
    ) -> None:
        self._longest_s = longest_s
        self._clock = clock
        self._due = due

    def begin(self) -> None:
        """There is something to do, since now if there was nothing before."""
        if self._due is None:
            self._due = self._clock()

    def end(self) -> None:
        """There is nothing more to do, or it cannot be done now."""
        self._due = None

    @property
    def deadline(self) -> float:
        """When it is overdue, by the clock; infinite: there is nothing to do."""
        return math.inf if self._due is None else self._due + self._longest_s

    def left(self) -> float:
        """Seconds until it is overdue; 0 or less: it is. Where the clock was put back it has the
        whole time again."""
        if self._due is None:
            return math.inf
        return self._longest_s - max(self._clock() - self._due, 0.0)


class TurnPriority:
    """Lets turns through at once and stops background work that is in their way.

    Background work runs as a task that is cancelled when a turn begins, so it must be safe to
    cancel at any await and to run again. Work that has been put off for as long as it may be is
    overdue: it begins although turns go on, and no turn cancels it. After overdue work the cores
    belong to the turns for as long as it took, before the next overdue work begins.

    ``clock`` returns seconds; it is only used for that rest.
    """

    def __init__(
        self,
        idle_delay_s: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._idle_delay_s = idle_delay_s
        self._sleep = sleep
        self._clock = clock
        self._turns = 0
        self._speaking = 0
        self._exclusive = 0
        """Turns under way beside which not even overdue work may run."""
        self._rest_until = -math.inf
        """When overdue work may begin again, by the clock."""
        self._begun = 0
        """How often a turn, or somebody's speech, has ever begun."""
        self._idle = asyncio.Event()
        self._idle.set()
        self._background: dict[asyncio.Task[object], Callable[[], float]] = {}
        """What runs, and how long each may still be put off, seconds."""
        self._waiting: set[asyncio.Event] = set()
        """Set when whoever waits for quiet has to see whether it is overdue by now."""

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
        """Hold the cores for a turn; background work is told to stop, and none starts, but for what
        is overdue."""
        self._turns += 1
        try:
            with self.speech():
                yield
        finally:
            self._turns -= 1

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        """A turn beside which no background work runs, not even if it is overdue: for changes after
        which nothing may be stored that was made from what was there before."""
        self._exclusive += 1
        try:
            for task, left_s in tuple(self._background.items()):
                if left_s() <= 0.0:  # the turn itself stops the others
                    task.cancel()
            async with self.turn():
                yield
        finally:
            self._exclusive -= 1
            self.look_again()

    @contextmanager
    def speech(self) -> Iterator[None]:
        """Keep the cores free while somebody speaks: their turn is about to come."""
        self._speaking += 1
        self._begun += 1
        self._idle.clear()
        self.look_again()
        try:
            for task, left_s in tuple(self._background.items()):
                if left_s() > 0.0:
                    task.cancel()
            yield
        finally:
            self._speaking -= 1
            if self._speaking == 0:
                self._idle.set()

    def look_again(self) -> None:
        """Have all work that waits for quiet see whether it is overdue or outdated by now."""
        for looking in self._waiting:
            looking.set()

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
        self,
        work: Callable[[], Awaitable[T]],
        quiet_s: Callable[[], float] = at_once,
        *,
        left_s: Callable[[], float] = unlimited,
        outdated: Callable[[], bool] = never,
    ) -> T:
        """Run ``work`` while nobody talks, and nobody has for ``quiet_s`` seconds (``wait_idle``),
        or although somebody does once it is overdue.

        ``left_s``: seconds for which it may still be put off; 0 or less: it is overdue.
        ``outdated``: whether something else has become more urgent while it waits for turns to end.
        Both are asked whenever a turn begins, when ``left_s`` seconds are over, and after
        ``look_again``.

        Raises PreemptedError when a turn stopped the work, or when it is outdated before it begins.
        """
        if left_s is unlimited and outdated is never:
            await self.wait_idle(quiet_s)
        else:
            await self._wait(quiet_s, left_s, outdated)

        async def run() -> T:
            return await work()

        began = self._clock()
        task = asyncio.ensure_future(run())
        self._background[task] = left_s
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
            del self._background[task]
            if left_s() <= 0.0:
                self._rest_until = 2.0 * self._clock() - began

    async def _wait(
        self,
        quiet_s: Callable[[], float],
        left_s: Callable[[], float],
        outdated: Callable[[], bool],
    ) -> None:
        """Return once it is quiet, or once the work is overdue and may run beside turns. Raises
        PreemptedError when it is outdated."""
        look = asyncio.Event()
        self._waiting.add(look)
        quiet = asyncio.ensure_future(self.wait_idle(quiet_s))
        try:
            while not quiet.done():
                look.clear()
                left = max(left_s(), self._rest_until - self._clock())
                if left <= 0.0 and not self._exclusive:
                    return
                # In quiet it begins within a moment; to choose anew each time would put it off.
                if self.busy and outdated():
                    raise PreemptedError
                looking = asyncio.ensure_future(look.wait())
                try:
                    await asyncio.wait(
                        {quiet, looking},
                        # The end of what excludes it makes it look again.
                        timeout=None if self._exclusive or left == math.inf else left,
                        return_when=asyncio.FIRST_COMPLETED,
                    )
                finally:
                    looking.cancel()
            await quiet
        finally:
            self._waiting.discard(look)
            quiet.cancel()
