"""Embeds questions at once; facts, words and turns in the background, in batches.

The rows themselves say what has no vector of the present model yet: what is new, what came while
the embedder was down, everything after a change of the model. So a crash or a preemption costs at
most one batch. Until then facts and turns are found by their words.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from sqlalchemy import Integer, and_, bindparam, exists, func, select

from lobug.concurrency import Backoff
from lobug.engines.base import Embedder, Vectors
from lobug.errors import EngineError, LobugError
from lobug.memory import entries, facts
from lobug.memory.index import entry_index, turn_vectors, turn_words
from lobug.memory.index.entry_index import EmbeddedQuery, Vector, VectorIndex
from lobug.memory.index.turn_vectors import VectorSet, Window, Word
from lobug.memory.refused_texts import Text, embed_each
from lobug.priority import Deferral, PreemptedError, TurnPriority, never
from lobug.settings import MemorySettings
from lobug.storage.connection import Connection
from lobug.storage.database import NOBODY, Checkpoint, Database
from lobug.storage.index_tables import memory_vectors
from lobug.storage.statements import Row, run
from lobug.storage.tables import memories

logger = logging.getLogger(__name__)

LONGEST_DELAY_S = 600.0
"""Longest pause before the embedder is tried again, seconds."""

FAILURES_OF_A_TEXT = 3
"""So many failures in a row, with pauses in between, may be a text's fault (``embed_each``)."""

MOST_UNSETTLED = 256
"""Facts that are looked at again each time, before the writes under way are awaited to know that
none comes between them any more."""

ANALYSED_AT_ONCE = 64
"""Turns analysed in one transaction: about 20 ms."""


@dataclass(frozen=True, slots=True)
class EmbeddedTexts:
    """Vectors, shape (texts, dimension), and the model that made them."""

    model_id: str
    vectors: Vectors


class Personal(Protocol):
    """A row of a person."""

    @property
    def user(self) -> str: ...


PersonalT = TypeVar("PersonalT", bound=Personal)


def _by_person(
    rows: Sequence[PersonalT], vectors: Vectors
) -> dict[str, list[tuple[PersonalT, Vector]]]:
    """Rows with their vectors, for each person: each one's are written for themselves, so that
    nobody else waits meanwhile."""
    people: dict[str, list[tuple[PersonalT, Vector]]] = {}
    if rows:
        for row, vector in zip(rows, vectors, strict=True):
            people.setdefault(row.user, []).append((row, vector))
    return people


