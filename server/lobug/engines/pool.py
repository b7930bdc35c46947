"""One engine that is made of several servers with the same model: the pool that asks them.
``places`` says which of them a request goes to, and when; ``model_pools`` and ``remote_speech`` are
the engines.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from lobug.concurrency import uninterrupted
from lobug.engines.base import SERVERS, WAITING, Engine, EngineStatus
from lobug.engines.model_server import without_password
from lobug.engines.places import Places, PoolLimits, Wish
from lobug.errors import ContextOverflowError, EngineError, EngineTimeoutError

log = logging.getLogger(__name__)

EngineT = TypeVar("EngineT", bound=Engine)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, eq=False)
class _Attempt(Generic[T]):
    """A request to one server."""

    place: int
    began: float
    """A reading of the pool's clock."""
    pieces: AsyncGenerator[T]
    first: asyncio.Task[list[T]]
    """Its first piece; empty: it ended without any."""


@dataclass(slots=True, eq=False)
class _Request(Generic[EngineT, T]):
    """A request to the pool, and what was done for it so far."""

    call: Callable[[EngineT], AsyncGenerator[T]]
    lane: str | None
    ends: float
    """A reading of the pool's clock."""
    wait_s: float
    only_well: bool
    tried: set[int] = field(default_factory=set)
    attempts: list[_Attempt[T]] = field(default_factory=list)
    """Under way."""
    faults: list[EngineError] = field(default_factory=list)
    refused: list[tuple[int, EngineError]] = field(default_factory=list)
    """Places of servers that answered that they cannot do it, with what they said."""
    is_late: bool = False
    """Whether no answer had begun after ``PoolLimits.hedge_s``."""

    @property
    def wish(self) -> Wish:
        return Wish(self.lane, self.tried, self.only_well)


