"""The HTTPS port: connections from their acceptance until their TLS handshake is done.

asyncio's own TLS servers tell of a connection only after its handshake. Here a connection counts
from the start, so that a flood of connections that never say anything evicts its own, and each new
connection gets the certificate that is valid then.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Callable
from typing import cast

from lobug.admission.connections import Admission
from lobug.admission.protocols import HttpConnection

log = logging.getLogger(__name__)

GOODBYE_S = 2.0
"""How long the other end may take to close a connection that the server has ended, seconds. Many
clients that keep a connection for later do not notice before they use it again."""


class Handshakes:
    """The handshakes under way at one port.

    ``context``: returns what new connections get; None: they are closed.
    """

    def __init__(self, admission: Admission, context: Callable[[], ssl.SSLContext | None]) -> None:
        self.admission = admission
        self.context = context
        self._open: set[_Handshake] = set()

    def protocol(self, make_connection: Callable[[], HttpConnection]) -> asyncio.Protocol:
        """Return the protocol of one new connection, which ``make_connection``'s follows."""
        return _Handshake(self, make_connection)

    def stop(self) -> None:
        """Close all connections that are not through."""
        for handshake in list(self._open):
            handshake.abort()

    def add(self, handshake: _Handshake) -> None:
        self._open.add(handshake)

    def discard(self, handshake: _Handshake) -> None:
        self._open.discard(handshake)


class _Handshake(asyncio.Protocol):
    """Of one connection. Its transport is first the socket's, then that of TLS."""

    def __init__(
        self, handshakes: Handshakes, make_connection: Callable[[], HttpConnection]
    ) -> None:
        self._handshakes = handshakes
        self._make_connection = make_connection
        self._early = bytearray()
        """What has come between the end of the handshake and the next step of the event loop."""
        self._at_end = False
        self._lost = False
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        socket = cast("asyncio.Transport", transport)
        # Nothing may be read before TLS reads it.
        socket.pause_reading()
        self._socket = socket
        self._connection = self._handshakes.admission.open(socket)
        self._handshakes.add(self)
        self._task = asyncio.get_running_loop().create_task(self._shake_hands())

    def data_received(self, data: bytes) -> None:
        self._early += data

    def eof_received(self) -> bool:
        self._at_end = True
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost = True

    def abort(self) -> None:
        self._connection.abort()

    async def _shake_hands(self) -> None:
        admission, context = self._handshakes.admission, self._handshakes.context()
        secured: asyncio.Transport | None = None
        try:
            if context is not None:
                secured = await asyncio.get_running_loop().start_tls(
                    self._socket,
                    self,
                    context,
                    server_side=True,
                    ssl_handshake_timeout=admission.headers_timeout_s,
                    ssl_shutdown_timeout=GOODBYE_S,
                )
        except (OSError, ssl.SSLError) as error:
            # Among them who speaks plain HTTP here, or does not trust the certificate.
            log.debug("a TLS handshake failed: %s", error)
        finally:
            self._handshakes.discard(self)
            if secured is None:
                self._connection.lost()
                self._socket.abort()
        if secured is not None:
            self._pass_on(secured)

    def _pass_on(self, secured: asyncio.Transport) -> None:
        if self._lost or self._socket.is_closing():
            self._connection.lost()
            secured.abort()
            return
        http = self._make_connection()
        http.continue_from(self._connection)
        secured.set_protocol(http)
        http.connection_made(secured)
        if self._early:
            http.data_received(bytes(self._early))
        if self._at_end:
            http.eof_received()
