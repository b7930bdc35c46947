"""The embedded voice, as a microphone hears it, through the real ears: known as its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import soxr

from lobug.engines.base import STT_SAMPLE_RATE, Samples
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.engines.tts_hibari import HibariVoice
from lobug.turn.echo import is_own_voice, without_own_voice
from support import speech, speech_engines

pytestmark = [pytest.mark.models, pytest.mark.speech]

SPOKEN = [
    "Your sister's name is Anna.", "She lives in Portland with her two cats.",
    "The weather in Paris is sunny today, about 25 degrees.",
    "You told me last week that you keep bees.", "I'm sorry, I did not understand that.",
    "It is half past three in the afternoon.",
]  # fmt: skip


@pytest.fixture(scope="module")
def voice() -> HibariVoice:
    return speech_engines.voice()


@pytest.fixture(scope="module")
def whisper() -> WhisperSpeechToText:
    return speech_engines.whisper()


async def spoken(voice: HibariVoice, sentence: str) -> Samples:
    audio = await voice.synthesize(sentence)
    found: Samples = soxr.resample(audio, voice.sample_rate, STT_SAMPLE_RATE).astype(np.float32)
    return found


def soft_in_noise(audio: Samples) -> Samples:
    """What echo cancellation leaves: 20 dB down, with a hiss 5 dB below it."""
    loudness = float(np.sqrt((audio**2).mean()))
    hiss = np.random.default_rng(1).standard_normal(len(audio)) * loudness * 0.56
    return (0.1 * (audio + hiss)).astype(np.float32)


def beginning_cut(audio: Samples) -> Samples:
    """The first 0.4 s are gone."""
    return audio[int(0.4 * STT_SAMPLE_RATE) :]


@pytest.mark.parametrize("way", [soft_in_noise, beginning_cut])
async def test_its_own_voice_is_recognised(
    way: Callable[[Samples], Samples], voice: HibariVoice, whisper: WhisperSpeechToText
) -> None:
    heard = []
    for sentence in SPOKEN:
        audio = np.pad(way(await spoken(voice, sentence)), 3000)
        heard.append((await whisper.transcribe(audio, "en")).text)
    # A sentence with two words misheard could be a person's.
    assert sum(is_own_voice(text, SPOKEN) for text in heard) >= len(SPOKEN) - 1, heard


async def test_people_are_not(whisper: WhisperSpeechToText) -> None:
    for clip in [*speech.pocketsphinx(), speech.front_center(), speech.prompt("vm-no")]:
        text = (await whisper.transcribe(clip.padded(0.2, 0.2).samples, "en")).text
        assert not is_own_voice(text, SPOKEN), text


async def test_what_a_person_says_behind_an_echo_is_left(
    voice: HibariVoice, whisper: WhisperSpeechToText
) -> None:
    echo = 0.1 * beginning_cut(await spoken(voice, "She lives in Portland with her two cats."))
    pause = np.zeros(int(0.8 * STT_SAMPLE_RATE), np.float32)
    understood = []
    for person in [*speech.pocketsphinx(), speech.front_center()]:
        audio = np.concatenate([echo, pause, person.samples, pause])
        heard = (await whisper.transcribe(audio, "en")).text
        left = without_own_voice(heard, SPOKEN)
        assert "portland" not in left.lower(), heard
        errors, count = speech.word_errors(person.text, left)
        if errors <= count / 4:
            understood.append(left)
    # Whisper often ends after the first of two sentences, and where depends on the processor: what
    # it did not hear cannot be left.
    assert len(understood) >= 2, understood
