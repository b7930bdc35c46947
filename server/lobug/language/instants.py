"""The instants that moments and recurrences stand for at a given now. No language, no clock.

Wall times are settled in the zone of now. One that a change of the clocks leaves out is shifted by
as much as the clocks are ("02:30" rings at 03:30); one that comes twice is the first of both.
"""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Literal

from lobug.language.moments import Impossible, Moment, Recurrence, Resolved, TimeSpan

Preference = Literal["next", "morning"]
"""How an hour without am or pm is read: as the next sensible one, or in the morning (alarms)."""


def resolve(
    moment: Moment | TimeSpan, now: datetime, prefer: Preference = "next"
) -> Resolved | Impossible:
    """The instant of a moment. ``now`` is aware, with a ZoneInfo. A time span is counted from
    now."""
    raise NotImplementedError


def wall_time(recurrence: Recurrence, prefer: Preference = "morning") -> time | Impossible:
    """The time of day of a recurrence of days; a default if none was said."""
    raise NotImplementedError


def next_occurrence(
    recurrence: Recurrence,
    after: datetime,
    *,
    start: datetime | None = None,
    prefer: Preference = "morning",
) -> datetime | Impossible:
    """The first occurrence after an aware instant, in its zone.

    ``start`` is when the recurrence was set, from which "every other day" and "every two hours"
    are counted; by default it is ``after``. Occurrences lie after both.
    """
    raise NotImplementedError


def days_between(earlier: date | datetime, later: date | datetime) -> int:
    """The number of midnights from one day to another; negative if the second comes first."""
    raise NotImplementedError
