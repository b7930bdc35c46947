"""The numbers of a text, and whether a sum has others. English. Pure."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction

from lobug.language.en.data import word_map
from lobug.language.en.number_words import in_digits

LONGEST = 80
"""Characters of an expression."""

FEWEST = 2
"""Numbers of a sum."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_EXPRESSION = re.compile(r"[\d.+\-*/%() ]+")
_IMPLIED = {
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE): frozenset(map(Fraction, numbers.split()))
    for words, numbers in word_map("numbers", "implied").items()
}
_PERCENT = re.compile(r"\bper ?cent|%", re.IGNORECASE)


def numbers_said(text: str) -> Counter[Fraction]:
    """The numbers in a text, in digits or in words, and how often each was said."""
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    readings = (plain, in_digits(plain), in_digits(plain, prices=True))
    found: Counter[Fraction] = Counter()
    for reading in readings:
        found |= Counter(Fraction(number) for number in _NUMBER.findall(reading))
    return found


def is_sum_of(expression: str, text: str) -> bool:
    """Whether an arithmetic expression has at least two numbers, and none that is neither in a text
    nor follows from its words: "half" allows 2, "percent" 100.

    A number is used as often as it was said, but for percentages: "80-80*15/100".
    """
    if len(expression) > LONGEST or not _EXPRESSION.fullmatch(expression):
        return False
    used = Counter(Fraction(number) for number in _NUMBER.findall(expression))
    said = numbers_said(text)
    implied = frozenset[Fraction]().union(
        *(numbers for words, numbers in _IMPLIED.items() if words.search(text))
    )
    percent = _PERCENT.search(text) is not None
    if percent:
        implied |= {Fraction(100), Fraction(1), *(number / 100 for number in said)}
    if used.total() < FEWEST or not set(used) <= implied.union(said) or not set(used) & set(said):
        return False
    return percent or all(
        count <= said[number] + (number in implied) for number, count in used.items()
    )
