"""The streaming door, over real sockets with scripted engines: turns, interruption, speculation."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from lobug.engines.base import ChatMessage, ChatOptions
from lobug.server import LobugServer
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import HELLO, DeviceClient, device, silence, tone, until
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.tool_device import PERCENT, tool

OWNER = "device:aa:bb:cc:dd:ee:01"


async def logged(server: LobugServer) -> list[str]:
    """The log of the device's conversation."""
    owners = await server.memory.latest_conversations(10)
    return [m.content for o in owners for m in await server.memory.recent_messages(o, 50)]


async def turn_over(server: LobugServer, turns: int = 1) -> None:
    """Return once so many turns have been finished."""
    await until(lambda: len(server.telemetry.turns.newest(100)) >= turns)


async def test_a_whole_turn(tmp_path: Path) -> None:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(["Hello, Ada. It is a nice day!"]),
        stt=ScriptedSpeechToText(("My name is Ada.",)),
    )
    async with (
        running(settings_for(tmp_path), scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        hello = client.messages("hello")[0]
        assert hello["transport"] == "websocket"
        await client.listen()
        await client.speak()
        await client.until_said("tts", state="stop")
        await turn_over(server)
        assert client.messages("stt")[0]["text"] == "My name is Ada."
        states = [m["state"] for m in client.messages("tts")]
        assert states[0] == "start"
        assert states[-1] == "stop"
        said = " ".join(m["text"] for m in client.messages("tts") if "text" in m)
        assert said == "Hello, Ada. It is a nice day!"
        start = client.received.index(client.messages("tts")[0])
        assert all(isinstance(m, dict) for m in client.received[:start])
        # Ten milliseconds a character, 16 bits, in whole frames.
        rate = hello["audio_params"]["sample_rate"]
        assert len(client.audio()) >= 0.01 * len(said) * rate * 2 * 0.9
        assert await logged(server) == ["My name is Ada.", "Hello, Ada. It is a nice day!"]


async def test_what_was_prepared_is_thrown_away_when_speech_goes_on(tmp_path: Path) -> None:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(["Which one?", "The red one."]),
        stt=ScriptedSpeechToText(("I like", "I like the red one.")),
    )
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.0})
    async with (
        running(settings, scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen()
        await client.send_audio(tone(0.6) + silence(0.3))
        await scripted.chat.wait_for_calls(1)
        await client.speak()
        await client.until_said("tts", state="stop")
        await turn_over(server)
        assert [m["text"] for m in client.messages("stt")] == ["I like the red one."]
        log = await logged(server)
        assert log[0] == "I like the red one."
        assert len(log) == 2
        (turn,) = server.telemetry.turns.newest(10)
        assert turn.timeline.counts.speculations_discarded == 1
        assert turn.timeline.counts.speculations_started == 2


@pytest.mark.parametrize("how", ["abort", "listen", "detect", "gone"])
async def test_an_interrupted_reply_is_stored_as_far_as_it_was_heard(
    tmp_path: Path, how: str
) -> None:
    first, second = "This is the first sentence.", "x" * 600 + "."
    scripted = ScriptedEngines(
        chat=ScriptedChatModel([f"{first} {second}", "Okay."]),
        stt=ScriptedSpeechToText(("Tell me a long story.", "Thanks.")),
    )
    async with running(settings_for(tmp_path), scripted) as (http, server):
        async with device(str(http.base_url)) as client:
            await client.listen()
            await client.speak()
            await client.until_said("tts", state="sentence_start", text=first)
            await client.until(lambda: len(client.audio()) > 16_000)
            if how == "abort":
                await client.say(type="abort")
            elif how == "listen":
                await client.listen()
            elif how == "detect":
                await client.say(type="listen", state="detect", text="Hi Lo-Bug")
            if how != "gone":
                await client.until_said("tts", state="stop")
        await turn_over(server)
        log = await logged(server)
        assert log[0] == "Tell me a long story."
        assert log[1].endswith("[interrupted]")
        assert second not in log[1]
        assert server.priority.turns == 0


async def test_speech_interrupts_in_realtime_mode(tmp_path: Path) -> None:
    long = "x" * 600 + "."
    scripted = ScriptedEngines(
        chat=ScriptedChatModel([f"Well, here it comes. {long}", "Okay."]),
        stt=ScriptedSpeechToText(("Tell me a long story.", "Please stop.")),
    )
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.0})
    async with (
        running(settings, scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen(mode="realtime")
        await client.speak()
        await client.until(lambda: len(client.audio()) > 4_800)
        await client.speak()
        await client.until_said("tts", state="stop")
        await client.until_said("stt", text="Please stop.")
        await client.until_said("tts", count=2, state="stop")
        await turn_over(server, 2)
        log = await logged(server)
        assert log[1].endswith("[interrupted]")
        assert log[2:] == ["Please stop.", "Okay."]


async def test_its_own_voice_is_not_answered(tmp_path: Path) -> None:
    reply = "The harbour lies beyond the old lighthouse and the mill."
    scripted = ScriptedEngines(
        chat=ScriptedChatModel([f"{reply} {'x' * 300}.", "Okay."]),
        stt=ScriptedSpeechToText(
            ("Where is the harbour?", "Harbor lies beyond the old lighthouse.", "Thank you.")
        ),
    )
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.0})
    async with (
        running(settings, scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen(mode="realtime")
        await client.speak()
        await client.until(lambda: len(client.audio()) > 4_800)
        await client.speak()  # what its microphone caught of its loudspeaker
        await client.until_said("tts", state="stop")
        await until(lambda: len(scripted.stt.heard) == 2)
        await client.speak()
        await client.until_said("tts", count=2, state="stop")
        await turn_over(server, 2)
        heard = [m["text"] for m in client.messages("stt")]
        assert heard == ["Where is the harbour?", "Thank you."]
        assert "Harbor lies beyond the old lighthouse." not in await logged(server)


async def test_where_echo_comes_back_words_interrupt_and_not_a_sound(tmp_path: Path) -> None:
    reply = "The harbour lies beyond the old lighthouse and the mill."
    scripted = ScriptedEngines(
        chat=ScriptedChatModel([f"{reply} {'x' * 600}.", "Okay."]),
        stt=ScriptedSpeechToText(
            ("Where is the harbour?", "Harbor lies beyond the old lighthouse.", "Mill.", "Stop it.")
        ),
    )
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.0})
    async with (
        running(settings, scripted) as (http, server),
        device(str(http.base_url), hello={**HELLO, "features": {"aec": True}}) as client,
    ):
        await client.listen(mode="realtime")
        await client.speak()
        await client.until(lambda: len(client.audio()) > 4_800)
        await client.speak()  # its loudspeaker
        await until(lambda: len(scripted.stt.heard) == 2)
        await client.speak()
        await until(lambda: len(scripted.stt.heard) == 3)
        assert [m["state"] for m in client.messages("tts")].count("stop") == 0
        await client.speak()  # a person
        await client.until_said("tts", state="stop")
        await client.until_said("stt", text="Stop it.")
        await turn_over(server, 2)
        heard = [m["text"] for m in client.messages("stt")]
        assert heard == ["Where is the harbour?", "Stop it."]


