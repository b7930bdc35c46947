"""Runs the LoCoMo benchmark: logs its conversations in a memory, asks the questions, counts.

Each conversation is the log of one user in a database of its own. Turns are logged as in a
conversation, with speaker and time; the background worker embeds them; the owner's search ranks
them. A language model takes part only if facts are to be extracted.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from time import perf_counter
from typing import Any, Final, Protocol

from lobug.conversation.prompt import notes
from lobug.engines.base import ChatMessage, ChatModel, ChatOptions, Embedder, EngineStatus, Vectors
from lobug.errors import EngineError, EngineUnavailableError
from lobug.evaluation.locomo import CATEGORIES, Conversation, Place
from lobug.evaluation.metrics import all_at, mean, ndcg_at, percentile, recall_at, reciprocal_rank
from lobug.evaluation.product import NEVER, CachingEmbedder, Clock, NoChat, opened, warm_up
from lobug.language.en.prompts import FACTS_SCHEMA
from lobug.memory.model import ConversationKey, Filter, Hit, MemoryScope, Recalled
from lobug.memory.recall.ranking import tokens_of
from lobug.memory.service import Memory
from lobug.memory.turns import REPLY_DEADLINE_S
from lobug.settings import MemorySettings
from lobug.storage.places import FILES, DatabasePlace

DEPTH: Final = 20
"""How many results are asked for: the largest k of the figures."""

METRICS: Final = ("recall@5", "recall@10", "recall@20", "all@10", "mrr", "ndcg@10")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its results."""

    category: int
    evidence: frozenset[Place]
    ranked: Sequence[Place | None]
    """Results, best first. None: a memory that cites no turn; it takes a rank too."""
    took_ms: float
    """Duration of the search, with the question's embedding, milliseconds."""
    tokens: int
    """Estimated tokens that the ten best results would add to a prompt."""


@dataclass(frozen=True, slots=True)
class Examined:
    """A conversation with its questions asked."""

    conversation: Conversation
    asked: Sequence[Asked]
    entries: int
    """Number of memories, which are extracted facts; turns do not count."""
    embedder_failures: int
    """Failures of the embedder. Turns without a vector are found by their words only."""


def report(
    runs: Sequence[Examined], *, embedder: str, ignored: Sequence[str] = ()
) -> dict[str, Any]:
    """All figures of a run, as ``--json`` prints them.

    The metrics at the top are means over all questions; ``macro`` are means over conversations.
    A figure of nothing is None.
    """
    asked = [each for run in runs for each in run.asked]
    conversations = [run.conversation for run in runs]
    per_conversation = {
        run.conversation.name: {
            **metrics(run.asked),
            "questions": len(run.asked),
            "turns": run.conversation.turns,
        }
        for run in runs
    }
    times = [each.took_ms for each in asked]
    return {
        **metrics(asked),
        "by_category": {
            name: {
                "category": number,
                **metrics(of_category := [each for each in asked if each.category == number]),
                "questions": len(of_category),
            }
            for number, name in CATEGORIES.items()
        },
        "macro": _macro(list(per_conversation.values())),
        "per_conversation": per_conversation,
        "ms_per_query": _rounded(mean(times), 2),
        "ms_per_query_p50": _rounded(percentile(times, 0.5), 2),
        "ms_per_query_p95": _rounded(percentile(times, 0.95), 2),
        "tokens": _rounded(mean([each.tokens for each in asked]), 1),
        "conversations": len(runs),
        "turns": sum(each.turns for each in conversations),
        "entries": sum(run.entries for run in runs),
        "questions": len(asked),
        "skipped": sum(each.skipped for each in conversations),
        "adversarial": sum(each.adversarial for each in conversations),
        "evidence_mended": sum(each.mended for each in conversations),
        "evidence_dangling": sum(each.dangling for each in conversations),
        "embedder_failures": sum(run.embedder_failures for run in runs),
        "ignored_files": list(ignored),
        "embedder": embedder,
    }


def metrics(asked: Sequence[Asked]) -> dict[str, float | None]:
    """The means of METRICS over questions."""
    rankings = [(_places(each), each.evidence) for each in asked]
    figures = (
        mean([recall_at(ranked, evidence, 5) for ranked, evidence in rankings]),
        mean([recall_at(ranked, evidence, 10) for ranked, evidence in rankings]),
        mean([recall_at(ranked, evidence, 20) for ranked, evidence in rankings]),
        mean([all_at(ranked, evidence, 10) for ranked, evidence in rankings]),
        mean([reciprocal_rank(ranked, evidence) for ranked, evidence in rankings]),
        mean([ndcg_at(ranked, evidence, 10) for ranked, evidence in rankings]),
    )
    return {name: _rounded(figure, 4) for name, figure in zip(METRICS, figures, strict=True)}


def _places(asked: Asked) -> list[Place | tuple[str, int]]:
    """The ranking, with a distinct name for each memory that cites no turn: each takes a rank."""
    return [("memory", rank) if place is None else place for rank, place in enumerate(asked.ranked)]


