"""The audio of the utterance that is being spoken, by its place in the stream."""

from __future__ import annotations

from collections import deque

import numpy as np

from lobug.engines.base import Samples


class UtteranceAudio:
    """The last samples of a stream. Places count the stream's samples from ``origin``."""

    def __init__(self, origin: int = 0) -> None:
        self._pieces: deque[Samples] = deque()
        self._first = origin
        self._next = origin

    def __len__(self) -> int:
        """Samples kept."""
        return self._next - self._first

    def append(self, samples: Samples) -> None:
        """Add the stream's next samples."""
        self._pieces.append(samples)
        self._next += len(samples)

    def forget_before(self, place: int) -> None:
        """Drop what lies before ``place``, as far as whole pieces go."""
        while self._pieces and self._first + len(self._pieces[0]) <= place:
            self._first += len(self._pieces.popleft())

    def between(self, start: int, end: int) -> Samples:
        """The samples from ``start`` to before ``end``, as far as they are kept."""
        if not self._pieces:
            return np.zeros(0, np.float32)
        kept = np.concatenate(self._pieces)
        return kept[max(0, start - self._first) : max(0, end - self._first)]
