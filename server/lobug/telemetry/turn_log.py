"""The timelines of the last turns, in memory only."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from lobug.turn.timeline import Timeline


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """A turn that has ended. Its timeline may still get a late mark, such as when it was played."""

    timeline: Timeline
    finished_at: float
    """Seconds since the epoch."""


class TurnLog:
    """Keeps the last ``keep`` turns; the oldest goes first."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self._turns: OrderedDict[str, FinishedTurn] = OrderedDict()

    def add(self, turn: FinishedTurn) -> None:
        """Keep a turn."""
        self._turns[turn.timeline.id] = turn
        while len(self._turns) > self._keep:
            self._turns.popitem(last=False)

    def newest(self, limit: int) -> Sequence[FinishedTurn]:
        """At most ``limit`` turns, the newest first."""
        return list(islice(reversed(self._turns.values()), limit))

    def get(self, turn_id: str) -> FinishedTurn | None:
        """One turn; None: it is unknown, or forgotten by now."""
        return self._turns.get(turn_id)
