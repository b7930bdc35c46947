"""When what recurs comes next. No language, no clock.

Rules of days, weeks, months and years keep the time on the clock of the place; those of hours,
minutes and seconds count what really passes.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta

from dateutil.rrule import rrulestr

from lobug.language.instants import FURTHEST, Preference, exists, localised, offset_in_day
from lobug.language.moments import (
    WEEKDAY_CODES,
    Impossible,
    ImpossibleReason,
    Recurrence,
    monthly,
)

_SECONDS = {"SECONDLY": 1, "MINUTELY": 60, "HOURLY": 3600}
_DAYS = {"DAILY": 1, "WEEKLY": 7}
_SHORTEST_MONTH = 28
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

    ``start`` is when the recurrence begins, from which "every other day" and "every two hours" are
    counted; by default it begins after ``after``. Only what is counted in hours does not occur at
    its start. ValueError: ``rule`` is no RRULE.
    """
    fields = rule_fields(recurrence.rule)
    if fields.get("FREQ") in _SECONDS:
        seconds = int(fields.get("INTERVAL", 1)) * _SECONDS[fields["FREQ"]]
        return _counted(seconds, after, after if start is None else start)
    if recurrence.time is not None and not exists(recurrence.time):
        return Impossible(ImpossibleReason.NO_SUCH_TIME)
    if not _has_days(fields):
        return Impossible(ImpossibleReason.NO_SUCH_DATE)
    offset = timedelta(
        seconds=round(offset_in_day(recurrence.time, recurrence.part, prefer) * 3600)
    )
    earliest = after.astimezone(UTC) + timedelta.resolution
    start = (earliest if start is None else start).astimezone(after.tzinfo)
    earliest = max(earliest, start.astimezone(UTC))
    first = _first_day(fields, start, offset)
    day = datetime.combine(earliest.astimezone(after.tzinfo), time()) - timedelta(days=3)
    for found in _days(fields, first, max(day, first)):
        instant = localised(found + offset, after)
        if instant.astimezone(UTC) >= earliest:
            return instant
    return Impossible(ImpossibleReason.NO_SUCH_DATE)


def rule_fields(rule: str) -> dict[str, str]:
    """The fields of an RRULE value: FREQ, BYDAY."""
    return dict(part.split("=", 1) for part in rule.split(";") if "=" in part)


def moved_days(rule: str, days: int) -> str | None:
    """A rule of days with each of them a day later (1) or earlier (-1): "every Friday" as "every
    Saturday". One without named days is the same. None: no rule has these days, such as those after
    the last Friday of each month."""
    fields = rule_fields(rule)
    named = {name for name in fields if name.startswith("BY")}
    if not named:
        return rule
    moved: Mapping[str, str] | None = None
    if fields["FREQ"] in _DAYS and named == {"BYDAY"}:
        moved = _moved_weekdays(fields, days)
    elif fields["FREQ"] == "MONTHLY":
        moved = _moved_in_month(fields, days)
    elif fields["FREQ"] == "YEARLY" and named == {"BYMONTH", "BYMONTHDAY"}:
        moved = _moved_in_year(fields, days)
    if moved is None:
        return None
    kept = {name: value for name, value in fields.items() if name not in named}
    return ";".join(f"{name}={value}" for name, value in (kept | dict(moved)).items())


def _moved_weekdays(fields: Mapping[str, str], days: int) -> Mapping[str, str] | None:
    codes = fields["BYDAY"].split(",")
    if not set(codes) <= set(WEEKDAY_CODES):
        return None
    places = [WEEKDAY_CODES.index(code) + days for code in codes]
    if len(codes) > 1 and int(fields.get("INTERVAL", 1)) > 1 and not {-1, 7}.isdisjoint(places):
        return None  # one of them would be in another week than the others
    return {"BYDAY": ",".join(WEEKDAY_CODES[place] for place in sorted(at % 7 for at in places))}


def _moved_in_month(fields: Mapping[str, str], days: int) -> Mapping[str, str] | None:
    by_day = {name: value for name, value in fields.items() if name.startswith("BY")}
    last = rule_fields(monthly(31))
    del last["FREQ"]
    if days == 1 and by_day in (last, {"BYMONTHDAY": "-1"}):
        return {"BYMONTHDAY": "1"}
    if days == -1 and by_day == {"BYMONTHDAY": "1"}:
        return last
    numbers = by_day.pop("BYMONTHDAY", "").split(",")
    if by_day or not all(number.isdecimal() for number in numbers):
        return None
    moved = [int(number) + days for number in numbers]
    if not all(1 <= number <= _SHORTEST_MONTH for number in moved):
        return None
    return {"BYMONTHDAY": ",".join(map(str, moved))}


def _moved_in_year(fields: Mapping[str, str], days: int) -> Mapping[str, str] | None:
    try:
        month, day = int(fields["BYMONTH"]), int(fields["BYMONTHDAY"])
        common, leap = (date(year, month, day) + timedelta(days=days) for year in (2001, 2000))
    except ValueError:
        return None
    if (common.month, common.day) != (leap.month, leap.day):
        return None
    return {"BYMONTH": str(common.month), "BYMONTHDAY": str(common.day)}


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
    """The day from which an interval counts: that of the first occurrence from the start on."""
    midnight = datetime.combine(start, time())
    by_day = any(name.startswith("BY") for name in fields)
    if int(fields.get("INTERVAL", 1)) == 1:
        return midnight - timedelta(days=3) if by_day else midnight
    if by_day or fields["FREQ"] == "DAILY":
        for found in _days(fields | {"INTERVAL": "1"}, midnight, midnight):
            if localised(found + offset, start).astimezone(UTC) >= start.astimezone(UTC):
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
