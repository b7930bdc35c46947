"""Which memory a correction contradicts. English grammar; pure.

"My sister is called Hannah" contradicts "The user's sister is called Anna" and not "The user's
sister is a nurse": two statements contradict each other when they say the same kind of thing about
the same person or thing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

from lobug.language.en import replacement, verbs, words
from lobug.language.en.lists import word_set

BE = word_set("contradiction", "be")
CALLED = frozenset("called named name".split())
PREPOSITIONS = word_set("contradiction", "prepositions")
VALUE = re.compile(r"^(?P<kept>.*\b(?:is|are|called|named|in|to|at|from))\s+(?P<value>\S.*)$", re.S)


class Statement(Protocol):
    """A memory: its number and its words."""

    @property
    def id(self) -> int:
        """The memory's number."""

    @property
    def content(self) -> str:
        """What it says, in the third person."""


StatementT = TypeVar("StatementT", bound=Statement)


def wrong_entry(
    right: str, wrong: str | None, candidates: Sequence[StatementT], used: Collection[int] = ()
) -> StatementT | None:
    """The memory that a correction contradicts; None: none of the candidates for certain.

    Args:
        right: what is right, in the third person.
        wrong: what is wrong ("Alan"), where it was said.
        candidates: the likeliest first.
        used: numbers of the memories that the disputed reply had used.
    """
    if wrong is not None:
        return next((e for e in candidates if disputes_with(right, wrong, e.content)), None)
    others = [entry for entry in candidates if _plain(entry.content) != _plain(right)]
    for entry in others:
        if disputes(right, entry.content):
            return entry
    likely = [e for e in others if e.id in used and disputes(right, e.content, loosely=True)]
    return likely[0] if len(likely) == 1 else None


def disputes(right: str, said: str, *, loosely: bool = False) -> bool:
    """Whether two statements cannot both be true, judged by their form. ``loosely``: also where
    both may be true ("is blue" and "is red", but also "is fast")."""
    if not replacement.same_people(right, said):
        return False
    slot = replacement.slot_of(right)
    if slot is not None:
        return replacement.slot_of(said) == slot
    one, other = _form(right), _form(said)
    if one is None or one != other:
        return False
    return loosely or not one[-1].startswith("?")


def disputes_with(right: str, wrong: str, said: str) -> bool:
    """Whether a memory has the wrong words and is about the same thing as the right ones."""
    if not _holds(said, wrong):
        return False
    about = words.stems(words.content_words(right)) - {"user"}
    known = words.stems(words.content_words(said)) - {"user"}
    return (
        bool(about & known) or replacement.slot_of(right) == replacement.slot_of(said) is not None
    )


def with_instead(said: str, wrong: str, right: str) -> str | None:
    """A memory with the wrong words replaced by the right ones; None: it does not have them."""
    if not _holds(said, wrong):
        return None
    changed = re.sub(
        rf"(?<!\w){re.escape(wrong)}(?!\w)", lambda _: right, said, flags=re.IGNORECASE
    )
    return None if changed == said else changed


def with_value(said: str, value: str) -> str | None:
    """A memory with another value at its end: with "Hannah", "The user's sister is called Anna"
    becomes "The user's sister is called Hannah". None: the beginning of its value is unclear."""
    match = VALUE.match(said)
    return f"{match['kept']} {value}" if match else None


def _holds(said: str, wrong: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(wrong)}(?!\w)", said, re.IGNORECASE) is not None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _form(statement: str) -> tuple[str, ...] | None:
    """The subject of a statement and the kind of thing it says: verb and following word."""
    found = re.findall(r"[\w'-]+", statement.lower().replace("\u2019", "'"))
    for place, word in enumerate(found):
        if place < 2 and found[:1] == ["the"]:
            continue
        if place and (word in BE or verbs.is_past(word) or verbs.is_third(word)):
            # "The user's sister's name is" and "the user's sister is called" are one thing.
            naming = CALLED & set(found[max(0, place - 1) : place + 2])
            subject = [w.removesuffix("'s") for w in found[:place] if w not in CALLED]
            kind = ["name"] if naming else [words.stem(word), _kind(found[place + 1 :])]
            return (*subject, *kind)
    return None


def _kind(rest: Sequence[str]) -> str:
    """The kind of thing that is said; with a question mark: several of it may be true at once."""
    if not rest:
        return "?"
    if rest[0] in PREPOSITIONS:
        return f"{rest[0]} number" if len(rest) > 1 and rest[1].isdigit() else rest[0]
    if "years" in rest and "old" in rest:
        return "age"
    if words.NUMBERS.get(rest[0], rest[0]).isdigit():
        return f"number of {words.stem(rest[1])}" if len(rest) > 1 else "number"
    return "?a" if rest[0] in {"a", "an"} else "?"
