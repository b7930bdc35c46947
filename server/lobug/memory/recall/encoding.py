"""Vectors as the turn index stores them: signed bytes with a scale, and the signs alone. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def encode(vector: Floats) -> bytes | None:
    """A vector as it is stored; None for one without a direction."""
    largest = float(np.abs(vector).max(initial=0.0))
    if not np.isfinite(vector).all() or largest == 0.0:
        return None
    scale = np.array([largest / 127.0], "<f4")
    stored: bytes = scale.tobytes() + np.rint(vector / scale).astype(np.int8).tobytes()
    return stored


def decode(stored: Sequence[bytes], dimension: int) -> Floats:
    """Stored vectors, (n, dimension)."""
    raw = np.frombuffer(b"".join(stored), np.uint8).reshape(len(stored), 4 + dimension)
    scale = np.ascontiguousarray(raw[:, :4]).view("<f4")
    return np.asarray(raw[:, 4:].view(np.int8) * scale, np.float32)


def code(vector: Floats) -> bytes:
    """The signs of a vector's components, filled up to whole words of 64 bits."""
    bits = np.packbits(vector >= 0).tobytes()
    return bits + bytes(-len(bits) % 8)
