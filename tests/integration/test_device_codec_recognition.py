"""What Whisper hears of speech that went through a device's codec."""

from __future__ import annotations

import numpy as np
import pytest

from lobug.devices.codec import make_decoder, make_encoder
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.engines.base import STT_SAMPLE_RATE
from lobug.engines.stt_whisper import WhisperSpeechToText
from support import speech, speech_engines

pytestmark = [pytest.mark.models, pytest.mark.speech]

PROMPTS = (
    "conf-onlyperson",
    "vm-goodbye",
    "tt-weasels",
    "please-try-call-later",
    "invalid",
    "hours",
)


@pytest.fixture(scope="module")
def whisper() -> WhisperSpeechToText:
    return speech_engines.whisper()


@pytest.mark.parametrize(
    "wire",
    [
        AudioFormat(AudioCodec.OPUS, 16_000, 60.0),
        AudioFormat(AudioCodec.OPUS, 24_000, 20.0),
        AudioFormat(AudioCodec.PCM, 44_100, 20.0),
    ],
    ids=lambda wire: f"{wire.codec}-{wire.sample_rate}",
)
async def test_the_codec_costs_no_words(whisper: WhisperSpeechToText, wire: AudioFormat) -> None:
    before, after = [], []
    for clip in speech.prompts(PROMPTS):
        said = clip.padded(0.3, 0.3)
        encoder, decoder = make_encoder(wire, STT_SAMPLE_RATE), make_decoder(wire)
        packets = encoder.feed(said.samples) + encoder.flush()
        heard = np.concatenate([*map(decoder.decode, packets), decoder.flush()])
        before.append((clip.text, (await whisper.transcribe(said.samples, "en")).text))
        after.append((clip.text, (await whisper.transcribe(heard, "en")).text))
    assert speech.wer(after) <= speech.wer(before) + 0.05
