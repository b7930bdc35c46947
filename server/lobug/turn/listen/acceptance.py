"""Whether a recording held somebody's words. Pure.

Whisper says "you" or "Thank you." to silence and noise, so its text alone proves nothing, and the
number of words proves nothing either: "yes", "no" and "stop" are what people say. What decides is
how much speech the gate found and how sure Whisper was. The thresholds come from 295 recorded
words and phrases and 45 sounds that are none; ``tests/integration/test_hearing_recorded.py`` holds
them there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from lobug.engines.base import Transcript
from lobug.settings import SttSettings

_FASTEST_SPEECH = 40.0
"""Characters a second; an auctioneer's speed. A looping Whisper writes more than that."""


@dataclass(frozen=True, slots=True)
class HeardDecision:
    """The verdict on a recording."""

    reason: Literal["no_speech", "noise"] | None
    """None: these are somebody's words. Otherwise why the recording is ignored, a stable code:
    the gate found too little speech, or Whisper itself doubts what it wrote."""

    @property
    def accepted(self) -> bool:
        """Whether the turn goes on."""
        return self.reason is None


_ACCEPTED = HeardDecision(None)
_NO_SPEECH = HeardDecision("no_speech")
_NOISE = HeardDecision("noise")


def judge(
    transcript: Transcript | None, speech_seconds: float, settings: SttSettings
) -> HeardDecision:
    """Whether a recording with so much speech, and with this transcript, was somebody speaking.

    ``speech_seconds``: sum of the gate's spans. ``transcript`` None: only the gate has been asked
    so far; with too little speech Whisper need not run.
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
