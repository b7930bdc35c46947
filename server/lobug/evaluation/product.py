"""The memory under evaluation: Lo-Bug's own, with real SQLite and the embedder of the settings.

Turns are logged as a conversation logs them; memories are stored, corrected and forgotten as the
owner does it. There is no chat model: facts are not extracted and nothing is summarised, so a case
stores the memories that it needs.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Literal, Protocol

import numpy as np

from lobug.engines.base import ChatMessage, ChatModel, ChatOptions, Embedder, EngineStatus, Vectors
from lobug.errors import EngineUnavailableError
from lobug.language.claims import Heard
from lobug.memory.model import (
    ConversationKey,
    Draft,
    EntryScope,
    Filter,
    HouseholdGrant,
    MemoryScope,
)
from lobug.memory.service import Memory
from lobug.priority import TurnPriority
from lobug.settings import MemorySettings, Settings
from lobug.storage.places import FILES, DatabasePlace


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that was recalled."""

    kind: Literal["memory", "turn"]
    id: int
    """Of the entry, or of the message."""
    text: str

    @property
    def reference(self) -> str:
        """ "memory:ID" or "turn:ID"."""
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class RecallAnswer:
    """Memory's answer to a question."""

    found: Sequence[Found]
    """By the search over memories and turns, best first."""
    prompted: Sequence[Found]
    """What would go into the chat model's prompt: results above the relevance floor."""
    search_ms: float
    """Duration of the search, with the question's embedding."""
    context_ms: float
    """Duration of collecting what goes into the prompt."""


class Subject(Protocol):
    """A memory under evaluation. Times are seconds since the epoch and never go back, except that a
    question's ``at`` may lie before the last addition."""

    async def add_turn(self, scope: MemoryScope, at: float, said: str, reply: str) -> int:
        """Somebody says something and is answered. Returns the id of the user's message."""

    async def store(
        self,
        scope: MemoryScope,
        at: float,
        content: str,
        *,
        key: str | None,
        visibility: EntryScope,
        cites: int | None,
    ) -> int:
        """Store a memory, taken from the turn ``cites``. Returns the entry's id."""

    async def correct(self, scope: MemoryScope, at: float, entry: int, content: str) -> int:
        """Correct an entry. Returns the id of the entry that replaces it."""

    async def forget(self, scope: MemoryScope, at: float, entry: int) -> None:
        """Forget an entry and what it came from."""

    async def forget_text(self, scope: MemoryScope, at: float, text: str) -> None:
        """Forget whatever says this."""

    async def embed_pending(self) -> None:
        """Finish background work: embedding."""

    async def ask(self, scope: MemoryScope, at: float, question: str, limit: int) -> RecallAnswer:
        """Recall what fits a question, at most ``limit`` results of the search."""

    async def kept(self, scope: MemoryScope) -> str:
        """All texts of the person's export."""


class SubjectMaker(Protocol):
    """Makes an empty memory for each case."""

    def __call__(
        self, household: Mapping[str, HouseholdGrant]
    ) -> AbstractAsyncContextManager[Subject]:
        """An empty memory that is gone afterwards. ``household``: who may see the household's."""


NEVER = 1_000_000_000
"""A threshold that no case reaches."""


class NoChat:
    """A chat model that finds no facts and can do nothing else."""

    context_tokens = 4096
    prefill_ms_per_token = None

    async def start(self) -> None:
        """Nothing to do."""

    async def close(self) -> None:
        """Nothing to do."""

    def status(self) -> EngineStatus:
        return EngineStatus("none", "", ready=True)

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        """Yield no facts. Raises EngineUnavailableError when free text is asked for."""
        if options.json_schema is None:
            raise EngineUnavailableError("chat", "an evaluation has no chat model")
        yield "[]"

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        """Nothing to do."""

    def forget(self, belongs: Callable[[str], bool]) -> None:
        """Nothing to do."""


