"""Memories for the evaluation's recall cases: one that knows all answers, and faulty ones."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from lobug.evaluation.case_run import scope_of
from lobug.evaluation.cases import Case, Correct, Question, Say, Store, load_worlds
from lobug.evaluation.product import (
    Found,
    RecallAnswer,
    Subject,
    SubjectMaker,
)
from lobug.memory.model import HOUSEHOLD, EntryScope, HouseholdGrant, MemoryScope


class OracleSubject:
    """Finds exactly what a question expects, because it has read the cases."""

    def __init__(self, cases: Sequence[Case]) -> None:
        people = {world.name: world.who for world in load_worlds().values()}
        self._expected = {
            (question.ask, scope_of(case, who, question.device).conversation, words)
            for case in cases
            for question in case.questions
            for who in [question.who or case.who or people[case.world]]
            for words in self._words(case, question)
        }
        self.everything: list[tuple[str, Found]] = []

    @staticmethod
    def _words(case: Case, question: Question) -> list[str]:
        wanted = [step for step in case.steps if step.id in question.expect]
        return [
            step.say * step.repeat
            if isinstance(step, Say)
            else step.store
            if isinstance(step, Store)
            else step.to
            for step in wanted
            if isinstance(step, Say | Store | Correct)
        ]

    def _add(self, found: Found, owner: str) -> int:
        self.everything.append((owner, found))
        return found.id

    async def add_turn(self, scope: MemoryScope, at: float, said: str, reply: str) -> int:
        return self._add(Found("turn", len(self.everything), said), scope.user)

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
        owner = HOUSEHOLD if visibility == "household" else scope.user
        return self._add(Found("memory", len(self.everything), content), owner)

    async def correct(self, scope: MemoryScope, at: float, entry: int, content: str) -> int:
        return self._add(Found("memory", len(self.everything), content), scope.user)

    async def forget(self, scope: MemoryScope, at: float, entry: int) -> None:
        pass

    async def forget_text(self, scope: MemoryScope, at: float, text: str) -> None:
        pass

    async def embed_pending(self) -> None:
        pass

    async def ask(self, scope: MemoryScope, at: float, question: str, limit: int) -> RecallAnswer:
        found = [
            found
            for owner, found in self.everything
            if owner in {scope.user, HOUSEHOLD}
            and (question, scope.conversation, found.text) in self._expected
        ]
        return RecallAnswer(found[:limit], found[:5], 1.0, 1.0)

    async def kept(self, scope: MemoryScope) -> str:
        return ""


class LeakingSubject(OracleSubject):
    """Returns all memories of all users, oldest first, and forgets nothing."""

    async def ask(self, scope: MemoryScope, at: float, question: str, limit: int) -> RecallAnswer:
        found = [found for _, found in self.everything]
        return RecallAnswer(found, found, 1.0, 1.0)

    async def kept(self, scope: MemoryScope) -> str:
        return "\n".join(found.text for _, found in self.everything)


class EmptySubject(OracleSubject):
    """Recalls nothing."""

    async def ask(self, scope: MemoryScope, at: float, question: str, limit: int) -> RecallAnswer:
        return RecallAnswer([], [], 1.0, 1.0)


def subject_maker(kind: type[OracleSubject], cases: Sequence[Case]) -> SubjectMaker:
    """Return a maker of memories of one class."""

    @asynccontextmanager
    async def make(household: Mapping[str, HouseholdGrant]) -> AsyncIterator[Subject]:
        yield kind(cases)

    return make
