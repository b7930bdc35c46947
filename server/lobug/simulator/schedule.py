"""When the device does what: its periodic jobs, and which utterance comes next. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

DEFAULT_MAX_TURNS = 20
"""Turns after which ``--until`` gives up when nothing else is said."""


class Job(StrEnum):
    """What the device does by the clock."""

    HEALTH = "health"
    SENSORS = "sensors"


@dataclass(slots=True)
class Schedule:
    """Periodic jobs. Times are seconds of any clock that only goes forward."""

    periods_s: Mapping[Job, float]
    started: float
    """The first run of every job is one period after this."""
    _next: dict[Job, float] = field(init=False)

    def __post_init__(self) -> None:
        self._next = {job: self.started + period for job, period in self.periods_s.items()}

    def due(self, now: float) -> list[Job]:
        """The jobs whose time has come; each is then put off by whole periods.

        A device that was held up does a missed job once, not once for every missed beat.
        """
        jobs = [job for job, at in self._next.items() if at <= now]
        for job in jobs:
            missed = int((now - self._next[job]) // self.periods_s[job])
            self._next[job] += (missed + 1) * self.periods_s[job]
        return jobs

    def wait_s(self, now: float) -> float:
        """Seconds until the next job."""
        return max(0.0, min(self._next.values()) - now)


@dataclass(frozen=True, slots=True)
class TurnPlan:
    """Which input is next, and when the run is over.

    Without ``until`` every input is used once (or, with ``max_turns``, over and over up to that
    number of turns). With it, inputs are used in order, over and over, until a response matches.
    """

    inputs: int
    until: re.Pattern[str] | None = None
    max_turns: int | None = None

    @property
    def limit(self) -> int:
        """The most turns that are taken."""
        if self.max_turns is not None:
            return self.max_turns
        if self.until is None:
            return self.inputs
        return max(DEFAULT_MAX_TURNS, self.inputs)

    def matches(self, response: str) -> bool:
        """Whether a response is the one that was waited for."""
        return self.until is not None and self.until.search(response) is not None

    def next_input(self, turns_done: int, *, matched: bool) -> int | None:
        """Index of the input of the next turn; None: the run is over."""
        if matched or self.inputs == 0 or turns_done >= self.limit:
            return None
        return turns_done % self.inputs


def percentile(values: list[float], fraction: float) -> float | None:
    """The value at ``fraction`` (0 to 1) of the sorted values, the nearest one; None: no values."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, round(fraction * (len(ordered) - 1)))]
