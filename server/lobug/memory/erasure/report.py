"""Reports each erasure: one line in the log, and whoever subscribes. Numbers only.

What was erased must not live on in a log, and neither must whose it was: an ``ErasureReport`` holds
neither words nor names.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Literal

from lobug.memory.model import Forgotten

log = logging.getLogger(__name__)

Cause = Literal["forget", "purge_session", "purge_user", "purge_older", "retention"]
"""What asked for the erasure; retention is the background task that keeps to the settings."""


@dataclass(slots=True)
class ErasureReport:
    """What one erasure took, in numbers."""

    memories: int = 0
    """Versions of entries."""
    messages: int = 0
    """Messages of the log: blanked when they were forgotten, deleted by a purge."""
    derived: int = 0
    """Summaries and identity lines that contained it."""
    searches: int = 0
    """Rows of the retrieval log that retention deleted; other causes do not count theirs."""

    @classmethod
    def of(cls, gone: Forgotten) -> ErasureReport:
        """The report of a forget or a purge."""
        return cls(len(gone.entries), gone.messages, gone.derived)


class ErasureReporter:
    """Passes reports on."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[[Cause], None]] = []

    def subscribe(self, callback: Callable[[Cause], None]) -> None:
        """Call ``callback`` with the cause of each erasure."""
        self._subscribers.append(callback)

    def report(self, cause: Cause, report: ErasureReport) -> None:
        """Report an erasure that is committed; also one that found nothing."""
        counts = " ".join(f"{name}={number}" for name, number in asdict(report).items())
        log.info("memory erased: cause=%s %s", cause, counts)
        for callback in self._subscribers:
            callback(cause)
