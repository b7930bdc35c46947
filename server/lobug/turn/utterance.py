"""What somebody said to Lo-Bug, and the turn's first stage, which turns it into words."""

from __future__ import annotations

from dataclasses import dataclass

from lobug.audio.decode import StoredRecording, decode
from lobug.engines.base import STT_SAMPLE_RATE, Engines
from lobug.settings import Settings
from lobug.turn.events import Heard, Ignored
from lobug.turn.listen.acceptance import judge
from lobug.turn.timeline import Timeline


@dataclass(frozen=True, slots=True)
class TypedUtterance:
    """Words that somebody typed; they are always meant for Lo-Bug."""

    text: str


@dataclass(frozen=True, slots=True)
class SpokenUtterance:
    """A recording, as a device sent it: a whole audio file."""

    recording: bytes | StoredRecording


@dataclass(frozen=True, slots=True)
class TranscribedUtterance:
    """Spoken words that were transcribed while they arrived (``turn.listen``)."""

    text: str
    language: str | None = None
    """ISO 639-1."""


Utterance = TypedUtterance | SpokenUtterance | TranscribedUtterance


async def hear(
    utterance: Utterance, engines: Engines, settings: Settings, timeline: Timeline
) -> Heard | Ignored:
    """The words of an utterance, or why there are none.

    Marks the stages decode, gate and transcript of a recording. Raises AudioError, EngineError.
    """
    if isinstance(utterance, TypedUtterance):
        return Heard(utterance.text)
    if isinstance(utterance, TranscribedUtterance):
        return Heard(utterance.text, utterance.language)
    audio = await decode(
        utterance.recording,
        max_seconds=settings.limits.max_audio_seconds,
        sample_rate=STT_SAMPLE_RATE,
    )
    timeline.mark("decode")
    spans = await engines.gate.find_speech(audio)
    timeline.mark("gate")
    speech_seconds = sum(span.end - span.start for span in spans) / STT_SAMPLE_RATE
    decision = judge(None, speech_seconds, settings.stt)
    if decision.reason is not None:
        return Ignored(decision.reason)
    language = None if settings.stt.language == "auto" else settings.stt.language
    transcript = await engines.stt.transcribe(audio, language)
    timeline.mark("transcript")
    decision = judge(transcript, speech_seconds, settings.stt)
    if decision.reason is not None:
        return Ignored(decision.reason)
    return Heard(transcript.text.strip(), transcript.language)
