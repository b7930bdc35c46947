"""What Lo-Bug says without the chat model: memories in, sentences out. Pure.

The sentences stand in ``sentences.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from lobug.language.en.claims import free_questions
from lobug.language.en.data import BELOW_TWENTY, CLAIM_ANSWERS, MONTHS, WEEKDAYS
from lobug.language.en.data import REPLIES as SAY
from lobug.language.en.perspective import (
    about_the_user,
    said_to_the_user,
    sentence_to_the_user,
    spoken_back,
)
from lobug.language.en.speakable import speakable

MOST = 5
"""Memories that are spoken at once: nobody wants to hear more."""
LONGEST = 160
"""Characters of one memory that are spoken."""

FORGOTTEN = SAY["forgotten"]
NOTHING_LIKE_THAT = SAY["nothing_like_that"]
EVERYTHING_FORGOTTEN = SAY["everything_forgotten"]
REALLY_EVERYTHING = SAY["really_everything"]
KEPT = SAY["kept"]
KNOW_NOTHING = SAY["know_nothing"]
WHAT_IS_RIGHT = SAY["what_is_right"]
FORGET_WHAT = SAY["forget_what"]
WHOLE_SENTENCE = SAY["whole_sentence"]
DOUBTED = SAY["doubted"]
NEVER_MIND = SAY["never_mind"]
USED_NONE = SAY["used_none"]
DONE = SAY["done"]
"""Said where the model writes nothing about a tool call that succeeded."""
NOT_DONE = SAY["not_done"]
"""Said where the model writes nothing about a tool call that failed."""
NO_WORDS = SAY["no_words"]
"""Said where the model writes no words: only calls that it may not make, or an action although
typed words must be answered."""
WAKING_UP = SAY["waking_up"]
"""Said before a reply that waits until the model has read its personality for the first time."""


def remembered(facts: Sequence[str]) -> str:
    """Say that facts have been stored."""
    said = [clip(said_to_the_user(fact)) for fact in facts]
    if any(len(one) > LONGEST for one in said):
        return SAY["remembered_long"]
    return SAY["remembered"].format(facts=_listed([f"that {one}" for one in said])[5:])


def corrected(fact: str) -> str:
    """Say that a wrong memory has been corrected."""
    return SAY["corrected"].format(fact=clip(said_to_the_user(fact)))


def known_already() -> str:
    """Say that memory holds what was said already."""
    return SAY["known_already"]


def which_one(name: str, subjects: Sequence[Sequence[str]]) -> str:
    """Ask which of several people of one name is meant."""
    said = [
        f"your {' of '.join(part.split(':')[0] for part in reversed(subject[1:]))}"
        for subject in subjects
        if len(subject) > 1
    ]
    return SAY["which_one"].format(name=_capital(name), choices=" or ".join(said) or name)


def forgotten_topic(topic: str, *, words: bool) -> str:
    """Say what has been forgotten, and whether the words that told it went with it."""
    key = "forgotten_topic_and_words" if words else "forgotten_topic"
    return SAY[key].format(topic=clip(spoken_back(topic)))


def recited(contents: Sequence[str]) -> tuple[str, ...]:
    """Say some memories: the first ``MOST`` in sentences, the number of the others."""
    sentences = [clip(sentence_to_the_user(content)) for content in contents[:MOST]]
    more = len(contents) - MOST
    if more > 0:
        sentences.append(SAY["one_more_thing" if more == 1 else "more_things"].format(count=more))
    return tuple(sentences)


def recited_fact(content: str) -> str:
    """Say one memory."""
    return clip(sentence_to_the_user(content))


def shall_i_go_on(count: int) -> str:
    """Ask whether to recite the rest."""
    return SAY["go_on_one" if count == 1 else "go_on"].format(count=spoken_count(count))


def spoken_count(count: int) -> str:
    """A number as it is spoken."""
    return BELOW_TWENTY[count] if count < len(BELOW_TWENTY) else str(count)


def unknown(topic: str) -> str:
    """Say that nothing is known about a topic."""
    return SAY["unknown_topic"].format(topic=clip(spoken_back(topic)))


def shall_i_forget(contents: Sequence[str], more: int = 0) -> str:
    """Ask whether these memories are meant, and so many more."""
    said = _listed([f"that {clip(said_to_the_user(content))}" for content in contents])
    if more:
        return SAY["shall_i_forget_more"].format(facts=said, count=more)
    question = "shall_i_forget_one" if len(contents) == 1 else "shall_i_forget_several"
    return SAY[question].format(facts=said)


def shall_i_forget_topic(topic: str) -> str:
    """Ask whether what was said of a topic is to be forgotten."""
    return SAY["shall_i_forget_topic"].format(topic=clip(spoken_back(topic)))


def shall_i_forget_words(words: Sequence[str]) -> str:
    """Ask whether these words of the user are meant."""
    said = _listed([f'"{clip(text).rstrip(".")}"' for text in words])
    return SAY["shall_i_forget_words"].format(words=said)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a recalled memory comes from."""

    kind: Literal["user", "correction", "import", "agent", "notes", "user turn", "own turn"]
    """notes: a summary of a conversation. user turn, own turn: words of an earlier conversation."""
    content: str
    said_at: float
    """Seconds since the epoch."""


