"""Compares two facts: whether one replaces, repeats or contradicts the other. English. Pure.

Replacement. The rule is distance: a near-duplicate is replaced. Two exceptions were measured with
the embedded model:

- "The user's sister is named Anna" and "The user's brother is named Anna" are 0.06 apart, well
  below the threshold of 0.15: facts about different people never replace each other.
- "The user lives in Portland" and "The user moved to Seattle" are 0.40 apart: what a person has
  only one of at a time (name, home, age, birthday, favourite of a kind) is replaced at any
  distance.

Paraphrase. People repeat things, each time a little differently. The embedder puts such pairs at a
distance of 0.1 to 0.35, and different facts ("works in Rome", "lives in Rome") as well. So the
words decide, and the distance only selects the facts to compare: they must say the same about the
user, in the same relation (lives, likes, wants ...), and both or neither must be negated. Of 200
tellings of 40 facts (tests/support/paraphrases.txt) distance alone left 68, the words leave 40.

Contradiction. "My sister is called Hannah" contradicts "The user's sister is called Anna" and not
"The user's sister is a nurse": two statements contradict each other when they say the same kind of
thing about the same person or thing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Protocol, TypeVar

from lobug.language.en import verbs, words
from lobug.language.en.data import word_list, word_map, word_set
from lobug.language.en.fact_checks import AGAINST, NEGATED, OTHERS

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


GROUPS = word_map("paraphrase", "groups")
"""Words of one group name the same relation to the user."""

NEUTRAL = word_list("paraphrase", "neutral")
"""Words that may be in only one of the two."""

SAME = {
    words.stem(word): words.stem(other) for word, other in word_map("paraphrase", "same").items()
}
PHRASES = (
    (re.compile(r"\bat home\b|\bleft-", re.IGNORECASE), ""),  # "left" is else: gave up
    (re.compile(r"\bwork(?:s|ing|ed)? on (?=an?\b|the\b|my\b)", re.IGNORECASE), "makes "),
)

_GROUP_OF = {
    stem: group for group, members in GROUPS.items() for stem in words.stems(members.split())
}
_NEUTRAL = words.stems(NEUTRAL)


def claim_of(fact: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """What a fact claims: its own words, their relations to the user, and whether it is negated."""
    own, groups = set[str](), set[str]()
    text = fact
    for phrase, instead in PHRASES:
        text = phrase.sub(instead, text)
    for word in words.content_words(text):
        stem = _root(word)
        group = _GROUP_OF.get(words.stem(word)) or _GROUP_OF.get(stem)
        if group is not None:
            groups.add(group)
        elif stem not in _NEUTRAL and words.stem(word) not in _NEUTRAL:
            own.add(stem)
    denied = NEGATED.search(fact) is not None
    if denied and "like" in groups:
        groups, denied = groups - {"like"} | {"dislike"}, False
    if denied and "dislike" in groups:  # "can't stand"
        denied = False
    return frozenset(own), frozenset(groups), denied != bool(AGAINST.search(text) and not groups)


def is_paraphrase(one: str, other: str) -> bool:
    """Whether two facts say the same, or one of them says the other's claim and more."""
    if not same_people(one, other) and not _married(one, other):
        return False
    (own, groups, denied), (other_own, other_groups, other_denied) = claim_of(one), claim_of(other)
    if denied != other_denied or not own or not other_own:
        return False
    differ = groups ^ other_groups
    if own == other_own:
        # Who plays chess also enjoys it; a dog named Rex and the dog Rex are one.
        return differ <= {"like", "name", "origin"} or differ == {"origin", "birthday"}
    return (own < other_own or other_own < own) and differ <= {"name"}


def is_fuller(one: str, other: str) -> bool:
    """Whether the first of two paraphrases says more."""
    return claim_of(other)[0] < claim_of(one)[0]


def is_subsumed(text: str, other: str) -> bool:
    """Whether another text says all that a text says: it has all of its words, and both or none of
    the two are negated."""
    said = words.stems(words.content_words(text))
    known = words.stems(words.content_words(other))
    denied = NEGATED.search(text) is None, NEGATED.search(other) is None
    return bool(said) and said <= known and denied[0] == denied[1]


def _married(one: str, other: str) -> bool:
    return "married" in claim_of(one)[1] & claim_of(other)[1]


def _root(word: str) -> str:
    """The stem of a word; that of a doer is the stem of the verb ("player", "play")."""
    stem = words.stem(word)
    doer = re.fullmatch(r"(\w{3,}?)(?:(\w)\2)?(?:er|or)", stem)
    if doer is not None and len(stem) > 5:
        stem = words.stem(doer[1] + (doer[2] or ""))
    return SAME.get(stem, stem)


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
        return next((e for e in candidates if contradicts_value(right, wrong, e.content)), None)
    others = [entry for entry in candidates if _plain(entry.content) != _plain(right)]
    for entry in others:
        if contradicts(right, entry.content):
            return entry
    likely = [e for e in others if e.id in used and contradicts(right, e.content, loosely=True)]
    return likely[0] if len(likely) == 1 else None


def contradicts(right: str, said: str, *, loosely: bool = False) -> bool:
    """Whether two statements cannot both be true, judged by their form. ``loosely``: also where
    both may be true ("is blue" and "is red", but also "is fast")."""
    if not same_people(right, said):
        return False
    slot = slot_of(right)
    if slot is not None:
        return slot_of(said) == slot
    one, other = _form(right), _form(said)
    if one is None or one != other:
        return False
    return loosely or not one[-1].startswith("?")


def contradicts_value(right: str, wrong: str, said: str) -> bool:
    """Whether a memory has the wrong words and is about the same thing as the right ones."""
    if not _holds(said, wrong):
        return False
    about = words.stems(words.content_words(right)) - {"user"}
    known = words.stems(words.content_words(said)) - {"user"}
    return bool(about & known) or slot_of(right) == slot_of(said) is not None


def with_instead(said: str, wrong: str, right: str) -> str | None:
    """A memory with the wrong words replaced by the right ones; None: it does not have them."""
    if not _holds(said, wrong):
        return None
    changed = said
    for at in reversed([*words.places_of(wrong, said)]):
        changed = f"{changed[:at]}{right}{changed[at + len(wrong) :]}"
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
