"""The streaming device in software with bad servers, bad networks, and faults of its own."""

from __future__ import annotations

import asyncio

import pytest

from lobug.devices.frames import AudioCodec
from lobug.simulator.discovery import Endpoint, identity_of
from lobug.simulator.link import LinkError, NetworkOptions
from lobug.simulator.recordings import encode_speech
from lobug.simulator.session import DeviceKind
from lobug.simulator.streaming_device import SimulatedWsDevice, TurnFaults
from support.scripted_ws import (
    PCM_REPLY,
    Conversation,
    number_of,
    numbered_packets,
    opus_packets,
    scripted_ws,
)
from support.streaming_device import (
    SOUND,
    SPEECH,
    answering,
    device_at,
    nothing_more,
    one_turn,
)


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


async def test_a_silent_server_is_given_up() -> None:
    async with scripted_ws(nothing_more) as server, device_at(server, reply_s=0.2) as device:
        turn = await device.turn(SPEECH)
        assert not device.connected, "what comes late must not answer the next turn"
    assert turn.problems == ("nothing came from the server for 0.2 s",)


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("{", "a text message is not a JSON object with a type"),
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
