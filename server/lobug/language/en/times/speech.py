"""Times as they are said. English. Pure.

Clock times with minutes are written in digits ("7:30"), which ``spoken_form`` reads.
"""

from __future__ import annotations

from datetime import date, datetime, time

from lobug.language.moments import Recurrence


def say_span(seconds: float) -> str:
    """A length of time: "an hour and twenty minutes"."""
    raise NotImplementedError


def say_time(wall: time) -> str:
    """A time of day without preposition: "nine in the morning", "7:30 in the evening", "noon"."""
    raise NotImplementedError


def say_date(day: date, today: date | None = None) -> str:
    """A date without preposition: "Friday, December 4th"; with its year unless it is that of
    ``today``."""
    raise NotImplementedError


def say_moment(instant: datetime, now: datetime) -> str:
    """When that is, with preposition: "tomorrow at nine in the morning". Both are aware; it is said
    in the zone of ``now``."""
    raise NotImplementedError


def say_recurrence(recurrence: Recurrence) -> str:
    """How often that is: "every weekday at 6:40 in the morning"."""
    raise NotImplementedError
