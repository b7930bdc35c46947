"""Ollama and OpenAI-compatible servers that follow a script, on real loopback sockets.

async with serving(ScriptedOllama(models=["qwen2.5:3b"])) as server:
    OllamaSettings(host=server.url)
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

ServerT = TypeVar("ServerT", bound="ScriptedServer")

Chunk = bytes | asyncio.Event | None
"""Bytes to send, an event to wait for, or None: break the connection off, without a proper end."""


@dataclass
class Received:
    """One request."""

    method: str
    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the client closed the connection before the answer was complete."""


@dataclass
class Answer:
    """What to answer: a status and a body in chunks."""

    chunks: Sequence[Chunk]
    status: int = 200
    content_type: str = "application/json"


def as_json(value: object, status: int = 200) -> Answer:
    return Answer([json.dumps(value).encode()], status=status)


class ScriptedServer:
    """Answers by ``answer``; subclasses speak a protocol. ``received`` records every request."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.url = ""
        self._changed = asyncio.Condition()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.StreamWriter] = set()

    def answer(self, request: Received) -> Answer:
        return as_json({"error": "not found"}, status=404)

    def requests_to(self, path: str) -> list[Received]:
        return [r for r in self.received if r.path == path]

    async def wait_for_requests(self, path: str, count: int) -> None:
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.requests_to(path)) >= count)

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """Go down: nobody listens any more, and open connections break."""
        if self._server is not None:
            self._server.close()
        for writer in tuple(self._connections):
            writer.transport.abort()
        if self._server is not None:
            await self._server.wait_closed()
            self._server = None

    async def restart(self) -> None:
        """Come back at the same address."""
        await self.start(int(self.url.rsplit(":", 1)[1]))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            method, path, _ = first.split(" ")
            request = Received(method, path, json.loads(body) if body else {}, headers)
            self.received.append(request)
            async with self._changed:
                self._changed.notify_all()
            await self._send(self.answer(request), request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client left; what it did before is recorded
        finally:
            self._connections.discard(writer)
            writer.close()

    async def _send(
        self,
        answer: Answer,
        request: Received,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        writer.write(
            f"HTTP/1.1 {answer.status} X\r\nContent-Type: {answer.content_type}\r\n"
            "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode()
        )
        for chunk in answer.chunks:
            if chunk is None:
                writer.transport.abort()
                return
            if isinstance(chunk, asyncio.Event):
                await _set_or_gone(chunk, reader, request)
                continue
            writer.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        await writer.drain()


async def _set_or_gone(
    event: asyncio.Event, reader: asyncio.StreamReader, request: Received
) -> None:
    """Wait for ``event``, or raise ConnectionError once the client has closed the connection."""
    gone = asyncio.ensure_future(reader.read(1))
    go_on = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait({gone, go_on}, return_when=asyncio.FIRST_COMPLETED)
        if gone.done():
            request.gone.set()
            raise ConnectionResetError
    finally:
        gone.cancel()
        go_on.cancel()


@asynccontextmanager
async def serving(server: ServerT) -> AsyncIterator[ServerT]:
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


class ScriptedOllama(ScriptedServer):
    """Speaks Ollama's API. Replace ``chat`` and ``embed`` to misbehave."""

    def __init__(self, models: Sequence[str] = ("qwen2.5:3b", "nomic-embed-text:latest")) -> None:
        super().__init__()
        self.models = list(models)
        self.chat: Answer = self.says("Hello", " there.")
        self.embed: Answer | None = None
        self.dimension = 8
        self.refuses_think = False

    @staticmethod
    def part(text: str, *, done: bool = False, **message: str) -> bytes:
        content = {"role": "assistant", "content": text, **message}
        return json.dumps({"model": "m", "message": content, "done": done}).encode() + b"\n"

    @classmethod
    def says(cls, *pieces: str) -> Answer:
        return Answer([*(cls.part(p) for p in pieces), cls.part("", done=True)])

    def answer(self, request: Received) -> Answer:
        model = str(request.body.get("model", ""))
        match request.path:
            case "/api/tags":
                return as_json({"models": [{"model": m, "name": m} for m in self.models]})
            case "/api/chat" | "/api/embed" if not {model, f"{model}:latest"} & set(self.models):
                return as_json({"error": f"model '{model}' not found"}, status=404)
            case "/api/chat" if self.refuses_think and "think" in request.body:
                return as_json({"error": f'"{model}" does not support thinking'}, status=400)
            case "/api/chat":
                return self.chat
            case "/api/embed":
                return self.embed or as_json({"embeddings": self._vectors(request.body["input"])})
        return super().answer(request)

    def _vectors(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(len(text) + 1)] * self.dimension for text in texts]


class ScriptedOpenAI(ScriptedServer):
    """Speaks the OpenAI protocol. Replace ``chat`` and ``embeddings`` to misbehave."""

    def __init__(self) -> None:
        super().__init__()
        self.chat: Answer = self.says("Hello", " there.")
        self.embeddings: Answer | None = None
        self.listing: Answer = as_json({"object": "list", "data": [{"id": "default"}]})
        self.dimension = 8

    @staticmethod
    def event(delta: dict[str, str], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        chunk = {"id": "1", "object": "chat.completion.chunk", "choices": [choice]}
        return f"data: {json.dumps(chunk)}\n\n".encode()

    @classmethod
    def says(cls, *pieces: str) -> Answer:
        events: list[Chunk] = [cls.event({"content": p}) for p in pieces]
        return cls.streams(*events, cls.event({}, "stop"), b"data: [DONE]\n\n")

    @staticmethod
    def streams(*chunks: Chunk) -> Answer:
        return Answer(list(chunks), content_type="text/event-stream")

    def answer(self, request: Received) -> Answer:
        match request.path:
            case "/v1/models":
                return self.listing
            case "/v1/chat/completions":
                return self.chat
            case "/v1/embeddings":
                return self.embeddings or self._embed(request.body["input"])
        return super().answer(request)

    def _embed(self, texts: Sequence[str]) -> Answer:
        rows = [
            {"object": "embedding", "index": i, "embedding": [float(len(t) + 1)] * self.dimension}
            for i, t in enumerate(texts)
        ]
        # Out of order on purpose: the index says what belongs where.
        return as_json({"object": "list", "data": rows[::-1], "model": "m"})
