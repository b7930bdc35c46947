"""The time expressions of a sentence, with their places. English. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from lobug.language.en.times import vocabulary as words
from lobug.language.en.times.clock_times import clock_time, day_part, phrase, same_time
from lobug.language.en.times.dates import day
from lobug.language.en.times.durations import relative, span
from lobug.language.en.times.recurrences import except_days, recurrence
from lobug.language.en.times.tokens import Tokens
from lobug.language.moments import Found, Moment, Recurrence, TimeSpan, combined

_MOST_PARTS = 6

Value = TimeSpan | Moment | Recurrence
Read = tuple[Value, int]

_STARTS = frozenset(
    words.OPENERS.union(
        words.NUMBER_WORDS, words.ORDINALS, words.SPAN_PREPOSITIONS, words.ANY_CLOCK_PREPOSITIONS,
        words.DATE_PREPOSITIONS, words.RECURRENCE_PREPOSITIONS, words.EVERY, words.ADVERBS,
        words.DAY_OFFSETS, words.MONTH_NUMBERS, words.WEEKDAY_NUMBERS, words.WEEKDAY_PLURALS,
        (f"{name}'s" for name in words.WEEKDAY_NUMBERS), words.WEEKENDS, words.NOON,
        words.CLOCK_PHRASES, words.PARTS, words.HOLIDAYS, words.EASTER, words.SOFTENERS,
        words.WEEKDAYS_SHORT,
    )
)  # fmt: skip
"""Words with which an expression may begin."""


def find_times(text: str, *, bare_numbers: bool = False) -> list[Found]:
    """Every time expression of a text in its order, none within another.

    ``bare_numbers``: "seven" and "630" are times, as in answers to "When?".
    """
    t = Tokens(text, bare_numbers)
    found: list[Found] = []
    at = 0
    while at < len(t):
        read = _expression(t, at) if t[at] in _STARTS or t[at].isdecimal() else None
        if read is None:
            at = _after_number(t, at)
            continue
        value, end = read
        found.append(Found(t.starts[at], t.ends[end - 1], value))
        at = end
    return found


def _after_number(t: Tokens, at: int) -> int:
    """The place after a token, or after a whole number: no time begins within one."""
    number = t[at] in words.NUMBER_WORDS
    digits = t[at].isdecimal()
    at += 1
    while number and t[at] in words.NUMBER_WORDS:
        at += 1
    while digits and t[at] in (".", ",", "/", ":", "-") and t.glued[at] and t.glued[at + 1] and (
        t[at + 1].isdecimal()
    ):  # fmt: skip
        at += 2
    return at


def _expression(t: Tokens, at: int) -> Read | None:
    """The parts that belong together from a place on."""
    read = _part(t, at)
    if read is None:
        return None
    value, end = read
    for _ in range(_MOST_PARTS):
        if isinstance(value, TimeSpan):
            break
        if isinstance(value, Recurrence):
            fewer = except_days(t, end + (t[end] == ","), value)
            if fewer is not None:
                value, end = fewer
                continue
        following = _next_part(t, end)
        if following is None:
            break
        one = combined(value, following[0])
        if one is None:
            break
        value, end = one, following[1]
    if isinstance(value, Moment) and value.same_time and value.day is None:
        return None
    return value, end


def _next_part(t: Tokens, at: int) -> Read | None:
    return _part(t, at + (t[at] == ","), joined=True)


def _part(t: Tokens, at: int, *, joined: bool = False) -> Read | None:
    """The longest of what may begin at a place."""
    best: Read | None = None
    for read in _readings(t, at, joined=joined):
        if read is not None and (best is None or read[1] > best[1]):
            best = read
    return best


def _readings(t: Tokens, at: int, *, joined: bool) -> Iterator[Read | None]:
    yield recurrence(t, at)
    yield relative(t, at)
    yield day(t, at, joined=joined)
    yield clock_time(t, at, joined=joined)
    yield phrase(t, at)
    yield day_part(t, at, joined=joined)
    yield same_time(t, at)
    if not joined:
        yield span(t, at)
