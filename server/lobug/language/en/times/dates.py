"""Days in the tokens of a sentence: "next Friday", "on the third of May". English. Pure.

A reader gets the place of the first token and returns a value and the place after it, or None.
"""

from __future__ import annotations

from dataclasses import replace

from lobug.language.en.times.numbers import below_hundred, ordinal, year
from lobug.language.en.times.tokens import Tokens
from lobug.language.en.times.vocabulary import (
    AFTER_NUMBER,
    DATE_PREPOSITIONS,
    DAY_OFFSETS,
    EASTER,
    HOLIDAYS,
    LIKE_VERBS,
    MONTH_NUMBERS,
    ORDINALS,
    PARTS,
    WEEKDAY_NUMBERS,
    WEEKDAYS_SHORT,
)
from lobug.language.moments import (
    CalendarDate,
    Day,
    DayOffset,
    DayPart,
    EasterDate,
    Moment,
    NamedWeekday,
    Period,
    PeriodStart,
    WhichDay,
)

_WHICH = {"next": WhichDay.NEXT, "this": WhichDay.THIS, "last": WhichDay.LAST}
_NAMES = ("good", "black", "cyber", "ash", "palm")
"""With these a weekday is a name, or another day than the next."""
_COMING = ("coming", "following", "upcoming")
_PERIODS = {"week": Period.WEEK, "month": Period.MONTH, "year": Period.YEAR,
            "weekend": Period.WEEKEND}  # fmt: skip

Read = tuple[Day, int]


def day(t: Tokens, at: int, *, joined: bool = False) -> tuple[Moment, int] | None:
    """A day with its preposition. ``joined``: it follows a time, as in "at nine the 21st"."""
    start = at
    if t[at] in DATE_PREPOSITIONS:
        start += 1
        start += t[start] in ("about", "around")
    cued = start > at or joined or t.bare
    if (t.before(at) == "since" and start == at) or t[at] == "since":
        return None
    for begun in (start, at) if start > at else (at,):
        found = _moment(t, begun, t[at], cued=cued and begun == start)
        if found is not None:
            return found
    return None


def calendar_date(t: Tokens, at: int, *, cued: bool) -> tuple[CalendarDate, int] | None:
    """A day of a month: "May 3rd, 2027", "the third of May", "2027-05-03", "5/3"."""
    return (
        _day_first(t, at, cued=cued) or _month_first(t, at, cued=cued) or _numeric(t, at, cued=cued)
    )


def holiday(t: Tokens, at: int, *, cued: bool) -> Read | None:
    """A day with a name: "Christmas Eve". One of a single word needs a preposition."""
    for words, (month, number) in HOLIDAYS.get(t[at], ()):
        if t.phrase(at, words) and (cued or len(words) > 1):
            return CalendarDate(number, month), at + len(words)
    for words, days in EASTER.get(t[at], ()):
        if t.phrase(at, words) and (cued or len(words) > 1):
            return EasterDate(days), at + len(words)
    return None


def weekday(t: Tokens, at: int, *, cued: bool) -> tuple[int, int] | None:
    """The number of a weekday; short names only after a preposition and before no other word."""
    word = t[at]
    if word in WEEKDAY_NUMBERS:
        return WEEKDAY_NUMBERS[word], at + 1
    if word.endswith("'s") and word[:-2] in WEEKDAY_NUMBERS:
        return WEEKDAY_NUMBERS[word[:-2]], at + 1
    if cued and word in WEEKDAYS_SHORT:
        end = at + 1 + (t[at + 1] == "." and t.glued[at + 1])
        if t.ends_at(end) or t[end].isdecimal() or t[end] in AFTER_NUMBER or t[end] in PARTS:
            return WEEKDAYS_SHORT[word], end
    return None


def _moment(t: Tokens, at: int, preposition: str, *, cued: bool) -> tuple[Moment, int] | None:
    near = _near(t, at)
    if near is not None:
        return near
    found = (
        _period(t, at, preposition)
        or _weekday(t, at, cued=cued)
        or calendar_date(t, at, cued=cued)
        or (_month_alone(t, at, preposition) if cued or t[at] == "next" else None)
        or holiday(t, at, cued=cued)
        or _day_of_month(t, at, preposition, cued=cued)
    )
    return (Moment(day=found[0]), found[1]) if found else None


def _near(t: Tokens, at: int) -> tuple[Moment, int] | None:
    """Today, tonight, tomorrow, the day after tomorrow, this morning, last night."""
    start = at + (t[at] == "the")
    for words, days in ((("day", "after", "tomorrow"), 2), (("day", "before", "yesterday"), -2)):
        if t.phrase(start, words):
            return Moment(day=DayOffset(days)), start + 3
    word = t[at]
    if word in DAY_OFFSETS:
        if t[at + 1] == "week" and word in ("today", "tomorrow"):
            return Moment(day=DayOffset(DAY_OFFSETS[word] + 7)), at + 2
        return Moment(day=DayOffset(DAY_OFFSETS[word])), at + 1
    if word in ("tonight", "tonite", "tonight's"):
        return Moment(day=DayOffset(0), part=DayPart.NIGHT), at + 1
    if word in ("this", "last") and t[at + 1] in PARTS:
        days = 0 if word == "this" else -1
        return Moment(day=DayOffset(days), part=PARTS[t[at + 1]]), at + 2
    return None


