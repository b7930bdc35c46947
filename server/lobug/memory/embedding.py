"""Keeps every fact in the vector index of the present embedding model, a batch at a time.

New facts, facts that came in while the embedder was down and all facts after a change of model are
the same case: live facts that the model's index has not seen, oldest first. Nothing has to be
remembered between batches, so a crash or a preemption costs one batch at most.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from lobug.engines.base import Embedder
from lobug.errors import EngineError, LobugError
from lobug.memory import facts, vectors
from lobug.memory.database import Checkpoint, Database
from lobug.memory.driver import Connection
from lobug.memory.facts import EmbeddedQuery, UnembeddedFact
from lobug.memory.vectors import VectorIndex
from lobug.turn.priority import PreemptedError, TurnPriority

logger = logging.getLogger(__name__)

LONGEST_DELAY_S = 600.0
"""The embedder is tried again after this time at the latest, however long it has been down."""


class FactEmbedder:
    """Embeds queries for a search and, in the background, facts for the index."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        priority: TurnPriority,
        *,
        duplicate_distance: float,
        batch_size: int,
        retry_delay_s: float,
        clock: Callable[[], float],
        checkpoint: Checkpoint,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._priority = priority
        self._duplicate_distance = duplicate_distance
        self._batch_size = batch_size
        self._retry_delay_s = retry_delay_s
        self._clock = clock
        self._checkpoint = checkpoint
        self._failures = 0
        self._retry_at = 0.0
        self._done_up_to: tuple[str, int] = ("", 0)
        """Model and fact id: the model's index has seen every fact up to it."""
        self._settled = False
        """Everything was embedded when last looked, and nothing has been added since."""

    def facts_added(self) -> None:
        """There are new facts."""
        self._settled = False

    def model_id(self) -> str | None:
        """The present model; None: not known yet."""
        try:
            return self._embedder.model_id or None
        except LobugError:
            return None

    async def query(self, text: str) -> EmbeddedQuery | None:
        """The vector of a query; None when the embedder fails or there are no words."""
        if not text.strip():
            return None
        try:
            found = await self._embedder.embed([text])
            model_id = self._embedder.model_id
        except LobugError as error:
            logger.warning("memory: searching by words only, the embedder failed: %s", error)
            return None
        if found.ndim != 2 or len(found) != 1:
            logger.warning("memory: searching by words only, the embedder gave no vector")
            return None
        return EmbeddedQuery(model_id, found[0])

    def pause(self) -> float | None:
        """Seconds until the embedder is tried again after a failure; None: it has not failed."""
        return max(self._retry_at - self._clock(), 0.0) if self._failures else None

    async def step(self) -> bool:
        """Embed one batch. Returns False when there is nothing to do now.

        A failure of the embedder is tried again later, without an end. Raises StorageError.
        """
        model_id = self.model_id()
        if self._failures and self._clock() < self._retry_at:
            return False
        if self._settled and self._done_up_to[0] == model_id:
            return False
        index, batch = await self._database.read(
            lambda connection: self._next(connection, model_id)
        )
        if not batch:
            if index is not None:
                await self._finish(index)
            self._settled = True
            self._done_up_to = (model_id or "", self._done_up_to[1] if index else 0)
            return False
        try:
            await self._priority.background(lambda: self._embed(batch))
        except PreemptedError:
            return True
        except LobugError as error:
            if not isinstance(error, EngineError):
                raise
            self._failures += 1
            delay = min(self._retry_delay_s * 2.0 ** (self._failures - 1), LONGEST_DELAY_S)
            self._retry_at = self._clock() + delay
            logger.warning("memory: embedding again in %.0f s, it failed: %s", delay, error)
            return False
        self._failures = 0
        return True

    def _next(
        self, connection: Connection, model_id: str | None
    ) -> tuple[VectorIndex | None, list[UnembeddedFact]]:
        index = vectors.find(connection, model_id) if model_id is not None else None
        after = self._done_up_to[1] if index and self._done_up_to[0] == model_id else 0
        return index, facts.unembedded(connection, index, after, self._batch_size)

    async def _embed(self, batch: list[UnembeddedFact]) -> None:
        self._checkpoint("embed.before_model")
        found = await self._embedder.embed([fact.content for fact in batch])
        model_id = self._embedder.model_id
        self._checkpoint("embed.after_model")
        if found.ndim != 2 or len(found) != len(batch):
            raise EngineError("embeddings", f"{len(batch)} texts gave vectors of {found.shape}")
        now = self._clock()

        def store(connection: Connection) -> None:
            index = vectors.make_current(connection, model_id, found.shape[1], now)
            for fact, vector in zip(batch, found, strict=True):
                facts.embed(
                    connection,
                    index,
                    fact.id,
                    vector,
                    duplicate_distance=self._duplicate_distance,
                    now=now,
                )

        await self._database.write("embed", store)
        self._done_up_to = (model_id, batch[-1].id)

    async def _finish(self, index: VectorIndex) -> None:
        """Every fact is in ``index``: the indexes of other models have had their day."""

        def others(connection: Connection) -> bool:
            return bool(vectors.others(connection, index))

        def drop(connection: Connection) -> None:
            if not facts.unembedded(connection, index, 0, 1):
                vectors.make_current(connection, index.model_id, index.dimension, self._clock())
                vectors.drop_others(connection, index)

        if await self._database.read(others):
            await self._database.write("drop_index", drop)
