"""Times as they are said. English. Pure.

Clock times with minutes are written in digits ("7:30"), which ``spoken_form`` reads. Whatever is
said here ``find_times`` reads as the same time, to the minute.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta

from lobug.language.en.data import MONTHS, WEEKDAYS
from lobug.language.en.spoken_numbers import cardinal, ordinal
from lobug.language.instants import days_between, offset_in_day
from lobug.language.moments import WEEKDAY_CODES, ClockTime, Impossible, Recurrence
from lobug.language.occurrences import moved_days, rule_fields, wall_time

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_SECONDS_UNTIL = 10 * _MINUTE
"""Of a longer span nobody wants to hear the seconds."""
_MINUTES_UNTIL = _DAY
_HOURS_UNTIL = 7 * _DAY
_UNITS = ((_DAY, "day"), (_HOUR, "hour"), (_MINUTE, "minute"), (1, "second"))
_HALVES = {1800: "half an hour", 5400: "an hour and a half"}
_TODAY = ((12, "this morning"), (18, "this afternoon"), (20, "this evening"), (24, "tonight"))
_OTHER_DAY = ((12, "in the morning"), (18, "in the afternoon"), (21, "in the evening"),
              (24, "at night"))  # fmt: skip
_FREQUENCIES = {
    "SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week",
    "MONTHLY": "month", "YEARLY": "year",
}  # fmt: skip
_WORK = "MO,TU,WE,TH,FR"


def say_span(seconds: float) -> str:
    """A length of time: "an hour and twenty minutes". Seconds are said below ten minutes, minutes
    below a day, hours below a week."""
    whole = max(0, round(seconds))
    step = 1 if whole < _SECONDS_UNTIL else _MINUTE if whole < _MINUTES_UNTIL else _HOUR
    step = _DAY if whole >= _HOURS_UNTIL else step
    whole = (whole + step // 2) // step * step
    if whole in _HALVES:
        return _HALVES[whole]
    if whole < 2 * _MINUTE and whole % _MINUTE:
        return _counted(whole, "second")
    parts: list[str] = []
    for size, unit in _UNITS:
        count, whole = divmod(whole, size)
        if count:
            parts.append(_counted(count, unit))
    if len(parts) > 1 and parts[0] == "one hour":
        parts[0] = "an hour"
    return _listed(parts) if parts else "no time"


def say_time(wall: time) -> str:
    """A time of day without preposition: "nine in the morning", "7:30 in the evening", "noon"."""
    return _with_part(wall, _part(wall.hour, _OTHER_DAY))


def say_date(day: date, today: date | None = None) -> str:
    """A date without preposition: "Friday, December 4th"; with its year unless it is that of
    ``today``."""
    text = f"{WEEKDAYS[day.weekday()]}, {MONTHS[day.month - 1]} {day.day}{_ending(day.day)}"
    return text if today is not None and today.year == day.year else f"{text}, {day.year}"


def say_moment(instant: datetime, now: datetime) -> str:
    """When that is, with preposition: "tomorrow at nine in the morning". Both are aware; it is said
    in the zone of ``now``."""
    instant = instant.astimezone(now.tzinfo)
    wall, day = instant.time().replace(second=0, microsecond=0), instant.date()
    if wall == time():  # midnight belongs to the day that it ends
        day -= timedelta(days=1)
    days = days_between(now, day)
    if days == 0:
        if wall == time():
            return "at midnight tonight"
        if wall == time(12):
            return "at noon today"
        return f"at {_with_part(wall, _part(wall.hour, _TODAY))}"
    if days in (1, -1):
        return f"{'tomorrow' if days > 0 else 'yesterday'} at {say_time(wall)}"
    if 1 < days < 7:
        return f"on {WEEKDAYS[day.weekday()]} at {say_time(wall)}"
    if -7 < days < -1:
        return f"last {WEEKDAYS[day.weekday()]} at {say_time(wall)}"
    return f"on {say_date(day, now.date())}, at {say_time(wall)}"


def say_recurrence(recurrence: Recurrence) -> str:
    """How often that is: "every weekday at 6:40 in the morning"."""
    rule = recurrence.rule
    if recurrence.time == ClockTime(0) and recurrence.part is None:
        # Midnight belongs to the day that it ends.
        rule = moved_days(rule, -1) or rule
    fields = rule_fields(rule)
    words = _days(fields, _FREQUENCIES.get(fields.get("FREQ", ""), ""))
    if recurrence.time is None:
        if recurrence.part is None:
            return words
        if words == "every day":
            return f"every {recurrence.part}"
        return f"{words} {_OF_PART[recurrence.part]}"
    wall = wall_time(recurrence)
    if isinstance(wall, Impossible):
        return words
    if offset_in_day(recurrence.time, recurrence.part, "morning") >= 24 and wall != time():
        return f"{words} at {_with_part(wall, 'in the night')}"
    return f"{words} at {say_time(wall)}"


_OF_PART = {
    "morning": "in the morning", "afternoon": "in the afternoon", "evening": "in the evening",
    "night": "at night",
}  # fmt: skip


def _counted(count: int, unit: str) -> str:
    return f"{cardinal(count)} {unit}{'' if count == 1 else 's'}"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _ending(day: int) -> str:
    return "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")


def _part(hour: int, parts: tuple[tuple[int, str], ...]) -> str:
    return next(words for end, words in parts if hour < end)


def _with_part(wall: time, part: str) -> str:
    if not wall.minute and wall.hour in (0, 12):
        return "midnight" if wall.hour == 0 else "noon"
    hour = wall.hour % 12 or 12
    return f"{f'{hour}:{wall.minute:02}' if wall.minute else cardinal(hour)} {part}"


def _days(fields: dict[str, str], unit: str) -> str:
    """The days of a rule, without their time."""
    interval = int(fields.get("INTERVAL", 1))
    every = f"every {unit}"
    if interval > 1:
        every = f"every other {unit}" if interval == 2 and unit != "hour" else ""
        every = every or f"every {_counted(interval, unit)}"
    if "BYDAY" in fields:
        return _weekdays(fields["BYDAY"], interval, every)
    numbers = [int(day) for day in fields.get("BYMONTHDAY", "").split(",") if day]
    if not numbers:
        return every
    if "BYMONTH" in fields:
        month = MONTHS[int(fields["BYMONTH"]) - 1]
        return f"{every} on {month} {numbers[0]}{_ending(numbers[0])}"
    if "BYSETPOS" in fields:
        numbers = numbers[-1:]
    said = _listed(["last day" if number < 0 else ordinal(number) for number in numbers])
    return f"on the {said} of every month" if interval == 1 else f"{every} on the {said}"


def _weekdays(by_day: str, interval: int, every: str) -> str:
    """ "Every weekday", "every other Tuesday", "on the last Friday of every month"."""
    codes = by_day.split(",")
    names = [WEEKDAYS[WEEKDAY_CODES.index(code[-2:])] for code in codes]
    rank = codes[0][:-2]
    if rank:
        which = "last" if rank == "-1" else ordinal(int(rank))
        return f"on the {which} {names[0]} of every month"
    if by_day == _WORK:
        names = ["weekday"]
    if interval > 2:
        return f"{every} on {_listed([f'{name}s' for name in names])}"
    return f"every {'other ' if interval == 2 else ''}{_listed(names)}"
