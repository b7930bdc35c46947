"""When an alert rings: what was said about time, settled for one now. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from lobug.agenda.alerts import AlertKind
from lobug.language.instants import Preference, offset_in_day, resolve
from lobug.language.moments import (
    WEEKDAY_CODES,
    ClockTime,
    Found,
    Impossible,
    ImpossibleReason,
    Moment,
    NamedWeekday,
    Precision,
    Recurrence,
    TimeSpan,
    combined,
)
from lobug.language.occurrences import moved_days, next_occurrence, wall_time

When = TimeSpan | Moment | Recurrence
SHORTEST_INTERVAL_S = 60.0
"""What rings more often than once a minute rings without end."""
_DAY_HOURS = 24
_END_OF_DAY = ClockTime(23, 59)
"""Instead of midnight, where no rule can name the days that follow."""
_COUNTED = ("FREQ=HOURLY", "FREQ=MINUTELY", "FREQ=SECONDLY")


@dataclass(frozen=True, slots=True)
class Due:
    """When an alert rings."""

    at: datetime
    """Aware, in the user's zone."""
    span_s: float | None = None
    """How long from now, seconds, where a length was said."""
    recurrence: Recurrence | None = None
    """How it comes again, its time of day settled; None: it rings once."""
    starts: str | None = None
    """Of a recurrence: the wall time at which it begins, ISO 8601."""
    day_only: bool = False
    """No time of day was said; it is a default."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Why there is no instant. ``words``: the time as said."""

    problem: str
    """Name of the sentence that says so."""
    words: str = ""


def whens(times: Sequence[Found]) -> list[When]:
    """The times of one or several alerts, without those that only complete another one: "on Friday"
    and "at nine" are one, "tomorrow at six" and "at seven" are two on one day."""
    found: list[When] = []
    for value in (time.value for time in times):
        last = found[-1] if found else None
        joined = None if last is None else _joined(last, value)
        if joined is not None:
            found[-1] = joined
        else:
            found.append(value if last is None else _alike(last, value))
    return found


def _joined(one: When, other: When) -> When | None:
    """Two times that complete each other as one; None: they don't."""
    if _has_time(one) and _has_time(other):
        return None
    return _weekly(one, other) or _weekly(other, one) or combined(one, other)


def _weekly(one: When, other: When) -> Recurrence | None:
    """ "Every week" or "every Sunday" with another weekday as one recurrence; None: they are
    something else."""
    if not isinstance(one, Recurrence) or not isinstance(other, Moment):
        return None
    if one.rule.partition(";BYDAY=")[0] != "FREQ=WEEKLY" or not isinstance(other.day, NamedWeekday):
        return None
    days = {day for day in one.rule.partition(";BYDAY=")[2].split(",") if day}
    days.add(WEEKDAY_CODES[other.day.weekday])
    rule = f"FREQ=WEEKLY;BYDAY={','.join(sorted(days, key=WEEKDAY_CODES.index))}"
    return Recurrence(rule, one.time or other.time, one.part or other.part)


def _alike(one: When, other: When) -> When:
    """The second of two times, with the day of the first if it has none."""
    if not isinstance(other, Moment) or other.day is not None or other.elapsed is not None:
        return other
    if isinstance(one, Recurrence):
        return replace(one, time=other.time, part=other.part)
    if isinstance(one, Moment) and one.day is not None:
        return replace(other, day=one.day, part=other.part or one.part)
    return other


def _has_time(value: When) -> bool:
    if isinstance(value, Recurrence):
        return value.time is not None or value.rule.startswith(_COUNTED)
    if isinstance(value, Moment):
        return value.elapsed is not None or value.time is not None or value.same_time
    return True


def needs_time(kind: AlertKind, when: When) -> bool:
    """Whether an alarm lacks its time of day."""
    return kind == "alarm" and not _has_time(when)


def completed(when: When, answer: When) -> When:
    """A time that lacked its time of day, with the one that was answered."""
    return _joined(when, answer) or answer


