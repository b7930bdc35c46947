"""A command to memory: what it does, what it works with and what Lo-Bug answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from lobug.conversation.dialogue import PATIENCE_S, Question
from lobug.conversation.registry import Conversation
from lobug.errors import MemoryNotFoundError
from lobug.memory.model import Entry, Hit, MemoryScope
from lobug.memory.service import Memory

BLANKED = "[asked to forget something]"
"""Logged instead of a request to forget, which repeats the words to be forgotten."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What Lo-Bug says after a command."""

    sentences: tuple[str, ...]
    extract: bool = False
    """Whether facts are extracted from the words, because nothing was stored."""


@dataclass(frozen=True, slots=True)
class Command:
    """A recognized command, ready to run."""

    logged: str
    """What is logged as the user's words."""
    act: Callable[[int], Awaitable[Answer]]
    """Runs the command; takes the id of the logged message. Raises the ``Memory...Error`` classes
    and StorageError."""
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

    def say(self, *sentences: str, logged: str | None = None) -> Command:
        """A command that only answers."""

        async def act(_: int) -> Answer:
            return Answer(sentences)

        return Command(self.text if logged is None else logged, act)

    def ask(self, question: str, kind: Question, *, logged: str | None = None) -> Command:
        """A command that asks a question; the next turn may answer it."""

        async def act(_: int) -> Answer:
            self.conversation.dialogue.question = kind
            return Answer((question,))

        return Command(self.text if logged is None else logged, act)

    def until(self) -> float:
        """When a question of this turn expires, seconds of the turns' clock."""
        return self.now + PATIENCE_S

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
