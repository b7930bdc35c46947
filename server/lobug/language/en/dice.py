"""Dice as people name them: "two dice", "a d20", "3d6". English. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lobug.language.en.number_words import in_digits

_ONE = r"(?:an?|the|my|your|one|some|that|this)"
_DICE = re.compile(
    rf"(?:(?P<many>\d+)(?!\d)(?! sided)|{_ONE})?\s?(?:(?:normal|regular|standard"
    r"|ordinary|fair)\s)?(?:(?:d|dee)[ -]?(?P<sides>\d+|%)s?"
    r"|(?:(?P<sided>\d+)[ -]?sided )?(?P<name>die|dice|dices))"
)
_NUMBER = re.compile(r"-?\d{1,15}")


@dataclass(frozen=True, slots=True)
class Dice:
    """Dice that are rolled at once."""

    count: int
    sides: int


def read_dice(text: str) -> Dice | None:
    """The dice that a text names; None: it names none. A count is not limited."""
    words = in_digits(text.replace("-sided", " sided")).strip(" .,?!") if len(text) <= 60 else ""
    match = _DICE.fullmatch(re.sub(r"\ba pair of\b|\bpair of\b", "2", words))
    if match is None:
        return None
    sides = match["sides"] or match["sided"] or "6"
    count = int((match["many"] or "1")[:9])
    return Dice(count, 100 if sides == "%" else int(sides[:9]))


def read_whole_number(text: str) -> int | None:
    """A whole number in words or digits; None: it is none, or has more than 15 digits."""
    words = in_digits(text) if len(text) <= 80 else ""
    words = re.sub(r"^(?:minus|negative) ", "-", words.strip(" .,?!"))
    return int(words) if _NUMBER.fullmatch(words) else None
