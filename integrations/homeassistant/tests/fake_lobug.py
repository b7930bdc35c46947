"""A server that answers like Lo-Bug, and does what a test tells it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

OWNER = "lobug_owner"
PERSON = "lobug_person"
SCOPED = "lobug_scoped"

DESK = {
    "id": "aa:bb:cc:dd:ee:01",
    "name": "Desk",
    "user": "ada",
    "state": "paired",
    "connected": True,
    "board": "m5stack-core2",
    "firmware": "lobug 2.1.0",
    "battery": 80,
    "charging": False,
    "signal": "strong",
    "signal_dbm": -51,
    "last_heard_at": "2026-03-01T12:00:00Z",
    "address": "192.168.1.20",
}


@dataclass
class FakeLobug:
    """State of the server, and what it was asked."""

    devices: list[dict[str, Any]] = field(default_factory=lambda: [dict(DESK)])
    tokens: set[str] = field(default_factory=lambda: {OWNER, PERSON, SCOPED})
    reply: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Events of the next turns; empty: it repeats the words."""
    refusal: tuple[int, str, str] | None = None
    """Status, code and sentence with which turns and announcements are refused."""
    url: str = ""
    raw: bytes | None = None
    """What is answered to everything."""
    status: str = "ok"
    fingerprint: str | None = None
    announced: list[dict[str, Any]] = field(default_factory=list)
    said: list[tuple[str, str]] = field(default_factory=list)
    """Token and words of all turns."""
    streams: list[asyncio.Queue[bytes | None]] = field(default_factory=list)
    asked: int = 0
    """How often the devices were asked for."""

    def tell(self, name: str, data: dict[str, Any]) -> None:
        """Send an event to all who listen."""
        for stream in self.streams:
            stream.put_nowait(sse(name, data))

    def hang_up(self) -> None:
        for stream in self.streams:
            stream.put_nowait(None)

    async def start(self) -> TestServer:
        app = web.Application(middlewares=[self._guard])
        app.router.add_get("/web/session", self._session)
        app.router.add_get("/web/certificate", self._certificate)
        app.router.add_get("/web/events", self._events)
        app.router.add_get("/health", self._health)
        app.router.add_get("/devices", self._devices)
        app.router.add_post("/announce", self._announce)
        app.router.add_post("/chat/text", self._chat)
        server = TestServer(app)
        await server.start_server()
        return server

    @web.middleware
    async def _guard(self, request: web.Request, handler: Any) -> web.StreamResponse:
        if self.raw is not None:
            return web.Response(body=self.raw)
        if request.path not in {"/web/session", "/web/certificate", "/health"}:
            if _token(request) not in self.tokens:
                return problem(401, "token_invalid", "I do not know you.")
            if _token(request) == SCOPED:
                return problem(403, "token_scope", "Your token is for something else.")
        return await handler(request)  # type: ignore[no-any-return]

    async def _session(self, _: web.Request) -> web.Response:
        return web.json_response(
            {"version": "0.1.0", "fingerprint": self.fingerprint, "https_url": None}
        )

    async def _certificate(self, _: web.Request) -> web.Response:
        return problem(404, "certificate_missing", "There is none.")

    async def _health(self, request: web.Request) -> web.Response:
        brief = {"status": self.status, "ollama": False, "timestamp": 1.5, "version": "0.1.0"}
        bad = ["speech-to-text is missing"] if self.status != "ok" else []
        return web.json_response({**brief, "degraded": bad} if _token(request) == OWNER else brief)

    async def _devices(self, request: web.Request) -> web.Response:
        self.asked += 1
        if _token(request) != OWNER:
            return problem(403, "owner_only", "This is for my owner.")
        return web.json_response({"devices": self.devices, "waiting": []})

    async def _announce(self, request: web.Request) -> web.Response:
        if self.refusal is not None:
            return problem(*self.refusal)
        self.announced.append(await request.json())
        return web.json_response(
            {"status": "said", "said_on": ["aa:bb:cc:dd:ee:01"], "waits_for": []}
        )

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        if self.refusal is not None:
            return problem(*self.refusal)
        text = (await request.json())["text"]
        self.said.append((_token(request), text))
        events = self.reply or [
            ("heard", {"text": text, "language": None}),
            ("reply_delta", {"text": "You said: "}),
            ("reply_delta", {"text": text}),
            ("done", {"response": f"You said: {text}", "action": "respond"}),
        ]
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for name, data in events:
            await response.write(sse(name, data))
        return response

    async def _events(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(sse("hello", {"version": "0.1.0", "instance": "1"}))
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.streams.append(queue)
        try:
            while (chunk := await queue.get()) is not None:
                await response.write(chunk)
        finally:
            self.streams.remove(queue)
        return response


def sse(name: str, data: dict[str, Any]) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def problem(status: int, code: str, sentence: str) -> web.Response:
    body = {"error": {"code": code, "message": code}, "response": sentence}
    return web.json_response(body, status=status)


def _token(request: web.Request) -> str:
    return request.headers.get("Authorization", "").removeprefix("Bearer ")
