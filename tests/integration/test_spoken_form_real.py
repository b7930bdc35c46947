"""The spoken form through the real voice: Whisper hears what was written."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

import numpy as np
import pytest

from lobug.audio.resample import resample
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.engines.tts_hibari import HibariVoice
from lobug.language.en.spoken_form import spoken_form
from lobug.turn.events import Piece, SpeechAudio, TurnEvent
from lobug.turn.speech import SpeechOutcome, speak
from support import speech, speech_engines

pytestmark = [pytest.mark.models, pytest.mark.speech]


@pytest.fixture(scope="module")
def whisper() -> WhisperSpeechToText:
    return speech_engines.whisper()


@pytest.fixture(scope="module")
def voice() -> HibariVoice:
    return speech_engines.voice()


async def heard(whisper: WhisperSpeechToText, audio: Samples, sample_rate: int) -> str:
    transcript = await whisper.transcribe(resample(audio, sample_rate, STT_SAMPLE_RATE), "en")
    return transcript.text.lower()


@pytest.mark.parametrize(
    ("written", "understood"),
    [
        # Read as written, the voice loses the sign, the unit or the point in each of them.
        ("It costs $5.50 or 20 €.", ["5.50", "20 euro"]),
        ("The road is 384,400 km long and it takes 2 h.", ["384,400", "hours"]),
        ("He is 6'2\" tall.", ["6'2"]),
        ("Visit example.com/docs for more.", ["example.com", "slash"]),
        ("Room 101 has 2 GB of RAM, e.g. for games.", ["101", "for example"]),
        ("It is -3 °C and 50% of the lake is frozen.", ["minus 3", "celsius", "50%"]),
        ("The meeting is at 3:45 pm on Nov 22, 2026.", ["november", "22", "2026"]),
    ],
)
async def test_what_is_written_is_understood(
    written: str, understood: list[str], voice: HibariVoice, whisper: WhisperSpeechToText
) -> None:
    audio = await voice.synthesize(spoken_form(written))
    text = await heard(whisper, audio, voice.sample_rate)
    assert [part for part in understood if part not in text] == [], text


@pytest.mark.parametrize(
    "pieces",
    [
        ["The sky is blue,", "because of the scattering of light."],
        ["To boil an egg,", "you need a pot of water."],
    ],
)
async def test_clauses_one_after_the_other_are_one_sentence(
    pieces: list[str], voice: HibariVoice, whisper: WhisperSpeechToText
) -> None:
    async def events() -> AsyncGenerator[TurnEvent]:
        for index, piece in enumerate(pieces):
            yield Piece(index, piece)

    spoken = speak(events(), voice, SpeechOutcome(), None)
    async with aclosing(spoken):
        parts = [event.samples async for event in spoken if isinstance(event, SpeechAudio)]
    audio = np.concatenate(parts)
    text = await heard(whisper, audio, voice.sample_rate)
    assert speech.words(text) == speech.words(" ".join(pieces))
