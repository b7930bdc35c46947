"""What the user has just said and no fact holds yet. Pure.

Facts are extracted while nobody talks. Until then "I moved to Seattle" stands in the conversation
only, and a memory that says "lives in Portland" beside it would win: a small model believes its
notes. Its vector is made in the quiet too, so "Where do I live?", with which it shares no word,
would not find it.
"""

from __future__ import annotations

from collections.abc import Iterable

from lobug.language.en import perspective, replacement, speech_acts
from lobug.language.en.questions import Question
from lobug.memory.base import LoggedMessage


def newest_answer(question: Question, said: Iterable[LoggedMessage]) -> LoggedMessage | None:
    """The last of the user's words that tell what a question asks for, if it is something of which
    there is only one."""
    if not question.slots:
        return None
    telling = (m for m in said if not question.slots.isdisjoint(slots_of([m.content])))
    return max(telling, key=lambda message: message.id, default=None)


def slots_of(messages: Iterable[str]) -> frozenset[str]:
    """What these words tell of which a person has only one: home, name, age ..."""
    slots = set[str]()
    for message in messages:
        for statement in speech_acts.statements(message):
            slot = replacement.slot_of(perspective.about_the_user(statement))
            if slot is not None:
                slots.add(slot)
    return frozenset(slots)


def is_told_anew(said: str, later: Iterable[str]) -> bool:
    """Whether later words tell of what somebody has only one of, and ``said`` tells of it too."""
    slots = slots_of([said])
    return bool(slots) and not slots.isdisjoint(slots_of(later))


def is_overtaken(content: str, slots: frozenset[str]) -> bool:
    """Whether an entry is about something that has been told anew."""
    return bool(slots) and replacement.slot_of(content) in slots
