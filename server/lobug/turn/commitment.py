"""A live turn: one that begins before its words are final and whose speech can be interrupted.

``Commitment`` says whether the turn counts. ``hold_until_committed`` is the one wrapper around a
live turn that keeps its events back until then and stops it when its playback is interrupted.
``Playback`` is the door's side of its speech; the log holds only what was heard of that.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Protocol

from lobug.conversation.registry import INTERRUPTED
from lobug.engines.base import ToolBox
from lobug.turn.events import TurnEvent


class Commitment:
    """Whether a turn that was begun on speculation counts.

    It is undecided at first, then either made or withdrawn, for good. Until it is made the turn
    writes nothing to log or memory and its events reach nobody.
    """

    def __init__(self) -> None:
        self._made = asyncio.Event()
        self._decided = asyncio.Event()

    @property
    def made(self) -> bool:
        """Whether the turn counts."""
        return self._made.is_set()

    @property
    def withdrawn(self) -> bool:
        """Whether the turn will never count, because another turn needed its slot."""
        return self._decided.is_set() and not self.made

    def make(self) -> None:
        """Let the turn count. To discard the turn, close its events instead. Raises RuntimeError
        when it was withdrawn."""
        if self.withdrawn:
            raise RuntimeError("the turn was withdrawn")
        self._made.set()
        self._decided.set()

    def withdraw(self) -> None:
        """End the turn without a trace and without a last event, unless it counts already.
        Called when another turn waits for its slot."""
        self._decided.set()

    async def wait(self) -> None:
        """Return once the turn counts; may never return."""
        await self._made.wait()

    async def decided(self) -> None:
        """Return once the turn counts or is withdrawn."""
        await self._decided.wait()


class Playback(Protocol):
    """How far a turn's speech has been played. A door that does not play in real time has none."""

    @property
    def interrupted(self) -> bool:
        """Whether the playing was stopped before its end; nothing more is played then."""

    async def wait_interrupted(self) -> None:
        """Return once it has been interrupted; may never return."""

    async def finished(self) -> None:
        """Return once everything that was handed over has been played, or it was interrupted."""

    def played(self) -> list[tuple[int, float]]:
        """Index of each piece of which something was played, and the fraction of it, 0 to 1."""


@dataclass(frozen=True, slots=True)
class LiveOptions:
    """What a live turn has beyond an ordinary one; doors that take a whole request pass none."""

    commitment: Commitment
    """Until it is made the turn leaves no trace."""
    playback: Playback | None = None
    """Where its speech is played: then only what was heard of a reply is stored."""
    tools: ToolBox | None = None
    """The tools of the device that the words came from."""


async def hold_until_committed(
    events: AsyncGenerator[TurnEvent],
    live: LiveOptions,
    *,
    commit: Callable[[], Awaitable[None]],
    discard: Callable[[], None],
) -> AsyncGenerator[TurnEvent]:
    """Run ``events`` at once, and yield them from the moment at which the turn counts.

    What ``events`` raises before that is raised at once. A turn that is withdrawn yields nothing.
    When the playback is interrupted, ``events`` is closed at once and this ends.

    Args:
        events: the turn; it is closed.
        live: the turn's commitment and playback.
        commit: runs when the turn counts, before its first event: makes the words durable.
        discard: runs at the end of a turn that never counted: undoes what it changed.
    """
    queue: asyncio.Queue[TurnEvent | None] = asyncio.Queue()
    playback = live.playback

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
        await _decision(live.commitment, pumping)
        if live.commitment.withdrawn:
            return
        await commit()
        if playback is not None:
            watching = asyncio.ensure_future(stop_when_interrupted(playback))
        while (event := await queue.get()) is not None:
            if playback is not None and playback.interrupted:
                break
            yield event
        if playback is None or not playback.interrupted:
            await pumping  # raises what the events raised
    finally:
        try:
            pumping.cancel()
            if watching is not None:
                watching.cancel()
                with suppress(asyncio.CancelledError):
                    await watching
            await asyncio.wait([pumping])
            if not pumping.cancelled():
                pumping.exception()  # retrieved, or asyncio would report it as never retrieved
        finally:
            if not live.commitment.made:
                discard()


async def _decision(commitment: Commitment, pumping: asyncio.Future[None]) -> None:
    """Return once the turn counts or is withdrawn; raises what ``pumping`` raises before that."""
    deciding = asyncio.ensure_future(commitment.decided())
    try:
        await asyncio.wait([deciding, pumping], return_when=asyncio.FIRST_COMPLETED)
        if not deciding.done():
            pumping.result()
        await deciding
    finally:
        deciding.cancel()


_HEARD_FRACTION = 0.98
"""Fraction of a piece's sound from which its last word counts as heard."""


def heard_words(pieces: Mapping[int, str], played: Sequence[tuple[int, float]]) -> str:
    """The words of a reply that were played. Pure.

    A word that was cut counts as not heard. The length of speech is taken to be proportional to
    its letters, which is near enough to tell what a listener knows.

    Args:
        pieces: the text of each piece of the reply, by index.
        played: index and fraction, 0 to 1, of each piece of which something was played.
    """
    words: list[str] = []
    for index, fraction in sorted(played):
        if index not in pieces:  # a notice
            continue
        text = pieces[index]
        if fraction >= _HEARD_FRACTION:
            words.append(text)
            continue
        kept = text[: int(len(text) * max(0.0, fraction))]
        if len(kept) < len(text) and not text[len(kept)].isspace():
            kept = kept.rpartition(" ")[0]
        if kept.strip():
            words.append(kept.strip())
    return " ".join(words)


def interrupted_reply(words: str) -> str:
    """An interrupted reply as log and prompt hold it: what was heard of it, and a mark."""
    return f"{words} {INTERRUPTED}".lstrip()
