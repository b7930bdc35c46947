"""Whether two facts say the same in other words. Pure.

People tell a thing again and again, each time a little differently; the embedder puts such pairs
at 0.1 to 0.35 of each other, where pairs that differ ("works in Rome", "lives in Rome") are as
well. So the words decide, and the distance only says which facts are worth comparing: what is told
of the user must be the same, how it is told (lives, likes, wants ...) must not differ, and neither
may deny what the other does not.

Of 200 tellings of 40 facts (tests/support/paraphrases.txt) distance alone left 68, the words leave
40.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lobug.language import words
from lobug.language.en import replacement
from lobug.language.en.fact_checks import AGAINST, NEGATED

GROUPS = {
    "home": "live reside located based home move",
    "work": "work job employ employed employee occupation profession",
    "name": "name named call called first",
    "like": "like love enjoy fond favorite favourite best",
    "dislike": "dislike hate stand detest loathe",
    "want": "want plan planning wish hope intend",
    "learn": "learn learning study lesson",
    "rather": "prefer than better more rather",
    "can": "speak know able",
    "fear": "afraid fear scared",
    "origin": "born birth birthplace originally",
    "stopped": "quit stop stopped give gave",
    "allergy": "allergic allergy",
    "married": "married wife husband spouse",
    "birthday": "birthday",
}
"""How something belongs to the user; words of one group say the same."""

NEUTRAL = """
user have has own keep get got be go going always been currently often lot very badly person place
new year years city old take takes need time really every still already bit
"""
"""Words that may be in one telling and not in the other."""

SAME = {
    words.stem(word): words.stem(other)
    for word, other in {
        "bike": "bicycle", "fix": "repair", "construct": "make", "build": "make", "develop": "make",
    }.items()
}  # fmt: skip
PHRASES = (
    (re.compile(r"\bat home\b|\bleft-", re.IGNORECASE), ""),  # "left" is else: gave up
    (re.compile(r"\bwork(?:s|ing|ed)? on (?=an?\b|the\b|my\b)", re.IGNORECASE), "makes "),
)

_GROUP_OF = {
    stem: group for group, members in GROUPS.items() for stem in words.stems(members.split())
}
_NEUTRAL = words.stems(NEUTRAL.split())


@lru_cache(maxsize=4096)
def told(fact: str) -> tuple[frozenset[str], frozenset[str], bool]:
    """What a fact tells: its own words, how they belong to the user, and whether it denies it."""
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


def retells(one: str, other: str) -> bool:
    """Whether two facts say the same, or one of them that and more."""
    if not replacement.about_the_same(one, other) and not _married(one, other):
        return False
    (own, groups, denied), (other_own, other_groups, other_denied) = told(one), told(other)
    if denied != other_denied or not own or not other_own:
        return False
    differ = groups ^ other_groups
    if own == other_own:
        # Who plays chess also enjoys it; a dog named Rex and the dog Rex are one.
        return differ <= {"like", "name", "origin"} or differ == {"origin", "birthday"}
    return (own < other_own or other_own < own) and differ <= {"name"}


def says_more(one: str, other: str) -> bool:
    """Whether the first of two that say the same tells more of it."""
    return told(other)[0] < told(one)[0]


def _married(one: str, other: str) -> bool:
    return "married" in told(one)[1] & told(other)[1]


def _root(word: str) -> str:
    """A word without inflection; who does a thing is called after it ("player", "play")."""
    stem = words.stem(word)
    doer = re.fullmatch(r"(\w{3,}?)(?:(\w)\2)?(?:er|or)", stem)
    if doer is not None and len(stem) > 5:
        stem = words.stem(doer[1] + (doer[2] or ""))
    return SAME.get(stem, stem)
