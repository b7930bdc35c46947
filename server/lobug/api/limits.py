"""Refuses bodies that are too large or never end, whatever their headers claim."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lobug.access.introduction import MAX_BYTES as INTRODUCTION_BYTES
from lobug.api.authentication import OPEN_PATHS
from lobug.api.problems import problem
from lobug.errors import BodyTimeoutError, BodyTooLargeError, LobugError


class BodyLimit:
    """ASGI middleware: answers 413 as soon as a body passes ``max_bytes``, and 408 when the next
    piece of it does not come within ``timeout_s`` seconds.

    A ``Content-Length`` that is too large is refused before anything is read; a chunked body when
    the limit is passed. A device that left its network in an upload says nothing any more: without
    the time-out what it sent would be kept for ever.

    At the doors that are open to strangers a body has room for a device's introduction, and all of
    it has to come within ``timeout_s``: else anybody could fill this computer's memory.
    """

    def __init__(self, app: ASGIApp, max_bytes: int, timeout_s: float) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._timeout_s = timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, watching its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        to_strangers = scope["path"] in OPEN_PATHS
        max_bytes = min(self._max_bytes, INTRODUCTION_BYTES) if to_strangers else self._max_bytes
        too_large = BodyTooLargeError(f"the body is larger than {max_bytes} bytes")
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > max_bytes:
            await problem(too_large)(scope, receive, send)
            return
        body = _Body(receive, max_bytes, self._timeout_s, too_large, at_once=to_strangers)
        started = False

        async def answering(message: Message) -> None:
            # FastAPI turns whatever a body's reading raises into its own 400: that is held back.
            nonlocal started
            if body.fault is None or started:
                started = True
                await send(message)

        try:
            await self._app(scope, body.receive, answering)
        except LobugError as error:
            if started or error is not body.fault:
                raise
        if body.fault is not None and not started:
            answer = problem(body.fault)
            if isinstance(body.fault, BodyTimeoutError):
                answer.headers["Connection"] = "close"  # what is missing may still come
            await answer(scope, receive, send)


class _Body:
    """One request's body as it arrives."""

    def __init__(
        self,
        receive: Receive,
        max_bytes: int,
        timeout_s: float,
        too_large: BodyTooLargeError,
        *,
        at_once: bool,
    ) -> None:
        """``timeout_s``: of each piece, or with ``at_once`` of the whole."""
        self._receive = receive
        self._room = max_bytes
        self._timeout_s = timeout_s
        self._ends_at = asyncio.get_running_loop().time() + timeout_s if at_once else None
        self._too_large = too_large
        self._complete = False
        self.fault: LobugError | None = None
        """Why it is refused."""

    async def receive(self) -> Message:
        """The next message. Raises ``fault``."""
        if self._complete:
            # Whoever still listens waits for the caller to hang up: as long as the answer takes.
            return await self._receive()
        try:
            now = asyncio.get_running_loop().time()
            async with asyncio.timeout_at(self._ends_at or now + self._timeout_s):
                message = await self._receive()
        except TimeoutError:
            self.fault = BodyTimeoutError(
                f"nothing more of the body for {self._timeout_s:g} s"
                if self._ends_at is None
                else f"not all of the body came within {self._timeout_s:g} s"
            )
            raise self.fault from None
        if message["type"] == "http.request":
            self._room -= len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
            if self._room < 0:
                self.fault = self._too_large
                raise self.fault
        return message
