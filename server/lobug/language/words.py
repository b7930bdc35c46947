"""Words of a text: what a text search looks for and what the guards compare. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import snowballstemmer

STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are as at be because been before being but by can
    cannot could did do does doing done down for from get gets getting go goes going got had has
    have having he her here hers herself him himself his how i if in into is it its itself just
    let lot lots may maybe me might mine more most much must my myself no nor not now of off on
    once only or other our ours ourselves out over own please quite rather really said same say
    says shall she should so some still such than that the their theirs them themselves then
    there these they this those through to too under until up us very was we well were what when
    where which while who whom whose why will with would yes yet you your yours yourself im ive
    id ill dont doesnt didnt isnt arent wasnt werent cant couldnt wont wouldnt hes shes its
    thats theyre theyve weve youre yeah ok okay um uh er hmm oh hey hi hello
    """.split()
)

NUMBERS = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
        " fifteen sixteen seventeen eighteen nineteen twenty".split()
    )
} | {
    word: str(value)
    for value, word in zip(
        range(30, 101, 10),
        "thirty forty fifty sixty seventy eighty ninety hundred".split(),
        strict=True,
    )
}

# Speech-to-text writes either apostrophe; contractions are cut where the second word begins.
WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?", re.UNICODE)

# A capital letter where no sentence begins, or a digit.
NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'\u2019-]+|\b\d[\w.:]*")

# The verbs people tell about themselves with, whose past the stemmer does not know.
IRREGULAR = {
    "ate": "eat", "became": "become", "began": "begin", "bought": "buy", "broke": "break",
    "brought": "bring", "built": "build", "came": "come", "caught": "catch", "chose": "choose",
    "drank": "drink", "drove": "drive", "eaten": "eat", "fell": "fall", "felt": "feel",
    "flew": "fly", "fought": "fight", "found": "find", "gave": "give", "given": "give",
    "gone": "go", "grew": "grow", "grown": "grow", "heard": "hear", "held": "hold",
    "kept": "keep", "knew": "know", "known": "know", "learnt": "learn", "led": "lead",
    "left": "leave", "lost": "lose", "made": "make", "meant": "mean", "met": "meet",
    "paid": "pay", "quit": "quit", "ran": "run", "read": "read", "sang": "sing", "sat": "sit",
    "saw": "see", "seen": "see", "sent": "send", "slept": "sleep", "sold": "sell",
    "spent": "spend", "spoke": "speak", "spoken": "speak", "stood": "stand", "swam": "swim",
    "taught": "teach", "thought": "think", "told": "tell", "took": "take", "taken": "take",
    "went": "go", "woke": "wake", "won": "win", "wore": "wear", "written": "write",
    "wrote": "write", "children": "child", "kids": "child", "kid": "child", "mum": "mother",
    "mom": "mother", "dad": "father", "married": "marry",
}  # fmt: skip


ORDINALS = {
    "third": "3", "fifth": "5", "eighth": "8", "ninth": "9", "twelfth": "12", "twentieth": "20",
    "thirtieth": "30",
} | {
    f"{word}th": value for word, value in NUMBERS.items() if not word.endswith(("y", "t", "e"))
}  # fmt: skip


def words(text: str) -> list[str]:
    """The words of a text, lower case, without what follows an apostrophe ("dog's" is "dog");
    negated auxiliaries ("don't") are left out, their sense is not a matter of single words.

    Numbers are digits, however they were written: "twenty-five" and "25th" are both "25".
    """
    found: list[str] = []
    tens = False
    for match in WORD.finditer(text.lower()):
        if re.search(r"n['\u2019]t$", match.group()):
            continue
        spoken = re.split(r"['\u2019]", match.group())[0]
        word = NUMBERS.get(spoken) or ORDINALS.get(spoken) or spoken
        if tens and word != spoken and len(word) == 1 and word != "0":
            found[-1] = found[-1][0] + word
        else:
            found.append(re.sub(r"^(\d+)(?:st|nd|rd|th)$", r"\1", word))
        tens = word != spoken and len(word) == 2 and word[1] == "0" and word != "10"
    return found


def content_words(text: str) -> list[str]:
    """The words that carry meaning, each once, in their order."""
    return list(dict.fromkeys(word for word in words(text) if word not in STOP_WORDS))


LONGEST_INFLECTED = 64
"""Characters; what is longer is an address or a key, and stemming takes the square of it."""


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its inflection: "works", "worked" and "working" are all "work"."""
    if len(word) > LONGEST_INFLECTED:
        return word
    base = IRREGULAR.get(word, word)
    base = re.sub(r"our(?=$|ed$|s$|ing$|ite)", "or", base)  # British colour, American color
    # A stemmer of its own: one holds the word it works on, and two threads may ask at once.
    (result,) = snowballstemmer.stemmer("english").stemWords([base])
    return str(result)


def stems(found: Iterable[str]) -> set[str]:
    """The stems of words."""
    return {stem(word) for word in found}


def is_english(text: str, share: float = 0.125) -> bool:
    """Whether checks that know English apply: so large a share of the words are small English
    ones. One in eight will do for a sentence; whole conversations have twice as many and more."""
    found = [word for word in words(text) if not word.isdigit()]
    return sum(word in STOP_WORDS for word in found) >= share * len(found) > 0


def borne_out(text: str, source: str, share: float = 0.6) -> bool:
    """Whether a text keeps to its source: so large a share of its content words occur there, and
    of its names and numbers every one."""
    known = stems(words(source))
    found = content_words(text)
    sure = {word for name in NAME.findall(text) for word in content_words(name)}
    if any(stem(word) not in known for word in sure):
        return False
    return sum(stem(word) in known for word in found) >= share * len(found) > 0


def any_of(found: Sequence[str]) -> str:
    """A full-text query for texts with any of the words. Each is quoted: nothing is an operator."""
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in found)
