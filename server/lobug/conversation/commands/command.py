"""A turn that is about memory itself: what is to be done and what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from lobug.conversation.dialogue import PATIENCE_S, Question
from lobug.conversation.registry import Conversation
from lobug.errors import MemoryNotFoundError
from lobug.memory.model import Entry, Hit, MemoryScope
from lobug.memory.service import Memory

BLANKED = "[asked to forget something]"
"""What the log holds instead of a request to forget, which repeats what is to be forgotten."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What Lo-Bug says when it has been done."""

    sentences: tuple[str, ...]
    extract: bool = False
    """The words may hold a fact that was not stored: it is extracted as ever."""


@dataclass(frozen=True, slots=True)
class Command:
    """What a turn asks of memory, ready to be done."""

    logged: str
    """The user's words as the log gets them."""
    act: Callable[[int], Awaitable[Answer]]
    """Does it; takes the id of the logged message. Raises the ``Memory...Error`` classes and
    StorageError."""
    logged_last: bool = False
    """The log gets the words only afterwards (and ``act`` no id, 0): the log itself is erased."""


@dataclass(frozen=True, slots=True)
class CommandContext:
    """What a command works with in one turn."""

    memory: Memory
    conversation: Conversation
    scope: MemoryScope
    text: str
    """What was said."""
    now: float
    """Seconds of the turns' clock."""
    today: float
    """Seconds since the epoch."""

    def say(self, *sentences: str, logged: str | None = None) -> Command:
        """A command that only answers."""

        async def act(_: int) -> Answer:
            return Answer(sentences)

        return Command(self.text if logged is None else logged, act)

    def ask(self, question: str, kind: Question, *, logged: str | None = None) -> Command:
        """A command that asks something; the next turn may answer it."""

        async def act(_: int) -> Answer:
            self.conversation.dialogue.question = kind
            return Answer((question,))

        return Command(self.text if logged is None else logged, act)

    def until(self) -> float:
        """How long an answer to a question of this turn is waited for."""
        return self.now + PATIENCE_S

    async def used(self) -> tuple[Hit, ...]:
        """What the last turn took from memory: what it recited, or what its prompt was given."""
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
    """An entry as something that was found, whatever for."""
    return Hit("memory", entry.id, entry.content, entry.said_at, 1.0, 1.0, entry=entry)
