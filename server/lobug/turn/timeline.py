"""The record of one turn: when each stage happened, how much there was of it, how it ended.

No content: only times, names, counts and codes. An observer gets the record when the turn has
ended; log lines carry the turn's id meanwhile."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from lobug.errors import LobugError
from lobug.memory.model import ConversationKey
from lobug.turn.events import Done, Failed, Heard, Ignored, SpeechAudio, TurnEvent

STAGES = (
    "speech_end",
    "endpoint",
    "decode",
    "gate",
    "transcript",
    "recall",
    "house",
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
voiced sample, ``endpoint`` the decision that the utterance is over, ``first_audio`` the first piece
synthesised, ``first_audio_played`` the moment at which the device began to play it."""

DOORS = ("text", "audio", "device", "openai", "wyoming")
"""Every door that turns come through."""

ANSWERERS = ("model", "memory", "house", "refusal")
"""Whatever makes replies, apart from skills, which have names of their own."""


class Outcome(StrEnum):
    """How a turn ended."""

    RESPOND = "respond"
    REACT = "react"
    IGNORE = "ignore"
    INTERRUPTED = "interrupted"
    """The reply was stopped; what was played of it is kept."""
    FAILED = "failed"
    """The timeline's ``error`` says why."""
    CANCELLED = "cancelled"
    """The caller hung up, or the server stops."""


@dataclass(slots=True)
class TurnCounts:
    """Amounts of a turn, without content."""

    heard_characters: int = 0
    reply_characters: int = 0
    pieces: int = 0
    """Number of pieces of the reply that were spoken."""
    speculations_started: int = 0
    """Number of replies prepared at a pause."""
    speculations_discarded: int = 0
    """Number of them discarded because speech went on."""
    wasted_s: float = 0.0
    """Seconds spent on discarded speculations."""
    interrupted: bool = False
    replaced: str = ""
    """What was left out of the reply or replaced (a ``ClaimKind``); empty: nothing."""


class Timeline:
    """The stage times of one turn, seconds from ``origin``. The first mark of a name counts.

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
        """The door that the turn came through, one of ``DOORS``."""
        self.device = device
        """``Device-Id`` of the device, in lower case; empty: there is none."""
        self.counts = TurnCounts()
        self.outcome: Outcome | None = None
        """None while the turn goes on."""
        self.error: str | None = None
        """Stable code of the error. If the outcome is not failed, it is the error of the speech of
        an answered turn."""
        self.reason: str | None = None
        """Stable code of why it was ignored (``Ignored.reason``); None: it was not."""
        self.answered_by = "model"
        """What made the reply: one of ``ANSWERERS``, or the name of a skill."""
        self.carried_out: bool | None = None
        """Whether the house has done what it was asked; None: it did not answer."""
        self.origin = clock()
        self._clock = clock
        self._marks: dict[str, float] = {}
        self._late: Callable[[str], None] | None = None

    def begin_at(self, at: float) -> None:
        """Count from ``at``, the reading of the clock at a stream's last voiced sample."""
        self.origin = at
        self._marks["speech_end"] = at

    def mark(self, stage: str, at: float | None = None) -> None:
        """Note that a stage has ended now, or at ``at``, a reading of the clock.

        May be called after the turn: a device reports later when it began to play, and the door
        converts that to a reading of this clock.
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
        """Count a reply that is prepared before the utterance is known to be over."""
        self.counts.speculations_started += 1

    def speculation_discarded(self, wasted_s: float) -> None:
        """Count a discarded reply, and drop the stage times of its work."""
        self.counts.speculations_discarded += 1
        self.counts.wasted_s += wasted_s
        self._marks.clear()

    def end(self, outcome: Outcome, error: str | None = None) -> None:
        """End the turn. The first call counts."""
        if self.outcome is not None:
            return
        self.outcome = outcome
        self.error = error
        self.mark("done")

    def on_late_mark(self, listener: Callable[[str], None]) -> None:
        """Call ``listener`` with the name of each stage that is marked from now on."""
        self._late = listener

    def timings(self) -> Mapping[str, float]:
        """All marks so far, seconds from ``origin``."""
        return {stage: round(at - self.origin, 4) for stage, at in self._marks.items()}


current_turn: ContextVar[str] = ContextVar("current_turn", default="")
"""The id of the turn that this code runs for; empty outside of a turn."""


class TurnObserver(Protocol):
    """Takes the words and the record of every turn that counts. Its methods return at once and
    never raise."""

    def heard(self, timeline: Timeline, conversation_key: ConversationKey, text: str) -> None:
        """The turn's words are known; empty: there were none."""

    def replied(self, timeline: Timeline, conversation_key: ConversationKey, text: str) -> None:
        """The reply is known, as far as the person got it; never empty."""

    def finished(self, timeline: Timeline) -> None:
        """The turn is over: ``timeline.outcome`` is set."""


class NoObserver:
    """Ignores everything."""

    def heard(self, timeline: Timeline, conversation_key: ConversationKey, text: str) -> None:
        """Do nothing."""

    def replied(self, timeline: Timeline, conversation_key: ConversationKey, text: str) -> None:
        """Do nothing."""

    def finished(self, timeline: Timeline) -> None:
        """Do nothing."""


@contextmanager
def observe(
    timeline: Timeline, observer: TurnObserver, counts: Callable[[], bool] = lambda: True
) -> Iterator[None]:
    """Give log lines the turn's id, and pass the record to ``observer`` when the turn has ended.

    Not so if ``counts`` returns False at the end: the turn was a draft that was discarded.

    The body is that of an async generator. It runs in its consumer's context and may be closed in
    another one, where a token of the variable would be refused; so the variable is restored by
    value.
    """
    before = current_turn.get()
    current_turn.set(timeline.id)
    try:
        yield
    except LobugError as error:
        timeline.end(Outcome.FAILED, error.code)
        raise
    except Exception:
        timeline.end(Outcome.FAILED, LobugError.code)
        raise
    except (asyncio.CancelledError, GeneratorExit):
        timeline.end(Outcome.CANCELLED)
        raise
    finally:
        timeline.end(Outcome.CANCELLED)
        if counts():
            observer.finished(timeline)
        current_turn.set(before)


def record_event(event: TurnEvent, timeline: Timeline) -> None:
    """Put an event's counts, outcome and error code into the timeline."""
    counts = timeline.counts
    match event:
        case Heard():
            counts.heard_characters = len(event.text)
        case Ignored():
            timeline.reason = event.reason
        case SpeechAudio():
            counts.pieces = event.index + 1
        case Failed():
            timeline.end(Outcome.FAILED, event.error.code)
        case Done():
            counts.reply_characters = len(event.response)
            counts.interrupted = event.interrupted
            outcome = Outcome.INTERRUPTED if counts.interrupted else Outcome(event.action.value)
            timeline.end(outcome, event.speech_error)
        case _:
            pass
