"""A device's conversation over the streaming door: `lobug serve`, embedded models, real speech."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest

from lobug.devices.codec import make_decoder, make_encoder
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.engines.base import STT_SAMPLE_RATE, Samples
from support.device_client import DeviceClient, device
from support.embedded_speech import in_the_embedded_voice, transcribed
from support.lobug_process import ServedLobug, served
from support.speech import pocketsphinx, prompt, wer

pytestmark = [pytest.mark.models, pytest.mark.timeout(1800)]

UPLINK = AudioFormat(AudioCodec.OPUS, STT_SAMPLE_RATE, 60.0)
DOWNLINK = AudioFormat(AudioCodec.OPUS, 24_000, 60.0)
OPUS_HELLO = {
    "type": "hello",
    "version": 1,
    "transport": "websocket",
    "audio_params": {
        "format": "opus",
        "sample_rate": STT_SAMPLE_RATE,
        "channels": 1,
        "frame_duration": 60,
    },
}
PATIENCE_S = 120.0


@pytest.fixture(scope="module")
def lobug(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedLobug]:
    with served(tmp_path_factory.mktemp("lobug")) as server:
        yield server


async def microphone(client: DeviceClient, samples: Samples, stops: int) -> None:
    """Speak at the speed of speech, then listen to silence until the reply is over."""
    encoder = make_encoder(UPLINK, STT_SAMPLE_RATE)
    frame = UPLINK.frame_samples
    begun, sent, deadline = time.monotonic(), 0, time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        chunk = samples[sent * frame : (sent + 1) * frame]
        if len(chunk) < frame:
            chunk = np.concatenate([chunk, np.zeros(frame - len(chunk), np.float32)])
        for packet in encoder.feed(chunk):
            await client.socket.send(packet)
        sent += 1
        states = [m["state"] for m in client.messages("tts")]
        if states.count("stop") >= stops:
            return
        await asyncio.sleep(max(0.0, begun + sent * UPLINK.frame_s - time.monotonic()))
    raise AssertionError(f"no reply: {client.messages()}")


async def turn(client: DeviceClient, samples: Samples) -> tuple[str, str, Samples]:
    """What was understood, what was answered, and its sound at 16 kHz."""
    before = len(client.received)
    stops = sum(m["state"] == "stop" for m in client.messages("tts"))
    await client.listen()
    await microphone(client, samples, stops + 1)
    new = client.received[before:]
    understood = next(m["text"] for m in new if isinstance(m, dict) and m["type"] == "stt")
    said = [m["text"] for m in new if isinstance(m, dict) and m["type"] == "tts" and "text" in m]
    decoder = make_decoder(DOWNLINK)
    sound = [decoder.decode(m) for m in new if isinstance(m, bytes)]
    return understood, " ".join(said), np.concatenate([*sound, decoder.flush()])


async def spoken(text: str) -> Samples:
    """Words in the embedded voice, 16 kHz."""
    (clip,) = await in_the_embedded_voice(text)
    return clip.samples


@pytest.mark.speech
async def test_recorded_speech_is_understood_and_the_reply_intelligible(
    lobug: ServedLobug,
) -> None:
    clips = [
        prompt("vm-goodbye"),
        next(clip for clip in pocketsphinx() if clip.name == "goforward"),
        prompt("conf-lockednow"),
    ]
    async with device(lobug.url, "recorded", hello=OPUS_HELLO) as client:
        turns = [await turn(client, clip.samples) for clip in clips]
    pairs = [(clip.text, heard) for clip, (heard, _, _) in zip(clips, turns, strict=True)]
    assert wer(pairs) <= 0.25, pairs
    said, sound = max(((said, sound) for _, said, sound in turns), key=lambda pair: len(pair[0]))
    heard = await transcribed(sound)
    assert wer([(said, heard)]) <= 0.34, (said, heard)


async def get(url: str, **arguments: Any) -> httpx.Response:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as http:
        return await http.get(url, **arguments)


async def test_it_remembers_and_the_timeline_says_how_long_it_took(lobug: ServedLobug) -> None:
    async with device(lobug.url, "remembers", hello=OPUS_HELLO) as client:
        await turn(client, await spoken("My name is Alex and I live in Boston."))
        _, said, _ = await turn(client, await spoken("Do you remember my name?"))
        await turn(client, await spoken("What is the sun made of?"))
    assert "Alex" in said, said
    timelines = (await get(f"{lobug.url}/turns", params={"limit": 2})).json()["turns"]
    thought, remembered = (timeline["timings"] for timeline in timelines)
    order = ["speech_end", "transcript", "first_token", "first_audio", "first_audio_sent", "played"]
    assert "first_token" not in remembered, "what is claimed is answered without the chat model"
    for stages in (thought, remembered):
        times = [stages[stage] for stage in order if stage in stages or stages is thought]
        assert times == sorted(times)
        assert stages["endpoint"] <= stages["first_audio_sent"]
        assert stages.keys() >= {*order} - {"first_token"}
    assert [timeline["door"] for timeline in timelines] == ["device", "device"]


async def test_a_reply_that_is_interrupted_is_remembered_as_far_as_it_was_heard(
    lobug: ServedLobug,
) -> None:
    async with device(lobug.url, "interrupts", hello=OPUS_HELLO) as client:
        await client.listen()
        question = await spoken("Please tell me something about the moon and the sun.")
        speaking = asyncio.ensure_future(microphone(client, question, stops=1))
        await client.until(lambda: len(client.audio()) > 0, patience_s=PATIENCE_S)
        await client.say(type="abort")
        await speaking
    async with asyncio.timeout(PATIENCE_S):
        while True:
            newest = (await get(f"{lobug.url}/turns", params={"limit": 1})).json()["turns"]
            if newest[0]["outcome"] == "interrupted":
                break
            await asyncio.sleep(0.1)
    exported = await get(f"{lobug.url}/memory/export", headers={"Device-Id": "interrupts"})
    assert "[interrupted]" in exported.text


def test_the_simulated_device_is_answered(lobug: ServedLobug) -> None:
    (talk,) = lobug.turns(
        "--protocol", "ws", "--device-id", "simulated", "--expect-voice",
        "--say", "What is two plus two?",
    )  # fmt: skip
    said = " ".join(talk["sentences"]).lower()
    assert "4" in said or "four" in said, talk