def _period(t: Tokens, at: int, preposition: str) -> Read | None:
    """Next week, at the weekend, at the end of the month."""
    word, period = t[at], _PERIODS.get(t[at + 1])
    if word == "the" and t[at + 1] in (*_COMING, "next"):
        word, period, at = "next", _PERIODS.get(t[at + 2]), at + 1
    if word in ("next", "last", *_COMING) and period is not None:
        return PeriodStart(period, -1 if word == "last" else 1), at + 2
    if word == "this" and t[at + 1] in ("weekend", "coming") and (period or t[at + 2] == "weekend"):
        return PeriodStart(Period.WEEKEND, 0), at + 2 + (t[at + 1] == "coming")
    if word == "the" and period is Period.WEEKEND and preposition in (
        "at", "on", "over", "during", "for", "by", "until", "before", "till"
    ):  # fmt: skip
        return PeriodStart(Period.WEEKEND, 0), at + 2
    return _edge(t, at + (word == "the"))


def _edge(t: Tokens, at: int) -> Read | None:
    """The end of the month, the beginning of next week."""
    if t.phrase(at, ("last", "day", "of")):
        at += 1
    elif t[at] not in ("end", "beginning", "start") or t[at + 1] != "of":
        return None
    period = _PERIODS.get(t[at + 3])
    if period is None or t[at + 2] not in ("the", "this", "next"):
        return None
    last = t[at] in ("end", "day")
    count = 1 if t[at + 2] == "next" or not last else 0
    return PeriodStart(period, count, last_day=last), at + 4


def _weekday(t: Tokens, at: int, *, cued: bool) -> Read | None:
    """Friday, next Friday, Friday week, the Friday after next, Friday of next week."""
    this_coming = t[at] == "this" and t[at + 1] in _COMING
    start = (
        at
        + this_coming
        + (t[at] == "the" and (t[at + 1] in _COMING or t[at + 1] in WEEKDAY_NUMBERS))
    )
    which = _WHICH.get(t[start], WhichDay.COMING)
    if t[start] in _WHICH or t[start] in _COMING:
        start += 1
    found = weekday(t, start, cued=cued or start > at)
    if found is None or t.before(start) in _NAMES or _one_of_month(t, start, found[1]):
        return None
    number, end = found
    if start == at + 1 and t[at] == "the" and not (t[end] == "after" and t[end + 1] == "next"):
        return None
    if t[end] == "week":
        return NamedWeekday(number, which, weeks=1), end + 1
    if t[end] == "after" and t[end + 1] == "next":
        return NamedWeekday(number, WhichDay.NEXT, weeks=1), end + 2
    following = end + (t[end] == "of")
    if t[following] == "next" and t[following + 1] == "week":
        return NamedWeekday(number, WhichDay.NEXT), following + 2
    same = _date_of_weekday(t, end)
    if same is not None:
        date, end = same
        return (replace(date, weekday=number) if date.month is None else date), end
    return NamedWeekday(number, which), end


def _one_of_month(t: Tokens, at: int, end: int) -> bool:
    """Whether a weekday is counted within a month: "the first Monday of the month"."""
    ranked = (t.before(at) == "last" and t.before(at - 1) == "the") or t.before(at) in ORDINALS
    return ranked and t[end] in ("of", "in")


def _date_of_weekday(t: Tokens, at: int) -> tuple[CalendarDate, int] | None:
    """The date that follows its weekday: "Friday, December 4th", "Friday the 13th"."""
    start = at + (t[at] == ",")
    start += t[start] == "on"
    return calendar_date(t, start, cued=True) or (
        _day_of_month(t, start, "on", cued=True) if t[start] == "the" else None
    )


def _month(t: Tokens, at: int) -> tuple[int, int] | None:
    number = MONTH_NUMBERS.get(t[at])
    if number is None:
        return None
    dotted = len(t[at]) <= 4 and t[at + 1] == "." and t.glued[at + 1] and t[at + 2] != ""
    return number, at + 1 + dotted


def _day_number(t: Tokens, at: int) -> tuple[int, int] | None:
    """A day as a rank or a number: "3rd", "third", "3", "three"."""
    found = ordinal(t, at)
    if found is not None:
        return found
    if t[at].isdecimal():
        return (int(t[at]), at + 1) if len(t[at]) <= 2 else None
    return below_hundred(t, at)


