"""Adds every fact to the vector index of the present embedding model, in batches.

New facts, facts from while the embedder was down, and all facts after a change of the model are
handled alike: active facts that are not in the model's index, oldest first. No state is needed
between batches, so a crash or a preemption costs at most one batch.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from lobug.engines.base import Embedder, Vectors
from lobug.errors import EngineError, LobugError
from lobug.memory import facts
from lobug.memory.facts import EmbeddedQuery, UnembeddedFact
from lobug.memory.index import fact_vectors
from lobug.memory.index.fact_vectors import VectorIndex
from lobug.priority import Deferral, PreemptedError, TurnPriority, never
from lobug.storage.database import Checkpoint, Database
from lobug.storage.driver import Connection

logger = logging.getLogger(__name__)

LONGEST_DELAY_S = 600.0
"""Longest pause before the embedder is tried again, seconds."""


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """Vectors, shape (texts, dimension), and the model that made them."""

    model_id: str
    vectors: Vectors


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
        longest_deferral_s: float = math.inf,
        recall_timeout_s: float,
        clock: Callable[[], float],
        checkpoint: Checkpoint,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._priority = priority
        self._duplicate_distance = duplicate_distance
        self._batch_size = batch_size
        self._retry_delay_s = retry_delay_s
        self._deferral = Deferral(longest_deferral_s, clock)
        self._recall_timeout_s = recall_timeout_s
        self._clock = clock
        self._checkpoint = checkpoint
        self._failures = 0
        self._failed_at = 0.0
        self._batches = 0
        self._seen: tuple[int, int] = (0, 0)
        """Ids of an index and a fact: the index holds every fact up to that one."""

    def model_id(self) -> str | None:
        """The id of the current model; None: not known yet."""
        try:
            return self._embedder.model_id or None
        except LobugError:
            return None

    async def query(self, text: str) -> EmbeddedQuery | None:
        """The vector of a query; None if the embedder fails or there are no words."""
        if not text.strip():
            return None
        found = await self.queries([text])
        return None if found is None else EmbeddedQuery(found.model_id, found.vectors[0])

    async def queries(self, texts: Sequence[str]) -> EmbeddedTexts | None:
        """The vectors of several texts of one query, made in one batch; None if the embedder
        fails."""
        try:
            async with asyncio.timeout(self._recall_timeout_s):
                found = await self._embedder.embed(texts)
            model_id = self._embedder.model_id
        except LobugError as error:
            logger.warning("memory: searching by words only, the embedder failed: %s", error)
            return None
        except TimeoutError:
            logger.warning("memory: searching by words only, the embedder is slow")
            return None
        if found.ndim != 2 or len(found) != len(texts):
            logger.warning("memory: searching by words only, the embedder gave no vector")
            return None
        return EmbeddedTexts(model_id, found)

    @property
    def deadline(self) -> float:
        """When the waiting facts are overdue, seconds since the epoch; infinite: none waits."""
        return self._deferral.deadline

    @property
    def batches(self) -> int:
        """Batches done since the start."""
        return self._batches

    def rescan(self) -> None:
        """Check every fact again: ids may belong to other facts now."""
        self._seen = (0, 0)

    def pause(self) -> float | None:
        """Seconds until the embedder is tried again after a failure; None: it has not failed."""
        if not self._failures:
            return None
        delay = self._delay()
        waited = self._clock() - self._failed_at
        # Negative: the clock was set back, and the true time is unknown.
        return max(delay - waited, 0.0) if waited >= 0.0 else 0.0

    def _delay(self) -> float:
        return min(self._retry_delay_s * 2.0 ** (self._failures - 1), LONGEST_DELAY_S)

    async def step(self, outdated: Callable[[], bool] = never) -> bool:
        """Embed one batch. Returns False if there is nothing to do now.

        Waits until nobody talks, or until the batch is overdue; ``outdated`` (see
        ``TurnPriority.background``) ends the waiting, and the result is True. After a failure of
        the embedder it is tried again later, without limit. Raises StorageError.
        """
        if self.pause():
            return False
        index, batch, newest = await self._database.read(self._next)
        if not batch:
            self._deferral.end()
            if index is not None:
                await self._finish(index)
                self._seen = (index.id, newest)
            return False
        self._deferral.begin()
        try:
            await self._priority.background(
                lambda: self._embed(index, batch),
                left_s=self._deferral.left,
                outdated=outdated,
            )
        except PreemptedError:
            return True
        except LobugError as error:
            if not isinstance(error, EngineError):
                raise
            self._failures += 1
            self._failed_at = self._clock()
            self._deferral.end()
            logger.warning("memory: embedding again in %.0f s, it failed: %s", self._delay(), error)
            return False
        self._failures = 0
        self._batches += 1
        return True

    def _next(self, connection: Connection) -> tuple[VectorIndex | None, list[UnembeddedFact], int]:
        """The model's index, the next facts to add, and the id of the newest fact."""
        model_id = self.model_id()
        index = fact_vectors.find(connection, model_id) if model_id is not None else None
        after = self._seen[1] if index is not None and self._seen[0] == index.id else 0
        batch = facts.unembedded(connection, index, after, self._batch_size)
        return index, batch, facts.newest_id(connection)

    async def _embed(self, planned: VectorIndex | None, batch: list[UnembeddedFact]) -> None:
        """Embed a batch. ``planned`` is the index that lacks the batch. The vectors may turn out
        to be of another model or dimension; they then go to another index, which may lack older
        facts too."""
        self._checkpoint("embed.before_model")
        found = await self._embedder.embed([fact.content for fact in batch])
        model_id = self._embedder.model_id
        self._checkpoint("embed.after_model")
        if found.ndim != 2 or len(found) != len(batch):
            raise EngineError("embeddings", f"{len(batch)} texts gave vectors of {found.shape}")
        now = self._clock()

        def store(connection: Connection) -> VectorIndex:
            index = fact_vectors.make_current(connection, model_id, found.shape[1], now)
            for fact, vector in zip(batch, found, strict=True):
                facts.embed(
                    connection,
                    index,
                    fact.id,
                    vector,
                    duplicate_distance=self._duplicate_distance,
                    now=now,
                )
            return index

        used = await self._database.write("embed", store)
        if planned is None or planned == used:
            self._seen = (used.id, batch[-1].id)

    async def _finish(self, index: VectorIndex) -> None:
        """Drop the indexes of other models, since every fact is in ``index``."""

        def others(connection: Connection) -> bool:
            return bool(fact_vectors.others(connection, index))

        def drop(connection: Connection) -> None:
            if not facts.unembedded(connection, index, 0, 1):
                fact_vectors.make_current(
                    connection, index.model_id, index.dimension, self._clock()
                )
                fact_vectors.drop_others(connection, index)

        if await self._database.read(others):
            await self._database.write("drop_index", drop)
