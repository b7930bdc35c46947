"""A turn whose events are sent on as they come."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing

import anyio

from lobug.access.caller import Caller
from lobug.access.control import Access
from lobug.access.revocation import Revoked
from lobug.errors import EngineInterruptedError, LobugError, TokenInvalidError
from lobug.turn.events import Done, Failed, TurnEvent

log = logging.getLogger(__name__)


class TurnStream:
    """The events of a turn that runs in a task of its own.

    The turn does not wait for whoever reads: a reply is short, so all of it may wait here, and a
    slow reader holds up nobody. ``aclose`` stops the turn, and so does the end of the caller's
    right to talk, with TokenInvalidError. The last event is always ``Done`` or ``Failed``, whatever
    happens.
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
        forget = self._access.when_revoked(self._on_revoked)
        try:
            if not self._access.still_good(self._caller):
                self._refuse()  # since the request was let in; nobody could tell it
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
            forget()
            if not isinstance(last, Done | Failed):
                stopped = EngineInterruptedError("chat", "the turn ended without an outcome")
                self._queue.put_nowait(Failed(stopped))

    def _on_revoked(self, revoked: Revoked) -> None:
        if revoked.concerns(self._caller):
            self._refuse()
            self._task.cancel()

    def _refuse(self) -> None:
        """Let nothing more be read, whatever waits, but why."""
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
        """Stop the turn where it still runs, and return once it has stopped."""
        self._over = True
        self._task.cancel()
        # A response's task group keeps cancelling what it wants gone; a turn cleans up in peace.
        with anyio.CancelScope(shield=True):
            await asyncio.wait([self._task])
