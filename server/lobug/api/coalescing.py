"""Writes what belongs together at once: a burst of small audio frames leaves in one TCP segment.

A device plays the first packet of a reply as soon as it comes. Were each packet a segment of its
own, the loss of the second would leave it without sound at once; in one segment they come together
or not at all. Nothing waits for it: what one step of the event loop writes is sent at its end.
"""

from __future__ import annotations

import asyncio
from typing import Any, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol


class CoalescingTransport(asyncio.Transport):
    """A transport that joins the writes of one step of the event loop. Everything else is passed on
    to the one underneath."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport = transport
        self._loop = loop
        self._waiting: list[bytes | bytearray | memoryview[Any]] = []

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Send this, with what else is written in this step."""
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(data)

    def close(self) -> None:
        """Send what waits, and close."""
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        """Close at once."""
        self._waiting.clear()
        self._transport.abort()

    def is_closing(self) -> bool:
        """Whether it is closed, or about to be."""
        return self._transport.is_closing()

    def pause_reading(self) -> None:
        """Take nothing more for now."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Go on reading."""
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What the transport underneath knows of the connection."""
        return self._transport.get_extra_info(name, default)

    def get_write_buffer_size(self) -> int:
        """Bytes that are not sent yet."""
        return self._transport.get_write_buffer_size() + sum(map(len, self._waiting))

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and not self._transport.is_closing():
            self._transport.write(b"".join(waiting))


class CoalescingWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket, writing to a ``CoalescingTransport``: its setting ``ws``."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A connection has been made."""
        joined = CoalescingTransport(cast("asyncio.Transport", transport), self.loop)
        super().connection_made(joined)
