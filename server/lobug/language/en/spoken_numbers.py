"""Numbers, money, percentages, units, ranges and fractions in words. English. Pure.

Numbers are spelled by the rules of the Unicode project (CLDR).
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from unicode_rbnf import FormatPurpose, RbnfEngine

from lobug.language.en.data import BELOW_TWENTY, word_map

_LARGEST = 10**15
"""The rules end at 10**18; nobody follows a number of that length anyway."""

NUMBER = r"(?:[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?:\.[0-9]+)?"
"""A written number without a sign: 5, 1,250,000, 3.14."""

_PARTS = {2: "half", 4: "quarter"}
_VERBOSE = "spellout-cardinal-verbose"
"""The rules with "and" before the tens, as most people count aloud."""


@cache
def _rules() -> RbnfEngine:
    return RbnfEngine.for_language("en")


def cardinal(number: int) -> str:
    """391 is "three hundred and ninety-one"; a very long number is read digit by digit.

    From a thousand on there is no "and": 384,400 with it was heard as 300 and 84,400.
    """
    if abs(number) >= _LARGEST:
        return ("minus " if number < 0 else "") + digits(str(abs(number)))
    if abs(number) >= 1_000:
        return _rules().format_number(number).text
    return _rules().format_number(number, ruleset_names=[_VERBOSE]).text


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
    """The digits of a text one by one; other characters are left out."""
    return " ".join(BELOW_TWENTY[int(sign)] for sign in text if sign in "0123456789")


def written(text: str) -> str:
    """A number as written: "1,250" and "3.50" and "007"."""
    whole, _, part = text.replace(",", "").partition(".")
    plain = "," not in text and len(whole) > 1
    if plain and not part and (whole[0] == "0" or len(whole) >= 7):
        return digits(whole)
    words = cardinal(int(whole))
    return f"{words} point {digits(part)}" if part else words


def amount(text: str) -> float:
    """The value of a written number, to tell singular from plural."""
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


_MONEY = {
    "$": ("dollar", "cent"), "€": ("euro", "cent"), "£": ("pound", "pence"),
    "¥": ("yen", ""), "₹": ("rupee", "paise"), "₩": ("won", ""), "₽": ("ruble", "kopek"),
    "USD": ("US dollar", "cent"), "EUR": ("euro", "cent"), "GBP": ("British pound", "pence"),
    "CHF": ("Swiss franc", "cent"), "JPY": ("yen", ""), "US$": ("US dollar", "cent"),
}  # fmt: skip
_UNCHANGED = frozenset({"yen", "won", "pence", "paise"})
"""Money whose plural is like its singular."""
_SIGN = "|".join(re.escape(sign) for sign in sorted(_MONEY, key=len, reverse=True))
_SCALES = word_map("spoken_numbers", "scales")
_SCALE = r"thousand|million|billion|trillion|bn|[kKmMBT]"
_MONEY_BEFORE = re.compile(
    rf"(?<!\w)(?P<minus>-)?(?P<sign>{_SIGN})\s?(?P<number>{NUMBER})"
    rf"(?:\s?[-–]\s?(?P=sign)?(?P<to>{NUMBER}))?(?:\s?(?P<scale>{_SCALE})\b)?"
)
_MONEY_AFTER = re.compile(
    rf"(?<![\w.,])(?P<minus>-)?(?P<number>{NUMBER})(?:\s?[-–]\s?(?P<to>{NUMBER}))?"
    rf"(?:\s?(?P<scale>{_SCALE}))?\s?(?P<sign>{_SIGN})(?![\w$€£])"
)

_UNITS = word_map("spoken_numbers", "units")
_NO_PLURAL = frozenset({"hertz", "kilohertz", "megahertz", "gigahertz"})
_UNIT = "|".join(re.escape(unit) for unit in sorted(_UNITS, key=len, reverse=True))
_QUANTITY = re.compile(
    rf"(?<![\w.,])(?P<minus>[-+±])?(?P<number>{NUMBER})(?:\s?(?:-|–|to)\s?(?P<to>{NUMBER}))?"
    rf"(?P<hyphen>-|\s)?(?P<unit>{_UNIT})(?P<power>[²³])?(?:/(?P<per>{_UNIT})(?P<below>[²³])?)?"
    r"(?![\w'’/²³&]|\s?[=*×+](?!\s?$))"
)
_POWERS = {"²": "square ", "³": "cubic ", None: ""}
_FEET = re.compile(r"(?<![\w.'])([0-9]{1,2})['\u2032]\s?([0-9]{1,2})(?:\"|″|''|”)?(?![\w'])")
_INCHES = re.compile(r"(?<![\w.])([0-9]{1,3}(?:\.[0-9])?)(?:\"|″)(?=$|[\s.,!?])")

_PERCENT = re.compile(
    rf"(?<![\w.,])(?P<minus>[-+±])?(?P<number>{NUMBER})(?:\s?%?\s?[-–]\s?(?P<to>{NUMBER}))?\s?%"
)
_SHORT_NUMBER = re.compile(
    r"(?<=\b[cC]all )[0-9]{3}(?![\w-]|[.,][0-9])|(?<=\b[dD]ial )[0-9]{3}(?![\w-]|[.,][0-9])"
)
_PHONE = re.compile(
    r"(?<![\w.,/-])(?:\+[0-9]{1,3}[ .-]?)?(?:\([0-9]{2,5}\)[ -]?|[0-9]{2,4}[ .-])?[0-9]{3}[.-]"
    r"[0-9]{4}(?![\w-]|[.,][0-9])|(?<![\w.,/])\+[0-9](?:[ ()./-]{0,2}[0-9]){6,14}(?!\w)"
)
_ORDINAL = re.compile(
    r"(?<![\w.,])([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:st|nd|rd|th)\b", re.IGNORECASE
)
_RANGE = re.compile(rf"(?<![\w.,/-])({NUMBER})(?:[-–—]|\s[–—]\s)({NUMBER})(?![\w/]|[-–.,][0-9])")
_MIXED = re.compile(
    r"(?<![\w.,/])([0-9]{1,4})\s([1-9]|1[0-9])/([2-9]|1[0-9]|20)(?![\w/]|[.,][0-9])"
)
_FRACTION = re.compile(r"(?<![\w.,/])([0-9]{1,4})/([0-9]{1,4})(?![\w/]|[.,][0-9])")
_VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5",
    "⅘": "4/5", "⅙": "1/6", "⅚": "5/6", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8",
}  # fmt: skip
_VULGAR_SIGN = re.compile(rf"([0-9]?)([{''.join(_VULGAR)}])")
_TIMES_SIGNS = (
    (re.compile(r"(?<=[0-9])\s*[*×]\s*(?=[0-9(])"), " times "),
    (re.compile(r"(?<=[0-9])\s?x\s?(?=[0-9])"), " by "),
    (re.compile(r"(?<=[0-9])x(?!\w)"), " times"),
    (re.compile(r"(?<=[0-9)])(?:\s+/\s+|\s*÷\s*)(?=[0-9(])"), " divided by "),
    (re.compile(r"(?<=[0-9)])\s+-\s+(?=[0-9(])"), " minus "),
    (re.compile(r"(?<=[0-9)])\s*\+\s*(?=[0-9(])"), " plus "),
    (re.compile(r"(?<=[0-9)])\s*\^\s*(?=[0-9(])"), " to the power of "),
)
_NUMBERED = re.compile(r"(?<!\w)(?:#|No\.\s?|no\.\s|Nr\.\s?|№\s?)(?=[0-9])")
_SCALED = re.compile(rf"(?<![\w.,])({NUMBER})\s?([kMB])(?![\w'’])")
_MINUS = re.compile(r"(?<![\w)\]%.,-])-(?=[0-9])")
_PLAIN = re.compile(NUMBER)
_LETTER_DIGIT = re.compile(r"(?<=[^\W\d_])(?=[0-9])|(?<=[0-9])(?=[^\W\d_])")


def read_quantities(text: str) -> str:
    """Every number in words, with what it counts. No ASCII digit is left."""
    text = _VULGAR_SIGN.sub(lambda m: f"{m[1]}{' ' if m[1] else ''}{_VULGAR[m[2]]}", text)
    text = _PHONE.sub(_phone, text)
    text = _SHORT_NUMBER.sub(lambda m: digits(m[0]), text)
    text = _MONEY_BEFORE.sub(_money, text)
    text = _MONEY_AFTER.sub(_money, text)
    text = _PERCENT.sub(lambda m: f"{_counted(m)} percent", text)
    text = _FEET.sub(lambda m: f"{written(m[1])} foot {cardinal(int(m[2]))}", text)
    if text.count('"') % 2:
        text = _INCHES.sub(lambda m: _of(m[1], "inch"), text)
    text = _QUANTITY.sub(_quantity, text)
    text = _ORDINAL.sub(lambda m: ordinal(int(m[1].replace(",", ""))), text)
    text = _NUMBERED.sub("number ", text)
    text = _MIXED.sub(_mixed, text)
    for sign, word in _TIMES_SIGNS:
        text = sign.sub(word, text)
    text = _FRACTION.sub(_fraction, text)
    text = _RANGE.sub(lambda m: f"{written(m[1])} to {written(m[2])}", text)
    text = _SCALED.sub(lambda m: f"{written(m[1])} {_SCALES[m[2]]}", text)
    text = _MINUS.sub("minus ", text)
    text = _LETTER_DIGIT.sub(" ", text)
    return _PLAIN.sub(lambda m: written(m[0]), text)


def _phone(match: re.Match[str]) -> str:
    groups = [digits(group) for group in re.findall(r"[0-9]+", match[0])]
    return ("plus " if match[0].startswith("+") else "") + ", ".join(groups)


def _counted(match: re.Match[str]) -> str:
    """A number, or a range of them, with its sign."""
    groups = match.groupdict()
    sign = {"-": "minus ", "+": "plus ", "±": "plus or minus "}.get(groups["minus"] or "", "")
    words = sign + written(groups["number"])
    return f"{words} to {written(groups['to'])}" if groups["to"] else words


def _of(number: str, unit: str) -> str:
    return f"{written(number)} {unit if amount(number) == 1 else _several(unit)}"


def _several(unit: str) -> str:
    """The plural of a unit: "square meters", "miles per hour", "degrees Celsius"."""
    if unit in _NO_PLURAL | _UNCHANGED:
        return unit
    first, space, rest = unit.partition(" ")
    if first in ("kilowatt", "watt", "milliamp", "US", "British", "Swiss", "square", "cubic"):
        return f"{first} {_several(rest)}" if space else f"{first}s"
    irregular = {"foot": "feet", "inch": "inches"}.get(first, f"{first}s")
    return irregular + space + rest


def _money(match: re.Match[str]) -> str:
    whole, part = _MONEY[match["sign"]]
    number, scale = match["number"], match["scale"]
    if scale:
        return f"{_counted(match)} {_SCALES.get(scale, scale)} {_several(whole)}"
    units, _, cents = number.partition(".")
    if match["to"] or len(cents) != 2 or not part:
        one = not match["to"] and amount(number) == 1
        return f"{_counted(match)} {whole if one else _several(whole)}"
    said = []
    if amount(units) or not int(cents):
        said.append(_of(units, whole))
    if int(cents):
        said.append(_of(cents.lstrip("0"), part))
    return ("minus " if match["minus"] else "") + " and ".join(said)


def _quantity(match: re.Match[str]) -> str:
    unit = _POWERS[match["power"]] + _UNITS[match["unit"]]
    hyphen = match["hyphen"] == "-"  # "a 5-km run"
    one = not match["to"] and amount(match["number"]) == 1
    words = f"{_counted(match)} {unit if one or hyphen else _several(unit)}"
    if match["per"]:
        words += f" per {_POWERS[match['below']]}{_UNITS[match['per']]}"
    return words


def _mixed(match: re.Match[str]) -> str:
    over, under = int(match[2]), int(match[3])
    if over >= under:
        return match.group()
    part = fraction(over, under)
    article = {"one half": "a half", "one quarter": "a quarter"}.get(part, part)
    return f"{cardinal(int(match[1]))} and {article}"


def _fraction(match: re.Match[str]) -> str:
    over, under = int(match[1]), int(match[2])
    plain = not (match[1].startswith("0") or match[2].startswith("0"))
    if plain and over < under <= 20 and Fraction(over, under).denominator == under:
        return fraction(over, under)
    if (over, under) in ((24, 7), (50, 50)):
        return f"{cardinal(over)} {cardinal(under)}"
    return (
        f"{written(match[1])} {'out of' if plain and over < under else 'over'} {written(match[2])}"
    )
