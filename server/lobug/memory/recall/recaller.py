"""Searches memory for a turn and for the owner, and keeps the searches to be logged.

Facts and vectors are made while nobody talks. Until then "I moved to Seattle" is in the
conversation only. An older memory "lives in Portland" in the prompt would win, since a small model
believes its notes; and "Where do I live?" shares no word with the statement and would not find it.
So recent statements are looked at too.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from lobug.engines.base import ChatModel
from lobug.language.en.questions import (
    Question,
    about_others,
    analyse,
    in_third_person,
    without_asking,
)
from lobug.language.en.speech_acts import is_taken_back
from lobug.memory import focus, identity, log
from lobug.memory.embedding import FactEmbedder
from lobug.memory.index.vector_cache import VectorCache
from lobug.memory.model import (
    ConversationKey,
    Entry,
    Filter,
    Hit,
    LoggedMessage,
    MemoryContext,
    MemoryScope,
    Recalled,
    scope_of,
)
from lobug.memory.recall import entry_search, ranking, turn_search
from lobug.memory.recall.readings import Readings, is_outdated
from lobug.memory.recall.turn_search import (
    TURN_FLOOR,
    EmbeddedQuestion,
    PreparedQuery,
    QueryEmbedder,
    prepare,
    search_turns,
    speakers,
)
from lobug.memory.recall_log import NewRecall
from lobug.settings import MemorySettings
from lobug.storage.connection import Connection
from lobug.storage.database import Database

LOGGED_HITS = 10
"""Hits of each kind that the retrieval log keeps for a turn."""

UNEXTRACTED_MESSAGES = 10
"""Messages without extracted facts that are searched for newer statements."""

ENTRY_CANDIDATES = 48
"""Entries that might go to the prompt, of which the best are chosen: as many, or a few more."""

TURN_CANDIDATES = 20
"""Former turns from which those for the prompt are chosen."""

PENDING_SEARCHES = 256
"""Most searches that wait for the reply of their turn; the oldest is dropped first."""


@dataclass(frozen=True, slots=True)
class FoundEntries:
    """What the prompt holds in any case, and the entries that a search found."""

    identity: str
    task: str
    """The task that the conversation is about."""
    hits: Sequence[Hit] = ()
    elsewhere: frozenset[int] = frozenset()
    """Messages whose memories do not fit the conversation's focus."""


@dataclass(frozen=True, slots=True)
class FoundTurns:
    """Former turns that a search found."""

    hits: Sequence[Hit] = ()
    outdated: frozenset[int] = frozenset()
    """Messages whose fact is not believed any more."""
    in_prompt: frozenset[int] = frozenset()
    """Messages of working memory."""


@dataclass(frozen=True, slots=True)
class AskedTurns:
    """A question, prepared for a search."""

    question: Question
    names: Collection[str] = ()
    """Speakers whom former turns know."""
    prepared: PreparedQuery | None = None
    """None: former turns are not searched."""
    vectors: EmbeddedQuestion = EmbeddedQuestion()  # noqa: RUF009 - it cannot be changed


