"""Whether a new fact replaces an old one. English. Pure.

The rule is distance: a near-duplicate is replaced. Two exceptions were measured with the embedded
model:

- "The user's sister is named Anna" and "The user's brother is named Anna" are 0.06 apart, well
  below the threshold of 0.15: facts about different people never replace each other.
- "The user lives in Portland" and "The user moved to Seattle" are 0.40 apart: what a person has
  only one of at a time (name, home, age, birthday, favourite of a kind) is replaced at any
  distance.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lobug.language.en import words
from lobug.language.en.fact_checks import OTHERS
from lobug.language.en.lists import word_list

SLOTS = (
    (
        "name",
        re.compile(
            r"^The user(?:'s (?:first )?name is| is (?:named|called))"
            r" (?!(?:by|to|for|after|on|in|at|when|a|an|the)\b)\w",
            re.I,
        ),
    ),
    (
        "home",
        re.compile(
            r"^The user (?:now |currently )?(?:lives in|resides in|(?:has )?moved to)"
            r" (?!(?:a|an|the|my|his|her|their)\b)\w",
            re.I,
        ),
    ),
    ("age", re.compile(r"^The user is \w+(?:-\w+)? years old\b", re.I)),
    ("birthday", re.compile(r"^The user's birthday is\b", re.I)),
)
FAVOURITE = re.compile(r"^The user's favou?rite (\w+(?: \w+)?) (?:is|are)\b", re.I)
DENIAL = re.compile(r"\b(?:not|no longer|never)\s+|(?<=\w)n['\u2019]t\b\s*", re.I)
COMMON = words.stems(word_list("replacement", "common"))
PAST = re.compile(r"\b(?:as a (?:child|kid|student)|ago|when|used to|before|years? old at)\b", re.I)


def slot_of(fact: str) -> str | None:
    """The slot that a fact fills: what a person has only one of at a time. None: it fills none."""
    if DENIAL.search(fact):  # "The user's name is not Marten" is no name
        return None
    favourite = FAVOURITE.match(fact)
    if favourite is not None:
        return "favourite " + " ".join(sorted(words.stems(words.words(favourite[1]))))
    for slot, pattern in SLOTS:
        if pattern.match(fact):
            return None if slot == "home" and PAST.search(fact) else slot
    return None


def only_denies(fact: str, others: Sequence[str]) -> bool:
    """Whether a fact only denies the value of a slot that one of the others fills: the second half
    of "my name is Morten, not Marten"."""
    slot = slot_of(DENIAL.sub("", fact)) if DENIAL.search(fact) else None
    return slot is not None and any(slot_of(other) == slot for other in others)


def current_line(line: str, facts: Sequence[str]) -> str:
    """A line of base memory ("Lives in Portland"), or the fact that has made it obsolete.

    The small model keeps an old home beside the new one: a fact that fills the same slot with
    another value replaces the line.
    """
    slot = slot_of(f"The user {line[:1].lower()}{line[1:]}") or slot_of(f"The user's {line}")
    if slot is None:
        return line
    for fact in facts:
        said = words.stems(words.content_words(fact))
        if slot_of(fact) == slot and not words.stems(words.content_words(line)) & said - COMMON:
            rest = re.sub(r"^The user(?:'s)? ", "", fact)
            return rest[:1].upper() + rest[1:]
    return line


def same_people(one: str, other: str) -> bool:
    """Whether two facts name the same relatives and other people."""
    return _others(one) == _others(other)


def _others(fact: str) -> set[str]:
    return words.stems(word for word in words.words(fact) if word in OTHERS)
