"""Lengths of time in the tokens of a sentence: "an hour and a half". English. Pure.

A reader gets the place of the first token and returns a value and the place after it, or None.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from lobug.language.en.times.dates import day
from lobug.language.en.times.numbers import half_more, quantity
from lobug.language.en.times.tokens import Tokens
from lobug.language.en.times.vocabulary import (
    AFTER_ONE,
    ARTICLES,
    BEFORE_ONE,
    BEFORE_SHORT,
    SOFTENERS,
    SPAN_PREPOSITIONS,
    UNIT_DAYS,
    UNIT_GLUED,
    UNIT_MONTHS,
    UNIT_SECONDS,
    WEEKDAY_NUMBERS,
)
from lobug.language.moments import DayOffset, Moment, NamedWeekday, TimeSpan

_COUNTED_FROM = ("in", "after", "within")
_DAY = 86_400
_MONTH = 30 * _DAY
_YEAR = 365 * _DAY
_AFTER_MINUTES = frozenset({"timer", "to", "from", "and", "please", "for", "in", "on", "at"})


@dataclass(frozen=True, slots=True)
class Length:
    """A length of time by its kinds of units: seconds, days of the calendar, months of it."""

    seconds: float = 0
    days: float = 0
    months: float = 0
    smallest: int = 0
    """The smallest unit, in seconds."""

    def __add__(self, other: Length) -> Length:
        return Length(
            self.seconds + other.seconds,
            self.days + other.days,
            self.months + other.months,
            other.smallest,
        )

    @property
    def total(self) -> float:
        """In seconds."""
        years, months = divmod(self.months, 12)
        return self.seconds + self.days * _DAY + years * _YEAR + months * _MONTH


def span(t: Tokens, at: int) -> tuple[TimeSpan, int] | None:
    """A length of time, with its preposition: "for ten minutes"."""
    start = at
    if t[at] in SPAN_PREPOSITIONS:
        start += 1
        if t[start] == "the" and t[start + 1] == "next":
            start += 1
    start = _after_softeners(t, start)
    negative = start > at and t[start] in ("minus", "negative", "-")
    start += negative
    found = length(t, start)
    if found is None:
        return None
    value, end = found
    if t[end] == "old" or not _meant(t, at, start, end):
        return None
    return TimeSpan(-value.total if negative else value.total), _or_so(t, end)


def relative(t: Tokens, at: int) -> tuple[Moment, int] | None:
    """A moment counted from now or from a day: "in ten minutes", "a week from tomorrow"."""
    start = at
    if t[at] in _COUNTED_FROM:
        start += 1
    if t[start] == "the" and t[start + 1] == "next":
        start += 1
    if start > at:
        start = _after_softeners(t, start)
    found = length(t, start)
    if found is None and t.phrase(at, ("the", "day")):
        found = Length(days=1), at + 2
    if found is None:
        return None
    value, end = found
    quoted = t[end] == "'"
    if t[end + quoted] == "time" and (quoted or t[at] == "in"):
        return _later(value), end + quoted + 1
    if t[end] == "ago" and t[at] not in _COUNTED_FROM:
        return Moment(elapsed=TimeSpan(-max(1.0, value.total))), end + 1
    if t[end] == "from" and t[end + 1] == "now":
        return _later(value), end + 2
    counted = _from_day(t, value, end) or _around_day(t, value, end)
    if counted is not None:
        return counted
    if t[at] in _COUNTED_FROM:
        return _later(value), _or_so(t, end)
    return None


def _after_softeners(t: Tokens, at: int) -> int:
    """The place after "about", "exactly" and the like."""
    for _ in range(2):
        if t[at] not in SOFTENERS or t[at + 1] == "half" or (t[at] == "another" and length(t, at)):
            break
        at += 1
    return at


def _or_so(t: Tokens, end: int) -> int:
    return end + 2 if t.phrase(end, ("or", "so")) else end


def length(t: Tokens, at: int) -> tuple[Length, int] | None:
    """Units with their numbers, from large to small: "1h30", "an hour and twenty minutes"."""
    found = _item(t, at)
    if found is None:
        return None
    value, end = found
    while value.smallest > 1:
        following = end
        if t[following] == ",":
            following += 1
        joined = t[following] == "and"
        if joined:
            following += 1
        more = _item(t, following)
        if more is not None and more[0].smallest < value.smallest:
            value, end = value + more[0], more[1]
            continue
        if not joined and following == end:
            more = _minutes(t, end, value.smallest)
            if more is not None:
                value, end = value + more[0], more[1]
        break
    return value, end


def unit(t: Tokens, at: int) -> tuple[Length, int] | None:
    """A unit as the length of one of it."""
    word = t[at]
    if word.endswith("'s"):
        word = word[:-2]
    if word in UNIT_SECONDS:
        dotted = t[at + 1] == "." and t.glued[at + 1] and len(word) <= 3 and t[at + 2] != ""
        seconds = UNIT_SECONDS[word]
        return Length(seconds=seconds, smallest=seconds), at + 1 + dotted
    if word in UNIT_DAYS:
        days = UNIT_DAYS[word]
        return Length(days=days, smallest=days * _DAY), at + 1
    if word in UNIT_MONTHS:
        months = UNIT_MONTHS[word]
        return Length(months=months, smallest=months * _MONTH), at + 1
    return None


def _times(one: Length, count: float) -> Length:
    """A length several times. Parts of a day are seconds, parts of a month days."""
    months, days = one.months * count, one.days * count
    seconds = one.seconds * count
    if months != int(months):
        days, months = days + months % 1 * 30, int(months)
    if days != int(days):
        seconds, days = seconds + days % 1 * _DAY, int(days)
    return Length(seconds, days, months, one.smallest)


def _item(t: Tokens, at: int) -> tuple[Length, int] | None:
    """One unit with its number."""
    found = _part_of_unit(t, at) or _couple(t, at)
    if found is not None:
        return found
    number = quantity(t, at)
    if number is None:
        if t[at] not in ARTICLES:
            return None
        number = (1, at + 1)
    count, end = number
    end += t[end] in ("more", "extra", "additional")
    one = unit(t, end) or _glued_unit(t, end)
    if one is None:
        return None
    value, end = one
    more = half_more(t, end)
    if more is not None and unit(t, more[1]) is None:
        return _times(value, count + more[0]), more[1]
    return _times(value, count), end


def _part_of_unit(t: Tokens, at: int) -> tuple[Length, int] | None:
    """Half an hour, a quarter of an hour, three quarters of an hour."""
    start = at + (t[at] in ("a", "one"))
    if t[start] == "half":
        count, end = 0.5, start + 1
    elif t[start] == "quarter":
        count, end = 0.25, start + 1
    elif t[at] in ("three", "3") and t[at + 1] in ("quarters", "quarter"):
        count, end = 0.75, at + 2
    else:
        return None
    end += t[end] == "of"
    end += t[end] in ("a", "an")
    one = unit(t, end)
    if one is None or t[end].endswith("s"):
        return None
    return _times(one[0], count), one[1]


def _couple(t: Tokens, at: int) -> tuple[Length, int] | None:
    start = at + (t[at] in ("a", "the", "next"))
    if t[start] != "couple":
        return None
    start += 1
    if t[start] in ("of", "more"):
        start += 1
    one = unit(t, start)
    return (_times(one[0], 2), one[1]) if one else None


def _glued_unit(t: Tokens, at: int) -> tuple[Length, int] | None:
    """90s, 1h; a lone m is meters, and 1980s a decade."""
    seconds = UNIT_GLUED.get(t[at])
    if seconds is None or not (t.glued[at] or (t[at] == "h" and t.before(at).isdecimal())):
        return None
    number = t.before(at)
    after_hours = at >= 2 and t[at - 2] == "h"
    if t[at] == "m" and not after_hours:
        return None
    if t[at] == "s" and (len(number) > 3 or (number.endswith("0") and len(number) == 2 and
                         t.before(at - 1) in ("the", "mid", "early", "late"))):  # fmt: skip
        return None
    return Length(seconds=seconds, smallest=seconds), at + 1


def _minutes(t: Tokens, at: int, smallest: int) -> tuple[Length, int] | None:
    """Minutes after hours that are not called so: "an hour thirty", "1h30"."""
    if smallest not in (3600, 60):
        return None
    number = quantity(t, at)
    if number is None or not (1 <= number[0] < 60 and number[0] == int(number[0])):
        return None
    value, end = number
    if (not t.ends_at(end) and t[end] not in _AFTER_MINUTES) or t[end] in (":", "%", "/"):
        return None
    return Length(seconds=value * smallest / 60, smallest=smallest // 60), end


def _later(value: Length) -> Moment:
    """Whole days, weeks and months keep the time of day, everything else is counted in seconds."""
    if value.seconds:
        return Moment(elapsed=TimeSpan(value.total))
    return Moment(day=DayOffset(int(value.days), int(value.months)), same_time=True)


def _from_day(t: Tokens, value: Length, end: int) -> tuple[Moment, int] | None:
    """A week from tomorrow, two weeks on Friday, a week today."""
    if value.seconds or value.months:
        return None
    days = int(value.days)
    start = end + (t[end] in ("from", "on", "after"))
    near = {"today": 0, "tomorrow": 1}.get(t[start])
    if near is not None and (start > end or days % 7 == 0):
        return Moment(day=DayOffset(days + near)), start + 1
    if start > end and days % 7 == 0 and t[start] in WEEKDAY_NUMBERS:
        return Moment(day=NamedWeekday(WEEKDAY_NUMBERS[t[start]], weeks=days // 7)), start + 1
    return None


def _around_day(t: Tokens, value: Length, end: int) -> tuple[Moment, int] | None:
    """A week before Christmas, two days after the third of May."""
    if t[end] not in ("before", "after") or not value.days or value.seconds or value.months:
        return None
    found = day(t, end + 1, joined=True)
    if found is None or isinstance(found[0].day, DayOffset):
        return None
    days = int(value.days)
    return replace(found[0], shift=-days if t[end] == "before" else days), found[1]


def _meant(t: Tokens, at: int, start: int, end: int) -> bool:
    """Whether one unit with an article is a length of time: not in "twice a day"."""
    if t[start] not in ARTICLES or end != start + 2:
        return True
    short = t[start + 1] in ("second", "minute", "sec", "min")
    if t[start] == "one" and t[start + 1] in ("hour", "hr"):
        return True
    if at == 0 and t.ends_at(end):
        return not short or t.bare or (t[start] == "one" and t[start + 1].startswith("min"))
    if t[end] in AFTER_ONE:
        return True
    before = t.before(start)
    return before in (BEFORE_SHORT if short else BEFORE_ONE) and t[end] != "of"
