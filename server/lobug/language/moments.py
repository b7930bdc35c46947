"""What somebody said about time, before it is settled which instant that is. No language, no clock.

A reader of a language (``language/en/times``) makes these values from text; ``language/instants``
settles them for a given now.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A length of time: "ten minutes". A day counts 24 hours, a month 30 days, a year 365."""

    seconds: float


class DayPart(StrEnum):
    """A part of the day without an hour: "in the morning"."""

    MORNING = "morning"
    AFTERNOON = "afternoon"
    EVENING = "evening"
    NIGHT = "night"


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day as said, not yet checked: "at 25 o'clock" has hour 25.

    ``hour`` counts from 0 to 24, where 24 is the midnight at the end of the day. With ``ambiguous``
    it is an hour from 1 to 12 that was said without am or pm. ``approximate``: no hour was said,
    "after lunch".
    """

    hour: int
    minute: int = 0
    second: int = 0
    ambiguous: bool = False
    approximate: bool = False

    @classmethod
    def of(cls, wall: time) -> ClockTime:
        return cls(wall.hour, wall.minute, wall.second)


class WhichDay(StrEnum):
    """Which of the weekdays of a name is meant."""

    COMING = "coming"
    """The next one after today: "on Friday"."""
    THIS = "this"
    """The next one, today included: "this Friday"."""
    NEXT = "next"
    """The one of the next week, whose first day is Monday: "next Friday"."""
    LAST = "last"
    """One that is over."""


@dataclass(frozen=True, slots=True)
class DayOffset:
    """A day counted from today: "tomorrow" is 1 day, "in two months" 2 months, "yesterday" -1."""

    days: int = 0
    months: int = 0


@dataclass(frozen=True, slots=True)
class NamedWeekday:
    """A weekday; 0 is Monday. ``weeks`` are added to it: "Friday week" is 1."""

    weekday: int
    which: WhichDay = WhichDay.COMING
    weeks: int = 0


@dataclass(frozen=True, slots=True)
class CalendarDate:
    """A date as said, not yet checked: "30 February". What is None was not said.

    Without a year the next such date is meant, without a month the next such day of a month,
    without a day the first of the month.
    """

    day: int | None = None
    month: int | None = None
    year: int | None = None


@dataclass(frozen=True, slots=True)
class EasterDate:
    """A day counted from Easter Sunday of the Western churches; the next one to come."""

    days: int = 0


class Period(StrEnum):
    """A stretch of the calendar."""

    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


@dataclass(frozen=True, slots=True)
class PeriodStart:
    """The first day of a period counted from now: "next week" is 1, "this weekend" 0.

    A week begins on Monday, a weekend on Saturday. With ``last_day`` it is the last one instead:
    "at the end of the month".
    """

    period: Period
    count: int = 1
    last_day: bool = False


Day = DayOffset | NamedWeekday | CalendarDate | EasterDate | PeriodStart


@dataclass(frozen=True, slots=True)
class Moment:
    """What was said about when: either ``elapsed``, counted from now ("in ten minutes"; negative:
    "ten minutes ago"), or parts of a date and a time. ``same_time``: the time of day that it is
    now ("tomorrow at the same time").
    """

    elapsed: TimeSpan | None = None
    day: Day | None = None
    time: ClockTime | None = None
    part: DayPart | None = None
    same_time: bool = False


@dataclass(frozen=True, slots=True)
class Recurrence:
    """What comes again and again.

    ``rule`` is the value of an RFC 5545 RRULE, without start, count, hours and minutes:
    "FREQ=WEEKLY;BYDAY=MO,TH". ``time`` is the time of day on the clock of the place; rules of
    hours, minutes and seconds have none and are counted from their start.
    """

    rule: str
    time: ClockTime | None = None
    part: DayPart | None = None


class Precision(StrEnum):
    """How exactly a moment was said; the rest of its instant is a default."""

    TIME = "time"
    PART = "part"
    """A part of the day: "tomorrow morning"."""
    DAY = "day"
    """A day only: "on Friday"."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """The instant of a moment, in the zone of now."""

    instant: datetime
    precision: Precision = Precision.TIME


class ImpossibleReason(StrEnum):
    """Why a moment has no instant in the future. The values are stable."""

    NO_SUCH_TIME = "no_such_time"
    """At 25 o'clock, at 7:75."""
    NO_SUCH_DATE = "no_such_date"
    """On 30 February."""
    PAST = "past"
    TOO_FAR = "too_far"
    """More than ``instants.FURTHEST`` away."""


@dataclass(frozen=True, slots=True)
class Impossible:
    """A moment that has no instant in the future."""

    reason: ImpossibleReason


@dataclass(frozen=True, slots=True)
class Found:
    """A time expression in a text: ``text[start:end]``, its preposition included."""

    start: int
    end: int
    value: TimeSpan | Moment | Recurrence
