"""One engine that is made of several servers with the same model: the pool that asks them, and the
chat model and embedder on it. ``replicas`` decides whom it asks.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from lobug.concurrency import uninterrupted
from lobug.engines.base import (
    BACKGROUND_LANE,
    EMBEDDINGS,
    SERVERS,
    ChatMessage,
    ChatModel,
    ChatOptions,
    Embedder,
    Engine,
    EngineStatus,
    Vectors,
)
from lobug.engines.model_server import without_password
from lobug.engines.replicas import Replica, free, preferred
from lobug.errors import (
    ContextOverflowError,
    EngineBusyError,
    EngineError,
    EngineTimeoutError,
)
from lobug.settings import ChatSettings

log = logging.getLogger(__name__)

EngineT = TypeVar("EngineT", bound=Engine)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """How much a pool asks of its servers."""

    max_requests: int | None = None
    """Requests that one server works on at a time; None: any number."""
    max_waiting: int = 0
    """Requests that may wait for a place, for each server."""
    wait_s: float = 30.0
    """Longest wait for a place, seconds."""
    hedge_s: float = 0.0
    """A second server is asked when the first has not begun its answer after this long, seconds;
    0: never."""
    whole_s: float = 60.0
    """How long after the beginning of a request further servers are asked, seconds."""


@dataclass(frozen=True, slots=True, eq=False)
class _Attempt(Generic[T]):
    """A request to one server."""

    place: int
    is_first: bool
    """Whether the request went to this server before any other, so that it had the whole time."""
    pieces: AsyncGenerator[T]
    first: asyncio.Task[list[T]]
    """Its first piece; empty: it ended without any."""


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
        self._states = [Replica(address) for address in engines]
        self._waiting = 0
        self._freed = asyncio.Event()
        """Set, and replaced by another one, when a request has ended."""
        self.engines = tuple(engines.values())

    async def start(self) -> None:
        """Start each engine. Raises the first one's EngineError when all fail; those that failed
        find out by themselves when their server answers."""
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
        """Close each engine."""
        await asyncio.gather(*(engine.close() for engine in self.engines))

    @property
    def any_well(self) -> bool:
        """Whether a server is expected to answer."""
        now = self._clock()
        return any(state.is_well(now) for state in self._known())

    def status(self) -> EngineStatus:
        """Ready while one server is; degraded, with a sentence that names them, while one is not as
        it should be."""
        statuses = [engine.status() for engine in self.engines]
        now = self._clock()
        servers, faults = [], []
        for state, status in zip(self._known(), statuses, strict=True):
            where = without_password(state.address)
            reason = status.reason
            if reason is None and not state.is_well(now):
                reason = f"{self._job}: {where} has failed its last request."
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
            details={SERVERS: servers},
        )

    def first_choice(self, lane: str | None) -> EngineT:
        """The engine that a request of ``lane`` would ask first if all had a place."""
        return self.engines[preferred(self._known(), lane, self._clock())[0]]

    async def result(self, call: Callable[[EngineT], Awaitable[T]], lane: str | None = None) -> T:
        """Return what the first engine returns that answers ``call``; see ``pieces``."""

        async def once(engine: EngineT) -> AsyncGenerator[T]:
            yield await call(engine)

        async with aclosing(self.pieces(once, lane)) as found:
            async for one in found:
                return one
        raise AssertionError("unreachable")

    async def pieces(
        self,
        call: Callable[[EngineT], AsyncGenerator[T]],
        lane: str | None = None,
        *,
        until: float | None = None,
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
            until: reading of the clock from which on no further engine is asked; None: as of
                ``PoolLimits.whole_s``.
        """
        attempts: list[_Attempt[T]] = []
        ends = self._clock() + self._limits.whole_s if until is None else until
        try:
            answer, first = await self._first(call, lane, ends, attempts)
            failed = False
            try:
                for piece in first:
                    yield piece
                async for piece in answer.pieces:
                    yield piece
            except EngineError as error:
                failed = True
                self._blame(answer, error, ends)
                raise
            finally:
                if not failed:
                    self._answered(answer.place)
        finally:
            await self._end(attempts, list(attempts))

    async def _first(
        self,
        call: Callable[[EngineT], AsyncGenerator[T]],
        lane: str | None,
        ends: float,
        attempts: list[_Attempt[T]],
    ) -> tuple[_Attempt[T], list[T]]:
        """Return the request that was answered first and its first piece. Those under way stand in
        ``attempts``; when this returns only that one does."""
        tried: set[int] = set()
        refused: list[tuple[int, EngineError]] = []
        hedge_s = self._limits.hedge_s
        faults: list[EngineError] = []
        while True:
            if not attempts:
                late = self._clock() >= ends
                if faults and (late or len(tried) == len(self.engines)):
                    raise faults[0]
                self._begin(await self._place(lane, tried), call, attempts, tried)
            hedges = hedge_s > 0.0 and len(attempts) == 1
            done, _ = await asyncio.wait(
                [attempt.first for attempt in attempts],
                timeout=hedge_s if hedges else None,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if not done:
                hedge_s = 0.0  # once for each request
                second = self._well_place(lane, tried)
                if second is not None:
                    self._begin(second, call, attempts, tried)
                continue
            for attempt in [one for one in attempts if one.first in done]:
                try:
                    first = attempt.first.result()
                except ContextOverflowError:
                    raise  # the others have the same window
                except EngineError as failure:
                    faults.append(failure)
                    await self._end(attempts, [attempt])
                    # The base class itself stands for an answer that says no, which may be the
                    # request's own fault; its subclasses for none.
                    if type(failure) is EngineError:
                        refused.append((attempt.place, failure))
                    else:
                        self._blame(attempt, failure, ends)
                else:
                    for place, refusal in refused:  # another one could do it
                        self._failed(place, refusal)
                    await self._end(attempts, [one for one in attempts if one is not attempt])
                    return attempt, first

    def _begin(
        self,
        place: int,
        call: Callable[[EngineT], AsyncGenerator[T]],
        attempts: list[_Attempt[T]],
        tried: set[int],
    ) -> None:
        pieces = call(self.engines[place])
        first = asyncio.ensure_future(_first_of(pieces))
        self._change(place, +1)
        attempts.append(_Attempt(place, not tried, pieces, first))
        tried.add(place)

    async def _end(self, attempts: list[_Attempt[T]], ended: Sequence[_Attempt[T]]) -> None:
        """Stop some of ``attempts``, take them out and give their places back."""
        if not ended:
            return
        attempts[:] = [one for one in attempts if one not in ended]
        try:
            await uninterrupted(_stop(ended))
        finally:
            for attempt in ended:
                self._change(attempt.place, -1)
            self._freed.set()
            self._freed = asyncio.Event()

    async def _place(self, lane: str | None, tried: Collection[int]) -> int:
        """Wait for a server that was not tried and has a place. Raises EngineBusyError."""
        found = self._free(lane, tried)
        if found:
            return found[0]
        if self._waiting >= self._limits.max_waiting * len(self.engines):
            raise EngineBusyError(self._job, f"{self._waiting} requests wait already")
        self._waiting += 1
        try:
            async with asyncio.timeout(self._limits.wait_s):
                while not found:
                    await self._freed.wait()
                    found = self._free(lane, tried)
        except TimeoutError:
            why = f"all servers are busy for longer than {self._limits.wait_s:g} s"
            raise EngineBusyError(self._job, why) from None
        finally:
            self._waiting -= 1
        return found[0]

    def _free(self, lane: str | None, tried: Collection[int]) -> list[int]:
        places = free(self._known(), lane, self._clock(), self._limits.max_requests)
        return [place for place in places if place not in tried]

    def _well_place(self, lane: str | None, tried: Collection[int]) -> int | None:
        """A server that can be asked beside another one now; None: there is none."""
        now = self._clock()
        states = self._known()
        return next((one for one in self._free(lane, tried) if states[one].is_well(now)), None)

    def _known(self) -> list[Replica]:
        """The states, with what the engines' own probes have found."""
        return [
            replace(state, ready=engine.status().ready)
            for state, engine in zip(self._states, self.engines, strict=True)
        ]

    def _change(self, place: int, by: int) -> None:
        state = self._states[place]
        self._states[place] = replace(state, under_way=state.under_way + by)

    def _blame(self, attempt: _Attempt[T], error: EngineError, ends: float) -> None:
        """Note a failure, unless the server just had what others had left of the time."""
        in_time = self._clock() < ends
        if attempt.is_first or in_time or not isinstance(error, EngineTimeoutError):
            self._failed(attempt.place, error)

    def _failed(self, place: int, error: EngineError) -> None:
        before = self._states[place]
        self._states[place] = before.failed(self._clock())
        if not before.failures:
            where = without_password(before.address)
            log.warning("%s (%s); the other servers are asked first", error, where)

    def _answered(self, place: int) -> None:
        before = self._states[place]
        self._states[place] = before.answered()
        if before.failures:
            where = without_password(before.address)
            log.info("%s: %s answers again", self._job, where)


async def _first_of(pieces: AsyncGenerator[T]) -> list[T]:
    async for piece in pieces:
        return [piece]
    return []


async def _stop(attempts: Sequence[_Attempt[T]]) -> None:
    for attempt in attempts:
        attempt.first.cancel()
    await asyncio.wait([attempt.first for attempt in attempts])
    for attempt in attempts:
        if not attempt.first.cancelled():
            attempt.first.exception()  # read, so that asyncio does not log it
        with suppress(EngineError):
            await attempt.pieces.aclose()


class ChatPool:
    """``ChatModel`` on several servers. A conversation stays with one of them as long as it can, so
    that the server's prefix cache knows it; background work goes to the least busy one."""

    def __init__(
        self,
        engines: Mapping[str, ChatModel],
        settings: ChatSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        limits = PoolLimits(
            max_requests=settings.max_requests,
            max_waiting=settings.max_waiting,
            wait_s=settings.first_token_timeout_s,
            hedge_s=settings.hedge_s,
        )
        self._timeout_s = settings.timeout_s
        self._clock = clock
        self._pool = ReplicaPool("chat", engines, limits, clock)

    @property
    def context_tokens(self) -> int:
        """The smallest window of all."""
        return min(engine.context_tokens for engine in self._pool.engines)

    @property
    def prefill_ms_per_token(self) -> float | None:
        """Of the slowest server that was measured."""
        measured = [engine.prefill_ms_per_token for engine in self._pool.engines]
        return max((one for one in measured if one is not None), default=None)

    async def start(self) -> None:
        """Start all. Raises EngineError when none can be used."""
        await self._pool.start()

    async def close(self) -> None:
        await self._pool.close()

    def status(self) -> EngineStatus:
        return self._pool.status()

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """Yield the reply in pieces; see ``ChatModel.stream``. ``options.timeout_s`` holds for all
        servers that are asked together. Raises EngineBusyError too."""
        ends = self._clock() + (options.timeout_s or self._timeout_s)

        def ask(engine: ChatModel) -> AsyncGenerator[str]:
            left_s = max(ends - self._clock(), _LEAST_S)
            return engine.stream(messages, replace(options, timeout_s=left_s))

        async with aclosing(self._pool.pieces(ask, _lane(options.lane), until=ends)) as pieces:
            async for piece in pieces:
                yield piece

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        """Let the server that the lane prefers compute a prompt in advance."""
        await self._pool.first_choice(_lane(lane)).prefill(messages, lane)

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Drop the lanes' prompts everywhere: a lane may have been with any of the servers."""
        for engine in self._pool.engines:
            engine.forget(belongs)


_LEAST_S = 0.001
"""A time-out must be longer than nothing, seconds."""


def _lane(lane: str) -> str | None:
    """The lane that is kept with one server; None: any server will do."""
    return None if lane == BACKGROUND_LANE else lane


class EmbedderPool:
    """``Embedder`` on several servers, which must have the same model."""

    def __init__(self, engines: Mapping[str, Embedder]) -> None:
        self._pool = ReplicaPool(EMBEDDINGS, engines, PoolLimits())
        self._dimension: int | None = None

    @property
    def model_id(self) -> str:
        return self._pool.engines[0].model_id

    @property
    def dimension(self) -> int:
        return self._dimension or self._pool.first_choice(None).dimension

    async def start(self) -> None:
        """Start all. Raises EngineError when none can be used."""
        await self._pool.start()

    async def close(self) -> None:
        await self._pool.close()

    def status(self) -> EngineStatus:
        return self._pool.status()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text. Raises EngineError, also when one server's vectors have another
        dimension than the others'."""

        async def ask(engine: Embedder) -> Vectors:
            vectors = await engine.embed(texts)
            found = vectors.shape[1]
            if texts and self._dimension not in {None, found}:
                raise EngineError(
                    EMBEDDINGS, f"{found} dimensions instead of {self._dimension}: another model"
                )
            return vectors

        vectors = await self._pool.result(ask)
        if texts:
            self._dimension = vectors.shape[1]
        return vectors
