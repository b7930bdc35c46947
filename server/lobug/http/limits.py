"""Refuses request bodies that are too large, too many or never end, whatever their headers
claim."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lobug.access.devices import MAX_BYTES as INTRODUCTION_BYTES
from lobug.errors import BodyTimeoutError, BodyTooLargeError, LobugError
from lobug.http.authentication import is_open
from lobug.http.dependencies import caller_of, claimant_of_scope
from lobug.http.problems import problem
from lobug.http.uploads import (
    SMALL_BYTES,
    STATE_KEY,
    HeldBody,
    UploadRoom,
)
from lobug.settings import LimitSettings

LINGER_S = 10.0
"""Seconds for which the rest of a body is read and discarded after the answer. A connection that is
closed while the other side still sends is reset, and the answer is lost with it."""


@dataclass(frozen=True, slots=True)
class BodyDeadlines:
    """Deadlines of a request body. Times are seconds of any clock."""

    piece_s: float
    """Longest wait for the next piece."""
    whole_s: float
    """Longest wait for the whole body."""

    @classmethod
    def of(cls, limits: LimitSettings, *, to_strangers: bool) -> BodyDeadlines:
        """The deadlines of the settings. A recording may be sent while it is spoken, so there is
        always time for the longest recording. Bodies of strangers are short."""
        piece_s = limits.body_timeout_s
        if to_strangers:
            return cls(piece_s, piece_s)
        return cls(piece_s, max(limits.body_deadline_s, limits.max_audio_seconds + piece_s))

    def deadline(self, began: float, now: float) -> float:
        """When the next piece is due."""
        return min(now + self.piece_s, began + self.whole_s)

    def fault(self, began: float, now: float) -> BodyTimeoutError:
        """The error for a missed deadline. ``now``: when the wait for the piece began."""
        if began + self.whole_s <= now + self.piece_s:
            return BodyTimeoutError(f"not all of the body came within {self.whole_s:g} s")
        return BodyTimeoutError(f"nothing more of the body for {self.piece_s:g} s")


class BodyLimit:
    """ASGI middleware that answers

    - 413 as soon as a body passes ``limits.max_body_bytes``,
    - 408 when its next piece does not come within ``limits.body_timeout_s``, or all of it within
      ``limits.body_deadline_s``,
    - 429 or 503 when other bodies leave no room for it (``UploadRoom``).

    A ``Content-Length`` that is too large is refused before anything is read; a chunked body once
    it passes the limit. A device that leaves its network during an upload goes silent; without the
    time-out its upload would be kept forever.

    On the paths that need no token a body may only be as large as a device's introduction, and all
    of it must arrive within ``limits.body_timeout_s``: else anybody could fill the memory.
    """

    def __init__(self, app: ASGIApp, limits: LimitSettings, room: UploadRoom) -> None:
        self._app = app
        self._limits = limits
        self._room = room

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, watching its body."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        to_strangers = is_open(scope)
        max_bytes = self._limits.max_body_bytes
        if to_strangers:
            max_bytes = min(max_bytes, INTRODUCTION_BYTES)
        held = self._held(scope)
        body = _Body(
            scope,
            receive,
            max_bytes,
            BodyDeadlines.of(self._limits, to_strangers=to_strangers),
            held,
        )
        started = False

        async def answering(message: Message) -> None:
            # FastAPI answers 400 to any exception while it reads a body: that answer is held back.
            nonlocal started
            if body.fault is None or started:
                started = True
                await body.answer(message, send)

        try:
            if body.fault is None:
                await self._app(scope, body.receive, answering)
        except LobugError as error:
            if started or error is not body.fault:
                raise
        finally:
            if held is not None:
                held.close()
        if body.fault is not None and not started:

            async def refusing(message: Message) -> None:
                await body.answer(message, send)

            await problem(body.fault)(scope, receive, refusing)

    def _held(self, scope: Scope) -> HeldBody | None:
        """The request's share of the room; None for a stranger, whose bodies are not counted."""
        if caller_of(scope).kind == "stranger":
            return None
        claimant = claimant_of_scope(scope, scope["app"].state.lobug.settings)
        held = HeldBody(self._room, claimant)
        scope["state"][STATE_KEY] = held
        return held


def limit_bodies(app: FastAPI, limits: LimitSettings) -> None:
    """Apply ``limits`` to an app's request bodies, and let it run one import at a time."""
    app.state.one_import = asyncio.Lock()
    app.state.upload_room = UploadRoom(limits)
    app.add_middleware(BodyLimit, limits=limits, room=app.state.upload_room)


class _Body:
    """The body of one request as it arrives, and the answer's part in reading it."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        max_bytes: int,
        clock: BodyDeadlines,
        held: HeldBody | None,
    ) -> None:
        headers = dict(scope["headers"])
        declared = headers.get(b"content-length", b"0")
        self._declared = int(declared) if declared.isdigit() else 0
        self._receive = receive
        self._max_bytes = max_bytes
        self._clock = clock
        self._held = held
        self._began = asyncio.get_running_loop().time()
        self._size = 0
        self._complete = False
        self._may_read = b"expect" not in headers
        """Whether reading has no side effect. With ``Expect: 100-continue`` the first reading makes
        the server software ask the client to send the body."""
        self.fault: LobugError | None = None
        """Why the body is refused; None: it is not."""
        if self._declared > max_bytes:
            self.fault = self._too_large()
        elif held is not None:
            self.fault = held.announce(self._declared)

    def _too_large(self) -> BodyTooLargeError:
        return BodyTooLargeError(f"the body is larger than {self._max_bytes} bytes")

    async def receive(self) -> Message:
        """The next message. Raises ``fault``."""
        if self._complete:
            # The reader now waits for a disconnection, which has no deadline.
            return await self._receive()
        loop = asyncio.get_running_loop()
        self._may_read = True
        now = loop.time()
        deadline = self._clock.deadline(self._began, now)
        if deadline <= now:  # pieces that are always ready would never let the time-out happen
            self.fault = self._clock.fault(self._began, now)
            raise self.fault
        try:
            async with asyncio.timeout_at(deadline):
                message = await self._receive()
        except TimeoutError:
            self.fault = self._clock.fault(self._began, now)
            raise self.fault from None
        if message["type"] == "http.request":
            self._note(message)
            if self._size > self._max_bytes:
                self.fault = self._too_large()
            elif self._held is not None:
                self.fault = self._held.resize(self._size)
            if self.fault is not None:
                raise self.fault
        return message

    def _note(self, message: Message) -> None:
        self._size += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)

    async def answer(self, message: Message, send: Send) -> None:
        """Send a message of the answer. If the rest of a large body is still to come, it is read
        and discarded for a while before the answer and its connection end."""
        large = max(self._size, self._declared) > SMALL_BYTES
        if self._complete or not (large or self.fault is not None):
            await send(message)
        elif message["type"] == "http.response.start":
            headers = [*message.get("headers", []), (b"connection", b"close")]
            await send({**message, "headers": headers})
        elif message.get("more_body", False) or not self._may_read:
            await send(message)
        else:
            await send({**message, "more_body": True})
            if not isinstance(self.fault, BodyTimeoutError):
                await self._drain()
            await send({"type": "http.response.body", "body": b""})

    async def _drain(self) -> None:
        try:
            async with asyncio.timeout(LINGER_S):
                while not self._complete:
                    message = await self._receive()
                    if message["type"] != "http.request":
                        return
                    self._note(message)
        except TimeoutError:
            pass
