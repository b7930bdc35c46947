"""Conversions whose quantity and unit stand anywhere in what somebody says. English. Pure.

"Grandma's recipe says 350 degrees Fahrenheit but my oven's in Celsius, what should I set?" asks for
350 degrees Fahrenheit in Celsius.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from lobug.language.en.number_words import NUMBER, in_digits
from lobug.language.en.quantities import Quantity, Unit, is_money, read_quantity, read_unit
from lobug.language.en.stories import LONGEST, question_of

_MOST_WORDS = 6
_WANTED = re.compile(
    r"\b(?:in|into|to|as|how many|wants?|needs?|uses?|shows?|reads?|takes?|(?:only"
    r"|can only) do(?:es)?|asks? for|(?:is|are) in"
    r"|'s in|speaks?|expects?|works? in)(?: the| it in| them in| my)?"
    r"(?: proper| good old| plain)? (?=[a-z])"
)
_ASKED = re.compile(
    r"\b(?:that|it|this|those|they|convert\w*|turn|set|put|dial|write|be|enter|temperature|tell)\b"
)
_SECONDS = re.compile(r"\bseconds?\b", re.IGNORECASE)
"""Else it is the ordinal number."""
_SHORT = frozenset("kg km cm mm mph ml lb lbs ft oz kph kmh".split())


@dataclass(frozen=True, slots=True)
class AskedConversion:
    """What is to be converted to what."""

    quantities: tuple[Quantity, ...]
    """Those of the text; only what measures the same as ``unit`` can be meant."""
    unit: Unit


@lru_cache(maxsize=16)
def read_asked_conversion(text: str) -> AskedConversion | None:
    """The conversion that a text asks for; None: none, or the unit is not clear."""
    if len(text) > LONGEST or is_money(text):
        return None
    words = " ".join(in_digits(_SECONDS.sub("sec", text)).split())
    question = question_of(words)
    if not question or not _ASKED.search(question):
        return None
    units = {unit.pint: unit for unit in _wanted(words)}
    if len(units) != 1:
        return None
    (unit,) = units.values()
    found = tuple(
        quantity
        for quantity in _quantities(words, unit)
        if all(part.pint != unit.pint for _, part in quantity.parts)
    )
    return AskedConversion(found, unit) if found else None


def _wanted(words: str) -> Iterator[Unit]:
    """The units that something is wanted in."""
    for match in _WANTED.finditer(words):
        following = re.split(r"[\s,.?!;]+", re.split(r"[,.?!;]", words[match.end() :])[0])
        for count in range(min(4, len(following)), 0, -1):
            name = " ".join(following[:count])
            unit = read_unit(name) if len(name) > 3 or name in _SHORT else None
            if unit is not None:
                yield unit
                break


def _quantities(words: str, target: Unit) -> Iterator[Quantity]:
    """The quantities of a text, from left to right."""
    end = 0
    for match in re.finditer(rf"(?<![\w.(])-?{NUMBER}(?=[ a-z'-])", words):
        if match.start() < end:
            continue
        rest = (
            words[match.start() :].replace("-", " ")
            if match[0][0] != "-"
            else words[match.start() :]
        )
        following = re.split(r"[,.?!;](?: |$)", rest)[0].split(" ")
        for count in range(min(_MOST_WORDS, len(following)), 0, -1):
            span = " ".join(following[:count])
            quantity = read_quantity(span, target)
            if quantity is not None and not "".join(following[count : count + 1])[:1].isdigit():
                end = match.start() + len(span)
                yield quantity
                break