async def test_push_to_talk_ends_with_the_button(tmp_path: Path) -> None:
    scripted = ScriptedEngines(stt=ScriptedSpeechToText(("What time is it?",)))
    async with (
        running(settings_for(tmp_path), scripted) as (http, _server),
        device(str(http.base_url)) as client,
    ):
        await client.listen(mode="manual")
        await client.send_audio(tone(0.5))
        await client.listen("stop", mode="manual")
        await client.until_said("stt", text="What time is it?")
        await client.until_said("tts", state="stop")
        assert len(scripted.stt.heard) == 1
        assert client.audio()


async def test_a_newer_connection_replaces_the_older(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), ScriptedEngines()) as (http, server),
        device(str(http.base_url)) as older,
        device(str(http.base_url)) as newer,
    ):
        await asyncio.wait_for(older.closed.wait(), PATIENCE_S)
        assert older.socket.close_code == 4003
        await newer.listen()
        await newer.speak()
        await newer.until_said("tts", state="stop")
        assert len(server.connections) == 1


@pytest.mark.parametrize(
    ("hello", "code"),
    [
        ({**HELLO, "version": 9}, 4002),
        ({"type": "listen", "state": "start"}, 4002),
        ({**HELLO, "audio_params": {"format": "mp3"}}, 4002),
    ],
)
async def test_a_hello_that_cannot_be_served(
    tmp_path: Path, hello: dict[str, object], code: int
) -> None:
    async with (
        running(settings_for(tmp_path), ScriptedEngines()) as (http, _server),
        device(str(http.base_url), hello=None) as client,
    ):
        await client.say(**hello)
        await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
        assert client.socket.close_code == code
        assert client.messages("alert")


