"""Whether two facts say the same in other words. English. Pure.

People repeat things, each time a little differently. The embedder puts such pairs at a distance of
0.1 to 0.35, and different facts ("works in Rome", "lives in Rome") as well. So the words decide,
and the distance only selects the facts to compare: they must say the same about the user, in the
same relation (lives, likes, wants ...), and both or neither must be negated.

Of 200 tellings of 40 facts (tests/support/paraphrases.txt) distance alone left 68, the words leave
40.
"""

from __future__ import annotations

import re
from functools import lru_cache

from lobug.language.en import replacement, words
from lobug.language.en.fact_checks import AGAINST, NEGATED
from lobug.language.en.lists import word_list, word_map

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


@lru_cache(maxsize=4096)
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
    if not replacement.same_people(one, other) and not _married(one, other):
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
