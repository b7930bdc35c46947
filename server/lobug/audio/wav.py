"""WAV files that go out, and resampling. Decoding what comes in is ``decode``."""

from __future__ import annotations

import struct

import numpy as np
import soxr

from lobug.engines.base import Samples

HEADER_BYTES = 44
"""The first device skips exactly so many bytes, so a header is never longer or shorter."""

_PCM = 1
_BYTES_PER_SAMPLE = 2


_UNKNOWN_SIZE = 0xFFFFFFFF
"""In a header's size fields: the sound goes on until the stream ends. Players take it so."""


def encode(samples: Samples, sample_rate: int) -> bytes:
    """A PCM16 mono WAV with the canonical 44-byte header.

    ``samples``: shape (samples,), values in [-1, 1]; what lies outside is clipped, NaN is silence.
    ``sample_rate`` in Hz.
    """
    data = pcm16(samples)
    return header(sample_rate, len(data)) + data


def pcm16(samples: Samples) -> bytes:
    """Samples as little-endian 16-bit integers; clipped, NaN is silence."""
    clean = np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0)
    return np.round(np.clip(clean, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()


def header(sample_rate: int, data_bytes: int | None = None, channels: int = 1) -> bytes:
    """The canonical 44-byte header of a PCM16 WAV; ``data_bytes`` None: of a stream whose length
    nobody knows yet."""
    riff_size = data_size = _UNKNOWN_SIZE
    if data_bytes is not None:
        riff_size, data_size = HEADER_BYTES - 8 + data_bytes, data_bytes
    block = channels * _BYTES_PER_SAMPLE
    return struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        riff_size,
        b"WAVE",
        b"fmt ",
        16,
        _PCM,
        channels,
        sample_rate,
        sample_rate * block,
        block,
        8 * _BYTES_PER_SAMPLE,
        b"data",
        data_size,
    )


def resample(samples: Samples, from_rate: int, to_rate: int) -> Samples:
    """The same sound at another rate (Hz), values kept within [-1, 1]."""
    if from_rate == to_rate or not len(samples):
        return samples
    changed: Samples = np.asarray(soxr.resample(samples, from_rate, to_rate), dtype=np.float32)
    return np.clip(changed, -1.0, 1.0)
