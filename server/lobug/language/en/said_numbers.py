"""The numbers of a text, and whether a sum has others. English. Pure."""

from __future__ import annotations

import re
from fractions import Fraction

from lobug.language.en.data import word_map
from lobug.language.en.number_words import in_digits

LONGEST = 80
"""Characters of an expression."""

_NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_EXPRESSION = re.compile(r"[\d.+\-*/%() ]+")
_IMPLIED = {
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE): frozenset(map(Fraction, numbers.split()))
    for words, numbers in word_map("numbers", "implied").items()
}
_PERCENT = re.compile(r"\bper ?cent|%", re.IGNORECASE)


def numbers_said(text: str) -> frozenset[Fraction]:
    """The numbers in a text, in digits or in words."""
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", text)
    found = [*_NUMBER.findall(plain), *_NUMBER.findall(in_digits(plain))]
    found += _NUMBER.findall(in_digits(plain, prices=True))
    return frozenset(Fraction(number) for number in found)


def is_sum_of(expression: str, text: str) -> bool:
    """Whether an arithmetic expression has at least two numbers, and none that is neither in a text
    nor follows from its words: "half" allows 2, "percent" 100."""
    if len(expression) > LONGEST or not _EXPRESSION.fullmatch(expression):
        return False
    used = [Fraction(number) for number in _NUMBER.findall(expression)]
    said = numbers_said(text)
    known = said.union(*(numbers for words, numbers in _IMPLIED.items() if words.search(text)))
    if _PERCENT.search(text):
        known |= {number / 100 for number in said} | {Fraction(100), Fraction(1)}
        known |= {1 - number / 100 for number in said} | {1 + number / 100 for number in said}
    # A sum has at least one number of its own, and does something with it.
    return len(used) > 1 and set(used) <= known and not set(used).isdisjoint(said)
