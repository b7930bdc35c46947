"""Uvicorn's protocols, with every connection under ``Admission``."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from lobug.admission.connections import STATE_KEY, Admission, OpenConnection
from lobug.api.coalescing import CoalescingWebSocket

TOO_SLOW = b"the request's headers did not come in time\n"

TIMEOUT_ANSWER = (
    b"HTTP/1.1 408 Request Timeout\r\n"
    b"content-type: text/plain; charset=utf-8\r\n"
    b"content-length: %d\r\n"
    b"connection: close\r\n\r\n%b" % (len(TOO_SLOW), TOO_SLOW)
)
"""Below the application, like uvicorn's own 400: of the request nothing is known but its start."""


class HttpConnection(H11Protocol):
    """A connection over HTTP/1.1. ``admission`` is set by ``http_protocol``."""

    admission: ClassVar[Admission]
    _connection: OpenConnection | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's
        """A connection has been made."""
        super().connection_made(transport)
        self._connection = self.admission.open(transport, self._answer_too_slow)
        # Uvicorn passes it on to each request's scope, and to the WebSocket that it may become.
        self.app_state = {**self.app_state, STATE_KEY: self._connection}

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection has ended."""
        super().connection_lost(exc)
        if self._connection is not None:
            self._connection.lost()

    def on_response_complete(self) -> None:
        """An answer is complete; the next request may have been sent already."""
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
        """The connection has ended."""
        super().connection_lost(exc)
        if (connection := self._open_connection()) is not None:
            connection.lost()

    def on_task_complete(self, task: asyncio.Task[None]) -> None:
        """The application has finished with it."""
        super().on_task_complete(task)
        connection = self._open_connection()
        if connection is not None and not self.disconnected:
            connection.end()

    def _open_connection(self) -> OpenConnection | None:
        return cast("OpenConnection | None", self.app_state.get(STATE_KEY))


def http_protocol(admission: Admission) -> type[asyncio.Protocol]:
    """For uvicorn's setting ``http``."""
    bound: dict[str, Any] = {"admission": admission}
    return type("AdmittedHttpConnection", (HttpConnection,), bound)
