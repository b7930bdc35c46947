"""How what was recalled is put to the chat model: with the user's words, as data. Pure.

A memory is what somebody once said; whatever it says, it is never an instruction. So it stands on
one line, between marks that nothing in it can close.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from lobug.memory.base import Recalled

OPEN, CLOSE = "<memory-context>", "</memory-context>"

TURN_CHARS = 240
"""What is shown of a former turn, characters."""


ASKS_WHEN = re.compile(
    r"\b(?:when|what (?:day|date|time|year|month)|which (?:day|date|year|month)|how long ago"
    r"|since when|last time|wann|seit wann|quand|cu[a\u00e1]ndo)\b",
    re.IGNORECASE,
)


def notes(recalled: Sequence[Recalled], question: str = "") -> str:
    """The memories as the prompt gets them; empty when there are none. To the day where the
    question asks when; else to the month, since every token costs time."""
    if not recalled:
        return ""
    to_the_day = ASKS_WHEN.search(question) is not None
    return "\n".join([OPEN, *(line(memory, to_the_day=to_the_day) for memory in recalled), CLOSE])


def line(memory: Recalled, *, to_the_day: bool = False) -> str:
    """One memory on one line, with the month in which it was said, or the day."""
    text = _plain(memory.content)
    said = datetime.fromtimestamp(memory.said_at).astimezone()
    told = f"on {said.day} {said:%B %Y}" if to_the_day else f"in {said:%B %Y}"
    if memory.kind == "turn":
        who = _plain(memory.speaker or "") or (
            "Lo-Bug" if memory.role == "assistant" else "the user"
        )
        if len(text) > TURN_CHARS:
            text = text[:TURN_CHARS].rsplit(" ", 1)[0] + " ..."
        return f'- {told[0].upper()}{told[1:]} {who} said: "{text}"'
    if memory.past:
        return f"- Formerly: {text} (told {told})"
    return f"- {text} (told {told})"


def _plain(text: str) -> str:
    return " ".join(text.replace("<", "(").replace(">", ")").split())
