"""The pending turns of a connection: which of them a message or a sound belongs to.

Usually there is one. When somebody interrupts a reply by speaking there are two, until the reply
has stopped.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from lobug.simulator.streaming.results import TurnRecorder
from lobug.simulator.streaming.speaker import SpeakerAccount


@dataclass(slots=True, eq=False)
class PendingTurn:
    """A turn that is not over yet."""

    recorder: TurnRecorder
    done: asyncio.Future[SpeakerAccount]
    """What became of its reply, once it is over."""
    first_audio: Callable[[float], None]
    """Called with the time at which the first sample of the reply is played."""
    last_number: int | None = None
    """Number of the reply's last packet, where packets have numbers."""


class PendingTurns:
    """Turns that are not over yet, oldest first."""

    def __init__(self) -> None:
        self._turns: deque[PendingTurn] = deque()
        self.playing: PendingTurn | None = None
        """The one whose reply the loudspeaker has begun to play."""

    def begin(self, turn: PendingTurn) -> None:
        """Add a turn."""
        self._turns.append(turn)

    @property
    def receiving(self) -> PendingTurn | None:
        """The turn that the server's messages belong to: the first without a complete reply."""
        return next((turn for turn in self._turns if not turn.recorder.complete), None)

    @property
    def heard(self) -> PendingTurn | None:
        """The turn that a transcript belongs to. Words that arrive while a reply is spoken belong
        to the turn that interrupts it."""
        turn = self.receiving
        if turn is not None and turn.recorder.speaking_at is not None:
            return self._turns[-1]
        return turn

    @property
    def any_complete(self) -> bool:
        """Whether a turn only waits for the loudspeaker."""
        return any(turn.recorder.complete for turn in self._turns)

    def finish(self, turn: PendingTurn, account: SpeakerAccount) -> None:
        """Remove a turn that is over. ``account``: what the loudspeaker played."""
        if turn in self._turns:
            self._turns.remove(turn)
        mine = turn is self.playing
        if mine:
            self.playing = None
        if not turn.done.done():
            turn.done.set_result(account if mine else SpeakerAccount())

    def finish_complete(self, account: SpeakerAccount) -> None:
        """Remove the turns that only waited for the loudspeaker."""
        for turn in [turn for turn in self._turns if turn.recorder.complete]:
            self.finish(turn, account)

    def finish_all(self, account: SpeakerAccount, how: str) -> None:
        """Remove all turns: the connection has ended. ``how``: a phrase for the report."""
        for turn in list(self._turns):
            turn.recorder.closed = how
            self.finish(turn, account)