def _with_year(t: Tokens, month: int, number: int, end: int) -> tuple[CalendarDate, int]:
    start = end + (t[end] in (",", "in"))
    found = year(t, start)
    if found is None or t[found[1]] in ("hours", "o'clock"):
        return CalendarDate(number, month), end
    return CalendarDate(number, month, found[0]), found[1]


def _day_first(t: Tokens, at: int, *, cued: bool) -> tuple[CalendarDate, int] | None:
    """The third of May, 3 May 2027, 3rd of May."""
    start = at + (t[at] == "the")
    found = _day_number(t, start)
    if found is None:
        return None
    number, end = found
    ranked = ordinal(t, start) is not None
    of = t[end] == "of"
    month = _month(t, end + of)
    if month is None:
        return None
    if t[end + of] in LIKE_VERBS and not (of or cued or ranked or t[start].isdecimal()):
        return None
    return _with_year(t, month[0], number, month[1])


def _month_first(t: Tokens, at: int, *, cued: bool) -> tuple[CalendarDate, int] | None:
    """May 3rd, May the third, December 24."""
    month = _month(t, at)
    if month is None:
        return None
    start = month[1] + (t[month[1]] == "the")
    found = _day_number(t, start)
    if found is None or not 0 < found[0] < 100:
        return None
    number, end = found
    if t[end] in (":", "%", "am", "pm", "o'clock") or (t[end] == "." and t.glued[end + 1] and
                                                       t[end + 1].isdecimal()):  # fmt: skip
        return None
    date = _with_year(t, month[0], number, end)
    if t[at] in LIKE_VERBS and not cued and date[0].year is None:
        ranked = (ordinal(t, start) is not None and number > 2) or end == start + 2
        if not (ranked or (t.ends_at(end) and at == 0)):
            return None
    return date


def _numeric(t: Tokens, at: int, *, cued: bool) -> tuple[CalendarDate, int] | None:
    """2027-05-03, 5/3, 5/3/2027, 3.5.2027. With strokes the month comes first if it can."""
    words = t.words[at : at + 5]
    first, sign, second, again, third = words
    if not (first.isdecimal() and second.isdecimal() and sign in ("-", "/", ".")):
        return None
    if not (t.glued[at + 1] and t.glued[at + 2]) or t.before(at) in ("/", ".", "-"):
        return None
    whole = again == sign and third.isdecimal() and t.glued[at + 3] and t.glued[at + 4]
    if len(first) == 4 and whole and sign in ("-", "/"):
        return _checked(int(first), int(second), int(third), at + 5)
    if len(first) > 2 or len(second) > 2:
        return None
    day_first = sign == "." or int(first) > 12
    month, number = (second, first) if day_first else (first, second)
    if whole and len(third) in (2, 4):
        return _checked(int(third) + (2000 if len(third) == 2 else 0), int(month), int(number),
                        at + 5)  # fmt: skip
    day_only = sign == "/" or (sign == "." and t.before(at) == "on")
    if day_only and cued and not whole and int(month) <= 12 and int(number) <= 31:
        return CalendarDate(int(number), int(month)), at + 3 + (t[at + 3] == "." == sign)
    return None


def _checked(in_year: int, month: int, number: int, end: int) -> tuple[CalendarDate, int] | None:
    return (CalendarDate(number, month, in_year), end) if month < 100 and number < 100 else None


def _month_alone(t: Tokens, at: int, preposition: str) -> Read | None:
    """In May, next June, until October 2027."""
    start = at + (t[at] in ("next", "this"))
    month = _month(t, start)
    if month is None or (
        start == at and preposition not in ("in", "until", "till", "by", "before")
    ):
        return None
    found = year(t, month[1] + (t[month[1]] == "of"))
    if found is not None:
        return CalendarDate(None, month[0], found[0]), found[1]
    if t[start] in LIKE_VERBS and preposition != "in":
        return None
    return CalendarDate(None, month[0]), month[1]


def _day_of_month(
    t: Tokens, at: int, preposition: str, *, cued: bool
) -> tuple[CalendarDate, int] | None:
    """The 21st, the third of the month; what follows must not be what it counts."""
    start = at + (t[at] == "the")
    found = ordinal(t, start)
    if found is None or not (start > at or t.bare or preposition == "on"):
        return None
    number, end = found
    if not cued:
        return (CalendarDate(number), end) if start > at and t[end] == "at" else None
    if t.phrase(end, ("of", "the", "month")) or t.phrase(end, ("of", "this", "month")):
        return CalendarDate(number), end + 3
    if t.phrase(end, ("of", "next", "month")):
        return CalendarDate(number, months_ahead=1), end + 3
    if preposition in ("in", "during", "of", "from", "to") or t[end] == "of":
        return None
    if (t.ends_at(end) and t[end] not in ("%", "/")) or t[end] in AFTER_NUMBER or t[end] in PARTS:
        return CalendarDate(number), end
    return None