class Recaller:
    """Searches entries and former turns.

    ``clock`` returns seconds since the epoch; ``working_memory`` is how many messages of a
    conversation the prompt holds anyway.
    """

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
        self._cache = VectorCache()
        self._readings = Readings()
        self._pending: OrderedDict[int, NewRecall] = OrderedDict()

    def use(self, settings: MemorySettings) -> None:
        """Search by these settings from the next search on."""
        self._settings = settings

    async def recall(
        self, conversation_key: ConversationKey, query: str, message_id: int | None
    ) -> MemoryContext:
        """Layer identity and what fits ``query``, as ``Memory.retrieve_context``. Raises
        StorageError."""
        if not self._settings.enabled:
            return MemoryContext()
        started = time.perf_counter()
        question = analyse(query)
        wanted = self._settings.retrieval_top_k > 0 and not question.small_talk
        scope = scope_of(conversation_key, self._settings.household)
        asked = await self._asked(scope, question, in_third_person(query) if wanted else "")
        of_users = self._settings.enable_user_memories
        readings = self._readings

        def enough(read: Sequence[Entry]) -> bool:
            # Not the archive's confidence: it is not known yet.
            eligible = (ranking.is_eligible(entry, 1.0, question) for entry in read)
            return sum(eligible) >= ENTRY_CANDIDATES

        def work(connection: Connection) -> tuple[FoundTurns, FoundEntries]:
            turns = self._turns(connection, conversation_key, scope, asked, message_id, readings)
            return turns, entries_beside(connection, turns)

        def entries_beside(connection: Connection, turns: FoundTurns) -> FoundEntries:
            about = focus.of_conversation(connection, conversation_key)
            beginning = FoundEntries(
                identity.document(connection, conversation_key.user) if of_users else "",
                focus.in_prompt(about),
            )
            if not wanted:
                return beginning
            where = focus.filter_of(about)
            found = entry_search.search(
                connection,
                scope,
                query,
                asked.vectors.entries,
                where,
                limit=entry_search.CANDIDATES,
                readings=readings,
                enough=enough,
            )
            waiting = log.not_extracted(connection, conversation_key.user, UNEXTRACTED_MESSAGES)
            slots = readings.slots(message.content for message in waiting)
            said = [hit.id for hit in turns.hits]

            def fits(hit: Hit) -> bool:
                entry = hit.entry
                # What the turn itself says need not be repeated to the model.
                own = message_id is not None and entry is not None
                if own and entry is not None and entry.source_message_id == message_id:
                    return False
                if not of_users and (entry is None or entry.scope == "user"):
                    return False
                return question.past or not is_outdated(hit.content, slots)

            return replace(
                beginning,
                hits=[hit for hit in found if fits(hit)],
                elsewhere=focus.told_elsewhere(connection, scope, where, said),
            )

        turns, found = await self._database.read(work)
        hits = found.hits
        is_of_others = about_others(query)
        now = self._clock()
        best = ranking.select_entries(
            hits,
            question,
            floor=self._settings.retrieval_min_similarity,
            limit=self._settings.retrieval_top_k,
            now=now,
            is_of_others=is_of_others,
        )
        best = [hit for hit in best if not ranking.repeats_a_fact(hit, best)]
        cited = {hit.entry.source_message_id for hit in best if hit.entry is not None}
        said = ranking.select_turns(
            [hit for hit in turns.hits if not is_of_others(hit.content)],
            question,
            known=turns.outdated
            | found.elsewhere
            | {message for message in cited if message is not None},
            held=turns.in_prompt,
            limit=self._settings.recall_turns,
        )
        recalled = self._affordable(
            list(ranking.interleaved([*map(_recalled, best)], [*map(_recalled, said)]))
        )
        search = NewRecall(
            conversation_key=conversation_key,
            message_id=message_id,
            query=None,
            created_at=now,
            took_ms=1_000.0 * (time.perf_counter() - started),
            hits=[*_logged_hits(best, hits), *turns.hits[:LOGGED_HITS]],
            injected=frozenset(memory.reference for memory in recalled),
        )
        context = MemoryContext(
            found.identity,
            found.task,
            recalled,
            asked_for=question.asks,
            read_at=now,
            search=search,
        )
        if message_id is not None:
            self.note_search(message_id, context)
        return context

    async def search(
        self, scope: MemoryScope, query: str, where: Filter, *, limit: int, turns: bool
    ) -> Sequence[Hit]:
        """The entries, and with ``turns`` the messages, that fit a query, best first. Raises
        StorageError."""
        wanted = in_third_person(query)
        filtered = entry_search.with_past(where, query)
        readings = self._readings
        if not turns:
            embedded = await self._embedding.query(wanted)
            return await self._database.read(
                lambda connection: entry_search.search(
                    connection,
                    scope,
                    query,
                    embedded,
                    filtered,
                    limit=limit,
                    readings=readings,
                )
            )
        names = await self._database.read(lambda connection: speakers(connection, scope))
        prepared = prepare(query, names)
        vectors = await self._queries.both(prepared, wanted)

        def work(connection: Connection) -> tuple[Sequence[Hit], Sequence[Hit]]:
            known = entry_search.search(
                connection,
                scope,
                query,
                vectors.entries,
                filtered,
                limit=limit,
                readings=readings,
            )
            said = search_turns(
                connection,
                scope,
                prepared,
                vectors.turns,
                limit=limit,
                since=where.since,
                until=where.until,
                cache=self._cache,
            )
            return known, said

        known, said = await self._database.read(work)
        return ranking.merge_hits(known, said, limit, by_time=not query.strip())

    def note_search(self, message_id: int, context: MemoryContext) -> None:
        """Keep a context's search until the reply to the message is logged."""
        if not isinstance(context.search, NewRecall):
            return
        self._pending[message_id] = replace(context.search, message_id=message_id)
        while len(self._pending) > PENDING_SEARCHES:
            self._pending.popitem(last=False)

    def drop_searches(self) -> None:
        """Drop all that is kept: what it was made of may have been erased."""
        self._pending.clear()
        self.drop_read()

    def drop_read(self) -> None:
        """Drop what was read: vectors, and what the rules found in texts."""
        self._cache.clear()
        self._readings = Readings()  # a search under way still writes to the former one

    def take_search(self, message_id: int) -> NewRecall | None:
        """Remove and return the kept search of a message; None: there is none."""
        return self._pending.pop(message_id, None)

    def _affordable(self, memories: Sequence[Recalled]) -> list[Recalled]:
        settings = self._settings
        tokens = ranking.budget_tokens(
            settings.context_budget_tokens,
            settings.max_added_first_token_ms,
            self._chat.prefill_ms_per_token,
        )
        return ranking.in_prompt_order(
            ranking.within_budget(memories, tokens, settings.max_user_memories)
        )

    async def _asked(self, scope: MemoryScope, question: Question, entries_text: str) -> AskedTurns:
        """A question, prepared for the search over former turns and, as ``entries_text``, for that
        over entries."""
        settings = self._settings
        if question.small_talk or settings.recall_turns == 0 or not settings.enable_user_memories:
            entries = await self._embedding.query(entries_text)
            return AskedTurns(question, vectors=EmbeddedQuestion(None, entries))
        names = await self._database.read(lambda connection: speakers(connection, scope))
        prepared = prepare(without_asking(question.text), names)
        vectors = await self._queries.both(prepared, entries_text)
        return AskedTurns(question, names, prepared, vectors)

    def _turns(
        self,
        connection: Connection,
        conversation_key: ConversationKey,
        scope: MemoryScope,
        asked: AskedTurns,
        message_id: int | None,
        readings: Readings,
    ) -> FoundTurns:
        """Former turns that share words or meaning with a question."""
        question = asked.question
        if asked.prepared is None:
            return FoundTurns()
        hits = search_turns(
            connection,
            scope,
            asked.prepared,
            asked.vectors.turns,
            limit=TURN_CANDIDATES,
            exclude_message_id=message_id,
            cache=self._cache,
        )
        held = log.recent(connection, conversation_key, self._working_memory)
        prompted = frozenset(message.id for message in held)
        said = [m for m in held if m.role == "user" and m.id != message_id]
        if question.slots and not asked.names:  # with names they may be another person's words
            waiting = log.not_extracted(connection, conversation_key.user, UNEXTRACTED_MESSAGES)
            statements = [*said, *(m for m in waiting if m.id != message_id)]
            hits = _answer_first(hits, readings.newest_answer(question, statements))
        found = [hit.id for hit in hits]
        past = question.past or question.history
        left_out = turn_search.no_longer_believed(
            connection, conversation_key.user, found, past=past
        )
        if not past:
            left_out |= _corrected_turns(hits, said, prompted, readings)
        return FoundTurns(hits, frozenset(left_out), prompted)


