"""What falls due is said on devices: over real sockets, with scripted engines and an own clock."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from lobug.agenda.alerts import Alert
from lobug.devices import session
from lobug.simulator.discovery import Endpoint, Identity
from lobug.simulator.protocol import Event, State
from lobug.simulator.session import DeviceKind
from lobug.simulator.streaming_device import SimulatedWsDevice
from support.app_server import ScriptedEngines
from support.device_client import DeviceClient, silence, tone, until
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.unasked_kit import DESK, KITCHEN, House, house, said, until_over

RINGS = "Your pasta timer is done."


async def loud(house: House) -> list[Alert]:
    """What was not silenced."""
    return [alert for alert in await house.alerts() if alert.silenced_at is None]


async def until_silenced(house: House) -> None:
    """Return once everything that rings was silenced."""
    while await loud(house):  # noqa: ASYNC110 - nobody tells of it
        await asyncio.sleep(0.02)


async def begin_ring(house: House, client: DeviceClient) -> None:
    """Let a timer ring on the desk, and return once it can be heard."""
    await house.set("timer", "pasta")
    house.pass_s(60)
    await client.until_said("tts", state="sentence_start", text=RINGS)
    await client.until(lambda: len(client.audio()) > 30_000)


async def test_a_timer_rings_with_a_chime_until_its_limit(tmp_path: Path) -> None:
    async with house(tmp_path) as here, here.connect() as client:
        await begin_ring(here, client)
        await client.until_said("tts", count=2, state="stop")
        await until_over(here)
        kinds = [m["type"] if isinstance(m, dict) else "audio" for m in client.received]
        start = client.received.index(client.messages("tts")[0])
        assert kinds[start - 1] == "llm"
        states = [m["state"] for m in client.messages("tts")][:3]
        assert states == ["start", "sentence_start", "stop"]
        # The chime and the words, which take ten milliseconds a character.
        rate = client.messages("hello")[0]["audio_params"]["sample_rate"]
        assert len(client.audio()) / 2 / rate >= 2 * (1.2 + 0.01 * len(RINGS))
        assert set(said(client)) == {RINGS}
        assert await here.logged(DESK) == [RINGS]


async def test_a_touch_silences_a_ring_for_good(tmp_path: Path) -> None:
    async with house(tmp_path) as here, here.connect() as client:
        await begin_ring(here, client)
        await client.say(type="abort")
        await client.until_said("tts", state="stop")
        await until_silenced(here)
        count = len(said(client))
        await until_over(here)  # after the time in which it could be snoozed
        assert len(said(client)) == count == 1


async def test_a_device_that_listens_by_itself_silences_nothing(tmp_path: Path) -> None:
    async with house(tmp_path) as here, here.connect() as client:
        await here.set("timer", "pasta")
        here.pass_s(60)
        await client.until_said("tts", state="start")
        await client.listen()  # sent before it knew of the ring
        await client.until_said("tts", state="stop")
        await client.listen()  # as firmware does after each `tts stop` in auto mode
        await client.until_said("tts", count=2, state="start")
        await client.until(lambda: len(client.audio()) > 100_000)
        (alert,) = await here.alerts()
        assert alert.silenced_at is None
        await client.listen()  # the button, while it rings
        await until_silenced(here)


async def test_stop_by_a_word_ends_a_ring(tmp_path: Path) -> None:
    async with house(tmp_path) as here, here.connect() as client:
        await begin_ring(here, client)
        (alert,) = await here.alerts()
        await here.server.agenda.alerts.finish([alert.id])  # as the skill does
        await client.until_said("tts", state="stop")
        await asyncio.sleep(0.5)
        assert said(client) == [RINGS]


async def test_a_reply_is_not_cut(tmp_path: Path) -> None:
    reply = "A long story about a bug that lived in a box on a desk."
    scripted = ScriptedEngines(chat=ScriptedChatModel([reply]))
    async with house(tmp_path, scripted) as here, here.connect() as client:
        await here.set("timer", "pasta")
        await client.listen()
        await client.speak()
        await client.until_said("tts", state="sentence_start")
        here.pass_s(60)
        await client.until_said("tts", state="sentence_start", text=RINGS)
        assert said(client)[0] == reply
        states = [m["state"] for m in client.messages("tts")]
        assert states[:5] == ["start", "sentence_start", "stop", "start", "sentence_start"]
        log = await here.logged(DESK)
        assert log[:2] == ["Hello.", reply]


async def test_nobody_is_talked_over(tmp_path: Path) -> None:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(["Yes."]), stt=ScriptedSpeechToText(("Are you there?",))
    )
    async with house(tmp_path, scripted) as here, here.connect() as client:
        await here.set("timer", "pasta")
        await client.listen()
        await client.send_audio(tone(0.6))
        await asyncio.sleep(0.3)
        here.pass_s(60)
        await client.send_audio(tone(0.6))
        await asyncio.sleep(0.3)
        assert not client.messages("tts")
        await client.send_audio(tone(0.3) + silence(1.5))
        await client.until_said("tts", state="sentence_start", text=RINGS)
        assert said(client)[0] == "Yes."


async def test_a_television_that_was_talked_over_is_not_taken_for_a_person_who_speaks_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_PATIENCE_S", 0.2)
    listening = {"stalled_s": 10 * PATIENCE_S}
    async with house(tmp_path, listening=listening) as here, here.connect() as client:
        await here.set("timer", "pasta")
        await client.listen()
        await client.send_audio(tone(1.2))
        await until(lambda: here.server.priority.busy)
        here.pass_s(60)
        # What the device hears while it rings is not listened to, so no end of the speech comes.
        await client.until_said("tts", state="start")
        assert not here.server.priority.busy
        await client.until_said("tts", state="stop")


async def test_it_rings_elsewhere_and_moves_back(tmp_path: Path) -> None:
    async with house(tmp_path) as here, here.connect(KITCHEN) as kitchen:
        await here.set("alarm", "", in_s=60)
        here.pass_s(60)
        await kitchen.until_said("tts", state="stop")
        async with here.connect() as desk:
            await desk.until_said("tts", state="stop")
            heard = len(said(kitchen))
            await desk.until_said("tts", count=2, state="start")
            assert len(said(kitchen)) == heard
        await kitchen.socket.close()
        await until(lambda: not here.server.connections.sessions())
        await until_over(here)
        assert await _waiting(here) == []  # it was heard, though not to its limit


async def test_a_reminder_is_said_twice_then_waits_for_the_next_contact(tmp_path: Path) -> None:
    async with house(tmp_path) as here, here.connect() as client:
        await here.set("reminder", "to call my mum")
        here.pass_s(60)
        await client.until_said("tts", count=2, state="stop")
        await until_over(here)
        assert said(client) == ["Reminder: call your mum."] * 2
        assert [one.said_at is not None for one in await _waiting(here)] == [True]


async def _waiting(house: House) -> list[Any]:
    claimed = await house.server.agenda.waiting.claim("ada")
    house.server.agenda.waiting.release([one.id for one in claimed])
    return claimed


async def test_whoever_answers_is_not_reminded_again(tmp_path: Path) -> None:
    async with house(tmp_path) as here, here.connect() as client:
        await here.set("reminder", "to call my mum")
        here.pass_s(60)
        await client.until_said("tts", state="stop")
        await client.listen()
        await client.speak()
        await client.until_said("tts", count=2, state="stop")
        await until_over(here)
        assert said(client) == ["Reminder: call your mum.", "Okay."]
        assert await _waiting(here) == []


async def test_what_nobody_could_hear_is_said_when_a_device_comes(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        await here.set("timer", "pasta")
        here.pass_s(60)
        await until(lambda: any(ring.noted for ring in here.server.schedule._rings.values()))
        await until_over(here)
        async with here.connect() as client:
            await client.until_said("tts", state="stop")
            assert said(client) == ["Your pasta timer ran out at 10:14 at night."]
            await until(lambda: not here.server.schedule._tellers)
        async with here.connect(KITCHEN) as other:
            await asyncio.sleep(0.6)
            assert said(other) == []


async def test_the_simulator_hears_a_ring_and_stops_it_by_its_button(tmp_path: Path) -> None:
    async with house(tmp_path) as here:
        url = f"{str(here.client.base_url).replace('http', 'ws')}/xiaozhi/v1/"
        kind = DeviceKind(keep_audio=True)
        async with SimulatedWsDevice(Identity(DESK, "test"), Endpoint(url), kind) as simulated:
            await simulated.connect()
            await here.set("timer", "pasta")
            here.pass_s(60)
            first = await simulated.unasked()
            assert first.sentences == (RINGS,)
            assert first.problems == ()
            assert first.account.seconds > 1.4
            assert first.wav
            assert first.record()["event"] == "unasked"
            # It has listened by itself since; now somebody presses the button while it rings.
            await until(lambda: simulated._session.machine.state is State.SPEAKING)  # type: ignore[union-attr]
            await asyncio.sleep(0.3)
            simulated._session.press(Event.BUTTON)  # type: ignore[union-attr]
            await until_silenced(here)


async def test_an_idle_device_stays_connected_while_something_is_due(tmp_path: Path) -> None:
    async with house(tmp_path, streaming={"idle_timeout_s": 0.4}) as here:
        async with here.connect(KITCHEN) as client:
            await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
            assert client.socket.close_code == 4006
        alert = await here.set("timer", "pasta", in_s=0.7)
        async with here.connect() as client:
            await asyncio.sleep(1.2)  # three times what an idle device is given
            assert not client.closed.is_set()
            await here.server.agenda.alerts.cancel("ada", [alert.id])
            await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
