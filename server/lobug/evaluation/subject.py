"""What an evaluation asks of a memory: the doors that life uses too, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from lobug.memory.access import Access, HouseholdGrant, Scope


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
class Answer:
    """What memory has to say to a question."""

    found: Sequence[Found]
    """By the search over memories and turns, best first."""
    prompted: Sequence[Found]
    """What would go to the chat model's prompt: what is above the relevance floor."""
    search_ms: float
    """Of the search, with the question's embedding."""
    context_ms: float
    """Of what goes to the prompt."""


class Subject(Protocol):
    """A memory that is examined. Times are seconds since the epoch and never go back, except that
    a question's ``at`` may lie before what was added last."""

    async def add_turn(self, access: Access, at: float, said: str, reply: str) -> int:
        """Somebody says something and is answered. Returns the id of the user's message."""

    async def store(
        self,
        access: Access,
        at: float,
        content: str,
        *,
        key: str | None,
        scope: Scope,
        cites: int | None,
    ) -> int:
        """Store a memory, taken from the turn ``cites``. Returns the entry's id."""

    async def correct(self, access: Access, at: float, entry: int, content: str) -> int:
        """Put an entry right. Returns the id of what replaces it."""

    async def forget(self, access: Access, at: float, entry: int) -> None:
        """Forget an entry and what it came from."""

    async def forget_text(self, access: Access, at: float, text: str) -> None:
        """Forget whatever says this."""

    async def settle(self) -> None:
        """Finish what is done in the background: embedding."""

    async def ask(self, access: Access, at: float, question: str, limit: int) -> Answer:
        """Recall what fits a question, at most ``limit`` results of the search."""

    async def kept(self, access: Access) -> str:
        """All that is kept of the person, as an export gives it."""


class SubjectMaker(Protocol):
    """Makes empty memories, one for each case."""

    def __call__(
        self, household: Mapping[str, HouseholdGrant]
    ) -> AbstractAsyncContextManager[Subject]:
        """An empty memory that is gone afterwards. ``household``: who may see the household's."""
