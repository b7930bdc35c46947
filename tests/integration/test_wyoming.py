"""The Wyoming door, used by the library's own client over real sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner
from wyoming.asr import Transcribe, Transcript, TranscriptChunk
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info
from wyoming.ping import Ping, Pong
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeVoice,
)

from lobug import __version__
from lobug.cli.app import app
from lobug.engines.base import BACKGROUND_LANE, ChatMessage, ChatOptions
from lobug.errors import EngineTimeoutError, EngineUnavailableError
from support.app_server import ScriptedEngines
from support.device_client import until
from support.home_assistant import TOKEN, ScriptedHome, answer, done
from support.patience import PATIENCE_S
from support.scripted import ChatCall, Reply, ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText, ScriptedTextToSpeech
from support.wav import tone
from support.wyoming_kit import (
    RATE,
    SPEECH,
    OpenDoor,
    ask,
    open_door,
    pcm16,
    reply_to,
    say,
    sound_of,
    until_type,
)


def chat(reply: Reply = "I see.") -> ScriptedChatModel:
    def answer(_: object, options: ChatOptions) -> Reply:
        return "[]" if options.lane == BACKGROUND_LANE else reply

    return ScriptedChatModel(answer)


def turn_calls(scripted: ScriptedEngines) -> list[ChatCall]:
    return [call for call in scripted.chat.calls if call.options.lane != BACKGROUND_LANE]


@pytest.fixture
def scripted() -> ScriptedEngines:
    return ScriptedEngines(
        chat=chat(), stt=ScriptedSpeechToText(texts=["Turn left at the old mill."])
    )


@pytest.fixture
async def door(tmp_path: Path, scripted: ScriptedEngines) -> AsyncIterator[OpenDoor]:
    async with open_door(tmp_path, scripted) as opened:
        yield opened


async def test_it_is_off_until_it_is_switched_on(tmp_path: Path, scripted: ScriptedEngines) -> None:
    async with open_door(tmp_path, scripted, wyoming={"enabled": False}) as opened:
        assert opened.door.port is None
        assert opened.door.fault is None


async def test_describe(door: OpenDoor) -> None:
    async with door.client() as client:
        await client.write_event(Describe().event())
        event = await client.read_event()
        assert event is not None
        info = Info.from_event(event)
        await client.write_event(Ping("are you there?").event())
        event = await client.read_event()
        assert event is not None
        assert Pong.from_event(event).text == "are you there?"
    (asr,), (tts,), (handle,) = info.asr, info.tts, info.handle
    assert {asr.name, tts.name, handle.name} == {"Lo-Bug"}
    assert {asr.version, tts.version, handle.version} == {__version__}
    assert asr.supports_transcript_streaming
    assert asr.requires_external_vad
    assert tts.supports_synthesize_streaming
    assert not handle.supports_home_control
    assert asr.models[0].languages == tts.voices[0].languages == ["en"]
    assert not info.intent
    assert not info.wake
    assert info.satellite is None


# ---- speech-to-text


async def test_a_transcript(door: OpenDoor, scripted: ScriptedEngines) -> None:
    async with door.client() as client:
        await client.write_event(Transcribe(language="en").event())
        await say(client)
        events = await until_type(client, "transcript-stop")
    assert [event.type for event in events] == [
        "transcript-start", "transcript-chunk", "transcript", "transcript-stop",
    ]  # fmt: skip
    assert Transcript.from_event(events[2]).text == "Turn left at the old mill."
    assert Transcript.from_event(events[2]).language == "en"
    assert TranscriptChunk.from_event(events[1]).text == "Turn left at the old mill."
    heard = scripted.stt.heard[-1]
    assert 0.8 * RATE <= len(heard) <= 1.4 * RATE
    assert await door.counted('lobug_wyoming_requests_total{outcome="ok",service="stt"}') == 1


async def test_words_are_told_while_somebody_speaks(tmp_path: Path) -> None:
    texts = ["Turn left.", "Turn left at.", "Turn left at the old mill."]
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(texts=texts))
    more = {"listening": {"interim_every_s": 0.2}}
    async with open_door(tmp_path, scripted, **more) as door, door.client() as client:
        await client.write_event(AudioStart(RATE, 2, 1).event())
        chunks: list[str] = []
        while not chunks:  # the sound goes on until two transcripts agree on a word
            piece = AudioChunk(RATE, 2, 1, pcm16(tone(0.1))).event()
            await client.write_event(piece)
            await asyncio.sleep(0.01)
            if len(scripted.stt.heard) >= 2:
                events = await until_type(client, "transcript-chunk")
                chunks = [TranscriptChunk.from_event(e).text for e in events[-1:]]
        assert chunks == ["Turn"]
        await client.write_event(AudioStop().event())
        events = await until_type(client, "transcript-stop")
    chunks += [TranscriptChunk.from_event(e).text for e in events if e.type == "transcript-chunk"]
    final = next(Transcript.from_event(e).text for e in events if e.type == "transcript")
    assert "".join(chunks) == final == "Turn left at the old mill."


async def test_silence_is_an_empty_transcript(door: OpenDoor, scripted: ScriptedEngines) -> None:
    async with door.client() as client:
        for pcm in (b"\0" * 2 * RATE, b""):
            await say(client, pcm)
            events = await until_type(client, "transcript-stop")
            assert [e.type for e in events] == ["transcript-start", "transcript", "transcript-stop"]
            assert Transcript.from_event(events[1]).text == ""
    assert not scripted.stt.heard


@pytest.mark.parametrize(
    ("rate", "width", "channels"),
    [(8_000, 2, 1), (44_100, 2, 2), (48_000, 4, 1), (48_000, 3, 2), (16_000, 1, 1)],
)
async def test_other_formats(
    door: OpenDoor, scripted: ScriptedEngines, rate: int, width: int, channels: int
) -> None:
    samples = np.repeat(tone(1.0, rate), channels).astype(np.float64)
    if width == 1:
        pcm = (samples * 127 + 128).astype("u1").tobytes()
    elif width == 3:
        wide = (samples * (2**31 - 1)).astype("<i4").view("u1").reshape(-1, 4)
        pcm = wide[:, 1:].tobytes()
    else:
        pcm = (samples * (2 ** (8 * width - 1) - 1)).astype(f"<i{width}").tobytes()
    async with door.client() as client:
        step = 1_000 * width * channels
        await client.write_event(AudioStart(rate, width, channels).event())
        for at in range(0, len(pcm), step):
            chunk = AudioChunk(rate, width, channels, pcm[at : at + step])
            await client.write_event(chunk.event())
        await client.write_event(AudioStop().event())
        events = await until_type(client, "transcript")
    assert Transcript.from_event(events[-1]).text == "Turn left at the old mill."
    heard = scripted.stt.heard[-1]
    assert len(heard) == pytest.approx(RATE, abs=RATE // 20)
    spectrum = np.abs(np.fft.rfft(heard))
    assert np.argmax(spectrum) * RATE / len(heard) == pytest.approx(440, abs=5)
    assert 0.4 < np.abs(heard[RATE // 4 : RATE // 2]).max() < 0.6


async def test_a_whole_recording_at_once_and_another_after_it(
    door: OpenDoor, scripted: ScriptedEngines
) -> None:
    """Without ``audio-start``, in one event, faster than anybody speaks."""
    recording = pcm16(tone(20.0))
    async with door.client() as client:
        for count in (1, 2):
            await client.write_event(AudioChunk(RATE, 2, 1, recording).event())
            await client.write_event(AudioStop().event())
            events = await until_type(client, "transcript-stop")
            assert Transcript.from_event(events[-2]).text == "Turn left at the old mill."
            assert len(scripted.stt.heard) >= count


async def test_speech_to_text_that_fails(door: OpenDoor, scripted: ScriptedEngines) -> None:
    scripted.stt.fail = EngineTimeoutError("stt", "the script says so")
    async with door.client() as client:
        await say(client)
        events = await until_type(client, "error")
        assert Error.from_event(events[-1]).code == "engine_timeout"
        assert Error.from_event(events[-1]).text == EngineTimeoutError.spoken
        assert await client.read_event() is None
    assert (
        await door.counted('lobug_wyoming_requests_total{outcome="engine_timeout",service="stt"}')
        == 1
    )


# ---- text-to-speech


async def test_a_text_is_spoken_sentence_by_sentence(
    door: OpenDoor, scripted: ScriptedEngines
) -> None:
    async with door.client() as client:
        voice = SynthesizeVoice(name="whoever")
        await client.write_event(Synthesize("It is 5 km. Take **care**!", voice=voice).event())
        events = await until_type(client, "audio-stop")
    start = AudioStart.from_event(events[0])
    assert (start.rate, start.width, start.channels) == (24_000, 2, 1)
    assert {e.type for e in events[1:-1]} == {"audio-chunk"}
    assert scripted.tts.spoken == ["It is five kilometers.", "Take care!"]
    samples = np.frombuffer(sound_of(events), "<i2")
    assert len(samples) > 24_000 * 0.2
    assert 0.25 < np.abs(samples).max() / 32_767 < 0.35


async def test_a_text_that_comes_in_pieces_is_spoken_as_it_comes(
    door: OpenDoor, scripted: ScriptedEngines
) -> None:
    async with door.client() as client:
        await client.write_event(SynthesizeStart().event())
        await client.write_event(SynthesizeChunk("The kettle is on. And the ").event())
        events = await until_type(client, "audio-chunk")  # while the second sentence is missing
        await client.write_event(SynthesizeChunk("tea is ready.").event())
        whole = "The kettle is on. And the tea is ready."
        await client.write_event(Synthesize(whole).event())  # for older servers; not said again
        await client.write_event(SynthesizeStop().event())
        events += await until_type(client, "synthesize-stopped")
        assert [e.type for e in events if e.type != "audio-chunk"] == [
            "audio-start", "audio-stop", "synthesize-stopped",
        ]  # fmt: skip
        assert scripted.tts.spoken == ["The kettle is on.", "And the tea is ready."]
        await client.write_event(Synthesize("Once more.").event())
        assert (await until_type(client, "audio-stop"))[0].type == "audio-start"


async def test_a_voice_that_fails(door: OpenDoor, scripted: ScriptedEngines) -> None:
    scripted.tts.fail = EngineUnavailableError("tts", "the script says so")
    async with door.client() as client:
        await client.write_event(Synthesize("Hello.").event())
        (event,) = await until_type(client, "error")
        assert Error.from_event(event).code == "engine_unavailable"


async def test_who_hangs_up_is_no_longer_spoken_to(tmp_path: Path) -> None:
    held = asyncio.Event()
    scripted = ScriptedEngines(tts=ScriptedTextToSpeech(gate=held))
    async with open_door(tmp_path, scripted) as door:
        async with door.client() as client:
            await client.write_event(Synthesize("Hello. Hello again.").event())
            await until(lambda: door.server.priority.turns > 0)
        await until(lambda: door.server.priority.turns == 0)
    assert scripted.tts.spoken == []


# ---- conversation


async def test_a_turn_with_memory(door: OpenDoor, scripted: ScriptedEngines) -> None:
    context = {"conversation_id": "01J", "device_id": "d1", "satellite_id": "assist_satellite.desk"}
    event = await ask(door, "My name is Ada.", **context)
    assert Handled.from_event(event).text == "I see."
    assert Handled.from_event(event).context == {"conversation_id": "01J"}
    # Home Assistant has begun a new conversation, but it is the same satellite.
    await reply_to(door, "Tell me something nice.", **{**context, "conversation_id": "01K"})
    prompt = turn_calls(scripted)[-1].prompt
    assert "My name is Ada." in prompt
    known = (await door.http.get("/memory/users")).json()["users"]
    assert [person["user"] for person in known] == ["wyoming:d1"]
    turns = (await door.http.get("/turns")).json()["turns"]
    assert {turn["door"] for turn in turns} == {"wyoming"}


async def test_memory_never_crosses(tmp_path: Path, scripted: ScriptedEngines) -> None:
    users = {"wyoming:assist_satellite.kitchen": "ada", "wyoming:d-hall": "ada"}
    async with open_door(tmp_path, scripted, conversation={"users": users}) as door:
        await reply_to(door, "Remember that my bike is in the cellar.", device_id="d-attic")
        await reply_to(
            door,
            "Remember that my key is under the mat.",
            device_id="d-kitchen",
            satellite_id="assist_satellite.Kitchen",
        )
        hall = await reply_to(door, "What do you know about me?", device_id="d-hall")
        attic = await reply_to(door, "What do you know about me?", device_id="d-attic")
        page = await reply_to(door, "What do you know about me?", conversation_id="01J")
        known = (await door.http.get("/memory/users")).json()["users"]
    assert "key" in hall
    assert "bike" not in hall
    assert "bike" in attic
    assert "key" not in attic
    assert "bike" not in page
    assert "key" not in page
    assert {person["user"] for person in known} == {"ada", "wyoming:d-attic", "wyoming:127.0.0.1"}


async def test_a_satellite_is_a_person_of_its_own_until_it_is_named(
    tmp_path: Path, scripted: ScriptedEngines
) -> None:
    desk = {"device_id": "D1", "satellite_id": "assist_satellite.desk"}
    async with open_door(tmp_path, scripted) as door:
        await reply_to(door, "Remember that my bike is in the cellar.", **desk)
        await reply_to(door, "Hello there.", conversation_id="01J")
        known = (await door.http.get("/wyoming/satellites")).json()["satellites"]
        assert [(one["id"], one["entity"], one["address"], one["user"]) for one in known] == [
            ("d1", "assist_satellite.desk", "127.0.0.1", None),
            ("127.0.0.1", "", "127.0.0.1", None),
        ]
        named = await door.http.patch("/wyoming/satellites/d1", json={"user": "ada"})
        assert named.json()["user"] == "ada"
        assert "bike" not in await reply_to(door, "What do you know about me?", **desk)
        unknown = await door.http.patch("/wyoming/satellites/d2", json={"user": "ada"})
        assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "satellite_unknown")
        stranger = {"Authorization": "Bearer lobug_x"}
        for answer in (
            await door.http.get("/wyoming/satellites", headers=stranger),
            await door.http.patch("/wyoming/satellites/d1", json={"user": "x"}, headers=stranger),
        ):
            assert answer.status_code == 401
    settings = {"LOBUG_DATA_DIR": str(tmp_path / "data"), "LOBUG_PORT": "9", "COLUMNS": "200"}
    runner = CliRunner(env=settings)
    shown = await asyncio.to_thread(runner.invoke, app, ["wyoming", "list"])
    assert "assist_satellite.desk" in shown.output
    assert "ada" in shown.output
    back = ["wyoming", "name", "assist_satellite.desk", ""]
    assert "d1" in (await asyncio.to_thread(runner.invoke, app, back)).output
    async with open_door(tmp_path, scripted) as door:  # after a restart
        assert "bike" in await reply_to(door, "What do you know about me?", **desk)


async def test_satellites_beyond_the_limit_are_answered_and_not_kept(
    tmp_path: Path, scripted: ScriptedEngines
) -> None:
    async with open_door(tmp_path, scripted, access={"max_devices": 2}) as door:
        for number in range(4):
            await reply_to(door, "Hello there.", device_id=f"d{number}")
        known = (await door.http.get("/wyoming/satellites")).json()["satellites"]
    assert [one["id"] for one in known] == ["d0", "d1"]


async def test_two_pages_of_home_assistant_have_conversations_of_their_own(
    door: OpenDoor, scripted: ScriptedEngines
) -> None:
    await reply_to(door, "Let us talk about penguins.", conversation_id="01A")
    await reply_to(door, "And what else?", conversation_id="01B")
    assert "penguins" not in turn_calls(scripted)[-1].prompt
    await reply_to(door, "Go on.", conversation_id="01A")
    assert "penguins" in turn_calls(scripted)[-1].prompt


async def test_an_order_that_cannot_be_carried_out_is_not_handled(door: OpenDoor) -> None:
    event = await ask(door, "Turn on the light in the kitchen.")
    assert NotHandled.is_type(event.type)
    assert NotHandled.from_event(event).text


async def test_an_order_counts_as_handled_only_if_the_house_carried_it_out(
    tmp_path: Path, scripted: ScriptedEngines
) -> None:
    async with ScriptedHome() as home:
        home.room("Kitchen")
        home.answers["turn on the kitchen light"] = answer("error", "No.", "failed_to_handle")
        home.answers["turn off the kitchen light"] = done("Turned off the light")
        section = {"url": home.url, "token": TOKEN}
        async with open_door(tmp_path, scripted, home=section) as door:
            house = door.server.house
            assert house is not None
            async with asyncio.timeout(PATIENCE_S):
                while not house.state().names:  # noqa: ASYNC110 - the state of another program
                    await asyncio.sleep(0.01)
            failed = await ask(door, "Turn on the kitchen light.")
            assert NotHandled.is_type(failed.type)
            assert Handled.is_type((await ask(door, "Turn off the kitchen light.")).type)
        async with open_door(tmp_path, scripted, home={**section, "token": "wrong"}) as door:
            assert NotHandled.is_type((await ask(door, "Turn off the kitchen light.")).type)


async def test_a_turn_that_fails_is_an_error(door: OpenDoor, scripted: ScriptedEngines) -> None:
    scripted.chat.fail = EngineUnavailableError("chat", "the script says so")
    event = await ask(door, "Tell me a story.")
    assert Error.from_event(event).code == "engine_unavailable"
    assert Error.from_event(event).text == EngineUnavailableError.spoken
    scripted.chat.fail = None
    assert await reply_to(door, "Tell me a story.") == "I see."


async def test_who_hangs_up_is_no_longer_thought_about(tmp_path: Path) -> None:
    held = asyncio.Event()

    def reply(_: Sequence[ChatMessage], options: ChatOptions) -> Reply:
        return "[]" if options.lane == BACKGROUND_LANE else ["Once upon ", held, "a time."]

    scripted = ScriptedEngines(chat=ScriptedChatModel(reply))
    async with open_door(tmp_path, scripted) as door:
        async with door.client() as client:
            await client.write_event(Event("transcript", {"text": "Tell me a story."}))
            await until(lambda: bool(turn_calls(scripted)))
        await until(lambda: turn_calls(scripted)[0].cancelled)
        await until(lambda: door.server.priority.turns == 0)


# ---- the door itself


async def test_a_port_that_another_program_has_is_told(
    tmp_path: Path, scripted: ScriptedEngines
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        async with open_door(tmp_path, scripted, wyoming={"port": port}) as door:
            health = (await door.http.get("/health")).json()
            assert health["status"] == "ok"
            (fault,) = [one for one in health["degraded"] if one.startswith("wyoming: ")]
            assert str(port) in fault
            assert "LOBUG_WYOMING__PORT" in fault


async def test_closing_ends_connections_and_leaves_nothing(
    tmp_path: Path, scripted: ScriptedEngines
) -> None:
    before = asyncio.all_tasks()
    async with open_door(tmp_path, scripted) as door:
        client, busy = door.client(), door.client()
        await client.connect()
        await busy.connect()
        await busy.write_event(AudioChunk(RATE, 2, 1, SPEECH).event())
        await client.write_event(Describe().event())
        assert (await client.read_event()) is not None
    assert await client.read_event() is None
    assert await busy.read_event() is None
    await client.disconnect()
    await busy.disconnect()
    assert asyncio.all_tasks() <= before
