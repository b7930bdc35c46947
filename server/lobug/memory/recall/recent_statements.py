"""Recent statements of the user that are not extracted as facts yet. Pure.

Facts and vectors are made while nobody talks. Until then "I moved to Seattle" is in the
conversation only. An older memory "lives in Portland" in the prompt would win, since a small model
believes its notes; and "Where do I live?" shares no word with the statement and would not find it.
"""

from __future__ import annotations

from collections.abc import Iterable

from lobug.language.en import fact_comparison, perspective, speech_acts
from lobug.language.en.questions import Question
from lobug.memory.model import LoggedMessage


def newest_answer(question: Question, said: Iterable[LoggedMessage]) -> LoggedMessage | None:
    """The user's last message that holds the value the question asks for, if a person has only
    one of it."""
    if not question.slots:
        return None
    telling = (m for m in said if not question.slots.isdisjoint(slots_of([m.content])))
    return max(telling, key=lambda message: message.id, default=None)


def slots_of(messages: Iterable[str]) -> frozenset[str]:
    """The slots (home, name, age ...) that these messages give a value for."""
    slots = set[str]()
    for message in messages:
        for statement in speech_acts.statements(message):
            slot = fact_comparison.slot_of(perspective.about_the_user(statement))
            if slot is not None:
                slots.add(slot)
    return frozenset(slots)


def is_restated(said: str, later: Iterable[str]) -> bool:
    """Whether later words give a new value for a slot that ``said`` gives one for."""
    slots = slots_of([said])
    return bool(slots) and not slots.isdisjoint(slots_of(later))


def is_outdated(content: str, slots: frozenset[str]) -> bool:
    """Whether an entry holds the value of a slot that has a newer one."""
    return bool(slots) and fact_comparison.slot_of(content) in slots
