"""Times of day in the tokens of a sentence: "at half past seven". English. Pure.

A reader gets the place of the first token and returns a value and the place after it, or None.
"""

from __future__ import annotations

from dataclasses import replace

from lobug.language.en.times.numbers import below_hundred, ordinal
from lobug.language.en.times.tokens import Tokens
from lobug.language.en.times.vocabulary import (
    ADDRESSES,
    AFTER_NUMBER,
    ALARM_PREPOSITIONS,
    ANY_CLOCK_PREPOSITIONS,
    BY_OPERATIONS,
    CLOCK_PHRASES,
    CLOCK_PREPOSITIONS,
    COUNTED,
    NOON,
    NOT_PLURAL,
    NUMBER_WORDS,
    PARTS,
    PAST,
    SHARP,
    SOFTENERS,
    TO,
)
from lobug.language.moments import ClockTime, DayPart, Moment

_NO_HOUR = 99
"""An hour that does not exist, for "15 am"."""

_AFTER_MIDNIGHT = ("on", "tomorrow", "tonight", "today")

Clock = tuple[ClockTime, int]


def clock_time(t: Tokens, at: int, *, joined: bool = False) -> tuple[Moment, int] | None:
    """A time of day with its preposition. ``joined``: it follows a day, as in "tomorrow 7:30"."""
    start, cued = _preposition(t, at)
    cued |= joined and t[at] == "from"
    for begun in (start, at) if start > at else (at,):
        cue = (cued and begun == start) or t.bare or joined
        found = _named(t, begun, cued=cue) or _spoken(t, begun, cued=cue) or _signed(t, begun)
        if found is None and ((cued and begun == start) or t.bare):
            found = _cued(t, begun)
        if found is None and (joined or t.about_alarms):
            found = _two_numbers(t, begun)
        if found is not None:
            time, end = found
            end += t[end] in SHARP
            return Moment(time=time), end
    return None


def phrase(t: Tokens, at: int) -> tuple[Moment, int] | None:
    """A time that is said without an hour: "after lunch"."""
    for words, clock in CLOCK_PHRASES.get(t[at], ()):
        if t.phrase(at, words):
            hour, minute = map(int, clock.split(":"))
            return Moment(time=ClockTime(hour, minute, approximate=True)), at + len(words)
    return None


def day_part(t: Tokens, at: int, *, joined: bool = False) -> tuple[Moment, int] | None:
    """A part of the day: "in the morning", "at night"; alone it must follow a day."""
    found = None
    if t[at] in ("in", "during", "on", "of") and t[at + 1] == "the":
        found = PARTS.get(t[at + 2]), at + 3
    elif t[at] == "at" and t[at + 1] in ("night", "nighttime"):
        found = DayPart.NIGHT, at + 2
    elif joined:
        found = PARTS.get(t[at]), at + 1
    if found is None or found[0] is None:
        return None
    part, end = found
    if t[end] == "of" and ordinal(t, end + 1 + (t[end + 1] == "the")):
        end += 1  # "on the morning of the fifth"
    return Moment(part=part), end


def same_time(t: Tokens, at: int) -> tuple[Moment, int] | None:
    """The time of day that it is now: "at the same time", "this time"; a day must stand by it."""
    start = at + (t[at] == "at")
    for words in (("the", "same", "time"), ("same", "time"), ("this", "time")):
        if t.phrase(start, words):
            return Moment(same_time=True), start + len(words)
    return None


def _preposition(t: Tokens, at: int) -> tuple[int, bool]:
    """The place after a preposition, and whether it makes an hour of a lone number."""
    word = t[at]
    if word not in ANY_CLOCK_PREPOSITIONS:
        return at, False
    cued = word in CLOCK_PREPOSITIONS or (word in ALARM_PREPOSITIONS and t.about_alarms)
    if word == "by" and (t.before(at) in BY_OPERATIONS or t.before(at) in NUMBER_WORDS
                         or t.before(at).isdecimal()):  # fmt: skip
        cued = False
    start = at + 1
    while start < at + 3 and (t[start] in SOFTENERS or t[start] == "around"):
        start += 1
    return start, cued and not t.other_scale


def _named(t: Tokens, at: int, *, cued: bool) -> Clock | None:
    """Noon and midnight."""
    if t[at] == "twelve" and t[at + 1] in ("noon", "midnight"):
        at, cued = at + 1, True
    if t[at] in NOON:
        return ClockTime(12), at + 1
    if t[at] == "midnight" and (cued or t[at + 1] in _AFTER_MIDNIGHT):
        return ClockTime(24), at + 1
    return None


