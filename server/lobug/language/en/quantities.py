"""Quantities and units in what people say. English. Pure.

"Six foot two" is two amounts, 6 feet and 2 inches; "a pound" is one pound.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib.resources import files

from lobug.language.en.number_words import NUMBER, in_digits

_MOST_WORDS = 6
LONGEST = 80
"""Characters of a quantity."""

_SMALLER = {
    "foot": "inch",
    "meter": "centimeter",
    "stone": "pound",
    "pound": "ounce",
    "hour": "minute",
    "minute": "second",
}
"""The unit of a bare number that follows: "six foot two"."""
_DEGREES = {"degC": "degF", "degF": "degC"}
_MONEY = re.compile(
    r"[\u00a3$\u20ac\u00a5]|\b(?:dollars?|euros?|quid|bucks|yen|yuan|rupees?|francs?|pence|cents?|pesos?|kron(?:a|er|or)"
    r"|zloty|won|rand|roubles?|rubles?|usd|gbp|eur|jpy|chf|sterling|pounds? sterling|bitcoins?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as somebody named it."""

    pint: str
    """The unit's expression in pint."""
    singular: str
    plural: str
    british: str = ""
    """The unit of pint of the same name in Britain, where it is another size."""
    mixed: bool = False
    """The result is wanted in this unit and the next smaller one: "in hours and minutes"."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """Amounts that are added: 6 feet and 2 inches."""

    parts: tuple[tuple[Fraction, Unit], ...]


def is_money(text: str) -> bool:
    """Whether a text names money. "Pounds" alone are taken for a weight."""
    return bool(_MONEY.search(text))


def is_sterling(text: str) -> bool:
    """Whether a text is a number of pounds, which may be money."""
    words = in_digits(text)
    return bool(re.fullmatch(rf"(?:{NUMBER} pounds?|pounds?)", words.strip(" .,?!")))


def read_unit(text: str) -> Unit | None:
    """The unit of a name: "kilometres", "degrees celsius". None: there is none of that name."""
    name = " ".join(text.lower().replace("\u2019", "'").split()).strip(" .,?!")
    name = re.sub(r"^(?:(?:an?|the|whole|full) )+", "", name)
    larger, joint, smaller = name.partition(" and ")
    unit, rest = _units().get(larger), _units().get(smaller)
    if not joint or unit is None:
        return unit
    fits = rest is not None and _SMALLER.get(unit.pint) == rest.pint
    return replace(unit, mixed=True) if fits else None


def last_quantity(text: str, target: Unit | None = None) -> Quantity | None:
    """The quantity at the end of a text: "my recipe says 350 Fahrenheit". None: there is none."""
    words = text.strip(" .,?!").split()
    for start in range(max(0, len(words) - _MOST_WORDS), len(words)):
        ending = " ".join(words[start:])
        quantity = read_quantity(ending, target)
        if quantity is not None and _NUMBERED.match(in_digits(ending)):
            return quantity
    return None


_NUMBERED = re.compile(rf"(?:about |around |minus |negative )?-?(?:{NUMBER}|an? |half )")


def read_quantity(text: str, target: Unit | None = None) -> Quantity | None:
    """The quantity that a text names; None: it is none. ``target``: the unit that it is to be
    converted to; it tells which degrees are meant."""
    if len(text) > LONGEST:
        return None
    text = _SECOND.sub("sec", text)  # else it is the ordinal number
    text = re.sub(r"\b(k?m|ft)2\b", "\\1\u00b2", text)
    words = in_digits(text.replace("\u2032", "'").replace("\u2033", '"'))
    words = re.sub(r"(?<![\d.(/+])(\d+/[1-9]\d*)(?![\d)])", r"(\1)", words)
    words = re.sub(rf"({NUMBER}) of an? ", r"\1 ", words)
    words = _AND_A_HALF.sub(lambda match: f"({match[1] or 1}+{match[3]}) {match[2]}", words)
    words = re.sub(r"\b(?:minus|negative) (?=\d)", "-", words)
    words = re.sub(r"^(?:about|around|roughly|exactly|some|just)\b ?", "", words).strip(" .,?!")
    parts: list[tuple[Fraction, Unit]] = []
    rest = words
    while rest:
        found = _PART.match(rest)
        if found is None:
            return None
        amount = _value(found["amount"])
        smaller = _smaller(parts[-1][1]) if parts else None
        unit = read_unit(found["unit"]) if found["unit"].strip() else smaller
        rest = rest[found.end() :].strip()
        if unit is None or amount is None:
            return None
        parts.append((amount, unit))
        rest = re.sub(r"^(?:and|,) ?", "", rest)
    return _with_degrees(parts, target) if 0 < len(parts) <= 3 else None


_SECOND = re.compile(r"\bseconds?\b", re.IGNORECASE)
_AND_A_HALF = re.compile(r"\b(?:an?|one|(\d+)) ([a-z]+(?: [a-z]+)?) and \((\d/\d)\)$")
_PART = re.compile(
    rf"(?P<amount>-?{NUMBER}|an?(?= )|one|)\s?(?P<unit>(?:(?!and\b)[^\d\s,(.-][^\d\s,(]*\s?)*)"
)


_AMOUNT = re.compile(r"-?(?:\d*\.?\d+|\(\(?(?:\d+(?:\.\d+)?[+*/]?\)?)+\)?)")
"""What ``in_digits`` writes for a number, parentheses included."""


def _value(amount: str) -> Fraction | None:
    """The value of "", "a", "12.5", "(1+1/2)"."""
    if amount in {"", "a", "an", "one"}:
        return Fraction(1)
    sign = -1 if amount.startswith("-") else 1
    if not _AMOUNT.fullmatch(amount):
        return None
    total = Fraction(0)
    for term in amount.lstrip("-").replace("(", "").replace(")", "").split("+"):
        product = Fraction(1)
        for factor in term.split("*"):
            over, _, under = factor.partition("/")
            if under and not int(under):
                return None
            product *= Fraction(over) / Fraction(under or 1)
        total += product
    return sign * total


def _smaller(unit: Unit) -> Unit | None:
    name = _SMALLER.get(unit.pint)
    return None if name is None else _units()[name]


def _with_degrees(parts: list[tuple[Fraction, Unit]], target: Unit | None) -> Quantity:
    """Bare degrees are those of a temperature if they are to be converted to one."""
    meant = _DEGREES.get(target.pint) if target is not None else None
    if meant is None:
        return Quantity(tuple(parts))
    degrees = next(unit for unit in _units().values() if unit.pint == meant)
    return Quantity(
        tuple((amount, degrees if unit.pint == "degree" else unit) for amount, unit in parts)
    )


@cache
def _units() -> Mapping[str, Unit]:
    """All units by every name of them."""
    path = files("lobug.language") / "en" / "units.toml"
    found: dict[str, Unit] = {}
    for entry in tomllib.loads(path.read_text(encoding="utf-8"))["units"]:
        names = entry["names"]
        expression = entry.get("pint", entry["unit"])
        first = Unit(expression, names[0], names[1], entry.get("british", ""))
        for one, several in zip(names[::2], names[1::2], strict=True):
            unit = replace(first, singular=one, plural=several)
            found.setdefault(one.lower(), unit)
            found.setdefault(several.lower(), unit)
        for name in entry.get("also", ()):
            found.setdefault(name, first)
    return found
