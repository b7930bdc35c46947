"""WAV files that go out, and resampling. Decoding what comes in is ``decode``."""

from __future__ import annotations

import struct

import numpy as np
import soxr

from lobug.engines.base import Samples

HEADER_BYTES = 44
"""The first device skips exactly so many bytes, so a header is never longer or shorter."""

_PCM = 1
_MONO = 1
_BYTES_PER_SAMPLE = 2


def encode(samples: Samples, sample_rate: int) -> bytes:
    """A PCM16 mono WAV with the canonical 44-byte header.

    ``samples``: shape (samples,), values in [-1, 1]; what lies outside is clipped, NaN is silence.
    ``sample_rate`` in Hz.
    """
    clean = np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0)
    pcm = np.round(np.clip(clean, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        HEADER_BYTES - 8 + len(pcm),
        b"WAVE",
        b"fmt ",
        16,
        _PCM,
        _MONO,
        sample_rate,
        sample_rate * _BYTES_PER_SAMPLE,
        _BYTES_PER_SAMPLE,
        8 * _BYTES_PER_SAMPLE,
        b"data",
        len(pcm),
    )
    return header + pcm


def resample(samples: Samples, from_rate: int, to_rate: int) -> Samples:
    """The same sound at another rate (Hz), values kept within [-1, 1]."""
    if from_rate == to_rate or not len(samples):
        return samples
    changed: Samples = np.asarray(soxr.resample(samples, from_rate, to_rate), dtype=np.float32)
    return np.clip(changed, -1.0, 1.0)