def _spoken(t: Tokens, at: int, *, cued: bool) -> Clock | None:
    """Half past seven, a quarter to eight, twenty past six, five minutes before nine."""
    start = at + (t[at] == "a")
    strong = cued
    if t[start] == "half":
        minutes, end = 30, start + 1
        hour = _full_hour(t, end) if cued and t[end] not in PAST else None
        if hour is not None:  # "half seven", as the British say
            return replace(hour[0], minute=30), hour[1]
    elif t[start] == "quarter":
        minutes, end, strong = 15, start + 1, True
    else:
        number = _number(t, start)
        if number is None or not 0 < number[0] < 60:
            return None
        minutes, end = number
        if t[end] in ("minutes", "minute", "mins", "min"):
            end, strong = end + 1, True
    past = t[end] in PAST
    if not past and not _counts_to(t, at, end, minutes, cued=cued):
        return None
    if not strong and t[end] != "past":
        return None
    hour = _full_hour(t, end + 1)
    if hour is None:
        return None
    return (_later if past else _earlier)(hour[0], minutes), hour[1]


def _counts_to(t: Tokens, at: int, end: int, minutes: int, *, cued: bool) -> bool:
    """Whether minutes lead to an hour: "ten to nine", but not "from nine to ten"."""
    if minutes == 30 or t.before(at) in ("from", "between"):
        return False
    if minutes % 5 and not t[end - 1].startswith("min"):
        return False
    return t[end] in TO or (t[end] == "of" and cued)


def _later(hour: ClockTime, minutes: int) -> ClockTime:
    return replace(hour, hour=hour.hour % 24, minute=minutes)


def _earlier(hour: ClockTime, minutes: int) -> ClockTime:
    before = hour.hour - 1
    if before < 0 or (hour.ambiguous and before == 0):
        before += 12 if hour.ambiguous else 24
    return replace(hour, hour=before, minute=60 - minutes)


def _full_hour(t: Tokens, at: int) -> Clock | None:
    """The hour that minutes are counted from."""
    if t[at] in NOON or t[at] == "midnight":
        return ClockTime(24 if t[at] == "midnight" else 12), at + 1
    found = _number(t, at)
    if found is None or not 0 <= found[0] <= 24:
        return None
    value, end = found
    if t[end] in COUNTED or t[end] in (":", "%", "/") or t[end].isdecimal():
        return None
    return _with_half(t, value, 0, end)


def _signed(t: Tokens, at: int) -> Clock | None:
    """A time with a sign of its own: "7:30", "9 am", "seven o'clock", "nine in the morning"."""
    written = _written(t, at)
    if written is not None:
        return written
    found = _hour_and_minute(t, at)
    if found is None:
        return None
    hour, minute, end = found
    clock = _after_oclock(t, end)
    if clock is not None:
        return _with_half(t, hour, minute or 0, clock)
    if _half_of_day(t, end) is not None:
        return _with_half(t, hour, minute or 0, end)
    if 1 <= hour <= 12 and (_in_part(t, end) or (minute is not None and t[end] == "tonight")):
        return ClockTime(hour, minute or 0, ambiguous=True), end
    return None


def _in_part(t: Tokens, at: int) -> bool:
    return (t[at] == "in" and t[at + 1] == "the" and t[at + 2] in PARTS) or (
        t[at] == "at" and t[at + 1] == "night"
    )


def _cued(t: Tokens, at: int) -> Clock | None:
    """What is a time after "at": "9", "630", "6 40", "7.30", "nine", "seven thirty"."""
    found = _compact(t, at) or _hour_and_minute(t, at)
    if found is None or found[0] > 24 or _counts(t, at, found[2]):
        return None
    hour, minute, end = found
    if minute is None and hour == 0:
        return None
    return _with_half(t, hour, minute or 0, end, padded=_padded(t, at))


def _two_numbers(t: Tokens, at: int) -> Clock | None:
    """Hour and minutes without any sign, after a day: "tomorrow seven thirty"."""
    found = _hour_and_minute(t, at) if len(t[at]) <= 2 or t[at].isalpha() else None
    if found is None or found[1] is None or found[0] > 24 or _counts(t, at, found[2]):
        return None
    return _with_half(t, found[0], found[1], found[2], padded=_padded(t, at))


def _padded(t: Tokens, at: int) -> bool:
    return t[at].startswith("0")


def _written(t: Tokens, at: int) -> Clock | None:
    """Digits with a colon: "7:30", "19:30:15". "25:00" and "7:75" are read too."""
    hour = t[at]
    if not (hour.isdecimal() and len(hour) <= 2 and t[at + 1] == ":" and _pair(t, at + 1)):
        return None
    if t.before(at) in (":", "/", "$", ".") and t.glued[at]:
        return None
    end, second = at + 3, 0
    if t[end] == ":" and _pair(t, end):
        second, end = int(t[end + 1]), end + 2
    if (t.glued[end] and t[end] in (":", "%", "/")) or t[end] == "%":
        return None
    time, end = _with_half(t, int(hour), int(t[at + 2]), end, padded=_padded(t, at))
    return replace(time, second=second), end


def _pair(t: Tokens, at: int) -> bool:
    """Whether a sign and two digits follow without spaces."""
    return t.glued[at] and t.glued[at + 1] and len(t[at + 1]) == 2 and t[at + 1].isdecimal()


