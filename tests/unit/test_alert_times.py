"""When alerts that repeat ring, by words and by rules, at midnight and in the night."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from lobug.agenda.alerts import Alert, next_due
from lobug.language.en.alert_cues import Shift
from lobug.language.en.times import find_times, say_recurrence
from lobug.language.moments import Recurrence, TimeSpan
from lobug.skills.alert_changes import changed
from lobug.skills.alert_times import Due, Unsettled, rule_from, settle

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2027, 3, 3, 10, tzinfo=BERLIN)
"""A Wednesday."""


def alert_of(due: Due) -> Alert:
    rule = due.recurrence.rule if due.recurrence else None
    return Alert(
        1, "ada", "desk", "alarm", "", due.at.timestamp(), None, rule, due.starts,
        "Europe/Berlin", "pending", None, False, 0.0,
    )  # fmt: skip


def rings(due: Due, times: int = 3) -> list[str]:
    """The first times at which it rings."""
    alert, at = alert_of(due), due.at.timestamp()
    found: list[str] = []
    while len(found) < times:
        found.append(f"{datetime.fromtimestamp(at, BERLIN):%a %d %b %H:%M}")
        following = next_due(alert, at)
        assert following is not None
        at = following
    return found


@pytest.mark.parametrize(
    ("rule", "first", "expected"),
    [
        ("FREQ=WEEKLY", "2027-03-01 00:00",
         ["Mon 01 Mar 00:00", "Mon 08 Mar 00:00", "Mon 15 Mar 00:00"]),
        ("FREQ=MONTHLY", "2027-03-01 00:00",
         ["Mon 01 Mar 00:00", "Thu 01 Apr 00:00", "Sat 01 May 00:00"]),
        ("FREQ=YEARLY", "2027-01-01 00:00",
         ["Fri 01 Jan 00:00", "Sat 01 Jan 00:00", "Mon 01 Jan 00:00"]),
        ("FREQ=WEEKLY;INTERVAL=2", "2027-03-01 00:00",
         ["Mon 01 Mar 00:00", "Mon 15 Mar 00:00", "Mon 29 Mar 00:00"]),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2027-03-01 00:00",
         ["Mon 01 Mar 00:00", "Mon 15 Mar 00:00", "Mon 29 Mar 00:00"]),
        ("FREQ=DAILY;INTERVAL=2", "2027-03-26 00:00",
         ["Fri 26 Mar 00:00", "Sun 28 Mar 00:00", "Tue 30 Mar 00:00"]),
        ("FREQ=HOURLY;INTERVAL=5", "2027-03-01 00:00",
         ["Mon 01 Mar 00:00", "Mon 01 Mar 05:00", "Mon 01 Mar 10:00"]),
    ],
)  # fmt: skip
def test_a_rule_begins_at_its_first_time(rule: str, first: str, expected: list[str]) -> None:
    due = rule_from(rule, datetime.fromisoformat(first).replace(tzinfo=BERLIN))
    assert due is not None
    assert rings(due) == expected


@pytest.mark.parametrize(
    ("words", "expected", "said"),
    [
        ("every week at midnight",
         ["Thu 04 Mar 00:00", "Thu 11 Mar 00:00", "Thu 18 Mar 00:00"],
         "every week at midnight"),
        ("every month at midnight",
         ["Thu 04 Mar 00:00", "Sun 04 Apr 00:00", "Tue 04 May 00:00"],
         "every month at midnight"),
        ("every Friday at midnight",
         ["Sat 06 Mar 00:00", "Sat 13 Mar 00:00", "Sat 20 Mar 00:00"],
         "every Friday at midnight"),
        ("every Friday night at one",
         ["Sat 06 Mar 01:00", "Sat 13 Mar 01:00", "Sat 20 Mar 01:00"],
         "every Saturday at one in the morning"),
        ("every Sunday night at half past twelve",
         ["Mon 08 Mar 00:30", "Mon 15 Mar 00:30", "Mon 22 Mar 00:30"],
         "every Monday at 12:30 in the morning"),
        ("every Friday night at eleven",
         ["Fri 05 Mar 23:00", "Fri 12 Mar 23:00", "Fri 19 Mar 23:00"],
         "every Friday at eleven at night"),
        ("every weekday at midnight",
         ["Thu 04 Mar 00:00", "Fri 05 Mar 00:00", "Sat 06 Mar 00:00"],
         "every weekday at midnight"),
        ("every night at one",
         ["Thu 04 Mar 01:00", "Fri 05 Mar 01:00", "Sat 06 Mar 01:00"],
         "every day at one in the morning"),
        ("every other Sunday at midnight",
         ["Mon 08 Mar 00:00", "Mon 22 Mar 00:00", "Mon 05 Apr 00:00"],
         "every other Sunday at midnight"),
        ("every first of the month at midnight",
         ["Fri 02 Apr 00:00", "Sun 02 May 00:00", "Wed 02 Jun 00:00"],
         "on the first of every month at midnight"),
        ("on the 31st of every month at midnight",
         ["Thu 01 Apr 00:00", "Sat 01 May 00:00", "Tue 01 Jun 00:00"],
         "on the thirty-first of every month at midnight"),
        ("every year on December 31st at midnight",
         ["Sat 01 Jan 00:00", "Mon 01 Jan 00:00", "Tue 01 Jan 00:00"],
         "every year on December 31st at midnight"),
    ],
)  # fmt: skip
def test_midnight_ends_its_day_each_time(words: str, expected: list[str], said: str) -> None:
    (found,) = find_times(words)
    assert isinstance(found.value, Recurrence)
    due = settle(found.value, NOW, "alarm", day_hour=9)
    assert isinstance(due, Due)
    assert rings(due) == expected
    recurrence = alert_of(due).recurrence
    assert recurrence is not None
    assert say_recurrence(recurrence) == said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("on the 30th of every month at midnight",
         ["Tue 30 Mar 23:59", "Fri 30 Apr 23:59", "Sun 30 May 23:59"]),
        ("every last Friday of the month at midnight",
         ["Fri 26 Mar 23:59", "Fri 30 Apr 23:59", "Fri 28 May 23:59"]),
        ("every year on February 28th at midnight",
         ["Mon 28 Feb 23:59", "Wed 28 Feb 23:59", "Thu 28 Feb 23:59"]),
        ("every other weekend at midnight",
         ["Sat 06 Mar 23:59", "Sun 07 Mar 23:59", "Sat 20 Mar 23:59"]),
    ],
)  # fmt: skip
def test_a_midnight_that_no_rule_stands_for_rings_a_minute_before(
    words: str, expected: list[str]
) -> None:
    (found,) = find_times(words)
    assert isinstance(found.value, Recurrence)
    due = settle(found.value, NOW, "alarm", day_hour=9)
    assert isinstance(due, Due)
    assert rings(due) == expected


@pytest.mark.parametrize(
    "rule",
    ["FREQ=HOURLY;BYDAY=MO,TU,WE,TH,FR", "FREQ=MINUTELY;INTERVAL=30;BYMONTH=3",
     "FREQ=SECONDLY;INTERVAL=90;BYMONTHDAY=1"],
)  # fmt: skip
def test_days_are_refused_of_what_counts_hours(rule: str) -> None:
    assert rule_from(rule, NOW) is None


def set_to(words: str) -> Alert:
    (found,) = find_times(words)
    assert isinstance(found.value, Recurrence)
    due = settle(found.value, NOW, "alarm", day_hour=9)
    assert isinstance(due, Due)
    return alert_of(due)


def rings_of(alert: Alert, times: int = 3) -> list[str]:
    due_at = datetime.fromtimestamp(alert.due_at, BERLIN)
    return rings(Due(due_at, recurrence=alert.recurrence, starts=alert.starts), times)


@pytest.mark.parametrize(
    ("words", "shift", "minutes", "expected"),
    [
        ("every Friday at midnight", "earlier", 10,
         ["Fri 05 Mar 23:50", "Fri 12 Mar 23:50", "Fri 19 Mar 23:50"]),
        ("every Friday at 23:55", "later", 10,
         ["Sat 06 Mar 00:05", "Sat 13 Mar 00:05", "Sat 20 Mar 00:05"]),
        ("every Friday at 12:00", "later", 10,
         ["Fri 05 Mar 12:10", "Fri 12 Mar 12:10", "Fri 19 Mar 12:10"]),
        ("every Friday at 12:00", "later", 2 * 1440,
         ["Sun 07 Mar 12:00", "Sun 14 Mar 12:00", "Sun 21 Mar 12:00"]),
        ("every day at midnight", "earlier", 10,
         ["Wed 03 Mar 23:50", "Thu 04 Mar 23:50", "Fri 05 Mar 23:50"]),
    ],
)  # fmt: skip
def test_what_is_shifted_over_midnight_rings_on_that_day_each_time(
    words: str, shift: Shift, minutes: int, expected: list[str]
) -> None:
    moved = changed(set_to(words), TimeSpan(minutes * 60.0), shift, NOW, day_hour=9)
    assert isinstance(moved, Alert)
    assert rings_of(moved) == expected


def test_days_that_no_rule_can_name_are_not_shifted() -> None:
    alert = set_to("every last Friday of the month at 23:55")
    assert changed(alert, TimeSpan(600.0), "later", NOW, day_hour=9) == Unsettled("repeats")


def test_a_midnight_is_moved_to_the_evening_before_it() -> None:
    (found,) = find_times("at eleven")
    moved = changed(set_to("every Friday at midnight"), found.value, "to", NOW, day_hour=9)
    assert isinstance(moved, Alert)
    assert rings_of(moved, 2) == ["Fri 05 Mar 23:00", "Fri 12 Mar 23:00"]
