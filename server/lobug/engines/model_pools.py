"""Chat model and embedder on several servers with the same model."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace

import numpy as np

from lobug.engines.base import (
    BACKGROUND_LANE,
    EMBEDDINGS,
    ChatMessage,
    ChatModel,
    ChatOptions,
    Embedder,
    EngineStatus,
    Vectors,
    stacked,
)
from lobug.engines.places import PoolLimits
from lobug.engines.pool import ReplicaPool
from lobug.errors import EngineError
from lobug.settings import ChatSettings


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
            whole_s=settings.timeout_s,
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
        servers that are asked together and for the wait for a place. Raises EngineBusyError
        too."""
        ends = self._clock() + (options.timeout_s or self._timeout_s)

        def ask(engine: ChatModel) -> AsyncGenerator[str]:
            left_s = max(ends - self._clock(), _LEAST_S)
            return engine.stream(messages, replace(options, timeout_s=left_s))

        asked = self._pool.pieces(
            ask, _lane(options.lane), until=ends, wait_s=options.first_token_timeout_s
        )
        async with aclosing(asked) as pieces:
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


_SAMPLE = "Which vector belongs to this sentence?"
"""Embedded by each server, to compare their models."""

_SAME_MODEL = 0.9
"""Least cosine of two servers' vectors of one text. Another card or another quantization of the
same model changes a vector by a few hundredths; the vectors of two models have little to do with
each other."""


class EmbedderPool:
    """``Embedder`` on several servers, which must have the same model: vectors of another model
    would spoil what is remembered, and nobody would notice."""

    def __init__(self, engines: Mapping[str, Embedder]) -> None:
        self._pool = ReplicaPool(EMBEDDINGS, engines, PoolLimits())
        self._sample: Vectors | None = None
        """The vector of ``_SAMPLE``, by the first server that answered."""
        self._same: set[int] = set()
        """``id`` of the engines whose vector of it is like that, and that have not failed since."""

    @property
    def model_id(self) -> str:
        return self._pool.engines[0].model_id

    @property
    def dimension(self) -> int:
        if self._sample is not None:
            return int(self._sample.shape[1])
        return self._pool.first_choice(None).dimension

    async def start(self) -> None:
        """Start all. Raises EngineError when none can be used."""
        await self._pool.start()

    async def close(self) -> None:
        await self._pool.close()

    def status(self) -> EngineStatus:
        return self._pool.status()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text. Raises EngineError, also when only servers answer that have another
        model than the first one."""
        if not texts:
            return stacked([], self.dimension)
        return await self._pool.result(lambda engine: self._ask(engine, texts))

    async def _ask(self, engine: Embedder, texts: Sequence[str]) -> Vectors:
        """Ask one server, and for ``_SAMPLE`` too where it is not known whether its model is the
        same: at first, and after it has failed, when it may have come back with another one."""
        is_known = id(engine) in self._same
        asked = texts if is_known else [_SAMPLE, *texts]
        try:
            vectors = await engine.embed(asked)
            if not is_known:
                self._compare(vectors[:1])
        except EngineError:
            self._same.discard(id(engine))
            raise
        if is_known:
            return vectors
        self._same.add(id(engine))
        return vectors[1:]

    def _compare(self, sample: Vectors) -> None:
        """Raise EngineError when a server's vector of ``_SAMPLE`` is not like the first one's."""
        if self._sample is None:
            self._sample = sample
        expected = self._sample.shape[1]
        if sample.shape[1] != expected:
            why = f"{sample.shape[1]} dimensions instead of {expected}: another model"
            raise EngineError(EMBEDDINGS, why)
        likeness = float(np.vdot(sample, self._sample))
        if likeness < _SAME_MODEL:
            why = f"other vectors than from the first server (cosine {likeness:.2f}): another model"
            raise EngineError(EMBEDDINGS, why)
