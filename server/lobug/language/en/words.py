"""Words and stems of a text, for the text index, for recall and for the fact checks. Pure.

English: stop words, number words and irregular forms come from ``en/words.toml``, stems from
Snowball's English stemmer. The text index holds these stems, so another language would need an
index of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

import snowballstemmer

from lobug.language.en.data import BELOW_TWENTY, TENS, word_map, word_set

STOP_WORDS = word_set("words", "stop_words")

BELOW_HUNDRED = {word: str(value) for value, word in enumerate(BELOW_TWENTY)} | {
    word: str(10 * value) for value, word in enumerate(TENS, start=2)
}
NUMBERS = BELOW_HUNDRED | {"hundred": "100"}
"""Digits of the numbers that are one word."""

# Speech-to-text writes either apostrophe; contractions are cut where the second word begins.
WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?", re.UNICODE)
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)?")
"""The same in a text of ASCII in lower case, in half the time."""
_NEGATED = re.compile(r"n['\u2019]t$")
_APOSTROPHE = re.compile(r"['\u2019]")
_ORDINAL = re.compile(r"^(\d+)(?:st|nd|rd|th)$")

# A capital letter where no sentence begins, or a digit.
NAME = re.compile(r"(?<=[\w,;:] )[A-Z][\w'\u2019-]+|\b\d[\w.:]*")

# The verbs people tell about themselves with, whose past the stemmer does not know.
IRREGULAR = word_map("words", "irregular")


ORDINALS = {
    "third": "3",
    "fifth": "5",
    "eighth": "8",
    "ninth": "9",
    "twelfth": "12",
    "twentieth": "20",
    "thirtieth": "30",
} | {f"{word}th": value for word, value in NUMBERS.items() if not word.endswith(("y", "t", "e"))}

_SPOKEN_NUMBERS = NUMBERS.keys() | ORDINALS.keys()


def words(text: str) -> list[str]:
    """The words of a text in lower case, without what follows an apostrophe ("dog's" is "dog").

    Negated auxiliaries ("don't") are left out: single words do not carry their sense. Numbers are
    digits: "twenty-five" and "25th" are both "25".
    """
    found: list[str] = []
    tens = False
    low = text.lower()
    for written in (_ASCII_WORD if low.isascii() else WORD).findall(low):
        if written.isalpha() and written not in _SPOKEN_NUMBERS:  # most of them
            found.append(written)
            tens = False
            continue
        spoken = written
        if not written.isalnum():  # there is an apostrophe in it
            if _NEGATED.search(written):
                continue
            spoken = _APOSTROPHE.split(written)[0]
        word = NUMBERS.get(spoken) or ORDINALS.get(spoken) or spoken
        if tens and word != spoken and len(word) == 1 and word != "0":
            found[-1] = found[-1][0] + word
        else:
            found.append(_ORDINAL.sub(r"\1", word) if word[0].isdigit() else word)
        tens = word != spoken and len(word) == 2 and word[1] == "0" and word != "10"
    return found


def content_words(text: str) -> list[str]:
    """The words that are no stop words, each once, in their order."""
    return list(dict.fromkeys(word for word in words(text) if word not in STOP_WORDS))


def places_of(wanted: str, text: str) -> Iterator[int]:
    """The indices at which a text has some words, in any capitals. Without a pattern, because
    ``re`` keeps the patterns that it compiles, and with them what a user said."""
    low, wanted = text.lower(), wanted.lower()
    if len(low) != len(text):  # a capital whose small form is two characters
        low = text
    at = low.find(wanted)
    while at >= 0:
        around = low[at - 1 : at] + low[at + len(wanted) :][:1]
        if not any(mark.isalnum() or mark == "_" for mark in around):
            yield at
        at = low.find(wanted, at + 1)


LONGEST_INFLECTED = 64
"""Characters. A longer word is an address or a key, and the stemmer takes quadratic time."""


@lru_cache(maxsize=32_768)
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
    return {stem(word) for word in found}


def is_english(text: str, share: float = 0.125) -> bool:
    """Whether at least ``share`` of the words are English stop words, so that English rules apply.

    One in eight is enough for a sentence; whole conversations have twice as many and more.
    """
    found = [word for word in words(text) if not word.isdigit()]
    return sum(word in STOP_WORDS for word in found) >= share * len(found) > 0


def is_supported(text: str, source: str, share: float = 0.6) -> bool:
    """Whether a source has at least ``share`` of a text's content words, and all of its names and
    numbers."""
    known = stems(words(source))
    found = content_words(text)
    sure = {word for name in NAME.findall(text) for word in content_words(name)}
    if any(stem(word) not in known for word in sure):
        return False
    return sum(stem(word) in known for word in found) >= share * len(found) > 0
