"""Clients that misbehave on the wire: they hang up, dawdle, lie, pipeline, or come all at once."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from lobug.server import LobugServer
from support.app_server import ScriptedEngines, running, settings_for
from support.faults import assert_problem, say, until
from support.patience import PATIENCE_S
from support.scripted import ScriptedChatModel
from support.wav import pcm16, tone

World = tuple[httpx.AsyncClient, LobugServer]
TEXT = b'{"text": "Hello"}'
RECORDING = pcm16(tone(1.0))
PART = (
    b'--edge\r\nContent-Disposition: form-data; name="audio"; filename="recording.wav"\r\n'
    b"Content-Type: audio/wav\r\n\r\n" + RECORDING + b"\r\n--edge--\r\n"
)


@pytest.fixture
def scripted() -> ScriptedEngines:
    return ScriptedEngines(
        chat=ScriptedChatModel(lambda _, options: "[]" if options.json_schema else "Okay.")
    )


@pytest.fixture
async def world(
    tmp_path: Path, scripted: ScriptedEngines, caplog: pytest.LogCaptureFixture
) -> AsyncIterator[World]:
    """A server; whatever a client does, no error is logged and no task is left."""
    caplog.set_level(logging.WARNING)
    limits = {"max_body_bytes": 1_000_000, "max_waiting_turns": 8}
    async with running(settings_for(tmp_path, limits=limits), scripted) as (client, server):
        yield client, server
        assert server.priority.turns == 0
        assert server.turns.waiting == 0
        assert not any(c.lock.locked() for c in server.conversations._by_name.values())
        assert (await say(client)).json() == {"response": "Okay."}
    records = [*caplog.get_records("setup"), *caplog.get_records("call"), *caplog.records]
    errors = [record.getMessage() for record in records if record.levelno >= logging.ERROR]
    assert errors == []


@asynccontextmanager
async def connected(
    client: httpx.AsyncClient,
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    url = client.base_url
    reader, writer = await asyncio.open_connection(url.host, url.port)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


def head(path: str, length: int | str | None, *more: str, version: str = "1.1") -> bytes:
    content = "multipart/form-data; boundary=edge" if "audio" in path else "application/json"
    lines = [f"POST {path} HTTP/{version}", "Host: localhost", f"Content-Type: {content}", *more]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, Any]]:
    """Status and JSON body of one HTTP answer."""
    async with asyncio.timeout(PATIENCE_S):
        raw = (await reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = raw.strip().split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        length = headers.get("content-length")
        body = await (reader.readexactly(int(length)) if length else reader.read())
    return int(first.split(" ")[1]), json.loads(body)


async def nobody_talks(server: LobugServer) -> None:
    async def idle() -> bool:
        return server.priority.turns == 0

    await until(idle)


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"POST /chat",
        head("/chat/text", len(TEXT)),
        head("/chat/text", len(TEXT)) + TEXT[:5],
        head("/chat/text", None, "Transfer-Encoding: chunked") + b"5\r\n" + TEXT[:5],
        head("/context/sensors", 100) + b'{"is_',
        head("/chat/audio", len(PART)) + PART[:50],
        head("/chat/audio", len(PART)) + PART[:5_000],
        head("/chat/audio", None, "Transfer-Encoding: chunked") + b"20\r\n" + PART[:32] + b"\r\n",
    ],
    ids=lambda sent: repr(sent[:12] + sent[-12:]),
)
@pytest.mark.parametrize("ending", ["abort", "close"])
async def test_hanging_up_in_the_middle_of_an_upload(
    world: World, sent: bytes, ending: str
) -> None:
    client, server = world
    async with connected(client) as (reader, writer):
        writer.write(sent)
        await writer.drain()
        await client.get("/health")  # the server has had its turn with what was sent
        if ending == "close":
            writer.close()
            await reader.read()
    await client.get("/health")
    await nobody_talks(server)
    assert server.memory.stats().messages == 0


async def test_hanging_up_while_waiting_in_the_queue(tmp_path: Path) -> None:
    gate = asyncio.Event()
    chat = ScriptedChatModel(
        lambda messages, _: ["Wait ", gate, "over."] if messages[-1].content == "one" else "Okay."
    )
    limits = {"max_concurrent_turns": 1, "max_waiting_turns": 2}
    settings = settings_for(tmp_path, limits=limits)
    async with running(settings, ScriptedEngines(chat=chat)) as (client, server):
        first = asyncio.create_task(say(client, "one", "a"))
        await chat.wait_for_calls(1)
        for number in range(5):  # more than may wait: each has to give its place back
            async with connected(client) as (_, writer):
                writer.write(head("/chat/text", len(TEXT), f"Device-Id: {number}") + TEXT)
                await writer.drain()

                async def waits() -> bool:
                    return server.priority.turns == 2

                await until(waits)

            async def gone() -> bool:
                return server.priority.turns == 1

            await until(gone)
        gate.set()
        assert (await first).json() == {"response": "Wait over."}
        assert (await say(client, "two", "a")).json() == {"response": "Okay."}
        assert server.memory.stats().messages == 4, "who hung up in the queue has said nothing"
        assert server.priority.turns == 0


async def test_requests_of_one_connection_are_answered_in_order(
    world: World, scripted: ScriptedEngines
) -> None:
    client, _ = world
    async with connected(client) as (reader, writer):
        for number in range(3):
            body = json.dumps({"text": f"number {number}"}).encode()
            writer.write(head("/chat/text", len(body)) + body)
        writer.write(head("/chat/text", 1) + b"{")
        writer.write(head("/chat/audio", len(PART)) + PART)
        await writer.drain()
        for _ in range(3):
            assert await read_answer(reader) == (200, {"response": "Okay."})
        status, body_of_fourth = await read_answer(reader)
        assert (status, body_of_fourth["error"]["code"]) == (400, "invalid_encoding")
        status, body_of_fifth = await read_answer(reader)
        assert (status, body_of_fifth["transcription"]) == (200, "Hello.")
    turns = [call for call in scripted.chat.calls if call.options.json_schema is None]
    assert [call.messages[-1].content for call in turns[:3]] == [f"number {n}" for n in range(3)]


async def test_a_slow_sender_is_waited_for_and_keeps_nobody_waiting(world: World) -> None:
    client, server = world
    async with connected(client) as (reader, writer):
        for byte in head("/chat/text", len(TEXT)) + TEXT[:-1]:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(0)
        assert (await say(client, "Hi", "other")).status_code == 200
        assert server.priority.turns == 0, "a turn begins when all of it is here"
        writer.write(TEXT[-1:])
        assert await read_answer(reader) == (200, {"response": "Okay."})


@pytest.mark.parametrize(
    "sent",
    [
        head("/chat/text", len(TEXT)) + TEXT[:-1],
        head("/context/sensors", 2),
        head("/chat/audio", len(PART)) + PART[:-1],
        head("/chat/audio", None, "Transfer-Encoding: chunked") + b"20\r\n" + PART[:32] + b"\r\n",
    ],
    ids=["text", "sensors", "audio", "chunked"],
)
async def test_a_sender_that_falls_silent_is_given_up(tmp_path: Path, sent: bytes) -> None:
    """As a device does that leaves its network in an upload: no byte comes, and no end either."""
    settings = settings_for(tmp_path, limits={"body_timeout_s": 0.2})
    async with running(settings, ScriptedEngines()) as (client, server):
        async with connected(client) as (reader, writer):
            writer.write(sent)
            status, body = await read_answer(reader)
            assert (status, body["error"]["code"]) == (408, "body_timeout")
            assert body["response"]
            assert await reader.read() == b"", "the connection ends"
        assert server.memory.stats().messages == 0
        assert (await say(client)).json() == {"response": "Okay."}


CHUNKED = "Transfer-Encoding: chunked"
DISCOVERY = ("/xiaozhi/ota/", "/xiaozhi/ota")


@pytest.mark.parametrize("path", DISCOVERY)
@pytest.mark.parametrize(
    ("length", "more", "sent"),
    [
        (32 * 1024 * 1024, (), b""),
        (65_537, (), b""),
        (None, (CHUNKED,), b"10001\r\n" + b"x" * 65_537),
    ],
    ids=["declared", "just too large", "chunked"],
)
async def test_strangers_may_not_park_much_here(
    tmp_path: Path, path: str, length: int | None, more: tuple[str, ...], sent: bytes
) -> None:
    """Refused before the body has ended, though the settings allow others 32 MB."""
    named = ("Device-Id: d", "Client-Id: c", *more)
    async with (
        running(settings_for(tmp_path), ScriptedEngines()) as (client, _),
        connected(client) as (reader, writer),
    ):
        writer.write(head(path, length, *named) + sent)
        status, body = await read_answer(reader)
        assert (status, body["error"]["code"]) == (413, "body_too_large")


async def test_strangers_may_not_take_their_time(tmp_path: Path) -> None:
    """Byte by byte, each in time."""
    settings = settings_for(tmp_path, limits={"body_timeout_s": 0.5})
    async with (
        running(settings, ScriptedEngines()) as (client, _),
        connected(client) as (reader, writer),
    ):
        writer.write(head(DISCOVERY[0], 60_000, "Device-Id: d", "Client-Id: c"))
        answer = asyncio.create_task(read_answer(reader))
        async with asyncio.timeout(PATIENCE_S):
            while not answer.done():
                writer.write(b" ")
                await asyncio.wait([answer], timeout=0.02)
        status, body = await answer
        assert (status, body["error"]["code"]) == (408, "body_timeout")
        assert "not all of the body" in body["error"]["message"]


async def test_a_long_answer_is_no_silent_sender(tmp_path: Path) -> None:
    gate = asyncio.Event()
    chat = ScriptedChatModel([["One ", gate, "apple a day."]])
    settings = settings_for(tmp_path, limits={"body_timeout_s": 0.05})
    async with running(settings, ScriptedEngines(chat=chat)) as (client, _):
        turn = asyncio.create_task(say(client))
        await chat.wait_for_calls(1)
        await asyncio.sleep(0.15)  # three times what a silent sender is given
        gate.set()
        assert (await turn).json() == {"response": "One apple a day."}


async def test_http_1_0(world: World) -> None:
    async with connected(world[0]) as (reader, writer):
        writer.write(head("/chat/text", len(TEXT), version="1.0") + TEXT)
        assert await read_answer(reader) == (200, {"response": "Okay."})
        assert await reader.read() == b"", "the connection ends"


@pytest.mark.parametrize(
    ("sent", "status", "code"),
    [
        (head("/chat/text", 5) + TEXT, 400, "invalid_encoding"),
        (head("/chat/text", 0) + TEXT, 400, "invalid_encoding"),
        (head("/chat/text", None) + TEXT, 400, "invalid_encoding"),
        (head("/chat/text", 999_999_999), 413, "body_too_large"),
        (head("/chat/text", "9" * 19), 413, "body_too_large"),
        (head("/chat/audio", 999_999_999, "Expect: 100-continue"), 413, "body_too_large"),
        (head("/chat/audio", len(PART) - 40) + PART, 422, "invalid_request"),
    ],
    ids=["5", "0", "none", "a gigabyte", "19 digits", "expect", "multipart"],
)
async def test_a_length_that_is_not_true(world: World, sent: bytes, status: int, code: str) -> None:
    async with connected(world[0]) as (reader, writer):
        writer.write(sent)
        answered, body = await read_answer(reader)
        assert (answered, body["error"]["code"]) == (status, code)
        assert body["response"]


@pytest.mark.parametrize("length", ["-1", "seven", "1e3", "9" * 30, "5\r\nContent-Length: 6"])
async def test_a_length_that_is_no_number_is_refused_by_the_wire_itself(
    world: World, length: str
) -> None:
    async with connected(world[0]) as (reader, writer):
        writer.write(head("/chat/text", length) + TEXT)
        async with asyncio.timeout(PATIENCE_S):
            answer = await reader.read()
        assert answer.startswith(b"HTTP/1.1 4"), answer
        assert b"Traceback" not in answer


async def test_fifty_at_once(world: World, scripted: ScriptedEngines) -> None:
    client, server = world
    limits = server.settings.limits
    gate = asyncio.Event()
    scripted.chat._replies = lambda _, options: "[]" if options.json_schema else ["Okay", gate, "."]
    url = str(client.base_url)
    async with httpx.AsyncClient(
        base_url=url,
        timeout=PATIENCE_S,
        trust_env=False,
        limits=httpx.Limits(max_connections=60),
    ) as many:
        tasks = [asyncio.create_task(say(many, f"I am {n}", f"device-{n}")) for n in range(50)]
        allowed = limits.max_concurrent_turns + limits.max_waiting_turns

        async def refused() -> bool:
            return sum(task.done() for task in tasks) == 50 - allowed

        await until(refused)
        assert (await client.get("/health")).json()["turns"] == allowed
        gate.set()
        answers = await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)
    served = [answer for answer in answers if answer.status_code == 200]
    for answer in answers:
        if answer not in served:
            assert_problem(answer, 503, "busy")
            assert answer.headers["Retry-After"]
    assert len(served) == allowed
    assert server.memory.stats().messages == 2 * allowed
