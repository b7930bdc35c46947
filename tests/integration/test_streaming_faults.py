"""Broken, hostile and vanishing devices at the streaming door: a clear answer, nothing left."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.websockets import WebSocket
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from lobug.devices.session import DeviceSession
from lobug.errors import EngineInterruptedError, EngineUnavailableError
from lobug.server import LobugServer
from support.app_server import ScriptedEngines, running, settings_for
from support.device_client import HELLO, DeviceClient, device, silence, tone, until
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText

World = tuple[httpx.AsyncClient, LobugServer]


@asynccontextmanager
async def world(
    tmp_path: Path, scripted: ScriptedEngines | None = None, **sections: object
) -> AsyncIterator[World]:
    """A server; whatever happened in it, afterwards it serves the next device and nothing is left
    running."""
    async with running(settings_for(tmp_path, **sections), scripted or ScriptedEngines()) as (
        http,
        server,
    ):
        before = await settled_tasks()
        yield http, server
        await until(lambda: len(server.connections) == 0 and server.priority.turns == 0)
        if scripted is not None:
            scripted.chat.fail = scripted.stt.fail = scripted.tts.fail = scripted.gate.fail = None
        async with device(str(http.base_url), "next") as client:
            await whole_turn(client)
        await until(lambda: len(server.connections) == 0)
        # Not fewer is asked for: workers of the memory come and go.
        await until(lambda: len(asyncio.all_tasks()) <= before + 1)


async def settled_tasks() -> int:
    """How many tasks run once a server, which begins some of them late, has begun them all."""
    count = 0
    while count != len(asyncio.all_tasks()):
        count = len(asyncio.all_tasks())
        await asyncio.sleep(0.5)
    return count


async def whole_turn(client: DeviceClient) -> None:
    """Say something and hear the answer."""
    stops = len([m for m in client.messages("tts") if m["state"] == "stop"])
    await client.listen()
    await client.speak()
    await client.until_said("tts", count=stops + 1, state="stop")


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
TYPES = st.sampled_from(
    ["hello", "listen", "abort", "mcp", "goodbye ", "stt", "tts", "", "\u0000", "system"]
)
MESSAGES = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=200),
    JSON_VALUES.map(lambda value: json.dumps(value, default=str)),
    st.builds(
        lambda kind, rest: json.dumps({**rest, "type": kind}),
        TYPES,
        st.dictionaries(
            st.sampled_from(["state", "mode", "text", "reason", "payload", "session_id"]),
            JSON_VALUES,
        ),
    ),
)


@pytest.mark.parametrize("version", [1, 2, 3])
async def test_no_message_breaks_the_server(tmp_path: Path, version: int) -> None:
    async with world(tmp_path, ScriptedEngines()) as (http, _server):
        base = str(http.base_url)
        ends: set[int | None] = set()
        loop = asyncio.get_running_loop()

        async def send(messages: list[str | bytes]) -> None:
            hello = {**HELLO, "version": version}
            async with device(
                base, "fuzz", hello=hello, headers={"Protocol-Version": str(version)}
            ) as client:
                await client.listen()
                for message in messages:
                    if client.closed.is_set():
                        break
                    await client.socket.send(message)
                if client.closed.is_set():
                    ends.add(client.socket.close_code)

        @settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
        @given(st.lists(MESSAGES, max_size=12))
        def fuzz(messages: list[str | bytes]) -> None:
            asyncio.run_coroutine_threadsafe(quietly(send, messages), loop).result(30)

        await asyncio.to_thread(fuzz)
        # Refused as a message, or as too many of them, but never as a fault of the server.
        assert ends <= {1000, 1003, 1007, 1008, 1009, 4008}


async def quietly(
    send: Callable[[list[str | bytes]], Awaitable[None]], messages: list[str | bytes]
) -> None:
    """The server may close the connection at any time."""
    with suppress(ConnectionClosed):
        await send(messages)


async def test_many_broken_messages_end_the_connection(tmp_path: Path) -> None:
    async with world(tmp_path) as (http, _), device(str(http.base_url)) as client:
        with suppress(ConnectionClosed):
            for _ in range(50):
                await client.socket.send("{")
        await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
        assert client.socket.close_code == 1008
        assert len(client.messages("alert")) == 1


async def test_a_flood_ends_the_connection(tmp_path: Path) -> None:
    async with (
        world(tmp_path, streaming={"max_messages_per_s": 60}) as (http, _),
        device(str(http.base_url)) as client,
    ):
        with suppress(ConnectionClosed):
            await client.send_audio(silence(30.0))
        await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
        assert client.socket.close_code == 4008


async def test_few_packets_with_much_audio_are_a_flood(tmp_path: Path) -> None:
    """A device may send a packet each 2.5 ms if it says so, but not 120 ms of audio in each."""
    params = {**HELLO["audio_params"], "frame_duration": 2.5}
    packet = silence(0.12)
    async with (
        world(tmp_path) as (http, _),
        device(str(http.base_url), hello={**HELLO, "audio_params": params}) as client,
    ):
        await client.listen()
        with suppress(ConnectionClosed):
            for _ in range(500):
                await client.socket.send(packet)
        await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
        assert client.socket.close_code == 4008


@pytest.mark.parametrize(("frame_ms", "seconds"), [(20, 5.0), (2.5, 0.6)])
async def test_audio_that_comes_at_once_is_no_flood(
    tmp_path: Path, frame_ms: float, seconds: float
) -> None:
    params = {**HELLO["audio_params"], "frame_duration": frame_ms}
    async with (
        world(tmp_path, streaming={"max_messages_per_s": 60}) as (http, _),
        device(str(http.base_url), hello={**HELLO, "audio_params": params}) as client,
    ):
        await client.listen()
        pcm, size = tone(seconds) + silence(1.0), round(32 * frame_ms)
        for start in range(0, len(pcm), size):
            await client.socket.send(pcm[start : start + size])
        await client.until_said("tts", state="stop")
        assert not client.closed.is_set()
        assert client.messages("alert") == []


async def test_a_message_that_is_too_large(tmp_path: Path) -> None:
    async with world(tmp_path) as (http, _), device(str(http.base_url)) as client:
        await client.socket.send("x" * 3_000_000)
        await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
        assert client.socket.close_code == 1009


async def test_audio_garbage_is_skipped(tmp_path: Path) -> None:
    opus = {**HELLO, "audio_params": {**HELLO["audio_params"], "format": "opus"}}
    async with (
        world(tmp_path) as (http, server),
        device(str(http.base_url), hello=opus) as client,
    ):
        for alerts in (1, 2):
            await client.listen()
            for _ in range(12):
                await client.socket.send(b"\xff\x00\x13" * 20)
            await client.listen("stop")
            await client.until_said("llm", count=alerts, emotion="confused")
            assert len(client.messages("alert")) == alerts
        assert len(server.connections) == 1


async def test_a_device_that_sends_another_format_is_sent_away(tmp_path: Path) -> None:
    opus = {**HELLO, "audio_params": {**HELLO["audio_params"], "format": "opus"}}
    async with (
        world(tmp_path) as (http, _),
        device(str(http.base_url), hello=opus) as client,
    ):
        await client.listen()
        with suppress(ConnectionClosed):
            await client.send_audio(silence(6.0))
        await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
        assert client.socket.close_code == 1008
        assert len(client.messages("alert")) == 1


@pytest.mark.parametrize("engine", ["chat", "stt", "gate"])
async def test_a_dead_engine_is_said_and_the_next_turn_works(tmp_path: Path, engine: str) -> None:
    scripted = ScriptedEngines()
    async with world(tmp_path, scripted) as (http, server), device(str(http.base_url)) as client:
        getattr(scripted, engine).fail = EngineUnavailableError(engine, "is gone")
        await client.listen()
        await client.speak()
        alert = await client.until_said("alert")
        assert alert["message"]
        assert set(alert) >= {"status", "message", "emotion"}
        getattr(scripted, engine).fail = None
        await until(lambda: server.priority.turns == 0)  # the failed one is over
        await whole_turn(client)


async def test_a_model_that_dies_in_mid_reply(tmp_path: Path) -> None:
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(
            [["This is the beginning. And then", EngineInterruptedError("chat", "died")], "Okay."]
        )
    )
    # What fails while it is only prepared is tried again.
    speculation = {"speculate": False}
    async with (
        world(tmp_path, scripted, listening=speculation) as (http, server),
        device(str(http.base_url)) as client,
    ):
        await client.listen()
        await client.speak()
        await client.until_said("alert")
        await until(lambda: len(server.telemetry.turns.newest(9)) == 1)
        assert server.telemetry.turns.newest(1)[0].timeline.outcome == "failed"
        await whole_turn(client)


async def test_a_voice_that_fails_leaves_words_to_read(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=ScriptedChatModel(["Hello, Ada."]))
    async with world(tmp_path, scripted) as (http, _), device(str(http.base_url)) as client:
        scripted.tts.fail = EngineUnavailableError("tts", "is gone")
        await client.listen()
        await client.speak()
        await client.until_said("tts", state="stop")
        said = [m["text"] for m in client.messages("tts") if "text" in m]
        assert " ".join(said) == "Hello, Ada."
        assert client.audio() == b""


async def test_a_device_that_goes_in_mid_speech_leaves_nothing(tmp_path: Path) -> None:
    scripted = ScriptedEngines()
    # On a busy machine the speech may otherwise be taken for ended before the device goes.
    async with world(tmp_path, scripted, listening={"stalled_s": 60}) as (http, server):
        async with device(str(http.base_url)) as client:
            await client.listen()
            await client.send_audio(tone(0.5) + silence(0.3))
            await scripted.chat.wait_for_calls(1)  # a reply is being prepared
        await until(lambda: len(server.connections) == 0)
        owners = await server.memory.latest_conversations(10)
        assert owners == []  # nothing of what was not finished


async def test_an_idle_connection_is_closed(tmp_path: Path) -> None:
    async with (
        world(tmp_path, streaming={"idle_timeout_s": 0.3}) as (http, _),
        device(str(http.base_url)) as client,
    ):
        await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
        assert client.socket.close_code == 4006


async def test_more_devices_than_allowed(tmp_path: Path) -> None:
    async with (
        world(tmp_path, streaming={"max_connections": 1}) as (http, _),
        device(str(http.base_url), "first"),
        device(str(http.base_url), "second", hello=None) as second,
    ):
        await asyncio.wait_for(second.closed.wait(), PATIENCE_S)
        assert second.socket.close_code == 4007


async def test_a_device_that_never_reads_is_sent_away(tmp_path: Path) -> None:
    # Some 15 MB: more than the system takes on behalf of somebody who does not read.
    long = " ".join(
        f"This is sentence number {n} of a {'very ' * 60}long story." for n in range(50)
    )
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(lambda asked, _: long if "Go." in asked[-1].content else "Okay."),
        stt=ScriptedSpeechToText(("Go.", "Thanks.")),
    )
    sections = {
        "streaming": {"send_timeout_s": 0.3, "audio_lead_s": 600.0},
        "chat": {"max_sentences": 50, "max_tokens": 2_000},
    }
    async with world(tmp_path, scripted, **sections) as (http, server):
        url = str(http.base_url).rstrip("/").replace("http://", "ws://") + "/xiaozhi/v1/"
        hello = {**HELLO, "downlink": {"format": "pcm", "sample_rate": 48_000}}
        small = socket.socket()
        small.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        small.setblocking(False)
        address = ("127.0.0.1", http.base_url.port)
        await asyncio.get_running_loop().sock_connect(small, address)
        async with connect(
            url, sock=small, additional_headers={"Device-Id": "deaf"}, compression=None
        ) as deaf:
            await deaf.send(json.dumps(hello))
            await deaf.recv()
            deaf.transport.pause_reading()
            await deaf.send(json.dumps({"type": "listen", "state": "start", "mode": "auto"}))
            pcm = tone(0.6) + silence(1.5)
            for start in range(0, len(pcm), 1920):
                await deaf.send(pcm[start : start + 1920])
            await until(lambda: len(server.telemetry.turns.newest(9)) == 1)
            await until(lambda: len(server.connections) == 0)
            deaf.transport.abort()
        assert server.telemetry.turns.newest(1)[0].timeline.outcome == "interrupted"


class LostWifi:
    """The first connection's device is out of reach after some audio: what is sent to it waits."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stuck = asyncio.Event()
        self.given_up = asyncio.Event()
        """To be set when the network gives the connection up."""
        self._lost: WebSocket | None = None
        self._left = 5
        self._send, self._close = WebSocket.send_bytes, WebSocket.close
        lost = self

        async def send_bytes(websocket: WebSocket, data: bytes) -> None:
            await lost.send(websocket, data)

        async def close(websocket: WebSocket, code: int = 1000, reason: str | None = None) -> None:
            await lost.close(websocket, code, reason)

        monkeypatch.setattr(WebSocket, "send_bytes", send_bytes)
        monkeypatch.setattr(WebSocket, "close", close)

    async def send(self, websocket: WebSocket, data: bytes) -> None:
        self._lost = self._lost or websocket
        if websocket is self._lost:
            self._left -= 1
            if self._left < 0:
                self.stuck.set()
                await self.given_up.wait()
        await self._send(websocket, data)

    async def close(self, websocket: WebSocket, code: int, reason: str | None) -> None:
        if websocket is self._lost:
            await self.given_up.wait()
        await self._close(websocket, code, reason)


