"""When each stage of a turn happened, and how much there was of it. No content: only times, names,
counts and codes."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum

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
    "done",
)
"""Every stage a turn may have, in the order in which they are shown. ``speech_end`` is the last
voiced sample, ``endpoint`` the decision that somebody had finished, ``first_audio`` the first piece
synthesised, ``first_audio_played`` its beginning by the device's own clock."""


class Outcome(StrEnum):
    """How a turn ended."""

    RESPOND = "respond"
    REACT = "react"
    IGNORE = "ignore"
    INTERRUPTED = "interrupted"
    """Somebody stopped the reply; what was played of it is kept."""
    FAILED = "failed"
    """The timeline's ``error`` says why."""
    CANCELLED = "cancelled"
    """Nobody wanted it any more: the caller hung up, or the server stops."""


@dataclass(slots=True)
class TurnCounts:
    """How much there was in a turn, without what it was."""

    heard_characters: int = 0
    reply_characters: int = 0
    pieces: int = 0
    """Pieces of the reply that were spoken."""
    speculations_started: int = 0
    """How often a reply was prepared at a pause."""
    speculations_discarded: int = 0
    """How often speech went on and that was thrown away."""
    wasted_s: float = 0.0
    """Seconds from the start of each discarded speculation to its end."""
    interrupted: bool = False


class Timeline:
    """The stage times of one turn, seconds from ``origin``; the first mark of a name counts.

    ``origin`` is the turn's beginning: the last voiced sample of a stream, else the request's
    arrival.
    """

    def __init__(
        self,
        door: str,
        clock: Callable[[], float] = time.monotonic,
        *,
        turn_id: str | None = None,
        device: str = "",
    ) -> None:
        self.id = turn_id or uuid.uuid4().hex[:12]
        self.door = door
        """Which door the turn came in by: text, audio, device, openai."""
        self.device = device
        """The device, as it names itself (``Device-Id``, in small letters); empty: none."""
        self.counts = TurnCounts()
        self.outcome: Outcome | None = None
        """None while it goes on."""
        self.error: str | None = None
        """The stable code of what went wrong. With another outcome than failed it is what the
        speech of an answered turn failed of."""
        self.origin = clock()
        self._clock = clock
        self._marks: dict[str, float] = {}
        self._late: Callable[[str], None] | None = None

    def begin_at(self, at: float) -> None:
        """Count from ``at``, a reading of the clock: the last voiced sample of a stream."""
        self.origin = at
        self._marks["speech_end"] = at

    def mark(self, stage: str, at: float | None = None) -> None:
        """Note that a stage has ended now, or at ``at``, a reading of the clock.

        Also after the turn: a device says later when it began to play. The door turns the device's
        clock into a reading of this one.
        """
        if stage in self._marks:
            return
        self._marks[stage] = self._clock() if at is None else at
        if self._late is not None:
            self._late(stage)

    def at(self, stage: str) -> float | None:
        """The reading of the clock at which a stage ended; None: it has not."""
        return self._marks.get(stage)

    def speculation_started(self) -> None:
        """A reply is prepared on the chance that somebody has finished."""
        self.counts.speculations_started += 1

    def speculation_discarded(self, wasted_s: float) -> None:
        """Speech went on. What was marked was of work that is void."""
        self.counts.speculations_discarded += 1
        self.counts.wasted_s += wasted_s
        self._marks.clear()

    def end(self, outcome: Outcome, error: str | None = None) -> None:
        """The turn is over; the first call counts."""
        if self.outcome is not None:
            return
        self.outcome = outcome
        self.error = error
        self.mark("done")

    def tell_late_marks(self, listener: Callable[[str], None]) -> None:
        """Call ``listener`` with the name of each stage that is marked from now on."""
        self._late = listener

    def timings(self) -> Mapping[str, float]:
        """All marks so far, seconds from ``origin``."""
        return {stage: round(at - self.origin, 4) for stage, at in self._marks.items()}
