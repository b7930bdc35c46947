"""Encoding of PCM16 WAV. Decoding is in ``decode``."""

from __future__ import annotations

import struct

from lobug.engines.base import Samples
from lobug.engines.pcm import pcm16

HEADER_BYTES = 44
"""Length of every header; the first firmware skips exactly this many bytes."""

_PCM = 1
_BYTES_PER_SAMPLE = 2

_UNKNOWN_SIZE = 0xFFFFFFFF
"""Value of the size fields for players: the sound lasts until the stream ends."""


def encode(samples: Samples, sample_rate: int) -> bytes:
    """Return a PCM16 mono WAV with the canonical 44-byte header.

    ``samples``: shape (samples,), values clipped to [-1, 1], NaN becomes silence.
    ``sample_rate`` in Hz.
    """
    data = pcm16(samples)
    return header(sample_rate, len(data)) + data


def header(sample_rate: int, data_bytes: int | None = None, channels: int = 1) -> bytes:
    """Return the canonical 44-byte header of a PCM16 WAV; ``data_bytes`` None: of a stream whose
    length is not known yet."""
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
