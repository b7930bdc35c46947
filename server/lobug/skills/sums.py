"""Sums, units, dice, coins and random numbers."""

from __future__ import annotations

import asyncio
import math
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random, SystemRandom
from typing import Any

from lobug.language.en.arithmetic import Sum, money_in, read_sum, say_expression
from lobug.language.en.asked_units import read_asked_conversion
from lobug.language.en.chance import read_throw
from lobug.language.en.dice import Dice, read_dice, read_whole_number
from lobug.language.en.number_words import in_digits
from lobug.language.en.quantities import (
    Quantity,
    Unit,
    last_quantity,
    read_quantity,
    read_unit,
)
from lobug.language.en.word_problems import read_word_problem
from lobug.skills.evaluation import (
    DivisionByZeroError,
    Number,
    TooLargeError,
    UndefinedError,
    evaluate,
)
from lobug.skills.numbers import Written, write_amount, write_number
from lobug.skills.skill import Command, Match, Request, SkillQuestion

MOST_AT_ONCE = 100
"""Dice or coins."""
MOST_NAMED = 6
"""Dice whose numbers are told one by one."""
LARGEST_DIE = 1_000_000

_SMALLER = {
    "foot": ("inch", "inches", 12),
    "stone": ("pound", "pounds", 14),
    "pound": ("ounce", "ounces", 16),
    "hour": ("minute", "minutes", 60),
    "minute": ("second", "seconds", 60),
}
"""The next smaller unit: singular, plural, how many of them make one."""

_ONE = re.compile(r"(?:an?|one)\b", re.IGNORECASE)


class Sums:
    """The skill ``sums``."""

    name = "sums"

    def __init__(self, random: Random | None = None) -> None:
        self._random = random or SystemRandom()

    def unavailable(self) -> str | None:
        return None

    async def plan(self, request: Request, match: Match) -> Command | None:
        match match.intent:
            case "Calculate" | "SplitThat" | "TellSum":
                asked = _written_sum(match) if match.chosen else _asked_sum(match)
                return None if asked is None else _say_sum(request, asked)
            case "Convert" | "ConvertThat":
                return await _convert(request, match)
            case "TellConversion":
                return await _convert_told(request, match)
            case "Money":
                return _says(request, "no_rates")
        return self._chance(request, match)

    def _chance(self, request: Request, match: Match) -> Command | None:
        slots = match.slots
        match match.intent:
            case "Roll":
                return self._roll(request, read_dice(slots.get("dice", "a die")))
            case "TellDice":
                return self._roll(request, read_throw(match.request))
            case "Flip" | "TellCoin":
                return self._flip(request, read_whole_number(slots.get("count", "1")))
            case "Random":
                return self._pick(request, slots.get("low", "1"), slots.get("high", "100"))
        return None

    async def answer(
        self, request: Request, question: SkillQuestion, *, agrees: bool | None
    ) -> Command | None:
        return None

    def _roll(self, request: Request, dice: Dice | None) -> Command | None:
        if dice is None or dice.count < 1 or not 2 <= dice.sides <= LARGEST_DIE:
            return None
        if dice.count > MOST_AT_ONCE:
            return _says(request, "too_many_dice")
        rolled = [self._random.randint(1, dice.sides) for _ in range(dice.count)]
        total = f"{sum(rolled):,}"
        if len(rolled) == 1:
            return _says(request, "rolled_one", article=_article(rolled[0]), value=total)
        if len(rolled) > MOST_NAMED:
            return _says(request, "rolled_many", total=total)
        values = [f"{_article(value)} {value:,}" for value in rolled]
        said = f"{', '.join(values[:-1])} and {values[-1]}"
        return _says(request, "rolled_several", values=_capital(said), total=total)

    def _flip(self, request: Request, count: int | None) -> Command | None:
        if count is None or count < 1:
            return None
        if count > MOST_AT_ONCE:
            return _says(request, "too_many_coins")
        heads = sum(self._random.randint(0, 1) for _ in range(count))
        if count == 1:
            return _says(request, "heads" if heads else "tails")
        return _says(request, "coins", heads=heads, tails=count - heads)

    def _pick(self, request: Request, low: str, high: str) -> Command | None:
        first, last = read_whole_number(low), read_whole_number(high)
        if first is None or last is None:
            return None
        first, last = min(first, last), max(first, last)
        return _says(request, "random", value=f"{self._random.randint(first, last):,}")


