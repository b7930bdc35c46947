"""The streaming device in software against a scripted server, on real sockets."""

from __future__ import annotations

import asyncio
import io
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from lobug.device.formats import AudioCodec
from lobug.device.messages import ListenMode
from lobug.simulator.network_model import NetworkOptions
from lobug.simulator.ws_device import BargeIn, SimulatedWsDevice, TurnFaults
from lobug.simulator.ws_discovery import Endpoint, identity_of
from lobug.simulator.ws_link import LinkError
from lobug.simulator.ws_results import WsTurnResult
from lobug.simulator.ws_session import DeviceKind
from lobug.simulator.ws_speech import EncodedSpeech, encode_speech
from lobug.simulator.ws_tools import DeviceTools
from support.scripted_ws import (
    OPUS_REPLY,
    PCM_REPLY,
    Conversation,
    Script,
    ScriptedWs,
    number_of,
    numbered_packets,
    opus_packets,
    scripted_ws,
    tone,
)

SOUND = tone(0.3)
SPEECH = encode_speech("hello.wav", SOUND)
"""5 packets; the last voiced sample is at 0.2 s."""
LISTEN_AUTO = "listen start auto"


@asynccontextmanager
async def device_at(
    server: ScriptedWs, kind: DeviceKind | None = None, **options: Any
) -> AsyncIterator[SimulatedWsDevice]:
    version = options.pop("version", 1)
    endpoint = Endpoint(server.url, options.pop("token", ""), version)
    async with SimulatedWsDevice(identity_of(None, 0), endpoint, kind, **options) as device:
        await device.connect()
        yield device


def answering(packets: list[bytes], turns: int = 1) -> Script:
    """Hears one utterance, answers with these packets at once, and so on."""

    async def script(conversation: Conversation) -> None:
        for _ in range(turns):
            await conversation.read_until("listen", state="start")
            await conversation.read_packets(len(SPEECH.packets))
            await conversation.send("stt", text="hello bug")
            await conversation.send("llm", emotion="happy", text="🙂")
            await conversation.speak("Hello!", packets)

    return script


async def one_turn(
    script: Script, kind: DeviceKind | None = None, faults: TurnFaults | None = None, **more: Any
) -> WsTurnResult:
    async with scripted_ws(script) as server, device_at(server, kind, **more) as device:
        return await device.turn(SPEECH, faults or TurnFaults())


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


def held_back(script: Script, wait_for: str, **fields: object) -> Script:
    """Begins a long reply after one utterance, and stops it when the device says this."""

    async def whole(conversation: Conversation) -> None:
        await conversation.read_until("listen", state="start")
        await conversation.read_packets(len(SPEECH.packets))
        await conversation.send("tts", state="start")
        await conversation.send_audio(opus_packets(12))
        await conversation.read_until(wait_for, **fields)
        await conversation.send("tts", state="stop")
        await script(conversation)

    return whole


async def nothing_more(_conversation: Conversation) -> None:
    pass


async def test_an_abort_stops_what_has_not_been_sent_and_what_has_is_still_played() -> None:
    """The firmware in auto mode: only the server's `tts stop` ends it, and then it plays out."""
    faults = TurnFaults(barge_in=BargeIn(after_s=0.1))
    async with scripted_ws(held_back(nothing_more, "abort")) as server:
        async with device_at(server) as device:
            turn = await device.turn(SPEECH, faults)
        assert server.only.kinds() == [LISTEN_AUTO, "abort", LISTEN_AUTO]
    assert turn.problems == ()
    assert turn.account.frames == 12
    assert turn.interrupted_silence_s == pytest.approx(0.72 - 0.1, abs=0.03)


async def test_an_empty_reply_silences_a_device_at_once() -> None:
    """What a server can do about it: any `tts start` throws away what waits to be played."""

    async def script(conversation: Conversation) -> None:
        await conversation.send("tts", state="start")
        await conversation.send("tts", state="stop")
        await answering(opus_packets(2))(conversation)

    faults = TurnFaults(barge_in=BargeIn(after_s=0.1))
    async with scripted_ws(held_back(script, "abort")) as server:
        async with device_at(server) as device:
            turn = await device.turn(SPEECH, faults)
            after = await device.turn(SPEECH)
        assert server.only.kinds() == [LISTEN_AUTO, "abort", LISTEN_AUTO, LISTEN_AUTO]
    assert (turn.problems, after.problems, after.account.frames) == ((), (), 2)
    assert turn.interrupted_silence_s is not None
    assert turn.interrupted_silence_s <= 0.2
    assert turn.account.discarded > 0


async def test_the_wake_word_interrupts() -> None:
    faults = TurnFaults(barge_in=BargeIn(after_s=0.1))
    script = held_back(nothing_more, "abort", reason="wake_word_detected")
    turn = await one_turn(script, DeviceKind(wake_word="hey bug"), faults)
    assert turn.problems == ()
    assert turn.interrupted_silence_s is not None


