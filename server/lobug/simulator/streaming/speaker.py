"""The loudspeaker of a device with the open firmware: what it plays, and when. Pure.

A packet is played as soon as the one before it has ended; the first is played at once. The buffer
is bounded: a packet that finds it full is dropped. Times are seconds of the device's clock.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

BUFFER_FRAMES = 40
"""Packets that wait to be decoded: 2.4 s of 60 ms each, the firmware's bound."""

DECODED_FRAMES = 2
"""Packets that are decoded and wait to be played."""

OUTPUT_S = 0.06
"""Sound in the output's 6 DMA buffers of 10 ms, seconds: it is played even after a stop."""

_ROUNDING_S = 1e-6


@dataclass(slots=True)
class SpeakerAccount:
    """Playback figures of one reply."""

    first_at: float | None = None
    """When its first sample was heard; None: none was."""
    silent_at: float | None = None
    """When its last sample was, so far."""
    frames: int = 0
    """Packets that were played."""
    seconds: float = 0.0
    """Length of what was played."""
    overflowed: int = 0
    """Packets that found the buffer full."""
    starvations: int = 0
    """How often the buffer ran empty in the middle of a piece of speech."""
    starved_s: float = 0.0
    """For how long in all, seconds."""
    pauses: int = 0
    """How often it ran empty between two pieces, where a pause belongs anyway."""
    paused_s: float = 0.0
    """For how long in all, seconds."""
    discarded: int = 0
    """Packets that were dropped when playback was stopped."""


class Speaker:
    """Plays packets one after the other. Calls come in the order of their times."""

    def __init__(self, buffer_frames: int = BUFFER_FRAMES) -> None:
        self._capacity = buffer_frames + DECODED_FRAMES
        self._waiting: deque[tuple[float, float]] = deque()
        """Start and length of each packet that the output has not taken over yet."""
        self._until = float("-inf")
        self._at_boundary = True
        self._account = SpeakerAccount()

    @property
    def silent_at(self) -> float:
        """When everything that has come so far is played."""
        return self._until

    def is_silent(self, at: float) -> bool:
        """Whether nothing is left to play."""
        return at >= self._until - _ROUNDING_S

    def begin_reply(self, at: float) -> None:
        """Drop the rest of the reply before, and start a new account."""
        self.stop(at)
        self._account = SpeakerAccount()
        self._at_boundary = True

    def begin_piece(self) -> None:
        """The next packet begins a piece of speech: a pause before it is no starvation."""
        self._at_boundary = True

    def take(self, at: float, seconds: float) -> bool:
        """Take a packet. False: the buffer is full and the packet is dropped."""
        self._hand_over(at)
        account = self._account
        if len(self._waiting) >= self._capacity:
            account.overflowed += 1
            return False
        start = max(at, self._until)
        gap_s = start - self._until
        if account.first_at is None:
            account.first_at = start
        elif gap_s > _ROUNDING_S and self._at_boundary:
            account.pauses += 1
            account.paused_s += gap_s
        elif gap_s > _ROUNDING_S:
            account.starvations += 1
            account.starved_s += gap_s
        self._at_boundary = False
        self._until = start + seconds
        self._waiting.append((start, seconds))
        account.silent_at = self._until
        account.frames += 1
        account.seconds += seconds
        return True

    def stop(self, at: float) -> int:
        """Drop the packets that have not reached the output; returns their number."""
        self._hand_over(at)
        thrown = len(self._waiting)
        if not thrown:
            return 0
        account = self._account
        account.frames -= thrown
        account.discarded += thrown
        account.seconds -= sum(seconds for _start, seconds in self._waiting)
        # What was handed over before them ends no later than they would have begun.
        self._until = self._waiting[0][0]
        account.silent_at = self._until
        self._waiting.clear()
        return thrown

    def account(self) -> SpeakerAccount:
        """The account of the last reply, so far."""
        return replace(self._account)

    def _hand_over(self, at: float) -> None:
        while self._waiting and self._waiting[0][0] <= at + OUTPUT_S:
            self._waiting.popleft()