async def test_a_device_that_comes_back_waits_for_nothing_of_its_old_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost = LostWifi(monkeypatch)
    story = "This is a story that takes more than the half of a second. And it goes on."
    scripted = ScriptedEngines(
        chat=ScriptedChatModel(lambda asked, _: story if "Go." in asked[-1].content else "Okay."),
        stt=ScriptedSpeechToText(("Go.", "Thanks.")),
    )
    streaming = {"send_timeout_s": 10 * PATIENCE_S}
    async with world(tmp_path, scripted, streaming=streaming) as (http, server):
        async with device(str(http.base_url), "it") as client:
            await client.listen()
            await client.speak()
            await asyncio.wait_for(lost.stuck.wait(), PATIENCE_S)
            async with device(str(http.base_url), "it") as again:
                await until(lambda: len(server.telemetry.turns.newest(9)) == 1)
                await again.listen()
                await again.speak()
                await again.until_said("stt", text="Thanks.")
                await again.until_said("tts", state="stop")
                await until(lambda: len(server.telemetry.turns.newest(9)) == 2)
                lost.given_up.set()
        outcomes = [turn.timeline.outcome for turn in server.telemetry.turns.newest(2)]
        assert sorted(map(str, outcomes)) == ["interrupted", "respond"]
        (conversation,) = await server.memory.latest_conversations(9)
        log = [m.content for m in await server.memory.recent_messages(conversation, 9)]
        assert "goes on" not in log[1]
        assert log[1].endswith("[interrupted]")
        assert log[2:] == ["Thanks.", "Okay."]


async def test_a_device_is_told_that_its_session_has_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(self: DeviceSession, text: str) -> None:
        raise LookupError(text)

    async with world(tmp_path) as (http, _):
        with monkeypatch.context() as patched:
            patched.setattr(DeviceSession, "_on_text", broken)
            async with device(str(http.base_url)) as client:
                await client.listen()
                await asyncio.wait_for(client.closed.wait(), PATIENCE_S)
        assert client.socket.close_code == 1011


async def test_a_soak_leaves_no_task_and_no_memory(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=ScriptedChatModel(["Okay, I will."]))
    async with world(tmp_path, scripted) as (http, server):
        base = str(http.base_url)

        async def visit(number: int) -> None:
            async with device(base, f"device-{number % 7}") as client:
                await client.listen()
                if number % 3 == 0:
                    await whole_turn(client)
                elif number % 3 == 1:
                    await client.send_audio(tone(0.4))

        for start in range(0, 60, 6):
            await asyncio.gather(*(visit(start + n) for n in range(6)), return_exceptions=True)
        await until(lambda: len(server.connections) == 0 and server.priority.turns == 0)
        assert server.turns.waiting == 0
        assert not any(c.lock.locked() for c in server.conversations._by_name.values())
