"""WAV files for tests, in every form that a device or a person may send."""

from __future__ import annotations

import io
import struct
import wave

import numpy as np
from numpy.typing import NDArray


def tone(seconds: float, rate: int = 16_000, hz: float = 440.0) -> NDArray[np.float32]:
    """A sine at half of full scale."""
    return (0.5 * np.sin(2 * np.pi * hz * np.arange(int(seconds * rate)) / rate)).astype(np.float32)


def pcm16(samples: NDArray[np.float32], rate: int = 16_000, channels: int = 1) -> bytes:
    """A canonical PCM16 WAV; every channel holds the same."""
    data = np.repeat((np.clip(samples, -1, 1) * 32767).astype("<i2"), channels)
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(data.tobytes())
    return buffer.getvalue()


def any_wav(
    samples: NDArray[np.float32],
    rate: int = 16_000,
    bits: int = 16,
    channels: int = 1,
    *,
    floating: bool = False,
    extra_chunk: bytes = b"",
) -> bytes:
    """A WAV of any sample format; ``extra_chunk`` makes the header longer than 44 bytes."""
    wide = np.repeat(np.clip(samples.astype(np.float64), -1, 1), channels)
    if floating:
        data, tag = wide.astype("<f4" if bits == 32 else "<f8").tobytes(), 3
    elif bits == 8:
        data, tag = ((wide * 127) + 128).astype("u1").tobytes(), 1
    elif bits == 24:
        whole = (wide * 8_388_607).astype("<i4")
        data, tag = whole.view("u1").reshape(-1, 4)[:, :3].tobytes(), 1
    else:
        full = 2 ** (bits - 1) - 1
        data, tag = (wide * full).astype(f"<i{bits // 8}").tobytes(), 1
    block = channels * bits // 8
    form = struct.pack("<HHIIHH", tag, channels, rate, rate * block, block, bits)
    chunks = b"fmt " + struct.pack("<I", len(form)) + form
    if extra_chunk:
        padded = extra_chunk + b"\0" * (len(extra_chunk) % 2)
        chunks += b"LIST" + struct.pack("<I", len(padded)) + padded
    chunks += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks
