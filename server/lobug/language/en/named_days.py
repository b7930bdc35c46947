"""Days and times that a question asks about: "on Friday", "Christmas", "my trip on 12 December".
English. Pure."""

from __future__ import annotations

import re

from lobug.language.en.data import word_map
from lobug.language.en.times import find_times
from lobug.language.moments import (
    CalendarDate,
    DayOffset,
    EasterDate,
    Moment,
    Period,
    PeriodStart,
    TimeSpan,
)

_DAY_S = 86_400
LONGEST = 100
"""Characters of the words."""

_PREPOSITIONS = ("", "on ", "at ", "in ")
"""Before some names a time is found only with one of them: "on the 12th", "at Christmas"."""
_YEAR = re.compile(r"(?:the year )?((?:1[5-9]|20|21)\d\d)")
_EDGES = re.compile(r"^(?:it is |it's |it was |on the day of |the day of |the date )|[\s,.?!]+$")
_COMING = re.compile(r"^(?:this|the|this coming|the coming|the next|next) (?=[a-z]+$)")
_PARTS = word_map("calendar", "day_parts")
_NAMED = word_map("calendar", "named_days")


def read_day(text: str) -> Moment | None:
    """The day that a text is the name of: "next Friday", "the third of May", "Easter". None: it
    is no name of a day, or holds more words than that."""
    moment = _whole(text)
    if moment is None or (moment.day is None and not _is_days(moment.elapsed)):
        return None
    return moment


def _is_days(span: TimeSpan | None) -> bool:
    """Whether a span is told in days: "100 days ago"."""
    return span is not None and abs(span.seconds) >= _DAY_S


def read_moment(text: str) -> Moment | None:
    """What a text says about when; other words may stand before it: "my trip on 12 December"."""
    if len(text) > LONGEST:
        return None
    whole = _whole(text)
    if whole is not None:
        return whole
    plain = _EDGES.sub("", text)
    found = [one for one in find_times(plain) if isinstance(one.value, Moment)]
    if len(found) != 1 or plain[found[0].end :].strip(" .,?!"):
        return None
    return found[0].value if isinstance(found[0].value, Moment) else None


def read_shift(text: str) -> Moment | None:
    """A time counted from now: "in three hours", "two hours ago"."""
    moment = _whole(text)
    return moment if moment is not None and moment.elapsed is not None else None


def _whole(text: str) -> Moment | None:
    if len(text) > LONGEST:
        return None
    plain = _EDGES.sub("", " ".join(text.lower().replace("\u2019", "'").split()))
    plain = _EDGES.sub("", plain)
    if plain == "now":
        return Moment(day=DayOffset())
    day, _, month = _NAMED.get(_COMING.sub("", plain), "").partition(" ")
    if day:
        return Moment(day=CalendarDate(day=int(day), month=int(month)))
    year = _YEAR.fullmatch(plain)
    if year is not None:
        return Moment(day=CalendarDate(day=1, month=1, year=int(year[1])))
    for name in dict.fromkeys((plain, _COMING.sub("", plain))):
        for preposition in _PREPOSITIONS:
            found = find_times(preposition + name)
            if len(found) == 1 and found[0].start == 0 and found[0].end == len(preposition + name):
                value = found[0].value
                if isinstance(value, Moment):
                    return value
                if isinstance(value, TimeSpan) and preposition == "in ":
                    return None
    if plain in {"the weekend", "weekend"}:
        return Moment(day=PeriodStart(Period.WEEKEND, 0))
    return None


def is_in_part(hour: int, part: str) -> bool | None:
    """Whether an hour of the day, 0 to 23, belongs to a part of it: "morning", "daytime". None:
    there is no part of that name."""
    name = part.lower().replace("time", "").strip()
    first, _, end = _PARTS.get(name, "").partition(" ")
    if not end:
        return None
    return int(first) <= hour < int(end) or int(first) <= hour + 24 < int(end)


def is_named(moment: Moment, text: str) -> bool:
    """Whether a day has a name of its own, such as a holiday; weekdays and dates have none."""
    holiday = isinstance(moment.day, CalendarDate | EasterDate)
    return holiday and not re.search(r"\d|\b(?:the|of)\b", text)
