"""What kind of turn asks to remember: whether it asks at all, and about when. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lobug.memory.language import speech_acts, words

PAST = re.compile(
    r"\b(?:before|formerly|previously|used to|in the past|earlier|once|back then|former|old"
    r"|ex|originally|at first|first|last (?:year|job|home|flat|apartment|address|phone|car)"
    r"|fr[u\u00fc]her|vorher|damals|ehemalig\w*|avant|autrefois|antes|anterior)\b"
    r"|\b(?:did|was|were|had)\s+(?:i|my|we|our)\b.*\b(?:live|work|drive|own|call|name)",
    re.IGNORECASE,
)
HISTORY = re.compile(
    r"\b(?:last (?:week|month|time|night|summer|winter|spring|autumn|fall|monday|tuesday|wednesday"
    r"|thursday|friday|saturday|sunday)|yesterday|the other day|when did|how did (?:i|we)"
    r"|what did (?:i|we|you)|have (?:i|we) (?:ever|already)|did (?:i|we)|remember when"
    r"|talk(?:ed)? about|conversation|history|task|project|gestern|letzte\w*|hier|ayer)\b",
    re.IGNORECASE,
)
ABOUT_LOBUG = re.compile(
    r"\b(?:did|have|had|were|was|would)\s+you\b|\byou (?:said|told|suggested|recommended)\b"
    r"|\byour (?:advice|answer|suggestion|recommendation)\b",
    re.IGNORECASE,
)
ABOUT_USER = re.compile(r"\b(?:i|my|mine|we|our)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Question:
    """What a turn's words ask of memory."""

    text: str
    small_talk: bool
    """Nothing that a memory could fit: a greeting, a thank-you, no words at all."""
    asks: bool
    """It asks or commands; what only tells needs no former turns."""
    past: bool
    """It is about what was: what is true no more belongs to the answer."""
    history: bool
    """It is about what happened: the archive belongs to the answer."""
    about_lobug: bool
    """It is about what Lo-Bug said: its own former replies belong to the answer."""


def read(text: str) -> Question:
    """What a turn's words ask of memory."""
    content = words.content_words(text)
    asks = any(
        speech_acts.is_question(sentence) or speech_acts.is_command(sentence)
        for sentence in speech_acts.sentences(text)
    )
    past = PAST.search(text) is not None
    return Question(
        text=text,
        small_talk=not content
        or (
            all(word in speech_acts.SMALL_TALK for word in content)
            and not past
            and not (asks and ABOUT_USER.search(text))
        ),
        asks=asks,
        past=asks and past,
        history=asks and HISTORY.search(text) is not None,
        about_lobug=asks and ABOUT_LOBUG.search(text) is not None,
    )
