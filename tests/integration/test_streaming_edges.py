"""The streaming door at its edges: places while a reply is only prepared, failures of what was
prepared, interruption at the very end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from lobug.devices.codec import Encoder, PcmDecoder
from lobug.devices.connection import Connection
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.devices.microphone import Microphone
from lobug.engines.base import ChatMessage, ChatOptions, Transcript
from lobug.errors import EngineInterruptedError
from lobug.memory.model import ConversationKey
from lobug.server import LobugServer
from lobug.turn.commitment import Commitment, LiveOptions
from lobug.turn.events import Done, ListeningEvent, SpeechEnded
from lobug.turn.stream import StreamClock
from lobug.turn.utterance import TranscribedUtterance
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import device, silence, tone, until
from support.patience import PATIENCE_S
from support.scripted import Reply, ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText


async def logged(server: LobugServer) -> list[str]:
    """The log of the only conversation."""
    owners = await server.memory.latest_conversations(10)
    return [m.content for o in owners for m in await server.memory.recent_messages(o, 50)]


async def turn_over(server: LobugServer, turns: int = 1) -> None:
    """Return once so many turns have been finished."""
    await until(lambda: len(server.telemetry.turns.newest(100)) >= turns)


async def test_a_button_that_is_held_holds_up_nobody_else(tmp_path: Path) -> None:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(["Take your time.", "It is noon."]),
        stt=ScriptedSpeechToText(("Well.", "How high is the sun?")),
    )
    settings = settings_for(
        tmp_path, limits={"max_concurrent_turns": 1}, listening={"interim_every_s": 0.0}
    )
    async with (
        running(settings, scripted) as (http, _server),
        device(str(http.base_url)) as thinking,
        device(str(http.base_url), "aa:bb:cc:dd:ee:02") as other,
    ):
        await thinking.listen(mode="manual")
        await thinking.send_audio(tone(0.6) + silence(0.3))
        await scripted.chat.wait_for_calls(1)
        await other.listen()
        await other.speak()
        await other.until_said("tts", state="stop")
        assert thinking.messages("stt") == []
        await thinking.listen("stop", mode="manual")
        await thinking.until_said("stt", text="Well.")
        await thinking.until_said("tts", state="stop")


@pytest.mark.parametrize("finished", [True, False])
async def test_a_button_that_is_held_holds_up_nobody_in_its_conversation(
    tmp_path: Path, finished: bool
) -> None:
    """``finished``: whether the reply that was prepared had been written to its end."""
    prepared: Reply = "Take your time." if finished else ["Take", asyncio.Event()]
    scripted = ScriptedEngines(
        chat=ScriptedChatModel([prepared, "It is noon.", "Well, what?"]),
        stt=ScriptedSpeechToText(("Well.",)),
    )
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.0})
    async with (
        running(settings, scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen(mode="manual")
        await client.send_audio(tone(0.6) + silence(0.3))
        await scripted.chat.wait_for_calls(1)
        typed = await http.post(
            "/chat/text",
            json={"text": "How high is the sun?"},
            headers={"Device-Id": "aa:bb:cc:dd:ee:01"},
        )
        assert typed.json() == {"response": "It is noon."}
        assert client.messages("stt") == []
        await client.listen("stop", mode="manual")
        await client.until_said("tts", state="stop")
        await turn_over(server, 2)
        assert await logged(server) == [
            "How high is the sun?",
            "It is noon.",
            "Well.",
            "Well, what?",
        ]
        assert client.messages("alert") == []


async def test_a_device_that_stops_sending_in_mid_utterance_is_answered(tmp_path: Path) -> None:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(["It is noon."]), stt=ScriptedSpeechToText(("How high is the sun?",))
    )
    settings = settings_for(tmp_path, listening={"end_silence_s": 0.25, "stalled_s": 0.05})
    async with (
        running(settings, scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen()
        await client.send_audio(tone(0.6))  # it has voice detection of its own: no silence follows
        await client.until_said("stt", text="How high is the sun?")
        await client.until_said("tts", state="stop")
        await turn_over(server)
        assert await logged(server) == ["How high is the sun?", "It is noon."]


async def test_what_failed_while_it_was_prepared_is_tried_again(tmp_path: Path) -> None:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel([EngineInterruptedError("chat", "a hiccup"), "It is noon."]),
        stt=ScriptedSpeechToText(("How high is the sun?",)),
    )
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.0})
    async with (
        running(settings, scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen(mode="manual")
        await client.send_audio(tone(0.6) + silence(0.3))
        await scripted.chat.wait_for_calls(1)
        # It lets go of its place.
        await until(lambda: server.priority.turns == 0)
        await client.listen("stop", mode="manual")
        await client.until_said("tts", state="stop")
        await turn_over(server)
        assert client.messages("alert") == []
        assert await logged(server) == ["How high is the sun?", "It is noon."]


@pytest.mark.parametrize("mode", ["auto", "manual", "realtime"])
@pytest.mark.parametrize("sound", [silence(0.5), tone(0.5)])
async def test_who_said_stop_learns_that_there_were_no_words(
    tmp_path: Path, mode: str, sound: bytes
) -> None:
    noise = Transcript("", "en", 0.99, -2.0, 1.0)
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(transcript=noise))
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.0})
    async with (
        running(settings, scripted) as (http, _server),
        device(str(http.base_url)) as client,
    ):
        await client.listen(mode=mode)
        await client.send_audio(sound)
        await client.listen("stop")
        await client.until_said("llm", emotion="confused")
        assert client.messages("stt") == []


async def test_who_still_listens_is_not_told_of_noise(tmp_path: Path) -> None:
    noise = Transcript("", "en", 0.99, -2.0, 1.0)
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(transcript=noise))
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.0})
    async with (
        running(settings, scripted) as (http, _server),
        device(str(http.base_url)) as client,
    ):
        await client.listen()
        await client.speak()
        await until(lambda: len(scripted.stt.heard) == 1)
        scripted.stt.transcript = None
        await client.speak()
        await client.until_said("tts", state="stop")
        assert "confused" not in [m["emotion"] for m in client.messages("llm")]


class SpokenOver:
    """Plays all that it is given; then somebody speaks, a moment before the end is announced."""

    def __init__(self, pieces: int) -> None:
        self.interrupted = False
        self._pieces = pieces

    async def wait_interrupted(self) -> None:
        await asyncio.Event().wait()

    async def finished(self) -> None:
        self.interrupted = True

    def played(self) -> list[tuple[int, float]]:
        return [(index, 1.0) for index in range(self._pieces)]


@pytest.mark.parametrize(
    ("heard", "stored"),
    [
        (2, "It is noon. Lunch is ready."),
        (1, "It is noon. [interrupted]"),
    ],
)
async def test_a_reply_that_was_heard_to_its_end_was_not_interrupted(
    tmp_path: Path, heard: int, stored: str
) -> None:
    scripted = ScriptedEngines(chat=ScriptedChatModel(["It is noon. Lunch is ready."]))
    async with running(settings_for(tmp_path), scripted) as (_http, server):
        commitment = Commitment()
        commitment.make()
        events = server.turns.run(
            ConversationKey("ada", "ada/desk"),
            TranscribedUtterance("How high is the sun?", "en"),
            voice=True,
            live=LiveOptions(commitment, SpokenOver(heard)),
        )
        done = [event async for event in events][-1]
        assert isinstance(done, Done)
        assert done.interrupted == (heard == 1)
        assert await logged(server) == ["How high is the sun?", stored]


class SlowToStop(ScriptedChatModel):
    """A model in the middle of reading a prompt: it can be stopped, but not at once."""

    def __init__(self, replies: Sequence[Reply]) -> None:
        super().__init__(replies)
        self.stopping = asyncio.Event()
        self.may_stop = asyncio.Event()

    async def stream(
        self, messages: Sequence[ChatMessage], options: ChatOptions
    ) -> AsyncGenerator[str]:
        try:
            async for piece in super().stream(messages, options):
                yield piece
        except asyncio.CancelledError:
            self.stopping.set()
            await self.may_stop.wait()
            raise


async def test_words_from_before_a_new_listening_are_not_answered_in_it(tmp_path: Path) -> None:
    reply = "The train to the city leaves at nine."
    chat = SlowToStop([reply, [asyncio.Event()], "Why not?", "Okay."])
    scripted = ScriptedEngines(
        chat=chat, stt=ScriptedSpeechToText(("When?", f"{reply} Why is that?", "Wait a moment."))
    )
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.0})
    async with (
        running(settings, scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen(mode="realtime")
        await client.speak()
        await client.until_said("tts", state="stop")
        await turn_over(server)
        # The end of the reply comes back, and a person speaks into it.
        await client.send_audio(tone(0.6) + silence(0.3))
        await chat.wait_for_calls(2)
        await client.send_audio(silence(1.5))
        await asyncio.wait_for(chat.stopping.wait(), PATIENCE_S)
        await client.listen(mode="manual")
        await client.socket.send("{")
        await client.until_said("alert")  # so the message before was taken
        chat.may_stop.set()
        await client.send_audio(tone(0.6) + silence(0.3))
        await client.listen("stop", mode="manual")
        await client.until_said("stt", text="Wait a moment.")
        await client.until_said("tts", count=2, state="stop")
        assert [m["text"] for m in client.messages("stt")] == ["When?", "Wait a moment."]


async def test_a_reply_that_could_not_be_played_is_not_remembered_as_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(self: Connection, rate: int) -> Encoder:
        raise RuntimeError("no encoder")

    monkeypatch.setattr(Connection, "encoder", broken)
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(["It is noon."]), stt=ScriptedSpeechToText(("How high is the sun?",))
    )
    async with (
        running(settings_for(tmp_path), scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen()
        await client.speak()
        await client.until_said("tts", state="stop")
        await turn_over(server)
        assert await logged(server) == ["How high is the sun?", "[interrupted]"]
        assert "a reply could not be played to its end" in caplog.messages


def test_a_stream_is_timed_anew_after_what_was_not_listened_to() -> None:
    now = 100.0
    clock = StreamClock()
    for _ in range(10):
        now += 0.06
        clock.arrived(0.06, now)
    clock.skip()
    now += 0.8  # of audio that was not listened to
    for _ in range(10):
        now += 0.06
        clock.arrived(0.06, now)
    assert clock.at(clock.fed_s) == pytest.approx(now)


class Wire:
    """What a device's ears need of its connection."""

    def decoder(self) -> PcmDecoder:
        return PcmDecoder(AudioFormat(AudioCodec.PCM, 16_000, 60.0))

    async def compute(self, work: Callable[[], Any]) -> Any:
        return work()


async def ended(events: AsyncGenerator[ListeningEvent]) -> SpeechEnded:
    """The next end of an utterance."""
    async for event in events:
        if isinstance(event, SpeechEnded):
            return event
    raise AssertionError("nobody has finished")


async def test_what_is_said_after_a_stall_is_timed_as_it_was_spoken(tmp_path: Path) -> None:
    scripted = ScriptedEngines()
    settings = settings_for(tmp_path, listening={"end_silence_s": 0.25, "stalled_s": 1.0})
    now = 100.6
    wire: Any = Wire()
    hearing = Microphone(
        scripted.gate, scripted.stt, lambda: settings, wire, lambda: now, busy=lambda: True
    )
    hearing.start("realtime")
    packets = [tone(0.2)] * 3
    for packet in packets:
        hearing.decode(packet)
    now += 1.25  # of nothing
    async with aclosing(hearing.events()) as events:
        event = await ended(events)
        assert hearing.moment(event.speech_end_s) == pytest.approx(now - 1.25, abs=0.04)
        for packet in packets:
            now += 0.2
            hearing.decode(packet)
        now += 1.25
        event = await ended(events)
        assert hearing.moment(event.speech_end_s) == pytest.approx(now - 1.25, abs=0.04)
    await hearing.close()
