"""A plain client of the device protocol: sends what a test asks for, records what it receives."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import websockets
from websockets.asyncio.client import ClientConnection, connect

from lobug.simulator.device_tools import DeviceState, DeviceTools
from support.patience import PATIENCE_S

RATE = 16_000
FRAME_MS = 60

HELLO: Mapping[str, Any] = {
    "type": "hello",
    "version": 1,
    "transport": "websocket",
    "audio_params": {
        "format": "pcm",
        "sample_rate": RATE,
        "channels": 1,
        "frame_duration": FRAME_MS,
    },
}

TOOLS: Mapping[str, Any] = {**HELLO, "features": {"mcp": True}}
"""A hello of a device with tools."""


async def until(condition: Callable[[], bool]) -> None:
    """Poll until the condition holds."""
    async with asyncio.timeout(PATIENCE_S):
        while not condition():  # noqa: ASYNC110 - nobody tells of all that is waited for
            await asyncio.sleep(0.01)


def tone(seconds: float) -> bytes:
    """PCM16 that the scripted gate takes for speech."""
    samples = 0.3 * np.sin(np.arange(int(seconds * RATE)) * 0.1)
    return bytes((samples * 32_767).astype("<i2").tobytes())


def silence(seconds: float) -> bytes:
    """Silence, PCM16."""
    return bytes(2 * int(seconds * RATE))


@dataclass
class DeviceClient:
    """One connection. A reader puts everything into ``received``: dicts, and bytes of audio."""

    socket: ClientConnection
    received: list[dict[str, Any] | bytes] = field(default_factory=list)
    news: asyncio.Condition = field(default_factory=asyncio.Condition)
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    session_id: str = ""

    async def read(self) -> None:
        try:
            async for message in self.socket:
                async with self.news:
                    self.received.append(
                        json.loads(message) if isinstance(message, str) else message
                    )
                    self.news.notify_all()
        except websockets.ConnectionClosed:
            pass
        finally:
            self.closed.set()
            async with self.news:
                self.news.notify_all()

    async def say(self, **message: Any) -> None:
        await self.socket.send(json.dumps({"session_id": self.session_id, **message}))

    async def listen(self, state: str = "start", mode: str = "auto") -> None:
        await self.say(type="listen", state=state, mode=mode)

    async def send_audio(self, pcm: bytes) -> None:
        """Send audio at once, in frames."""
        size = 2 * RATE * FRAME_MS // 1000
        for start in range(0, len(pcm), size):
            await self.socket.send(pcm[start : start + size])

    async def speak(self, seconds: float = 0.6, after: float = 1.5) -> None:
        """Send speech and the silence after it."""
        await self.send_audio(tone(seconds) + silence(after))

    def messages(self, kind: str | None = None) -> list[dict[str, Any]]:
        found = [m for m in self.received if isinstance(m, dict)]
        return [m for m in found if kind is None or m["type"] == kind]

    def audio(self) -> bytes:
        return b"".join(m for m in self.received if isinstance(m, bytes))

    async def until(self, condition: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
        """Wait for a received message that meets the condition."""
        async with asyncio.timeout(patience_s), self.news:
            while not condition():
                if self.closed.is_set():
                    raise AssertionError(f"closed ({self.socket.close_code}): {self.messages()}")
                await self.news.wait()

    async def until_said(self, kind: str, count: int = 1, **fields: Any) -> dict[str, Any]:
        """The ``count``th message of a kind with these fields."""

        def matching() -> list[dict[str, Any]]:
            return [m for m in self.messages(kind) if all(m.get(k) == v for k, v in fields.items())]

        await self.until(lambda: len(matching()) >= count)
        return matching()[count - 1]


@asynccontextmanager
async def device(
    base_url: str,
    device_id: str = "aa:bb:cc:dd:ee:01",
    *,
    hello: Mapping[str, Any] | None = HELLO,
    headers: Mapping[str, str] | None = None,
) -> AsyncIterator[DeviceClient]:
    """A connected device; it has said hello unless ``hello`` is None."""
    url = str(base_url).rstrip("/").replace("http://", "ws://") + "/xiaozhi/v1/"
    sent = {"Device-Id": device_id, "Client-Id": "test", "Protocol-Version": "1", **(headers or {})}
    async with connect(url, additional_headers=sent, compression=None) as socket:
        client = DeviceClient(socket)
        reading = asyncio.ensure_future(client.read())
        try:
            if hello is not None:
                await socket.send(json.dumps(hello))
                client.session_id = (await client.until_said("hello"))["session_id"]
            yield client
        finally:
            await socket.close()
            await reading


@asynccontextmanager
async def answering(client: DeviceClient, state: DeviceState) -> AsyncIterator[list[str]]:
    """Answer the server's calls of tools meanwhile; yields the names of the tools called."""
    tools, called = DeviceTools(state), list[str]()
    answered: list[object] = []

    def more() -> bool:
        return len(client.messages("mcp")) > len(answered)

    async def answer() -> None:
        while True:
            async with client.news:
                await client.news.wait_for(more)
            payload = client.messages("mcp")[len(answered)]["payload"]
            if payload.get("method") == "tools/call":
                called.append(payload["params"]["name"])
            answered.append(tools.answer(payload))
            if answered[-1] is not None:
                await client.say(type="mcp", payload=answered[-1])

    task = asyncio.create_task(answer())
    try:
        yield called
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
