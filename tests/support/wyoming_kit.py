"""The Wyoming door of a scripted server, and what its clients do there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.event import Event
from wyoming.handle import Handled

from lobug.app import create_app
from lobug.engines.base import Samples
from lobug.server import LobugServer
from lobug.wyoming.door import WyomingDoor
from support.app_server import ScriptedEngines, client_of, scripted_assembler, settings_for
from support.patience import PATIENCE_S
from support.wav import tone

RATE = 16_000


@dataclass
class OpenDoor:
    """A running server and its Wyoming door."""

    server: LobugServer
    http: httpx.AsyncClient
    door: WyomingDoor

    @property
    def port(self) -> int:
        port = self.door.port
        assert port is not None
        return port

    def client(self) -> AsyncTcpClient:
        """A client of the library."""
        return AsyncTcpClient("127.0.0.1", self.port, read_timeout=PATIENCE_S)

    async def counted(self, metric: str) -> float:
        """The value of a counter in `/metrics`; 0 if it is not there."""
        text = (await self.http.get("/metrics")).text
        found = [line for line in text.splitlines() if line.startswith(f"{metric} ")]
        return float(found[0].split()[-1]) if found else 0.0


@asynccontextmanager
async def open_door(
    folder: Path, scripted: ScriptedEngines, *, wyoming: dict[str, Any] | None = None, **more: Any
) -> AsyncIterator[OpenDoor]:
    """A server with scripted engines whose door is open for this computer, on a free port."""
    settings = settings_for(
        folder,
        host="127.0.0.1",
        wyoming={"enabled": True, "port": 0, **(wyoming or {})},
        **more,
    )
    app = create_app(settings, assembler=scripted_assembler(scripted))
    async with client_of(app) as http:
        yield OpenDoor(app.state.lobug, http, app.state.wyoming)


async def until_type(client: AsyncTcpClient, *types: str) -> list[Event]:
    """The events up to the first of one of these types; a shorter list if the connection ends."""
    events: list[Event] = []
    while (event := await client.read_event()) is not None:
        events.append(event)
        if event.type in types:
            break
    return events


def pcm16(samples: Samples) -> bytes:
    return (samples * 32_767).astype("<i2").tobytes()


SPEECH = pcm16(np.concatenate([tone(0.8), np.zeros(RATE // 5, np.float32)]))
"""What the scripted gate takes for speech, 16 kHz: a second."""


async def say(client: AsyncTcpClient, pcm: bytes = SPEECH, rate: int = RATE) -> None:
    """Send a sound in pieces of 64 ms."""
    await client.write_event(AudioStart(rate, 2, 1).event())
    for at in range(0, len(pcm), 2048):
        await client.write_event(AudioChunk(rate, 2, 1, pcm[at : at + 2048]).event())
    await client.write_event(AudioStop().event())


async def ask(open_door: OpenDoor, text: str, **context: str) -> Event:
    """A turn on a connection of its own, as Home Assistant has it."""
    async with open_door.client() as client:
        await client.write_event(
            Event("transcript", {"text": text, **({"context": context} if context else {})})
        )
        event: Event | None = await client.read_event()
    assert event is not None
    return event


async def reply_to(open_door: OpenDoor, text: str, **context: str) -> str:
    """The words with which a turn was answered."""
    event = await ask(open_door, text, **context)
    assert Handled.is_type(event.type), event
    return Handled.from_event(event).text or ""


def sound_of(events: Sequence[Event]) -> bytes:
    """All sound among events."""
    return b"".join(event.payload or b"" for event in events if AudioChunk.is_type(event.type))


async def raw(open_door: OpenDoor, *pieces: bytes, eof: bool = False) -> bytes:
    """Send bytes as they are. Returns all that is answered until the server ends the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", open_door.port)
    try:
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        if eof:
            writer.write_eof()
        return await asyncio.wait_for(reader.read(), PATIENCE_S)
    finally:
        writer.close()
