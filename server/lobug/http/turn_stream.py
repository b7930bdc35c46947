"""Turns over HTTP: run to the end for one answer, or as a stream; stopped when the caller hangs
up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Coroutine, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeVar

import anyio
import numpy as np
from fastapi import Request
from starlette.requests import ClientDisconnect

from lobug.access.callers import Caller, Revoked
from lobug.access.service import Access
from lobug.audio.resample import resample
from lobug.audio.wav import encode
from lobug.errors import (
    BusyError,
    EngineError,
    EngineInterruptedError,
    LobugError,
    StorageError,
    TokenInvalidError,
    TooManyRequestsError,
)
from lobug.turn.events import Action, Done, Failed, Ignored, SpeechAudio, TurnEvent

T = TypeVar("T")


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of ``work``, which is cancelled when the caller hangs up.

    The request's body must have been read. Raises ClientDisconnect once ``work`` has stopped.
    """
    task = asyncio.ensure_future(work)
    watch = asyncio.ensure_future(_hung_up(request))
    try:
        await asyncio.wait([task, watch], return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        task.cancel()
        watch.cancel()
        await asyncio.gather(task, watch, return_exceptions=True)


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


TURN_ERRORS: tuple[type[LobugError], ...] = (
    BusyError,
    TooManyRequestsError,
    EngineError,
    *EngineError.__subclasses__(),
    StorageError,
    *StorageError.__subclasses__(),
)
"""Errors of any turn."""


@dataclass(frozen=True, slots=True)
class FinishedTurn:
    """The outcome of a finished turn, for a plain HTTP answer."""

    done: Done
    speech: Sequence[SpeechAudio]
    reason: str | None
    """Why the words were ignored; None: they were not."""

    async def wav(self, sample_rate: int) -> bytes:
        """The reply's speech as one WAV at ``sample_rate`` Hz; empty if there is nothing to
        play."""
        if self.done.action is not Action.RESPOND or not self.speech:
            return b""
        return await asyncio.to_thread(_reply_wav, self.speech, sample_rate)


def _reply_wav(speech: Sequence[SpeechAudio], sample_rate: int) -> bytes:
    samples = np.concatenate([part.samples for part in speech])
    return encode(resample(samples, speech[0].sample_rate, sample_rate), sample_rate)


async def run_to_end(turn: AsyncGenerator[TurnEvent]) -> FinishedTurn | Failed:
    speech: list[SpeechAudio] = []
    reason: str | None = None
    outcome: FinishedTurn | Failed | None = None
    async with aclosing(turn) as events:
        async for event in events:
            if isinstance(event, SpeechAudio):
                speech.append(event)
            elif isinstance(event, Ignored):
                reason = event.reason
            elif isinstance(event, Done):
                outcome = FinishedTurn(event, speech, reason)
            elif isinstance(event, Failed):
                outcome = event
    if outcome is None:
        raise EngineInterruptedError("chat", "the turn ended without an outcome")
    return outcome


log = logging.getLogger(__name__)


class TurnStream:
    """The events of a turn that runs in its own task.

    The turn does not wait for the reader: a reply is short, so all of it is queued here, and a slow
    reader delays nothing. ``aclose`` stops the turn. So does a revocation of the caller's right to
    talk, with TokenInvalidError. The last event is always ``Done`` or ``Failed``.
    """

    def __init__(
        self, events: AsyncGenerator[TurnEvent], *, caller: Caller, access: Access
    ) -> None:
        self._queue: asyncio.Queue[TurnEvent] = asyncio.Queue()
        self._over = False
        self._caller = caller
        self._access = access
        self._task = asyncio.ensure_future(self._run(events))

    async def _run(self, events: AsyncGenerator[TurnEvent]) -> None:
        last: TurnEvent | None = None
        unsubscribe = self._access.when_revoked(self._on_revoked)
        try:
            if not self._access.still_valid(self._caller):
                self._refuse()  # revoked since the request was let in
                return
            async with aclosing(events):
                async for event in events:
                    last = event
                    self._queue.put_nowait(event)
        except Exception as error:
            log.exception("unexpected failure in a turn")
            last = Failed(LobugError(type(error).__name__))
            self._queue.put_nowait(last)
        finally:
            unsubscribe()
            if not isinstance(last, Done | Failed):
                stopped = EngineInterruptedError("chat", "the turn ended without an outcome")
                self._queue.put_nowait(Failed(stopped))

    def _on_revoked(self, revoked: Revoked) -> None:
        if revoked.concerns(self._caller):
            self._refuse()
            self._task.cancel()

    def _refuse(self) -> None:
        """Drop all queued events, and end with TokenInvalidError."""
        while not self._queue.empty():
            self._queue.get_nowait()
        error = TokenInvalidError("the token was revoked, or stands for another user now")
        self._queue.put_nowait(Failed(error))

    def __aiter__(self) -> TurnStream:
        return self

    async def __anext__(self) -> TurnEvent:
        if self._over:
            raise StopAsyncIteration
        event = await self._queue.get()
        self._over = isinstance(event, Done | Failed)
        return event

    async def aclose(self) -> None:
        """Stop the turn if it still runs, and return once it has stopped."""
        self._over = True
        self._task.cancel()
        # A response's task group cancels repeatedly; the shield lets the turn finish its clean-up.
        with anyio.CancelScope(shield=True):
            await asyncio.wait([self._task])
