"""Resampling of whole clips, and of an audio stream as it arrives.

In a stream soxr is exact but delays audio by 30 to 45 ms, which would delay every answer to a
device. Where the source's rate is a multiple of the target's, a short filter is used instead: its
delay is 1.25 ms.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import soxr

from lobug.engines.base import Samples

_TAPS_PER_PHASE = 40
"""Filter length per output sample; the delay is half of it, 20 output samples."""

_PASSED = 0.94
"""The filter's cut-off as a share of half the target's rate: 7.5 of 8 kHz."""

_KAISER_BETA = 5.6
"""60 dB attenuation in the stop band (Kaiser's formula)."""


def resample(samples: Samples, from_rate: int, to_rate: int) -> Samples:
    """Return the clip at another rate (Hz), values clipped to [-1, 1]."""
    if from_rate == to_rate or not len(samples):
        return samples
    changed: Samples = np.asarray(soxr.resample(samples, from_rate, to_rate), dtype=np.float32)
    return np.clip(changed, -1.0, 1.0)


class Resampler(Protocol):
    """Resamples one stream. Calls must not overlap."""

    def feed(self, samples: Samples) -> Samples:
        """Take the next samples at the source's rate; return the samples ready at the target's."""

    def flush(self) -> Samples:
        """Return the samples still held back. The next ``feed`` begins a new stream."""


def open_resampler(source_rate: int, target_rate: int) -> Resampler:
    """Return a resampler between two rates in Hz."""
    if source_rate == target_rate:
        return _Unchanged()
    if source_rate % target_rate == 0:
        return _Decimator(source_rate // target_rate)
    return _Soxr(source_rate, target_rate)


class _Unchanged:
    def feed(self, samples: Samples) -> Samples:
        return samples

    def flush(self) -> Samples:
        return np.zeros(0, np.float32)


class _Decimator:
    """Keeps every n-th sample of the low-pass filtered stream."""

    def __init__(self, factor: int) -> None:
        self._factor = factor
        self._filter = _low_pass(factor)
        self._phases = [self._filter[phase::factor] for phase in range(factor)]
        self._held = self._nothing()

    def feed(self, samples: Samples) -> Samples:
        held = np.concatenate([self._held, samples])
        count = (len(held) - len(self._filter)) // self._factor + 1
        if count <= 0:
            self._held = held
            return np.zeros(0, np.float32)
        self._held = held[count * self._factor :]
        kept = np.zeros(count, np.float32)
        # One short convolution for each phase computes the kept samples only. The filter is
        # symmetric, so its direction matters only for the order of the phases.
        for phase, taps in enumerate(self._phases):
            part = held[phase :: self._factor][: count + len(taps) - 1]
            kept += np.convolve(part, taps[::-1], "valid")
        return kept

    def flush(self) -> Samples:
        rest = self.feed(np.zeros(len(self._filter) // 2, np.float32))
        self._held = self._nothing()
        return rest

    def _nothing(self) -> Samples:
        return np.zeros(len(self._filter) - 1, np.float32)


def _low_pass(factor: int) -> Samples:
    """Return a windowed sinc of odd length whose sum is 1."""
    half = _TAPS_PER_PHASE // 2 * factor
    at = np.arange(-half, half + 1)
    cutoff = _PASSED / factor
    taps = np.sinc(at * cutoff) * np.kaiser(2 * half + 1, _KAISER_BETA)
    scaled: Samples = (taps / taps.sum()).astype(np.float32)
    return scaled


class _Soxr:
    def __init__(self, source_rate: int, target_rate: int) -> None:
        self._stream = soxr.ResampleStream(source_rate, target_rate, 1, dtype="float32")

    def feed(self, samples: Samples) -> Samples:
        resampled: Samples = self._stream.resample_chunk(samples)
        return resampled

    def flush(self) -> Samples:
        rest: Samples = self._stream.resample_chunk(np.zeros(0, np.float32), last=True)
        self._stream.clear()
        return rest
