"""What the rules read in texts that searches meet again and again, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from lobug.language.en import fact_comparison, perspective, speech_acts, words
from lobug.language.en.questions import Question
from lobug.memory.model import LoggedMessage

KEPT = 4_096
"""Texts of which it is kept what was read in them."""

LONGEST_KEPT = 1_000
"""Characters of a text of which that is kept."""


def content_stems(text: str) -> frozenset[str]:
    """The stems of a text's content words."""
    return frozenset(words.stems(words.content_words(text)))


def slots_in(message: str) -> frozenset[str]:
    """The slots (home, name, age ...) that a message gives a value for."""
    found = map(perspective.about_the_user, speech_acts.statements(message))
    slots = map(fact_comparison.slot_of, found)
    return frozenset(slot for slot in slots if slot is not None)


class Readings:
    """Keeps what was read, by the text itself. For any thread."""

    def __init__(self) -> None:
        self._stems = lru_cache(KEPT)(content_stems)
        self._slots = lru_cache(KEPT)(slots_in)

    def stems(self, text: str) -> frozenset[str]:
        """As ``content_stems``."""
        return self._read(text, self._stems, content_stems)

    def slots(self, messages: Iterable[str]) -> frozenset[str]:
        """The slots that these messages give a value for."""
        found = [self._read(message, self._slots, slots_in) for message in messages]
        return frozenset[str]().union(*found)

    def is_restated(self, said: str, newer: frozenset[str]) -> bool:
        """Whether words give a value for one of these slots, which have newer ones."""
        return bool(newer) and not newer.isdisjoint(self.slots([said]))

    def newest_answer(
        self, question: Question, said: Iterable[LoggedMessage]
    ) -> LoggedMessage | None:
        """The user's last message that holds the value the question asks for, if a person has only
        one of it."""
        if not question.slots:
            return None
        telling = (one for one in said if not question.slots.isdisjoint(self.slots([one.content])))
        return max(telling, key=lambda message: message.id, default=None)

    @staticmethod
    def _read(
        text: str,
        kept: Callable[[str], frozenset[str]],
        read: Callable[[str], frozenset[str]],
    ) -> frozenset[str]:
        return (kept if len(text) <= LONGEST_KEPT else read)(text)


def is_outdated(content: str, slots: frozenset[str]) -> bool:
    """Whether an entry holds the value of a slot that has a newer one."""
    return bool(slots) and fact_comparison.slot_of(content) in slots
