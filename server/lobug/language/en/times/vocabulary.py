"""The words of English time expressions, from ``vocabulary.toml``."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

from lobug.language.en.data import BELOW_TWENTY, MONTHS, TENS, WEEKDAYS
from lobug.language.moments import DayPart

_DATA: dict[str, Any] = tomllib.loads(
    files("lobug.language.en.times").joinpath("vocabulary.toml").read_text(encoding="utf-8")
)


def _words(section: str, name: str) -> frozenset[str]:
    return frozenset(str(_DATA[section][name]).split())


def _phrases(table: dict[str, Any]) -> dict[str, list[tuple[tuple[str, ...], Any]]]:
    """Phrases by their first word, the longest first."""
    found: dict[str, list[tuple[tuple[str, ...], Any]]] = {}
    for phrase, value in table.items():
        words = tuple(phrase.split())
        found.setdefault(words[0], []).append((words, value))
    for phrases in found.values():
        phrases.sort(key=lambda phrase: -len(phrase[0]))
    return found


BELOW_TWENTY_WORDS = {word: value for value, word in enumerate(BELOW_TWENTY)}
TENS_WORDS = {word: value for value, word in zip(range(20, 100, 10), TENS, strict=True)}
ORDINALS = {
    word: value for value, word in enumerate(str(_DATA["numbers"]["ordinals"]).split(), 1)
} | {"thirtieth": 30}
ORDINAL_ENDINGS = _words("numbers", "ordinal_endings")
NUMBER_WORDS = frozenset(BELOW_TWENTY_WORDS) | frozenset(TENS_WORDS)

UNIT_SECONDS: dict[str, int] = _DATA["units"]["seconds"]
UNIT_DAYS: dict[str, int] = _DATA["units"]["days"]
UNIT_MONTHS: dict[str, int] = _DATA["units"]["months"]
UNIT_GLUED: dict[str, int] = _DATA["units"]["glued"]

ARTICLES = _words("spans", "articles")
SPAN_PREPOSITIONS = _words("spans", "prepositions")
BEFORE_ONE = _words("spans", "before_one")
BEFORE_SHORT = _words("spans", "before_short")
AFTER_ONE = _words("spans", "after_one")
SOFTENERS = _words("spans", "softeners")

NOON = _words("clock", "noon")
CLOCK_PREPOSITIONS = _words("clock", "prepositions")
ALARM_PREPOSITIONS = _words("clock", "alarm_prepositions")
ANY_CLOCK_PREPOSITIONS = _words("clock", "any_prepositions")
ALARM_WORDS = _words("clock", "alarm_words")
OTHER_SCALES = _words("clock", "other_scales")
PAST = _words("clock", "past")
TO = _words("clock", "to")
SHARP = _words("clock", "sharp")
COUNTED = _words("clock", "counted")
NOT_PLURAL = _words("clock", "not_plural")
AFTER_NUMBER = _words("clock", "after_number")
ADDRESSES = _words("clock", "addresses")
BY_OPERATIONS = _words("clock", "by_operations")

PARTS = {word: DayPart(part) for word, part in _DATA["parts"].items()}
CLOCK_PHRASES = _phrases(_DATA["phrases"])

DATE_PREPOSITIONS = _words("dates", "prepositions")
DAY_OFFSETS: dict[str, int] = _DATA["dates"]["offsets"]
MONTH_NUMBERS: dict[str, int] = (
    {name.lower(): number for number, name in enumerate(MONTHS, 1)}
    | {name: n for n, name in enumerate(str(_DATA["dates"]["months_short"]).split(), 1)}
    | _DATA["dates"]["months"]
)
LIKE_VERBS = frozenset({"may", "march", "mar"})
"""Months whose names are words of another kind too."""
WEEKDAY_NUMBERS = {name.lower(): number for number, name in enumerate(WEEKDAYS)}
WEEKDAYS_SHORT: dict[str, int] = {
    name: number for number, name in enumerate(str(_DATA["dates"]["weekdays_short"]).split())
} | _DATA["dates"]["weekdays"]
WEEKDAY_PLURALS = {f"{name}s": number for name, number in WEEKDAY_NUMBERS.items()}
WEEKENDS = _words("dates", "weekends")
HOLIDAYS = _phrases(_DATA["holidays"])
EASTER = _phrases(_DATA["easter"])

EVERY = _words("recurrence", "every")
RECURRENCE_PREPOSITIONS = _words("recurrence", "prepositions")
ADVERBS: dict[str, str] = _DATA["recurrence"]["adverbs"]
FREQUENCIES: dict[str, str] = _DATA["recurrence"]["frequencies"]
RECURRENCE_NOUNS = frozenset(_DATA["recurrence"]["nouns"]["words"].split())

OPENERS = _words("expressions", "openers")
"""Words with which an expression may begin and that no other list has."""
