"""Adds turns to the index: analyses their words, then embeds words and turns.

The rows themselves say what is missing, so a crash or a preemption costs at most one batch. While
the embedder is down turns are found by their words.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Sequence

from lobug.engines.base import Embedder, Vectors
from lobug.errors import EngineError, LobugError
from lobug.memory.embedding.fact_embedder import LONGEST_DELAY_S
from lobug.memory.index import turn_vectors, turn_words
from lobug.memory.index.turn_vectors import VectorSet, Window, Word
from lobug.priority import Deferral, PreemptedError, TurnPriority, never
from lobug.storage.database import Checkpoint, Database
from lobug.storage.driver import Connection

logger = logging.getLogger(__name__)

ANALYSED_AT_ONCE = 64
"""Turns analysed in one transaction: about 20 ms."""


class TurnEmbedder:
    """Brings the turn index up to date, a batch at a time."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        priority: TurnPriority,
        *,
        batch_size: int,
        retry_delay_s: float,
        longest_deferral_s: float = math.inf,
        clock: Callable[[], float],
        checkpoint: Checkpoint,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._priority = priority
        self._batch_size = batch_size
        self._retry_delay_s = retry_delay_s
        self._deferral = Deferral(longest_deferral_s, clock)
        self._clock = clock
        self._checkpoint = checkpoint
        self._failures = 0
        self._failed_at = 0.0
        self._batches = 0

    @property
    def deadline(self) -> float:
        """When the waiting turns are overdue, seconds since the epoch; infinite: none waits."""
        return self._deferral.deadline

    @property
    def batches(self) -> int:
        """Batches done since the start."""
        return self._batches

    def pause(self) -> float | None:
        """Seconds until the embedder is tried again after a failure; None: it has not failed."""
        if not self._failures:
            return None
        waited = self._clock() - self._failed_at
        # Negative: the clock was set back, and the true time is unknown.
        return max(self._delay() - waited, 0.0) if waited >= 0.0 else 0.0

    async def analyse(self) -> bool:
        """Add a batch of waiting turns to the index by words. Returns False if none waits.
        Raises StorageError."""
        waiting = await self._database.read(
            lambda connection: turn_words.pending(connection, ANALYSED_AT_ONCE)
        )
        if waiting:
            await self._database.write(
                "analyse_turns", lambda connection: turn_words.analyse(connection, waiting)
            )
        return bool(waiting)

    async def step(self, outdated: Callable[[], bool] = never) -> bool:
        """Analyse and embed one batch. Returns False if there is nothing to do now.

        Waits until nobody talks, or until the batch is overdue; ``outdated`` (see
        ``TurnPriority.background``) ends the waiting, and the result is True. After a failure of
        the embedder it is tried again later, without limit. Raises StorageError.
        """
        if await self.analyse():
            return True
        if self.pause():
            return False
        present, turns, words = await self._database.read(self._next)
        if not turns and not words:
            self._deferral.end()
            if present is not None:
                await self._finish(present)
            return False
        self._deferral.begin()
        try:
            await self._priority.background(
                lambda: self._embed(turns, words),
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
            logger.warning(
                "memory: turns again in %.0f s, embedding failed: %s", self._delay(), error
            )
            return False
        self._failures = 0
        self._batches += 1
        return True

    def _delay(self) -> float:
        return min(self._retry_delay_s * 2.0 ** (self._failures - 1), LONGEST_DELAY_S)

    def _model_id(self) -> str | None:
        try:
            return self._embedder.model_id or None
        except LobugError:
            return None

    def _next(
        self, connection: Connection
    ) -> tuple[VectorSet | None, Sequence[Window], Sequence[Word]]:
        """The present model's vectors, and the next words or turns to embed. Words come before
        turns, so that a turn with a vector has one for each of its words. Otherwise a search
        would reveal which words of a turn another user had said before."""
        model_id = self._model_id()
        present = None if model_id is None else turn_vectors.find_set(connection, model_id)
        words = turn_vectors.unembedded_words(connection, present, self._batch_size)
        if words:
            return present, (), words
        return present, turn_vectors.unembedded(connection, present, self._batch_size), ()

    async def _embed(self, turns: Sequence[Window], words: Sequence[Word]) -> None:
        self._checkpoint("embed_turns.before_model")
        found = await self._ask([turn.text for turn in turns] or [word.text for word in words])
        model_id = self._embedder.model_id
        self._checkpoint("embed_turns.after_model")

        def store(connection: Connection) -> None:
            present = turn_vectors.make_set(connection, model_id, found.shape[1])
            if turns:
                turn_vectors.store(connection, present, turns, found)
            else:
                turn_vectors.store_words(connection, present, words, found)

        await self._database.write("embed_turns", store)

    async def _ask(self, texts: Sequence[str]) -> Vectors:
        found = await self._embedder.embed(texts)
        if found.ndim != 2 or len(found) != len(texts):
            raise EngineError("embeddings", f"{len(texts)} texts gave vectors of {found.shape}")
        return found

    async def _finish(self, present: VectorSet) -> None:
        """Drop the vectors of other models, since everything is embedded."""

        def others(connection: Connection) -> bool:
            return turn_vectors.has_others(connection, present)

        if await self._database.read(others):
            await self._database.write(
                "drop_turn_sets",
                lambda connection: turn_vectors.drop_empty_sets(connection, present),
            )
