"""Timers, alarms and reminders: rows of ``alerts``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from lobug.storage.database import Database

AlertKind = Literal["timer", "alarm", "reminder"]
AlertState = Literal["pending", "ringing", "over"]


@dataclass(frozen=True, slots=True)
class NewAlert:
    """An alert that is to be set."""

    user: str
    conversation: str
    kind: AlertKind
    label: str
    due_at: float
    """Seconds since the epoch."""
    zone: str
    """IANA name."""
    span_s: float | None = None
    """A timer's length, seconds."""
    rule: str | None = None
    """RFC 5545 recurrence rule; None: it rings once."""
    starts: str | None = None
    """Wall time in the zone at which the rule begins, ISO 8601."""


@dataclass(frozen=True, slots=True)
class Alert:
    """An alert that is set, rings, or is over."""

    id: int
    user: str
    conversation: str
    kind: AlertKind
    label: str
    due_at: float
    span_s: float | None
    rule: str | None
    starts: str | None
    zone: str
    state: AlertState
    rang_at: float | None
    missed: bool
    created_at: float


class Alerts:
    """The alerts of all users. Every method raises StorageError subclasses."""

    def __init__(
        self, database: Database, *, max_per_user: int, clock: Callable[[], float]
    ) -> None:
        """``clock``: seconds since the epoch."""
        self._database = database
        self._max_per_user = max_per_user
        self._clock = clock
        self.changed: Callable[[], None] = lambda: None
        """Called on the event loop after each change; the scheduler sets it."""

    async def add(self, new: Sequence[NewAlert]) -> list[Alert]:
        """Set alerts, all or none. Raises AlertLimitError when the user would have too many."""
        raise NotImplementedError

    async def of_user(self, user: str) -> list[Alert]:
        """Pending and ringing alerts of a user, the soonest first."""
        raise NotImplementedError

    async def replace(self, alert: Alert) -> bool:
        """Write an alert's changed fields. False: it is gone or over."""
        raise NotImplementedError

    async def cancel(self, user: str, ids: Sequence[int]) -> list[Alert]:
        """Delete pending or ringing alerts of a user. Returns those that were there."""
        raise NotImplementedError

    async def next_due_at(self) -> float | None:
        """When the soonest pending alert of anybody falls due; None: there is none."""
        raise NotImplementedError

    async def take_due(self, now: float) -> list[Alert]:
        """Let every pending alert that is due by ``now`` ring, in one transaction. A recurring one
        stays as a new pending row for its next time after ``now``."""
        raise NotImplementedError

    async def ringing(self) -> list[Alert]:
        """All alerts that ring, oldest first."""
        raise NotImplementedError

    async def finish(self, ids: Sequence[int], *, missed: bool = False) -> None:
        """End the ringing of alerts."""
        raise NotImplementedError

    async def snooze(self, ids: Sequence[int], due_at: float) -> list[Alert]:
        """Let ringing alerts ring again at ``due_at``."""
        raise NotImplementedError
