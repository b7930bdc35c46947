"""Numbers as words, by the rules of the Unicode project (CLDR). English. Pure."""

from __future__ import annotations

import re
from functools import cache

from unicode_rbnf import FormatPurpose, RbnfEngine

_DIGITS = "zero one two three four five six seven eight nine".split()
_LARGEST = 10**15
"""The rules end at 10**18; nobody follows a number of that length anyway."""

NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?"
"""A written number without a sign: 5, 1,250,000, 3.14."""

_PARTS = {2: "half", 4: "quarter"}


@cache
def _rules() -> RbnfEngine:
    return RbnfEngine.for_language("en")


def cardinal(number: int) -> str:
    """25 is "twenty-five"; a very long number is read digit by digit."""
    if abs(number) >= _LARGEST:
        return ("minus " if number < 0 else "") + digits(str(abs(number)))
    return _rules().format_number(number).text


def ordinal(number: int) -> str:
    """22 is "twenty-second"."""
    if number >= _LARGEST:
        return f"{digits(str(number))}th"
    return _rules().format_number(number, FormatPurpose.ORDINAL).text


def year(number: int) -> str:
    """1984 is "nineteen eighty-four", 2026 "twenty twenty-six"."""
    return _rules().format_number(number, FormatPurpose.YEAR).text.replace("oh-", "oh ")


def decade(number: int) -> str:
    """1980 is "nineteen eighties", 80 "eighties"."""
    words = year(number) if number >= 1000 else cardinal(number)
    return f"{words[:-1]}ies" if words.endswith("y") else f"{words}s"


def digits(text: str) -> str:
    """One by one; what is no digit is left out."""
    return " ".join(_DIGITS[int(sign)] for sign in text if sign in "0123456789")


def written(text: str) -> str:
    """A number as written: "1,250" and "3.50" and "007"."""
    whole, _, part = text.replace(",", "").partition(".")
    plain = "," not in text and len(whole) > 1
    if plain and not part and (whole[0] == "0" or len(whole) >= 7):
        return digits(whole)
    words = cardinal(int(whole))
    return f"{words} point {digits(part)}" if part else words


def amount(text: str) -> float:
    """The value of a number as written, to tell one from several."""
    return float(text.replace(",", ""))


def fraction(over: int, under: int) -> str:
    """3 and 4 are "three quarters"."""
    part = _PARTS.get(under) or ordinal(under)
    several = "halves" if part == "half" else f"{part}s"
    return f"{cardinal(over)} {part if over == 1 else several}"


_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ROMAN_FORM = re.compile(r"(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")


def roman(text: str) -> int | None:
    """The value of a Roman numeral below 100; None: it is none."""
    if not text or not _ROMAN_FORM.fullmatch(text):
        return None
    values = [_ROMAN[sign] for sign in text]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))
