"""What a stream has brought and nobody has listened to yet."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from lobug.engines.base import Samples


@dataclass(frozen=True, slots=True)
class Stop:
    """The speaker's end says that it is over; in its place among the samples."""


class ListeningInbox:
    """A bounded queue of samples and stops. More than it holds is an overrun: everything in it is
    dropped, since words with a hole in them would be answered wrongly."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._items: deque[Samples | Stop] = deque()
        self.waiting = 0
        """Samples in it."""
        self.pushed = 0
        """Samples of the stream so far, those that were dropped as well."""
        self.overrun = False

    def push(self, samples: Samples) -> None:
        """Add the stream's next samples."""
        self.pushed += len(samples)
        if self.waiting + len(samples) > self._most:
            self.clear()
            self.overrun = True
        elif len(samples):
            self._items.append(samples)
            self.waiting += len(samples)

    def push_stop(self) -> None:
        """Add a stop."""
        self._items.append(Stop())

    def clear(self) -> None:
        """Drop everything."""
        self._items.clear()
        self.waiting = 0
        self.overrun = False

    def take(self, most: int) -> Samples | Stop | None:
        """The next stop, or the next samples up to it, about ``most`` of them; None: nothing."""
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
