"""Whether an engine on another machine is to be asked: the decision, and the watch that keeps it up
to date.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from lobug.concurrency import Backoff
from lobug.errors import EngineError, EngineTimeoutError, EngineUnavailableError

log = logging.getLogger(__name__)

FIRST_PAUSE_S = 2.0
"""Seconds from the first failure to the next probe of the server."""

REFUSALS = 3
"""Requests that a server refuses in a row before it is left alone. One may be the request's own
fault: a voice refuses what it cannot speak."""

LONGEST_LEAVE = 10.0
"""How long a server is left alone that answers probes and fails requests, at most: as a multiple of
the time between two probes."""


@dataclass(frozen=True, slots=True)
class Availability:
    """What is known of a server. Pure: each method returns the next state; ``now`` is a reading of
    a clock, seconds.

    One failure is enough to leave the server alone, because each costs a person a time-out. It is
    asked again once it has answered a probe. A server that answers probes and fails requests
    is probed ever more rarely: only a request that succeeds ends the doubling. One probe that takes
    too long is no failure: Piper answers nobody while it computes.
    """

    check_every_s: float
    """Time between two probes of a server that works; longest time until the next probe of one that
    does not answer."""
    error: EngineError | None = None
    """Why it is left alone; None: it is asked."""
    refusal: EngineError | None = None
    """What the last request was refused with; None: it was not."""
    refused_count: int = 0
    """Requests refused in a row."""
    failed_requests: int = 0
    """Since the last that succeeded."""
    failed_probes: int = 0
    """Since the last that succeeded."""
    probe_at: float = 0.0
    """When to probe next."""

    def answered(self, now: float) -> Availability:
        """A request succeeded."""
        return Availability(self.check_every_s, probe_at=now + self.check_every_s)

    def refused(self, error: EngineError, now: float) -> Availability:
        """The server answered a request, and said that it cannot do it."""
        count = self.refused_count + 1
        state = replace(self, refusal=error, refused_count=count)
        return state.failed(error, now) if count >= REFUSALS else state

    def failed(self, error: EngineError, now: float) -> Availability:
        """A request failed."""
        failures = self.failed_requests + 1
        backoff = Backoff(FIRST_PAUSE_S, LONGEST_LEAVE * self.check_every_s)
        return replace(
            self,
            error=error,
            refused_count=0,
            failed_requests=failures,
            probe_at=now + backoff.pause_s(failures),
        )

    def probed(self, now: float) -> Availability:
        """It answered a probe."""
        return replace(self, error=None, failed_probes=0, probe_at=now + self.check_every_s)

    def probe_failed(self, error: EngineError, now: float) -> Availability:
        """It did not answer a probe."""
        failures = self.failed_probes + 1
        backoff = Backoff(FIRST_PAUSE_S, self.check_every_s)
        works = self.error is None and not self.failed_probes
        busy = works and isinstance(error, EngineTimeoutError)
        return replace(
            self,
            error=None if busy else error,
            failed_probes=failures,
            probe_at=now + backoff.pause_s(failures),
        )

    def busy(self, now: float) -> Availability:
        """A probe was due while a request is under way, which says more."""
        return replace(self, probe_at=now + self.check_every_s)


class ServerWatch:
    """Probes a server when it is due. Logs once that it has stopped working, and once that it
    works again."""

    def __init__(
        self,
        engine: str,
        probe: Callable[[], Awaitable[None]],
        *,
        where: str,
        check_every_s: float,
        busy: Callable[[], bool] = lambda: False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``probe`` raises EngineError when the server does not answer as it should.

        Args:
            engine: the job that errors and log lines name.
            where: the server, for a sentence.
            busy: whether a request is under way.
        """
        self._engine = engine
        self._where = where
        self._probe = probe
        self._busy = busy
        self._clock = clock
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.state = Availability(check_every_s, EngineUnavailableError(engine, "is not started"))

    async def start(self) -> EngineError | None:
        """Probe once, then in the background. Returns what the first probe found, which is not
        logged. Safe to call again."""
        await self._probe_now(quietly=True)
        if self._task is None:
            self._task = asyncio.ensure_future(self._run())
        return self.state.error

    async def close(self) -> None:
        """Stop probing. Safe to call twice."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def answered(self) -> None:
        """Note that a request succeeded."""
        self._become(self.state.answered(self._clock()))

    def failed(self, error: EngineError) -> None:
        """Note that a request failed."""
        # The base class itself stands for an answer that says no; its subclasses for none.
        fate = self.state.refused if type(error) is EngineError else self.state.failed
        self._become(fate(error, self._clock()))

    def look_again(self) -> None:
        """Probe at once, and forget what failed: what is asked of the server is not the same any
        more."""
        self._become(Availability(self.state.check_every_s, self.state.error), quietly=True)

    async def _run(self) -> None:
        while True:
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(max(0.0, self.state.probe_at - self._clock())):
                    await self._changed.wait()
            now = self._clock()
            if self.state.probe_at > now:
                continue
            if self._busy():
                self._become(self.state.busy(now))
            else:
                await self._probe_now()

    async def _probe_now(self, *, quietly: bool = False) -> None:
        try:
            await self._probe()
        except EngineError as error:
            state = self.state.probe_failed(error, self._clock())
        else:
            state = self.state.probed(self._clock())
        self._become(state, quietly=quietly)

    def _become(self, state: Availability, *, quietly: bool = False) -> None:
        before, self.state = self.state, state
        self._changed.set()
        if quietly:
            return
        if state.error is not None and before.error is None:
            log.warning("%s", state.error)
        elif state.error is None and before.error is not None:
            log.info("%s: %s answers again", self._engine, self._where)
