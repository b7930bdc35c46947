"""What a turn is given of memory, and the note of it in the retrieval log."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence

from lobug.engines.base import ChatModel
from lobug.memory import identity, searching
from lobug.memory.access import access_of
from lobug.memory.base import MemoryContext, Owner, Recalled
from lobug.memory.control import Filter, Hit
from lobug.memory.database import Database
from lobug.memory.driver import Connection
from lobug.memory.embedding import FactEmbedder
from lobug.memory.query import in_third_person
from lobug.memory.recall import budget, ranking
from lobug.memory.recall.questions import read
from lobug.memory.recall_log import NewRecall
from lobug.settings import MemorySettings

EVERY_VERSION = Filter(status=None)

NOTED_HITS = 10
"""Hits of each kind that the retrieval log keeps for a turn."""

WAITING_NOTES = 256
"""Searches whose turns have not ended; of more than these the oldest is not noted."""


class Recaller:
    """Searches for turns. ``clock`` returns seconds since the epoch."""

    def __init__(
        self,
        database: Database,
        embedding: FactEmbedder,
        settings: MemorySettings,
        chat: ChatModel,
        clock: Callable[[], float],
    ) -> None:
        self._database = database
        self._embedding = embedding
        self._settings = settings
        self._chat = chat
        self._clock = clock
        self._notes: OrderedDict[int, NewRecall] = OrderedDict()

    async def recall(self, owner: Owner, query: str, message_id: int | None) -> MemoryContext:
        """Layer identity and what fits ``query``. Raises StorageError."""
        if not self._settings.enabled:
            return MemoryContext()
        started = time.perf_counter()
        question = read(query)
        wanted = self._settings.retrieval_top_k > 0 and not question.small_talk
        embedded = await self._embedding.query(in_third_person(query)) if wanted else None
        access = access_of(owner, self._settings.household)

        def work(connection: Connection) -> tuple[str, list[Hit]]:
            known = identity.document(connection, owner.user)
            if not wanted:
                return known, []
            return known, searching.search(
                connection, access, query, embedded, EVERY_VERSION, limit=searching.CANDIDATES
            )

        known, hits = await self._database.read(work)
        now = self._clock()
        best = ranking.fitting(
            hits,
            question,
            floor=self._settings.retrieval_min_similarity,
            limit=self._settings.retrieval_top_k,
            now=now,
        )
        recalled = self._affordable([_recalled(hit) for hit in best])
        if message_id is not None:
            took_ms = 1_000.0 * (time.perf_counter() - started)
            self._note(message_id, owner, took_ms, _noted(best, hits), recalled)
        return MemoryContext(base_memory=known, recalled=recalled)

    def note_of(self, message_id: int) -> NewRecall | None:
        """What was recalled for a message, to be noted with its reply; once."""
        return self._notes.pop(message_id, None)

    def _affordable(self, memories: Sequence[Recalled]) -> list[Recalled]:
        settings = self._settings
        tokens = budget.budget_tokens(
            settings.context_budget_tokens,
            settings.max_added_first_token_ms,
            self._chat.prefill_ms_per_token,
        )
        return budget.within(memories, tokens, settings.max_user_memories)

    def _note(
        self,
        message_id: int,
        owner: Owner,
        took_ms: float,
        hits: Sequence[Hit],
        recalled: Sequence[Recalled],
    ) -> None:
        self._notes[message_id] = NewRecall(
            owner=owner,
            message_id=message_id,
            query=None,
            created_at=self._clock(),
            took_ms=took_ms,
            hits=hits,
            injected=frozenset(memory.reference for memory in recalled),
        )
        while len(self._notes) > WAITING_NOTES:
            self._notes.popitem(last=False)


def _noted(best: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """What fitted, then the best of what did not: to see why something was left out."""
    taken = {hit.id for hit in best}
    return [*best, *(hit for hit in hits if hit.id not in taken)][: NOTED_HITS + len(best)]


def _recalled(hit: Hit) -> Recalled:
    return Recalled(
        kind=hit.kind,
        id=hit.id,
        content=hit.content,
        said_at=hit.said_at,
        confidence=hit.confidence,
        past=hit.entry is not None and hit.entry.status == "past",
        role=hit.role,
        speaker=hit.speaker,
    )
