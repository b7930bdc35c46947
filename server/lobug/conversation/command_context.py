"""What a command to memory is, what it works with and what it answers.

A ``Command`` is ready to run; making one changes nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from lobug.conversation.registry import PATIENCE_S, Conversation, Question
from lobug.errors import MemoryNotFoundError
from lobug.language.claims import Heard
from lobug.memory.claims.lookup import Found
from lobug.memory.model import Entry, Filter, Hit, MemoryScope
from lobug.memory.service import Memory

LIKELY = 0.5
"""Lowest confidence at which an entry without the words said is recited or asked about, and at
which what no relation holds may answer a question."""


@dataclass(frozen=True, slots=True)
class CommandAnswer:
    """What Lo-Bug says after a command."""

    sentences: tuple[str, ...]
    extract: bool = False
    """Whether facts are extracted from the words, because nothing was stored."""
    logged: str | None = None
    """What is logged as the reply, where it must not be what is said; None: the sentences."""
    citation: str = ""
    """Where the answer is known from: said after the sentences, and not logged, because the chat
    model would imitate it."""


@dataclass(frozen=True, slots=True)
class Command:
    """A recognized command, ready to run."""

    logged: str
    """What is logged as the user's words."""
    act: Callable[[int], Awaitable[CommandAnswer]]
    """Runs the command; takes the id of the logged message. Raises the ``Memory...Error`` classes
    and StorageError."""
    heard: Heard | None = None
    """What ``logged`` claims; None: what the rules read in it."""
    by: str = "memory"
    """What carries it out: memory, the name of a skill, or refusal."""
    logged_last: bool = False
    """The words are logged after ``act`` (which gets the id 0), because ``act`` erases the log."""


@dataclass(frozen=True, slots=True)
class CommandContext:
    """What a command works with in one turn."""

    memory: Memory
    conversation: Conversation
    scope: MemoryScope
    text: str
    """The user's words."""
    now: float
    """Seconds of the turns' clock."""
    today: float
    """Seconds since the epoch."""
    cites: bool = False
    """Whether the answer to a question is to end with where it is known from."""

    def say(self, *sentences: str, logged: str | None = None) -> Command:
        """A command that only answers."""

        async def act(_: int) -> CommandAnswer:
            return CommandAnswer(sentences)

        return Command(self.text if logged is None else logged, act)

    def ask(self, question: str, kind: Question, *, logged: str | None = None) -> Command:
        """A command that asks a question; the next turn may answer it."""

        async def act(_: int) -> CommandAnswer:
            self.conversation.dialogue.question = kind
            return CommandAnswer((question,))

        return Command(self.text if logged is None else logged, act)

    def until(self) -> float:
        """When a question of this turn expires, seconds of the turns' clock."""
        return self.now + PATIENCE_S

    async def search(self, query: str, limit: int) -> list[tuple[Hit, Entry]]:
        """The entries that match a query, the best first, each with its hit."""
        hits = await self.memory.search(self.scope, query, Filter(), limit=limit)
        return [(hit, hit.entry) for hit in hits if hit.entry is not None]

    async def find(self, topic: str) -> Found | None:
        """What is claimed of a topic ("where I live", "my sister"). None: it names no subject that
        is known, or several."""
        claims = self.memory.claims
        asked = claims.reader.read_topic(topic)
        if asked is None:
            return None
        found = await claims.find(self.conversation.conversation_key, asked)
        return found if isinstance(found, Found) else None

    async def used(self) -> tuple[Hit, ...]:
        """The hits that the last turn used: those it recited, or those of its prompt."""
        recited = self.conversation.dialogue.recited
        if recited is not None:
            return recited
        said = await self.memory.recent_messages(self.conversation.conversation_key, 8)
        last = next((message.id for message in reversed(said) if message.role == "user"), None)
        if last is None:
            return ()
        try:
            recall = await self.memory.explain(self.scope, last)
        except MemoryNotFoundError:
            return ()
        return tuple(hit for hit in recall.hits if f"{hit.kind}:{hit.id}" in recall.injected)


def hit_of(entry: Entry) -> Hit:
    """An entry as a hit with full confidence."""
    return Hit("memory", entry.id, entry.content, entry.said_at, 1.0, 1.0, entry=entry)


def entries_of(hits: Sequence[Hit]) -> tuple[Entry, ...]:
    """The entries among hits."""
    return tuple(hit.entry for hit in hits if hit.entry is not None)
