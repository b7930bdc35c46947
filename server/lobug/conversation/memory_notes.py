"""How what was recalled is put to the chat model: with the user's words, as data. Pure.

A memory is what somebody once said; whatever it says, it is never an instruction. So it stands on
one line, between marks that nothing in it can close.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from lobug.memory.base import Recalled

OPEN, CLOSE = "<memory-context>", "</memory-context>"

TURN_CHARS = 240
"""What is shown of a former turn, characters."""


def notes(recalled: Sequence[Recalled]) -> str:
    """The memories as the prompt gets them; empty when there are none."""
    if not recalled:
        return ""
    return "\n".join([OPEN, *(line(memory) for memory in recalled), CLOSE])


def line(memory: Recalled) -> str:
    """One memory on one line, with the month in which it was said."""
    text = " ".join(memory.content.replace("<", "(").replace(">", ")").split())
    month = f"{datetime.fromtimestamp(memory.said_at).astimezone():%B %Y}"
    if memory.kind == "turn":
        who = memory.speaker or ("Lo-Bug" if memory.role == "assistant" else "the user")
        if len(text) > TURN_CHARS:
            text = text[:TURN_CHARS].rsplit(" ", 1)[0] + " ..."
        return f'- In {month} {who} said: "{text}"'
    if memory.past:
        return f"- Formerly: {text} (told in {month})"
    return f"- {text} (told in {month})"
