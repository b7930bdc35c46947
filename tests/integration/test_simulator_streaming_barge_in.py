"""How the streaming device in software interrupts a reply, and what it hears of it then."""

from __future__ import annotations

import pytest

from lobug.devices.messages import ListenMode
from lobug.simulator.session import DeviceKind
from lobug.simulator.streaming_device import BargeIn, TurnFaults
from support.scripted_ws import (
    Conversation,
    Script,
    opus_packets,
    scripted_ws,
)
from support.streaming_device import (
    LISTEN_AUTO,
    SPEECH,
    answering,
    device_at,
    nothing_more,
    one_turn,
)


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
