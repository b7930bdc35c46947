"""When what recurs comes next. No language, no clock.

Rules of days, weeks, months and years keep the time on the clock of the place; those of hours,
minutes and seconds count what really passes.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

from dateutil.rrule import rrulestr

from lobug.language.instants import FURTHEST, Preference, exists, localised, offset_in_day
from lobug.language.moments import Impossible, ImpossibleReason, Recurrence

_SECONDS = {"SECONDLY": 1, "MINUTELY": 60, "HOURLY": 3600}
_DAYS = {"DAILY": 1, "WEEKLY": 7}
_AHEAD = timedelta(days=366 * 9)
"""Every rule that has an occurrence at all has one within this time."""


def wall_time(recurrence: Recurrence, prefer: Preference = "morning") -> time | Impossible:
    """The time of day of a recurrence of days; 9:00 if none was said."""
    if recurrence.time is not None and not exists(recurrence.time):
        return Impossible(ImpossibleReason.NO_SUCH_TIME)
    hours = offset_in_day(recurrence.time, recurrence.part, prefer)
    return (datetime(2000, 1, 1) + timedelta(seconds=round(hours * 3600))).time()  # noqa: DTZ001


def next_occurrence(
    recurrence: Recurrence,
    after: datetime,
    *,
    start: datetime | None = None,
    prefer: Preference = "morning",
) -> datetime | Impossible:
    """The first occurrence after an aware instant, in its zone.

    ``start`` is when the recurrence was set, from which "every other day" and "every two hours"
    are counted; by default it is ``after``. Occurrences lie after both. ValueError: ``rule`` is no
    RRULE.
    """
    start = after if start is None else start.astimezone(after.tzinfo)
    fields = rule_fields(recurrence.rule)
    if fields.get("FREQ") in _SECONDS:
        return _counted(int(fields.get("INTERVAL", 1)) * _SECONDS[fields["FREQ"]], after, start)
    if recurrence.time is not None and not exists(recurrence.time):
        return Impossible(ImpossibleReason.NO_SUCH_TIME)
    if not _has_days(fields):
        return Impossible(ImpossibleReason.NO_SUCH_DATE)
    offset = timedelta(
        seconds=round(offset_in_day(recurrence.time, recurrence.part, prefer) * 3600)
    )
    earliest = max(after.astimezone(UTC), start.astimezone(UTC))
    first = _first_day(fields, start, offset)
    day = datetime.combine(earliest.astimezone(after.tzinfo), time()) - timedelta(days=3)
    for found in _days(fields, first, max(day, first)):
        instant = localised(found + offset, after)
        if instant.astimezone(UTC) > earliest:
            return instant
    return Impossible(ImpossibleReason.NO_SUCH_DATE)


def rule_fields(rule: str) -> dict[str, str]:
    """The fields of an RRULE value: FREQ, BYDAY."""
    return dict(part.split("=", 1) for part in rule.split(";") if "=" in part)


def _has_days(fields: dict[str, str]) -> bool:
    """Whether the day and month of a rule exist in a leap year. dateutil would look for 30 February
    until the year 9999."""
    month, day = fields.get("BYMONTH", ""), fields.get("BYMONTHDAY", "")
    if not day.isdecimal():
        return True
    if not month.isdecimal():
        return 1 <= int(day) <= 31
    return 1 <= int(month) <= 12 and 1 <= int(day) <= monthrange(2000, int(month))[1]


def _counted(seconds: int, after: datetime, start: datetime) -> datetime | Impossible:
    """The next multiple of some seconds from the start."""
    if seconds > FURTHEST.total_seconds():
        return Impossible(ImpossibleReason.TOO_FAR)
    passed = (after.astimezone(UTC) - start.astimezone(UTC)).total_seconds()
    times = max(0, int(passed // seconds)) + 1
    return (start.astimezone(UTC) + timedelta(seconds=times * seconds)).astimezone(after.tzinfo)


def _first_day(fields: dict[str, str], start: datetime, offset: timedelta) -> datetime:
    """The day from which an interval counts: that of the first occurrence after the start."""
    midnight = datetime.combine(start, time())
    by_day = any(name.startswith("BY") for name in fields)
    if int(fields.get("INTERVAL", 1)) == 1:
        return midnight - timedelta(days=3) if by_day else midnight
    if by_day or fields["FREQ"] == "DAILY":
        for found in _days(fields | {"INTERVAL": "1"}, midnight, midnight):
            if localised(found + offset, start).astimezone(UTC) > start.astimezone(UTC):
                return found
    return midnight


def _days(fields: dict[str, str], first: datetime, day: datetime) -> Iterator[datetime]:
    """The days of a rule that began on ``first``, from ``day`` on, at midnight."""
    period = _DAYS.get(fields["FREQ"], 0) * int(fields.get("INTERVAL", 1))
    if period:  # begins as late as keeps the rhythm, since every day before would be counted
        first += timedelta(days=(day - first).days // period * period)
    until = day + _AHEAD
    text = ";".join(f"{name}={value}" for name, value in fields.items())
    yield from rrulestr(f"{text};UNTIL={until:%Y%m%d}", dtstart=first).xafter(day, inc=True)
