"""What a turn must know of the playing of its speech: the log holds only what was heard.

How much of a reply was heard when somebody interrupted it. Pure.

A turn that goes on beside the conversation: begun before it counts, stopped when interrupted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Protocol

from lobug.conversation.registry import INTERRUPTED
from lobug.turn.events import TurnEvent


class Playback(Protocol):
    """The door's side of a turn's speech. A door that does not play in real time has none."""

    @property
    def interrupted(self) -> bool:
        """Whether somebody has stopped it; nothing more is played then."""

    async def wait_interrupted(self) -> None:
        """Return once it has been interrupted; may wait for ever."""

    async def finished(self) -> None:
        """Return once everything that was handed over has been played, or it was interrupted."""

    def played(self) -> list[tuple[int, float]]:
        """Index of each piece of which something was played, and the fraction of it, 0 to 1."""


_WHOLE = 0.98
"""Of a piece: from here on its last word was heard."""


def heard_words(pieces: Mapping[int, str], played: Sequence[tuple[int, float]]) -> str:
    """The words that were played, by the fraction of each piece's sound.

    A word that was cut counts as not heard. Speech is about as long as its letters are many, which
    is near enough to say what somebody knows by now.
    """
    words: list[str] = []
    for index, fraction in sorted(played):
        text = pieces.get(index, "")
        if fraction >= _WHOLE:
            words.append(text)
            continue
        kept = text[: int(len(text) * max(0.0, fraction))]
        if len(kept) < len(text) and not text[len(kept)].isspace():
            kept = kept.rpartition(" ")[0]
        if kept.strip():
            words.append(kept.strip())
    return " ".join(words)


def as_logged(words: str) -> str:
    """An interrupted reply as log and prompt hold it."""
    return f"{words} {INTERRUPTED}".lstrip()


class Commitment:
    """Whether a turn that was begun on speculation counts. Until then it leaves no trace: what
    nobody has finished saying enters neither log nor memory."""

    def __init__(self) -> None:
        self._made = asyncio.Event()
        self._decided = asyncio.Event()

    @property
    def made(self) -> bool:
        """Whether the turn counts."""
        return self._made.is_set()

    @property
    def withdrawn(self) -> bool:
        """Whether it never will: it has given way to a turn that counts."""
        return self._decided.is_set() and not self.made

    def make(self) -> None:
        """From now on the turn counts. To throw it away, close its events instead. Raises
        RuntimeError when it was withdrawn."""
        if self.withdrawn:
            raise RuntimeError("the turn has given way")
        self._made.set()
        self._decided.set()

    def withdraw(self) -> None:
        """Somebody waits for the place of a turn that may never count: unless it does by now, it
        ends without a trace and without a last event."""
        self._decided.set()

    async def wait(self) -> None:
        """Return once the turn counts; may wait for ever."""
        await self._made.wait()

    async def decided(self) -> None:
        """Return once the turn counts or is withdrawn."""
        await self._decided.wait()


async def hold_until_committed(
    events: AsyncGenerator[TurnEvent],
    *,
    commitment: Commitment,
    begin: Callable[[], Awaitable[None]],
    playback: Playback | None,
) -> AsyncGenerator[TurnEvent]:
    """Let ``events`` happen at once, and pass them on when the turn counts. What they raise before
    that is raised at once; nothing is passed on of a turn that is withdrawn.

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
        if commitment.withdrawn:
            return
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
    """Return once it is known whether the turn counts; raises what ``pumping`` raises before."""
    deciding = asyncio.ensure_future(commitment.decided())
    try:
        await asyncio.wait([deciding, pumping], return_when=asyncio.FIRST_COMPLETED)
        if not deciding.done():
            pumping.result()
        await deciding
    finally:
        deciding.cancel()
