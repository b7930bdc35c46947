"""Which day somebody means, in the future or the past, and how far it is. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from dateutil.easter import easter

from lobug.language.instants import resolve
from lobug.language.moments import (
    CalendarDate,
    DayOffset,
    EasterDate,
    Impossible,
    ImpossibleReason,
    Moment,
    NamedWeekday,
    WhichDay,
)


def date_of(moment: Moment, now: datetime, *, past: bool = False) -> date | Impossible:
    """The day of a moment. ``past``: where several days have its name, the last one before today
    is meant, not the next."""
    if moment.elapsed is not None:
        try:
            return (now + timedelta(seconds=moment.elapsed.seconds)).date()
        except OverflowError:
            return Impossible(ImpossibleReason.TOO_FAR)
    if past:
        return _last(moment, now)
    resolved = resolve(replace(moment, time=None, part=None), now)
    if not isinstance(resolved, Impossible):
        return resolved.instant.date()
    if resolved.reason is ImpossibleReason.PAST:
        return _last(moment, now)
    if isinstance(moment.day, CalendarDate) and resolved.reason is ImpossibleReason.TOO_FAR:
        return _date(moment.day, moment.day.year or now.year) or resolved
    return resolved


def _last(moment: Moment, now: datetime) -> date | Impossible:
    """The last day of a name that is over."""
    today, day = now.date(), moment.day
    found: date | None = None
    match day:
        case DayOffset():
            found = today + timedelta(days=day.days, weeks=4 * day.months)
        case NamedWeekday():
            found = today - timedelta(days=(today.weekday() - day.weekday) % 7 or 7)
            if day.which is WhichDay.NEXT:
                found = None
        case CalendarDate(year=year) if year is not None:
            found = _date(day, year)
        case CalendarDate(month=month) if month is not None:
            years = range(today.year, today.year - 9, -1)
            days = (_date(day, year) for year in years)
            found = next((one for one in days if one is not None and one < today), None)
        case EasterDate():
            dates = [
                easter(year) + timedelta(days=day.days) for year in (today.year - 1, today.year)
            ]
            found = max((one for one in dates if one < today), default=None)
    return Impossible(ImpossibleReason.NO_SUCH_DATE) if found is None else found


def _date(said: CalendarDate, year: int) -> date | None:
    try:
        return date(year, said.month or 1, said.day or 1)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Distance:
    """How far a day is."""

    days: int
    """Negative: it is over."""
    day: date


def distance(moment: Moment, now: datetime, *, past: bool = False) -> Distance | Impossible:
    """How far the day of a moment is from today."""
    day = date_of(moment, now, past=past)
    return day if isinstance(day, Impossible) else Distance((day - now.date()).days, day)
