"""Finds replies that take what the user has just told for Lo-Bug's own, or for unknown. English.
Pure.

To "My name is Maya and I live in Porto." a small chat model answers "I'm Maya, and I live in
Porto.", to "My sister Hanna lives in Rome." "I'm sorry, but I don't have any information about
Hanna.".
"""

from __future__ import annotations

import re

from lobug.language.en.perspective import SPEAKER
from lobug.language.en.words import content_words

ECHOED_WORDS = 4
"""So many words in a row have been copied from what the user said."""

_OPENS = re.compile(r"(?:i|i've|my|we|we're|our)\b")
_NAMING = r"my name is|my name's|i'm|this is"
_NAMED = re.compile(rf"(?i:{_NAMING}|i am) ([A-Z]\w+)")

_BEFORE_DENIAL = frozenset(
    "oh well hmm hm ah i'm i am so sorry afraid unfortunately but that".split()
)
"""Words before a denial, of any number: "Oh, I'm so sorry, but"."""
_DENIALS = tuple(
    tuple(words.split())
    for words in (
        "i don't know",
        "i don't have",
        "i do not know",
        "i do not have",
        "i have no",
        "i know nothing",
        "i can't find",
        "i cannot find",
        "i'm not aware",
        "i am not aware",
        "i'm not sure",
        "i am not sure",
    )
)
_NAME = re.compile(r"\b[A-Z]\w+")
_DENIED = re.compile(
    r"\b(?:"
    r"(?:don't|do not) know"
    r" (?:where|who|whose|what|when|which|whether|if|how|anything|any|about|your)"
    r"|(?:don't|do not) have (?:any |the |that )?(?:information|details?|data|knowledge|records?)"
    r"|have no (?:information|details?|data|knowledge|records?|idea)"
    r"|know nothing"
    r"|(?:can't|cannot) find (?:any )?(?:information|details?|data|records?)"
    r"|not (?:aware of|sure (?:where|who|whose|what|when|which|whether|if|how))"
    r")\b",
    re.IGNORECASE,
)


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


def denies_knowing(sentence: str, said: str) -> bool:
    """Whether a sentence of a reply says that something is not known of which the user's words have
    just told."""
    sentence = _straight(sentence)
    found = _DENIED.search(sentence)
    if found is None or not may_deny_knowing(sentence):
        return False
    about, told = sentence[found.end() :], set(content_words(said))
    names = content_words(" ".join(_NAME.findall(about)))
    return told.issuperset(names) and not told.isdisjoint(content_words(about))


def may_deny_knowing(beginning: str) -> bool:
    """Whether a sentence that begins with these words may turn out to deny something, so that
    nothing of it may be said yet."""
    words = re.findall(r"[\w']+", _straight(beginning).lower())
    for at, word in enumerate(words):
        rest = tuple(words[at : at + 3])
        if any(rest == denial[: len(rest)] for denial in _DENIALS):
            return True
        if word not in _BEFORE_DENIAL:
            return False
    return True


def _straight(text: str) -> str:
    return text.replace("\u2019", "'")


def _plain(text: str) -> list[str]:
    """The words in lower case, a name given as "I am"."""
    low = re.sub(rf"\b(?:{_NAMING})\b", "i am", text.lower())
    return re.findall(r"[\w']+", low)


def _runs(words: list[str]) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + ECHOED_WORDS]) for at in range(len(words) - ECHOED_WORDS + 1)]
