"""When something that was said into a stream happened, on the server's clock. Pure."""

from __future__ import annotations

import math


class StreamClock:
    """Turns seconds of stream into readings of the clock.

    A sample cannot arrive before it was spoken, so the earliest arrival, counted from the stream's
    beginning, is the nearest to the truth; the network only ever adds to it. A gap in the stream (a
    device that stopped sending for a while) begins a new count.
    """

    GAP_S = 1.0
    """Later than this means that the device did not send for a while."""

    def __init__(self) -> None:
        self._fed_s = 0.0
        self._start = math.inf
        self._gap = False

    @property
    def fed_s(self) -> float:
        """Seconds of stream so far."""
        return self._fed_s

    def arrived(self, seconds: float, now: float) -> None:
        """So much audio has arrived now."""
        self._fed_s += seconds
        start = now - self._fed_s
        if self._gap or start > self._start + self.GAP_S:
            self._start = start
        self._gap = False
        self._start = min(self._start, start)

    def deaf(self) -> None:
        """Audio has come that is no part of the stream: a gap, however short."""
        self._gap = True

    def at(self, stream_s: float) -> float:
        """The reading of the clock at which that second of the stream was spoken."""
        return self._start + stream_s
