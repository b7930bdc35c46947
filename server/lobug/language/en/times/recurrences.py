"""What recurs, in the tokens of a sentence: "every weekday", "on Mondays". English. Pure.

A reader gets the place of the first token and returns a value and the place after it, or None.
"""

from __future__ import annotations

from dataclasses import replace

from lobug.language.en.times.dates import calendar_date, holiday, weekday
from lobug.language.en.times.durations import Length, length, unit
from lobug.language.en.times.numbers import half_more, ordinal
from lobug.language.en.times.tokens import Tokens
from lobug.language.en.times.vocabulary import (
    ADVERBS,
    AFTER_NUMBER,
    EVERY,
    FREQUENCIES,
    LIKE_VERBS,
    MONTH_NUMBERS,
    PARTS,
    RECURRENCE_NOUNS,
    RECURRENCE_PREPOSITIONS,
    WEEKDAY_NUMBERS,
    WEEKDAY_PLURALS,
    WEEKENDS,
)
from lobug.language.moments import WEEKDAY_CODES, CalendarDate, DayPart, Recurrence, monthly

_WORK = (0, 1, 2, 3, 4)
_WEEKEND = (5, 6)
_EVERY_MONTH = (("of", "every", "month"), ("of", "each", "month"), ("every", "month"),
                ("of", "the", "month"))  # fmt: skip
_RANGE = ("to", "through", "till", "until", "thru")

Read = tuple[Recurrence, int]


def recurrence(t: Tokens, at: int) -> Read | None:
    """What recurs, without its time of day."""
    start = at + (t[at] in RECURRENCE_PREPOSITIONS or t[at] in ("for", "from"))
    once = start + (t[start] == "once")
    if t[once] in EVERY:
        return _every(t, once + 1)
    return (
        _adverb(t, at)
        or _once_a(t, start)
        or _plural_days(t, start, prepared=start > at)
        or _day_of_month(t, start)
    )


def _rule(frequency: str, interval: int = 1, by: str = "") -> Recurrence | None:
    if interval < 1:
        return None
    every = "" if interval == 1 else f";INTERVAL={interval}"
    return Recurrence(f"FREQ={frequency}{every}{';' if by else ''}{by}")


def _on_days(days: tuple[int, ...], interval: int = 1, part: DayPart | None = None) -> Recurrence:
    every = "" if interval == 1 else f";INTERVAL={interval}"
    codes = ",".join(WEEKDAY_CODES[day] for day in sorted(set(days)))
    return Recurrence(f"FREQ=WEEKLY{every};BYDAY={codes}", part=part)


def _every(t: Tokens, at: int) -> Read | None:
    """What stands after "every"."""
    at += t[at] == "single"
    found = _ranked(t, at) or _weekdays(t, at) or _yearly(t, at) or _interval(t, at)
    if found is None and t[at] in PARTS:
        found = Recurrence("FREQ=DAILY", part=PARTS[t[at]]), at + 1
    return found


def _interval(t: Tokens, at: int) -> Read | None:
    """Every two hours, every half hour, every hour and a half, every day."""
    found = length(t, at)
    if found is not None:
        made = _of_length(found[0])
        return (made, found[1]) if made else None
    frequency, one = FREQUENCIES.get(t[at]), unit(t, at)
    if one is None:
        return None
    more = half_more(t, at + 1)
    if more is not None:
        made = _of_length(Length(one[0].total * (1 + more[0])))
        return (made, more[1]) if made else None
    if frequency is None:
        made = _of_length(one[0])
    elif frequency == "SECONDLY" or t[at + 1] in ("of", "counts"):
        return None
    else:
        made = _rule(frequency)
        if frequency == "MONTHLY" and t.phrase(at + 1, ("on", "the", "last", "day")):
            return Recurrence(monthly(-1)), at + 5
    return (made, at + 1) if made else None


