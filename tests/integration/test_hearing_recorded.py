"""Real recordings: one-word commands are heard, everything that is no speech is ignored."""

from __future__ import annotations

import numpy as np
import pytest

from lobug.engines.base import STT_SAMPLE_RATE, Samples, Transcript
from lobug.engines.silero import SileroGate
from lobug.engines.stt_whisper import WhisperSpeechToText
from lobug.errors import EngineUnavailableError
from lobug.settings import Settings
from lobug.turn.utterance import SpeechDecision, judge
from support import noise, speech, speech_engines

pytestmark = [pytest.mark.models, pytest.mark.speech]

STT = speech_engines.settings().stt

ONE_WORD = [
    "vm-no", "hello", "goodbye", "calling", "digits/1", "digits/2", "digits/6", "digits/10",
    "digits/day-3", "digits/today", "digits/oh", "dictate/pause", "dictate/record", "phonetic/y_p",
    "letters/n", "your",
]  # fmt: skip
"""One word each; among them those that Whisper was least sure of."""

DECEPTIVE = ["silence", "white noise -30 dB", "organ", "breathing", "telephone keys"]
"""What Whisper gives words to, like "you" or "Thank you."."""


@pytest.fixture(scope="module")
def gate() -> SileroGate:
    return speech_engines.gate()


@pytest.fixture(scope="module")
def whisper() -> WhisperSpeechToText:
    return speech_engines.whisper()


async def decide(
    gate: SileroGate, whisper: WhisperSpeechToText, audio: Samples
) -> tuple[SpeechDecision, Transcript | None]:
    """As a turn does it."""
    spans = await gate.find_speech(audio)
    seconds = sum(span.end - span.start for span in spans) / STT_SAMPLE_RATE
    decision = judge(None, seconds, STT)
    if not decision.accepted:
        return decision, None
    transcript = await whisper.transcribe(audio, "en")
    return judge(transcript, seconds, STT), transcript


@pytest.mark.parametrize("name", ONE_WORD)
async def test_one_word_is_heard(name: str, gate: SileroGate, whisper: WhisperSpeechToText) -> None:
    decision, transcript = await decide(gate, whisper, speech.prompt(name).padded(0.5, 0.5).samples)
    assert decision.accepted, transcript


async def test_one_word_is_heard_far_away_and_in_noise(
    gate: SileroGate, whisper: WhisperSpeechToText
) -> None:
    rng = np.random.default_rng(5)
    ignored = []
    for name in ("vm-no", "hello", "dictate/pause"):
        clip = speech.prompt(name).padded(0.5, 0.5).samples
        loudness = float(np.sqrt((clip**2).mean()))
        hiss = rng.standard_normal(len(clip)).astype(np.float32) * loudness * 0.3  # 10 dB below
        for audio in (clip * np.float32(0.03), clip + hiss):
            decision, transcript = await decide(gate, whisper, audio)
            if not decision.accepted:
                ignored.append((name, transcript))
    # On some processors Whisper repeats "Pause." in the noise without end, which is judged noise.
    assert len(ignored) <= 1, ignored


@pytest.mark.parametrize(
    "clip", [*speech.pocketsphinx(), speech.front_center()], ids=lambda clip: clip.name
)
async def test_other_voices_and_microphones_pass_the_gate(
    clip: speech.Clip, gate: SileroGate
) -> None:
    spans = await gate.find_speech(clip.samples)
    seconds = sum(span.end - span.start for span in spans) / STT_SAMPLE_RATE
    assert judge(None, seconds, STT).accepted
    assert all(0 <= span.start < span.end <= len(clip.samples) for span in spans)


async def test_sounds_that_are_no_speech_are_ignored(
    gate: SileroGate, whisper: WhisperSpeechToText
) -> None:
    for name, sound in noise.sounds().items():
        decision, transcript = await decide(gate, whisper, sound)
        assert not decision.accepted, (name, transcript)


@pytest.mark.parametrize(
    "name", ["beep", "beeperr", "ascending-2tone", "confbridge-join", "confbridge-leave"]
)
async def test_recorded_beeps_are_ignored(
    name: str, gate: SileroGate, whisper: WhisperSpeechToText
) -> None:
    decision, transcript = await decide(gate, whisper, speech.sound(name))
    assert not decision.accepted, transcript


async def test_the_room_is_ignored(gate: SileroGate, whisper: WhisperSpeechToText) -> None:
    decision, _ = await decide(gate, whisper, speech.room_silence(3))
    assert decision.reason == "no_speech"


@pytest.mark.parametrize("name", DECEPTIVE)
async def test_even_past_the_gate_whispers_doubts_tell_noise(
    name: str, whisper: WhisperSpeechToText
) -> None:
    transcript = await whisper.transcribe(noise.sounds()[name], "en")
    assert judge(transcript, 1.0, STT).reason == "noise", transcript


async def test_the_gate_finds_where_the_speech_is(gate: SileroGate) -> None:
    clip = speech.prompt("confbridge-begin-glorious-b")
    spans = await gate.find_speech(clip.padded(2.0, 2.0).samples)
    assert len(spans) == 1
    start, end = spans[0].start / STT_SAMPLE_RATE, spans[0].end / STT_SAMPLE_RATE
    assert start == pytest.approx(2.1, abs=0.3)
    assert end == pytest.approx(2.0 + clip.seconds, abs=0.4)


async def test_the_gate_takes_any_length(gate: SileroGate) -> None:
    for samples in (0, 1, 511, 512, 513):
        assert await gate.find_speech(np.zeros(samples, np.float32)) == []


async def test_a_closed_gate_is_unavailable_and_can_start_again() -> None:
    gate = SileroGate(Settings(_env_file=None))
    await gate.start()
    assert gate.status().ready
    await gate.close()
    await gate.close()
    assert not gate.status().ready
    with pytest.raises(EngineUnavailableError):
        await gate.find_speech(np.zeros(100, np.float32))
    await gate.start()
    assert gate.status().ready
    await gate.close()
