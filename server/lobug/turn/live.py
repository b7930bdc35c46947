"""A turn that goes on beside the conversation: begun before it counts, stopped when interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress

from lobug.turn.events import TurnEvent
from lobug.turn.playback import Playback


class Commitment:
    """Whether a turn that was begun on speculation counts. Until then it leaves no trace: what
    nobody has finished saying enters neither log nor memory."""

    def __init__(self) -> None:
        self._made = asyncio.Event()

    @property
    def made(self) -> bool:
        """Whether the turn counts."""
        return self._made.is_set()

    def make(self) -> None:
        """From now on the turn counts. To throw it away, close its events instead."""
        self._made.set()

    async def wait(self) -> None:
        """Return once the turn counts; may wait for ever."""
        await self._made.wait()


async def live(
    events: AsyncGenerator[TurnEvent],
    *,
    commitment: Commitment,
    begin: Callable[[], Awaitable[None]],
    playback: Playback | None,
) -> AsyncGenerator[TurnEvent]:
    """Let ``events`` happen at once, and pass them on when the turn counts. What they raise before
    that is raised at once.

    ``begin`` runs in between: what has to be durable before anybody hears of the turn. When the
    playback is interrupted ``events`` is closed at once and this ends. Closes ``events``.
    """
    queue: asyncio.Queue[TurnEvent | None] = asyncio.Queue()

    async def pump() -> None:
        try:
            async with aclosing(events):
                async for event in events:
                    queue.put_nowait(event)
        finally:
            queue.put_nowait(None)

    async def stop_when_interrupted(playback: Playback) -> None:
        await playback.wait_interrupted()
        pumping.cancel()

    pumping = asyncio.ensure_future(pump())
    watching = None
    try:
        await _certain(commitment, pumping)
        await begin()
        if playback is not None:
            watching = asyncio.ensure_future(stop_when_interrupted(playback))
        while (event := await queue.get()) is not None:
            if playback is not None and playback.interrupted:
                break
            yield event
        if playback is None or not playback.interrupted:
            await pumping  # raises what the events raised
    finally:
        pumping.cancel()
        if watching is not None:
            watching.cancel()
            with suppress(asyncio.CancelledError):
                await watching
        await asyncio.wait([pumping])
        if not pumping.cancelled():
            pumping.exception()  # looked at, or it would be reported as never retrieved


async def _certain(commitment: Commitment, pumping: asyncio.Future[None]) -> None:
    """Return once the turn counts; raises what ``pumping`` raises before that."""
    waiting = asyncio.ensure_future(commitment.wait())
    try:
        await asyncio.wait([waiting, pumping], return_when=asyncio.FIRST_COMPLETED)
        if not commitment.made:
            pumping.result()
        await waiting
    finally:
        waiting.cancel()
