"""What somebody said about time, before it is settled which instant that is. No language, no clock.

A reader of a language (``language/en/times``) makes these values from text; ``language/instants``
settles them for a given now.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    without a day the first of the month. ``months_ahead`` counts the month from this one: "the
    third of next month" is 1. ``weekday`` was said
    with a day whose month was not: "Friday the 13th".
    """

    day: int | None = None
    month: int | None = None
    year: int | None = None
    months_ahead: int | None = None
    weekday: int | None = None


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
    now ("tomorrow at the same time"). ``shift`` is added to the day, in days: "a week before
    Christmas" is -7.
    """

    elapsed: TimeSpan | None = None
    day: Day | None = None
    time: ClockTime | None = None
    part: DayPart | None = None
    same_time: bool = False
    shift: int = 0


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


def combined(
    first: TimeSpan | Moment | Recurrence, second: TimeSpan | Moment | Recurrence
) -> Moment | Recurrence | None:
    """Two parts of one expression as one value: "tomorrow" and "at nine"; None: they contradict
    each other, or are not of one."""
    if isinstance(first, TimeSpan) or isinstance(second, TimeSpan):
        return None
    if isinstance(first, Recurrence):
        return (
            _one_recurrence(first, second)
            if isinstance(second, Recurrence)
            else (_recurrence_at(first, second))
        )
    return (
        _one_moment(first, second)
        if isinstance(second, Moment)
        else (_recurrence_at(second, first))
    )


def merged(found: Sequence[Found]) -> list[TimeSpan | Moment | Recurrence]:
    """The values of a sentence, where those that stand apart but say one time are one: "remind me
    every day to take my pills at eight"."""
    values: list[TimeSpan | Moment | Recurrence] = []
    for value in (one.value for one in found):
        for at, earlier in enumerate(values):
            one = combined(earlier, value)
            if one is not None:
                values[at] = one
                break
        else:
            values.append(value)
    return values


def _one_moment(first: Moment, second: Moment) -> Moment | None:
    if first.elapsed or second.elapsed or (first.time and second.time):
        return None
    parts = {part for part in (first.part, second.part) if part}
    if len(parts) == 2 and DayPart.NIGHT not in parts:
        return None
    part = min(parts, key=lambda part: part is DayPart.NIGHT, default=None)
    day = first.day or second.day
    if first.day and second.day:
        day = _one_day(first.day, second.day)
        if day is None:
            return None
    time = first.time or second.time
    same = (first.same_time or second.same_time) and not (time or part)
    return Moment(None, day, time, part, same, first.shift or second.shift)


def _one_day(first: Day, second: Day) -> Day | None:
    """One day that is said twice: "Friday, December 4th"."""
    for one, other in ((first, second), (second, first)):
        match one, other:
            case NamedWeekday(), PeriodStart(Period.WEEK, 1, False):
                return NamedWeekday(one.weekday, WhichDay.NEXT)
            case CalendarDate(day, None, None, None, None), PeriodStart(Period.MONTH, count, False):
                return CalendarDate(day, months_ahead=count)
            case NamedWeekday(weekday), CalendarDate(day, None, None, None):
                return CalendarDate(day, weekday=weekday)
            case NamedWeekday(), CalendarDate():
                return other
            case DayOffset(), NamedWeekday() | CalendarDate():
                return one
    return None


WEEKDAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
"""Weekdays as RRULE writes them."""


def monthly(day: int) -> str:
    """The RRULE of a day of every month: its last one where a month is too short."""
    if 28 < day <= 31:
        days = ",".join(map(str, range(28, day + 1)))
        return f"FREQ=MONTHLY;BYMONTHDAY={days};BYSETPOS=-1"
    return f"FREQ=MONTHLY;BYMONTHDAY={day}"


def _one_recurrence(first: Recurrence, second: Recurrence) -> Recurrence | None:
    """A rule and one that says more of it: "every week" and "on Mondays"."""
    if (first.time and second.time) or (first.part and second.part):
        return None
    for one, other in ((first.rule, second.rule), (second.rule, first.rule)):
        daily_part = one == "FREQ=DAILY" and other.startswith("FREQ=WEEKLY;")
        if other.startswith(f"{one};BY") or daily_part or one == other:
            time, part = first.time or second.time, first.part or second.part
            return Recurrence(other, time, part)
        frequency, _, interval = one.partition(";INTERVAL=")
        if interval.isdecimal() and other.startswith(f"{frequency};BY"):
            return Recurrence(one + other.removeprefix(frequency), first.time or second.time)
    return None


def _recurrence_at(recurrence: Recurrence, moment: Moment) -> Recurrence | None:
    if moment.elapsed or moment.same_time or moment.shift:
        return None
    if (recurrence.time and moment.time) or (recurrence.part and moment.part):
        return None
    rule: str | None = recurrence.rule
    if moment.day is not None:
        rule = _rule_on(recurrence.rule, moment.day)
    if rule is None or ((moment.time or moment.part) and not rule.startswith(_OF_DAYS)):
        return None
    return Recurrence(rule, recurrence.time or moment.time, recurrence.part or moment.part)


_OF_DAYS = ("FREQ=DAILY", "FREQ=WEEKLY", "FREQ=MONTHLY", "FREQ=YEARLY")


def _rule_on(rule: str, day: Day) -> str | None:
    """A rule on a day: "every week" on Friday, "every month" on the first."""
    if ";BY" in rule:
        return None
    match day:
        case NamedWeekday(weekday, WhichDay.COMING, 0) if rule.startswith("FREQ=WEEKLY"):
            return f"{rule};BYDAY={WEEKDAY_CODES[weekday]}"
        case CalendarDate(int(number), None, None, None) if rule.startswith("FREQ=MONTHLY"):
            return rule + monthly(number).removeprefix("FREQ=MONTHLY")
        case CalendarDate(int(number), int(month), None) if rule.startswith("FREQ=YEARLY"):
            return f"{rule};BYMONTH={month};BYMONTHDAY={number}"
    return None
