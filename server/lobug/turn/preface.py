"""What waits for the person of a turn, said before the reply: an announcement, a missed reminder.

It is said once. What was not heard, because the turn failed or was interrupted, waits on.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from lobug.agenda.waiting_speech import Telling, WaitingSpeeches, tellings
from lobug.errors import StorageError
from lobug.turn.events import Action, Piece, ReplyDelta, TurnEvent
from lobug.turn.reply import Reply

HEARD_FRACTION = 0.9
"""Fraction of a sentence's sound from which its hearer knows what it says."""


class Preface:
    """The waiting speech of one turn. ``close`` it at last."""

    def __init__(
        self, waiting: WaitingSpeeches | None, user: str, wall: Callable[[], float]
    ) -> None:
        """``waiting`` None: nothing ever waits. ``wall``: seconds since the epoch."""
        self._waiting = waiting
        self._user = user
        self._wall = wall
        self._tellings: list[Telling] = []
        self._claimed: list[int] = []

    def __len__(self) -> int:
        """Number of pieces; those of the reply follow them."""
        return len(self._tellings)

    @property
    def text(self) -> str:
        """Its sentences; empty: nothing waited."""
        return " ".join(telling.sentence for telling in self._tellings)

    async def before(
        self, events: AsyncGenerator[TurnEvent], reply: Reply
    ) -> AsyncGenerator[TurnEvent]:
        """Pass a turn's events on, with the waiting sentences before the first words of its reply.
        A reaction, or words that are not answered, get none."""
        begun = False
        async with aclosing(events):
            async for event in events:
                words = isinstance(event, ReplyDelta | Piece)
                if words and not begun and reply.action is Action.RESPOND:
                    begun = True
                    await self._claim()
                    for index, telling in enumerate(self._tellings):
                        yield ReplyDelta(f"{telling.sentence} ")
                        yield Piece(index, telling.sentence)
                if isinstance(event, Piece):
                    yield Piece(len(self) + event.index, event.text)
                else:
                    yield event

    async def heard(self, played: Sequence[tuple[int, float]] | None) -> str:
        """Note what was heard. ``played``: index of each piece of the reply of which something was
        played, and the fraction, 0 to 1; None: all was heard. Returns the sentences heard."""
        if self._waiting is None or not self._tellings:
            return ""
        parts = dict(enumerate([1.0] * len(self))) if played is None else dict(played)
        told = [t for i, t in enumerate(self._tellings) if parts.get(i, 0.0) >= HEARD_FRACTION]
        if told:
            await self._waiting.heard([id_ for telling in told for id_ in telling.ids])
        return " ".join(telling.sentence for telling in told)

    def close(self) -> None:
        """Give back what was not heard."""
        if self._waiting is not None:
            self._waiting.release(self._claimed)

    async def _claim(self) -> None:
        if self._waiting is None:
            return
        try:
            found = await self._waiting.claim(self._user)
        except StorageError:
            return  # the reply does not depend on it
        self._claimed = [one.id for one in found]
        self._tellings = tellings(found, self._wall())
