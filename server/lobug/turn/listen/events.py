"""What is noticed of somebody who speaks into a stream. Times are seconds of stream: samples fed so
far, divided by the rate."""

from __future__ import annotations

from dataclasses import dataclass

from lobug.engines.base import Transcript
from lobug.errors import LobugError


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """Somebody has begun to speak."""

    at_s: float


@dataclass(frozen=True, slots=True)
class InterimTranscript:
    """The words so far, while speech goes on; they may still change."""

    text: str


@dataclass(frozen=True, slots=True)
class PauseTranscript:
    """The words up to a pause that may be the end: what a reply may be prepared for."""

    transcript: Transcript
    speech_end_s: float


@dataclass(frozen=True, slots=True)
class SpeechResumed:
    """It was not the end: what was prepared since the last pause is void."""


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """Somebody has finished. ``transcript`` None: it was noise, ``reason`` says of which kind."""

    transcript: Transcript | None
    speech_seconds: float
    """Voiced seconds."""
    speech_end_s: float
    """The last voiced sample."""
    decided_s: float
    """When that was decided."""
    reason: str | None = None
    """no_speech or noise, as ``turn.hearing.judge`` has them."""
    pause_s: float | None = None
    """``speech_end_s`` of the ``PauseTranscript`` that this transcript is the same as; None: there
    was none, the words are new."""


@dataclass(frozen=True, slots=True)
class NothingSaid:
    """Nobody has spoken within ``listening.no_speech_timeout_s``, or before the stream was
    stopped."""


@dataclass(frozen=True, slots=True)
class ListeningFailed:
    """The utterance is lost because an engine failed, or because it was not listened to in time.
    Listening goes on with the next one."""

    error: LobugError


ListeningEvent = (
    SpeechBegan
    | InterimTranscript
    | PauseTranscript
    | SpeechResumed
    | SpeechEnded
    | NothingSaid
    | ListeningFailed
)
