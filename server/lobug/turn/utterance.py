"""What somebody said to Lo-Bug, and the turn's first stage: its words, or that there are none.

Whisper writes "you" or "Thank you." for silence and noise, so its text alone proves nothing. The
number of words proves nothing either, because people say "yes", "no" and "stop". So the amount of
speech that the gate found decides, and how sure Whisper was. The thresholds come from 295 recorded
words and phrases and 45 other sounds; ``tests/integration/test_hearing_recorded.py`` checks them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lobug.audio.decode import StoredRecording, decode
from lobug.engines.base import STT_SAMPLE_RATE, Engines, Transcript
from lobug.errors import EmptyTextError, InvalidEncodingError, TextTooLongError
from lobug.settings import Settings, SttSettings
from lobug.turn.events import Heard, Ignored
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
    """Spoken words that were transcribed while they arrived (``turn.listener``)."""

    text: str
    language: str | None = None
    """ISO 639-1."""


Utterance = TypedUtterance | SpokenUtterance | TranscribedUtterance


def checked_text(text: str, limit: int) -> str:
    """Typed words without surrounding spaces, checked for a turn.

    Raises EmptyTextError, TextTooLongError (more than ``limit`` characters), InvalidEncodingError.
    """
    text = text.strip()
    if not text:
        raise EmptyTextError("text is empty")
    if len(text) > limit:
        raise TextTooLongError(f"text has {len(text)} characters, the limit is {limit}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidEncodingError("text holds half a surrogate pair") from None
    return text


_FASTEST_SPEECH = 40.0
"""Characters a second, an auctioneer's speed. A Whisper that repeats itself writes more."""
_CHANT_LENGTH = 5
"""From so many times on, one word or one letter alone may be what Whisper makes of noise."""


@dataclass(frozen=True, slots=True)
class SpeechDecision:
    """The verdict on a recording."""

    reason: Literal["no_speech", "noise"] | None
    """Why the recording is ignored, a stable code: ``no_speech`` if the gate found too little,
    ``noise`` if Whisper doubts its own text. None: these are words."""

    @property
    def accepted(self) -> bool:
        """Whether these are words."""
        return self.reason is None


_ACCEPTED = SpeechDecision(None)
_NO_SPEECH = SpeechDecision("no_speech")
_NOISE = SpeechDecision("noise")


def judge(
    transcript: Transcript | None, speech_seconds: float, settings: SttSettings
) -> SpeechDecision:
    """Decide on a recording.

    Args:
        transcript: Whisper's; None: Whisper has not run yet, and need not when this rejects.
        speech_seconds: sum of the spans that the gate found, seconds.
        settings: the thresholds.
    """
    if speech_seconds <= 0 or speech_seconds < settings.min_speech_s:
        return _NO_SPEECH
    if transcript is None:
        return _ACCEPTED
    return _NOISE if _is_noise(transcript, speech_seconds, settings) else _ACCEPTED


def _is_noise(transcript: Transcript, speech_seconds: float, settings: SttSettings) -> bool:
    text = transcript.text.strip()
    if not any(character.isalnum() for character in text):
        return True
    doubts_both = (
        transcript.no_speech_prob >= settings.no_speech_threshold
        and transcript.avg_logprob < settings.log_prob_threshold
    )
    # People repeat themselves too ("no no no no no no"), but not that fast.
    loops = (
        transcript.compression_ratio > settings.max_compression_ratio
        and len(text) > _FASTEST_SPEECH * speech_seconds
    )
    # Whisper is sure of a person's "no no no no no"; its own "bang bang bang bang bang" for knocks
    # and "Zzzzzzzzzz" for breath it doubts.
    chants = transcript.avg_logprob < settings.log_prob_threshold and _is_chant(text)
    return doubts_both or loops or chants or transcript.avg_logprob < settings.min_log_prob


def _is_chant(text: str) -> bool:
    """Whether the text is one word or one letter, again and again."""
    words = "".join(c if c.isalnum() else " " for c in text.casefold()).split()
    # "11111" may be a number that is said.
    letters = [c for c in "".join(words) if not c.isdecimal()]
    return any(len(parts) >= _CHANT_LENGTH and len(set(parts)) == 1 for parts in (words, letters))


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
        return Ignored(decision.reason, transcript.text.strip())
    return Heard(transcript.text.strip(), transcript.language)