def _answer_first(hits: list[Hit], answer: LoggedMessage | None) -> list[Hit]:
    """The hits, best first; before them the message that is known to answer, if there is one."""
    if answer is None:
        return hits
    sure = Hit(
        kind="turn",
        id=answer.id,
        role=answer.role,
        content=answer.content,
        said_at=answer.created_at,
        score=0.0,
        confidence=1.0,
        parts={"told": 1.0},
    )
    return [sure, *(hit for hit in hits if hit.id != answer.id)]


def _corrected_turns(
    hits: Iterable[Hit],
    said: Sequence[LoggedMessage],
    prompted: Collection[int],
    readings: Readings,
) -> set[int]:
    """Former turns that the user may have corrected later in this conversation."""
    found = set[int]()
    told = [(message, readings.slots([message.content])) for message in said]
    for hit in hits:
        if hit.role == "user" and hit.confidence >= TURN_FLOOR:
            later = [one for one in told if one[0].id > hit.id]
            taken_back = hit.id in prompted and is_taken_back([one.content for one, _ in later])
            newer = frozenset[str]().union(*(slots for _, slots in later))
            if taken_back or readings.is_restated(hit.content, newer):
                found.add(hit.id)
    return found


def _logged_hits(best: Sequence[Hit], hits: Sequence[Hit]) -> list[Hit]:
    """The chosen hits and the best of the others, so that the log shows why one was left out."""
    taken = {hit.id for hit in best}
    return [*best, *(hit for hit in hits if hit.id not in taken)][: LOGGED_HITS + len(best)]


def _recalled(hit: Hit) -> Recalled:
    return Recalled(
        kind=hit.kind,
        id=hit.id,
        content=hit.content,
        said_at=hit.said_at,
        confidence=hit.confidence,
        past=hit.entry is not None and hit.entry.status == "past",
        source=None if hit.entry is None else hit.entry.source,
        category=None if hit.entry is None else hit.entry.category,
        role=hit.role,
        speaker=hit.speaker,
    )