_ORIGINS = {
    "user": "told_by_user",
    "correction": "corrected_by_user",
    "import": "from_import",
    "agent": "from_agent",
    "notes": "from_notes",
}


def sources(origins: Sequence[Origin], today: float) -> tuple[str, ...]:
    """Say where memories come from and how long Lo-Bug has had them."""
    sentences = [_origin(origin, today) for origin in origins[:MOST]]
    more = len(origins) - MOST
    if more > 0:
        sentences.append(SAY["used_more"].format(count=more))
    return tuple(sentences)


def when(said_at: float, today: float) -> str:
    """A time as people say it: "today", "in March", "in March 2024". Local time."""
    said, now = datetime.fromtimestamp(said_at), datetime.fromtimestamp(today)  # noqa: DTZ006 - spoken to somebody here
    days = (now.date() - said.date()).days
    if days == 0:
        return SAY["today"]
    if days == 1:
        return SAY["yesterday"]
    if 0 < days < 7:
        return SAY["on_weekday"].format(weekday=WEEKDAYS[said.weekday()])
    month = MONTHS[said.month - 1]
    return SAY["this_year" if 0 <= days < 300 else "earlier_year"].format(
        month=month, year=said.year
    )


def until(ended_at: float | None, today: float) -> str:
    """When something ended; empty where that is not known, or says nothing: today."""
    said = "" if ended_at is None else when(ended_at, today)
    return "" if said == SAY["today"] else said


def stated(content: str, question: str) -> str:
    """A statement of no relation as the answer to a question that has its words."""
    if not free_questions.ends(content, question):
        return sentence_to_the_user(content)
    return CLAIM_ANSWERS["no"].format(says=said_to_the_user(about_the_user(content)))


def recalled(said: str, said_at: float, today: float) -> str:
    """What the user once said as the answer to a question, with the day unless it was today."""
    sentence, day = sentence_to_the_user(about_the_user(said)), when(said_at, today)
    if day == SAY["today"]:
        return sentence
    told = SAY["told_then"].format(when=day)
    return f"{sentence} {told}"


def no_more(was: str, since: str | None, question: str) -> str:
    """The answer to a question about what was so: what is so since, if that is known."""
    if since is None:
        return SAY["no_more_told"].format(was=said_to_the_user(about_the_user(was)))
    if _ASKS_WHETHER.match(question) is None:
        return sentence_to_the_user(since)
    return CLAIM_ANSWERS["no_more"].format(was=said_to_the_user(about_the_user(since)))


_ASKS_WHETHER = re.compile(
    r"\W*(?:(?:so|and|but|hey|lo-?bug|tell me|do you know|do you remember)\b[\s,]*)*"
    r"(?:if |whether )?"
    r"(?:do|does|did|am|is|are|was|were|have|has|had|can)(?:n['\u2019]?t)?\b",
    re.IGNORECASE,
)
""" "Do I ...?", not "what do I ...?"."""


def period(said: str, today: float) -> tuple[float, float]:
    """When a period of talk begins and ends, seconds since the epoch; local time. Not named, it is
    the last week."""
    now = datetime.fromtimestamp(today)  # noqa: DTZ006 - spoken to somebody here
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    day = timedelta(days=1)
    weekday = next((i for i, name in enumerate(WEEKDAYS) if name.lower() in said), None)
    if said in {"today", "tonight", "so far", "just now"} or said.startswith("this "):
        start = midnight - midnight.weekday() * day if said == "this week" else midnight
        return start.timestamp(), today
    if said in {"yesterday", "last night"}:
        return (midnight - day).timestamp(), midnight.timestamp()
    if weekday is not None:
        back = (now.weekday() - weekday) % 7 or 7
        start = midnight - back * day
        return start.timestamp(), (start + day).timestamp()
    if said == "last week":
        monday = midnight - now.weekday() * day
        return (monday - 7 * day).timestamp(), monday.timestamp()
    return (now - 7 * day).timestamp(), today


def _origin(origin: Origin, today: float) -> str:
    time = when(origin.said_at, today)
    if origin.kind in {"user turn", "own turn"}:
        who = "said_by_lobug" if origin.kind == "own turn" else "said_by_user"
        words = clip(origin.content).rstrip(".")
        return SAY[who].format(When=_capital(time), words=words)
    fact = clip(said_to_the_user(origin.content))
    return SAY[_ORIGINS[origin.kind]].format(when=time, fact=fact)


def clip(text: str) -> str:
    """A text as it can be spoken, at most ``LONGEST`` characters."""
    plain = speakable(" ".join(text.split())) or SAY["unspeakable"]
    if len(plain) <= LONGEST:
        return plain
    return SAY["and_so_on"].format(text=plain[:LONGEST].rsplit(" ", 1)[0].rstrip(",;: "))


def _listed(parts: Sequence[str]) -> str:
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