def _says(request: Request, phrase: str, **values: object) -> Command:
    return request.say(request.phrase(Sums.name, phrase, **values))


def _asked_sum(match: Match) -> Sum | None:
    """The sum, or the share of the last number that was said: "the bill is 72.50, split it"."""
    if match.intent == "Calculate":
        return read_sum(_with_minus(match.slots.get("sum", ""), match.request))
    if match.intent == "TellSum":
        return read_word_problem(match.request)
    said = in_digits(match.slots.get("said", ""))
    numbers: list[str] = re.findall(r"[\u00a3$\u20ac]?\d[\d,]*(?:\.\d+)?", said)
    return read_sum(f"split {numbers[-1]} {match.slots.get('ways', '')}") if numbers else None


def _written_sum(match: Match) -> Sum | None:
    """The sum that the chat model wrote down, of numbers that were said."""
    expression = match.slots.get("sum", "").strip()
    return Sum(expression, said=say_expression(expression), money=money_in(match.request))


async def _convert(request: Request, match: Match) -> Command | None:
    measured, wanted = match.slots.get("quantity", ""), match.slots.get("unit", "")
    if _ONE.match(wanted) and read_unit(measured) and not _ONE.match(measured):
        measured, wanted = wanted, measured  # "cups in a litre"
    unit = read_unit(wanted)
    if match.intent == "ConvertThat":
        quantity = last_quantity(match.slots.get("said", ""), unit)
    else:
        quantity = read_quantity(measured, unit)
    if unit is None or quantity is None:
        return None
    registry = await asyncio.to_thread(_registry)
    return _say_conversion(request, registry, quantity, unit)


async def _convert_told(request: Request, match: Match) -> Command | None:
    """Convert the only quantity of a story that measures what the unit does."""
    asked = read_asked_conversion(match.request)
    if asked is None:
        return None
    registry = await asyncio.to_thread(_registry)
    fitting = [one for one in asked.quantities if _fits(registry, one, asked.unit)]
    if len(fitting) != 1:
        return None
    return _say_conversion(request, registry, fitting[0], asked.unit)


def _fits(registry: Any, quantity: Quantity, unit: Unit) -> bool:
    try:
        _converted(registry, quantity, unit.pint)
    except registry.errors:
        return False
    return True


def _with_minus(text: str, request: str) -> str:
    """The sum with the sign that stands before it in the request."""
    return f"-{text}" if text and re.search(rf"-\s?{re.escape(text)}", request) else text


def _say_sum(request: Request, asked: Sum) -> Command:
    try:
        value = evaluate(asked.expression)
    except DivisionByZeroError:
        return _says(request, "division_by_zero")
    except TooLargeError:
        return _says(request, "too_large")
    except UndefinedError:
        return _says(request, "undefined")
    written = _write_result(asked, value)
    about = "" if written.exact else "_about"
    if asked.whole and Fraction(value).denominator != 1:
        needed = f"{math.ceil(value):,}"
        said = _capital(asked.said)
        return _says(request, f"rounded_up{about}", said=said, value=written.text, needed=needed)
    if asked.each:
        return _says(request, f"each{about}", value=written.text)
    if asked.said:
        return _says(request, f"result{about}", said=_capital(asked.said), value=written.text)
    return _says(request, f"value{about}", value=written.text)


def _write_result(asked: Sum, value: Number) -> Written:
    if asked.money:
        cents = Fraction(round(Fraction(value) * 100), 100)
        sign = "-" if cents < 0 else ""
        return Written(f"{sign}{asked.money}{abs(float(cents)):,.2f}", exact=cents == value)
    written = write_number(value, fractions=asked.fractions)
    if asked.percent:
        return Written(f"{written.text}%", exact=written.exact)
    return replace(written, text=f"{written.text} {asked.unit}") if asked.unit else written