class CachingEmbedder:
    """An embedder that caches vectors, because the turns of a world are embedded for many cases.

    While ``caching`` is False every vector is computed: for questions, whose time is measured.
    """

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self._known: dict[str, Vectors] = {}
        self.caching = True

    @property
    def model_id(self) -> str:
        return self._inner.model_id

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    async def start(self) -> None:
        await self._inner.start()

    async def close(self) -> None:
        await self._inner.close()

    def status(self) -> EngineStatus:
        return self._inner.status()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed each text. Raises EngineError."""
        if not self.caching or not texts:
            return await self._inner.embed(texts)
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, await self._inner.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])


class Clock:
    """A clock that the evaluation sets to the time of each step. Seconds since the epoch."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Product:
    """A ``Subject`` over Lo-Bug's own, started memory."""

    def __init__(self, memory: Memory, clock: Clock, embedder: CachingEmbedder) -> None:
        self._memory = memory
        self._clock = clock
        self._embedder = embedder

    async def add_turn(self, scope: MemoryScope, at: float, said: str, reply: str) -> int:
        self._clock.now = at
        conversation_key = _conversation_of(scope)
        # A case says which memories there are: `lobug eval truth` measures what the rules read.
        message = await self._memory.log_user_message(conversation_key, said, heard=Heard())
        await self._memory.log_reply(conversation_key, message, reply, extract=True)
        return message

    async def store(
        self,
        scope: MemoryScope,
        at: float,
        content: str,
        *,
        key: str | None,
        visibility: EntryScope,
        cites: int | None,
    ) -> int:
        self._clock.now = at
        draft = Draft(content, key=key, scope=visibility, source_message_id=cites)
        return (await self._memory.store(scope, draft)).id

    async def correct(self, scope: MemoryScope, at: float, entry: int, content: str) -> int:
        self._clock.now = at
        return (await self._memory.correct(scope, entry, content)).id

    async def forget(self, scope: MemoryScope, at: float, entry: int) -> None:
        self._clock.now = at
        await self._memory.forget(scope, entry)

    async def forget_text(self, scope: MemoryScope, at: float, text: str) -> None:
        self._clock.now = at
        await self._memory.forget_text(scope, text)

    async def embed_pending(self) -> None:
        await warm_up(self._memory)

    async def ask(self, scope: MemoryScope, at: float, question: str, limit: int) -> RecallAnswer:
        """Search, and collect what would go into the prompt; each embeds the question itself."""
        self._clock.now = at
        self._embedder.caching = False
        try:
            started = perf_counter()
            hits = await self._memory.search(scope, question, Filter(), limit=limit, turns=True)
            searched = perf_counter()
            context = await self._memory.retrieve_context(_conversation_of(scope), question)
            ended = perf_counter()
        finally:
            self._embedder.caching = True
        return RecallAnswer(
            found=[Found(hit.kind, hit.id, hit.content) for hit in hits],
            prompted=[Found(part.kind, part.id, part.content) for part in context.recalled],
            search_ms=1_000 * (searched - started),
            context_ms=1_000 * (ended - searched),
        )

    async def kept(self, scope: MemoryScope) -> str:
        return "\n".join(texts_of(await self._memory.export(scope)))


async def warm_up(memory: Memory) -> None:
    """Embed all that waits, and search once, so that no question pays for what is loaded at first
    use."""
    await memory.process_due()
    await memory.search(MemoryScope("nobody", None), "anything", Filter(), turns=True)


@asynccontextmanager
async def opened(
    settings: MemorySettings,
    embedder: Embedder,
    clock: Clock,
    chat: ChatModel,
    *,
    working_memory: int = 20,
    place: DatabasePlace = FILES,
) -> AsyncIterator[Memory]:
    """An empty memory in a temporary folder, or in the empty database that ``place`` names, without
    its worker. Raises StorageError."""
    with tempfile.TemporaryDirectory(prefix="lobug-eval-") as folder:
        memory = Memory(
            settings,
            Path(folder) / "memory.db",
            chat=chat,
            embedder=embedder,
            priority=TurnPriority(),
            clock=clock,
            working_memory=working_memory,
            place=place,
        )
        await memory.start(work=False)
        try:
            yield memory
        finally:
            await memory.close()


class ProductMaker:
    """Makes empty memories of Lo-Bug's own, each in a database of its own."""

    def __init__(self, settings: MemorySettings, embedder: Embedder) -> None:
        self._settings = settings.model_copy(
            update={
                "enabled": True,
                "enable_summarization": False,
                "long_term_threshold": NEVER,
                "recall_timeout_s": 60.0,  # a busy machine must not change what is found
            }
        )
        self._embedder = CachingEmbedder(embedder)

    @asynccontextmanager
    async def __call__(self, household: Mapping[str, HouseholdGrant]) -> AsyncIterator[Subject]:
        """An empty memory. Raises StorageError."""
        clock = Clock()
        settings = self._settings.model_copy(update={"household": dict(household)})
        # Working memory goes into the prompt without being recalled, so it holds nothing here.
        async with opened(settings, self._embedder, clock, NoChat(), working_memory=0) as memory:
            yield Product(memory, clock, self._embedder)


@asynccontextmanager
async def started_embedder(settings: Settings) -> AsyncIterator[Embedder]:
    """The embedder that a server with these settings would use. Raises EngineError."""
    from lobug.engines.ollama import OllamaProbes  # noqa: PLC0415
    from lobug.engines.selection import choose_embedder  # noqa: PLC0415 - inference libraries

    embedder, _ = await choose_embedder(settings, OllamaProbes(settings.ollama))
    try:
        await embedder.start()
        yield embedder
    finally:
        await embedder.close()


def texts_of(document: object) -> Iterator[str]:
    """The strings in a JSON document, keys included. Numbers are left out: they are times and ids,
    and may hold any digits."""
    if isinstance(document, str):
        yield document
    elif isinstance(document, Mapping):
        for key, value in document.items():
            yield str(key)
            yield from texts_of(value)
    elif isinstance(document, Sequence):
        for value in document:
            yield from texts_of(value)


def _conversation_of(scope: MemoryScope) -> ConversationKey:
    return ConversationKey(scope.user, scope.conversation or scope.user)
