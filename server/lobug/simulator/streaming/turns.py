"""The turns of a connection that are not over yet: which one a message or a sound belongs to.

Mostly there is one. There are two from the moment when somebody interrupts a reply by speaking
until the reply has stopped.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from lobug.simulator.streaming.results import TurnRecorder
from lobug.simulator.streaming.speaker import SpeakerAccount


@dataclass(slots=True, eq=False)
class TurnUnderWay:
    """A turn that is not over yet."""

    recorder: TurnRecorder
    done: asyncio.Future[SpeakerAccount]
    """What became of its reply, once it is over."""
    first_audio: Callable[[float], None]
    """Told when the first sample of the reply is played."""
    last_number: int | None = None
    """Of the packets of its reply, where they have numbers."""


class Turns:
    """In the order in which they were begun."""

    def __init__(self) -> None:
        self._turns: deque[TurnUnderWay] = deque()
        self.playing: TurnUnderWay | None = None
        """The one whose reply the loudspeaker has begun to play."""

    def begin(self, turn: TurnUnderWay) -> None:
        """One more."""
        self._turns.append(turn)

    @property
    def receiving(self) -> TurnUnderWay | None:
        """The one that the server's messages are about: the first that is not answered yet."""
        return next((turn for turn in self._turns if not turn.recorder.complete), None)

    @property
    def heard(self) -> TurnUnderWay | None:
        """The one that a transcript is about: words that come while a reply is spoken are those
        that interrupt it."""
        turn = self.receiving
        if turn is not None and turn.recorder.speaking_at is not None:
            return self._turns[-1]
        return turn

    @property
    def any_complete(self) -> bool:
        """Whether one only waits for the loudspeaker."""
        return any(turn.recorder.complete for turn in self._turns)

    def finish(self, turn: TurnUnderWay, account: SpeakerAccount) -> None:
        """It is over. ``account``: of the loudspeaker."""
        if turn in self._turns:
            self._turns.remove(turn)
        mine = turn is self.playing
        if mine:
            self.playing = None
        if not turn.done.done():
            turn.done.set_result(account if mine else SpeakerAccount())

    def finish_complete(self, account: SpeakerAccount) -> None:
        """Those that only waited for the loudspeaker are over."""
        for turn in [turn for turn in self._turns if turn.recorder.complete]:
            self.finish(turn, account)

    def finish_all(self, account: SpeakerAccount, how: str) -> None:
        """The connection has ended, this way."""
        for turn in list(self._turns):
            turn.recorder.closed = how
            self.finish(turn, account)
