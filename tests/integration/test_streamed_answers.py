"""The HTTP doors' streams: events, speech as it is made, recordings that come in chunks."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import wave
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from httpx_sse import EventSource, aconnect_sse

from lobug.audio.wav import header
from lobug.engines.base import BACKGROUND_LANE, ChatOptions
from lobug.errors import EngineInterruptedError, EngineUnavailableError
from lobug.server import LobugServer
from support.app_server import ScriptedEngines, running, settings_for
from support.patience import PATIENCE_S
from support.scripted import Reply, ScriptedChatModel
from support.scripted_speech import ScriptedSpeechToText
from support.wav import pcm16, tone

SAMPLES = tone(1.0)
WAV = pcm16(SAMPLES)
PCM = WAV[44:]
EVENTS = {"Accept": "text/event-stream"}
SPEECH = {"Accept": "audio/wav"}

Event = tuple[str, dict[str, Any]]


def chat(*replies: Reply) -> ScriptedChatModel:
    left = list(replies)

    def reply(_: object, options: ChatOptions) -> Reply:
        if options.lane == BACKGROUND_LANE:
            return "[]"
        return left.pop(0) if len(left) > 1 else left[0]

    return ScriptedChatModel(reply)


def turn_calls(model: ScriptedChatModel) -> Sequence[Any]:
    return [call for call in model.calls if call.options.lane != BACKGROUND_LANE]


async def events_of(source: EventSource) -> list[Event]:
    return [(event.event, json.loads(event.data)) async for event in source.aiter_sse()]


async def stream(client: httpx.AsyncClient, path: str, **request: Any) -> list[Event]:
    headers = {**EVENTS, **request.pop("headers", {})}
    async with aconnect_sse(client, "POST", path, headers=headers, **request) as source:
        assert source.response.status_code == 200
        assert source.response.headers["x-lobug-turn"]
        return await events_of(source)


def sound(wav: bytes) -> tuple[int, int]:
    """Rate and number of samples of a WAV."""
    with wave.open(io.BytesIO(wav)) as file:
        assert (file.getnchannels(), file.getsampwidth()) == (1, 2)
        return file.getframerate(), file.getnframes()


async def turns_over(server: LobugServer) -> None:
    while server.priority.turns:  # noqa: ASYNC110 - the server offers no event for it
        await asyncio.sleep(0.005)


async def test_typed_words_are_answered_with_events(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Hello, Ada. Nice day!"))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        events = await stream(client, "/chat/text", json={"text": "I am Ada"})
    names = [name for name, _ in events]
    assert names[0] == "heard"
    assert events[0][1] == {"text": "I am Ada", "language": None}
    assert "audio" not in names, "nobody asked for a voice"
    assert "".join(d["text"] for n, d in events if n == "reply_delta") == "Hello, Ada. Nice day!"
    assert [d["index"] for n, d in events if n == "piece"] == [0, 1]
    name, done = events[-1]
    assert name == "done"
    assert (done["action"], done["response"]) == ("respond", "Hello, Ada. Nice day!")
    assert done["timings"]["stored"] > 0
    assert (done["reason"], done["speech_error"]) == (None, None)
    assert scripted.tts.spoken == []


async def test_the_first_events_come_while_the_model_still_writes(tmp_path: Path) -> None:
    gate = asyncio.Event()
    scripted = ScriptedEngines(chat=chat(["One is it. Two ", gate, "is it."]))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        body = {"text": "Count", "voice": True}
        async with aconnect_sse(client, "POST", "/chat/text", json=body, headers=EVENTS) as source:
            seen: list[str] = []
            async for event in source.aiter_sse():
                seen.append(event.event)
                if event.event == "audio":
                    audio = json.loads(event.data)
                    rate, count = sound(base64.b64decode(audio["audio_b64"]))
                    assert (audio["index"], audio["sample_rate"], rate) == (
                        seen.count("audio") - 1,
                        16_000,
                        16_000,
                    )
                    assert count > 1000
                    gate.set()
    assert seen.count("audio") == 2, "the gate was opened by the first piece's sound"
    assert seen[-1] == "done"


async def test_a_recording_is_answered_with_events_and_speech(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Ten meters it is."), stt=ScriptedSpeechToText(["go"]))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        files = {"audio": ("recording.wav", WAV, "audio/wav")}
        events = await stream(client, "/chat/audio", files=files)
    names = [name for name, _ in events]
    assert names == ["heard", "reply_delta", "piece", "audio", "done"]
    assert events[0][1] == {"text": "go", "language": "en"}


async def test_what_was_not_meant_for_it_says_why(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines(chat=chat("[IGNORE]"))) as (c, _):
        silence = pcm16(np.zeros(16_000, np.float32))
        headers = {"Content-Type": "audio/wav"}
        nobody = await stream(c, "/chat/audio", content=silence, headers=headers)
        television = await stream(c, "/chat/audio", content=WAV, headers=headers)
    assert [name for name, _ in nobody] == ["ignored", "done"]
    assert nobody[0][1] == {"reason": "no_speech"}
    assert (nobody[1][1]["action"], nobody[1][1]["reason"]) == ("ignore", "no_speech")
    assert television[-1][1]["reason"] == "model"


async def test_a_failure_after_the_start_is_an_event_and_before_it_an_answer(
    tmp_path: Path,
) -> None:
    fault = EngineInterruptedError("chat", "gone")
    async with running(settings_for(tmp_path), ScriptedEngines(chat=chat(["One. Two", fault]))) as (
        client,
        server,
    ):
        events = await stream(client, "/chat/text", json={"text": "Hi"})
        refused = await client.post("/chat/text", json={"text": " "}, headers=EVENTS)
        assert server.priority.turns == 0
    assert events[-1][0] == "error"
    assert events[-1][1]["error"]["code"] == "engine_interrupted"
    assert events[-1][1]["response"] == EngineInterruptedError.spoken
    assert events[-1][1]["transcription"] == "Hi"
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "text_empty")


@pytest.mark.parametrize("headers", [EVENTS, SPEECH])
async def test_a_caller_that_has_gone_stops_the_turn(
    tmp_path: Path, headers: dict[str, str]
) -> None:
    never = asyncio.Event()
    scripted = ScriptedEngines(chat=chat(["One is it. Two ", never], "Yes?"))
    async with running(settings_for(tmp_path), scripted) as (client, server):
        body = {"text": "Hi", "voice": True}
        async with client.stream("POST", "/chat/text", json=body, headers=headers) as answer:
            async for _ in answer.aiter_bytes():
                await scripted.chat.wait_for_calls(1)
                break  # the first of it is here
        await asyncio.wait_for(turns_over(server), PATIENCE_S)
        assert turn_calls(scripted.chat)[0].cancelled
        again = await client.post("/chat/text", json={"text": "Hello?"})
        assert again.json() == {"response": "Yes?"}


async def test_a_caller_that_has_gone_before_the_first_sound_stops_the_turn(
    tmp_path: Path,
) -> None:
    never = asyncio.Event()
    scripted = ScriptedEngines(chat=chat([never]))
    async with running(settings_for(tmp_path), scripted) as (client, server):
        task = asyncio.create_task(client.post("/chat/text", json={"text": "Hi"}, headers=SPEECH))
        await scripted.chat.wait_for_calls(1)
        task.cancel()
        await asyncio.wait_for(turns_over(server), PATIENCE_S)
        assert turn_calls(scripted.chat)[0].cancelled


async def test_a_quiet_stream_is_kept_alive_with_comments(tmp_path: Path) -> None:
    gate = asyncio.Event()
    scripted = ScriptedEngines(chat=chat(["Well, ", gate, "hello."]))
    settings = settings_for(tmp_path, streaming={"keep_alive_s": 0.02})
    async with (
        running(settings, scripted) as (client, _),
        client.stream("POST", "/chat/text", json={"text": "Hi"}, headers=EVENTS) as answer,
    ):
        lines = []
        async for line in answer.aiter_lines():
            lines.append(line)
            if lines.count(": keep-alive") == 2:
                gate.set()
    assert "event: done" in lines


async def test_speech_is_sent_while_the_model_still_writes(tmp_path: Path) -> None:
    gate = asyncio.Event()
    scripted = ScriptedEngines(chat=chat(["One is it. Two ", gate, "is it."]))
    async with (
        running(settings_for(tmp_path), scripted) as (client, _),
        client.stream(
            "POST",
            "/chat/audio",
            content=WAV,
            headers={**SPEECH, "Content-Type": "audio/wav"},
        ) as answer,
    ):
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "audio/wav"
        assert "content-length" not in answer.headers
        assert answer.headers["x-lobug-action"] == "respond"
        received = b""
        async for chunk in answer.aiter_bytes():
            received += chunk
            if len(received) > 1000:
                gate.set()
    assert received[:44] == header(16_000)
    assert received[4:8] == received[40:44] == b"\xff\xff\xff\xff"
    # The scripted voice speaks ten milliseconds a character.
    assert abs((len(received) - 44) / 32_000 - 0.20) < 0.02


@pytest.mark.parametrize(
    ("raw", "headers"),
    [
        ("[IGNORE]", {"x-lobug-action": "ignore", "x-lobug-reason": "model"}),
        ("[REACT] giggles", {"x-lobug-action": "react"}),
    ],
)
async def test_where_nothing_is_to_be_played_there_is_no_content(
    tmp_path: Path, raw: str, headers: dict[str, str]
) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines(chat=chat(raw))) as (client, _):
        files = {"audio": ("recording.wav", WAV, "audio/wav")}
        answer = await client.post("/chat/audio", files=files, headers=SPEECH)
    assert (answer.status_code, answer.content) == (204, b"")
    assert {name: answer.headers.get(name) for name in headers} == headers


async def test_a_reply_without_a_voice_is_a_failure_that_shows_the_reply(tmp_path: Path) -> None:
    scripted = ScriptedEngines(chat=chat("Hello."))
    scripted.tts.fail = EngineUnavailableError("tts", "no voice today")
    async with running(settings_for(tmp_path), scripted) as (client, _):
        answer = await client.post("/chat/text", json={"text": "Hi"}, headers=SPEECH)
        plain = await client.post("/chat/text", json={"text": "Hi", "voice": True})
    assert answer.status_code == 503
    assert answer.json()["error"]["code"] == "engine_unavailable"
    assert answer.json()["response"] == "Hello."
    assert plain.json() == {
        "response": "Hello.",
        "audio_b64": "",
        "speech_error": "engine_unavailable",
    }


async def test_a_turn_that_fails_before_its_first_sound_is_an_ordinary_failure(
    tmp_path: Path,
) -> None:
    scripted = ScriptedEngines(chat=chat(EngineUnavailableError("chat", "down")))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        answer = await client.post("/chat/text", json={"text": "Hi"}, headers=SPEECH)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "engine_unavailable")


async def test_a_voice_can_be_asked_for_in_writing(tmp_path: Path) -> None:
    async with running(settings_for(tmp_path), ScriptedEngines(chat=chat("Hello."))) as (client, _):
        body = (await client.post("/chat/text", json={"text": "Hi", "voice": True})).json()
    assert set(body) == {"response", "audio_b64"}
    assert sound(base64.b64decode(body["audio_b64"]))[0] == 16_000


@asynccontextmanager
async def hearing(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, ScriptedEngines]]:
    scripted = ScriptedEngines(chat=chat("Okay."), stt=ScriptedSpeechToText(["go"]))
    async with running(settings_for(tmp_path), scripted) as (client, _):
        yield client, scripted


async def in_chunks(data: bytes, size: int = 3_001) -> AsyncIterator[bytes]:
    for at in range(0, len(data), size):
        await asyncio.sleep(0)
        yield data[at : at + size]


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("audio/wav", WAV),
        ("audio/x-wav", header(16_000) + PCM),
        ("application/octet-stream", WAV),
        ("audio/pcm", PCM),
        ("audio/L16;rate=16000;channels=1", np.frombuffer(PCM, "<i2").astype(">i2").tobytes()),
        ("audio/L16;rate=16000;endianness=little-endian", PCM),
        ("audio/pcm; rate=48000; channels=2", pcm16(tone(1.0, 48_000), 48_000, 2)[44:]),
    ],
)
async def test_a_recording_may_be_the_body_itself_in_chunks(
    tmp_path: Path, kind: str, data: bytes
) -> None:
    async with hearing(tmp_path) as (client, scripted):
        headers = {"Content-Type": kind}
        answer = await client.post("/chat/audio", content=in_chunks(data), headers=headers)
        assert answer.json()["transcription"] == "go", answer.text
        (heard,) = scripted.stt.heard
    middle = slice(1_000, 15_000)
    assert len(heard) == pytest.approx(16_000, abs=10)
    assert np.abs(heard[middle] - SAMPLES[middle]).max() < 0.02


async def test_a_body_that_is_too_large_or_never_ends_is_refused_like_any_other(
    tmp_path: Path,
) -> None:
    limits = {"max_body_bytes": 200_000, "body_timeout_s": 0.1}
    settings = settings_for(tmp_path, limits=limits)
    async with running(settings, ScriptedEngines()) as (client, _):
        headers = {"Content-Type": "audio/L16;rate=16000", **EVENTS}
        body = in_chunks(bytes(300_000))
        large = await client.post("/chat/audio", content=body, headers=headers)
        assert (large.status_code, large.json()["error"]["code"]) == (413, "body_too_large")
        reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
        writer.write(
            b"POST /chat/audio HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: audio/wav\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n4\r\nRIFF\r\n"
        )
        assert b"408" in await reader.readline()
        assert b"body_timeout" in await reader.read()
        writer.close()


WORDS = "tea " * 400 + "too. "
LONG = WORDS * 12
"""Three minutes of the scripted voice: more than any socket holds back."""


@pytest.mark.parametrize(
    ("path", "accept", "body"),
    [
        ("/chat/text", "text/event-stream", {"text": "Hi", "voice": True}),
        ("/chat/text", "audio/wav", {"text": "Hi"}),
        ("/v1/audio/speech", "*/*", {"model": "tts-1", "input": LONG, "response_format": "wav"}),
    ],
)
async def test_a_caller_that_reads_nothing_is_given_up(
    tmp_path: Path, path: str, accept: str, body: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    settings = settings_for(
        tmp_path,
        streaming={"send_timeout_s": 0.2},
        tts={"max_reply_seconds": 1_000, "reply_sample_rate": 48_000},
        chat={"max_sentences": 50},
        limits={"max_text_chars": 100_000},
    )
    caplog.set_level("INFO", logger="lobug.http")
    async with running(settings, ScriptedEngines(chat=chat(LONG))) as (client, server):
        content = json.dumps(body).encode()
        reader, writer = await asyncio.open_connection(
            client.base_url.host, client.base_url.port, limit=1_000
        )
        writer.write(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: {accept}\r\n"
            f"Content-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        assert b"200" in await reader.readline()
        while "given up" not in caplog.text:  # noqa: ASYNC110 - a log line is all there is
            await asyncio.sleep(0.01)
        await turns_over(server)
        writer.close()
    assert "Traceback" not in caplog.text
