"""The embedded voice and the embedded speech recognition, for what no recording says."""

from __future__ import annotations

from lobug.audio.resample import resample
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.engines.tts_hibari import SAMPLE_RATE, HibariVoice
from lobug.settings import Settings
from support.speech import Clip


async def in_the_embedded_voice(*texts: str) -> list[Clip]:
    """Texts as the voice says them, at 16 kHz."""
    voice = HibariVoice(Settings(_env_file=None))
    await voice.start()
    try:
        spoken = [await voice.synthesize(text) for text in texts]
    finally:
        await voice.close()
    return [
        Clip(text, text, resample(samples, SAMPLE_RATE, STT_SAMPLE_RATE))
        for text, samples in zip(texts, spoken, strict=True)
    ]


async def transcribed(samples: Samples) -> str:
    """The English words in a sound at 16 kHz."""
    whisper = WhisperSpeechToText(Settings(_env_file=None))
    await whisper.start()
    try:
        return (await whisper.transcribe(samples, "en")).text
    finally:
        await whisper.close()
