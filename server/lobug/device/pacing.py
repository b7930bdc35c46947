"""When audio may be sent, and what a device has played of it. Pure: the clock is passed in.

A device plays a frame as soon as the one before is over. It holds little, so audio is sent a few
frames ahead (the lead) and then in real time. When it has run dry, it plays the next frame as soon
as that comes, and the lead is built up again.
"""

from __future__ import annotations

import math

_TOLERANCE = 1e-9
"""Seconds; readings of a clock are compared with sums of frames."""


class Pacer:
    """The playing of one reply. Readings of the clock (``now``, seconds) never go back."""

    def __init__(self, lead_s: float, frame_s: float) -> None:
        """Send at most ``lead_s`` seconds ahead (at least one frame), in frames of ``frame_s``."""
        self._lead_s = max(lead_s, frame_s)
        self._frame_s = frame_s
        self._handed_over = 0
        self._sent = 0
        self._run_start = -math.inf
        """When the device began to play the frames since it last ran dry."""
        self._run_first = 0
        """The first of those frames."""
        self._stopped_at: float | None = None
        self._pieces: list[tuple[int, float, float]] = []

    @property
    def sent_frames(self) -> int:
        """Frames sent so far; also the index of the next one."""
        return self._sent

    @property
    def waiting_frames(self) -> int:
        """Frames that were handed over and not sent yet."""
        return self._handed_over - self._sent

    def hand_over(self, frames: int = 1) -> None:
        """So many frames more are ready to be sent."""
        self._handed_over += frames

    def delay(self, now: float) -> float:
        """Seconds until the next frame may be sent; 0: now. Infinite once stopped."""
        if self._stopped_at is not None:
            return math.inf
        if self._sent == 0:
            return 0.0
        wait = self._all_sent_played_at + self._frame_s - self._lead_s - now
        return wait if wait > _TOLERANCE else 0.0

    def sent(self, now: float) -> None:
        """The next frame has been sent. Raises ValueError when none was waiting."""
        if self.waiting_frames <= 0:
            raise ValueError("no frame is waiting")
        if self._sent == 0 or now > self._all_sent_played_at:
            self._run_start = now
            self._run_first = self._sent
        self._sent += 1

    def stop(self, now: float) -> None:
        """The device plays nothing more from ``now`` on; what it had not played is void."""
        if self._stopped_at is None:
            self._stopped_at = now

    def position(self, now: float) -> float:
        """Frames played by now, a part of one included."""
        if self._sent == 0:
            return 0.0
        if self._stopped_at is not None:
            now = min(now, self._stopped_at)
        in_run = (now - self._run_start) / self._frame_s
        return self._run_first + min(max(in_run, 0.0), float(self._sent - self._run_first))

    def played_s(self, now: float) -> float:
        """Seconds of audio played by now."""
        return self.position(now) * self._frame_s

    def playing(self, now: float) -> int | None:
        """The frame that is being played; None: the device is silent."""
        if self._stopped_at is not None and now >= self._stopped_at:
            return None
        position = self.position(now)
        return int(position) if position < self._sent else None

    def finished_at(self, now: float) -> float:
        """When everything that was handed over will have been played, or was."""
        if self._stopped_at is not None:
            return self._stopped_at
        if self._sent == 0:
            return now + self.waiting_frames * self._frame_s
        end = self._all_sent_played_at
        waiting = self.waiting_frames
        return max(end, now) + waiting * self._frame_s if waiting else end

    def mark_piece(self, index: int, start_frame: float, end_frame: float) -> None:
        """A piece of the reply is the audio from ``start_frame`` to ``end_frame``."""
        self._pieces.append((index, start_frame, end_frame))

    def played(self, now: float) -> list[tuple[int, float]]:
        """Index of each piece of which something was played, and the fraction of it, 0 to 1. A
        piece without audio counts as played when its place is reached."""
        position = self.position(now)
        heard = []
        for index, start, end in self._pieces:
            if end <= start:
                if position >= start:
                    heard.append((index, 1.0))
            elif position > start:
                heard.append((index, min((position - start) / (end - start), 1.0)))
        return heard

    @property
    def _all_sent_played_at(self) -> float:
        return self._run_start + (self._sent - self._run_first) * self._frame_s
