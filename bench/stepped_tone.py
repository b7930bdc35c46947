"""Recognises the stepped tone that the voice of the scripted engines speaks
(``lobug.simulator.soak.engines``), so that a lost, doubled or swapped frame is noticed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lobug.engines.base import Samples
from lobug.simulator.soak.engines import LOWEST_HZ, STEP_HZ, STEP_S

_WINDOW_S, _HOP_S = 0.03, 0.005
_SHORTEST_RUN = 2
"""Fewest windows in a row that make a step; fewer are the change between two steps."""

_QUIET = 0.02
TOLERANCE_S = 0.02
"""Precision of a step's measured length, seconds. A lost frame takes 60 ms away."""


def steps(sound: Samples, sample_rate: int) -> list[tuple[int, float]]:
    """The number and the length, seconds, of each step that is heard, in order."""
    size, hop = round(_WINDOW_S * sample_rate), round(_HOP_S * sample_rate)
    if len(sound) < size:
        return []
    windows = np.lib.stride_tricks.sliding_window_view(sound, size)[::hop]
    loud = np.sqrt(np.mean(windows**2, axis=1)) > _QUIET
    padded = 1 << (4 * size - 1).bit_length()
    spectra = np.abs(np.fft.rfft(windows * np.hanning(size), padded, axis=1))
    hz = np.argmax(spectra, axis=1) * sample_rate / padded
    numbers = np.where(loud, np.rint((hz - LOWEST_HZ) / STEP_HZ), -1).astype(int)
    changes = np.flatnonzero(np.diff(numbers)) + 1
    bounds = [0, *changes.tolist(), len(numbers)]
    return [
        (int(numbers[start]), (end - start) * _HOP_S)
        for start, end in pairwise(bounds)
        if numbers[start] >= 0 and end - start >= _SHORTEST_RUN
    ]


def missing(sound: Samples, sample_rate: int, count: int) -> list[str]:
    """What is wrong with a sound that should be steps 0 to ``count`` - 1, as sentences."""
    heard = steps(sound, sample_rate)
    numbers = [number for number, _ in heard]
    if numbers != list(range(count)):
        return [f"steps {numbers} were heard, not 0 to {count - 1}"]
    return [
        f"step {number} was {seconds:.3f} s long"
        for number, seconds in heard[1:-1]  # silence before and after blurs the outer ones
        if abs(seconds - STEP_S) > TOLERANCE_S
    ]
