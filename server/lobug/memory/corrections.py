"""Finds the entry that a correction makes wrong. Pure; the grammar is English.

"My sister is called Hannah" contradicts "The user's sister is called Anna" and leaves "The user's
sister is a nurse" alone: two statements contradict each other if they say the same kind of thing of
the same subject.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from lobug.language import words
from lobug.language.en import replacement, verbs
from lobug.memory.model import Entry

BE = frozenset("is are was were be has have had does do 's".split())
CALLED = frozenset("called named name".split())
PREPOSITIONS = frozenset("in at to from for with on by near as of".split())
VALUE = re.compile(r"^(?P<kept>.*\b(?:is|are|called|named|in|to|at|from))\s+(?P<value>\S.*)$", re.S)


def wrong_entry(
    right: str, wrong: str | None, candidates: Sequence[Entry], used: Collection[int] = ()
) -> Entry | None:
    """The entry that a correction makes wrong; None: none of the candidates for sure.

    Args:
        right: the right statement, in the third person.
        wrong: the wrong words ("Alan"), if they were said.
        candidates: entries, the most likely first.
        used: ids of the entries that the corrected reply had used.
    """
    if wrong is not None:
        return next((e for e in candidates if contradicts_words(right, wrong, e.content)), None)
    others = [entry for entry in candidates if _plain(entry.content) != _plain(right)]
    for entry in others:
        if contradicts(right, entry.content):
            return entry
    likely = [e for e in others if e.id in used and contradicts(right, e.content, loosely=True)]
    return likely[0] if len(likely) == 1 else None


def contradicts(right: str, said: str, *, loosely: bool = False) -> bool:
    """Whether two statements cannot both be true, judged by their form. ``loosely``: or are
    unlikely to be ("is blue" and "is red", but also "is fast")."""
    if not replacement.about_the_same(right, said):
        return False
    slot = replacement.slot_of(right)
    if slot is not None:
        return replacement.slot_of(said) == slot
    one, other = _form(right), _form(said)
    if one is None or one != other:
        return False
    return loosely or not one[-1].startswith("?")


def contradicts_words(right: str, wrong: str, said: str) -> bool:
    """Whether an entry holds the wrong words and is about the same subject otherwise."""
    if not _holds(said, wrong):
        return False
    about = words.stems(words.content_words(right)) - {"user"}
    known = words.stems(words.content_words(said)) - {"user"}
    return (
        bool(about & known) or replacement.slot_of(right) == replacement.slot_of(said) is not None
    )


def with_replacement(said: str, wrong: str, right: str) -> str | None:
    """An entry with ``right`` in the place of ``wrong``; None: it does not hold the wrong words."""
    if not _holds(said, wrong):
        return None
    changed = re.sub(
        rf"(?<!\w){re.escape(wrong)}(?!\w)", lambda _: right, said, flags=re.IGNORECASE
    )
    return None if changed == said else changed


def with_value(said: str, value: str) -> str | None:
    """An entry that ends with another value: with "Hannah", "The user's sister is called Anna"
    becomes "The user's sister is called Hannah". None: it is unclear where the value begins."""
    match = VALUE.match(said)
    return f"{match['kept']} {value}" if match else None


def _holds(said: str, wrong: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(wrong)}(?!\w)", said, re.IGNORECASE) is not None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def _form(statement: str) -> tuple[str, ...] | None:
    """Subject, verb and the kind of what follows."""
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
    """The kind of what is said; a question mark says that a subject may have several of it."""
    if not rest:
        return "?"
    if rest[0] in PREPOSITIONS:
        return f"{rest[0]} number" if len(rest) > 1 and rest[1].isdigit() else rest[0]
    if "years" in rest and "old" in rest:
        return "age"
    if words.NUMBERS.get(rest[0], rest[0]).isdigit():
        return f"number of {words.stem(rest[1])}" if len(rest) > 1 else "number"
    return "?a" if rest[0] in {"a", "an"} else "?"
