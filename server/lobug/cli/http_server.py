"""The HTTP server of ``lobug serve``: its sockets, and uvicorn with what it lacks.

Uvicorn does not say when it answers, has no answer when descriptors run out, logs failures of the
start instead of raising them, and serves either HTTP or HTTPS.
"""

from __future__ import annotations

import asyncio
import gc
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lobug.admission.connections import AcceptFaults, Admission
from lobug.admission.handshake import Handshakes
from lobug.admission.protocols import HttpConnection, http_protocol
from lobug.cli.sentences import sentence
from lobug.cli.terminal import CommandError
from lobug.settings import Settings


def open_socket(host: str, port: int) -> socket.socket:
    """A socket that is bound but does not listen yet, so that a client that connects before the
    engines are ready is refused at once instead of waiting. Raises CommandError."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise CommandError(sentence("serve.bad_address", host=repr(host), error=error)) from error
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Connections inherit it: those of devices that vanished end by themselves.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    try:
        listener.bind(address)
    except PermissionError as error:
        listener.close()
        raise CommandError(sentence("serve.port_forbidden", port=port)) from error
    except OSError as error:
        listener.close()
        raise CommandError(
            sentence("serve.port_taken", host=host, port=port, reason=error.strerror)
        ) from error
    return listener


def open_https_socket(settings: Settings) -> tuple[socket.socket | None, str | None]:
    """The socket of HTTPS, like ``open_socket``; or None, with a sentence that says why HTTPS is
    off although the settings ask for it. Plain HTTP does without it."""
    if not settings.tls.enabled:
        return None, None
    host, port = settings.host, settings.tls.port
    try:
        return open_socket(host, port), None
    except CommandError as error:
        cause = error.__cause__
        reason = cause.strerror if isinstance(cause, OSError) else str(error)
        return None, sentence("serve.https_port_taken", host=host, port=port, reason=reason)


LISTEN_BACKLOG = 128
"""Connections that the system queues until they are accepted. Under a flood the queue is full, and
the owner's connection waits behind all of it: with 1,024 that took seconds."""


@dataclass(frozen=True, slots=True)
class HttpsPort:
    """The socket of HTTPS, and what its new connections get."""

    listener: socket.socket
    context: Callable[[], ssl.SSLContext | None]
    """None: there is no certificate now; they are closed."""


@contextmanager
def collections_paused() -> Iterator[None]:
    """Collect no garbage until ``freeze_loaded``: hardly anything that a start loads becomes
    garbage, and to look for it takes a twentieth of the start."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def freeze_loaded() -> None:
    """Exempt everything loaded so far from later collections of garbage, and collect from now on.

    A quarter of a million objects (modules, templates, patterns) live as long as the process; each
    full collection would scan them for a fifth of a second, in which nobody is answered. Call it
    once, in a process that only serves.
    """
    gc.collect()
    gc.freeze()
    gc.enable()


class AnnouncingServer(uvicorn.Server):
    """Calls ``announce`` once the server answers, and ``admission`` when the system has no
    descriptor left for another connection. Serves the same application at the ``https`` port, with
    the same limits; None: there is none."""

    def __init__(
        self,
        config: uvicorn.Config,
        announce: Callable[[], None],
        admission: Admission,
        https: HttpsPort | None = None,
        farewell: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """``farewell`` is awaited before connections are closed, unless the server is told to stop
        a second time."""
        super().__init__(config)
        self._farewell = farewell
        self._announce = announce
        self._admission = admission
        self._https = https
        self._handshakes = None if https is None else Handshakes(admission, https.context)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().set_exception_handler(AcceptFaults(self._admission))
        await super().startup(sockets)
        listeners = list(sockets or ())
        if self._https is not None and self._handshakes is not None:
            await self._listen(self._https.listener, self._handshakes)
            listeners.append(self._https.listener)
        for listener in listeners:
            # Uvicorn's own setting is also the number of connections that asyncio accepts in one
            # step.
            listener.listen(LISTEN_BACKLOG)
        if self.started:
            self._announce()

    async def _listen(self, listener: socket.socket, handshakes: Handshakes) -> None:
        """Listen for HTTPS too. Uvicorn ends this server like its own."""
        make = http_protocol(self._admission)
        loop = asyncio.get_running_loop()

        def connection() -> HttpConnection:
            return make(
                config=self.config,
                server_state=self.server_state,
                app_state=self.lifespan.state,
                _loop=loop,
            )

        server = await loop.create_server(
            lambda: handshakes.protocol(connection), sock=listener, backlog=self.config.backlog
        )
        self.servers.append(server)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Close all connections, and accept no others."""
        self._admission.stop()
        if self._handshakes is not None:
            self._handshakes.stop()
        if self._farewell is not None and self.started:
            saying = asyncio.ensure_future(self._farewell())
            while not (saying.done() or self.force_exit):
                await asyncio.wait([saying], timeout=0.1)
            saying.cancel()
            await asyncio.gather(saying, return_exceptions=True)
        await super().shutdown(sockets)


class FailureCatcher:
    """ASGI middleware that keeps the exception with which the application failed to start.

    Otherwise uvicorn logs the stack trace, which does not help the person who typed the command.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.failure: Exception | None = None
        """None while nothing failed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, but a failed start without its message."""
        if scope["type"] != "lifespan":
            await self._app(scope, receive, send)
            return

        async def quiet(message: Message) -> None:
            if message["type"] == "lifespan.startup.failed":
                message = {"type": message["type"], "message": ""}
            await send(message)

        try:
            await self._app(scope, receive, quiet)
        except Exception as error:  # noqa: BLE001 - kept whole, and raised by who started us
            self.failure = error
