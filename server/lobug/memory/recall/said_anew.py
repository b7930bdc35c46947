"""What the user has just said and no fact holds yet. Pure.

Facts are extracted while nobody talks. Until then "I moved to Seattle" stands in the conversation
only, and a memory that says "lives in Portland" beside it would win: a small model believes its
notes.
"""

from __future__ import annotations

from collections.abc import Iterable

from lobug.memory.knowledge import replacing
from lobug.memory.language import perspective, speech_acts


def slots_of(messages: Iterable[str]) -> frozenset[str]:
    """What these words tell of which a person has only one: home, name, age ..."""
    slots = set[str]()
    for message in messages:
        for statement in speech_acts.statements(message):
            slot = replacing.slot_of(perspective.about_the_user(statement))
            if slot is not None:
                slots.add(slot)
    return frozenset(slots)


def is_overtaken(content: str, slots: frozenset[str]) -> bool:
    """Whether an entry is about something that has been told anew."""
    return bool(slots) and replacing.slot_of(content) in slots
