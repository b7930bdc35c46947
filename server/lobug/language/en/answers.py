"""What Lo-Bug says about its memory. Pure: memories in, sentences out. English."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from lobug.language.en.perspective import said_to_the_user, sentence_to_the_user, spoken_back
from lobug.language.markup import speakable

MOST = 5
"""Memories that are told at once: nobody wants to hear more."""
LONGEST = 160
"""Characters of one memory that are spoken."""

FORGOTTEN = "Done, I have forgotten that."
NOTHING_LIKE_THAT = "I had nothing like that in my memory."
EVERYTHING_FORGOTTEN = "Done, I have forgotten everything about you."
REALLY_EVERYTHING = (
    "That erases everything I know about you, and it cannot be undone."
    " Shall I really forget everything?"
)
KEPT = "Okay, I keep it."
KNOW_NOTHING = "I don't know anything about you yet."
WHAT_IS_RIGHT = "I'm sorry. What is right?"
WHOLE_SENTENCE = "Please tell me in a whole sentence what is right."
WHAT_TO_FORGET = "I'm not sure what I should forget. Please say it in a whole sentence."
NEVER_MIND = "Okay."
USED_NONE = "I used none."


def remembered(facts: Sequence[str]) -> str:
    """That facts have been stored."""
    said = [clip(said_to_the_user(fact)) for fact in facts]
    if any(len(one) > LONGEST for one in said):
        return "Okay, I'll remember that."
    return f"Okay, I'll remember that {_listed([f'that {one}' for one in said])[5:]}."


def corrected(fact: str) -> str:
    """That a wrong memory has been put right."""
    return f"Thank you, I have corrected that: {clip(said_to_the_user(fact))}."


def told(contents: Sequence[str]) -> tuple[str, ...]:
    """Some memories, the first ones in sentences, the others counted."""
    sentences = [clip(sentence_to_the_user(content)) for content in contents[:MOST]]
    more = len(contents) - MOST
    if more > 0:
        sentences.append(f"And {more} more {'thing' if more == 1 else 'things'}.")
    return tuple(sentences)


def unknown(topic: str) -> str:
    """That nothing is known about something."""
    return f"I don't know anything about {clip(spoken_back(topic))}."


def shall_i_forget(contents: Sequence[str]) -> str:
    """Ask whether these memories are meant."""
    said = _listed([f"that {clip(said_to_the_user(content))}" for content in contents])
    return f"I know {said}. Shall I forget {'that' if len(contents) == 1 else 'them'}?"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a recalled memory comes from."""

    kind: Literal["user", "correction", "import", "agent", "notes", "user turn", "own turn"]
    """notes: a summary of a conversation. user turn, own turn: words of an earlier conversation."""
    content: str
    said_at: float
    """Seconds since the epoch."""


def where_from(origins: Sequence[Origin], today: float) -> tuple[str, ...]:
    """Say where memories come from and how long Lo-Bug has had them."""
    sentences = [_where_from(origin, today) for origin in origins[:MOST]]
    more = len(origins) - MOST
    if more > 0:
        sentences.append(f"And I used {more} more.")
    return tuple(sentences)


def when(said_at: float, today: float) -> str:
    """A time as one says it: "today", "in March", "in March 2024". Local time."""
    said, now = datetime.fromtimestamp(said_at), datetime.fromtimestamp(today)  # noqa: DTZ006 - spoken to somebody here
    days = (now.date() - said.date()).days
    if days == 0:
        return "today"
    if days == 1:
        return "yesterday"
    month = MONTHS[said.month - 1]
    return f"in {month}" if 0 <= days < 300 else f"in {month} {said.year}"


MONTHS = (
    "January February March April May June July August September October November December".split()
)


def _where_from(origin: Origin, today: float) -> str:
    time = when(origin.said_at, today)
    if origin.kind in {"user turn", "own turn"}:
        who = "I" if origin.kind == "own turn" else "you"
        return f'{_capital(time)} {who} said: "{clip(origin.content).rstrip(".")}."'
    opening = {
        "notes": f"My notes of what we talked about {time} say:",
        "correction": f"You corrected me {time}:",
        "import": f"I was given {time} that",
        "agent": f"I noted {time} that",
    }.get(origin.kind, f"You told me {time} that")
    return f"{opening} {clip(said_to_the_user(origin.content))}."


def clip(text: str) -> str:
    """A text as it can be spoken, at most ``LONGEST`` characters."""
    plain = speakable(" ".join(text.split())) or "something I cannot say"
    if len(plain) <= LONGEST:
        return plain
    return plain[:LONGEST].rsplit(" ", 1)[0].rstrip(",;: ") + " and so on"


def _listed(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