def _say_conversion(request: Request, registry: Any, quantity: Quantity, unit: Unit) -> Command:
    try:
        value = _converted(registry, quantity, unit.pint)
    except registry.errors:
        last = quantity.parts[-1][1]
        return _says(request, "incompatible", unit=last.plural, target=unit.plural)
    said = " and ".join(
        _measured(amount, part, alone=len(quantity.parts) == 1) for amount, part in quantity.parts
    )
    written = write_amount(value, whole=unit.pint in {"degC", "degF"})
    mixed = _mixed(unit, value) if unit.mixed else None
    text = mixed.text if mixed is not None else _with_unit(written, unit, value)
    exact = (mixed or written).exact
    sentences = [
        request.phrase(
            Sums.name,
            "converted" if exact else "converted_about",
            said=_capital(said),
            value=text,
        )
    ]
    british = _british(registry, quantity, unit)
    if british is not None:
        named, other = british
        amount = write_amount(other)
        number = amount.text if amount.exact else f"about {amount.text}"
        sentences.append(request.phrase(Sums.name, "british", unit=named.singular, value=number))
    return request.say(*sentences)


def _with_unit(written: Written, unit: Unit, value: float) -> str:
    smaller = _SMALLER.get(unit.pint)
    named = f"{written.text} {unit.singular if written.text in {'1', '-1'} else unit.plural}"
    if smaller is None or written.exact or not 1 <= value < 100:
        return named
    one, several, size = smaller
    whole, rest = divmod(round(value * size), size)
    if rest == 0:
        return named
    return f"{named}, or {_parts(unit, whole)} {rest} {one if rest == 1 else several}"


def _mixed(unit: Unit, value: float) -> Written | None:
    """A result in two units: "2 hours and 17 minutes"; None: it is below zero, or the unit has no
    smaller one."""
    if unit.pint not in _SMALLER or value < 0:
        return None
    one, several, size = _SMALLER[unit.pint]
    scaled = value * size
    whole, rest = divmod(round(scaled), size)
    exact = math.isclose(scaled, round(scaled), rel_tol=1e-9)
    if rest == 0 and whole:
        return Written(_parts(unit, whole), exact=exact)
    smaller = f"{rest} {one if rest == 1 else several}"
    return Written(f"{_parts(unit, whole)} and {smaller}" if whole else smaller, exact=exact)


def _parts(unit: Unit, count: int) -> str:
    return f"{count:,} {unit.singular if count == 1 else unit.plural}"


def _measured(amount: Fraction, unit: Unit, *, alone: bool) -> str:
    """An amount with its unit: "a pound", "2.5 cups"."""
    if amount == 1 and alone:
        vowel = unit.singular[0] in "aeiou" or unit.singular == "hour"
        return f"{'an' if vowel else 'a'} {unit.singular}"
    name = unit.singular if abs(amount) == 1 else unit.plural
    return f"{write_number(amount).text} {name}"


def _british(registry: Any, quantity: Quantity, unit: Unit) -> tuple[Unit, float] | None:
    """The unit that is another one in Britain, and the result with it."""
    first = quantity.parts[0][1]
    if len(quantity.parts) > 1 or bool(first.british) == bool(unit.british):
        return None
    if first.british:
        parts = ((quantity.parts[0][0], Unit(first.british, first.singular, first.plural)),)
        return first, _converted(registry, Quantity(parts), unit.pint)
    return unit, _converted(registry, quantity, unit.british)


def _converted(registry: Any, quantity: Quantity, unit: str) -> float:
    first, *others = (registry.measure(float(amount), part.pint) for amount, part in quantity.parts)
    total = first.to(registry.unit(unit))
    for other in others:
        total = total + other.to(registry.unit(unit))
    return float(total.magnitude)


class _Registry:
    """The units of pint, which take a quarter of a second to load."""

    def __init__(self) -> None:
        import pint  # noqa: PLC0415 - slow to load, and few turns need it

        self._units: Any = pint.UnitRegistry(cache_folder=None)
        self.errors = (pint.DimensionalityError, pint.OffsetUnitCalculusError)

    def unit(self, name: str) -> Any:
        """A unit by its expression in pint; "365 * day" is a unit as well."""
        if name[0].isdigit():
            short = "common_year" if name.startswith("365") else "lobug_leap_year"
            if short == "lobug_leap_year" and short not in self._units:
                self._units.define(f"{short} = {name}")
            return self._units.parse_units(short)
        return self._units.parse_units(name)

    def measure(self, amount: float, name: str) -> Any:
        return self._units.Quantity(amount, self.unit(name))


@cache
def _registry() -> _Registry:
    return _Registry()


def _article(value: int) -> str:
    """The article of a number that is read aloud: "an 8", "an 11"."""
    text = f"{value:,}"
    return "an" if text[0] == "8" or text.split(",", maxsplit=1)[0] in {"11", "18"} else "a"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