def _compact(t: Tokens, at: int) -> tuple[int, int, int] | None:
    """Digits without a colon: "630", "1930", "6 40", "7.30"."""
    word = t[at]
    if not word.isdecimal():
        return None
    if len(word) in (3, 4):
        likely_year = len(word) == 4 and word[:2] in ("19", "20") and t.before(at) != "at"
        if likely_year or (t[at + 1] in (".", ",") and t.glued[at + 1] and t[at + 2].isdecimal()):
            return None
        hour, minute = int(word[:-2]), int(word[-2:])
        return (hour, minute, at + 1) if hour <= 24 and minute < 60 else None
    if len(word) > 2:
        return None
    if t[at + 1] == "." and _pair(t, at + 1) and t[at + 3] != ".":
        return int(word), int(t[at + 2]), at + 3
    if t[at + 1].isdecimal() and len(t[at + 1]) == 2 and not t.glued[at + 1]:
        return int(word), int(t[at + 1]), at + 2
    return None


def _number(t: Tokens, at: int) -> tuple[int, int] | None:
    """A number of at most two digits, in digits or words."""
    word = t[at]
    if not word.isdecimal():
        return below_hundred(t, at)
    tight = (
        t[at + 1] in (".", ",") and t.glued[at + 1] and t[at + 2].isdecimal() and t.glued[at + 2]
    )
    return (int(word), at + 1) if len(word) <= 2 and not tight else None


def _hour_and_minute(t: Tokens, at: int) -> tuple[int, int | None, int] | None:
    """An hour with or without minutes, in words or digits: "seven", "seven thirty", "7 30 pm"."""
    compact = _compact(t, at)
    if compact is not None:
        return compact
    found = _number(t, at)
    if found is None:
        return None
    hour, end = found
    if t[at].isdecimal():
        return hour, None, end
    if t[end] == "hundred" and hour > 9:
        return hour, 0, end + 1 + (t[end + 1] == "hours")
    if t[end] in ("oh", "o", "zero") and t[end + 1] in NUMBER_WORDS:
        minute = below_hundred(t, end + 1)
        if minute and minute[0] < 10:
            return hour, minute[0], minute[1]
    minute = below_hundred(t, end) or (_number(t, end) if len(t[end]) == 2 else None)
    if minute is not None and minute[0] >= 10:
        return hour, minute[0], minute[1]
    return hour, None, end


def _after_oclock(t: Tokens, at: int) -> int | None:
    """The place after "o'clock", however it is written."""
    if t[at] in ("o'clock", "oclock"):
        return at + 1
    if t[at] in ("o", "0") and t[at + 1] == "clock":
        return at + 2
    if t[at] == "o" and t[at + 1] == "'" and t[at + 2] == "clock":
        return at + 3
    return None


def _half_of_day(t: Tokens, at: int) -> tuple[bool, int] | None:
    """Whether pm, and the place after it: "am", "p.m.", "a m"."""
    word = t[at]
    if word in ("am", "pm"):
        spoken_to = word == "am" and t[at + 1] == "i"
        return None if spoken_to else (word == "pm", at + 1)
    if word not in ("a", "p"):
        return None
    end = at + 1
    end += t[end] == "." and t.glued[end]
    if t[end] != "m":
        return None
    end += 1
    if t[end] == "." and t.glued[end] and t[end - 2] == ".":
        end += 1
    return word == "p", end


def _with_half(t: Tokens, hour: int, minute: int, end: int, *, padded: bool = False) -> Clock:
    """A time of day with what follows: o'clock, am or pm."""
    clock = _after_oclock(t, end)
    end = end if clock is None else clock
    half = _half_of_day(t, end)
    if half is not None:
        pm, end = half
        return ClockTime(_hour_of_half(hour, pm=pm), minute), end
    return ClockTime(hour, minute, ambiguous=1 <= hour <= 12 and not padded), end


def _hour_of_half(hour: int, *, pm: bool) -> int:
    if hour > 12 and not pm:
        return _NO_HOUR
    if hour == 12:
        return 12 if pm else 0
    return hour + 12 if pm and hour < 12 else hour


def _counts(t: Tokens, at: int, end: int) -> bool:
    """Whether a number counts what follows: "at two restaurants", "at one point"."""
    word = t[end]
    if not word:
        return False
    if word in ("%", "°", "/", "$", "€", "£", "+", "*", "=", "×") or word in COUNTED:
        return True
    if word in (".", ",") and t.glued[end] and t.glued[end + 1] and t[end + 1].isdecimal():
        return True
    if word.isdecimal() or word in NUMBER_WORDS:
        return True
    if t[end + 1] in ADDRESSES or t[end + 2] in ADDRESSES:
        return True
    if not word[0].isalpha():
        return word == "-" and t[end + 1].isdecimal()
    if t[at] in ("one", "1") and end == at + 1:
        return word not in AFTER_NUMBER
    plural = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "'s"))
    return plural and word not in NOT_PLURAL