def _macro(rows: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    return {
        name: _rounded(mean([row[name] for row in rows if row[name] is not None]), 4)
        for name in METRICS
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


READER = ConversationKey("reader", "reader-desk")
ACCESS = MemoryScope(READER.user, READER.conversation)

TURN_S = 15.0
"""From one turn of a session to the next, seconds; the files say only when a session began."""

LATER = timedelta(days=1)
"""How long after the last session the questions are asked."""

PROMPTED = 10
"""Results whose tokens are estimated."""


class Progress(Protocol):
    """Called for each finished piece of work: a turn logged, its facts extracted, a question."""

    def __call__(self, pieces: int = 1, /) -> None:
        """Count ``pieces`` as done."""


def pieces(conversations: Sequence[Conversation], *, facts: bool) -> int:
    """The number of pieces of work, as ``Progress`` counts them."""
    return sum((1 + facts) * each.turns + len(each.questions) for each in conversations)


async def examine(
    conversations: Sequence[Conversation],
    settings: MemorySettings,
    embedder: Embedder,
    progress: Progress,
    *,
    chat: ChatModel | None = None,
    places: Callable[[], DatabasePlace] = lambda: FILES,
) -> list[Examined]:
    """All conversations, one after the other. ``chat``: extracts facts; None: there are none.
    ``places``: an empty database for each. Raises StorageError."""
    caching = _FailuresCounted(embedder)
    return [
        await _examine(each, settings, caching, progress, chat, places()) for each in conversations
    ]


async def _examine(
    conversation: Conversation,
    settings: MemorySettings,
    embedder: _FailuresCounted,
    progress: Progress,
    chat: ChatModel | None,
    place: DatabasePlace,
) -> Examined:
    failures = embedder.failures
    filled = filled_memory(conversation, settings, embedder, progress, chat=chat, place=place)
    async with filled as (memory, places):
        asked = []
        for question in conversation.questions:
            started = perf_counter()
            hits = await memory.search(ACCESS, question.text, Filter(), limit=DEPTH, turns=True)
            took_ms = 1_000.0 * (perf_counter() - started)
            asked.append(
                Asked(
                    question.category,
                    question.evidence,
                    [_place(hit, places) for hit in hits],
                    took_ms,
                    tokens_of(notes([_recalled(hit) for hit in hits[:PROMPTED]])),
                )
            )
            progress()
        entries = await _count_entries(memory, ACCESS)
        return Examined(conversation, asked, entries, embedder.failures - failures)


@asynccontextmanager
async def filled_memory(
    conversation: Conversation,
    settings: MemorySettings,
    embedder: CachingEmbedder,
    progress: Progress,
    *,
    chat: ChatModel | None = None,
    place: DatabasePlace = FILES,
) -> AsyncIterator[tuple[Memory, Mapping[int, Place]]]:
    """A memory that holds a conversation, a day after its last session, and the place of each turn
    by its message's id. While it is open, embeddings are not cached. Raises StorageError."""
    clock = Clock()
    extracting = None if chat is None else _OnlyFacts(chat, progress, conversation.turns)
    # Nothing is summed up: the benchmark asks for turns.
    settings = settings.model_copy(
        update={
            "enabled": True,
            "enable_summarization": False,
            "long_term_threshold": NEVER,
        }
    )
    asked = extracting or NoChat()
    async with opened(settings, embedder, clock, asked, place=place) as memory:
        places = await _log_turns(memory, conversation, clock, progress)
        if extracting is not None:
            clock.now += REPLY_DEADLINE_S + 1.0
            for _ in range(settings.max_extraction_attempts):
                await memory.process_due()
                clock.now += settings.retry_delay_s
            extracting.finish()
        await warm_up(memory)
        clock.now = max(s.at for s in conversation.sessions).timestamp() + LATER.total_seconds()
        embedder.caching = False
        try:
            yield memory, places
        finally:
            embedder.caching = True


async def _log_turns(
    memory: Memory, conversation: Conversation, clock: Clock, progress: Progress
) -> dict[int, Place]:
    """Log every turn. Returns the places by the messages' ids."""
    places: dict[int, Place] = {}
    for session in conversation.sessions:
        began = session.at.timestamp()
        for order, turn in enumerate(session.turns):
            said_at = began + order * TURN_S
            clock.now = max(clock.now, said_at)
            message = await memory.log_user_message(
                READER, turn.text, speaker=turn.speaker, said_at=said_at
            )
            places[message] = turn.place
            progress()
    return places


def _place(hit: Hit, places: Mapping[int, Place]) -> Place | None:
    """A memory counts as the turn that it was taken from."""
    if hit.kind == "turn":
        return places.get(hit.id)
    source = None if hit.entry is None else hit.entry.source_message_id
    return None if source is None else places.get(source)


def _recalled(hit: Hit) -> Recalled:
    return Recalled(
        hit.kind,
        hit.id,
        hit.content,
        hit.said_at,
        hit.confidence,
        role=hit.role,
        speaker=hit.speaker,
    )


async def _count_entries(memory: Memory, scope: MemoryScope) -> int:
    count = last = 0
    while page := await memory.entries(scope, Filter(), limit=500, after_id=last):
        count += len(page)
        last = page[-1].id
    return count


class _FailuresCounted(CachingEmbedder):
    """Counts failures of the embedder, after which memory searches by words alone."""

    failures = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text. Raises EngineError."""
        try:
            return await super().embed(texts)
        except EngineError:
            self.failures += 1
            raise


class _OnlyFacts(NoChat):
    """A chat model that only extracts facts and writes no summaries. Its owner starts and closes
    it."""

    def __init__(self, chat: ChatModel, progress: Progress, turns: int) -> None:
        self.context_tokens = chat.context_tokens
        self._chat = chat
        self._progress = progress
        self._left = turns

    def finish(self) -> None:
        """Count the turns for which the model was not asked."""
        self._progress(self._left)
        self._left = 0

    def status(self) -> EngineStatus:
        return self._chat.status()

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """The model's answer. Raises EngineError, EngineUnavailableError for all but facts."""
        if options.json_schema != FACTS_SCHEMA:
            raise EngineUnavailableError("chat", "this evaluation only extracts facts")
        if self._left:
            self._left -= 1
            self._progress()
        async with aclosing(self._chat.stream(messages, options)) as answer:
            async for piece in answer:
                yield piece

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Pass it on to the model."""
        self._chat.forget(belongs)
