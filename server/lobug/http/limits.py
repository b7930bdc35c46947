"""Refuses bodies that are too large, too many or never end, whatever their headers claim."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from fastapi import FastAPI
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lobug.access.pairing import MAX_BYTES as INTRODUCTION_BYTES
from lobug.errors import BodyTimeoutError, BodyTooLargeError, LobugError
from lobug.http.authentication import OPEN_PATHS
from lobug.http.caller import caller_of, claimant_of_scope
from lobug.http.problems import problem
from lobug.http.uploads import (
    SMALL_BYTES,
    STATE_KEY,
    HeldBody,
    UploadRoom,
)
from lobug.settings import LimitSettings

LINGER_S = 10.0
"""How long the rest of a body is read and thrown away after the answer. A connection that is closed
while the other end still sends is reset, and the answer is lost with it."""


@dataclass(frozen=True, slots=True)
class BodyDeadlines:
    """When a body has to be here. Times on any clock, seconds."""

    piece_s: float
    """Longest wait for the next piece."""
    whole_s: float
    """Longest wait for all of it."""

    @classmethod
    def of(cls, limits: LimitSettings, *, to_strangers: bool) -> BodyDeadlines:
        """As the settings have it. Somebody may send a recording while speaking, so the longest
        recording always has time enough; what strangers send is short."""
        piece_s = limits.body_timeout_s
        if to_strangers:
            return cls(piece_s, piece_s)
        return cls(piece_s, max(limits.body_deadline_s, limits.max_audio_seconds + piece_s))

    def deadline(self, began: float, now: float) -> float:
        """Until when the next piece has to come."""
        return min(now + self.piece_s, began + self.whole_s)

    def fault(self, began: float, now: float) -> BodyTimeoutError:
        """What to say when it did not. ``now``: since when it was waited for."""
        if began + self.whole_s <= now + self.piece_s:
            return BodyTimeoutError(f"not all of the body came within {self.whole_s:g} s")
        return BodyTimeoutError(f"nothing more of the body for {self.piece_s:g} s")


class BodyLimit:
    """ASGI middleware that answers

    - 413 as soon as a body passes ``limits.max_body_bytes``,
    - 408 when its next piece does not come within ``limits.body_timeout_s``, or all of it within
      ``limits.body_deadline_s``,
    - 429 or 503 when there is no room for it beside others (``UploadRoom``).

    A ``Content-Length`` that is too large is refused before anything is read; a chunked body when
    the limit is passed. A device that left its network in an upload says nothing any more: without
    the time-out what it sent would be kept for ever.

    At the doors that are open to strangers a body has room for a device's introduction, and all of
    it has to come within ``limits.body_timeout_s``: else anybody could fill this computer's memory.
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
        to_strangers = scope["path"] in OPEN_PATHS
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
            # FastAPI turns whatever a body's reading raises into its own 400: that is held back.
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
        """What the request holds of the room; None: a stranger's holds nothing that counts."""
        if caller_of(scope).kind == "stranger":
            return None
        claimant = claimant_of_scope(scope, scope["app"].state.lobug.settings)
        held = HeldBody(self._room, claimant)
        scope["state"][STATE_KEY] = held
        return held


def limit_bodies(app: FastAPI, limits: LimitSettings) -> None:
    """Hold an app's request bodies to ``limits``, and bring in one import at a time."""
    app.state.one_import = asyncio.Lock()
    app.state.upload_room = UploadRoom(limits)
    app.add_middleware(BodyLimit, limits=limits, room=app.state.upload_room)


class _Body:
    """One request's body as it arrives, and what an answer has to know of it."""

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
        """Whether reading makes the server software ask for nothing: of a body that is announced
        with ``Expect: 100-continue`` the first reading sends the request to go on."""
        self.fault: LobugError | None = None
        """Why it is refused."""
        if self._declared > max_bytes:
            self.fault = self._too_large()
        elif held is not None:
            self.fault = held.announce(self._declared)

    def _too_large(self) -> BodyTooLargeError:
        return BodyTooLargeError(f"the body is larger than {self._max_bytes} bytes")

    async def receive(self) -> Message:
        """The next message. Raises ``fault``."""
        if self._complete:
            # Whoever still listens waits for the caller to hang up: as long as the answer takes.
            return await self._receive()
        loop = asyncio.get_running_loop()
        self._may_read = True
        now = loop.time()
        deadline = self._clock.deadline(self._began, now)
        if deadline <= now:  # whose pieces are always there already never lets a time-out happen
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
        """Send a message of the answer. Where the rest of a large body is still to come, it is
        thrown away for a while before the answer ends and the connection with it."""
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
