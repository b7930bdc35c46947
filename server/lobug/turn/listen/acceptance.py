"""Decides whether a recording holds somebody's words. Pure.

Whisper writes "you" or "Thank you." for silence and noise, so its text alone proves nothing. The
number of words proves nothing either, because people say "yes", "no" and "stop". So the amount of
speech that the gate found decides, and how sure Whisper was. The thresholds come from 295 recorded
words and phrases and 45 other sounds; ``tests/integration/test_hearing_recorded.py`` checks them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lobug.engines.base import Transcript
from lobug.settings import SttSettings

_FASTEST_SPEECH = 40.0
"""Characters a second, an auctioneer's speed. A Whisper that repeats itself writes more."""


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
    return doubts_both or loops or transcript.avg_logprob < settings.min_log_prob
