"""Uvicorn, with two things it lacks: a word when it listens, and startup failures as exceptions."""

from __future__ import annotations

import socket
from collections.abc import Callable

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send


class AnnouncingServer(uvicorn.Server):
    """Calls ``announce`` once the server answers."""

    def __init__(self, config: uvicorn.Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then announce."""
        await super().startup(sockets)
        if self.started:
            self._announce()


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
