"""Finds replies that speak as if they were the user. English. Pure.

To "My name is Maya and I live in Porto." a small chat model answers "I'm Maya, and I live in
Porto.".
"""

from __future__ import annotations

import re

from lobug.language.en.perspective import SPEAKER

ECHOED_WORDS = 4
"""So many words in a row have been copied from what the user said."""

_OPENS = re.compile(r"(?:i|i've|my|we|we're|our)\b")
_NAMING = r"my name is|my name's|i'm|this is"
_NAMED = re.compile(rf"(?i:{_NAMING}|i am) ([A-Z]\w+)")


def speaks_as_user(sentence: str, said: str) -> bool:
    """Whether a sentence of a reply says what the user said of themself as if it were Lo-Bug's."""
    sentence, said = _straight(sentence), _straight(said)
    words = _plain(sentence)
    if not words or not _OPENS.match(words[0]):
        return False
    named = _NAMED.match(sentence)
    if named is not None and named[1] in {found[1] for found in _NAMED.finditer(said)}:
        return True
    told = set(_runs(_plain(said)))
    return any(
        run in told and any(word.split("'")[0] in SPEAKER for word in run) for run in _runs(words)
    )


def may_speak_as_user(beginning: str, said: str) -> bool:
    """Whether a sentence that begins with these words may turn out to speak as the user, so that
    nothing of it may be said yet."""
    words = _plain(_straight(beginning))
    if not words or not _OPENS.match(words[0]):
        return False
    first = words[2:ECHOED_WORDS]
    return len(first) == 0 or not set(first).isdisjoint(_plain(_straight(said)))


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")


def _plain(text: str) -> list[str]:
    """The words in lower case, a name given as "I am"."""
    low = re.sub(rf"\b(?:{_NAMING})\b", "i am", text.lower())
    return re.findall(r"[\w']+", low)


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + ECHOED_WORDS]) for at in range(len(words) - ECHOED_WORDS + 1)]
