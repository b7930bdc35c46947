"""A Wyoming server that follows a script, on a real loopback socket.

The protocol is the ``wyoming`` package's own; only what misbehaves is written by hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.event import Event, Eventable, async_read_event, async_write_event
from wyoming.info import (
    AsrModel,
    AsrProgram,
    Attribution,
    Describe,
    Info,
    TtsProgram,
    TtsVoice,
)
from wyoming.tts import (
    Synthesize,
    SynthesizeChunk,
    SynthesizeStart,
    SynthesizeStop,
    SynthesizeStopped,
)

Step = Eventable | bytes | asyncio.Event | None
"""An event or bytes to send, an event to wait for, or None: break the connection off."""

_OURS = {
    "attribution": Attribution("tests", ""),
    "installed": True,
    "description": None,
    "version": None,
}


def speech(seconds: float, rate: int = 22_050, channels: int = 1, chunk: int = 1024) -> list[Step]:
    """Start, chunks and stop of a tone as a server sends them."""
    tone = 0.3 * np.sin(np.arange(int(seconds * rate)) * 2 * np.pi * 440 / rate)
    data = np.repeat((tone * 32767).astype("<i2"), channels).tobytes()
    sound = {"rate": rate, "width": 2, "channels": channels}
    size = chunk * 2 * channels
    return [
        AudioStart(**sound),
        *(AudioChunk(**sound, audio=data[at : at + size]) for at in range(0, len(data), size)),
        AudioStop(),
    ]


@dataclass
class ScriptedWyoming:
    """Answers each request by its script; ``requests`` are the events that it got, by connection,
    probes left out."""

    transcript: Sequence[Step] = (Transcript("Hello.", language="en"),)
    speech: Sequence[Step] = field(default_factory=lambda: speech(0.5))
    streams: bool = False
    """Whether it says that it takes text in pieces."""
    describes: Sequence[Step] | None = None
    """The answer to a probe; None: a proper one."""
    requests: list[list[Event]] = field(default_factory=list)
    gone: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client has closed its connection before the answer was complete."""
    url: str = ""
    most_open: int = 0
    """Most requests at a time."""
    _open: int = 0
    _server: asyncio.Server | None = None
    _writers: set[asyncio.StreamWriter] = field(default_factory=set)

    def info(self) -> Info:
        model = AsrModel(name="base", languages=["en"], **_OURS)  # type: ignore[arg-type]
        voices = [
            TtsVoice(name=name, languages=["en"], **_OURS)  # type: ignore[arg-type]
            for name in ("joe", "ann")
        ]
        return Info(
            asr=[AsrProgram(name="ears", models=[model], **_OURS)],  # type: ignore[arg-type]
            tts=[
                TtsProgram(
                    name="mouth",
                    voices=voices,
                    supports_synthesize_streaming=self.streams,
                    **_OURS,  # type: ignore[arg-type]
                )
            ],
        )

    async def start(self, port: int = 0) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        self.url = f"tcp://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        """Go down: nobody listens any more, and open connections break."""
        server, self._server = self._server, None
        if server is not None:
            server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        if server is not None:
            await server.wait_closed()

    async def restart(self) -> None:
        """Come back at the same address."""
        await self.start(int(self.url.rsplit(":", 1)[1]))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        events: list[Event] = []
        try:
            while (event := await async_read_event(reader)) is not None:
                if Describe.is_type(event.type):
                    steps = [self.info()] if self.describes is None else self.describes
                    await self._play(steps, reader, writer)
                    continue
                if not events:
                    self.requests.append(events)
                    self._open += 1
                    self.most_open = max(self.most_open, self._open)
                events.append(event)
                if AudioStop.is_type(event.type):
                    await self._play(self.transcript, reader, writer)
                elif Synthesize.is_type(event.type) or SynthesizeStop.is_type(event.type):
                    await self._play(self.speech, reader, writer)
                    if SynthesizeStop.is_type(event.type):
                        await self._play([SynthesizeStopped()], reader, writer)
        except ConnectionError:
            pass
        finally:
            self._open -= bool(events)
            self._writers.discard(writer)
            writer.close()

    async def _play(
        self, steps: Sequence[Step], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        for step in steps:
            if step is None:
                writer.transport.abort()
                raise ConnectionResetError
            if isinstance(step, asyncio.Event):
                await self._set_or_gone(step, reader)
            elif isinstance(step, bytes):
                writer.write(step)
                await writer.drain()
            else:
                await async_write_event(step.event(), writer)

    async def _set_or_gone(self, event: asyncio.Event, reader: asyncio.StreamReader) -> None:
        gone = asyncio.ensure_future(reader.read(1))
        go_on = asyncio.ensure_future(event.wait())
        try:
            await asyncio.wait({gone, go_on}, return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                self.gone.set()
                raise ConnectionResetError
        finally:
            gone.cancel()
            go_on.cancel()


ServerT = TypeVar("ServerT", bound=ScriptedWyoming)


@asynccontextmanager
async def wyoming(server: ServerT) -> AsyncIterator[ServerT]:
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


__all__ = [
    "ScriptedWyoming",
    "Step",
    "SynthesizeChunk",
    "SynthesizeStart",
    "Transcribe",
    "speech",
    "wyoming",
]
