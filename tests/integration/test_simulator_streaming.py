"""The streaming device in software against a scripted server, on real sockets."""

from __future__ import annotations

import asyncio
import io
import wave
from dataclasses import replace
from typing import Any

import pytest

from lobug.devices.frames import AudioCodec
from lobug.devices.messages import ListenMode
from lobug.simulator.device_tools import DeviceTools
from lobug.simulator.discovery import Endpoint, identity_of
from lobug.simulator.recordings import EncodedSpeech, encode_speech
from lobug.simulator.results import WsTurnResult
from lobug.simulator.session import DeviceKind
from lobug.simulator.streaming_device import SimulatedWsDevice
from support.scripted_ws import (
    OPUS_REPLY,
    PCM_REPLY,
    Conversation,
    numbered_packets,
    opus_packets,
    scripted_ws,
)
from support.streaming_device import (
    LISTEN_AUTO,
    SOUND,
    SPEECH,
    answering,
    device_at,
    one_turn,
)


async def test_a_session_as_the_protocol_describes_it() -> None:
    """Hello, listen, stt, face, speech, and then it listens again."""
    kind = DeviceKind(keep_audio=True)
    async with scripted_ws(answering(opus_packets(5), turns=2)) as server:
        async with device_at(server, kind, token="secret", tools=DeviceTools()) as device:
            first = await device.turn(SPEECH)
            second = await device.turn(SPEECH)
        talk = server.only
    assert talk.headers["Authorization"] == "Bearer secret"
    assert talk.headers["Protocol-Version"] == "1"
    assert talk.headers["Device-Id"] == "02:4c:6f:42:75:01"
    assert len(talk.headers["Client-Id"]) == 36
    assert "Sec-WebSocket-Extensions" not in talk.headers
    assert talk.hello == {
        "type": "hello",
        "version": 1,
        "features": {"mcp": True},
        "transport": "websocket",
        "audio_params": {
            "format": "opus",
            "sample_rate": 16000,
            "channels": 1,
            "frame_duration": 60,
        },
    }
    assert talk.kinds() == [LISTEN_AUTO] * 3
    assert {text["session_id"] for text in talk.texts} == {"s1"}
    assert tuple(talk.packets[:5]) == SPEECH.packets
    for turn in (first, second):
        assert turn.problems == ()
        assert (turn.heard, turn.sentences, turn.emotions) == ("hello bug", ("Hello!",), ("happy",))
        assert turn.account.frames == 5
        assert turn.account.seconds == pytest.approx(0.3)
        with wave.open(io.BytesIO(turn.wav)) as reply:
            assert reply.getframerate() == 24_000
            assert reply.getnframes() == pytest.approx(0.3 * 24_000, abs=400)
    assert (first.index, second.index) == (1, 2)


async def test_times_count_from_the_last_voiced_sample_that_the_microphone_recorded() -> None:
    """The server answers when the fifth packet has come, 0.1 s after the last voiced sample."""
    turn = await one_turn(answering(opus_packets(5)))
    assert turn.speech_s == pytest.approx(0.1, abs=0.011)
    times = (turn.transcript_s, turn.speaking_s, turn.first_packet_s, turn.first_audio_s)
    assert all(seconds is not None for seconds in times)
    transcript_s, speaking_s, first_packet_s, first_audio_s = (float(s or 0) for s in times)
    assert 0.1 - 0.011 <= transcript_s <= speaking_s <= first_packet_s <= first_audio_s


async def test_every_version_of_the_frames_and_both_formats() -> None:
    async def talk(version: int, codec: AudioCodec) -> None:
        speech = encode_speech("hello.wav", SOUND, codec)
        opus = codec is AudioCodec.OPUS
        packets = opus_packets(3) if opus else numbered_packets(3)
        script = answering(packets)
        async with scripted_ws(script, reply=OPUS_REPLY if opus else PCM_REPLY) as server:
            kind = DeviceKind(codec=codec, keep_audio=True)
            async with device_at(server, kind, version=version) as device:
                turn = await device.turn(speech)
            assert tuple(server.only.packets[:5]) == speech.packets
            assert server.only.hello["audio_params"]["format"] == codec.value
            assert server.only.hello["version"] == version
        assert turn.problems == ()
        assert turn.account.frames == 3
        assert turn.wav

    await asyncio.gather(*(talk(version, codec) for version in (1, 2, 3) for codec in AudioCodec))


