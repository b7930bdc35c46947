"""What an alert that has fallen due does next: it rings, waits, or is told later. Pure.

Timers and alarms ring again and again until somebody stops them or a limit is reached. A reminder
is said twice. Instants are seconds of the clock that is passed in: those of a ``Ring`` are of a
clock that never jumps, those of an ``Alert`` are since the epoch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from lobug.agenda.alerts import Alert

LATE_S = 180.0
"""An alert that falls due so many seconds before the server notices does not ring: it is told."""
SNOOZABLE_S = 60.0
"""Seconds for which an alert that was silenced can still be snoozed."""


@dataclass(frozen=True, slots=True)
class RingLimits:
    """How long and how often something rings."""

    seconds: float = 60.0
    """Of a timer or an alarm."""
    pause_s: float = 3.0
    """Silence between two rings, in which somebody can say "stop"."""
    reminder_times: int = 2
    reminder_pause_s: float = 20.0


@dataclass(slots=True)
class Ring:
    """How the ringing of one alert has gone so far."""

    began_at: float
    """From then on the limit counts."""
    times: int = 0
    """How often it was said, counted from the first time that it was audible."""
    tried_at: float | None = None
    """When the last attempt to say it ended; None: there was none."""
    noted: bool = False
    """Whether waiting speech tells of it, because nobody could hear it."""
    places: set[str] = field(default_factory=set)
    """Conversations in which it was audible."""
    end_again_at: float = -math.inf
    """Its end could not be stored: it is silent, and is ended again then."""


@dataclass(frozen=True, slots=True)
class Say:
    """Say these alerts now."""

    alerts: tuple[Alert, ...]


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is to be done before ``until``."""

    until: float


@dataclass(frozen=True, slots=True)
class End:
    """The ringing of these alerts is over."""

    alerts: tuple[Alert, ...]


def is_late(alert: Alert, now: float, limits: RingLimits) -> bool:
    """Whether an alert that has begun to ring is told instead, because it fell due long before the
    server noticed, or the server was killed while it rang. ``now``: seconds since the epoch."""
    rang_at = now if alert.rang_at is None else alert.rang_at
    return rang_at - alert.due_at > LATE_S or now - rang_at > max(LATE_S, limits.seconds)


def began_at(alert: Alert, now: float, clock: float, limits: RingLimits) -> float:
    """From when the limit of an alert counts, by the clock that reads ``clock`` now. After a
    restart at least half of its time is left. ``now``: seconds since the epoch."""
    rang_at = now if alert.rang_at is None else alert.rang_at
    return clock - min(max(0.0, now - rang_at), limits.seconds / 2)


def next_step(
    alerts: Sequence[Alert], rings: Mapping[int, Ring], limits: RingLimits, now: float
) -> Say | Wait | End:
    """What to do with the ringing alerts of one person, of which there is at least one."""
    ended = [alert for alert in alerts if rings[alert.id].end_again_at > now]
    alerts = [alert for alert in alerts if alert not in ended]
    over = tuple(a for a in alerts if _ends_at(a, rings[a.id], limits, now) <= now)
    if over:
        return End(over)
    loud = [alert for alert in alerts if alert.silenced_at is None]
    due = tuple(a for a in loud if _next_at(a, rings[a.id], limits) <= now)
    if due:
        return Say(due)
    times = [_ends_at(a, rings[a.id], limits, now) for a in alerts]
    times += [_next_at(a, rings[a.id], limits) for a in loud]
    times += [rings[alert.id].end_again_at for alert in ended]
    return Wait(min(times))


def _next_at(alert: Alert, ring: Ring, limits: RingLimits) -> float:
    """When it is to be said next."""
    if ring.tried_at is None:
        return ring.began_at
    again = alert.kind == "reminder" and ring.times > 0
    return ring.tried_at + (limits.reminder_pause_s if again else limits.pause_s)


def _ends_at(alert: Alert, ring: Ring, limits: RingLimits, now: float) -> float:
    """When its ringing is over, whatever happens."""
    if alert.silenced_at is not None:
        return (ring.tried_at or now) + SNOOZABLE_S
    if alert.kind == "reminder" and ring.times >= limits.reminder_times:
        return (ring.tried_at or now) + limits.pause_s
    if alert.kind == "reminder" and ring.times > 0:
        return float("inf")
    return ring.began_at + limits.seconds


@dataclass(frozen=True, slots=True)
class QuietHours:
    """A part of each day in which nothing is said that can wait."""

    begin: time
    end: time
    """Earlier than ``begin``: on the next day."""

    @classmethod
    def of(cls, setting: str) -> QuietHours | None:
        """Quiet hours as the setting has them, ``22:00-07:00``. None: it is empty."""
        begin, found, end = setting.partition("-")
        return cls(time.fromisoformat(begin), time.fromisoformat(end)) if found else None

    def end_after(self, now: datetime) -> datetime | None:
        """When the quiet hours end that ``now`` (aware) lies in. None: it lies in none."""
        wall = now.time().replace(tzinfo=None)
        overnight = self.end < self.begin
        if overnight:
            inside = wall >= self.begin or wall < self.end
        else:
            inside = self.begin <= wall < self.end
        if not inside:
            return None
        day = now.date() + timedelta(days=1 if overnight and wall >= self.begin else 0)
        return datetime.combine(day, self.end, tzinfo=now.tzinfo)
