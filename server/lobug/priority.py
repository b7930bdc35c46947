"""Shares the cores: turns come first, background work runs while nobody talks or when overdue."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeVar

T = TypeVar("T")


def at_once() -> float:
    """No quiet time beyond ``idle_delay_s``, seconds."""
    return 0.0


def unlimited() -> float:
    """Seconds that work may be deferred: without limit."""
    return math.inf


def never() -> bool:
    """Work that is never outdated."""
    return False


class PreemptedError(Exception):
    """The background work was cancelled or not begun, because a turn arrived or other work became
    more urgent. Try it again."""


class Deferral:
    """How long a piece of background work may still be deferred while somebody talks."""

    def __init__(
        self, longest_s: float, clock: Callable[[], float], due: float | None = None
    ) -> None:
        """``longest_s``: seconds from due to overdue. ``clock``: seconds since the epoch. ``due``:
        when the work became due; None: there is no work until ``begin``."""
        self._longest_s = longest_s
        self._clock = clock
        self._due = due

    def begin(self) -> None:
        """Note that there is work. It is due from now on unless it was due before."""
        if self._due is None:
            self._due = self._clock()

    def end(self) -> None:
        """Note that there is no more work, or that it cannot be done now."""
        self._due = None

    @property
    def deadline(self) -> float:
        """When the work is overdue, by the clock; infinite: there is none."""
        return math.inf if self._due is None else self._due + self._longest_s

    def left(self) -> float:
        """Seconds until the work is overdue, 0 or less when it is. After the clock was set back it
        has the whole time again."""
        if self._due is None:
            return math.inf
        return self._longest_s - max(self._clock() - self._due, 0.0)


class TurnPriority:
    """Lets turns begin at once and cancels background work that would slow them down.

    Background work runs as a task that is cancelled when a turn begins, so it must be safe to
    cancel at any await and to run again. Work that was deferred for as long as allowed is overdue:
    it begins while turns run, and no turn cancels it. After overdue work the cores belong to the
    turns for as long as that work took, before the next overdue work begins.
    """

    def __init__(
        self,
        idle_delay_s: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``idle_delay_s``: seconds without turns before background work begins. ``clock``:
        seconds; used only for the rest after overdue work."""
        self._idle_delay_s = idle_delay_s
        self._sleep = sleep
        self._clock = clock
        self._turns = 0
        self._speaking = 0
        self._exclusive = 0
        """Number of running turns that exclude even overdue work."""
        self._rest_until = -math.inf
        """When overdue work may begin again, by the clock."""
        self._begun = 0
        """Number of turns and utterances that have begun so far."""
        self._idle = asyncio.Event()
        self._idle.set()
        self._background: dict[asyncio.Task[object], Callable[[], float]] = {}
        """The running work, and how many seconds each may still be deferred."""
        self._waiting: set[asyncio.Event] = set()
        """Set to make waiting work check again whether it is overdue or outdated."""

    @property
    def turns(self) -> int:
        """Number of running turns."""
        return self._turns

    @property
    def busy(self) -> bool:
        """Whether a turn runs or somebody speaks. May be read in any thread."""
        return not self._idle.is_set()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold the cores for a turn: background work is cancelled and none begins, unless it is
        overdue."""
        self._turns += 1
        try:
            with self.speech():
                yield
        finally:
            self._turns -= 1

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        """Hold the cores for a turn beside which no background work runs, not even overdue work:
        for changes after which nothing derived from the former state may be stored."""
        self._exclusive += 1
        try:
            for task, left_s in tuple(self._background.items()):
                if left_s() <= 0.0:  # the turn itself cancels the others
                    task.cancel()
            async with self.turn():
                yield
        finally:
            self._exclusive -= 1
            self.look_again()

    @contextmanager
    def speech(self) -> Iterator[None]:
        """Keep the cores free while somebody speaks, because a turn is about to follow."""
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
        """Let all waiting work check again whether it is overdue or outdated."""
        for looking in self._waiting:
            looking.set()

    async def wait_idle(self, quiet_s: Callable[[], float] = at_once) -> None:
        """Return once no turn has run for ``idle_delay_s`` seconds, or ``quiet_s`` if that is more;
        ``quiet_s`` is called again after each turn."""
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
        """Run ``work`` once nobody has talked for a while, or when it is overdue.

        Args:
            work: what to run.
            quiet_s: seconds of quiet before it begins (``wait_idle``).
            left_s: seconds for which it may still be deferred; 0 or less: it is overdue.
            outdated: whether other work has become more urgent while this waits for turns to end.
                This and ``left_s`` are called whenever a turn begins, when ``left_s`` seconds have
                passed, and after ``look_again``.

        Raises PreemptedError when a turn cancelled the work, or when it is outdated before it
        begins.
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
        """Return once it is quiet, or the work is overdue and may run beside turns. Raises
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
                # When it is quiet it begins within a moment; choosing again would delay it.
                if self.busy and outdated():
                    raise PreemptedError
                looking = asyncio.ensure_future(look.wait())
                try:
                    await asyncio.wait(
                        {quiet, looking},
                        # The end of an exclusive turn calls ``look_again``.
                        timeout=None if self._exclusive or left == math.inf else left,
                        return_when=asyncio.FIRST_COMPLETED,
                    )
                finally:
                    looking.cancel()
            await quiet
        finally:
            self._waiting.discard(look)
            quiet.cancel()