class BackgroundEmbedder(ABC):
    """Embeds what has no vector yet, one batch a step, while nobody talks.

    ``batch_size`` is how many texts are embedded at once; ``clock`` returns seconds since the
    epoch.
    """

    kind: str
    """What is embedded, for the log."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder,
        settings: MemorySettings,
        priority: TurnPriority,
        *,
        batch_size: int,
        clock: Callable[[], float],
        checkpoint: Checkpoint,
    ) -> None:
        self._database = database
        self._embedder = embedder
        self._settings = settings
        self._priority = priority
        self._batch_size = batch_size
        self._deferral = Deferral(settings.embedding_deferral_s, clock)
        self._clock = clock
        self._checkpoint = checkpoint
        self._failures = 0
        self._failed_at = 0.0
        self.batches = 0
        """Batches done since the start."""

    @abstractmethod
    async def _next_batch(self) -> Callable[[], Awaitable[None]] | None:
        """The work of embedding the next batch; None: nothing waits."""

    def model_id(self) -> str | None:
        """The id of the current model; None: not known yet."""
        try:
            return self._embedder.model_id or None
        except LobugError:
            return None

    @property
    def deadline(self) -> float:
        """When what waits is overdue, seconds since the epoch; infinite: nothing waits."""
        return self._deferral.deadline

    def pause(self) -> float | None:
        """Seconds until the embedder is tried again after a failure; None: it has not failed."""
        if not self._failures:
            return None
        waited = self._clock() - self._failed_at
        # Negative: the clock was set back, and the true time is unknown.
        return max(self._delay() - waited, 0.0) if waited >= 0.0 else 0.0

    def _delay(self) -> float:
        return Backoff(self._settings.retry_delay_s, LONGEST_DELAY_S).pause_s(self._failures)

    async def step(self, outdated: Callable[[], bool] = never) -> bool:
        """Embed one batch. Returns False if there is nothing to do now.

        Waits until nobody talks, or until the batch is overdue; ``outdated`` (see
        ``TurnPriority.background``) ends the waiting, and the result is True. After a failure of
        the embedder it is tried again later, without limit. Raises StorageError.
        """
        if self.pause():
            return False
        embed_batch = await self._next_batch()
        if embed_batch is None:
            self._failures = 0  # what failed is gone, and is not tried again
            return False
        self._deferral.begin()
        try:
            await self._priority.background(
                embed_batch, left_s=self._deferral.left, outdated=outdated
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
                "memory: embedding %s failed, again in %.0f s: %s", self.kind, self._delay(), error
            )
            return False
        self._failures = 0
        self.batches += 1
        return True

    async def _ask(self, texts: Sequence[Text]) -> EmbeddedTexts:
        """The vectors of texts (``refused_texts``). Raises EngineError."""
        failed_before = self._failures >= FAILURES_OF_A_TEXT
        vectors = await embed_each(texts, self._vectors, failed_before=failed_before)
        return EmbeddedTexts(self._embedder.model_id, vectors)

    async def _vectors(self, texts: Sequence[str]) -> Vectors:
        found = await self._embedder.embed(texts)
        if found.ndim != 2 or len(found) != len(texts):
            raise EngineError("embeddings", f"{len(texts)} texts gave vectors of {found.shape}")
        return found


class FactEmbedder(BackgroundEmbedder):
    """Embeds questions for a search and, in the background, facts for the index, oldest first."""

    kind = "facts"
    _seen: tuple[int, int] = (0, 0)
    """Ids of an index and a fact: the index holds every fact up to that one."""
    _settled: int = 0
    """A fact: no earlier id is committed any more. Facts of different people are written side by
    side, and not always committed in the order of their ids."""

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
            async with asyncio.timeout(self._settings.recall_timeout_s):
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

    def rescan(self) -> None:
        """Check every fact again: ids may belong to other facts now."""
        self._seen, self._settled = (0, 0), 0

    def look_again(self) -> None:
        """Look from the first fact on for those without a vector: an early one may have been made
        active again, at whichever server."""
        self._seen = (0, 0)

    async def _next_batch(self) -> Callable[[], Awaitable[None]] | None:
        settled = self._settled
        index, batch, newest, others = await self._database.read(self._next)
        if newest - settled > MOST_UNSETTLED:
            self._settled = await self._database.write("settle", newest_id)
        if batch:
            return lambda: self._embed(index, batch, settled)
        self._deferral.end()
        if index is not None:
            if others:
                await self._drop_others(index)
            self._note_seen(index, settled)
        return None

    def _note_seen(self, index: VectorIndex, fact_id: int) -> None:
        seen = self._seen[1] if self._seen[0] == index.id else 0
        self._seen = (index.id, max(seen, fact_id))

    def _next(self, connection: Connection) -> tuple[VectorIndex | None, list[Row], int, bool]:
        """The model's index, the next facts to add, the id of the newest fact, and whether nothing
        is to be added and there are indexes of other models."""
        model_id = self.model_id()
        index = entry_index.find(connection, model_id) if model_id is not None else None
        after = self._seen[1] if index is not None and self._seen[0] == index.id else 0
        batch = unembedded(connection, index, after, self._batch_size)
        others = index is not None and not batch and bool(entry_index.others(connection, index))
        return index, batch, newest_id(connection), others

    async def _embed(self, planned: VectorIndex | None, batch: list[Row], settled: int) -> None:
        """Embed a batch. ``planned`` is the index that lacks the batch. The vectors may turn out
        to be of another model or dimension; they then go to another index, which may lack older
        facts too. ``settled``: what ``_settled`` was before the batch was read."""
        self._checkpoint("embed.before_model")
        found = await self._ask([Text(fact.content, fact.content) for fact in batch])
        self._checkpoint("embed.after_model")
        now = self._clock()
        index = await self._current_index(found, now)

        def store(connection: Connection, own: Sequence[tuple[Row, Vector]]) -> bool:
            if entry_index.find(connection, index.model_id, index.dimension) != index:
                return False  # another server has another model, and has dropped it
            for fact, vector in own:
                embed(
                    connection,
                    index,
                    fact.id,
                    vector,
                    duplicate_distance=self._settings.duplicate_distance_threshold,
                    now=now,
                )
            return True

        kept = True
        for user, own in _by_person(batch, found.vectors).items():
            kept &= await self._database.write("embed", partial(store, own=own), of=user)
        if kept and planned in (None, index):
            self._note_seen(index, min(settled, batch[-1].id))

    async def _current_index(self, found: EmbeddedTexts, now: float) -> VectorIndex:
        """The index of a model, made the current one where it is not: that concerns everybody, so
        it is not part of what is written for a person."""
        model_id, dimension = found.model_id, found.vectors.shape[1]
        current = await self._database.read(entry_index.current)
        if current is not None and (current.model_id, current.dimension) == (model_id, dimension):
            return current
        return await self._database.write(
            "embed_index", lambda c: entry_index.make_current(c, model_id, dimension, now)
        )

    async def _drop_others(self, index: VectorIndex) -> None:
        """Drop the indexes of other models, since every fact is in ``index``."""

        def drop(connection: Connection) -> None:
            if not unembedded(connection, index, 0, 1):
                entry_index.make_current(connection, index.model_id, index.dimension, self._clock())
                entry_index.drop_others(connection, index)

        await self._database.write("drop_index", drop)


class TurnEmbedder(BackgroundEmbedder):
    """Brings the turn index up to date: analyses turns, then embeds their words, then the turns."""

    kind = "turns"

    async def analyse(self) -> bool:
        """Add a batch of waiting turns to the index by words. Returns False if none waits.
        Raises StorageError."""
        waiting = await self._database.read(
            lambda connection: turn_words.pending(connection, ANALYSED_AT_ONCE)
        )
        people: dict[str, list[int]] = {}
        for row in waiting:
            people.setdefault(row.user, []).append(row.message_id)
        for user, ids in people.items():
            await self._database.write(
                "analyse_turns", partial(turn_words.analyse, message_ids=ids), of=user
            )
        return bool(waiting)

    async def step(self, outdated: Callable[[], bool] = never) -> bool:
        """Analyse a batch of turns or else embed one, as ``BackgroundEmbedder.step``."""
        return await self.analyse() or await super().step(outdated)

    async def _next_batch(self) -> Callable[[], Awaitable[None]] | None:
        turns, words, present = await self._database.read(self._next)
        if turns or words:
            return lambda: self._embed(turns, words)
        self._deferral.end()
        if present is not None:  # everything is embedded
            await self._database.write(
                "drop_turn_sets",
                lambda connection: turn_vectors.drop_empty_sets(connection, present),
            )
        return None

    def _next(
        self, connection: Connection
    ) -> tuple[Sequence[Window], Sequence[Word], VectorSet | None]:
        """The next words or turns to embed; if there are none, the present model's vectors where
        there are some of other models. Words come before turns, so that a turn with a vector has
        one for each of its words. Otherwise a search would reveal which words of a turn another
        user had said before."""
        model_id = self.model_id()
        present = None if model_id is None else turn_vectors.find_set(connection, model_id)
        words = turn_vectors.unembedded_words(connection, present, self._batch_size)
        if words:
            return (), words, None
        turns = turn_vectors.unembedded(connection, present, self._batch_size)
        if turns or present is None or not turn_vectors.has_others(connection, present):
            return turns, (), None
        return (), (), present

    async def _embed(self, turns: Sequence[Window], words: Sequence[Word]) -> None:
        self._checkpoint("embed_turns.before_model")
        texts = [Text(turn.text, turn.own) for turn in turns]
        found = await self._ask(texts or [Text(word.text, word.text) for word in words])
        self._checkpoint("embed_turns.after_model")

        def store(connection: Connection, own: Sequence[tuple[Window, Vector]]) -> None:
            turn_vectors.store(connection, self._set_of(connection, found), own)

        def store_words(connection: Connection) -> None:
            turn_vectors.store_words(
                connection, self._set_of(connection, found), words, found.vectors
            )

        if words:
            await self._database.write("embed_turns", store_words, of=NOBODY)
        for user, own in _by_person(turns, found.vectors).items():
            await self._database.write("embed_turns", partial(store, own=own), of=user)

    @staticmethod
    def _set_of(connection: Connection, found: EmbeddedTexts) -> VectorSet:
        return turn_vectors.make_set(connection, found.model_id, found.vectors.shape[1])


EMBEDDABLE = and_(memories.c.status != "inactive", memories.c.layer != "identity")
"""What the vector indexes hold: all that a search may find."""

UNSEEN = ~exists(
    select(1).where(
        memory_vectors.c.index_id == bindparam("index_id"),
        memory_vectors.c.memory_id == memories.c.id,
    )
)
"""The index has not seen the entry; without an index it has seen none."""

COUNT_UNEMBEDDED = select(func.count()).select_from(memories).where(EMBEDDABLE, UNSEEN)


def count_unembedded(connection: Connection, index: VectorIndex | None) -> int:
    """Entries that an index has not seen; None: there is no index, so all of them."""
    index_id = None if index is None else index.id
    return int(run(connection, COUNT_UNEMBEDDED, index_id=index_id).scalar())


UNEMBEDDED = (
    select(memories.c.id, memories.c.user, memories.c.content)
    .where(EMBEDDABLE, memories.c.id > bindparam("after_id"), UNSEEN)
    .order_by(memories.c.id)
    .limit(bindparam("limit", type_=Integer))
)


def unembedded(
    connection: Connection, index: VectorIndex | None, after_id: int, limit: int
) -> list[Row]:
    """The next entries that an index has not seen (``id``, ``user``, ``content``), in the order of
    their ids."""
    index_id = None if index is None else index.id
    return run(connection, UNEMBEDDED, after_id=after_id, index_id=index_id, limit=limit).all()


TO_EMBED = entries.ENTRY.where(entries.BY_ID, EMBEDDABLE, UNSEEN)

COMPARED = select(memories.c.compared).where(entries.BY_ID)


def embed(
    connection: Connection,
    index: VectorIndex,
    fact_id: int,
    vector: Vector,
    *,
    duplicate_distance: float,
    now: float,
) -> None:
    """Put a fact into an index and, the first time, let it replace what it makes obsolete
    (``facts.merge``). A fact that was replaced or embedded in the meantime is left alone."""
    row = run(connection, TO_EMBED, entry_id=fact_id, index_id=index.id).first()
    if row is None:
        return
    fact = entries.entry_of(row)
    if not run(connection, COMPARED, entry_id=fact_id).scalar():
        entries.change(connection, fact_id, compared=True)
        if fact.layer == "knowledge" and fact.status == "active":
            facts.merge(
                connection, index, fact, vector, duplicate_distance=duplicate_distance, now=now
            )
    entry_index.add(connection, index, fact_id, vector)
    if facts.status(connection, fact_id) == "inactive":
        entry_index.remove(connection, fact_id)


NEWEST_ID = select(func.coalesce(func.max(memories.c.id), 0))


def newest_id(connection: Connection) -> int:
    """The id of the newest fact of all; 0: there is none."""
    return int(run(connection, NEWEST_ID).scalar())
