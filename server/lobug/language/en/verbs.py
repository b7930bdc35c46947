"""Changes verbs between "I live" and "the user lives". English. Pure."""

from __future__ import annotations

from lobug.language.en.data import word_list, word_map, word_set
from lobug.language.en.words import IRREGULAR

THIRD = word_map("verbs", "third")
BASE = word_map("verbs", "base")
NOT = word_map("verbs", "not")
"""Negated forms in the third person, written out."""

NOT_BACK = word_map("verbs", "not_back")

UNCHANGING = word_set("verbs", "unchanging")
"""Forms that are the same for every person, or are in the third person already."""

NO_JOIN = UNCHANGING - {"was", "had", "is", "has"} | {"do", "used"} | frozenset(NOT)
"""After these a verb keeps its base form, and so do verbs joined to it."""

PAST = frozenset(IRREGULAR) - word_set("verbs", "not_past") | word_set("verbs", "past")
ED_IN_THE_PRESENT = word_set("verbs", "ed_in_the_present")
ADVERBS = word_set("verbs", "adverbs")
"""Words that may stand between a subject and its verb: adverbs, and "I myself"."""

JOINED = word_set("verbs", "joined")
"""Verbs that are hardly ever nouns: after "and" they have the subject of the verb before."""
JOINED_BEFORE = {
    verb: word_set("verbs", "after_a_verb") for verb in word_list("verbs", "may_be_nouns")
}
"""Verbs that may be nouns, unless one of these follows."""


def is_past(word: str) -> bool:
    """Whether a word, in small letters, is the past tense of a verb."""
    if word in PAST:
        return True
    return len(word) > 3 and word.endswith("ed") and word not in ED_IN_THE_PRESENT


def to_third(word: str, *, past: bool = False) -> str:
    """A verb in the third person; ``past``: of a sentence about the past ("I read it once")."""
    low = word.lower().replace("\u2019", "'")
    if low in NOT:
        return NOT[low]
    if low in THIRD:
        return THIRD[low]
    alike = low in {"read", "put", "set", "let", "cost", "beat"}
    if low in UNCHANGING or is_past(low) or (alike and past) or not low.isalpha():
        return word
    if low.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{word}es"
    if low.endswith("y") and low[-2:-1] not in set("aeiou"):
        return f"{word[:-1]}ies"
    return f"{word}s"


def to_base(word: str) -> str:
    """A verb of the third person in the form that follows "you"."""
    low = word.lower().replace("\u2019", "'")
    if low in NOT_BACK:
        return NOT_BACK[low]
    if low in BASE:
        return BASE[low]
    if not is_third(low):
        return word
    if low.endswith("ies") and len(low) > 4:
        return f"{word[:-3]}y"
    if low.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return word[:-2]
    return word[:-1]


NO_VERBS = word_set("verbs", "no_verbs")


def is_third(word: str) -> bool:
    """Whether a word, in small letters, may be a verb in the third person."""
    if word in BASE or word in NOT_BACK:
        return True
    return (
        len(word) > 2
        and word.isalpha()
        and word.endswith("s")
        and not word.endswith(("ss", "us"))
        and word not in NO_VERBS
    )


_ENDINGS = {"s": ("",), "es": ("",), "ies": ("y",), "ing": ("", "e"), "ed": ("", "e")}


def possible_bases(word: str) -> list[str]:
    """The verbs that a form in small letters may belong to, itself first: waves, waving, waved give
    "wave" among others, nodding "nod"."""
    bases = [word]
    for ending, replacements in _ENDINGS.items():
        if word.endswith(ending):
            root = word[: -len(ending)]
            bases += [root + replacement for replacement in replacements]
            if len(root) > 2 and root[-1] == root[-2]:  # nodding
                bases.append(root[:-1])
    return bases
