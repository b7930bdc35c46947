"""Whether a process that does not answer hangs. Pure."""

from __future__ import annotations

from dataclasses import dataclass

MISSES = 3
"""Probes in a row without an answer that make a process a hung one."""

HELD_UP_S = 1.0
"""A probe that ended this much after its time-out, seconds, tells nothing of the other process:
this one was held up itself, as by a computer that was asleep."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One question whether the process is there."""

    began_s: float
    """Seconds, of any clock that never goes back."""
    ended_s: float
    answered: bool


class Watchdog:
    """Counts what a process leaves unanswered.

    It hangs once ``MISSES`` probes in a row, ``timeout_s`` seconds in all, brought no answer, and
    no token and no report of progress came in between.
    """

    def __init__(self, timeout_s: float) -> None:
        self.probe_timeout_s = timeout_s / MISSES
        """How long each probe waits for its answer, seconds."""
        self._missed: list[Probe] = []

    def note(self, probe: Probe) -> None:
        """Take the result of a probe."""
        if probe.answered:
            self._missed.clear()
        elif probe.ended_s - probe.began_s <= self.probe_timeout_s + HELD_UP_S:
            self._missed.append(probe)

    def moved(self) -> None:
        """Something came from the process without a question."""
        self._missed.clear()

    @property
    def silent_s(self) -> float:
        """Seconds for which probes have brought no answer; 0: the last one did."""
        return self._missed[-1].ended_s - self._missed[0].began_s if self._missed else 0.0

    @property
    def hung(self) -> bool:
        """Whether the process has to be ended."""
        return len(self._missed) >= MISSES
