"""A sound that shows whether a piece of it is missing or in the wrong place. Pure.

Every 60 ms its pitch goes up a step. Whoever has heard it, also through Opus, can tell every step,
its place and its length: no frame can be lost, doubled or swapped without being noticed.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from lobug.engines.base import Samples

STEP_S = 0.06
"""As long as an audio frame."""

LOWEST_HZ, STEP_HZ = 400.0, 100.0

_WINDOW_S, _HOP_S = 0.03, 0.005
_SHORTEST_RUN = 2
"""Windows in a row that make a step: fewer are the change from one to the next."""

_QUIET = 0.02
TOLERANCE_S = 0.02
"""How exactly a step's length can be told. A lost frame shortens one, or two together, by 60 ms."""


def tone(first: int, count: int, sample_rate: int) -> Samples:
    """``count`` steps from number ``first`` on."""
    hz = np.repeat(
        LOWEST_HZ + STEP_HZ * np.arange(first, first + count), round(STEP_S * sample_rate)
    )
    phase = 2 * np.pi * np.cumsum(hz) / sample_rate
    sound: Samples = (0.4 * np.sin(phase)).astype(np.float32)
    return sound


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
