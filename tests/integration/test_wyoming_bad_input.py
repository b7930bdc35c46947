"""Wyoming clients that send junk, too much, too little or nothing, or are not let in."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wyoming.asr import Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.error import Error
from wyoming.event import Event
from wyoming.info import Describe
from wyoming.tts import Synthesize, SynthesizeChunk, SynthesizeStart

from support.app_server import ScriptedEngines
from support.device_client import until
from support.patience import PATIENCE_S
from support.wyoming_kit import RATE, OpenDoor, open_door, raw, say, until_type

SECOND = b"\x10\x20" * RATE
"""A second of a buzz."""


@pytest.fixture
def scripted() -> ScriptedEngines:
    return ScriptedEngines()


@pytest.fixture
async def door(tmp_path: Path, scripted: ScriptedEngines) -> AsyncIterator[OpenDoor]:
    limits = {"max_message_bytes": 4096, "max_payload_bytes": 65_536, "event_timeout_s": 5.0}
    async with open_door(tmp_path, scripted, wyoming=limits) as opened:
        yield opened


async def works(door: OpenDoor) -> None:
    """A client that behaves is served."""
    async with door.client() as client:
        await say(client)
        assert (await until_type(client, "transcript"))[-1].type == "transcript"


def errors_in(answer: bytes) -> list[str]:
    """The codes of the error events among what was answered."""
    codes: list[str] = []
    while answer:
        line, _, answer = answer.partition(b"\n")
        header = json.loads(line)
        length = header.get("data_length", 0)
        data = json.loads(answer[:length] or b"{}")
        answer = answer[length + header.get("payload_length", 0) :]
        if header["type"] == "error":
            assert data["text"]
            assert "Traceback" not in data["text"]
            codes.append(data["code"])
    return codes


def header(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


JUNK: list[tuple[bytes, str]] = [
    (b"GET / HTTP/1.1\r\nHost: lobug\r\n\r\n", "event_invalid"),
    (b"\n", "event_invalid"),
    (b"\x16\x03\x01\x02\x00\x01\x00\n", "event_invalid"),  # a client that wants TLS
    (b"\xff\xfe{\x00}\x00\n", "event_invalid"),
    (b"[]\n", "event_invalid"),
    (b"null\n", "event_invalid"),
    (b"[" * 4000 + b"\n", "event_invalid"),
    (b"{" + b'"a":{' * 600 + b"\n", "event_invalid"),
    (header(data={}), "event_invalid"),
    (header(type=7), "event_invalid"),
    (header(type=""), "event_invalid"),
    (header(type="describe", data=[1]), "event_invalid"),
    (header(type="describe", data_length="many"), "event_invalid"),
    (header(type="describe", data_length=-1), "event_invalid"),
    (header(type="describe", data_length=True), "event_invalid"),
    (header(type="describe", data_length=1.5), "event_invalid"),
    (header(type="describe", data_length=3) + b"[1]", "event_invalid"),
    (header(type="describe", data_length=3) + b"{x}", "event_invalid"),
    (b'{"type": "describe", "data_length": ' + b"9" * 3000 + b"}\n", "event_too_large"),
    (header(type="describe", data_length=2**40), "event_too_large"),
    (header(type="audio-chunk", payload_length=2**40), "event_too_large"),
    (header(type="x" * 5000), "event_too_large"),
    (b"x" * 100_000, "event_too_large"),
    (header(type="audio-start"), "event_invalid"),
    (header(type="audio-start", data={"rate": 16000, "width": 2}), "event_invalid"),
    (header(type="audio-start", data={"rate": 1, "width": 2, "channels": 1}), "event_invalid"),
    (header(type="audio-start", data={"rate": 9e9, "width": 2, "channels": 1}), "event_invalid"),
    (header(type="audio-start", data={"rate": 8000, "width": 9, "channels": 1}), "event_invalid"),
    (header(type="audio-start", data={"rate": 8000, "width": 2, "channels": 0}), "event_invalid"),
    (header(type="audio-stop"), "event_invalid"),
    (
        header(
            type="audio-chunk", data={"rate": 16000, "width": 2, "channels": 1},
            payload_length=3,
        ) + b"abc",
        "audio_invalid",
    ),
    (header(type="synthesize"), "event_invalid"),
    (header(type="synthesize", data={"text": 5}), "event_invalid"),
    (header(type="synthesize", data={"text": ""}), "text_empty"),
    (header(type="synthesize", data={"text": " ... \n 🙂"}), "text_empty"),
    (b'{"type": "synthesize", "data": {"text": "\\ud800"}}\n', "invalid_encoding"),
    (
        header(type="synthesize", data={"text": "<b>x</b>", "text_format": "ssml"}),
        "parameter_unsupported",
    ),
    (header(type="synthesize-chunk", data={"text": "x"}), "event_invalid"),
    (header(type="synthesize-stop"), "event_invalid"),
    (header(type="synthesize-start") * 2, "event_invalid"),
    (header(type="transcript"), "event_invalid"),
    (header(type="transcript", data={"text": "  "}), "text_empty"),
    (b'{"type": "transcript", "data": {"text": "\\ud800"}}\n', "invalid_encoding"),
    (header(type="transcript", data={"text": "x", "context": "y"}), "event_invalid"),
    (
        header(type="transcript", data={"text": "x", "context": {"device_id": "a/b"}}),
        "event_invalid",
    ),
    (
        header(type="transcript", data={"text": "x", "context": {"device_id": "x" * 200}}),
        "event_invalid",
    ),
    (
        header(type="transcript", data={"text": "x", "context": {"conversation_id": "\n"}}),
        "event_invalid",
    ),
    (b'{"type": "ping", "data": {"text": "\\udc00"}}\n', "event_invalid"),
]  # fmt: skip
"""What is sent, and the code with which it is refused."""


async def test_what_is_no_event_is_refused_with_a_code(door: OpenDoor) -> None:
    for sent, code in JUNK:
        answered = await raw(door, sent, eof=code not in {"text_empty"})
        assert errors_in(answered) == [code], sent[:100]
    await works(door)


async def test_text_that_is_too_long(tmp_path: Path, scripted: ScriptedEngines) -> None:
    async with open_door(tmp_path, scripted, limits={"max_text_chars": 100}) as door:
        for sent in (
            [Synthesize("Hi. " * 30)],
            [Transcript("Hi. " * 30)],
            [SynthesizeStart(), *[SynthesizeChunk("Hi. ")] * 30],
        ):
            async with door.client() as client:
                for event in sent:
                    await client.write_event(event.event())
                events = await until_type(client, "error")
                assert Error.from_event(events[-1]).code == "text_too_long"
        await works(door)


async def test_ten_minutes_of_sound(
    door: OpenDoor, scripted: ScriptedEngines, caplog: pytest.LogCaptureFixture
) -> None:
    """It is cut at the limit, says so at once, and the client may go on sending meanwhile."""
    async with door.client() as client:
        await client.write_event(AudioStart(RATE, 2, 1).event())
        for _ in range(600):
            await client.write_event(AudioChunk(RATE, 2, 1, SECOND).event())
        await client.write_event(AudioStop().event())
        events = await until_type(client, "error")
        assert Error.from_event(events[-1]).code == "audio_too_long"
        assert await client.read_event() is None
    assert max((len(heard) for heard in scripted.stt.heard), default=0) <= 61 * RATE
    refused = 'lobug_wyoming_requests_total{outcome="audio_too_long",service="stt"}'
    assert await door.counted(refused) == 1
    assert "Traceback" not in caplog.text
    await works(door)


@pytest.mark.parametrize(
    "sent",
    [
        b'{"type": "descr',
        header(type="synthesize", data_length=100) + b'{"text": "Hello',
        header(
            type="audio-chunk", data={"rate": 16000, "width": 2, "channels": 1}, payload_length=2048
        )
        + b"\0" * 100,
    ],
)
async def test_what_is_announced_and_never_comes(
    tmp_path: Path, scripted: ScriptedEngines, sent: bytes
) -> None:
    async with open_door(tmp_path, scripted, wyoming={"event_timeout_s": 0.2}) as door:
        assert errors_in(await raw(door, sent)) == ["event_timeout"]
        assert await raw(door, sent, eof=True) == b""  # it hung up in the middle: nobody to tell
        await works(door)


async def test_who_says_nothing_is_let_go(tmp_path: Path, scripted: ScriptedEngines) -> None:
    async with open_door(tmp_path, scripted, wyoming={"idle_timeout_s": 0.2}) as door:
        assert await raw(door) == b""
        begun = header(type="audio-start", data={"rate": 16000, "width": 2, "channels": 1})
        assert errors_in(await raw(door, begun)) == ["event_timeout"]
        assert errors_in(await raw(door, header(type="synthesize-start"))) == ["event_timeout"]


async def test_a_trickle_of_sound_does_not_hold_the_server_for_ever(
    tmp_path: Path, scripted: ScriptedEngines
) -> None:
    limits = {"body_deadline_s": 0.2}
    async with open_door(tmp_path, scripted, limits=limits) as door, door.client() as client:
        async with asyncio.timeout(PATIENCE_S):
            while True:
                await client.write_event(AudioChunk(RATE, 2, 1, b"\1\1").event())
                try:
                    async with asyncio.timeout(0.1):
                        event = await client.read_event()
                    break
                except TimeoutError:
                    continue
        assert event is not None
        assert Error.from_event(event).code == "event_timeout"
        await until(lambda: not door.server.priority.busy)


async def test_who_reads_nothing_is_disconnected(tmp_path: Path, scripted: ScriptedEngines) -> None:
    more = {"streaming": {"send_timeout_s": 0.2}, "limits": {"max_text_chars": 1_000_000}}
    async with open_door(tmp_path, scripted, wyoming={"max_message_bytes": 2**21}, **more) as door:
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(client, ("127.0.0.1", door.port))
            text = "This sentence is there to be spoken at some length. " * 2_000
            sent = header(type="synthesize", data={"text": text})
            await loop.sock_sendall(client, sent)
            await until(lambda: bool(scripted.tts.spoken))
            await until(lambda: not door.door.connections)
        assert len(scripted.tts.spoken) < 2_000
        await works(door)


async def test_unknown_events_are_ignored(door: OpenDoor) -> None:
    async with door.client() as client:
        for kind in ("detect", "recognize", "run-satellite", "select-program", "zzz"):
            await client.write_event(Event(kind, {"text": "x", "name": "y"}, b"\0" * 5000))
        await client.write_event(Describe().event())
        event = await client.read_event()
        assert event is not None
        assert event.type == "info"


async def test_too_many_connections(tmp_path: Path, scripted: ScriptedEngines) -> None:
    async with open_door(tmp_path, scripted, wyoming={"max_connections": 2}) as door:
        one, two = door.client(), door.client()
        for client in (one, two):
            await client.connect()
            await client.write_event(Describe().event())
            assert await client.read_event() is not None
        assert errors_in(await raw(door)) == ["too_many_connections"]
        await one.disconnect()
        await until(lambda: len(door.door.connections) < 2)
        await works(door)
        await two.disconnect()
        assert await door.counted('lobug_wyoming_refused_total{reason="too_many"}') == 1


@pytest.mark.parametrize("networks", [["192.168.1.0/24", "fd00::/8"], []])
async def test_who_is_in_no_allowed_network_is_refused(
    tmp_path: Path,
    scripted: ScriptedEngines,
    networks: list[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    wyoming = {"allowed_networks": networks}
    async with open_door(tmp_path, scripted, wyoming=wyoming) as door:
        for _ in range(3):
            with pytest.raises((ConnectionError, asyncio.IncompleteReadError, AssertionError)):
                assert await raw(door, header(type="describe"))
        assert await door.counted('lobug_wyoming_refused_total{reason="network"}') == 3
    told = [line for line in caplog.text.splitlines() if "wyoming: refused" in line]
    assert len(told) == 1
    assert "127.0.0.1" in told[0]


def _fields() -> st.SearchStrategy[dict[str, Any]]:
    kinds = (
        "describe", "ping", "transcribe", "audio-start", "audio-chunk", "audio-stop", "synthesize",
        "synthesize-start", "synthesize-chunk", "synthesize-stop", "transcript", "error", "info",
    )  # fmt: skip
    values = st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20),
        st.lists(st.integers(), max_size=2),
        st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2),
    )  # fmt: skip
    names = ("text", "context", "rate", "width", "channels", "language", "voice", "text_format")
    return st.fixed_dictionaries(
        {"type": st.sampled_from(kinds), "data": st.dictionaries(st.sampled_from(names), values)},
        optional={"data_length": st.integers(0, 20), "payload_length": st.integers(0, 20)},
    )


async def test_any_bytes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever is sent, it is answered with events or refused with codes, and the door goes on."""
    scripted = ScriptedEngines()
    async with open_door(tmp_path, scripted) as door:
        loop = asyncio.get_running_loop()

        @settings(
            max_examples=40,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            database=None,
        )
        @given(st.lists(st.one_of(_fields(), st.binary(max_size=40)), max_size=4))
        def send(events: list[dict[str, Any] | bytes]) -> None:
            sent = b"".join(e if isinstance(e, bytes) else header(**e) for e in events)
            answer = asyncio.run_coroutine_threadsafe(raw(door, sent, eof=True), loop)
            assert all(code != "internal_error" for code in errors_in(answer.result(30)))

        await asyncio.to_thread(send)
        await works(door)
    assert "Traceback" not in caplog.text


async def test_an_allowed_network_is_let_in(tmp_path: Path, scripted: ScriptedEngines) -> None:
    async with open_door(
        tmp_path, scripted, wyoming={"allowed_networks": ["127.0.0.1/32"]}
    ) as door:
        await works(door)
