"""The circuit breaker in front of Home Assistant. Pure.

While it is closed, turns ask Home Assistant. A failure opens it: then no turn asks, so none waits,
and only a probe in the background does, less often with each failure. A probe that is answered
closes it again. The outage is over once a sentence or a second probe is answered, because Home
Assistant may answer probes and fail sentences.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lobug.concurrency import Backoff

BACKOFF = Backoff(first_s=5.0, longest_s=300.0)
"""From a failure to the next probe."""

Fault = Literal["unreachable", "refused", "certificate", "slow", "unreadable", "names"]
"""Why Home Assistant cannot be asked. refused: the token is wrong; certificate: it is not trusted;
unreadable: it answers something that is no answer of Home Assistant; names: it answers, but its
lists of rooms and things cannot be read, which keeps no sentence from it."""


@dataclass(frozen=True, slots=True)
class Circuit:
    """A state of the breaker; ``failed`` and ``answered`` give the next one."""

    fault: Fault | None = None
    """None: it is closed."""
    failures: int = 0
    """In this outage."""
    retry_at: float = 0.0
    """When to probe, seconds of the caller's clock."""

    @property
    def is_closed(self) -> bool:
        """Whether turns may ask."""
        return self.fault is None

    def failed(self, fault: Fault, now: float) -> Circuit:
        """After a request that failed at ``now``."""
        failures = self.failures + 1
        return Circuit(fault, failures, now + BACKOFF.pause_s(failures))

    def probed(self) -> Circuit:
        """After a probe that was answered."""
        return Circuit() if self.is_closed else Circuit(failures=self.failures)

    def answered(self) -> Circuit:
        """After a sentence that was answered."""
        return Circuit()

    def wait_s(self, now: float, refresh_s: float) -> float:
        """Seconds until the background has to ask again: a probe, or a refresh if all is well."""
        return refresh_s if self.is_closed else max(0.0, self.retry_at - now)