async def test_push_to_talk_says_when_it_is_over() -> None:
    async def script(conversation: Conversation) -> None:
        for _ in range(2):
            await conversation.read_until("listen", state="stop")
            await conversation.send("stt", text="hello bug")
            await conversation.speak("Hello!", opus_packets(3))

    async with scripted_ws(script) as server:
        async with device_at(server, DeviceKind(mode=ListenMode.MANUAL)) as device:
            turns = [await device.turn(SPEECH), await device.turn(SPEECH)]
        assert server.only.kinds() == ["listen start manual", "listen stop"] * 2
        assert tuple(server.only.packets) == SPEECH.packets * 2
    assert [turn.problems for turn in turns] == [(), ()]


async def test_a_wake_word_is_announced() -> None:
    async with scripted_ws(answering(opus_packets(3))) as server:
        async with device_at(server, DeviceKind(wake_word="hey bug")) as device:
            turn = await device.turn(SPEECH)
        assert server.only.texts[0]["text"] == "hey bug"
        assert server.only.kinds()[:2] == ["listen detect", LISTEN_AUTO]
    assert turn.ok


async def test_tools_are_listed_in_pages_and_used() -> None:
    async def ask(conversation: Conversation, number: int, method: str, **params: object) -> Any:
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        await conversation.send("mcp", payload=request)
        answer = (await conversation.read_until("mcp"))["payload"]
        assert answer["id"] == number
        return answer.get("result", answer.get("error"))

    seen: list[Any] = []

    async def script(conversation: Conversation) -> None:
        await conversation.read_packets(len(SPEECH.packets))
        seen.append(await ask(conversation, 1, "initialize"))
        page = await ask(conversation, 2, "tools/list", cursor="")
        seen.append(page)
        while cursor := page.get("nextCursor"):
            page = await ask(conversation, 3, "tools/list", cursor=cursor)
            seen.append(page)
        volume = {"name": "self.audio_speaker.set_volume", "arguments": {"volume": 20}}
        seen.append(await ask(conversation, 4, "tools/call", **volume))
        await conversation.speak("Quieter now.", opus_packets(2))

    tools = DeviceTools()
    turn = await one_turn(script, tools=tools)
    assert (turn.problems, turn.tools_used) == ((), 1)
    assert tools.state.volume == 20
    assert [len(page["tools"]) for page in seen[1:4]] == [2, 2, 1]
    assert seen[4] == {"content": [{"type": "text", "text": "true"}], "isError": False}


async def test_an_alert_ends_the_turn() -> None:
    async def script(conversation: Conversation) -> None:
        await conversation.read_packets(len(SPEECH.packets))
        await conversation.send("alert", status="Lo-Bug", message="I am ill.", emotion="sad")

    turn = await one_turn(script)
    assert turn.alerts == ("Lo-Bug: I am ill.",)
    assert turn.problems == ("the server sent the alert Lo-Bug: I am ill.",)


async def test_a_face_without_words_ends_the_turn() -> None:
    async def script(conversation: Conversation) -> None:
        await conversation.read_packets(len(SPEECH.packets))
        await conversation.send("stt", text="hello bug")
        await conversation.send("llm", emotion="laughing")

    turn = await one_turn(script, reaction_s=0.1)
    assert (turn.problems, turn.emotions) == ((), ("laughing",))
    assert turn.first_audio_s is None


async def test_twenty_devices_share_one_utterance_in_one_process() -> None:
    async with scripted_ws(answering(opus_packets(5), turns=2)) as server:
        devices = [
            SimulatedWsDevice(identity_of(None, index), Endpoint(server.url)) for index in range(20)
        ]

        async def talk(device: SimulatedWsDevice) -> list[WsTurnResult]:
            async with device:
                await device.connect()
                return [await device.turn(SPEECH), await device.turn(SPEECH)]

        results = await asyncio.gather(*map(talk, devices))
    assert len({talk.headers["Device-Id"] for talk in server.conversations}) == 20
    assert all(turn.heard == "hello bug" for turns in results for turn in turns)
    assert all(turn.account.frames == 5 for turns in results for turn in turns)


async def test_nothing_is_left_running() -> None:
    before = asyncio.all_tasks()
    async with scripted_ws(answering(opus_packets(2))) as server, device_at(server) as device:
        await device.turn(SPEECH)
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before


def test_an_utterance_without_a_sound_is_refused() -> None:
    with pytest.raises(ValueError, match="silent"):
        encode_speech("nothing", SOUND * 0)


def test_speech_is_as_long_as_it_is() -> None:
    assert SPEECH.speech_start_s == pytest.approx(0.1, abs=0.011)
    assert SPEECH.speech_end_s == pytest.approx(0.2, abs=0.011)
    assert len(SPEECH.packets) == 5
    assert SPEECH.seconds == pytest.approx(0.3)
    assert isinstance(replace(SPEECH, name="again"), EncodedSpeech)
