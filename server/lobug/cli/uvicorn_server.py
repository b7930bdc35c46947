"""Uvicorn, with what it lacks: a word when it listens, an answer to a lack of descriptors, and
startup failures as exceptions."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lobug.admission.connections import AcceptFaults, Admission

LISTEN_BACKLOG = 128
"""Connections that the system keeps until they are accepted. Under a flood this queue is full, and
the owner's connection waits behind all that are in it: with 1,024 that took seconds."""


class AnnouncingServer(uvicorn.Server):
    """Calls ``announce`` once the server answers. ``admission`` is told when the system has no
    descriptor for another connection."""

    def __init__(
        self, config: uvicorn.Config, announce: Callable[[], None], admission: Admission
    ) -> None:
        super().__init__(config)
        self._announce = announce
        self._admission = admission

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then announce."""
        asyncio.get_running_loop().set_exception_handler(AcceptFaults(self._admission))
        await super().startup(sockets)
        for listener in sockets or ():
            # Uvicorn's setting of that name is also how many asyncio accepts in one step.
            listener.listen(LISTEN_BACKLOG)
        if self.started:
            self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what is open, and let nobody else in."""
        self._admission.stop()
        await super().shutdown(sockets)


class FailureCatcher:
    """ASGI middleware that keeps the exception with which the application failed to start.

    Without it uvicorn logs the stack trace, which says nothing to the person who typed the
    command.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self.failure: Exception | None = None
        """None while nothing failed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; of a failed start only the fact."""
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
