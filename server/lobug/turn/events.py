"""The closed list of events of a turn. Every door consumes these and nothing else.

A turn yields, in this order: for audio one ``Heard`` (or ``Ignored``, and it is over but for
``Done``), then ``ReplyDelta`` and ``Piece`` as the model writes, ``SpeechAudio`` for each
piece that was spoken, and always exactly one ``Done`` or ``Failed`` last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from lobug.engines.base import Samples
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
    """The input was not meant for Lo-Bug. ``reason`` is a stable code: no_speech, noise (Whisper's
    own doubts), model (the chat model chose so)."""

    reason: str


@dataclass(frozen=True, slots=True)
class ReplyDelta:
    """A piece of the reply as it may be shown: no thinking, no markup, no action prefix."""

    text: str


@dataclass(frozen=True, slots=True)
class Piece:
    """What is spoken in one go, of a reply and never of a reaction: whole sentences, but the first
    of a reply may be a clause, so that it can be heard sooner. ``index`` from 0. All of them,
    joined by spaces, are the reply."""

    index: int
    text: str


@dataclass(frozen=True, slots=True)
class SpeechAudio:
    """A piece's speech, mono."""

    index: int
    samples: Samples
    sample_rate: int
    """Hz."""


@dataclass(frozen=True, slots=True)
class AllSaid:
    """Everything that will be spoken has been given. Only where speech is played while the turn
    lasts: the turn goes on until it has been."""


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
    """Somebody stopped the reply; ``response`` is what was heard of it."""
    truncated: bool = False
    """The model was cut off by its token limit; of a model that does not send token by token it is
    not known."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn could not be finished. What was heard is stored; no reply is."""

    error: LobugError
    transcription: str = ""


TurnEvent = Heard | Ignored | ReplyDelta | Piece | SpeechAudio | AllSaid | Done | Failed
