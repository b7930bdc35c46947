"""The session that the protocol's own documentation shows, played against the server.

The device's messages are those of ``docs/websocket.md`` of 78/xiaozhi-esp32, sections 4 and 9, in
its order and with its fields; the audio is Opus as its firmware sends it.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lobug.devices import frames
from lobug.devices.codec import make_decoder, make_encoder
from lobug.devices.frames import AudioCodec, AudioFormat
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import DeviceClient, device, until
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText

OPUS = AudioFormat(AudioCodec.OPUS, 16_000, 60.0)


def hello(version: int) -> dict[str, Any]:
    """Section 3 of the flow, whole."""
    return {
        "type": "hello",
        "version": version,
        "features": {"mcp": True, "aec": True, "glyph_push": True},
        "text_font": {"bundle": "noto-v1", "charset": "common", "size": 20, "bpp": 4},
        "transport": "websocket",
        "audio_params": {
            "format": "opus",
            "sample_rate": 16000,
            "channels": 1,
            "frame_duration": 60,
        },
    }


def packets(seconds_of_speech: float, seconds_of_silence: float) -> list[bytes]:
    """A voice and what follows, as Opus packets of 60 ms."""
    speech = 0.3 * np.sin(np.arange(int(seconds_of_speech * 16_000)) * 0.1)
    silence = np.zeros(int(seconds_of_silence * 16_000))
    encoder = make_encoder(OPUS, 16_000)
    return encoder.feed(np.concatenate([speech, silence]).astype(np.float32)) + encoder.flush()


async def microphone(client: DeviceClient, version: int, audio: list[bytes]) -> None:
    """Send audio frames of a version until the server has announced its reply."""
    for packet in audio:
        if any(m["state"] == "start" for m in client.messages("tts")):
            return  # the firmware stops its microphone
        await client.socket.send(frames.pack_audio(version, packet, timestamp_ms=0))


@pytest.mark.parametrize("version", [1, 2, 3])
async def test_the_documented_session(tmp_path: Path, version: int) -> None:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(["It is a lovely day. Enjoy it!"]),
        stt=ScriptedSpeechToText(("what the user said",)),
    )
    async with (
        running(settings_for(tmp_path), scripted) as (http, server),
        device(
            str(http.base_url),
            hello=hello(version),
            headers={"Protocol-Version": str(version), "Client-Id": "a-uuid"},
        ) as client,
    ):
        greeting = client.messages("hello")[0]
        assert greeting["transport"] == "websocket"
        assert greeting["audio_params"]["format"] == "opus"
        assert greeting["audio_params"]["sample_rate"] == 24_000
        assert client.session_id

        await client.say(type="listen", state="detect", text="Hi XiaoZhi")
        await client.say(type="listen", state="start", mode="auto")
        await microphone(client, version, packets(0.9, 3.0))
        await client.until_said("tts", state="stop")
        await client.until_said("mcp")  # its client is loaded at the first need

        kinds = [
            (m["type"], m.get("state"))
            for m in client.messages()
            if m["type"] not in {"hello", "mcp", "llm"}
        ]
        assert kinds[0] == ("stt", None)
        assert kinds[1] == ("tts", "start")
        assert kinds[-1] == ("tts", "stop")
        assert set(kinds[2:-1]) == {("tts", "sentence_start")}
        assert client.messages("stt")[0]["text"] == "what the user said"
        assert client.messages("llm")[0]["emotion"]
        assert client.messages("mcp")[0]["payload"]["method"] == "initialize"
        assert all(m["session_id"] == client.session_id for m in client.messages())

        # What the device would hear: every binary frame is Opus of 60 ms in its version.
        decoder = make_decoder(AudioFormat(AudioCodec.OPUS, 24_000, 60.0))
        heard = [
            decoder.decode(frames.unpack(version, m).payload)
            for m in client.received
            if isinstance(m, bytes)
        ]
        spoken = len("It is a lovely day. Enjoy it!") * 0.01
        assert sum(map(len, heard)) / 16_000 >= spoken * 0.9
        assert float(np.abs(np.concatenate(heard)).max()) > 0.1

        # Auto mode goes on listening; then a button ends it in the middle of the next reply.
        await client.say(type="listen", state="start", mode="auto")
        for packet in packets(0.6, 2.0):
            await client.socket.send(frames.pack_audio(version, packet))
        await client.until_said("tts", count=2, state="start")
        await client.say(type="abort", reason="wake_word_detected")
        await client.until_said("tts", count=2, state="stop")
        await until(lambda: len(server.telemetry.turns.newest(9)) == 2)


async def test_a_session_that_is_unknown_here_goes_on(tmp_path: Path) -> None:
    """Messages that carry another session's id, and types that this server does not know."""
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(("Hello.",)))
    async with (
        running(settings_for(tmp_path), scripted) as (http, _server),
        device(str(http.base_url), hello=hello(1)) as client,
    ):
        client.session_id = "expired"
        await client.say(type="iot", descriptors=[])
        await client.say(type="listen", state="start", mode="auto", extra={"a": [1, 2]})
        await microphone(client, 1, packets(0.9, 3.0))
        await client.until_said("tts", state="stop")
        assert not client.closed.is_set()
        await asyncio.sleep(0)
