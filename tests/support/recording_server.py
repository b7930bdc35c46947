"""A scripted HTTP server on a real socket that records every request byte for byte."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
import wave
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO

GOOD_HEALTH = {"status": "ok", "ollama": False, "timestamp": 1.0}


@dataclass(frozen=True)
class Answer:
    """One answer. ``hang``: the server sends nothing."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "application/json"),)
    hang: bool = False
    cut: bool = False
    """Announce the whole body, send half of it and close the connection."""


def as_json(document: object, status: int = 200) -> Answer:
    return Answer(json.dumps(document).encode(), status)


def tone_wav(seconds: float = 0.5, rate: int = 16_000, channels: int = 1) -> bytes:
    """A canonical PCM16 WAV of silence."""
    buffer = BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(bytes(2 * channels * round(seconds * rate)))
    return buffer.getvalue()


def audio_reply(**changes: object) -> Answer:
    """A good reply to ``/chat/audio``; ``changes`` replace fields, None removes one."""
    document: dict[str, object] = {
        "transcription": "hello bug",
        "response": "Hello, person.",
        "action": "respond",
        "audio_b64": base64.b64encode(tone_wav()).decode(),
    }
    document.update(changes)
    return as_json({name: value for name, value in document.items() if value is not None})


@dataclass
class RecordingServer:
    """A server's script, and the requests that it received."""

    script: dict[str, list[Answer]]
    """By path: answers in order; the last one repeats."""
    port: int = 0
    requests: dict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    """By path: whole requests, headers and body, as they came over the network."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            writer.close()
            return
        length = 0
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        body = await reader.readexactly(length)
        path = head.split(b" ")[1].decode()
        self.requests[path].append(head + body)
        answers = self.script.get(path, [as_json({"detail": "not found"}, 404)])
        answer = answers[min(len(self.requests[path]), len(answers)) - 1]
        if answer.hang:
            await reader.read()  # until the client gives up
        else:
            headers = "".join(f"{name}: {value}\r\n" for name, value in answer.headers)
            start = (
                f"HTTP/1.1 {answer.status} x\r\n{headers}Connection: close\r\n"
                f"Content-Length: {len(answer.body)}"
            )
            sent = answer.body[: len(answer.body) // 2] if answer.cut else answer.body
            writer.write(start.encode() + b"\r\n\r\n" + sent)
            await writer.drain()
        writer.close()


def good_script(**changes: list[Answer]) -> dict[str, list[Answer]]:
    """Everything works; ``changes`` by name: health, text, audio, sensors."""
    script = {
        "health": [as_json(GOOD_HEALTH)],
        "text": [as_json({"response": "Hello, typist."})],
        "audio": [audio_reply()],
        "sensors": [as_json({"status": "ok"})],
    }
    script.update(changes)
    paths = {"text": "/chat/text", "audio": "/chat/audio", "sensors": "/context/sensors"}
    return {paths.get(name, f"/{name}"): answers for name, answers in script.items()}


@contextmanager
def recording_server(script: dict[str, list[Answer]] | None = None) -> Iterator[RecordingServer]:
    """Run a server in a thread of its own, so that tests of commands may block."""
    door = RecordingServer(script if script is not None else good_script())
    ready = threading.Event()
    handles: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def serve() -> None:
        server = await asyncio.start_server(door.serve, "127.0.0.1", 0, limit=1 << 24)
        door.port = server.sockets[0].getsockname()[1]
        stop = asyncio.Event()
        handles.append((asyncio.get_running_loop(), stop))
        ready.set()
        await stop.wait()
        server.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield door
    finally:
        loop, stop = handles[0]
        loop.call_soon_threadsafe(stop.set)
        thread.join()
