"""Words of the weather: what its codes mean, and which days a question is about. English. Pure."""

from __future__ import annotations

import re

from lobug.language.en.data import word_map

_SKIES = {int(code): words for code, words in word_map("weather", "skies").items()}
_DAYS_TOLD = {words: int(days) for words, days in word_map("weather", "days_told").items()}
_NOW = re.compile(
    r"\b(?:is it(?! (?:going|gonna|likely|supposed))|is the wind|is there (?:[a-z]+ ){0,4}wind"
    r"|now|right now|at the moment|currently|what's it like|raining|snowing)\b",
    re.IGNORECASE,
)
_WIND = re.compile(r"\b(?:wind\w*|storm\w*|gust\w*|breez\w*)\b", re.IGNORECASE)
_TODAY = re.compile(r"\b(?:today|later)\b", re.IGNORECASE)


def sky(code: int) -> str:
    """What a code of the World Meteorological Organization means; of an unknown one, what the next
    lower one means."""
    return _SKIES[max(known for known in _SKIES if known <= code)]


def days_told(request: str) -> int:
    """Number of days from today that a request is about: "this week"; 0: it names no such
    stretch."""
    lower = request.lower()
    return next((days for words, days in _DAYS_TOLD.items() if words in lower), 0)


def is_about_now(request: str) -> bool:
    """Whether a request without a day is about this moment and not about the whole day."""
    return bool(_NOW.search(request)) and not _TODAY.search(request)


def is_about_wind(request: str) -> bool:
    """Whether a request is about the wind."""
    return bool(_WIND.search(request))
