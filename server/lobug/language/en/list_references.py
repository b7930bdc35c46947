"""What a statement tells of things: what is needed, or what is there already. Pure.

So "put it on the list" and "take both off" can follow the statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from lobug.language.en.data import tables
from lobug.language.en.list_words import is_order, is_sentence, is_thing, item_key, items_in, tells
from lobug.language.en.words import stem

_DATA: Any = tables("lists.toml")
_NEEDS = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _DATA["needs"]["patterns"])
_CHORES = tuple(re.compile(pattern, re.IGNORECASE) for pattern in _DATA["needs"]["chores"])
_ENDED = re.compile(
    r"[\s,.;:!?-]+(?:so|and|so please|then|can you|could you|please|would you|also|again|too"
    r"|already|as usual|as well|now|already again)?$",
    re.IGNORECASE,
)
_REASON = re.compile(
    r"[\s,]+(?:because|'?cause|since|as (?:i|we|he|she|it|they|the|my|our)|so that|in case|or else"
    r"|otherwise|for when|thanks to|now that)\b.*$",
    re.IGNORECASE,
)
_REASON_OF_NEED = re.compile(
    r"[\s,]+(?:and (?:i|we|he|she|it|they|that|there)|but|when|if|while|until|before"
    r"|(?:on|in) (?:the|my|our|his|her|their|\w+'s)|for (?:this|tonight|tomorrow|\w+day)"
    r"|left)\b.*$",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?;]\s+|\s[\u2013\u2014-]\s")
_CLAUSE_END = re.compile(
    r",\s+(?:so\s+|and\s+|but\s+)?|\s+(?:so|but)\s+|\s+and\s+(?=(?:i|we)(?:'\w+)?\s)", re.IGNORECASE
)
_OPENING = re.compile(
    r"^(?:(?:would you|will you|could you|please|oh|ah|and|so|but|well|right"
    r"|look|listen|hey|sorry|no|dear|my god|god|gosh|crikey|yes|yeah|okay|ok|hi|hello"
    r"|damn|blimey|ugh|oops|um+|uh+|er+"
    r"|i think|i see|i just noticed|i noticed|i just realised|i just realized|turns out|it seems"
    r"|apparently|honestly|actually|i'm afraid|hang on|you know)\b[\s,]*)+",
    re.IGNORECASE,
)


def needed(statement: str) -> str | None:
    """The words for what somebody needs: "milk" in "we're out of milk". None: they state something
    else."""
    text = _ENDED.sub("", statement.replace("\u2019", "'").strip())
    found = _named(text, _NEEDS)
    if found is not None:
        return found
    return text if is_thing(text, most_words=5) else None


def needed_things(statement: str, *, chores: bool, is_before: bool = True) -> list[str]:
    """The things that a statement says are needed, or what is to be done; empty: it is not clear.

    A story may stand before it and a reason after it. ``chores``: the things are to be done.
    ``is_before``: the statement stands before the request, so that it may be nothing but the
    things; what follows a request must say that they are needed.
    """
    text = statement.replace("\u2019", "'").strip(" ,.;:!?")
    for part in _parts(text):
        thing = _named(part, _CHORES if chores else _NEEDS)
        if thing is None and chores:
            thing = _named(part, _NEEDS)
        items = _clean(thing, chores=chores) if thing is not None else []
        if items:
            return items
    if not is_before:
        return []
    if tells(text):
        return []
    bare = _clean(_OPENING.sub("", _ENDED.sub("", text)), chores=chores)
    return [] if any(len(item.split()) > 5 for item in bare) else bare


def _named(text: str, patterns: tuple[re.Pattern[str], ...]) -> str | None:
    found = next((found for pattern in patterns if (found := pattern.match(text))), None)
    return None if found is None else found["thing"]


def _parts(text: str) -> Iterator[str]:
    """The sentences, the last first, each whole and then from each of its clauses on."""
    for sentence in reversed(_SENTENCE_END.split(text)):
        tidy = _ENDED.sub("", _REASON.sub("", sentence))
        starts = [0, *(found.end() for found in _CLAUSE_END.finditer(tidy))]
        for start in starts:
            part = _OPENING.sub("", tidy[start:])
            while (shorter := _ENDED.sub("", part)) != part:
                part = shorter
            if part:
                yield part


def _clean(thing: str, *, chores: bool) -> list[str]:
    """The things in words that may go on, or none if any of them is no thing."""
    text = _REASON.sub("", thing)
    if not chores:
        text = _REASON_OF_NEED.sub("", text)
    while (shorter := _ENDED.sub("", text)) != text:
        text = shorter
    items = items_in(text, chores=chores)
    fits = all(is_thing(item, most_words=12 if chores else 6) for item in items)
    if not fits or (not chores and any(map(is_sentence, items))):
        return []
    return items


_OBTAINED = re.compile(
    r"^(?:i|we)(?:'ve| have)?\s+(?:already\s+|just\s+|now\s+)?(?:got|bought|picked up|found|done"
    r"|finished|ordered|paid|forget|don't need|do not need"
    r"|no longer need|have|don't want|won't need)\s+"
    r"(?:any\s+|the\s+|some\s+|enough\s+|plenty of\s+|our\s+|my\s+)*"
    r"(?P<thing>.+?)(?:\s+(?:any more|anymore|any longer|now|already|at home|after all))?$",
    re.IGNORECASE,
)
_DROPPED = re.compile(
    r"^(?:actually|no|oh)?[\s,]*(?:forget|never mind|skip)(?: about)?\s+"
    r"(?:the\s+)?(?P<thing>[^,.]+)",
    re.IGNORECASE,
)


def obtained(statement: str) -> str | None:
    """The words for what somebody has or needs no more: "milk" in "I've bought the milk"."""
    text = statement.replace("\u2019", "'").strip()
    found = _OBTAINED.match(_ENDED.sub("", text)) or _DROPPED.match(text)
    return None if found is None else found["thing"]


def told_of(statement: str, contents: Sequence[str]) -> list[str]:
    """Those of the things that a statement tells of: "I've paid the rent" of "pay the rent". Of
    things to do the verb may be another one if no more than one fits so: "The plumber came" tells
    of "call the plumber"."""
    told = {stem(word) for word in re.findall(r"[^\W_]+", statement.lower())}
    found = [one for one in contents if set(item_key(one).split()) <= told]
    if found:
        return found
    errands = {one: item_key(one).split()[1:] for one in contents if is_order(one)}
    loose = [one for one, words in errands.items() if words and set(words) <= told]
    return loose if len(loose) == 1 else []