async def test_the_button_of_manual_mode_silences_the_device_at_once_and_another_turn_follows() -> (
    None
):
    async def second(conversation: Conversation) -> None:
        await conversation.read_until("listen", state="stop")
        await conversation.send("stt", text="stop it")
        await conversation.speak("Fine.", opus_packets(3))

    async def script(conversation: Conversation) -> None:
        await conversation.read_until("listen", state="stop")
        await conversation.send("tts", state="start")
        await conversation.send_audio(opus_packets(12))
        await conversation.read_until("abort")
        await conversation.send_audio(opus_packets(2))  # sent before the abort came
        await conversation.send("tts", state="stop")
        await second(conversation)

    faults = TurnFaults(barge_in=BargeIn(0.1, SPEECH))
    kind = DeviceKind(mode=ListenMode.MANUAL)
    async with scripted_ws(script) as server, device_at(server, kind) as device:
        turn = await device.turn(SPEECH, faults)
        follow_up = await device.follow_up()
        assert await device.follow_up() is None
    assert turn.problems == ()
    assert turn.dropped == 2
    assert turn.interrupted_silence_s is not None
    assert turn.interrupted_silence_s <= 0.18, "one packet in the output, and its buffer"
    assert follow_up is not None
    assert (follow_up.problems, follow_up.heard) == ((), "stop it")
    assert follow_up.account.frames == 3


async def test_in_realtime_mode_the_microphone_stays_open_and_speech_interrupts() -> None:
    async def script(conversation: Conversation) -> None:
        await conversation.read_until("listen", state="start")
        await conversation.read_packets(len(SPEECH.packets))
        await conversation.send("stt", text="hello bug")
        await conversation.send("tts", state="start")
        await conversation.send_audio(opus_packets(12))
        while conversation.packets[-1] != SPEECH.packets[3]:
            await conversation.read()
        await conversation.send("stt", text="wait")
        await conversation.send("tts", state="stop")
        await conversation.speak("I am waiting.", opus_packets(3))

    faults = TurnFaults(barge_in=BargeIn(0.1, SPEECH))
    async with scripted_ws(script) as server:
        async with device_at(server, DeviceKind(mode=ListenMode.REALTIME)) as device:
            turn = await device.turn(SPEECH, faults)
            follow_up = await device.follow_up()
        assert server.only.kinds() == ["listen start realtime"]
    assert (turn.heard, turn.problems) == ("hello bug", ())
    assert turn.interrupted_silence_s is not None
    assert follow_up is not None
    assert (follow_up.heard, follow_up.sentences) == ("wait", ("I am waiting.",))
    assert follow_up.account.frames == 3


async def test_audio_without_a_start_of_speech_is_thrown_away() -> None:
    async def script(conversation: Conversation) -> None:
        await conversation.read_packets(len(SPEECH.packets))
        await conversation.send_audio(opus_packets(4))
        await conversation.speak("Hello!", opus_packets(2))

    turn = await one_turn(script)
    assert turn.dropped == 4
    assert turn.problems == ("4 packets came while the device was not speaking",)


async def test_a_server_that_sends_too_fast_overflows_the_device() -> None:
    turn = await one_turn(answering(opus_packets(30)), DeviceKind(buffer_frames=5))
    assert turn.account.overflowed > 0
    assert turn.account.frames + turn.account.overflowed == 30
    assert "found the device's buffer full" in turn.problems[0]


async def test_a_server_that_stalls_starves_the_device() -> None:
    async def script(conversation: Conversation) -> None:
        packets = opus_packets(4)
        await conversation.read_packets(len(SPEECH.packets))
        await conversation.send("tts", state="start")
        await conversation.send_audio(packets[:2])
        await asyncio.sleep(0.3)  # the fault itself
        await conversation.send_audio(packets[2:])
        await conversation.send("tts", state="stop")

    turn = await one_turn(script)
    assert turn.account.starvations == 1
    assert turn.account.starved_s == pytest.approx(0.18, abs=0.05)
    assert "playback ran dry once" in turn.problems[0]


async def test_a_server_that_speaks_too_early_cuts_the_speaker_short() -> None:
    async def script(conversation: Conversation) -> None:
        await conversation.read_packets(2)
        await conversation.speak("What?", opus_packets(2))

    turn = await one_turn(script)
    assert turn.cut_short_s == pytest.approx(0.2 - 0.12, abs=0.011)
    assert turn.first_audio_s is not None
    assert turn.first_audio_s < 0
    assert not turn.ok


async def test_lost_and_reordered_packets_are_counted_by_their_numbers() -> None:
    packets = numbered_packets(8)
    shuffled = [*packets[:2], packets[3], packets[2], *packets[4:6], packets[7]]
    kind = DeviceKind(codec=AudioCodec.PCM, packet_number=number_of)
    speech = encode_speech("hello", SOUND, AudioCodec.PCM)
    script = answering(shuffled)
    async with scripted_ws(script, reply=PCM_REPLY) as server, device_at(server, kind) as device:
        turn = await device.turn(speech)
    assert turn.out_of_order == 4, "3 after 1, 2 after 3, 4 after 2, 7 after 5"
    assert not turn.ok