async def test_a_hello_that_never_comes(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, streaming={"hello_timeout_s": 0.1})
    async with (
        running(settings, ScriptedEngines()) as (http, _server),
        device(str(http.base_url), hello=None) as client,
    ):
        await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
        assert client.socket.close_code == 4001


async def test_a_device_says_when_the_first_sound_was_heard(tmp_path: Path) -> None:
    async with (
        running(settings_for(tmp_path), ScriptedEngines()) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen()
        await client.speak()
        await client.until(lambda: client.audio() != b"")
        await client.say(type="playing", delay_ms=85)
        await client.until_said("tts", state="stop")
        await turn_over(server)
        timings = server.telemetry.turns.newest(1)[0].timeline.timings()
        heard_after = timings["first_audio_played"] - timings["first_audio_sent"]
        assert heard_after == pytest.approx(0.085, abs=0.001)


@pytest.mark.parametrize(
    ("words", "tool", "arguments", "reply"),
    [
        # A skill sets the volume; the chat model uses all other tools.
        ("Set the volume to 80.", "audio_speaker.set_volume", {"volume": 80},
         "My volume is 80 now."),
        ("Set the screen brightness to 80.", "screen.set_brightness", {"brightness": 80},
         "Now I am brighter."),
    ],
)  # fmt: skip
async def test_a_reply_uses_a_tool_of_the_device(
    tmp_path: Path, words: str, tool: str, arguments: dict[str, int], reply: str
) -> None:
    def answer(messages: Sequence[ChatMessage], options: ChatOptions) -> str:
        last = messages[-1].content
        if options.json_schema is not None:
            if "brightness" in json.dumps(options.json_schema):
                return '{"tool": "screen.set_brightness", "arguments": {"brightness": 80}}'
            return "{}"
        if "true" in last and "set_brightness" in str(messages[-2:]):
            return "Now I am brighter."
        return '[TOOL] screen.set_brightness {"brightness": 80}'

    scripted = ScriptedEngines(chat=ScriptedChatModel(answer), stt=ScriptedSpeechToText((words,)))
    async with (
        running(settings_for(tmp_path), scripted) as (http, server),
        device(str(http.base_url), hello={**HELLO, "features": {"mcp": True}}) as client,
    ):
        serving = asyncio.ensure_future(serve_tools(client))
        await until(lambda: any(c.tools.tools for c in server.conversations._by_name.values()))
        await client.listen()
        await client.speak()
        await client.until_said("tts", state="stop")
        calls = [m["payload"] for m in client.messages("mcp") if "params" in m["payload"]]
        call = next(c for c in calls if c["method"] == "tools/call")
        assert call["params"] == {"name": f"self.{tool}", "arguments": arguments}
        said = " ".join(m["text"] for m in client.messages("tts") if "text" in m)
        assert said == reply
        serving.cancel()


class LateReader(ScriptedChatModel):
    """Does not finish reading a prompt that tells of a volume before it may."""

    def __init__(self, replies: Sequence[str]) -> None:
        super().__init__(replies)
        self.may_read = asyncio.Event()

    async def prefill(self, messages: Sequence[ChatMessage], lane: str) -> None:
        if "volume" in str(messages):
            await self.may_read.wait()
        await super().prefill(messages, lane)


async def test_nobody_waits_for_tools_that_were_not_read_yet(tmp_path: Path) -> None:
    chat = LateReader(["Hello to you.", "And again."])
    stt = ScriptedSpeechToText(("Hello.", "Hello again."))
    async with (
        running(
            settings_for(tmp_path, chat={"tool_quiet_s": 0.0}), ScriptedEngines(chat=chat, stt=stt)
        ) as (http, server),
        device(str(http.base_url), hello={**HELLO, "features": {"mcp": True}}) as client,
    ):
        serving = asyncio.ensure_future(serve_tools(client))
        await until(lambda: any(c.offered.tools for c in server.conversations._by_name.values()))
        (conversation,) = server.conversations._by_name.values()
        for turn, told in enumerate((False, True), start=1):
            await client.listen()
            await client.speak()
            await client.until_said("tts", count=turn, state="stop")
            await turn_over(server, turn)
            assert ("volume" in str(chat.calls[-1].messages)) is told
            chat.may_read.set()
            await until(lambda: not conversation.tools_unread)
        serving.cancel()


async def serve_tools(client: DeviceClient) -> None:
    """Answer as firmware with two tools does."""
    for number in itertools.count(1):
        payload = (await client.until_said("mcp", count=number))["payload"]
        results = {
            "initialize": {
                "protocolVersion": "2024-11-05",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "test", "version": "1"},
            },
            "tools/list": {
                "tools": [
                    tool(
                        "self.audio_speaker.set_volume",
                        "Set the volume of the audio speaker.",
                        volume=PERCENT,
                    ),
                    tool(
                        "self.screen.set_brightness",
                        "Set the brightness of the screen.",
                        brightness=PERCENT,
                    ),
                ]
            },
            "tools/call": {"content": [{"type": "text", "text": "true"}], "isError": False},
        }
        if "id" in payload and payload["method"] in results:
            result = results[payload["method"]]
            answer = {"jsonrpc": "2.0", "id": payload["id"], "result": result}
            await client.say(type="mcp", payload=answer)


