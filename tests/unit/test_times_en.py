"""Times in English sentences, found and said, at a fixed now."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lobug.language.en.spoken_form import spoken_form
from lobug.language.en.times import (
    find_times,
    say_date,
    say_moment,
    say_recurrence,
    say_span,
    say_time,
)
from lobug.language.instants import resolve
from lobug.language.moments import (
    Found,
    Impossible,
    Moment,
    Precision,
    Recurrence,
    Resolved,
    TimeSpan,
    merged,
)
from lobug.language.occurrences import next_occurrence, wall_time

NOW = datetime(2026, 11, 24, 14, 0, tzinfo=ZoneInfo("Europe/Berlin"))
CASES: dict[str, Any] = tomllib.loads(
    (Path(__file__).parent / "data" / "times_en.toml").read_text(encoding="utf-8")
)


def only(text: str, **how: bool) -> Found:
    found = find_times(text, **how)
    assert len(found) == 1, f"{text!r} has {found}"
    return found[0]


def marked(text: str, found: list[Found]) -> str:
    """The text with brackets around what was found; the whole text has none."""
    if [(one.start, one.end) for one in found] == [(0, len(text))]:
        return text
    for one in reversed(found):
        text = f"{text[: one.start]}[{text[one.start : one.end]}]{text[one.end :]}"
    return text


def written(value: object) -> object:
    """A value as the table has it."""
    if isinstance(value, TimeSpan):
        return value.seconds
    if isinstance(value, Recurrence):
        following = next_occurrence(value, NOW)
        assert isinstance(following, datetime)
        return f"{following:%Y-%m-%d %H:%M} {value.rule}"
    assert isinstance(value, Moment)
    resolved = resolve(value, NOW)
    if isinstance(resolved, Impossible):
        return resolved.reason.value
    instant, precision = resolved.instant, resolved.precision
    text = f"{instant:%Y-%m-%d %H:%M}" + (f":{instant:%S}" if instant.second else "")
    return text if precision is Precision.TIME else f"{text} {precision}"


@pytest.mark.parametrize("kind", ["spans", "moments", "impossible", "recurrences"])
def test_expressions(kind: str) -> None:
    wrong = []
    for case, expected in CASES[kind].items():
        text = case.replace("[", "").replace("]", "")
        found = find_times(text)
        got = (marked(text, found), [written(one.value) for one in found])
        if got != (case, [expected]):
            wrong.append(f"{case}: {got}, not {expected}")
    assert wrong == []


def test_the_tables_are_long() -> None:
    assert sum(len(CASES[kind]) for kind in CASES if kind != "nothing") >= 300
    assert len(CASES["nothing"]) >= 80


def test_nothing_is_found_where_no_time_is() -> None:
    assert [text for text in CASES["nothing"] if find_times(text)] == []


def test_bare_numbers_answer_when() -> None:
    said = {
        "Seven.": "2026-11-24 19:00",
        "630": "2026-11-24 18:30",
        "ten-thirty": "2026-11-24 22:30",
        "7 30 pm": "2026-11-24 19:30",
        "seven thirty tomorrow": "2026-11-25 07:30",
        "the third": "2026-12-03 09:00 day",
        "Monday at eight": "2026-11-30 08:00",
        "ten to nine": "2026-11-24 20:50",
    }
    assert {text: written(only(text, bare_numbers=True).value) for text in said} == said
    assert find_times("Seven.") == []


def test_parts_that_stand_apart_are_merged() -> None:
    said = {
        "Remind me every day to take my pills at 8": "2026-11-25 08:00 FREQ=DAILY",
        "Remind me tomorrow to call Bob at nine": "2026-11-25 09:00",
        "At noon remind me to go out on Friday": "2026-11-27 12:00",
    }
    values = {text: [written(value) for value in merged(find_times(text))] for text in said}
    assert values == {text: [value] for text, value in said.items()}
    two = merged(find_times("wake me at six on Monday and at seven on Tuesday"))
    assert [written(value) for value in two] == ["2026-11-30 06:00", "2026-12-01 07:00"]


WORDS = (
    "at on in every the a an of to past half quarter nine 9 25 7:30 99:99 twenty second may march "
    "monday mondays tomorrow tonight next last this week month day days hour hours minutes and or "
    "other first third 31st 2027 30 february christmas easter noon midnight am p.m. o'clock from "
    "now ago morning evening until except weekdays daily once same time . , : / - ' \u2019 ½ "
    "call 1,000 2.5 1h30 99999999999999999999 couple end while zero hundred thousand point"
).split()


@settings(max_examples=400)
@given(
    st.one_of(
        st.text(max_size=80),
        st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
        st.lists(st.sampled_from(WORDS), max_size=12).map("".join),
    ),
    st.booleans(),
)
def test_any_text_can_be_read(text: str, bare: bool) -> None:
    end = 0
    for found in find_times(text, bare_numbers=bare):
        assert end <= found.start < found.end <= len(text)
        end = found.end
        match found.value:
            case Recurrence():
                following = next_occurrence(found.value, NOW)
                assert isinstance(following, Impossible) or following > NOW
                assert say_recurrence(found.value)
            case value:
                for prefer in ("next", "morning"):
                    resolved = resolve(value, NOW, "next" if prefer == "next" else "morning")
                    assert isinstance(resolved, Impossible) or resolved.instant >= NOW


@settings(max_examples=300)
@given(
    st.datetimes(datetime(2026, 1, 1), datetime(2028, 12, 31)),  # noqa: DTZ001
    st.one_of(st.integers(1, 9 * 1440), st.integers(1, 700 * 1440)),
    st.sampled_from(["Europe/Berlin", "America/New_York", "UTC"]),
)
def test_a_moment_that_is_said_is_read_as_the_same(wall: datetime, minutes: int, zone: str) -> None:
    now = wall.replace(tzinfo=UTC, second=0, microsecond=0).astimezone(ZoneInfo(zone))
    instant = (now.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(now.tzinfo)
    if instant.fold:
        return  # words can't tell the second of two equal wall times
    said = say_moment(instant, now)
    found = only(f"I will remind you {said} to feed the cat")
    assert (
        f" {said} " == f"I will remind you {said} to feed the cat"[found.start - 1 : found.end + 1]
    )
    assert isinstance(found.value, Moment)
    resolved = resolve(found.value, now)
    assert isinstance(resolved, Resolved), said
    assert resolved.instant.astimezone(UTC) == instant.astimezone(UTC), said


@settings(max_examples=200)
@given(st.one_of(st.integers(1, 7200), st.integers(1, 20 * 86_400)))
def test_a_span_that_is_said_is_read_as_the_same(seconds: int) -> None:
    said = say_span(seconds)
    value = only(f"set a timer for {said}").value
    assert isinstance(value, TimeSpan)
    exact = 0 if seconds < 600 else 30 if seconds < 86_400 else 1800
    assert abs(value.seconds - seconds) <= (exact if seconds < 7 * 86_400 else 43_200), said
    assert say_span(value.seconds) == said


def test_recurrences_that_are_said_are_read_as_the_same() -> None:
    for case in CASES["recurrences"]:
        value = only(case.replace("[", "").replace("]", "")).value
        assert isinstance(value, Recurrence)
        again = only(say_recurrence(value)).value
        assert isinstance(again, Recurrence)
        assert (again.rule, next_occurrence(again, NOW), wall_time(again)) == (
            value.rule,
            next_occurrence(value, NOW),
            wall_time(value),
        ), case


def test_spans_in_words() -> None:
    said = {
        30: "thirty seconds", 60: "one minute", 90: "ninety seconds", 600: "ten minutes",
        200: "three minutes and twenty seconds", 1800: "half an hour", 3600: "one hour",
        4800: "an hour and twenty minutes", 5400: "an hour and a half", 6000.4: "an hour and forty "
        "minutes", 86_400: "one day", 100_000: "one day and four hours", 864_000: "ten days",
    }  # fmt: skip
    assert {seconds: say_span(seconds) for seconds in said} == said


@pytest.mark.parametrize(
    ("instant", "said", "spoken"),
    [
        ("2026-11-24 21:00", "at nine tonight", "at nine tonight"),
        ("2026-11-24 15:30", "at 3:30 this afternoon", "at three thirty this afternoon"),
        ("2026-11-25 00:00", "at midnight tonight", "at midnight tonight"),
        ("2026-11-25 09:00", "tomorrow at nine in the morning", "tomorrow at nine in the morning"),
        ("2026-11-25 12:00", "tomorrow at noon", "tomorrow at noon"),
        ("2026-11-27 18:05", "on Friday at 6:05 in the evening",
         "on Friday at six oh five in the evening"),
        ("2026-12-04 09:00", "on Friday, December 4th, at nine in the morning",
         "on Friday, December fourth, at nine in the morning"),
        ("2027-05-03 09:00", "on Monday, May 3rd, 2027, at nine in the morning",
         "on Monday, May third, twenty twenty-seven, at nine in the morning"),
        ("2026-11-23 21:15", "yesterday at 9:15 at night", "yesterday at nine fifteen at night"),
        ("2026-11-21 07:00", "last Saturday at seven in the morning",
         "last Saturday at seven in the morning"),
    ],
)  # fmt: skip
def test_moments_in_words(instant: str, said: str, spoken: str) -> None:
    when = datetime.fromisoformat(instant).replace(tzinfo=NOW.tzinfo)
    assert say_moment(when, NOW) == said
    assert spoken_form(said) == spoken


def test_recurrences_dates_and_times_in_words() -> None:
    said = {
        "every weekday at 6:40": "every weekday at 6:40 in the morning",
        "each day at eight pm": "every day at eight in the evening",
        "every other tuesday": "every other Tuesday",
        "every 2 hours": "every two hours",
        "mondays and thursdays at noon": "every Monday and Thursday at noon",
        "on the 31st of every month": "on the thirty-first of every month",
        "on the last friday of every month": "on the last Friday of every month",
        "every 3 weeks on monday": "every three weeks on Mondays",
        "every year on the 3rd of May": "every year on May 3rd",
        "every evening": "every evening",
        "every friday at midnight": "every Friday at midnight",
    }
    values = {text: only(text).value for text in said}
    assert {
        text: say_recurrence(value)
        for text, value in values.items()
        if isinstance(value, Recurrence)
    } == said
    assert say_date(NOW.date()) == "Tuesday, November 24th, 2026"
    assert say_date(NOW.date(), NOW.date()) == "Tuesday, November 24th"
    assert [say_time(time(hour)) for hour in (0, 7, 12, 17, 20, 23)] == [
        "midnight", "seven in the morning", "noon", "five in the afternoon", "eight in the evening",
        "eleven at night",
    ]  # fmt: skip
