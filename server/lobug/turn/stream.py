"""The samples of one stream: those that wait, those of the present utterance, and their times."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

import numpy as np

from lobug.engines.base import Samples


@dataclass(frozen=True, slots=True)
class Stop:
    """The speaker has ended the utterance; stands in its place among the samples."""


class ListeningInbox:
    """A bounded queue of samples and stops that have arrived and were not judged yet.

    When it is full, all of it is dropped (an overrun), because words with a gap in them would be
    answered wrongly.
    """

    def __init__(self, capacity: int) -> None:
        """``capacity``: samples it may hold."""
        self._capacity = capacity
        self._items: deque[Samples | Stop] = deque()
        self.waiting = 0
        """Number of samples in it."""
        self.pushed = 0
        """Number of samples of the stream so far, dropped ones included."""
        self.overrun = False
        """Whether samples were dropped since ``clear``."""

    def push(self, samples: Samples) -> None:
        """Add the stream's next samples."""
        self.pushed += len(samples)
        if self.waiting + len(samples) > self._capacity:
            self.clear()
            self.overrun = True
        elif len(samples):
            self._items.append(samples)
            self.waiting += len(samples)

    def push_stop(self) -> None:
        self._items.append(Stop())

    def clear(self) -> None:
        self._items.clear()
        self.waiting = 0
        self.overrun = False

    def take(self, most: int) -> Samples | Stop | None:
        """The next stop, or the next samples before it, about ``most`` of them; None: it is
        empty."""
        pieces: list[Samples] = []
        taken = 0
        while self._items and taken < most:
            item = self._items[0]
            if isinstance(item, Stop):
                if not pieces:
                    self._items.popleft()
                    return item
                break
            self._items.popleft()
            pieces.append(item)
            taken += len(item)
        self.waiting -= taken
        return np.concatenate(pieces) if pieces else None


class UtteranceAudio:
    """The last samples of a stream. Places are numbers of samples since the stream's beginning."""

    def __init__(self, origin: int = 0) -> None:
        """``origin``: place of the first sample that will be appended."""
        self._pieces: deque[Samples] = deque()
        self._first = origin
        self._next = origin

    def __len__(self) -> int:
        """Number of samples kept."""
        return self._next - self._first

    def append(self, samples: Samples) -> None:
        """Add the stream's next samples."""
        self._pieces.append(samples)
        self._next += len(samples)

    def forget_before(self, place: int) -> None:
        """Drop the appended pieces that end before ``place``."""
        while self._pieces and self._first + len(self._pieces[0]) <= place:
            self._first += len(self._pieces.popleft())

    def between(self, start: int, end: int) -> Samples:
        """The samples from ``start`` to before ``end``, as far as they are kept."""
        if not self._pieces:
            return np.zeros(0, np.float32)
        kept = np.concatenate(self._pieces)
        return kept[max(0, start - self._first) : max(0, end - self._first)]


class StreamClock:
    """Converts seconds of a stream into readings of the server's clock. Pure.

    The network only ever delays a sample, so the earliest arrival, counted from the stream's
    beginning, is the best estimate. After a gap (the device stopped sending for a while) the
    estimate begins anew.
    """

    GAP_S = 1.0
    """Seconds of delay from which the device is taken to have stopped sending."""

    def __init__(self) -> None:
        self._fed_s = 0.0
        self._start = math.inf
        self._gap = False

    @property
    def fed_s(self) -> float:
        """Seconds of the stream so far."""
        return self._fed_s

    def arrived(self, seconds: float, now: float) -> None:
        """``seconds`` of audio have arrived at ``now``, a reading of the clock."""
        self._fed_s += seconds
        start = now - self._fed_s
        if self._gap or start > self._start + self.GAP_S:
            self._start = start
        self._gap = False
        self._start = min(self._start, start)

    def skip(self) -> None:
        """Audio was ignored, so the stream has a gap, however short."""
        self._gap = True

    def at(self, stream_s: float) -> float:
        """The reading of the clock at which second ``stream_s`` of the stream was spoken."""
        return self._start + stream_s
