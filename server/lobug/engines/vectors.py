"""Validation and batching of vectors, shared by the embedders. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from lobug.engines.base import Vectors
from lobug.errors import EngineError

ENGINE = "embeddings"
"""The job's name in the errors of embedders."""


def unit_rows(rows: ArrayLike, *, count: int, dimension: int | None) -> Vectors:
    """Return ``rows`` as float32 of shape (count, dimension), each row of length 1.

    ``dimension`` None: any. Raises EngineError when the model answered with the wrong number of
    vectors, another dimension, a vector of zeros, or values that are not numbers.
    """
    try:
        vectors = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EngineError(ENGINE, "the answer is not a list of equally long vectors") from error
    if vectors.ndim != 2 or vectors.shape[0] != count or vectors.shape[1] == 0:
        raise EngineError(ENGINE, f"wanted {count} vectors, got shape {vectors.shape}")
    if dimension is not None and vectors.shape[1] != dimension:
        raise EngineError(
            ENGINE,
            f"the model answered with {vectors.shape[1]} dimensions instead of {dimension}; if it"
            " was replaced, restart the server",
        )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0.0).any():
        raise EngineError(
            ENGINE, "the model answered with zeros or with values that are no numbers"
        )
    return np.asarray(vectors / lengths, dtype=np.float32)


def batches(texts: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Split ``texts`` into batches of at most ``size``."""
    for start in range(0, len(texts), size):
        yield texts[start : start + size]


def stacked(parts: Sequence[Vectors], dimension: int) -> Vectors:
    """Concatenate batches; without any, the shape is (0, dimension)."""
    return np.concatenate(parts) if parts else np.zeros((0, dimension), dtype=np.float32)
