"""What somebody said to Lo-Bug, in the form in which a door got it."""

from __future__ import annotations

from dataclasses import dataclass

from lobug.audio.decode import StoredRecording


@dataclass(frozen=True, slots=True)
class TypedUtterance:
    """Words that somebody typed; they are meant for Lo-Bug."""

    text: str


@dataclass(frozen=True, slots=True)
class SpokenUtterance:
    """A recording, as a device sent it: a whole audio file."""

    recording: bytes | StoredRecording


@dataclass(frozen=True, slots=True)
class TranscribedUtterance:
    """Spoken words that were transcribed while they arrived."""

    text: str
    language: str | None = None
    """ISO 639-1."""


Utterance = TypedUtterance | SpokenUtterance | TranscribedUtterance
