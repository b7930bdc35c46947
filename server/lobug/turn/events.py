"""The events of a turn and of a listener: closed lists. Every door consumes these and nothing else.

A turn yields, in this order: one ``Heard`` (or ``Ignored``, which only ``Done`` follows), a
``Notice`` if the reply will be late, then ``ReplyDelta`` and ``Piece`` as the model writes,
``SpeechAudio``, or several, for each piece that was spoken, and always exactly one ``Done`` or
``Failed`` last.

The times of a listener's events are seconds of the stream: the number of samples before that
moment, divided by the rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lobug.engines.base import Samples, Transcript
from lobug.errors import LobugError


class Action(StrEnum):
    """What the device should do with a turn's outcome."""

    RESPOND = "respond"
    REACT = "react"
    """Show a reaction, say nothing."""
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True)
class Heard:
    """The user's words are known: the transcript, or the text that was typed."""

    text: str
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Ignored:
    """The input was not meant for Lo-Bug. ``reason`` is a stable code: no_speech, noise (Whisper
    doubts its own text), model (the chat model chose so)."""

    reason: str
    text: str = ""
    """What Whisper wrote, of noise; it is shown to nobody but the person."""


@dataclass(frozen=True, slots=True)
class Notice:
    """Why the reply is late, as a sentence to show or say at once. It is no part of the reply and
    is stored nowhere."""

    text: str


NOTICE_INDEX = -1
"""Index of a notice where it is played before the pieces of the reply."""


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    """A piece of the reply for display: no thinking, no markup, no action prefix."""

    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a reply that is spoken at once: a sentence, or a clause so that it can be heard
    sooner. A reaction has none. All pieces joined by spaces are the reply."""

    index: int
    """From 0."""
    text: str


@dataclass(frozen=True, slots=True)
class SpeechAudio:
    """A piece's speech, mono, or a part of it."""

    index: int
    samples: Samples
    sample_rate: int
    """Hz."""
    last: bool = True
    """Whether no part of this piece follows."""


@dataclass(frozen=True, slots=True)
class AllSaid:
    """No audio follows. Only in a turn with a ``Playback``: it ends when all of it was played."""


@dataclass(frozen=True, slots=True)
class Done:
    """The turn is over and stored."""

    action: Action
    transcription: str
    response: str
    timings: Mapping[str, float] = field(default_factory=dict)
    """Seconds from the turn's start to the end of a stage: decode, gate, transcript, recall,
    first_token, reply, first_audio, speech, stored. A stage that did not happen is absent."""
    speech_error: str | None = None
    """The stable code of a text-to-speech failure; the reply is then text only."""
    interrupted: bool = False
    """Whether the reply was stopped; ``response`` is then what was heard of it."""
    truncated: bool = False
    """Whether the model was cut off by its token limit. Always False for a model that does not send
    token by token."""
    message_id: int | None = None
    """Id of the user's words in the conversation log; None: they are not there."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn could not be finished. What was heard is stored; no reply is."""

    error: LobugError
    transcription: str = ""


TurnEvent = Heard | Ignored | Notice | ReplyDelta | Piece | SpeechAudio | AllSaid | Done | Failed


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
    """no_speech or noise (``utterance.judge``)."""
    doubted: str = ""
    """What Whisper wrote, of noise."""
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