def _of_length(value: Length) -> Recurrence | None:
    if value.months and not (value.days or value.seconds):
        months = int(value.months)
        return _rule("MONTHLY", months) if months % 12 else _rule("YEARLY", months // 12)
    if value.days and not (value.months or value.seconds):
        days = int(value.days)
        return _rule("DAILY", days) if days % 7 else _rule("WEEKLY", days // 7)
    seconds = int(value.total)
    for frequency, size in (("HOURLY", 3600), ("MINUTELY", 60)):
        if seconds % size == 0:
            return _rule(frequency, seconds // size)
    return _rule("SECONDLY", seconds)


def _ranked(t: Tokens, at: int) -> Read | None:
    """Every other Tuesday, every third day, every first Monday of the month, every 3rd of May."""
    rank = (2, at + 1) if t[at] == "other" else ordinal(t, at)
    last = t[at] == "last"
    if rank is None and last:
        rank = (-1, at + 1)
    if rank is None:
        return None
    number, end = rank
    days = _weekdays(t, end)
    if days is not None and number != 1 and not last and not _of_month(t, days[1]):
        rule, part = days[0].rule, days[0].part
        return Recurrence(rule.replace(";", f";INTERVAL={number};", 1), part=part), days[1]
    if t[end] in WEEKDAY_NUMBERS:
        code = WEEKDAY_CODES[WEEKDAY_NUMBERS[t[end]]]
        end = _of_month(t, end + 1) or end + 1
        return Recurrence(f"FREQ=MONTHLY;BYDAY={number}{code}"), end
    frequency = FREQUENCIES.get(t[end])
    if frequency == "DAILY" and _of_month(t, end + 1):
        return Recurrence(monthly(number)), _of_month(t, end + 1) or end
    if frequency is not None and number > 1:
        made = _rule(frequency, number)
        return (made, end + 1) if made else None
    closed = _of_month(t, end)
    return (Recurrence(monthly(number)), closed) if closed and number > 0 else None


def _of_month(t: Tokens, at: int) -> int | None:
    """The place after "of every month"."""
    for words in _EVERY_MONTH:
        if t.phrase(at, words):
            return at + len(words)
    return None


def _weekdays(t: Tokens, at: int) -> Read | None:
    """Weekdays after "every": "Monday and Thursday", "weekday", "weekend", "Friday evening"."""
    found = _kind_of_day(t, at) or _listed_days(t, at, WEEKDAY_NUMBERS)
    if found is None:
        return None
    days, end = found
    return _with_part(t, days, end)


def _with_part(t: Tokens, days: tuple[int, ...], end: int) -> Read:
    part = PARTS.get(t[end])
    return _on_days(days, part=part), end + (part is not None)


def _kind_of_day(t: Tokens, at: int) -> tuple[tuple[int, ...], int] | None:
    if t[at] in ("weekday", "weekdays", "workday", "workdays"):
        return _WORK, at + 1
    if t[at] in ("week", "work", "working", "school", "business") and t[at + 1] in ("day", "days"):
        return _WORK, at + 2
    return (_WEEKEND, at + 1) if t[at] in WEEKENDS else None


def _listed_days(t: Tokens, at: int, names: dict[str, int]) -> tuple[tuple[int, ...], int] | None:
    """Names of days with commas and "and" between, or a range of them."""
    first = names.get(t[at])
    if first is None:
        return None
    days, end = [first], at + 1
    if t[end] in _RANGE:
        last = names.get(t[end + 1])
        if last is not None:
            return tuple((first + step) % 7 for step in range((last - first) % 7 + 1)), end + 2
    while len(days) < 7:
        following = end + (t[end] == ",")
        following += t[following] in ("and", "or", "&")
        following += t[following] in EVERY or t[following] == "on"
        day = names.get(t[following])
        if following == end or day is None:
            break
        days, end = [*days, day], following + 1
    return tuple(days), end


def _yearly(t: Tokens, at: int) -> Read | None:
    """Every 3rd of May, every Christmas, every January."""
    date = calendar_date(t, at, cued=True) or holiday(t, at, cued=True)
    if date is not None and isinstance(date[0], CalendarDate) and date[0].year is None:
        rule = f"FREQ=YEARLY;BYMONTH={date[0].month};BYMONTHDAY={date[0].day}"
        return Recurrence(rule), date[1]
    month = MONTH_NUMBERS.get(t[at])
    if month is None or (t[at] in LIKE_VERBS and len(t[at]) == 3 and not t.ends_at(at + 1)):
        return None
    return Recurrence(f"FREQ=YEARLY;BYMONTH={month};BYMONTHDAY=1"), at + 1


def except_days(t: Tokens, at: int, whole: Recurrence) -> Read | None:
    """What recurs on several days of the week, without some of them: "except on Sundays"."""
    prefix, _, listed = whole.rule.partition("FREQ=WEEKLY;BYDAY=")
    codes = WEEKDAY_CODES if whole.rule == "FREQ=DAILY" else tuple(listed.split(","))
    if prefix and whole.rule != "FREQ=DAILY":
        return None
    if t[at] not in ("except", "but", "excluding") and not t.phrase(at, ("apart", "from")):
        return None
    start = at + 1 + (t[at] == "apart")
    start += t[start] in ("on", "for", "at")
    start += t[start] in ("the", "every")
    found = _kind_of_day(t, start) or _listed_days(t, start, WEEKDAY_NUMBERS | WEEKDAY_PLURALS)
    if found is None:
        return None
    days = tuple(
        day for day, code in enumerate(WEEKDAY_CODES) if code in codes and day not in found[0]
    )
    return (replace(whole, rule=_on_days(days).rule), found[1]) if days else None


def _adverb(t: Tokens, at: int) -> Read | None:
    """Daily, weekly, on a daily basis."""
    if t[at] == "on" and t[at + 1] == "a" and t[at + 2] in ADVERBS and t[at + 3] == "basis":
        return Recurrence(f"FREQ={ADVERBS[t[at + 2]]}"), at + 4
    start = at + (t[at] == "once")
    if t[start] not in ADVERBS or t.before(start) in ("twice", "times", "thrice"):
        return None
    follows = t[start + 1]
    if not (t.ends_at(start + 1) or follows in AFTER_NUMBER or follows in RECURRENCE_NOUNS):
        return None
    part = DayPart.NIGHT if t[start] == "nightly" else None
    return Recurrence(f"FREQ={ADVERBS[t[start]]}", part=part), start + 1


def _once_a(t: Tokens, at: int) -> Read | None:
    """Once a week, once per day."""
    if t[at] != "once" or t[at + 1] not in ("a", "an", "per"):
        return None
    frequency = FREQUENCIES.get(t[at + 2])
    return (Recurrence(f"FREQ={frequency}"), at + 3) if frequency else None


def _plural_days(t: Tokens, at: int, *, prepared: bool) -> Read | None:
    """On Mondays and Thursdays, at weekends, on weekday mornings, Monday to Friday."""
    at += t[at] == "the" and prepared
    kind = _kind_of_day(t, at)
    plural = kind is not None and (t[kind[1] - 1].endswith("s") or t[kind[1]] in PARTS)
    found = (kind if plural else None) or _listed_days(t, at, WEEKDAY_PLURALS)
    if found is None:
        found = _listed_days(t, at, WEEKDAY_NUMBERS)
        if found is None or not (
            (t[at + 1] in _RANGE and len(found[0]) > 1) or _plural_part(t, found[1])
        ):
            return None
        prepared = True
    elif not plural and t[found[1] - 1] not in WEEKDAY_PLURALS:
        return None
    if not (prepared or t.bare or t[found[1]] in ("at", "from", "@")):
        return None
    return _with_part(t, *found)


def _plural_part(t: Tokens, at: int) -> bool:
    return t[at] in PARTS and t[at].endswith("s")


def _day_of_month(t: Tokens, at: int) -> Read | None:
    """The first of every month, the 1st and 15th of each month, the last Friday of every month."""
    start = at + (t[at] == "the")
    if t[start] == "last":
        rank: tuple[int, int] | None = (-1, start + 1)
    else:
        rank = ordinal(t, start)
    if rank is None:
        return None
    number, end = rank
    code = weekday(t, end, cued=False)
    days = [number]
    if code is not None:
        end = code[1]
    elif t[end] == "day":
        end += 1
    elif t[end] == "and":
        second = ordinal(t, end + 1 + (t[end + 1] == "the"))
        if second is not None:
            days, end = [number, second[0]], second[1]
    if not (t[end] == "of" and t[end + 1] in EVERY and t[end + 2] == "month"):
        return None
    if code is not None:
        return Recurrence(f"FREQ=MONTHLY;BYDAY={number}{WEEKDAY_CODES[code[0]]}"), end + 3
    if len(days) == 2:
        return Recurrence(f"FREQ=MONTHLY;BYMONTHDAY={days[0]},{days[1]}"), end + 3
    return Recurrence(monthly(number)), end + 3
