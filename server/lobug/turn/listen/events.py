"""The closed list of events of a listener. Times are seconds of the stream: the number of samples
before that moment, divided by the rate."""

from __future__ import annotations

from dataclasses import dataclass

from lobug.engines.base import Transcript
from lobug.errors import LobugError


@dataclass(frozen=True, slots=True)
class SpeechBegan:
    """Somebody has begun to speak, at second ``at_s``."""

    at_s: float


@dataclass(frozen=True, slots=True)
class InterimTranscript:
    """The words so far, while speech goes on. They may still change."""

    text: str


@dataclass(frozen=True, slots=True)
class PauseTranscript:
    """The words up to a pause that may be the end; a reply may be prepared for them."""

    transcript: Transcript
    speech_end_s: float


@dataclass(frozen=True, slots=True)
class SpeechResumed:
    """The pause was not the end: discard what was prepared since it."""


@dataclass(frozen=True, slots=True)
class SpeechEnded:
    """The utterance is over."""

    transcript: Transcript | None
    """None: it was no speech; ``reason`` says why."""
    speech_seconds: float
    """Sum of the voiced frames, seconds."""
    speech_end_s: float
    """Time of the last voiced sample."""
    decided_s: float
    """Time at which the end was decided."""
    reason: str | None = None
    """no_speech or noise (``acceptance.judge``)."""
    pause_s: float | None = None
    """``speech_end_s`` of the ``PauseTranscript`` with the same transcript; None: the words are
    new."""


@dataclass(frozen=True, slots=True)
class NothingSaid:
    """Nobody spoke within ``listening.no_speech_timeout_s``, or before the stream was stopped."""


@dataclass(frozen=True, slots=True)
class ListeningFailed:
    """The utterance is lost, because an engine failed or too much audio waited. Listening goes on
    with the next one."""

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
