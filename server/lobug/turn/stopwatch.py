"""Stage times of a turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping


class Stopwatch:
    """Seconds from its making to each mark; the first mark of a name counts."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._start = clock()
        self._marks: dict[str, float] = {}

    def mark(self, stage: str) -> None:
        """Note that a stage has ended now."""
        self._marks.setdefault(stage, round(self._clock() - self._start, 4))

    def timings(self) -> Mapping[str, float]:
        """All marks so far."""
        return dict(self._marks)
