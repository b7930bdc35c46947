"""Numbers in the tokens of a sentence, in words or digits. English. Pure.

A reader gets the place of the first token and returns a value and the place after it, or None.
"""

from __future__ import annotations

from lobug.language.en.times.tokens import Tokens
from lobug.language.en.times.vocabulary import (
    BELOW_TWENTY_WORDS,
    ORDINAL_ENDINGS,
    ORDINALS,
    TENS_WORDS,
)

_MOST_DIGITS = 9
_FRACTION_SIGNS = {"½": 0.5, "¼": 0.25, "¾": 0.75}


def below_hundred(t: Tokens, at: int) -> tuple[int, int] | None:
    """A number in words: "seven", "forty five"."""
    word = t[at]
    if word in TENS_WORDS:
        one = BELOW_TWENTY_WORDS.get(t[at + 1], 0)
        if 0 < one < 10:
            return TENS_WORDS[word] + one, at + 2
        return TENS_WORDS[word], at + 1
    if word in BELOW_TWENTY_WORDS:
        return BELOW_TWENTY_WORDS[word], at + 1
    return None


def whole(t: Tokens, at: int) -> tuple[int, int] | None:
    """A whole number: "7", "1,250", "a hundred and twenty", "two thousand"."""
    if t[at].isdecimal():
        return _digits(t, at)
    found = _below_thousand(t, at)
    if found is None and t[at] == "a" and t[at + 1] == "thousand":
        found = (1, at + 1)
    if found is None or t[found[1]] != "thousand":
        return found
    value, end = found[0] * 1000, found[1] + 1
    rest = _below_thousand(t, end + (t[end] == "and"))
    return (value + rest[0], rest[1]) if rest else (value, end)


def quantity(t: Tokens, at: int) -> tuple[float, int] | None:
    """A number that may have a fraction: "2.5", "two point five", "1½", "two and a half"."""
    if t[at] in _FRACTION_SIGNS:
        return _FRACTION_SIGNS[t[at]], at + 1
    found = whole(t, at)
    if found is None:
        return None
    value, end = found
    if t[end] in _FRACTION_SIGNS:
        return value + _FRACTION_SIGNS[t[end]], end + 1
    if t[end] == "." and t.glued[end] and t.glued[end + 1] and _short(t[end + 1]):
        return float(f"{value}.{t[end + 1]}"), end + 2
    if t[end] == "point":
        part = below_hundred(t, end + 1)
        if part and part[0] < 10:
            return value + part[0] / 10, part[1]
    if t.phrase(end, ("1", "/", "2")):
        return value + 0.5, end + 3
    half = half_more(t, end)
    return (value + half[0], half[1]) if half else (float(value), end)


def half_more(t: Tokens, at: int) -> tuple[float, int] | None:
    """What is added to a number or a unit: "and a half", "and three quarters"."""
    if t[at] != "and":
        return None
    if t[at + 1] in ("a", "one") and t[at + 2] in ("half", "quarter"):
        return (0.5 if t[at + 2] == "half" else 0.25), at + 3
    if t[at + 1] == "half":
        return 0.5, at + 2
    if t[at + 1] in ("three", "3") and t[at + 2] == "quarters":
        return 0.75, at + 3
    return None


def ordinal(t: Tokens, at: int) -> tuple[int, int] | None:
    """A rank up to 39: "3rd", "third", "twenty first"."""
    word = t[at]
    if _short(word):
        if t.glued[at + 1] and t[at + 1] in ORDINAL_ENDINGS:
            return int(word), at + 2
        return None
    if word in ORDINALS:
        return ORDINALS[word], at + 1
    if word in ("twenty", "thirty") and 0 < ORDINALS.get(t[at + 1], 0) < 10:
        return TENS_WORDS[word] + ORDINALS[t[at + 1]], at + 2
    return None


def year(t: Tokens, at: int) -> tuple[int, int] | None:
    """A year from 1900 to 2199: "2027", "twenty twenty seven", "two thousand and thirty"."""
    word = t[at]
    if word.isdecimal():
        fits = len(word) == 4 and 1900 <= int(word) < 2200 and t[at + 1] not in (":", "%")
        return (int(word), at + 1) if fits else None
    if word in ("twenty", "nineteen"):
        rest = below_hundred(t, at + 1)
        if rest and rest[0] >= 10:
            return (2000 if word == "twenty" else 1900) + rest[0], rest[1]
        return None
    found = whole(t, at) if word == "two" and t[at + 1] == "thousand" else None
    return found if found and 2000 < found[0] < 2200 else None


def _short(word: str) -> bool:
    return word.isdecimal() and len(word) <= 2


def _digits(t: Tokens, at: int) -> tuple[int, int] | None:
    text, end = t[at], at + 1
    while (
        t[end] == ","
        and t.glued[end]
        and t.glued[end + 1]
        and len(t[end + 1]) == 3
        and t[end + 1].isdecimal()
        and len(text) < _MOST_DIGITS
    ):
        text, end = text + t[end + 1], end + 2
    return (int(text), end) if len(text) <= _MOST_DIGITS else None


def _below_thousand(t: Tokens, at: int) -> tuple[int, int] | None:
    found = below_hundred(t, at)
    if found is None and t[at] == "a" and t[at + 1] == "hundred":
        found = (1, at + 1)
    if found is None or t[found[1]] != "hundred":
        return found
    value, end = found[0] * 100, found[1] + 1
    rest = below_hundred(t, end + (t[end] == "and"))
    return (value + rest[0], rest[1]) if rest else (value, end)
