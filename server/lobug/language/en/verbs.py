"""English verbs in the present tense: "I live" and "the user lives", both ways. Pure."""

from __future__ import annotations

from lobug.language.words import IRREGULAR

THIRD = {"am": "is", "are": "is", "were": "was", "have": "has", "do": "does", "go": "goes"}
BASE = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go", "dies": "die",
        "lies": "lie", "ties": "tie", "focuses": "focus"}  # fmt: skip
NOT = {
    "don't": "does not", "dont": "does not", "haven't": "has not", "havent": "has not",
    "aren't": "is not", "weren't": "was not", "ain't": "is not",
}  # fmt: skip
"""Negated, to the third person, written out."""

NOT_BACK = {"doesn't": "don't", "hasn't": "haven't", "isn't": "aren't", "wasn't": "weren't"}

UNCHANGING = frozenset(
    """
    can could will would shall should may might must ought cannot can't cant couldn't won't wont
    wouldn't shan't shouldn't mightn't mustn't did didn't didnt had hadn't used be been being is
    was wasn't wasnt isn't has hasn't does doesn't quit hurt hit cut bet split cast burst shut
    spread not to gotta gonna wanna
    """.split()
)
"""Forms that are the same for every person, or stand there in the third already."""

NO_JOIN = UNCHANGING - {"was", "had", "is", "has"} | {"do", "used"} | frozenset(NOT)
"""After these a verb keeps its plain form, and so does what is joined to it."""

PAST = frozenset(IRREGULAR) - frozenset(
    "children kids kid mum mom dad married read quit".split()
) | frozenset(
    """
        bent bit bled blew bred burnt clung crept dealt dove dreamt dug fed fled forgot froze got
        hid hung laid lay lent lit overcame rode rose said sank shook shot sought sped spilt spoilt
        sprang spun stole struck stuck stung swept swore thought threw tore understood undertook
        wept withdrew wore wove
        """.split()
)
ED_IN_THE_PRESENT = frozenset(
    "bleed breed embed exceed feed heed need proceed seed shed speed succeed wed weed".split()
)
ADVERBS = frozenset(
    """
    absolutely actually already also always barely basically certainly currently definitely ever
    finally frequently generally hardly honestly just mainly mostly much nearly never
    normally now occasionally often only originally particularly personally presently previously
    primarily probably rarely really recently regularly seldom simply so sometimes soon still
    strongly surely then too totally truly typically usually very myself themself
    """.split()
)
"""What may stand between a subject and its verb; adverbs, and "I myself"."""

JOINED = frozenset(
    """
    am do don't enjoy go have haven't hate know live like love need own prefer speak study suffer
    teach want
    """.split()
)
"""Verbs that are hardly ever nouns: after "and" they have the subject of the verb before."""
JOINED_BEFORE = {
    verb: frozenset("a an the my our his her their at for in on as with from to near".split())
    for verb in "work play drive collect drink eat write run sing dance cook use make".split()
}
"""Verbs that may be nouns, unless one of these follows."""


def is_past(word: str) -> bool:
    """Whether a word, in small letters, is a verb's past."""
    if word in PAST:
        return True
    return len(word) > 3 and word.endswith("ed") and word not in ED_IN_THE_PRESENT


def to_third(word: str, *, past: bool = False) -> str:
    """A verb as it follows "the user"; ``past``: what is told is over, so that "read" is past."""
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
    """A verb that followed "the user", as it follows "you"."""
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


NO_VERBS = frozenset(
    """
    afterwards always as besides his hers its less nowadays others ours perhaps plus sometimes
    theirs this thus towards unless us versus yes yours across is was has
    """.split()
)


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
