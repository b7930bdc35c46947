"""The instants that moments and recurrences stand for at a given now. No language, no clock.

Wall times are settled in the zone of now. One that a change of the clocks leaves out is shifted by
as much as the clocks are ("02:30" rings at 03:30); one that comes twice is the first of both.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from dateutil.easter import easter

from lobug.language.moments import (
    CalendarDate,
    ClockTime,
    Day,
    DayOffset,
    DayPart,
    EasterDate,
    Impossible,
    ImpossibleReason,
    Moment,
    NamedWeekday,
    Period,
    PeriodStart,
    Precision,
    Resolved,
    TimeSpan,
    WhichDay,
)

Preference = Literal["next", "morning"]
"""How an hour without am or pm is read: as the next sensible one, or in the morning (alarms)."""

FURTHEST = timedelta(days=36_525)
"""Nothing is planned more than a hundred years ahead."""
_FIRST_OF_DAY = 6
"""Nobody means an earlier hour without saying so, unless it is near."""
_NEAR = timedelta(hours=4)
_NAP = timedelta(hours=3)
"""Said in the day, an alarm for an afternoon hour that is so near is no alarm of the morning."""
_NAPS_END = 18
_DAY_HOUR = 9
"""A day without a time begins so."""
_PART_HOURS = {
    DayPart.MORNING: 9, DayPart.AFTERNOON: 15, DayPart.EVENING: 19, DayPart.NIGHT: 21
}  # fmt: skip
_PART_ENDS = {
    DayPart.MORNING: 12, DayPart.AFTERNOON: 18, DayPart.EVENING: 24, DayPart.NIGHT: 24
}  # fmt: skip
_YEARS_AHEAD = 8
"""A 29 February comes within so many years, but for those around 2100."""


def resolve(
    moment: Moment | TimeSpan, now: datetime, prefer: Preference = "next"
) -> Resolved | Impossible:
    """The instant of a moment, not before now. ``now`` is aware, with a ZoneInfo. A time span is
    counted from now. A day without a time begins at 9:00, or now if that is over."""
    if isinstance(moment, TimeSpan):
        moment = Moment(elapsed=moment)
    if moment.elapsed is not None:
        return _elapsed(moment.elapsed, now)
    if moment.time is not None and not exists(moment.time):
        return Impossible(ImpossibleReason.NO_SUCH_TIME)
    if moment.day is None:
        return _next_time(moment, now, prefer)
    if _too_far(moment.day) or abs(moment.shift) > FURTHEST.days:
        return Impossible(ImpossibleReason.TOO_FAR)
    reason = ImpossibleReason.NO_SUCH_DATE
    for day in _shifted(_dates(moment.day, now.date()), moment.shift):
        instant = localised(
            datetime.combine(day, time()) + _offset_on(day, moment, now, prefer), now
        )
        if _seconds(instant, now) > 0:
            return _within_reach(instant, now, _precision(moment))
        reason = ImpossibleReason.PAST
    return Impossible(reason)


def _shifted(dates: Iterator[date], days: int) -> Iterator[date]:
    return (day + timedelta(days=days) for day in dates)


def localised(wall: datetime, zoned: datetime) -> datetime:
    """A naive wall time in the zone of an aware one."""
    return wall.replace(tzinfo=zoned.tzinfo).astimezone(UTC).astimezone(zoned.tzinfo)


def days_between(earlier: date | datetime, later: date | datetime) -> int:
    """The number of midnights from one day to another; negative if the second comes first."""
    first = earlier.date() if isinstance(earlier, datetime) else earlier
    second = later.date() if isinstance(later, datetime) else later
    return (second - first).days


def offset_in_day(time_said: ClockTime | None, part: DayPart | None, prefer: Preference) -> float:
    """The hours from the start of a day that is not today to a time; 24 and more are the night
    after it."""
    if time_said is None:
        return _DAY_HOUR if part is None else _PART_HOURS[part]
    hour = time_said.hour
    if part is not None and time_said.ambiguous:
        hour = _hour_in_part(hour, part)
    elif time_said.ambiguous and hour < _FIRST_OF_DAY and prefer == "next":
        hour += 12
    elif part is DayPart.NIGHT and hour < _FIRST_OF_DAY:
        hour += 24
    return hour + time_said.minute / 60 + time_said.second / 3600


def _elapsed(span: TimeSpan, now: datetime) -> Resolved | Impossible:
    if span.seconds < 0:
        return Impossible(ImpossibleReason.PAST)
    if span.seconds > FURTHEST.total_seconds():
        return Impossible(ImpossibleReason.TOO_FAR)
    return Resolved((now.astimezone(UTC) + timedelta(seconds=span.seconds)).astimezone(now.tzinfo))


def exists(said: ClockTime) -> bool:
    """Whether there is such a time of day."""
    if said.ambiguous and not 1 <= said.hour <= 12:
        return False
    at_end = said.hour == 24 and not said.minute and not said.second
    return at_end or (0 <= said.hour < 24 and 0 <= said.minute < 60 and 0 <= said.second < 60)


def _seconds(instant: datetime, now: datetime) -> float:
    """How much later an instant is. Python compares instants of one zone by their wall times."""
    return (instant.astimezone(UTC) - now.astimezone(UTC)).total_seconds()


def _within_reach(instant: datetime, now: datetime, precision: Precision) -> Resolved | Impossible:
    if _seconds(instant, now) > FURTHEST.total_seconds():
        return Impossible(ImpossibleReason.TOO_FAR)
    return Resolved(instant, precision)


def _precision(moment: Moment) -> Precision:
    if moment.same_time or (moment.time is not None and not moment.time.approximate):
        return Precision.TIME
    return Precision.PART if moment.part or moment.time else Precision.DAY


def _hour_in_part(hour: int, part: DayPart) -> int:
    """An hour from 1 to 12 in a part of the day: twelve in the evening ends it, two at night
    belongs to the night after it."""
    if part is DayPart.MORNING:
        return hour % 12
    if part is DayPart.AFTERNOON or hour != 12:
        early = part is DayPart.NIGHT and hour < _FIRST_OF_DAY
        return hour + 24 if early else hour % 12 + 12
    return 24


def _next_time(moment: Moment, now: datetime, prefer: Preference) -> Resolved | Impossible:
    """The next instant of a time without a day."""
    said = moment.time
    if said is None and moment.part is None:
        return Impossible(ImpossibleReason.NO_SUCH_TIME)
    either = said is not None and said.ambiguous and moment.part is None
    start = datetime.combine(now.date(), time())
    offset = offset_in_day(said, moment.part, "morning")
    offsets = sorted((offset, (offset + 12) % 24)) if either else [offset]
    for days in (-1, 0, 1, 2):
        for hours in offsets:
            instant = localised(start + timedelta(days=days, hours=hours), now)
            away = _seconds(instant, now)
            if away > 0 and (not either or _sensible(instant, away, now, prefer)):
                return Resolved(instant, _precision(moment))
    return Impossible(ImpossibleReason.NO_SUCH_TIME)


def _sensible(instant: datetime, away: float, now: datetime, prefer: Preference) -> bool:
    """Whether an hour without am or pm is read as this instant."""
    if prefer == "next":
        return instant.hour >= _FIRST_OF_DAY or away <= _NEAR.total_seconds()
    if instant.hour < 12:
        return instant.hour > 0 or away <= _NEAR.total_seconds()
    nap = away <= _NAP.total_seconds() and now.hour >= _FIRST_OF_DAY
    return instant.hour < 13 or (nap and instant.hour < _NAPS_END)


def _offset_on(day: date, moment: Moment, now: datetime, prefer: Preference) -> timedelta:
    """The time from the start of a day to a moment on it."""
    passed = timedelta(hours=now.hour, minutes=now.minute, seconds=now.second)
    if moment.same_time:
        return passed
    hours = offset_in_day(moment.time, moment.part, prefer)
    if day != now.date():
        return timedelta(hours=hours)
    said = moment.time
    if said is None:
        return _default_today(hours, moment.part, now)
    if said.ambiguous and moment.part is None:
        early = offset_in_day(said, None, "morning") % 12
        for hour in (early, early + 12):
            away = timedelta(hours=hour) - passed
            if away > timedelta() and (hour >= _FIRST_OF_DAY or away <= _NEAR):
                return timedelta(hours=hour)
        return timedelta(hours=early + 12)
    if hours >= 24 and now.hour < _FIRST_OF_DAY and timedelta(hours=hours - 24) > passed:
        return timedelta(hours=hours - 24)  # "tonight at two", said after midnight
    return timedelta(hours=hours)


def _default_today(hours: float, part: DayPart | None, now: datetime) -> timedelta:
    """The default of today or of a part of it; the next full hour if that is over, and the last
    minute before its end."""
    if hours > now.hour:
        return timedelta(hours=hours)
    end = 24 if part is None else _PART_ENDS[part]
    if now.hour + 1 < end:
        return timedelta(hours=now.hour + 1)
    return timedelta(hours=end, minutes=-1)


def _too_far(day: Day) -> bool:
    most = FURTHEST.days
    return isinstance(day, DayOffset) and (day.days > most or day.months > most // 28)


def _dates(day: Day, today: date) -> Iterator[date]:
    """The dates that may be meant, the likeliest first; none: there is no such date."""
    match day:
        case DayOffset():
            if max(day.days, day.months) < 0 or min(day.days, day.months) < 0:
                yield today - timedelta(days=1)
            else:
                yield _months_later(today, day.months) + timedelta(days=day.days)
        case NamedWeekday():
            yield _weekday(day, today)
        case EasterDate():
            for year in range(today.year, today.year + 2):
                found = easter(year) + timedelta(days=day.days)
                if found >= today:
                    yield found
        case PeriodStart():
            yield _period(day, today)
        case CalendarDate():
            yield from _calendar_dates(day, today)


def _months_later(day: date, months: int) -> date:
    """The same day of a later month, or its last."""
    years, month = divmod(day.month - 1 + months, 12)
    year, month = day.year + years, month + 1
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def _weekday(day: NamedWeekday, today: date) -> date:
    ahead = (day.weekday - today.weekday()) % 7
    if day.which is WhichDay.LAST:
        ahead -= 7
    elif day.which is WhichDay.NEXT:
        ahead = 7 - today.weekday() + day.weekday
    elif day.which is WhichDay.COMING and ahead == 0:
        ahead = 7
    return today + timedelta(days=ahead, weeks=day.weeks)


def _period(day: PeriodStart, today: date) -> date:
    match day.period:
        case Period.WEEKEND:
            saturday = today + timedelta(days=5 - today.weekday(), weeks=day.count)
            return max(saturday, today) if day.count == 0 else saturday
        case Period.WEEK:
            monday = today + timedelta(days=-today.weekday(), weeks=day.count)
            return monday + timedelta(days=6) if day.last_day else monday
        case Period.MONTH:
            first = _months_later(today.replace(day=1), day.count)
            last = first.replace(day=monthrange(first.year, first.month)[1])
            return last if day.last_day else first
        case Period.YEAR:
            year = today.year + day.count
            return date(year, 12, 31) if day.last_day else date(year, 1, 1)


_MONTHS_AHEAD = 40
"""Every day of a month falls on every weekday within so many months, but for the 31st."""


def _calendar_dates(said: CalendarDate, today: date) -> Iterator[date]:
    if said.months_ahead is not None:
        first = _months_later(today.replace(day=1), said.months_ahead)
        found = _date(first.year, first.month, said.day or 1)
        if found is not None:
            yield found
    elif said.year is not None:
        found = _date(said.year, said.month or 1, said.day or 1)
        if found is not None:
            yield found
    elif said.month is not None:
        for year in range(today.year, today.year + _YEARS_AHEAD + 1):
            found = _date(year, said.month, said.day or 1)
            if found is not None and found >= today:
                yield found
    elif said.day is not None:
        for months in range(13 if said.weekday is None else _MONTHS_AHEAD):
            first = _months_later(today.replace(day=1), months)
            found = _date(first.year, first.month, said.day)
            if found is not None and found >= today and said.weekday in (None, found.weekday()):
                yield found


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
