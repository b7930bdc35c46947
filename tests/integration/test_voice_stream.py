"""The gate's streams on recorded speech: the same probabilities as of the whole clip, and many of
them at once."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lobug.engines.base import STT_SAMPLE_RATE, VOICE_FRAME, Samples
from lobug.engines.silero import SileroGate
from lobug.errors import EngineUnavailableError
from lobug.settings import Settings
from support import speech, speech_engines

pytestmark = pytest.mark.speech


@pytest.fixture(scope="module")
def gate() -> SileroGate:
    return speech_engines.gate()


def whole(audio: Samples) -> list[float]:
    """As the library judges a clip. It zeroes the end of the last frame, so it gets one more."""
    from faster_whisper.vad import get_vad_model  # noqa: PLC0415

    frames = len(audio) // VOICE_FRAME
    padded = np.zeros((frames + 1) * VOICE_FRAME, np.float32)
    padded[: frames * VOICE_FRAME] = audio[: frames * VOICE_FRAME]
    return [float(p) for p in get_vad_model()(padded).reshape(-1)[:-1]]


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(cuts=st.lists(st.integers(0, 5000), max_size=40))
async def test_a_stream_in_pieces_is_judged_as_the_whole(gate: SileroGate, cuts: list[int]) -> None:
    audio = speech.pocketsphinx()[6].samples[: 4 * STT_SAMPLE_RATE]
    stream = gate.open_stream()
    found: list[float] = []
    for piece in np.split(audio, np.clip(np.cumsum(cuts), 0, len(audio))):
        found += await stream.feed(piece)
    assert len(found) == len(audio) // VOICE_FRAME
    assert found == pytest.approx(whole(audio), abs=1e-4)
    assert max(found) > 0.9
    assert min(found) < 0.1


async def test_many_streams_at_once_know_nothing_of_one_another(gate: SileroGate) -> None:
    clips = [*speech.pocketsphinx(), speech.front_center()]

    async def judge(audio: Samples) -> list[float]:
        stream = gate.open_stream()
        found: list[float] = []
        for start in range(0, len(audio), 960):  # the packets of a device
            found += await stream.feed(audio[start : start + 960])
        return found

    together = await asyncio.gather(*(judge(clip.samples) for clip in clips))
    for clip, found in zip(clips, together, strict=True):
        assert found == pytest.approx(whole(clip.samples), abs=1e-4), clip.name


async def test_a_long_stream_lets_others_in_between(gate: SileroGate) -> None:
    long, short = gate.open_stream(), gate.open_stream()
    order: list[str] = []

    async def feed_long() -> None:
        await long.feed(np.zeros(120 * STT_SAMPLE_RATE, np.float32))
        order.append("long")

    async def feed_short() -> None:
        await short.feed(np.zeros(VOICE_FRAME, np.float32))
        order.append("short")

    running = asyncio.create_task(feed_long())
    await asyncio.sleep(0)  # the long one is first in the thread
    await asyncio.gather(running, feed_short())
    assert order == ["short", "long"]


async def test_after_reset_a_stream_is_new(gate: SileroGate) -> None:
    audio = speech.pocketsphinx()[0].samples
    stream = gate.open_stream()
    await stream.feed(audio[:10_000])
    stream.reset()
    assert await stream.feed(audio) == pytest.approx(whole(audio), abs=1e-4)


async def test_noise_and_silence_are_no_voice(gate: SileroGate) -> None:
    stream = gate.open_stream()
    hiss = np.random.default_rng(3).standard_normal(2 * STT_SAMPLE_RATE).astype(np.float32) * 0.03
    for audio in (np.zeros(STT_SAMPLE_RATE, np.float32), hiss, speech.sound("beep")):
        assert max(await stream.feed(audio)) < 0.5


async def test_a_stream_of_a_closed_gate_is_unavailable() -> None:
    gate = SileroGate(Settings(_env_file=None))
    await gate.start()
    stream = gate.open_stream()
    await gate.close()
    with pytest.raises(EngineUnavailableError):
        await stream.feed(np.zeros(VOICE_FRAME, np.float32))