class ReplicaPool(Generic[EngineT]):
    """Servers with the same model, each with an engine of its own."""

    def __init__(
        self,
        job: str,
        engines: Mapping[str, EngineT],
        limits: PoolLimits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``engines``: by address, at least one. ``job`` is what errors and log lines name."""
        self._job = job
        self._limits = limits
        self._clock = clock
        self._places = Places(job, engines, limits, clock)
        self._endings: set[asyncio.Task[None]] = set()
        """Requests that are being closed."""
        self.engines = tuple(engines.values())

    async def start(self) -> None:
        """Start each engine. Raises the first one's EngineError when all fail; those that failed
        find out by themselves when their server answers."""
        self._places.open()
        outcomes = await asyncio.gather(
            *(engine.start() for engine in self.engines), return_exceptions=True
        )
        for outcome in outcomes:
            if isinstance(outcome, BaseException) and not isinstance(outcome, EngineError):
                raise outcome
        faults = [outcome for outcome in outcomes if isinstance(outcome, EngineError)]
        if len(faults) == len(self.engines):
            raise faults[0].with_traceback(None)
        for fault in faults:
            log.warning("%s", fault)

    async def close(self) -> None:
        """Refuse the requests that wait, and close each engine, also when one cannot be closed."""
        self._places.close()
        outcomes = await asyncio.gather(
            *(engine.close() for engine in self.engines), return_exceptions=True
        )
        if self._endings:
            await asyncio.wait(self._endings)
        for outcome in outcomes:
            if outcome is not None:
                raise outcome

    @property
    def any_well(self) -> bool:
        """Whether a server is expected to answer."""
        return self._places.any_well

    def status(self) -> EngineStatus:
        """Ready while one server is; degraded, with a sentence that names them, while one is not as
        it should be."""
        statuses = [engine.status() for engine in self.engines]
        now = self._clock()
        servers, faults = [], []
        for state, status in zip(self._places.known(), statuses, strict=True):
            where = without_password(state.address)
            reason = status.reason
            if reason is None and not state.is_well(now):
                reason = f"{where} has failed its last request: {state.fault}."
            if reason is not None:
                faults.append(reason if where in reason else f"{where}: {reason}")
            servers.append(
                {
                    "server": where,
                    "ready": state.is_well(now),
                    "reason": reason,
                    "under_way": state.under_way,
                }
            )
        well = sum(bool(server["ready"]) for server in servers)
        opening = f"{well} of {len(servers)} servers can be used. "
        return replace(
            statuses[0],
            ready=any(status.ready for status in statuses),
            degraded=bool(faults),
            reason=opening + " ".join(faults) if faults else None,
            details={SERVERS: servers, WAITING: self._places.waiting},
        )

    def first_choice(self, lane: str | None) -> EngineT:
        """The engine that a request of ``lane`` would ask first if all had a place."""
        return self.engines[self._places.first_choice(lane)]

    async def result(
        self,
        call: Callable[[EngineT], Awaitable[T]],
        lane: str | None = None,
        *,
        only_well: bool = False,
    ) -> T:
        """Return what the first engine returns that answers ``call``; see ``pieces``."""

        async def once(engine: EngineT) -> AsyncGenerator[T]:
            yield await call(engine)

        async with aclosing(self.pieces(once, lane, only_well=only_well)) as found:
            async for one in found:
                return one
        raise AssertionError("unreachable")

    async def pieces(
        self,
        call: Callable[[EngineT], AsyncGenerator[T]],
        lane: str | None = None,
        *,
        until: float | None = None,
        wait_s: float | None = None,
        only_well: bool = False,
    ) -> AsyncGenerator[T]:
        """Yield what the first engine yields that answers ``call``.

        Requests of one ``lane`` ask the same server as long as it is well and has a place; without
        a lane the least busy one is asked. An engine that fails before its first piece is replaced
        by the next; after it the error is raised, so that nobody hears words twice. Raises
        EngineBusyError when too many wait for a place already or the wait takes too long,
        ContextOverflowError at once, and what the first engine raised when all failed or it is too
        late to ask another.

        Args:
            call: asks one engine.
            lane: of the request; None: it has none.
            until: reading of the clock from which on no further engine is asked, and until which
                the request may wait for a place; None: as of ``PoolLimits.whole_s``.
            wait_s: longest wait for a place, seconds; None: as of ``PoolLimits.wait_s``.
            only_well: servers that are not well are not asked, because something else can do it.
                Raises EngineUnavailableError when none is well any more.
        """
        ends = self._clock() + self._limits.whole_s if until is None else until
        wait_s = self._limits.wait_s if wait_s is None else min(wait_s, self._limits.wait_s)
        request = _Request(call, lane, ends, wait_s, only_well)
        try:
            answer, first = await self._first(request)
            failed = False
            try:
                for piece in first:
                    yield piece
                async for piece in answer.pieces:
                    yield piece
            except Exception as error:
                failed = True
                if isinstance(error, EngineError):
                    self._blame(answer, error, ends)
                raise
            finally:
                if not failed:
                    self._places.answered(answer.place)
        finally:
            if request.attempts:
                await uninterrupted(self._end(request, list(request.attempts)))

    async def _first(self, request: _Request[EngineT, T]) -> tuple[_Attempt[T], list[T]]:
        """Return the attempt that was answered first and its first piece. The other one, if there
        is one, is closed in the background: nobody waits for that."""
        while True:
            await self._ask_on(request)
            hedges = self._limits.hedge_s > 0.0 and not request.is_late
            done, _ = await asyncio.wait(
                [attempt.first for attempt in request.attempts],
                timeout=self._limits.hedge_s if hedges else None,
                return_when=asyncio.FIRST_COMPLETED,
            )
            request.is_late = request.is_late or not done
            for attempt in [one for one in request.attempts if one.first in done]:
                try:
                    first = attempt.first.result()
                except ContextOverflowError:
                    raise  # the others have the same window
                except EngineError as failure:
                    await uninterrupted(self._end(request, [attempt]))
                    self._note(request, attempt, failure)
                else:
                    for place, refusal in request.refused:  # another one could do it
                        self._places.failed(place, refusal)
                    beaten = [one for one in request.attempts if one is not attempt]
                    if beaten:
                        ending = asyncio.ensure_future(self._end(request, beaten))
                        self._endings.add(ending)
                        ending.add_done_callback(self._endings.discard)
                    return attempt, first

    async def _ask_on(self, request: _Request[EngineT, T]) -> None:
        """Ask a server when none is being asked, and one more while an answer is late."""
        if not request.attempts:
            left_s = max(request.ends - self._clock(), 0.0)
            if request.faults and (not left_s or len(request.tried) == len(self.engines)):
                raise request.faults[0]
            wait_s = min(request.wait_s, left_s)
            self._begin(request, await self._places.take(request.wish, wait_s))
        elif request.is_late and len(request.attempts) == 1:
            place = self._places.take_now(request.wish)
            if place is not None:
                self._begin(request, place)

    def _begin(self, request: _Request[EngineT, T], place: int) -> None:
        """Ask the server whose place was taken."""
        try:
            pieces = request.call(self.engines[place])
        except BaseException:
            self._places.give_back([place])
            raise
        first = asyncio.ensure_future(_first_of(pieces))
        request.attempts.append(_Attempt(place, self._clock(), pieces, first))
        request.tried.add(place)

    def _end(
        self, request: _Request[EngineT, T], ended: Sequence[_Attempt[T]]
    ) -> Coroutine[None, None, None]:
        """Take some of a request's attempts out, and return what stops them and gives their places
        back, which must not be interrupted."""
        request.attempts[:] = [one for one in request.attempts if one not in ended]
        return self._stop(ended)

    async def _stop(self, ended: Sequence[_Attempt[T]]) -> None:
        try:
            for attempt in ended:
                attempt.first.cancel()
            await asyncio.wait([attempt.first for attempt in ended])
            for attempt in ended:
                if not attempt.first.cancelled():
                    attempt.first.exception()  # read, so that asyncio does not log it
                with suppress(EngineError):
                    await attempt.pieces.aclose()
        finally:
            self._places.give_back([attempt.place for attempt in ended])

    def _note(
        self, request: _Request[EngineT, T], attempt: _Attempt[T], failure: EngineError
    ) -> None:
        """Note that a server failed before its first piece."""
        request.faults.append(failure)
        # The base class itself stands for an answer that says no, which may be the request's own
        # fault; its subclasses for none.
        if type(failure) is EngineError:
            request.refused.append((attempt.place, failure))
        else:
            self._blame(attempt, failure, request.ends)

    def _blame(self, attempt: _Attempt[T], error: EngineError, ends: float) -> None:
        """Note a failure, unless the server just had what others, or the wait for its place, had
        left of the time."""
        now = self._clock()
        had_time = now < ends or now - attempt.began >= self._limits.fair_s
        if had_time or not isinstance(error, EngineTimeoutError):
            self._places.failed(attempt.place, error)


async def _first_of(pieces: AsyncGenerator[T]) -> list[T]:
    async for piece in pieces:
        return [piece]
    return []
