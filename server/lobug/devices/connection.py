"""The WebSocket of one device, and the audio that both sides agree on in their hellos."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from lobug.devices import frames, messages
from lobug.devices.caption_font import CaptionFont
from lobug.devices.codec import (
    Decoder,
    Encoder,
    make_decoder,
    make_encoder,
)
from lobug.devices.frames import (
    DEFAULT_DOWNLINK_RATE,
    DEFAULT_UPLINK,
    FRAME_DURATIONS_MS,
    OPUS_RATES,
    PCM_RATES,
    VERSIONS,
    AudioCodec,
    AudioFormat,
    CloseCode,
)
from lobug.devices.messages import AudioParams, Hello
from lobug.devices.pushed_glyphs import PushedGlyphs
from lobug.errors import HelloError
from lobug.settings import Settings

log = logging.getLogger(__name__)

T = TypeVar("T")

_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Agreement:
    """The version and formats of one connection."""

    version: int
    """Version of the binary frames: 1, 2 or 3."""
    uplink: AudioFormat
    """The format that the device sends; one or two channels."""
    downlink: AudioFormat
    """The format that the server sends; always one channel."""
    mcp: bool
    """Whether the device serves tools."""
    aec: bool
    """Whether the device leaves echo cancellation to the server."""
    drops_on_abort: bool = False
    """Whether the device empties its audio queue by itself when it interrupts a reply."""
    interim: bool = False
    """Whether it is told words while they are still being spoken."""
    memories: bool = False
    """Whether it is told which memories were used for a reply."""
    glyphs: int = 0
    """How many pictures of characters it keeps; 0: it is sent none."""


def negotiate(hello: Hello, protocol_version: str | None = None) -> Agreement:
    """The agreement that follows from a hello and the header ``Protocol-Version`` (None: not sent).

    What a device leaves out has the protocol's default: version 1, Opus at 16 kHz in frames of
    60 ms. The downlink is the one that ``Hello.downlink`` asks for. Its defaults are the uplink's
    frame duration and, for a device that sends Opus, Opus at 24 kHz; for one that sends PCM, PCM at
    the uplink's rate.

    Raises HelloError, which names what is served, if the hello asks for anything else.
    """
    if hello.transport not in (None, "websocket"):
        raise HelloError(f"transport {hello.transport!r}; served: websocket")
    uplink = _format("audio_params", hello.audio, DEFAULT_UPLINK, most_channels=2)
    downlink = _format(
        "downlink", hello.downlink, _default_downlink(uplink, hello), most_channels=1
    )
    version = _version(hello.version, protocol_version)
    return Agreement(
        version,
        uplink,
        downlink,
        hello.mcp,
        hello.aec,
        hello.drops_on_abort,
        hello.interim,
        hello.memories,
        hello.glyphs,
    )


def _default_downlink(uplink: AudioFormat, hello: Hello) -> AudioFormat:
    wants_opus = (hello.downlink.format or uplink.codec) == AudioCodec.OPUS
    if wants_opus or uplink.codec is AudioCodec.OPUS:
        codec = AudioCodec.OPUS if wants_opus else AudioCodec.PCM
        return AudioFormat(codec, DEFAULT_DOWNLINK_RATE, uplink.frame_ms)
    return AudioFormat(AudioCodec.PCM, uplink.sample_rate, uplink.frame_ms)


def _version(said: int | None, header: str | None) -> int:
    served = ", ".join(map(str, VERSIONS))
    if header is not None:
        if not _NUMBER.fullmatch(header.strip()):
            raise HelloError(f"Protocol-Version is not a number; served: {served}")
        number = int(header)
        if said is not None and said != number:
            raise HelloError(f"Protocol-Version is {number}, the hello's version {said}")
        said = number
    if said is None:
        return VERSIONS[0]
    if said not in VERSIONS:
        raise HelloError(f"protocol version {said}; served: {served}")
    return said


def _format(
    name: str, asked: AudioParams, usual: AudioFormat, *, most_channels: int
) -> AudioFormat:
    try:
        codec = AudioCodec(asked.format) if asked.format is not None else usual.codec
    except ValueError:
        served = ", ".join(AudioCodec)
        raise HelloError(f"{name}.format {asked.format!r}; served: {served}") from None
    rate = usual.sample_rate if asked.sample_rate is None else asked.sample_rate
    frame_ms = usual.frame_ms if asked.frame_duration is None else asked.frame_duration
    channels = usual.channels if asked.channels is None else asked.channels
    _check_rate(f"{name}.sample_rate", codec, rate)
    if frame_ms not in FRAME_DURATIONS_MS:
        served = ", ".join(f"{ms:g}" for ms in FRAME_DURATIONS_MS)
        raise HelloError(f"{name}.frame_duration {frame_ms:g}; served: {served}")
    if not 1 <= channels <= most_channels:
        raise HelloError(f"{name}.channels {channels}; served: 1 to {most_channels}")
    if rate * frame_ms % 1000:
        raise HelloError(f"{name}: no whole samples in {frame_ms:g} ms at {rate} Hz")
    return AudioFormat(codec, rate, frame_ms, channels)


def _check_rate(name: str, codec: AudioCodec, rate: int) -> None:
    if codec is AudioCodec.OPUS:
        if rate not in OPUS_RATES:
            raise HelloError(f"{name} {rate}; served: {', '.join(map(str, OPUS_RATES))}")
    elif not PCM_RATES[0] <= rate <= PCM_RATES[1]:
        raise HelloError(f"{name} {rate}; served: {PCM_RATES[0]} to {PCM_RATES[1]}")


class MessageBudget:
    """A token bucket for the messages that a connection may receive. Pure.

    It refills at ``streaming.max_messages_per_s``, or at twice the rate of audio frames in real
    time if that is more. It holds one second of that plus as much audio as may wait for the
    listener (``listening.max_backlog_s``), because a stalled Wi-Fi delivers it all at once; more
    audio than that overruns the listener first.
    """

    def __init__(self, settings: Settings, frame_s: float, now: float) -> None:
        """``frame_s``: audio in one frame of the device, seconds. ``now``: seconds of any clock."""
        self._frame_s = frame_s
        self._per_s = max(settings.streaming.max_messages_per_s, 2 / frame_s)
        self._most = self._per_s + settings.listening.max_backlog_s / frame_s
        self._left = self._most
        self._at = now

    def spend(self, now: float) -> bool:
        """Count a message. Returns whether it was within the budget."""
        self._left = min(self._most, self._left + (now - self._at) * self._per_s)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True

    def charge(self, audio_s: float) -> None:
        """Count the audio of a message that was spent: each agreed frame of it beyond the first is
        a message more, since it takes as long to decode."""
        self._left -= max(0.0, audio_s / self._frame_s - 1)


_REASON_BYTES = 120
"""Longest reason of a close frame (RFC 6455, 5.5: 125 bytes with the code)."""


class ConnectionLostError(Exception):
    """The device has gone, or its connection was closed from this side."""


class Connection:
    """A device's WebSocket after it was accepted (``speaker.Wire``).

    Messages are sent in the order of the calls.
    """

    def __init__(
        self,
        websocket: WebSocket,
        session_id: str,
        codecs: Executor,
        *,
        send_timeout_s: float,
        on_audio_sent: Callable[[], None] = lambda: None,
    ) -> None:
        self.session_id = session_id
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._websocket = websocket
        self._codecs = codecs
        self._send_timeout_s = send_timeout_s
        self._sending = asyncio.Lock()
        self._send_limit: asyncio.Timeout | None = None
        """Of the frame that is being sent; None: none is."""
        self._receiving: asyncio.Future[Message] | None = None
        self._on_audio_sent = on_audio_sent
        self._agreement: Agreement | None = None
        self._glyphs: PushedGlyphs | None = None

    @property
    def closed(self) -> bool:
        """Whether nothing more is sent or received."""
        return self._over.done()

    @property
    def agreement(self) -> Agreement:
        """Formats and version of this connection. Raises RuntimeError before the hello."""
        if self._agreement is None:
            raise RuntimeError("the device has not said hello")
        return self._agreement

    @agreement.setter
    def agreement(self, agreement: Agreement) -> None:
        self._agreement = agreement

    @property
    def frame_s(self) -> float:
        """Audio in one frame to the device, seconds."""
        return self.agreement.downlink.frame_s

    def encoder(self, source_rate: int) -> Encoder:
        """A new encoder of the format that the device takes."""
        return make_encoder(self.agreement.downlink, source_rate)

    def decoder(self) -> Decoder:
        """A new decoder of the format that the device sends."""
        return make_decoder(self.agreement.uplink)

    async def compute(self, work: Callable[[], T]) -> T:
        """Run ``work`` in a thread of the codecs and return its result."""
        return await asyncio.get_running_loop().run_in_executor(self._codecs, work)

    async def receive(self) -> str | bytes:
        """The next message. Raises ConnectionLostError, also once this side has closed the
        connection: a device that reads nothing never answers the close."""
        if self._receiving is None:
            self._receiving = asyncio.ensure_future(self._websocket.receive())
        either: list[asyncio.Future[Any]] = [self._receiving, self._over]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not self._receiving.done():
            self.abandon()
            raise ConnectionLostError
        receiving, self._receiving = self._receiving, None
        try:
            message = receiving.result()
        except (WebSocketDisconnect, RuntimeError) as fault:
            self._end()
            raise ConnectionLostError from fault
        if message["type"] != "websocket.receive":
            self._end()
            raise ConnectionLostError
        text = message.get("text")
        return text if text is not None else message.get("bytes") or b""

    def abandon(self) -> None:
        """Send nothing more, and stop waiting for messages of the device."""
        self._end()
        if self._receiving is not None:
            self._receiving.cancel()
            self._receiving = None

    def push_glyphs(self, font: CaptionFont) -> None:
        """From now on pictures of characters go ahead of the texts that have them."""
        self._glyphs = PushedGlyphs(font, self.agreement.glyphs)

    async def send(self, message: str) -> None:
        """Send a text frame. Does nothing once the connection is closed."""
        async with self._turn_to_send():
            if self._glyphs is not None and not message.isascii():
                for pictures in self._glyphs.ahead_of(message):
                    await self._send(
                        self._websocket.send_text, messages.glyphs(self.session_id, pictures)
                    )
            await self._send(self._websocket.send_text, message)

    async def send_audio(self, packet: bytes) -> bool:
        """Send an audio packet in a frame of the agreed version. Returns whether it was sent; once
        the connection is closed it is not."""
        sent = False
        async with self._turn_to_send():
            sent = await self._send(
                self._websocket.send_bytes, frames.pack_audio(self.agreement.version, packet)
            )
        if sent:
            self._on_audio_sent()
        return sent

    async def close(self, code: CloseCode, reason: str = "") -> None:
        """Close the connection. Safe to call again: the first code counts.

        Whoever sends or waits for a message is woken at once: a device that has lost its Wi-Fi may
        keep the close itself waiting for long.
        """
        if self.closed:
            return
        self._end()
        if self._websocket.application_state is WebSocketState.DISCONNECTED:
            return
        text = (reason or code.description).encode()[:_REASON_BYTES].decode(errors="ignore")
        try:
            async with asyncio.timeout(self._send_timeout_s):
                await self._websocket.close(int(code), text)
        except (TimeoutError, RuntimeError, OSError, WebSocketDisconnect) as fault:
            log.debug("a connection did not close cleanly: %s", type(fault).__name__)

    def _end(self) -> None:
        if not self._over.done():
            self._over.set_result(None)
        if self._send_limit is not None and not self._send_limit.expired():
            self._send_limit.reschedule(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def _turn_to_send(self) -> AsyncIterator[None]:
        """Wait until nothing else is being sent. A device that reads nothing is disconnected once
        others may send again, so that they need not wait for that too."""
        try:
            async with self._sending:
                yield
        except TimeoutError:
            log.info("a device reads nothing; it is disconnected")
            await self.close(CloseCode.TOO_SLOW)

    async def _send(self, send: Callable[..., object], data: str | bytes) -> bool:
        """Send one frame, in the ``_turn_to_send``. Returns whether it was sent. Raises
        TimeoutError."""
        if self.closed:
            return False
        try:
            async with asyncio.timeout(self._send_timeout_s) as self._send_limit:
                await send(data)  # type: ignore[misc]  # a coroutine of the WebSocket's
        except TimeoutError:
            if self._over.done():
                return False
            raise
        except (RuntimeError, OSError, WebSocketDisconnect):
            self._send_limit = None
            self._end()
            return False
        finally:
            self._send_limit = None
        return True
