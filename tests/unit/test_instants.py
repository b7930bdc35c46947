"""Moments and recurrences settled at a given now, in zones that change their clocks."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobug.language.instants import days_between, resolve
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
    Recurrence,
    Resolved,
    TimeSpan,
    WhichDay,
)
from lobug.language.occurrences import next_occurrence, wall_time

BERLIN = ZoneInfo("Europe/Berlin")
TOMORROW = DayOffset(1)


def at(text: str, zone: str | ZoneInfo = BERLIN) -> datetime:
    place = zone if isinstance(zone, ZoneInfo) else ZoneInfo(zone)
    return datetime.fromisoformat(text).replace(tzinfo=place)


def said(hour: int, minute: int = 0) -> ClockTime:
    """An hour without am or pm."""
    return ClockTime(hour, minute, ambiguous=True)


def instant(
    moment: Moment | TimeSpan, now: datetime, prefer: Literal["next", "morning"] = "next"
) -> str:
    """The instant with its offset from UTC, or why there is none."""
    resolved = resolve(moment, now, prefer)
    if isinstance(resolved, Impossible):
        return resolved.reason.value
    return resolved.instant.isoformat(" ", "minutes")


# (zone, now, wall time of the next day, what rings)
SWITCHES = [
    # Spring: 02:00 becomes 03:00, and in Lord Howe 02:30.
    ("Europe/Berlin", "2027-03-27 14:00", (2, 30), "2027-03-28 03:30+02:00"),
    ("Europe/Berlin", "2027-03-27 14:00", (1, 59), "2027-03-28 01:59+01:00"),
    ("Europe/Berlin", "2027-03-27 14:00", (3, 0), "2027-03-28 03:00+02:00"),
    ("America/New_York", "2027-03-13 14:00", (2, 30), "2027-03-14 03:30-04:00"),
    ("America/New_York", "2027-03-13 14:00", (9, 0), "2027-03-14 09:00-04:00"),
    ("Australia/Lord_Howe", "2027-10-02 14:00", (2, 15), "2027-10-03 02:45+11:00"),
    # Autumn: 03:00 becomes 02:00, in New York 02:00 becomes 01:00, in Lord Howe 02:00 01:30.
    ("Europe/Berlin", "2026-10-24 14:00", (2, 30), "2026-10-25 02:30+02:00"),
    ("Europe/Berlin", "2026-10-24 14:00", (3, 0), "2026-10-25 03:00+01:00"),
    ("America/New_York", "2026-10-31 14:00", (1, 30), "2026-11-01 01:30-04:00"),
    ("America/New_York", "2026-10-31 14:00", (9, 0), "2026-11-01 09:00-05:00"),
    ("Australia/Lord_Howe", "2027-04-03 14:00", (1, 45), "2027-04-04 01:45+11:00"),
]


@pytest.mark.parametrize(("zone", "now", "wall", "rings"), SWITCHES)
def test_wall_times_across_a_change_of_the_clocks(
    zone: str, now: str, wall: tuple[int, int], rings: str
) -> None:
    there, clock = at(now, zone), ClockTime(*wall)
    assert instant(Moment(day=TOMORROW, time=clock), there) == rings
    following = next_occurrence(Recurrence("FREQ=DAILY", clock), there)
    assert isinstance(following, datetime)
    assert following.isoformat(" ", "minutes") == rings


@pytest.mark.parametrize(
    ("zone", "now", "later", "same_time"),
    [
        ("Europe/Berlin", "2027-03-27 20:00", "2027-03-28 07:00+02:00", "2027-03-28 20:00+02:00"),
        ("Europe/Berlin", "2026-10-24 20:00", "2026-10-25 05:00+01:00", "2026-10-25 20:00+01:00"),
        ("America/New_York", "2027-03-13 20:00", "2027-03-14 07:00-04:00",
         "2027-03-14 20:00-04:00"),
        ("America/New_York", "2026-10-31 20:00", "2026-11-01 05:00-05:00",
         "2026-11-01 20:00-05:00"),
    ],
)  # fmt: skip
def test_hours_pass_and_days_keep_the_time(zone: str, now: str, later: str, same_time: str) -> None:
    there = at(now, zone)
    assert instant(TimeSpan(10 * 3600), there) == later
    assert instant(Moment(elapsed=TimeSpan(10 * 3600)), there) == later
    assert instant(Moment(day=TOMORROW, same_time=True), there) == same_time


def test_what_comes_twice_rings_once() -> None:
    daily = Recurrence("FREQ=DAILY", ClockTime(2, 30))
    first = next_occurrence(daily, at("2026-10-24 14:00"))
    assert isinstance(first, datetime)
    second = next_occurrence(daily, first)
    assert isinstance(second, datetime)
    assert second.isoformat(" ", "minutes") == "2026-10-26 02:30+01:00"
    between = first.astimezone(UTC) + timedelta(minutes=20)
    assert next_occurrence(daily, between.astimezone(BERLIN)) == second


# (now, hour without am or pm, "next", "morning")
HOURS = [
    ("2026-11-24 14:00", said(9), "2026-11-24 21:00+01:00", "2026-11-25 09:00+01:00"),
    ("2026-11-24 08:00", said(9), "2026-11-24 09:00+01:00", "2026-11-24 09:00+01:00"),
    ("2026-11-24 20:00", said(7), "2026-11-25 07:00+01:00", "2026-11-25 07:00+01:00"),
    ("2026-11-24 22:00", said(3), "2026-11-25 15:00+01:00", "2026-11-25 03:00+01:00"),
    ("2026-11-24 23:30", said(1), "2026-11-25 01:00+01:00", "2026-11-25 01:00+01:00"),
    ("2026-11-25 01:00", said(3), "2026-11-25 03:00+01:00", "2026-11-25 03:00+01:00"),
    ("2026-11-24 14:00", said(4), "2026-11-24 16:00+01:00", "2026-11-24 16:00+01:00"),
    ("2026-11-24 14:00", said(12), "2026-11-25 12:00+01:00", "2026-11-25 12:00+01:00"),
    ("2026-11-24 09:00", said(12, 30), "2026-11-24 12:30+01:00", "2026-11-24 12:30+01:00"),
    ("2026-11-24 21:00", said(12), "2026-11-25 00:00+01:00", "2026-11-25 00:00+01:00"),
]


@pytest.mark.parametrize(("now", "hour", "following", "morning"), HOURS)
def test_hours_without_am_or_pm(now: str, hour: ClockTime, following: str, morning: str) -> None:
    assert instant(Moment(time=hour), at(now)) == following
    assert instant(Moment(time=hour), at(now), "morning") == morning


def test_hours_of_another_day_and_of_a_part_of_the_day() -> None:
    now = at("2026-11-24 14:00")
    of = {
        said(9): "2026-11-25 09:00+01:00",
        said(3): "2026-11-25 15:00+01:00",
        said(12): "2026-11-25 12:00+01:00",
        ClockTime(24): "2026-11-26 00:00+01:00",
        ClockTime(0, 30): "2026-11-25 00:30+01:00",
    }
    assert {hour: instant(Moment(day=TOMORROW, time=hour), now) for hour in of} == of
    early = Moment(day=TOMORROW, time=said(5))
    assert instant(early, now, "morning") == "2026-11-25 05:00+01:00"
    tonight = Moment(day=DayOffset(0), time=said(2), part=DayPart.NIGHT)
    assert instant(tonight, now) == "2026-11-25 02:00+01:00"
    assert instant(tonight, at("2026-11-25 00:30")) == "2026-11-25 02:00+01:00"
    evening = Moment(day=TOMORROW, time=said(8), part=DayPart.EVENING)
    assert instant(evening, now) == "2026-11-25 20:00+01:00"


def test_days() -> None:
    now = at("2026-11-24 14:00")  # a Tuesday
    days: dict[Day, str] = {
        NamedWeekday(1): "2026-12-01",
        NamedWeekday(1, WhichDay.THIS): "2026-11-24",
        NamedWeekday(4): "2026-11-27",
        NamedWeekday(4, WhichDay.NEXT): "2026-12-04",
        NamedWeekday(4, weeks=1): "2026-12-04",
        NamedWeekday(0, WhichDay.NEXT): "2026-11-30",
        CalendarDate(24, 11): "2026-11-24",
        CalendarDate(23, 11): "2027-11-23",
        CalendarDate(29, 2): "2028-02-29",
        CalendarDate(31): "2026-12-31",
        CalendarDate(13, weekday=4): "2027-08-13",
        CalendarDate(3, months_ahead=1): "2026-12-03",
        DayOffset(months=3): "2027-02-24",
        EasterDate(1): "2027-03-29",
        PeriodStart(Period.WEEKEND, 0): "2026-11-28",
        PeriodStart(Period.WEEK, 0, last_day=True): "2026-11-29",
        PeriodStart(Period.MONTH, 0, last_day=True): "2026-11-30",
        PeriodStart(Period.YEAR, 1): "2027-01-01",
    }
    evening = ClockTime(23, 59)
    assert {day: instant(Moment(day=day, time=evening), now)[:10] for day in days} == days
    assert instant(Moment(day=DayOffset(months=1)), at("2027-01-31 08:00"))[:10] == "2027-02-28"
    passed = Moment(day=CalendarDate(24, 11), time=ClockTime(9))
    assert instant(passed, now) == "2027-11-24 09:00+01:00"


def test_what_is_impossible_says_why() -> None:
    now = at("2026-11-24 14:00")
    reasons = {
        Moment(time=ClockTime(25)): "no_such_time",
        Moment(time=ClockTime(7, 75)): "no_such_time",
        Moment(time=ClockTime(24, 1)): "no_such_time",
        Moment(): "no_such_time",
        Moment(day=TOMORROW, time=ClockTime(9, 60)): "no_such_time",
        Moment(day=CalendarDate(30, 2)): "no_such_date",
        Moment(day=CalendarDate(1, 13, 2027)): "no_such_date",
        Moment(day=CalendarDate(0)): "no_such_date",
        Moment(day=CalendarDate(32)): "no_such_date",
        Moment(day=DayOffset(-1)): "past",
        Moment(day=DayOffset(0), time=ClockTime(9)): "past",
        Moment(day=NamedWeekday(0, WhichDay.LAST)): "past",
        Moment(day=PeriodStart(Period.WEEK, -1)): "past",
        Moment(day=CalendarDate(1, 1, 2020)): "past",
        Moment(elapsed=TimeSpan(-60)): "past",
        Moment(elapsed=TimeSpan(1e15)): "too_far",
        Moment(day=DayOffset(10**9)): "too_far",
        Moment(day=DayOffset(months=10**9)): "too_far",
        Moment(day=CalendarDate(1, 1, 2190)): "too_far",
    }
    assert {moment: instant(moment, now) for moment in reasons} == reasons


def test_recurrences() -> None:
    now, nine = at("2026-11-24 14:00"), ClockTime(9)
    following = {
        Recurrence("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", ClockTime(6, 40)): "2026-11-25 06:40",
        Recurrence("FREQ=WEEKLY;BYDAY=TU", ClockTime(15)): "2026-11-24 15:00",
        Recurrence("FREQ=WEEKLY;BYDAY=TU", ClockTime(24)): "2026-11-25 00:00",
        Recurrence("FREQ=WEEKLY;INTERVAL=2;BYDAY=TU", nine): "2026-12-01 09:00",
        Recurrence("FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1", nine): "2026-11-30 09:00",
        Recurrence("FREQ=MONTHLY;BYDAY=-1FR", nine): "2026-11-27 09:00",
        Recurrence("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", nine): "2028-02-29 09:00",
        Recurrence("FREQ=DAILY", said(8), DayPart.EVENING): "2026-11-24 20:00",
        Recurrence("FREQ=DAILY"): "2026-11-25 09:00",
        Recurrence("FREQ=HOURLY;INTERVAL=2"): "2026-11-24 16:00",
    }
    got = {recurrence: next_occurrence(recurrence, now) for recurrence in following}
    assert {
        recurrence: f"{when:%Y-%m-%d %H:%M}" if isinstance(when, datetime) else when
        for recurrence, when in got.items()
    } == following
    impossible = {
        Recurrence("FREQ=DAILY", ClockTime(25)): ImpossibleReason.NO_SUCH_TIME,
        Recurrence("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"): ImpossibleReason.NO_SUCH_DATE,
        Recurrence("FREQ=MONTHLY;BYMONTHDAY=32"): ImpossibleReason.NO_SUCH_DATE,
        Recurrence("FREQ=HOURLY;INTERVAL=99999999"): ImpossibleReason.TOO_FAR,
    }
    assert {recurrence: next_occurrence(recurrence, now) for recurrence in impossible} == {
        recurrence: Impossible(reason) for recurrence, reason in impossible.items()
    }
    assert wall_time(Recurrence("FREQ=DAILY", said(4))) == time(4)
    assert wall_time(Recurrence("FREQ=DAILY", said(4)), "next") == time(16)


@pytest.mark.parametrize(
    ("rule", "days"),
    [
        ("FREQ=DAILY;INTERVAL=3", 3),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=TH", 14),
        ("FREQ=WEEKLY;INTERVAL=2", 14),
        ("FREQ=WEEKLY", 7),
    ],
)
def test_an_interval_keeps_its_rhythm_from_its_start(rule: str, days: int) -> None:
    recurrence = Recurrence(rule, ClockTime(9))
    start = at("2021-02-03 08:00")
    first = next_occurrence(recurrence, start)
    assert isinstance(first, datetime)
    for now in ("2026-11-24 14:00", "2026-11-26 09:00", "2027-03-28 23:00"):
        following = next_occurrence(recurrence, at(now), start=start)
        assert isinstance(following, datetime)
        assert days_between(first, following) % days == 0
        assert timedelta() < following.astimezone(UTC) - at(now).astimezone(UTC)
        assert days_between(at(now), following) <= days


def test_hours_are_counted_from_the_start() -> None:
    start = at("2026-10-24 14:10")
    following = next_occurrence(
        Recurrence("FREQ=HOURLY;INTERVAL=5"), at("2026-10-25 12:00"), start=start
    )
    assert isinstance(following, datetime)
    assert (following.astimezone(UTC) - start.astimezone(UTC)) == timedelta(hours=25)
    assert next_occurrence(Recurrence("FREQ=DAILY"), at("2026-01-01 00:00"), start=start) == at(
        "2026-10-25 09:00"
    )


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1)),  # noqa: DTZ001
    st.integers(1, 12),
    st.integers(0, 59),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"]),
)
def test_an_hour_comes_within_a_day_and_a_half(
    wall: datetime, hour: int, minute: int, zone: str
) -> None:
    now = wall.replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
    for prefer in ("next", "morning"):
        resolved = resolve(Moment(time=said(hour, minute)), now, prefer)
        assert isinstance(resolved, Resolved)
        away = resolved.instant.astimezone(UTC) - now.astimezone(UTC)
        assert timedelta() < away <= timedelta(hours=26)
        assert resolved.instant.utcoffset() == resolved.instant.astimezone(now.tzinfo).utcoffset()


def test_days_between() -> None:
    assert days_between(date(2026, 11, 24), date(2026, 12, 25)) == 31
    assert days_between(at("2026-11-24 23:59"), at("2026-11-25 00:01")) == 1
    assert days_between(at("2026-11-25 00:01"), date(2026, 11, 24)) == -1