async def test_a_poor_network_delays_and_loses_nothing() -> None:
    network = NetworkOptions(loss=0.1, jitter_s=0.02, latency_s=0.01)
    kind = DeviceKind(codec=AudioCodec.PCM, packet_number=number_of)
    speech = encode_speech("hello", SOUND, AudioCodec.PCM)
    async with scripted_ws(answering(numbered_packets(12)), reply=PCM_REPLY) as server:
        async with device_at(server, kind, network=network, seed=3) as device:
            turn = await device.turn(speech)
            lost = device.lost_segments
        assert tuple(server.only.packets[:5]) == speech.packets
    assert lost > 0
    assert (turn.account.frames, turn.out_of_order) == (12, 0)


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
    assert turn.problems == ("the server alerts Lo-Bug: I am ill.",)


async def test_a_face_without_words_ends_the_turn() -> None:
    async def script(conversation: Conversation) -> None:
        await conversation.read_packets(len(SPEECH.packets))
        await conversation.send("stt", text="hello bug")
        await conversation.send("llm", emotion="laughing")

    turn = await one_turn(script, reaction_s=0.1)
    assert (turn.problems, turn.emotions) == ((), ("laughing",))
    assert turn.first_audio_s is None


async def test_a_silent_server_is_given_up() -> None:
    async with scripted_ws(nothing_more) as server, device_at(server, reply_s=0.2) as device:
        turn = await device.turn(SPEECH)
        assert not device.connected, "what comes late must not answer the next turn"
    assert turn.problems == ("nothing came from the server for 0.2 s",)


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("{", "a text message is no JSON object with a type"),
        ('{"type":"alert","status":"x"}', "an alert has no status, message and emotion"),
        (b"\x03", "a packet holds no audio, not 60 ms"),
        (b"\x0b\x04" + bytes(20), "a packet holds 80 ms, not 60 ms"),
    ],
)
async def test_what_a_device_cannot_read_is_a_problem(message: str | bytes, problem: str) -> None:
    async def script(conversation: Conversation) -> None:
        await conversation.read_packets(len(SPEECH.packets))
        await conversation.send("tts", state="start")
        await conversation.socket.send(message)
        await conversation.send("tts", state="stop")

    turn = await one_turn(script)
    assert turn.problems == (problem,)


async def test_a_server_that_goes_in_the_middle_of_a_reply_is_a_problem() -> None:
    async def script(conversation: Conversation) -> None:
        await conversation.read_packets(len(SPEECH.packets))
        await conversation.send("tts", state="start")
        await conversation.send_audio(opus_packets(2))
        await conversation.socket.close(1011, "engine died")

    turn = await one_turn(script)
    assert turn.closed == "code 1011 engine died"
    assert turn.problems == ("the connection ended: code 1011 engine died",)


async def test_a_device_that_breaks_off_comes_back() -> None:
    faults = TurnFaults(disconnect_after_s=0.1)
    async with scripted_ws(answering(opus_packets(3))) as server:
        async with device_at(server) as device:
            broken = await device.turn(SPEECH, faults)
            assert not device.connected
            with pytest.raises(LinkError, match="not connected"):
                await device.turn(SPEECH)
            assert await device.connect_again(attempts=3) == 1
            whole = await device.turn(SPEECH)
        assert len(server.conversations) == 2
    assert (broken.problems, broken.closed, broken.provoked) == ((), "it broke off", True)
    assert whole.problems == ()


async def test_a_device_that_does_not_read_fills_the_connection() -> None:
    """The server cannot get rid of what it sends, and ends the connection."""
    blocked = asyncio.Event()

    async def script(conversation: Conversation) -> None:
        await conversation.read_packets(len(SPEECH.packets))
        await conversation.send("tts", state="start")
        await conversation.send_audio(opus_packets(1))
        try:
            async with asyncio.timeout(0.3):
                while True:
                    await conversation.send("llm", emotion="happy", text="x" * 60_000)
        except TimeoutError:
            blocked.set()
            conversation.socket.transport.abort()

    turn = await one_turn(script, faults=TurnFaults(stop_reading_s=0.5), reply_s=5.0)
    assert blocked.is_set()
    assert turn.provoked
    assert turn.closed == "it broke off"
    assert turn.problems == ()


async def test_a_server_without_a_hello_is_left() -> None:
    async with scripted_ws(nothing_more, greets=False) as server:
        device = SimulatedWsDevice(identity_of(None, 0), Endpoint(server.url), hello_s=0.1)
        with pytest.raises(LinkError, match=r"no hello from the server within 0\.1 s"):
            await device.connect()
        assert not device.connected


async def test_a_server_that_refuses_the_hello_says_why() -> None:
    async def script(conversation: Conversation) -> None:
        await conversation.socket.close(4002, "version 9 is not served")

    async with scripted_ws(script, greets=False) as server:
        device = SimulatedWsDevice(identity_of(None, 0), Endpoint(server.url))
        with pytest.raises(LinkError, match="4002 version 9 is not served"):
            await device.connect()


async def test_nobody_at_the_address() -> None:
    async with scripted_ws(nothing_more) as server:
        url = server.url
    device = SimulatedWsDevice(identity_of(None, 0), Endpoint(url))
    with pytest.raises(LinkError, match="cannot connect"):
        await device.connect_again(attempts=1)


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
