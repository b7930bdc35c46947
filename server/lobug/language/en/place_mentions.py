"""Finds the place that "there" means in a longer text. English. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lobug.language.en.places import Place, read_place

LONGEST = 400
"""Characters of a text."""
_MOST_WORDS = 4
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019.-][^\W\d_]+)*")
_OWN = re.compile(
    r"\b(?:i['\u2019]?m|i am|we['\u2019]?re|we are|i live|we live|here|us)(?: \w+){0,2}"
    r" (?:in|at|near)(?: the)? $",
    re.IGNORECASE,
)
"""Before the place where the user is."""
_LEFT = re.compile(
    r"\b(?:from|out of|left|leaving|not(?: in)?|before|after)(?: the)? $", re.IGNORECASE
)
_TOWARDS = re.compile(
    r"\b(?:in|at|to|near|around|outside|for|towards|reach(?:ed)?|visit(?:s|ing)?|of|with|across"
    r"|over|call(?:ing)?|ring(?:ing)?|phone|phoning|off to|love)(?: the)? $",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(
    r"\b(?:aunt(?:ie|y)?|uncle|mr|mrs|ms|miss|dr|cousin|(?:my|our)(?: \w+)? (?:friend|sister"
    r"|brother|daughter|son|dog|cat|niece|nephew|wife|husband|colleague|neighbour|neighbor))\.? $",
    re.IGNORECASE,
)
"""Before the name of a person who is called like a place: "my sister Sydney"."""


@dataclass(frozen=True, slots=True)
class _Mention:
    words: str
    start: int
    rank: int
    zones: tuple[str, ...]


def mentioned_place(text: str, focus: str = "") -> str | None:
    """The words of the one place that a text is about; "" if it names several of equal weight,
    None if it names none.

    A place that somebody is in or goes to counts more than one that they left, and the user's own
    counts least. ``focus``: a word, such as "mum"; the place that follows it is meant.
    """
    mentions = list(_mentions(text[:LONGEST]))
    if not mentions:
        return None
    at = text.lower().find(focus) if focus else -1
    following = [one for one in mentions if one.start > at] if at >= 0 else []
    if following:
        return following[0].words
    best = min(one.rank for one in mentions)
    mentions = [one for one in mentions if one.rank == best]
    if len({one.zones for one in mentions}) > 1:
        return ""
    return mentions[0].words


def _mentions(text: str) -> Iterator[_Mention]:
    words = list(_WORD.finditer(text))
    index = 0
    while index < len(words):
        for count in range(min(_MOST_WORDS, len(words) - index), 0, -1):
            start, end = words[index].start(), words[index + count - 1].end()
            said = text[start:end]
            places = _named(said, text[:start])
            if places:
                zones = tuple(place.zone for place in places)
                yield _Mention(said, start, _rank(text[:start]), zones)
                index += count - 1
                break
        index += 1


def _named(said: str, before: str) -> tuple[Place, ...]:
    """The place, if these words can be the name of one where they stand: many names are words
    ("nice", "reading", "bath"), and people are called like places."""
    if re.search(r"[.;:!?]", said) or _NAME_BEFORE.search(before):
        return ()
    if not said[:1].isupper() and not _TOWARDS.search(before) and not _LEFT.search(before):
        return ()
    if said.islower() and (said in _WORDS or _WRITTEN.search(before)):
        return ()  # who writes capitals writes them for places
    return () if said.lower() in _DIRECTIONS else read_place(said)


_DIRECTIONS = frozenset("north south east west central eastern western act center centre".split())


_WORDS = frozenset(
    "nice split cork essen bath reading turkey china jersey us lens faro tours victoria orange"
    " deal sale wells rugby hull wake center centre easter troll current eastern western central"
    " pacific mountain nelson regina cologne bonn male mobile buffalo phoenix jordan chad"
    " gibraltar hobart ford".split()
)
"""Names that are words as well: they count only with a capital."""


_WRITTEN = re.compile(r"\w,? (?!I\b)[A-Z]")


def _rank(before: str) -> int:
    if _OWN.search(before):
        return 3
    if _LEFT.search(before):
        return 2
    return 0 if _TOWARDS.search(before) else 1