async def test_the_owner_tells_a_device_something(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines()) as (http, _server):
        door = "/devices/AA:bb:cc:dd:ee:01"
        async with device(str(http.base_url)) as client:
            sent = await http.post(f"{door}/alert", json={"message": "Tea is ready."})
            assert sent.json() == {"status": "sent"}
            alert = await client.until_said("alert")
            assert alert["message"] == "Tea is ready."
            assert alert["emotion"] == "neutral"
            await http.post(f"{door}/reboot")
            await client.until_said("system", command="reboot")
        offline = await http.post(f"{door}/reboot")
        assert offline.status_code == 409
        assert offline.json()["error"]["code"] == "device_offline"


async def test_the_model_reads_along_while_somebody_speaks(tmp_path: Path) -> None:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(["Sure.", "Sure."]),
        stt=ScriptedSpeechToText(("Hello.", "Tell me about the old harbour please.")),
    )
    settings = settings_for(tmp_path, listening={"interim_every_s": 0.2})
    async with (
        running(settings, scripted) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen()
        await client.speak(0.3)
        await client.until_said("tts", state="stop")
        await turn_over(server)
        (conversation,) = server.conversations._by_name.values()
        await until(lambda: not conversation.prefix_changed and not conversation.lock.locked())
        before = len(scripted.chat.prefills)
        await client.listen()
        await client.send_audio(tone(0.9))
        await until(lambda: len(scripted.chat.prefills) > before)
        read = [messages[-1].content for messages, _lane in scripted.chat.prefills[before:]]
        assert set(read) <= {"", "Tell me about the old"}
        await client.speak(0.3)
        await client.until_said("tts", count=2, state="stop")
        await turn_over(server, 2)
        assert (await logged(server))[2] == "Tell me about the old harbour please."
