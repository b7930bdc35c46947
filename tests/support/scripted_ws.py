"""A scripted server of the device protocol, for tests of simulated devices."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from lobug.devices import frames
from lobug.devices.codec import make_encoder
from lobug.devices.frames import AudioCodec, AudioFormat
from lobug.engines.base import Samples

OPUS_REPLY = AudioFormat(AudioCodec.OPUS, 24_000, 60.0)
PCM_REPLY = AudioFormat(AudioCodec.PCM, 16_000, 60.0)


def tone(seconds: float, rate: int = 16_000) -> Samples:
    """A sound with silence before and after: 0.1 s each."""
    samples = np.zeros(round(seconds * rate), np.float32)
    inner = np.arange(round((seconds - 0.2) * rate)) / rate
    start = round(0.1 * rate)
    samples[start : start + len(inner)] = 0.4 * np.sin(2 * np.pi * 220 * inner)
    return samples


def opus_packets(count: int) -> list[bytes]:
    """Return a reply of this many packets."""
    encoder = make_encoder(OPUS_REPLY, 24_000)
    return encoder.feed(tone(count * 0.06 + 0.03, 24_000))[:count]


def numbered_packets(count: int) -> list[bytes]:
    """PCM whose first sample is the packet's number."""
    packets = []
    for number in range(count):
        samples = np.full(PCM_REPLY.frame_samples, 1000, "<i2")
        samples[0] = number
        packets.append(samples.tobytes())
    return packets


def number_of(packet: bytes) -> int:
    """The number in a packet of ``numbered_packets``."""
    return int(np.frombuffer(packet, "<i2")[0])


@dataclass
class Conversation:
    """One connection, from the server's side."""

    socket: ServerConnection
    reply: AudioFormat
    hello: dict[str, Any] = field(default_factory=dict)
    texts: list[dict[str, Any]] = field(default_factory=list)
    """What the device said after its hello."""
    packets: list[bytes] = field(default_factory=list)
    """The audio that it sent, unpacked."""

    @property
    def version(self) -> int:
        """Protocol version of the binary frames."""
        return int(self.headers["Protocol-Version"])

    @property
    def headers(self) -> dict[str, str]:
        """Headers of the opening request."""
        assert self.socket.request is not None
        return dict(self.socket.request.headers.raw_items())

    def kinds(self) -> list[str]:
        """The device's messages, abbreviated."""
        return [
            " ".join(str(text[key]) for key in ("type", "state", "mode", "reason") if key in text)
            for text in self.texts
        ]

    async def send(self, kind: str, **fields: object) -> None:
        """Send a text message."""
        await self.socket.send(json.dumps({"session_id": "s1", "type": kind, **fields}))

    async def send_audio(self, packets: Sequence[bytes]) -> None:
        """Send packets as fast as the device accepts them."""
        for packet in packets:
            await self.socket.send(frames.pack_audio(self.version, packet))

    async def speak(self, text: str, packets: Sequence[bytes]) -> None:
        """Send a complete reply with one sentence."""
        await self.send("tts", state="start")
        await self.send("tts", state="sentence_start", text=text)
        await self.send_audio(packets)
        await self.send("tts", state="stop")

    async def read(self) -> dict[str, Any] | bytes:
        """Return the device's next message."""
        message = await self.socket.recv()
        if isinstance(message, bytes):
            packet = frames.unpack(self.version, message).payload
            self.packets.append(packet)
            return packet
        text: dict[str, Any] = json.loads(message)
        self.texts.append(text)
        return text

    async def read_until(self, kind: str, **fields: object) -> dict[str, Any]:
        """Read until this message."""
        wanted = {"type": kind, **fields}
        while True:
            message = await self.read()
            if isinstance(message, dict) and wanted.items() <= message.items():
                return message

    async def read_packets(self, count: int) -> None:
        """Read this many packets of audio."""
        while count:
            count -= isinstance(await self.read(), bytes)

    async def greet(self) -> None:
        """Exchange hellos."""
        hello = await self.socket.recv()
        self.hello = json.loads(hello)
        await self.socket.send(
            json.dumps(
                {
                    "type": "hello",
                    "transport": "websocket",
                    "session_id": "s1",
                    "audio_params": {
                        "format": self.reply.codec.value,
                        "sample_rate": self.reply.sample_rate,
                        "channels": 1,
                        "frame_duration": 60,
                    },
                }
            )
        )


Script = Callable[[Conversation], Awaitable[None]]


@dataclass
class ScriptedWs:
    """The server, while it runs."""

    url: str
    conversations: list[Conversation] = field(default_factory=list)

    @property
    def only(self) -> Conversation:
        """The only conversation."""
        (conversation,) = self.conversations
        return conversation


@asynccontextmanager
async def scripted_ws(
    script: Script, *, reply: AudioFormat = OPUS_REPLY, greets: bool = True
) -> AsyncIterator[ScriptedWs]:
    """Serve on a free port of loopback. After the hellos ``script`` has the connection; when it
    returns, what the device still says is read until it goes."""
    served = ScriptedWs("")

    async def converse(socket: ServerConnection) -> None:
        conversation = Conversation(socket, reply)
        served.conversations.append(conversation)
        try:
            if greets:
                await conversation.greet()
            await script(conversation)
            while True:
                await conversation.read()
        except ConnectionClosed:
            pass

    async with serve(converse, "127.0.0.1", 0, compression=None, ping_interval=None) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        served.url = f"ws://127.0.0.1:{port}/xiaozhi/v1/"
        yield served
