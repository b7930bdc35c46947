"""When each stage of a turn happened. No content: only times, names and codes."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping

STAGES = (
    "speech_end",
    "endpoint",
    "decode",
    "gate",
    "transcript",
    "recall",
    "first_token",
    "first_piece",
    "reply",
    "first_audio",
    "first_audio_sent",
    "first_audio_played",
    "speech",
    "played",
    "stored",
)
"""Every stage a turn may have, in the order in which they are shown. ``speech_end`` is the last
voiced sample, ``endpoint`` the decision that somebody had finished."""


class Timeline:
    """The stage times of one turn, seconds from ``origin``; the first mark of a name counts.

    ``origin`` is the turn's beginning: the last voiced sample of a stream, else the request's
    arrival.
    """

    def __init__(
        self, door: str, clock: Callable[[], float] = time.monotonic, *, turn_id: str | None = None
    ) -> None:
        self.id = turn_id or uuid.uuid4().hex[:12]
        self.door = door
        """Which door the turn came in by: text, audio, device, openai."""
        self._clock = clock
        self.origin = clock()
        self._marks: dict[str, float] = {}
        self.outcome = ""
        """respond, react, ignore, interrupted, or an error's code; empty while it goes on."""

    def begin_at(self, at: float) -> None:
        """Count from ``at``, a reading of the clock. Before any mark."""
        self.origin = at

    def mark(self, stage: str, at: float | None = None) -> None:
        """Note that a stage has ended now, or at ``at``, a reading of the clock."""
        now = self._clock() if at is None else at
        self._marks.setdefault(stage, round(now - self.origin, 4))

    def timings(self) -> Mapping[str, float]:
        """All marks so far."""
        return dict(self._marks)
