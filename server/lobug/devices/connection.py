"""One device's WebSocket: sends and reads within limits, closes with a code."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any, TypeVar

from starlette.types import Message
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from lobug.devices import frames
from lobug.devices.codec import (
    Decoder,
    Encoder,
    make_decoder,
    make_encoder,
)
from lobug.devices.frames import CloseCode
from lobug.devices.negotiation import Agreement
from lobug.settings import Settings


class MessageBudget:
    """A token bucket for the messages that a connection may receive. Pure.

    It refills at ``streaming.max_messages_per_s``, or at twice the rate of audio frames in real
    time if that is more. It holds one second of that plus as much audio as may wait for the
    listener (``listening.max_backlog_s``), because a stalled Wi-Fi delivers it all at once; more
    audio than that overruns the listener first.
    """

    def __init__(self, settings: Settings, frame_s: float, now: float) -> None:
        """``frame_s``: audio in one frame of the device, seconds. ``now``: seconds of any clock."""
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


log = logging.getLogger(__name__)

T = TypeVar("T")

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
        self.closed = False
        self._over = asyncio.Event()
        self._websocket = websocket
        self._codecs = codecs
        self._send_timeout_s = send_timeout_s
        self._sending = asyncio.Lock()
        self._receiving: asyncio.Future[Message] | None = None
        self._on_audio_sent = on_audio_sent
        self._agreement: Agreement | None = None

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
        over = asyncio.ensure_future(self._over.wait())
        either: list[asyncio.Future[Any]] = [self._receiving, over]
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
        if not self._receiving.done():
            self.abandon()
            raise ConnectionLostError
        receiving, self._receiving = self._receiving, None
        try:
            message = receiving.result()
        except (WebSocketDisconnect, RuntimeError) as fault:
            raise ConnectionLostError from fault
        if message["type"] != "websocket.receive":
            self.closed = True
            raise ConnectionLostError
        text = message.get("text")
        return text if text is not None else message.get("bytes") or b""

    def abandon(self) -> None:
        """Stop waiting for messages of the device."""
        if self._receiving is not None:
            self._receiving.cancel()
            self._receiving = None

    async def send(self, message: str) -> None:
        """Send a text frame. Does nothing once the connection is closed."""
        await self._send(self._websocket.send_text, message)

    async def send_audio(self, packet: bytes) -> None:
        """Send an audio packet in a frame of the agreed version."""
        await self._send(
            self._websocket.send_bytes, frames.pack_audio(self.agreement.version, packet)
        )
        self._on_audio_sent()

    async def close(self, code: CloseCode, reason: str = "") -> None:
        """Close the connection. Safe to call again: the first code counts."""
        if self.closed:
            return
        self.closed = True
        if self._websocket.application_state is WebSocketState.DISCONNECTED:
            self._over.set()
            return
        text = (reason or code.description).encode()[:_REASON_BYTES].decode(errors="ignore")
        try:
            async with asyncio.timeout(self._send_timeout_s):
                await self._websocket.close(int(code), text)
        except (TimeoutError, RuntimeError, OSError, WebSocketDisconnect) as fault:
            log.debug("a connection did not close cleanly: %s", type(fault).__name__)
        finally:
            self._over.set()

    async def _send(self, send: Callable[..., object], data: str | bytes) -> None:
        async with self._sending:
            if self.closed:
                return
            try:
                async with asyncio.timeout(self._send_timeout_s):
                    await send(data)  # type: ignore[misc]  # a coroutine of the WebSocket's
            except TimeoutError:
                log.info("a device reads nothing; it is disconnected")
                await self.close(CloseCode.TOO_SLOW)
            except (RuntimeError, OSError, WebSocketDisconnect):
                self.closed = True
                self._over.set()