def settle(
    when: When, now: datetime, kind: AlertKind, *, day_hour: int, words: str = ""
) -> Due | Unsettled:
    """The instant at which an alert of a kind rings. ``day_hour``: the hour of a day that was said
    without a time. ``words``: the time as said."""
    prefer: Preference = "morning" if kind == "alarm" else "next"
    if isinstance(when, Recurrence):
        return _settle_recurrence(when, now, prefer, day_hour, words)
    found = resolve(when, now, prefer)
    if isinstance(found, Impossible):
        return Unsettled(found.reason.value, words)
    at, span = found.instant, span_of(when)
    if span is not None and span <= 0:
        return Unsettled("no_length", words)
    day_only = found.precision is Precision.DAY
    if day_only and at.date() != now.date():
        at = at.replace(hour=day_hour, minute=0, second=0, microsecond=0)
    if kind == "timer" and span is None:
        span = at.timestamp() - now.timestamp()
    return Due(at, span_s=span, day_only=day_only)


def span_of(when: When) -> float | None:
    """The length of time that was said, seconds; None: none was."""
    if isinstance(when, TimeSpan):
        return when.seconds
    if isinstance(when, Moment) and when.elapsed is not None:
        return when.elapsed.seconds
    return None


def _settle_recurrence(
    when: Recurrence, now: datetime, prefer: Preference, day_hour: int, words: str
) -> Due | Unsettled:
    day_only = when.time is None and when.part is None and not when.rule.startswith(_COUNTED)
    if day_only:
        when = replace(when, time=ClockTime(day_hour))
    first = next_occurrence(when, now, prefer=prefer)
    if isinstance(first, Impossible):
        return Unsettled(first.reason.value, words)
    if when.rule.startswith(_COUNTED):
        if first.timestamp() - now.timestamp() < SHORTEST_INTERVAL_S:
            return Unsettled("too_often", words)
        starts = now.replace(microsecond=0)
    else:
        wall = wall_time(when, prefer)
        if isinstance(wall, Impossible):
            return Unsettled(ImpossibleReason.NO_SUCH_TIME.value, words)
        rule: str | None = when.rule
        if offset_in_day(when.time, when.part, prefer) >= _DAY_HOURS:
            rule = moved_days(when.rule, 1)
        if rule is None:
            when = replace(when, time=_END_OF_DAY, part=None)
            return _settle_recurrence(when, now, prefer, day_hour, words)
        when = Recurrence(rule, ClockTime.of(wall))
        starts = datetime.combine(first.date(), wall)
    starts = starts.replace(tzinfo=None)
    return Due(first, recurrence=when, starts=starts.isoformat(), day_only=day_only)


_KNOWN_FIELDS = frozenset({"FREQ", "INTERVAL", "BYDAY", "BYMONTH", "BYMONTHDAY", "BYSETPOS"})
_MOST_INTERVALS = 1_000


def _field_order(name: str) -> tuple[bool, bool]:
    """FREQ first, then INTERVAL, as the rules from words have them."""
    return name != "FREQ", name != "INTERVAL"


def rule_from(rule: str, first: datetime) -> Due | None:
    """When something rings by an RFC 5545 rule that begins at an aware time. None: it is no rule,
    has fields beyond the known ones, or days with hours, minutes or seconds, or rings more often
    than once a minute."""
    rule = rule.strip().upper().removeprefix("RRULE:")
    parts = [part.partition("=") for part in rule.split(";")]
    if any(name not in _KNOWN_FIELDS or not value for name, _, value in parts):
        return None
    fields = {name: value for name, _, value in parts}
    rule = ";".join(f"{name}={fields[name]}" for name in sorted(fields, key=_field_order))
    interval = fields.get("INTERVAL", "1")
    if not (interval.isdecimal() and 0 < int(interval[:9]) <= _MOST_INTERVALS):
        return None
    counted = rule.startswith(_COUNTED)
    if counted and not fields.keys() <= {"FREQ", "INTERVAL"}:
        return None
    if fields.get("FREQ") == "SECONDLY" and int(interval) < SHORTEST_INTERVAL_S:
        return None
    wall = first.replace(tzinfo=None, microsecond=0)
    recurrence = Recurrence(rule, None if counted else ClockTime.of(wall.time()))
    begins = wall.replace(tzinfo=first.tzinfo)
    try:
        found = next_occurrence(recurrence, begins - timedelta(seconds=1), start=begins)
    except (ValueError, KeyError, OverflowError):
        return None
    if isinstance(found, Impossible):
        return None
    at = first if counted else found
    return Due(at, recurrence=recurrence, starts=wall.isoformat())
