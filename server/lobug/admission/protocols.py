"""Uvicorn's protocols, extended: ``Admission`` tracks every connection, and writes are coalesced.

A burst of small audio frames leaves in one TCP segment. A device plays the first packet of a reply
as soon as it arrives; if each packet were a segment of its own, the loss of the second would leave
the device without sound. Coalescing adds no delay: what one step of the event loop writes is sent
at the end of that step.
"""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from lobug.admission.connections import STATE_KEY, Admission, OpenConnection


class CoalescingTransport(asyncio.Transport):
    """A transport that joins the writes of one step of the event loop. Everything else goes to the
    wrapped transport."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._transport = transport
        self._loop = loop
        self._waiting: list[bytes | bytearray | memoryview[Any]] = []

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        """Queue bytes; they are sent together at the end of this step of the event loop."""
        if not self._waiting:
            self._loop.call_soon(self._flush)
        self._waiting.append(data)

    def close(self) -> None:
        """Send queued bytes, then close."""
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        """Discard queued bytes and close at once."""
        self._waiting.clear()
        self._transport.abort()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return the wrapped transport's information about the connection."""
        return self._transport.get_extra_info(name, default)

    def get_write_buffer_size(self) -> int:
        return self._transport.get_write_buffer_size() + sum(map(len, self._waiting))

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and not self._transport.is_closing():
            self._transport.write(b"".join(waiting))


class CoalescingWebSocket(WebSocketsSansIOProtocol):
    """Uvicorn's WebSocket protocol on a ``CoalescingTransport``; for uvicorn's setting ``ws``."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        joined = CoalescingTransport(cast("asyncio.Transport", transport), self.loop)
        super().connection_made(joined)


TOO_SLOW = b"the request's headers did not come in time\n"

TIMEOUT_ANSWER = (
    b"HTTP/1.1 408 Request Timeout\r\n"
    b"content-type: text/plain; charset=utf-8\r\n"
    b"content-length: %d\r\n"
    b"connection: close\r\n\r\n%b" % (len(TOO_SLOW), TOO_SLOW)
)
"""Sent below the application, like uvicorn's own 400: only the start of the request is known."""


class HttpConnection(H11Protocol):
    """An HTTP/1.1 connection. ``http_protocol`` sets ``admission``."""

    admission: ClassVar[Admission]
    _connection: OpenConnection | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        super().connection_made(transport)
        if self._connection is None:
            self._connection = self.admission.open(transport, self._answer_too_slow)
        else:
            self._connection.secure(transport, self._answer_too_slow)
        # Uvicorn puts it into each request's scope, and passes it to a WebSocket upgrade.
        self.app_state = {**self.app_state, STATE_KEY: self._connection}

    def continue_from(self, connection: OpenConnection) -> None:
        """Take over a connection whose TLS handshake is done. Called before ``connection_made``."""
        self._connection = connection

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._connection is not None:
            self._connection.lost()

    def on_response_complete(self) -> None:
        """Start the deadline of the next request, which may have arrived already."""
        if self._connection is not None:
            self._connection.await_request()
        super().on_response_complete()

    def _answer_too_slow(self) -> None:
        begun = bool(self.conn.trailing_data[0])
        idle = self.conn.our_state is h11.IDLE and self.conn.their_state is h11.IDLE
        if begun and idle and not self.transport.is_closing():
            self.transport.write(TIMEOUT_ANSWER)


class WebSocketConnection(CoalescingWebSocket):
    """A connection that was upgraded to a WebSocket."""

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if (connection := self._open_connection()) is not None:
            connection.lost()

    def on_task_complete(self, task: asyncio.Task[None]) -> None:
        """Start the final deadline: the application is done with the connection."""
        super().on_task_complete(task)
        connection = self._open_connection()
        if connection is not None and not self.disconnected:
            connection.end()

    def _open_connection(self) -> OpenConnection | None:
        return cast("OpenConnection | None", self.app_state.get(STATE_KEY))


def http_protocol(admission: Admission) -> type[HttpConnection]:
    """Return the protocol class for uvicorn's setting ``http``."""
    bound: dict[str, Any] = {"admission": admission}
    return type("AdmittedHttpConnection", (HttpConnection,), bound)
