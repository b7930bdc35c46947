"""What a turn is given of memory, and the note of it in the retrieval log."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from lobug.engines.base import ChatModel
from lobug.language.en.questions import (
    Question,
    analyse,
    in_third_person,
    without_asking,
)
from lobug.language.en.relations import is_of_another
from lobug.language.en.retraction import is_taken_back
from lobug.memory import entries, identity, log
from lobug.memory.access import MemoryScope, scope_of
from lobug.memory.base import ConversationKey, LoggedMessage, MemoryContext, Recalled
from lobug.memory.control import Filter, Hit
from lobug.memory.facts import EmbeddedQuery
from lobug.memory.index.fact_embedding import FactEmbedder
from lobug.memory.recall import entry_search, ranking
from lobug.memory.recall.query import QueryEmbedder, prepare
from lobug.memory.recall.recent_statements import (
    is_overtaken,
    is_told_anew,
    newest_answer,
    slots_of,
)
from lobug.memory.recall.turn_search import (
    TURN_FLOOR,
    TurnHit,
    search_turns,
    speakers,
)
from lobug.memory.recall_log import NewRecall
from lobug.settings import MemorySettings
from lobug.storage.database import Database
from lobug.storage.driver import Connection

EVERY_VERSION = Filter(status=None)

NOTED_HITS = 10
"""Hits of each kind that the retrieval log keeps for a turn."""

NEWEST_WORDS = 10
"""Messages that wait for extraction and are looked at for what is told anew."""

TURN_CANDIDATES = 20
"""Former turns of which some go to the prompt."""

WAITING_NOTES = 256
"""Searches whose turns have not ended; of more than these the oldest is not noted."""


@dataclass(frozen=True, slots=True)
class FoundTurns:
    """Former turns that a search found, and what is known of them."""

    hits: Sequence[TurnHit] = ()
    left_out: frozenset[int] = frozenset()
    """Messages whose fact holds no more."""
    held: frozenset[int] = frozenset()
    """Messages that the prompt holds anyway."""
    embedded: EmbeddedQuery | None = None
    """The question as entries are searched by it."""


class Recaller:
    """Searches for turns. ``clock`` returns seconds since the epoch; ``working_memory`` is how many
    messages of a conversation the prompt holds anyway."""

    def __init__(
        self,
        database: Database,
        embedding: FactEmbedder,
        settings: MemorySettings,
        chat: ChatModel,
        clock: Callable[[], float],
        *,
        working_memory: int,
    ) -> None:
        self._database = database
        self._embedding = embedding
        self._settings = settings
        self._chat = chat
        self._clock = clock
        self._working_memory = working_memory
        self._queries = QueryEmbedder(embedding)
        self._notes: OrderedDict[int, NewRecall] = OrderedDict()

    async def recall(
        self, conversation_key: ConversationKey, query: str, message_id: int | None
    ) -> MemoryContext:
        """Layer identity and what fits ``query``. Raises StorageError."""
        if not self._settings.enabled:
            return MemoryContext()
        started = time.perf_counter()
        question = analyse(query)
        wanted = self._settings.retrieval_top_k > 0 and not question.small_talk
        access = scope_of(conversation_key, self._settings.household)
        turns = await self._turns(
            conversation_key, access, question, in_third_person(query) if wanted else "", message_id
        )
        embedded = turns.embedded

        def work(connection: Connection) -> tuple[str, list[Hit]]:
            known = identity.document(connection, conversation_key.user)
            if not wanted:
                return known, []
            found = entry_search.search(
                connection, access, query, embedded, EVERY_VERSION, limit=entry_search.CANDIDATES
            )
            waiting = log.not_extracted(connection, conversation_key.user, NEWEST_WORDS)
            slots = slots_of(message.content for message in waiting)
            return known, [
                hit for hit in found if question.past or not is_overtaken(hit.content, slots)
            ]

        known, hits = await self._database.read(work)
        now = self._clock()
        best = ranking.fitting(
            [hit for hit in hits if not is_of_another(query, hit.content)],
            question,
            floor=self._settings.retrieval_min_similarity,
            limit=self._settings.retrieval_top_k,
            now=now,
        )
        cited = {hit.entry.source_message_id for hit in best if hit.entry is not None}
        said = ranking.fitting_turns(
            [hit for hit in turns.hits if not is_of_another(query, hit.content)],
            question,
            known=turns.left_out | {message for message in cited if message is not None},
            held=turns.held,
            limit=self._settings.recall_turns,
        )
        recalled = self._affordable(
            list(
                ranking.interleaved(
                    [_recalled(hit) for hit in best], [_recalled(turn_hit(hit)) for hit in said]
                )
            )
        )
        search = NewRecall(
            conversation_key=conversation_key,
            message_id=message_id,
            query=None,
            created_at=now,
            took_ms=1_000.0 * (time.perf_counter() - started),
            hits=[*_noted(best, hits), *map(turn_hit, turns.hits[:NOTED_HITS])],
            injected=frozenset(memory.reference for memory in recalled),
        )
        context = MemoryContext(known, recalled, asked_for=question.asks, search=search)
        if message_id is not None:
            self.note(message_id, context)
        return context

    def note(self, message_id: int, context: MemoryContext) -> None:
        """Keep what was recalled for a message until its reply is logged."""
        if not isinstance(context.search, NewRecall):
            return
        self._notes[message_id] = replace(context.search, message_id=message_id)
        while len(self._notes) > WAITING_NOTES:
            self._notes.popitem(last=False)

    def drop_notes(self) -> None:
        """Forget the searches whose turns have not ended: what they found may be gone."""
        self._notes.clear()

    def note_of(self, message_id: int) -> NewRecall | None:
        """What was recalled for a message, to be noted with its reply; once."""
        return self._notes.pop(message_id, None)

    def _affordable(self, memories: Sequence[Recalled]) -> list[Recalled]:
        settings = self._settings
        tokens = ranking.budget_tokens(
            settings.context_budget_tokens,
            settings.max_added_first_token_ms,
            self._chat.prefill_ms_per_token,
        )
        return ranking.shown(ranking.within(memories, tokens, settings.max_user_memories))

    async def _turns(
        self,
        conversation_key: ConversationKey,
        scope: MemoryScope,
        question: Question,
        entries_text: str,
        message_id: int | None,
    ) -> FoundTurns:
        """Former turns that share words or meaning with a question."""
        if question.small_talk or self._settings.recall_turns == 0:
            embedded = await self._embedding.query(entries_text)
            return FoundTurns(embedded=embedded)
        names = await self._database.read(lambda connection: speakers(connection, scope))
        prepared = prepare(without_asking(question.text), names)
        vectors = await self._queries.both(prepared, entries_text)

        def work(connection: Connection) -> FoundTurns:
            hits = search_turns(
                connection,
                scope,
                prepared,
                vectors.turns,
                limit=TURN_CANDIDATES,
                exclude_message_id=message_id,
            )
            held = log.recent(connection, conversation_key, self._working_memory)
            prompted = frozenset(message.id for message in held)
            said = [m for m in held if m.role == "user" and m.id != message_id]
            if question.slots and not names:  # with names they may be another's words
                waiting = log.not_extracted(connection, conversation_key.user, NEWEST_WORDS)
                told = [*said, *(m for m in waiting if m.id != message_id)]
                hits = _with_answer(hits, newest_answer(question, told))
            found = [hit.message_id for hit in hits]
            past = question.past or question.history
            left_out = entries.no_longer_believed(
                connection, conversation_key.user, found, past=past
            )
            if not past:
                left_out |= _put_right(hits, said, prompted)
            return FoundTurns(hits, frozenset(left_out), prompted, vectors.entries)

        return await self._database.read(work)


def _with_answer(hits: list[TurnHit], answer: LoggedMessage | None) -> list[TurnHit]:
    """The hits, best first, with what is known to answer before all others."""
    if answer is None:
        return hits
    sure = TurnHit(
        message_id=answer.id,
        role=answer.role,
        speaker=None,
        content=answer.content,
        said_at=answer.created_at,
        score=0.0,
        confidence=1.0,
        parts={"told": 1.0},
    )
    return [sure, *(hit for hit in hits if hit.message_id != answer.id)]


def _put_right(
    hits: Iterable[TurnHit], said: Sequence[LoggedMessage], prompted: Collection[int]
) -> set[int]:
    """Former turns that may hold no more after what was said in this conversation since."""
    found = set[int]()
    for hit in hits:
        if hit.role == "user" and hit.confidence >= TURN_FLOOR:
            later = [message.content for message in said if message.id > hit.message_id]
            taken_back = hit.message_id in prompted and is_taken_back(later)
            if taken_back or is_told_anew(hit.content, later):
                found.add(hit.message_id)
    return found


def turn_hit(found: TurnHit) -> Hit:
    """A former turn as the owner's search and the retrieval log have it."""
    return Hit(
        kind="turn",
        id=found.message_id,
        content=found.content,
        said_at=found.said_at,
        score=found.score,
        confidence=found.confidence,
        role=found.role,
        speaker=found.speaker,
        parts=found.parts,
    )


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
