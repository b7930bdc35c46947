"""Refuses bodies that are too large, whatever their headers claim."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lobug.api.problems import problem
from lobug.errors import BodyTooLargeError


class BodyLimit:
    """ASGI middleware: answers 413 as soon as a body passes ``max_bytes``.

    A ``Content-Length`` that is too large is refused before anything is read; a chunked body when
    the limit is passed.
    """

    def __init__(self, app: ASGIApp, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, counting its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        error = BodyTooLargeError(f"the body is larger than {self._max_bytes} bytes")
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > self._max_bytes:
            await problem(error)(scope, receive, send)
            return
        received = 0
        started = False

        async def counting() -> Message:
            nonlocal received
            message = await receive()
            if message["type"] == "http.request":
                received += len(message.get("body", b""))
                if received > self._max_bytes:
                    raise error
            return message

        async def answering(message: Message) -> None:
            # FastAPI turns whatever a body's reading raises into its own 400: that is held back.
            nonlocal started
            if received <= self._max_bytes or started:
                started = True
                await send(message)

        try:
            await self._app(scope, counting, answering)
        except BodyTooLargeError:
            if started:
                raise
        if received > self._max_bytes and not started:
            await problem(error)(scope, receive, send)
